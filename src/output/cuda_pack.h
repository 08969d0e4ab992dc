/* cuda_pack.h - functions that pack 4-bit elements in the order of a fragment of f16 or bf16, and
 * that convert them in a kernel; see cuda_pack.c.
 *
 *     static inline void mapping_NAME_pack_u4(unsigned packed[], const unsigned char *matrix,
 *                                             size_t stride)
 *     static __device__ __forceinline__ void mapping_NAME_from_u4(unsigned out[],
 *                                                                 const unsigned in[]) */
#ifndef CUDA_PACK_H
#define CUDA_PACK_H

#include "output/output.h"

/* Prints both functions. The first calls the functions mapping_NAME_row, _col and _block whose
 * names end with `suffix`; the second, which depends on no layout, only if `is_first`. */
void print_packed_order(struct printer *to, const struct report *report, const char *name,
                        const char *suffix, enum packed_type type, bool is_first);

#endif
