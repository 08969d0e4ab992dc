/* cuda.h - what the files of the gpu source share. */
#ifndef CUDA_H
#define CUDA_H

#include "mapping.h"

#include <cuda_runtime_api.h>

/* What device memory is filled with before it is written to. */
enum { POISON = 0xa5 };

/* Fails if `code` is an error, with what was attempted. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
cuda_check(cudaError_t code, struct mapping_error *error, const char *attempt, ...);

/* Observes `count` fragments of wmma on a device. `maps` are zeroed; those that were made
 * belong to the caller. *kernel becomes one that was run. MAPPING_UNAVAILABLE if there is none for
 * one of them. */
enum mapping_status wmma_observe(int device, const struct mapping_fragment *fragments, size_t count,
                                 struct mapping_map *maps, const void **kernel,
                                 struct mapping_error *error);

/* The same for fragments of all other instructions, in two steps, of which the first needs no
 * device. `fragments` have to live as long as the execution. Free it in any case. */
struct execution;
enum mapping_status execute_prepare(const struct mapping_fragment *fragments, size_t count,
                                    struct execution **execution, struct mapping_error *error);
enum mapping_status execute_run(int device, const struct execution *execution,
                                struct mapping_map *maps, const void **kernel,
                                struct mapping_error *error);
void execute_free(struct execution *execution);

/* True if there is a kernel for the fragment, which is not of wmma. */
bool execute_covers(const struct mapping_fragment *fragment);

#endif
