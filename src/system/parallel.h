/* parallel.h - the same for many, on all cores. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

/* Calls work(context, index) for each index below `count`, in any order and several at a time. A
 * few are done by the caller alone; so is what no thread can be made for. */
void parallel_for(size_t count, void (*work)(void *context, size_t index), void *context);

/* The same where each index takes long, as a run of a tool does: also few are done on all cores. */
void parallel_for_long(size_t count, void (*work)(void *context, size_t index), void *context);

#endif
