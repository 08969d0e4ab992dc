/* cuda_convert.h - device functions of CUDA: register conversions (cuda_convert.c, see
 * report/conversion.h), and loads and stores of shared memory (cuda_load.c, see
 * report/load_report.h).
 */
#ifndef CUDA_CONVERT_H
#define CUDA_CONVERT_H

#include "output/output.h"

/* True if the plan of a conversion can be printed as a function of acceptable length. */
bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan);

/* Prints device functions: mapping_mma_m16n8k16_d_f32_to_mma_m16n8k16_a_f16, and, if a permutation
 * of columns or rows makes shuffles unnecessary, a function with this permutation, whose name ends
 * with _permuted. If the source has type f32 or s32 and `cvt` can round it to the type of the
 * target, there are also functions with rounding, whose names end with _from_f32 or _from_s32.
 * False if a function cannot be printed, or is too long, as when single bits move between all
 * threads. */
bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style);

/* Prints a function that does what the plan says, for CUDA C++:
 *
 *     static __device__ __forceinline__ void mapping_load_NAME(unsigned out[4], unsigned address,
 *                                                              unsigned tid)
 *     static __device__ __forceinline__ void mapping_store_NAME(const unsigned in[4],
 *                                                               unsigned address, unsigned tid)
 *
 * in a guard, so that several headers may contain it, with a comment. The comment begins with
 * `comment`, which may have several lines; then it says what out[] or in[] holds and how many
 * wavefronts the function takes. Characters of the name that C does not allow in names become '_'.
 * `address` is that of the first byte of the matrix, from __cvta_generic_to_shared; it is a
 * multiple of `alignment` bytes. If the fragment does not fill its last register, the rest of that
 * register is 0. Addresses without a formula of tid are computed from rows and columns of `matrix`,
 * or read from a table if it is NULL. With `moves`, the function also takes the row, column and
 * stage of the origin. */
void load_cuda(struct printer *to, const struct report *matrix,
               const struct mapping_copy_moves *moves, const struct mapping_copy_plan *plan,
               uint32_t alignment, const char *name, const char *comment);

/* Refuses two different functions with the same name. */
enum mapping_status check_loads_cuda(const struct load *loads, size_t count,
                                     struct mapping_error *error);
void print_loads_cuda(struct printer *to, const struct load *loads, size_t count,
                      const struct style *style);

#endif
