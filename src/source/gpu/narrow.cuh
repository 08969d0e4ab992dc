/* narrow.cuh - makes small on the device what is to be copied from it; see kernels.h. */
#ifndef NARROW_CUH
#define NARROW_CUH

#include "source/gpu/kernel.cuh"
#include "source/gpu/kernels.h"

#include <types.inc> /* printed by generate.c: NUMBER_F64 and so on, as mapping.h has types */

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* The number if it is an integer from 0 to `none` - 1, else `none`. Single precision holds all
 * these exactly, but a larger integer or f64 might only seem to be one in it. */
template <typename T> static __device__ uint32_t small(T value, uint32_t none) {
    return value >= T(0) && value < T(none) && value == T(uint32_t(value)) ? uint32_t(value) : none;
}

/* Element n of a type smaller than a byte, in words of 32 bits. */
static __device__ uint32_t bits_at(const uint8_t *source, uint32_t n, uint32_t bits) {
    return source[n * bits / 8] >> n * bits % 8 & ((1u << bits) - 1);
}

/* Element n of the output of a kernel. */
static __device__ uint32_t number_at(enum number_type type, const uint8_t *source, uint32_t n,
                                     uint32_t none) {
    switch (type) {
    case NUMBER_F64:
        return small(reinterpret_cast<const double *>(source)[n], none);
    case NUMBER_F32:
    case NUMBER_TF32:
        return small(reinterpret_cast<const float *>(source)[n], none);
    case NUMBER_F16:
        return small(__half2float(reinterpret_cast<const half *>(source)[n]), none);
    case NUMBER_BF16:
        return small(__bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(source)[n]), none);
    case NUMBER_S32:
        return small(reinterpret_cast<const int32_t *>(source)[n], none);
    case NUMBER_B16:
        return small(int32_t(reinterpret_cast<const uint16_t *>(source)[n]), none);
    case NUMBER_S8:
        return small(int32_t(reinterpret_cast<const int8_t *>(source)[n]), none);
    case NUMBER_U8:
        return small(int32_t(source[n]), none);
    case NUMBER_S4: /* only 0 to 7 are ever used */
    case NUMBER_U4:
        return bits_at(source, n, 4);
    case NUMBER_B1:
        return bits_at(source, n, 1);
    default:
        return none;
    }
}

static __global__ void narrow(const narrow_task *tasks, const uint8_t *source, uint8_t *target) {
    const narrow_task task = tasks[blockIdx.x];
    const uint32_t none = task.bytes == 1 ? UINT8_MAX : UINT16_MAX;
    for (uint32_t n = threadIdx.x; n < task.count; n += blockDim.x) {
        const uint32_t number =
            number_at(static_cast<number_type>(task.type), source + task.source, n, none);
        if (task.bytes == 1)
            target[task.target + n] = static_cast<uint8_t>(number);
        else
            reinterpret_cast<uint16_t *>(target + task.target)[n] = static_cast<uint16_t>(number);
    }
}

#endif
