/* wmma.cuh - the fragments of mma.h: loaded from a matrix in memory, or stored to one. */
#ifndef WMMA_CUH
#define WMMA_CUH

#include "source/gpu/element.cuh"
#include "source/gpu/kernel.cuh"

#include <cstring>

/* Rows, for instance
 *
 *     WMMA_LOAD(0, 70, matrix_a, 16, 16, 16, f16, row_major)
 *     WMMA_LOAD_C(65, 70, 16, 16, 16, f32, mem_col_major)
 *     WMMA_STORE_D(97, 70, 16, 16, 16, f32, mem_col_major)
 *
 * are the cases 0, 65 and 97, from sm_70 on: A, and C and D in column-major memory. */
#define WMMA_LOAD(row, since, use, M, N, K, type, order)                                           \
    case row:                                                                                      \
        load_multiplicand<since, nvcuda::wmma::use, M, N, K, type, nvcuda::wmma::order>(           \
            job.contents + run.a, job.output + run.d);                                             \
        break;
#define WMMA_LOAD_C(row, since, M, N, K, type, order)                                              \
    case row:                                                                                      \
        load_accumulator<since, M, N, K, type>(nvcuda::wmma::order, job.contents + run.a,          \
                                               job.output + run.d);                                \
        break;
#define WMMA_STORE_D(row, since, M, N, K, type, order)                                             \
    case row:                                                                                      \
        store_accumulator<since, M, N, K, type>(nvcuda::wmma::order, job.contents + run.a,         \
                                                job.output + run.d);                               \
        break;

/* The registers of a fragment are its array x, of elements, or where they are smaller than a byte,
 * of words. A thread's are behind those of the threads before. */
template <typename Fragment> static __device__ void get(Fragment &fragment, const uint32_t *words) {
    memcpy(fragment.x, words + threadIdx.x * (sizeof fragment.x / 4), sizeof fragment.x);
}
template <typename Fragment> static __device__ void put(const Fragment &fragment, uint32_t *words) {
    memcpy(words + threadIdx.x * (sizeof fragment.x / 4), fragment.x, sizeof fragment.x);
}

/* A or B: a matrix without padding into registers. */
template <unsigned SINCE, typename Use, int M, int N, int K, typename T, typename Order>
static __device__ void load_multiplicand(const uint32_t *matrix, uint32_t *registers) {
    if constexpr (compiled_for >= SINCE) {
        constexpr bool is_a = std::is_same<Use, nvcuda::wmma::matrix_a>::value;
        constexpr bool by_row = std::is_same<Order, nvcuda::wmma::row_major>::value;
        constexpr unsigned rows = is_a ? M : K, cols = is_a ? K : N;
        nvcuda::wmma::fragment<Use, M, N, K, T, Order> fragment;
        nvcuda::wmma::load_matrix_sync(
            fragment, reinterpret_cast<const typename element<T>::storage *>(matrix),
            by_row ? cols : rows);
        put(fragment, registers);
    }
}

/* C: the same, in any memory order. */
template <unsigned SINCE, int M, int N, int K, typename T>
static __device__ void load_accumulator(nvcuda::wmma::layout_t order, const uint32_t *matrix,
                                        uint32_t *registers) {
    if constexpr (compiled_for >= SINCE) {
        nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, T> fragment;
        nvcuda::wmma::load_matrix_sync(fragment, reinterpret_cast<const T *>(matrix),
                                       order == nvcuda::wmma::mem_col_major ? M : N, order);
        put(fragment, registers);
    }
}

/* D: registers into a matrix. */
template <unsigned SINCE, int M, int N, int K, typename T>
static __device__ void store_accumulator(nvcuda::wmma::layout_t order, const uint32_t *registers,
                                         uint32_t *matrix) {
    if constexpr (compiled_for >= SINCE) {
        nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, T> fragment;
        get(fragment, registers);
        nvcuda::wmma::store_matrix_sync(reinterpret_cast<T *>(matrix), fragment,
                                        order == nvcuda::wmma::mem_col_major ? M : N, order);
    }
}

static __global__ void wmma(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    switch (run.row) {
#include "wmma_rows.inc"
    }
}

#endif
