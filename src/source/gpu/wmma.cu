/* wmma.cu - the kernel of wmma, which loads fragments from a matrix in memory or stores them to
 * one; and the versions and architectures that nvcc states at compile time. */
#include "source/gpu/element.cuh"
#include "source/gpu/kernel.cuh"
#include "source/gpu/kernels.h"

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

/* Loads a matrix without padding into registers; for C, in the given memory order. The registers
 * are the fragment's array x, which has elements, or words if elements are smaller than a byte. The
 * registers of a thread follow those of the previous thread. */
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

/* Stores the registers of D to a matrix. */
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

/* ---- Host code ---- */

const void *const wmma_kernel = reinterpret_cast<const void *>(wmma);

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
