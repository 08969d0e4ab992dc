/* gpu.h - CUDA errors and the description of the device, for the gpu source and for tests. */
#ifndef GPU_H
#define GPU_H

#include "source/source.h"

#include <cuda_runtime_api.h>

/* MAPPING_FAILED if `code` is an error. The message begins with the formatted text: "could not
 * launch the probe of mma.m16n8k16.d.f32: ...". */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
cuda_check(cudaError_t code, struct mapping_error *error, const char *attempt, ...);

/* Describes a device, and the compiler of a kernel that ran on it: "NVIDIA H200, nvcc 13.0.88". If
 * the code was compiled for another architecture, the text says so: "..., code of sm_80". */
enum mapping_status device_describe(int device, unsigned arch, const void *kernel,
                                    char text[DEVICE_TEXT_SIZE], struct mapping_error *error);

#endif
