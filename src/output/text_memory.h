/* text_memory.h - matrices in memory, loads, stores and accesses for people, and what other formats
 * share of that. */
#ifndef TEXT_MEMORY_H
#define TEXT_MEMORY_H

#include "layout/banks.h"
#include "output/output.h"
#include "report/placement.h"

/* What the count of wavefronts rests on. */
#define RULE_LINE "wavefronts: rule measured on an H200 (sm_90), assumed for other architectures"

/* ---- Matrices in memory ---- */

/* Prints what the matrix is: "64 x 64 elements of f16, 8192 bytes". */
void print_extent(struct printer *to, const struct report *report);

/* Prints what the matrix is, and its grids: at each row and column the offset and the bank; and by
 * address, which elements lie in each line of 128 bytes. */
void print_placement(struct printer *to, const struct report *report, const struct style *style);

/* Prints the descriptor with which wgmma reads it, if there is one, and where its instructions
 * begin along K. */
void print_descriptor(struct printer *to, const struct report *report);

/* ---- Accesses ---- */

/* Takes the next lanes that follow each other out of a set. False if it is empty. */
bool next_lanes(uint32_t *set, uint32_t *first, uint32_t *last);

/* Prints the operation and what it was given: "ld.b32, address: tid * 8". */
void print_access_name(struct printer *to, const struct access *access);

/* Prints what a phase is and takes, in one line without its end: "lanes 0-7 (phase 0): 2
 * wavefronts, 2 words conflict in bank 0". */
void print_phase_line(struct printer *to, const struct mapping_phase *phase, uint32_t number);

/* Prints what it takes: "Wavefronts: 2 (minimum: 1), 2-way bank conflicts on average", and where
 * lanes with the same addresses make phases fewer, that they do. */
void print_access_total(struct printer *to, const struct mapping_access *operation,
                        const struct mapping_wavefronts *counted);

/* Prints the addresses, the wavefronts, and of each phase which lanes meet in which bank. */
void print_access(struct printer *to, const struct access *access);

/* ---- Loads and stores ---- */

/* Writes the address in a step as a formula of tid, or, if `step` is NULL, those in all steps as
 * one of step and tid. False if there is none. */
bool loading_formula(const struct mapping_loading *plan, const struct mapping_loading_step *step,
                     enum formula_style style, char text[FORMULA_TEXT]);

/* Prints which fragment is loaded from which matrix: "mma.m16n8k16.a.f16 from (64,64):(64,1) at row
 * 0, column 0". */
void print_loading_name(struct printer *to, const struct loading *loading);

/* True if it has to be said what rows and columns are: they were asked for, or B is taken as n,k or
 * k,n. */
bool has_axes_to_say(const struct loading *loading);

/* Prints lines on what the numbers are. */
void print_loading_notes(struct printer *to, const struct loading *loading);

/* Prints what a plan takes: "ldmatrix.x4: 2 times, 8 wavefronts, no bank conflicts". */
void print_plan_total(struct printer *to, const struct loading *loading,
                      const struct mapping_loading *plan);

/* Prints what a step moves: "registers 0 to 3". */
void print_step_name(struct printer *to, const struct loading *loading,
                     const struct mapping_loading *plan, uint32_t number);

void print_loadings(struct printer *to, const struct loading *loadings, size_t count,
                    const struct style *style);
void print_suggestions(struct printer *to, const struct suggested *suggested,
                       const struct style *style);
/* ---- As CUDA: cuda_load.c ---- */

/* Prints a function that does what the plan says, for CUDA C++:
 *
 *     static __device__ __forceinline__ void mapping_load_NAME(unsigned out[4], unsigned address,
 *                                                              unsigned tid)
 *     static __device__ __forceinline__ void mapping_store_NAME(const unsigned in[4],
 *                                                               unsigned address, unsigned tid)
 *
 * in a guard, so that it may be in several headers, with a comment that begins with `comment`,
 * which may have several lines, and says what out[] or in[] holds and how many wavefronts it
 * takes. What of the name cannot be part of a name in C becomes '_'. `address` is what
 * __cvta_generic_to_shared gives of where the matrix begins, a multiple of `alignment` bytes. Of
 * the last register of a fragment that does not fill it, the rest is 0. */
void loading_cuda(struct printer *to, const struct mapping_loading *plan, uint32_t alignment,
                  const char *name, const char *comment);

/* Refuses two functions of one name that differ. */
enum mapping_status check_loadings_cuda(const struct loading *loadings, size_t count,
                                        struct mapping_error *error);
void print_loadings_cuda(struct printer *to, const struct loading *loadings, size_t count,
                         const struct style *style);

#endif
