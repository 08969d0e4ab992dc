/* probe.cu - the kernels of the gpu source, written with mma.h; see probe.h. */
#include "probe.h"

#include "element.cuh"

#include <type_traits>

using namespace nvcuda;

#ifdef __CUDA_ARCH__
constexpr unsigned compiled_for = __CUDA_ARCH__ / 10;
#else
constexpr unsigned compiled_for = 0;
#endif

/* Bit b / 2 of e, inverted if b is odd, for block b. */
__device__ unsigned sentinel(unsigned e) {
    return (e >> (blockIdx.x / 2) ^ blockIdx.x) & 1;
}

/* 0, 1, or that it is neither. */
template <typename T> __device__ unsigned char classify(T value) {
    return value == T(0.0f) ? 0 : value == T(1.0f) ? 1 : PROBE_NEITHER;
}

/* Fills the matrix in shared memory, all threads together. */
template <typename T> __device__ void fill(unsigned char *matrix, unsigned count) {
    using storage = typename element<T>::storage;
    constexpr unsigned bits = element<T>::bits, packed = bits < 8 ? 8 / bits : 1;
    for (unsigned place = threadIdx.x; place < count / packed; place += 32) {
        if (packed == 1) {
            reinterpret_cast<storage *>(matrix)[place] = storage(float(sentinel(place)));
        } else {
            unsigned byte = 0;
            for (unsigned e = 0; e < packed; e++)
                byte |= sentinel(place * packed + e) << (e * bits);
            matrix[place] = static_cast<unsigned char>(byte);
        }
    }
    __syncwarp();
}

/* What element i of the fragment is. */
template <typename T, typename Fragment>
__device__ unsigned char read(const Fragment &fragment, unsigned i) {
    constexpr unsigned bits = element<T>::bits;
    if constexpr (bits >= 8) {
        return classify(fragment.x[i]);
    } else {
        unsigned value = static_cast<unsigned>(fragment.x[0]) >> (i * bits) & ((1u << bits) - 1);
        return value < 2 ? static_cast<unsigned char>(value) : PROBE_NEITHER;
    }
}

/* Loads A or B. */
template <unsigned SINCE, typename Use, int M, int N, int K, typename T, typename Layout, int COUNT,
          int STRIDE, int ELEMENTS>
__global__ void load_multiplicand(unsigned char *output, int) {
    if constexpr (compiled_for >= SINCE) {
        __shared__ __align__(256) unsigned char matrix[COUNT * element<T>::bits / 8];
        wmma::fragment<Use, M, N, K, T, Layout> fragment;
        fill<T>(matrix, COUNT);
        wmma::load_matrix_sync(fragment, reinterpret_cast<typename element<T>::storage *>(matrix),
                               STRIDE);
        output += (blockIdx.x * 32 + threadIdx.x) * ELEMENTS;
        for (unsigned i = 0; i < ELEMENTS; i++)
            output[i] = read<T>(fragment, i);
    }
}

/* Loads C. */
template <unsigned SINCE, int M, int N, int K, typename T>
__global__ void load_accumulator(unsigned char *output, int by_column) {
    if constexpr (compiled_for >= SINCE) {
        __shared__ __align__(256) unsigned char matrix[M * N * sizeof(T)];
        wmma::fragment<wmma::accumulator, M, N, K, T> fragment;
        fill<T>(matrix, M * N);
        wmma::load_matrix_sync(fragment, reinterpret_cast<T *>(matrix), by_column ? M : N,
                               by_column ? wmma::mem_col_major : wmma::mem_row_major);
        output += (blockIdx.x * 32 + threadIdx.x) * fragment.num_elements;
        for (unsigned i = 0; i < fragment.num_elements; i++)
            output[i] = read<T>(fragment, i);
    }
}

/* Stores D, over memory that holds no 0 and no 1. */
template <unsigned SINCE, int M, int N, int K, typename T>
__global__ void store_accumulator(unsigned char *output, int by_column) {
    if constexpr (compiled_for >= SINCE) {
        __shared__ __align__(256) unsigned char matrix[M * N * sizeof(T)];
        for (unsigned byte = threadIdx.x; byte < sizeof matrix; byte += 32)
            matrix[byte] = 0xa5;
        __syncwarp();
        wmma::fragment<wmma::accumulator, M, N, K, T> fragment;
        for (unsigned i = 0; i < fragment.num_elements; i++)
            fragment.x[i] = T(float(sentinel(threadIdx.x * fragment.num_elements + i)));
        wmma::store_matrix_sync(reinterpret_cast<T *>(matrix), fragment, by_column ? M : N,
                                by_column ? wmma::mem_col_major : wmma::mem_row_major);
        __syncwarp();
        for (unsigned place = threadIdx.x; place < M * N; place += 32)
            output[blockIdx.x * M * N + place] = classify(reinterpret_cast<T *>(matrix)[place]);
    }
}

struct row {
    unsigned m, n, k;
    char operand;
    enum mapping_layout layout;
    enum mapping_type type;
    const void *kernel;
};

