/* shared_memory.h - matrices in shared memory, loads, stores and accesses, as text and as CUDA;
 * JSON and the page call some of these functions, too. */
#ifndef OUTPUT_SHARED_MEMORY_H
#define OUTPUT_SHARED_MEMORY_H

#include "layout/banks.h"
#include "output/output.h"
#include "report/placement.h"

/* ---- Matrices: shared_matrix.c ---- */

/* Prints the size of the matrix, and its grids: the offset and the bank at each row and column; and
 * by address, which elements lie in each line of 128 bytes. */
void print_placement(struct printer *to, const struct report *report, const struct style *style);

/* Prints the descriptors with which wgmma and tcgen05.mma read the matrix, and the byte at which
 * each slice along K begins. If neither can read it, prints nothing, or what an atom lacks. */
void print_descriptor(struct printer *to, const struct report *report);

/* ---- Accesses, loads and stores: shared_access.c ---- */

/* Prints the addresses, the wavefronts, and for each phase which lanes conflict in which bank. */
void print_access(struct printer *to, const struct access *access);

/* Writes the addresses of a step as a formula of tid or, if `step` is NULL, those of all steps as a
 * formula of step and tid. False if there is no formula. */
bool loading_formula(const struct mapping_loading *plan, const struct mapping_loading_step *step,
                     enum formula_style style, char text[FORMULA_TEXT]);

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
 * takes. Characters of the name that C does not allow in names become '_'. `address` is what
 * __cvta_generic_to_shared gives of where the matrix begins, a multiple of `alignment` bytes. If
 * the fragment does not fill its last register, the rest of that register is 0. */
void loading_cuda(struct printer *to, const struct mapping_loading *plan, uint32_t alignment,
                  const char *name, const char *comment);

/* Refuses two functions of one name that differ. */
enum mapping_status check_loadings_cuda(const struct loading *loadings, size_t count,
                                        struct mapping_error *error);
void print_loadings_cuda(struct printer *to, const struct loading *loadings, size_t count,
                         const struct style *style);

#endif
