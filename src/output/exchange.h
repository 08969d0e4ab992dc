/* exchange.h - a shuffle plan as a device function. */
#ifndef OUTPUT_EXCHANGE_H
#define OUTPUT_EXCHANGE_H

#include "convert/convert.h"
#include "system/system.h"

/* Prints a function that does what the plan says, for CUDA C++:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4])
 *
 * with a comment that begins with `comment`, which may have several lines, and says what in[] and
 * out[] hold. Registers are unsigned long long where elements have 64 bits. in[] and out[] may be
 * the same array. A plan through memory is printed as exchange_print_memory does.
 *
 * False, and nothing is printed, if that cannot be done: through memory with elements of less than
 * 8 bits, or where an address has no formula. */
bool exchange_print(struct printer *to, const struct shuffle_plan *plan, const char *name,
                    const char *comment);

/* Prints a function that does the same through shared memory, whatever the kind of the plan:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4], unsigned char *memory)
 *
 * Where warps of a warpgroup have to exchange there is one more argument, `unsigned barrier`. */
bool exchange_print_memory(struct printer *to, const struct shuffle_plan *plan, const char *name,
                           const char *comment);

/* How many bytes of shared memory that takes, for each warp or warpgroup. */
size_t exchange_memory_size(const struct shuffle_plan *plan);

#endif
