/* wmma.cu - the kernel of wmma, whose fragments are loaded from a matrix in memory or stored to
 * one; and what every observation needs beside: the kernel that makes small what is to be copied
 * from the device, and what is known of the compiler. */
#include "source/gpu/element.cuh"
#include "source/gpu/kernel.cuh"
#include "source/gpu/kernels.h"

#include "mapping.h"

#include <cstring>

/* Rows come from generate.c, for instance
 *
 *     WMMA_LOAD(0, 70, f16, 16, matrix_a, 16, 16, 16, row_major)
 *     WMMA_LOAD_C(65, 70, f32, 16, mem_col_major, 16, 16, 16)
 *     WMMA_STORE_D(97, 70, f32, 16, mem_col_major, 16, 16, 16)
 *
 * are the cases 0, 65 and 97, from sm_70 on: A, and C and D in column-major memory, whose columns
 * are 16 elements apart. */
#define WMMA_LOAD(row, since, type, stride, use, M, N, K, order)                                   \
    case row:                                                                                      \
        load<since, type,                                                                          \
             nvcuda::wmma::fragment<nvcuda::wmma::use, M, N, K, type, nvcuda::wmma::order>>(       \
            job.contents + run.a, job.output + run.d, stride);                                     \
        break;
#define WMMA_LOAD_C(row, since, type, stride, order, M, N, K)                                      \
    case row:                                                                                      \
        load<since, type, accumulator<M, N, K, type>>(job.contents + run.a, job.output + run.d,    \
                                                      stride, nvcuda::wmma::order);                \
        break;
#define WMMA_STORE_D(row, since, type, stride, order, M, N, K)                                     \
    case row:                                                                                      \
        store<since, type, accumulator<M, N, K, type>>(job.contents + run.a, job.output + run.d,   \
                                                       stride, nvcuda::wmma::order);               \
        break;

template <int M, int N, int K, typename T>
using accumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, T>;

/* A matrix without padding into registers; for C, in the memory order that is named. The registers
 * are the fragment's array x, of elements, or where they are smaller than a byte, of words. A
 * thread's are behind those of the threads before. */
template <unsigned SINCE, typename T, typename Fragment, typename... Order>
static __device__ void load(const uint32_t *matrix, uint32_t *registers, unsigned stride,
                            Order... order) {
    if constexpr (compiled_for >= SINCE) {
        Fragment fragment;
        nvcuda::wmma::load_matrix_sync(
            fragment, reinterpret_cast<const typename element<T>::storage *>(matrix), stride,
            order...);
        memcpy(registers + threadIdx.x * (sizeof fragment.x / 4), fragment.x, sizeof fragment.x);
    }
}

/* D: registers into a matrix. */
template <unsigned SINCE, typename T, typename Fragment>
static __device__ void store(const uint32_t *registers, uint32_t *matrix, unsigned stride,
                             nvcuda::wmma::layout_t order) {
    if constexpr (compiled_for >= SINCE) {
        Fragment fragment;
        memcpy(fragment.x, registers + threadIdx.x * (sizeof fragment.x / 4), sizeof fragment.x);
        nvcuda::wmma::store_matrix_sync(reinterpret_cast<T *>(matrix), fragment, stride, order);
    }
}

static __global__ void wmma(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    switch (run.row) {
#include "wmma_rows.inc"
    }
}

/* ---- Numbers made small; see struct narrow_task ---- */

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
static __device__ uint32_t number_at(enum mapping_type type, const uint8_t *source, uint32_t n,
                                     uint32_t none) {
    switch (type) {
    case MAPPING_F64:
        return small(reinterpret_cast<const double *>(source)[n], none);
    case MAPPING_F32:
    case MAPPING_TF32:
        return small(reinterpret_cast<const float *>(source)[n], none);
    case MAPPING_F16:
        return small(__half2float(reinterpret_cast<const half *>(source)[n]), none);
    case MAPPING_BF16:
        return small(__bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(source)[n]), none);
    case MAPPING_S32:
        return small(reinterpret_cast<const int32_t *>(source)[n], none);
    case MAPPING_B16:
        return small(int32_t(reinterpret_cast<const uint16_t *>(source)[n]), none);
    case MAPPING_S8:
        return small(int32_t(reinterpret_cast<const int8_t *>(source)[n]), none);
    case MAPPING_U8:
        return small(int32_t(source[n]), none);
    case MAPPING_S4: /* only 0 to 7 are ever used */
    case MAPPING_U4:
        return bits_at(source, n, 4);
    case MAPPING_B1:
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
            number_at(static_cast<mapping_type>(task.type), source + task.source, n, none);
        if (task.bytes == 1)
            target[task.target + n] = static_cast<uint8_t>(number);
        else
            reinterpret_cast<uint16_t *>(target + task.target)[n] = static_cast<uint16_t>(number);
    }
}

/* ---- What the host sees ---- */

const void *const wmma_kernel = reinterpret_cast<const void *>(wmma);
const void *const narrow_kernel = reinterpret_cast<const void *>(narrow);

const unsigned nvcc_ptx = known_ptx;

#define TEXT_OF(number) #number
#define VERSION(major, minor, build) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(build)
const char nvcc_version[] =
    VERSION(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);

const int nvcc_archs[] = {
#ifdef __CUDA_ARCH_LIST__
    __CUDA_ARCH_LIST__,
#endif
    0};
