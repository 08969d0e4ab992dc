/* cuda_convert.h - register conversions as device functions of CUDA; see convert/convert.h and
 * report/conversion.h. */
#ifndef CUDA_CONVERT_H
#define CUDA_CONVERT_H

#include "output/output.h"

/* What the name of a function ends with that does without shuffles, columns being permuted. */
#define PERMUTED_ENDING "_permuted"

/* True if a function can be written that does what the plan of a conversion says, and is not longer
 * than anybody would want. `ending` is that of its name. */
bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan,
                             const char *ending);

/* Prints device functions: mapping_mma_m16n8k16_d_f32_to_mma_m16n8k16_a_f16, and where a
 * permutation of columns or rows saves the shuffles, the one without them, whose name ends with
 * _permuted. False if one cannot be written, or is longer than anybody would want: as where single
 * bits change from each thread to each. */
bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style);

/* ---- One plan ---- */

/* Prints a function that does what the plan says, for CUDA C++:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4])
 *
 * with a comment that begins with `comment`, which may have several lines, and says what in[] and
 * out[] hold. Registers are unsigned long long where elements have 64 bits. in[] and out[] may be
 * the same array. A plan through memory is printed as convert_print_memory does.
 *
 * False, and nothing is printed, if that cannot be done: through memory with elements of less than
 * 8 bits, or where an address has no formula. */
bool convert_print(struct printer *to, const struct shuffle_plan *plan, const char *name,
                   const char *comment);

/* Prints a function that does the same through shared memory, whatever the kind of the plan:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4], unsigned char *memory)
 *
 * If elements go from one warp to another, there is one more argument, `unsigned barrier`. */
bool convert_print_memory(struct printer *to, const struct shuffle_plan *plan, const char *name,
                          const char *comment);

#endif
