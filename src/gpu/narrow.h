/* narrow.h - what executors have written, made small before it is copied from the device. */
#ifndef NARROW_H
#define NARROW_H

#include "mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of one type, and where they go: as numbers of `bytes` bytes, 1 or 2, of which the largest
 * stands for all that is no integer from 0, or too large. Offsets in bytes. */
struct narrow_task {
    uint64_t source, target;
    uint32_t count;
    uint8_t type, bytes;
};

/* The kernel: launched with a block for each task. Its parameters are the addresses of the tasks,
 * of what is read, and of what is written. */
extern const void *const narrow_kernel;

#ifdef __cplusplus
}
#endif

#endif
