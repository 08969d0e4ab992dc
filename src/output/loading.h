/* loading.h - the plan of a load or store of a fragment as a device function. */
#ifndef OUTPUT_LOADING_H
#define OUTPUT_LOADING_H

#include "layout/loading.h"
#include "system/system.h"

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

#endif