/* The kernels of A or B in one layout. A thread holds 8 registers of f16 in any shape; of the other
 * types the matrix is spread over the threads once. */
template <unsigned SINCE, typename Use, int M, int N, int K, typename T, typename Layout>
row multiplicand(enum mapping_type type) {
    constexpr bool is_a = std::is_same<Use, wmma::matrix_a>::value;
    constexpr bool by_row = std::is_same<Layout, wmma::row_major>::value;
    constexpr int rows = is_a ? M : K, cols = is_a ? K : N;
    constexpr int elements = std::is_same<T, half>::value ? 16 : rows * cols / 32;
    return {M,
            N,
            K,
            is_a ? 'a' : 'b',
            by_row ? MAPPING_ROW_MAJOR : MAPPING_COL_MAJOR,
            type,
            (const void *)load_multiplicand < SINCE,
            Use,
            M,
            N,
            K,
            T,
            Layout,
            rows * cols,
            by_row ? cols : rows,
            elements > };
}

/* Writes the kernels of A and B in both layouts, and returns where the next go. */
template <unsigned SINCE, int M, int N, int K, typename T>
row *add_multiplicands(row *rows, enum mapping_type type) {
    *rows++ = multiplicand<SINCE, wmma::matrix_a, M, N, K, T, wmma::row_major>(type);
    *rows++ = multiplicand<SINCE, wmma::matrix_a, M, N, K, T, wmma::col_major>(type);
    *rows++ = multiplicand<SINCE, wmma::matrix_b, M, N, K, T, wmma::row_major>(type);
    *rows++ = multiplicand<SINCE, wmma::matrix_b, M, N, K, T, wmma::col_major>(type);
    return rows;
}

/* The same for sub-byte types, which come in one layout only. */
template <int K, typename T> row *add_sub_byte(row *rows, enum mapping_type type) {
    *rows++ = multiplicand<75, wmma::matrix_a, 8, 8, K, T, wmma::row_major>(type);
    *rows++ = multiplicand<75, wmma::matrix_b, 8, 8, K, T, wmma::col_major>(type);
    return rows;
}

template <unsigned SINCE, int M, int N, int K, typename T>
row *add_accumulators(row *rows, enum mapping_type type) {
    *rows++ = {
        M, N, K, 'c', MAPPING_NO_LAYOUT, type, (const void *)load_accumulator<SINCE, M, N, K, T>};
    *rows++ = {
        M, N, K, 'd', MAPPING_NO_LAYOUT, type, (const void *)store_accumulator<SINCE, M, N, K, T>};
    return rows;
}

/* All that have the shapes 16x16x16, 32x8x16 and 8x32x16. */
template <int M, int N> row *add_shape(row *rows) {
    rows = add_multiplicands<70, M, N, 16, half>(rows, MAPPING_F16);
    rows = add_multiplicands<72, M, N, 16, signed char>(rows, MAPPING_S8);
    rows = add_multiplicands<72, M, N, 16, unsigned char>(rows, MAPPING_U8);
    rows = add_multiplicands<80, M, N, 16, __nv_bfloat16>(rows, MAPPING_BF16);
    rows = add_accumulators<70, M, N, 16, float>(rows, MAPPING_F32);
    rows = add_accumulators<70, M, N, 16, half>(rows, MAPPING_F16);
    return add_accumulators<72, M, N, 16, int>(rows, MAPPING_S32);
}

const void *probe_find(const struct mapping_fragment *fragment) {
    row rows[96], *end = rows;
    end = add_shape<16, 16>(end);
    end = add_shape<32, 8>(end);
    end = add_shape<8, 32>(end);
    end = add_multiplicands<80, 16, 16, 8, tf32>(end, MAPPING_TF32);
    end = add_accumulators<80, 16, 16, 8, float>(end, MAPPING_F32);
    end = add_multiplicands<80, 8, 8, 4, double>(end, MAPPING_F64);
    end = add_accumulators<80, 8, 8, 4, double>(end, MAPPING_F64);
    end = add_sub_byte<32, s4>(end, MAPPING_S4);
    end = add_sub_byte<32, u4>(end, MAPPING_U4);
    end = add_accumulators<75, 8, 8, 32, int>(end, MAPPING_S32);
    end = add_sub_byte<128, b1>(end, MAPPING_B1);
    end = add_accumulators<75, 8, 8, 128, int>(end, MAPPING_S32);
    for (const row *row = rows; row < end; row++)
        if (fragment->operand == row->operand && fragment->layout == row->layout &&
            fragment->type == row->type && fragment->shape.m == row->m &&
            fragment->shape.n == row->n && fragment->shape.k == row->k)
            return row->kernel;
    return nullptr;
}

extern "C" const int probe_archs[] = {
#ifdef __CUDA_ARCH_LIST__
    __CUDA_ARCH_LIST__,
#endif
    0};

#define TEXT_OF(number) #number
#define VERSION(major, minor, build) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(build)
extern "C" const char probe_compiler[] =
    VERSION(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
