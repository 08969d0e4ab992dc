/* device.h - the CUDA device, and what goes wrong with it. */
#ifndef DEVICE_H
#define DEVICE_H

#include "source/gpu/gpu.h"

#include "mapping.h"

#include <cuda_runtime_api.h>

/* MAPPING_FAILED if `code` is an error, with a sentence of what was attempted: "could not launch
 * the probe of mma.m16n8k16.d.f32: ...". */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
cuda_check(cudaError_t code, struct mapping_error *error, const char *attempt, ...);

/* Describes a device, and the code of which a kernel was run on it: "NVIDIA H200, nvcc 13.0.88".
 * Where that was not compiled for its own architecture, that is said too: "..., code of sm_80". */
enum mapping_status device_describe(int device, unsigned arch, const void *kernel,
                                    char text[DEVICE_TEXT_SIZE], struct mapping_error *error);

/* Memory of the device for one experiment: what its kernels read, and what they store. */
struct device_memory {
    uint8_t *contents, *output; /* at multiples of 256 bytes; one allocation */
    size_t output_size;         /* in bytes */
};

/* Allocates it, copies the contents there, and fills where the output goes with POISON. Free it in
 * any case. */
enum mapping_status device_memory_make(struct device_memory *memory, const void *contents,
                                       size_t size, size_t output_size,
                                       struct mapping_error *error);

/* Waits for the kernels of the experiment that is named, and copies back what they stored. */
enum mapping_status device_memory_read(const struct device_memory *memory, void *output,
                                       const char *experiment, struct mapping_error *error);
void device_memory_free(struct device_memory *memory);

#endif
