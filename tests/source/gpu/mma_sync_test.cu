/* mma_sync_test.cu - full products through mma.h; our formulae place and find every element.
 *
 * Random A, B and C are loaded with load_matrix_sync and multiplied with mma_sync. All four
 * fragments are read register by register, and each element is written to the row and column that
 * the formulae give for its thread and index. The result must be A, B and C unchanged, and A x B +
 * C as the host computes it: exactly for integers and if the type holds every sum, otherwise within
 * its rounding.
 *
 * FORMULAE names a file of lines LAYOUT(m, n, k, operand, layout, type, row, col), which
 * formulae.awk makes of the output of the program. Prints TAP. */
#include "source/gpu/element.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>

using namespace nvcuda;
using row = wmma::row_major;
using col = wmma::col_major;
using none = void;

/* The formulae of one fragment. */
template <int M, int N, int K, char OPERAND, typename Layout, typename T> struct formula;
#define LAYOUT(m, n, k, operand, layout, type, row_formula, col_formula)                           \
    template <> struct formula<m, n, k, operand, layout, type> {                                   \
        static __device__ int row_of([[maybe_unused]] int tid, [[maybe_unused]] int i) {           \
            return row_formula;                                                                    \
        }                                                                                          \
        static __device__ int col_of([[maybe_unused]] int tid, [[maybe_unused]] int i) {           \
            return col_formula;                                                                    \
        }                                                                                          \
    };
#include FORMULAE

/* Element i of a fragment as a number. */
template <typename T, typename Fragment>
__device__ double value_of(const Fragment &fragment, int i) {
    if constexpr (element<T>::bits >= 8) {
        if constexpr (std::is_same<T, f16>::value || std::is_same<T, bf16>::value)
            return float(fragment.x[i]);
        else
            return double(fragment.x[i]);
    } else {
        int value =
            int(unsigned(fragment.x[0]) >> (i * element<T>::bits) & ((1u << element<T>::bits) - 1));
        return std::is_same<T, s4>::value && value > 7 ? value - 16 : value;
    }
}

/* Writes a fragment's elements to the places that the formulae give. */
template <typename Formula, typename T, typename Fragment>
__device__ void scatter(const Fragment &fragment, int cols, double *matrix) {
    int tid = int(threadIdx.x);
    int elements = int(sizeof fragment.x) * 8 / element<T>::bits;
    for (int i = 0; i < elements; i++)
        matrix[Formula::row_of(tid, i) * cols + Formula::col_of(tid, i)] = value_of<T>(fragment, i);
}

/* A problem: matrices in memory, and as they were found in registers. */
struct problem {
    const void *a, *b, *c;
    double *found_a, *found_b, *found_c, *found_d;
};

template <int M, int N, int K, typename T, typename TC, typename TD, typename LA, typename LB>
__global__ void multiply(problem p) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> a{};
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> b{};
    wmma::fragment<wmma::accumulator, M, N, K, TC> c{};
    wmma::fragment<wmma::accumulator, M, N, K, TD> d{};
    using storage = typename element<T>::storage;
    wmma::load_matrix_sync(a, static_cast<const storage *>(p.a),
                           std::is_same<LA, row>::value ? K : M);
    wmma::load_matrix_sync(b, static_cast<const storage *>(p.b),
                           std::is_same<LB, row>::value ? N : K);
    wmma::load_matrix_sync(c, static_cast<const TC *>(p.c), N, wmma::mem_row_major);
    if constexpr (std::is_same<T, b1>::value)
        wmma::bmma_sync(d, a, b, c);
    else
        wmma::mma_sync(d, a, b, c);
    scatter<formula<M, N, K, 'a', LA, T>, T>(a, K, p.found_a);
    scatter<formula<M, N, K, 'b', LB, T>, T>(b, N, p.found_b);
    scatter<formula<M, N, K, 'c', none, TC>, TC>(c, N, p.found_c);
    scatter<formula<M, N, K, 'd', none, TD>, TD>(d, N, p.found_d);
}

/* ---- The host's side ---- */

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        std::printf("Bail out! %s\n", cudaGetErrorString(code));
        std::exit(5);
    }
}

/* A random number that the type holds: an integer, or a multiple of 1/64 from -1 to 1, never all
 * zeros. */
template <typename T> static double random_value() {
    static std::minstd_rand engine; /* the same numbers each time */
    int number = int(engine() >> 4);
    if (std::is_same<T, b1>::value)
        return number & 1;
    if (std::is_same<T, s4>::value)
        return (number & 15) - 8;
    if (std::is_same<T, u4>::value)
        return number & 15;
    if (std::is_same<T, s8>::value)
        return (number & 255) - 128;
    if (std::is_same<T, u8>::value)
        return number & 255;
    if (std::is_same<T, s32>::value)
        return number % 2001 - 1000;
    return (number % 129 - 64) / 64.0;
}

static size_t place_in(int r, int c, int rows, int cols, bool by_row) {
    return by_row ? size_t(r) * size_t(cols) + size_t(c) : size_t(c) * size_t(rows) + size_t(r);
}

/* A matrix of random numbers, in device memory with the representation of its type. */
template <typename T> struct matrix {
    double *values, *found;
    void *memory;
    int rows, cols;

    matrix(int rows_, int cols_, bool by_row) : rows(rows_), cols(cols_) {
        size_t count = size_t(rows) * size_t(cols), size = count * element<T>::bits / 8;
        values = new double[count];
        auto *bytes = static_cast<unsigned char *>(std::calloc(1, size));
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++) {
                double value = random_value<T>();
                size_t place = place_in(r, c, rows, cols, by_row);
                values[size_t(r) * size_t(cols) + size_t(c)] = value;
                if constexpr (element<T>::bits < 8) {
                    unsigned pattern = unsigned(int(value)) & ((1u << element<T>::bits) - 1);
                    bytes[place * element<T>::bits / 8] |=
                        (unsigned char)(pattern << (place * element<T>::bits % 8));
                } else {
                    auto stored = typename element<T>::storage(float(value));
                    std::memcpy(bytes + place * sizeof stored, &stored, sizeof stored);
                }
            }
        check(cudaMalloc(&memory, size));
        check(cudaMemcpy(memory, bytes, size, cudaMemcpyHostToDevice));
        check(cudaMalloc(&found, count * sizeof *found));
        check(cudaMemset(found, 0xff, count * sizeof *found)); /* not a number */
        std::free(bytes);
    }

    /* The largest deviation of what was found from `expected`; not a number where nothing was. */
    double deviation(const double *expected) const {
        size_t count = size_t(rows) * size_t(cols);
        auto *host = new double[count];
        check(cudaMemcpy(host, found, count * sizeof *host, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (size_t n = 0; n < count; n++) {
            double far = std::fabs(host[n] - expected[n]);
            if (!(far <= worst))
                worst = far;
        }
        delete[] host;
        return worst;
    }

    ~matrix() {
        cudaFree(memory);
        cudaFree(found);
        delete[] values;
    }
};

static int tests, failures;

template <int M, int N, int K, typename T, typename TC, typename TD, typename LA, typename LB>
static void test(const char *name) {
    matrix<T> a(M, K, std::is_same<LA, row>::value), b(K, N, std::is_same<LB, row>::value);
    matrix<TC> c(M, N, true);
    matrix<TD> d(M, N, true);
    double largest = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double sum = c.values[m * N + n];
            for (int k = 0; k < K; k++) {
                double x = a.values[m * K + k], y = b.values[k * N + n];
                sum += std::is_same<T, b1>::value ? double(x != y) : x * y;
            }
            d.values[m * N + n] = sum;
            largest = std::fmax(largest, std::fabs(sum));
        }
    multiply<M, N, K, T, TC, TD, LA, LB>
        <<<1, 32>>>(problem{a.memory, b.memory, c.memory, a.found, b.found, c.found, d.found});
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    /* Products are multiples of 2^-12 and sums are small: all types but f16 hold them exactly. f16
     * has 11 bits, and is rounded twice where C is f16 and D is added up in it. */
    double allowed = std::is_same<TD, f16>::value ? largest * 0x1p-9 : 0;
    bool same =
        a.deviation(a.values) == 0 && b.deviation(b.values) == 0 && c.deviation(c.values) == 0;
    double far = d.deviation(d.values);
    bool ok = same && far <= allowed;
    failures += !ok;
    std::printf("%sok %d - m%dn%dk%d.%s.%s.%s\n", ok ? "" : "not ", ++tests, M, N, K,
                std::is_same<LA, row>::value ? "row" : "col",
                std::is_same<LB, row>::value ? "row" : "col", name);
    if (!ok)
        std::printf("# A, B, C %s; D is off by %g of %g allowed\n",
                    same ? "are as they were" : "differ", far, allowed);
}

/* All layouts of A and B. */
template <int M, int N, int K, typename T, typename TC, typename TD>
static void test_layouts(const char *name) {
    test<M, N, K, T, TC, TD, row, row>(name);
    test<M, N, K, T, TC, TD, row, col>(name);
    test<M, N, K, T, TC, TD, col, row>(name);
    test<M, N, K, T, TC, TD, col, col>(name);
}

template <int M, int N> static void test_shape() {
    test_layouts<M, N, 16, f16, f32, f32>("f16, C f32, D f32");
    test_layouts<M, N, 16, f16, f16, f16>("f16, C f16, D f16");
    test_layouts<M, N, 16, f16, f32, f16>("f16, C f32, D f16");
    test_layouts<M, N, 16, f16, f16, f32>("f16, C f16, D f32");
    test_layouts<M, N, 16, bf16, f32, f32>("bf16");
    test_layouts<M, N, 16, s8, s32, s32>("s8");
    test_layouts<M, N, 16, u8, s32, s32>("u8");
}

int main() {
    test_shape<16, 16>();
    test_shape<32, 8>();
    test_shape<8, 32>();
    test_layouts<16, 16, 8, tf32, f32, f32>("tf32");
    test_layouts<8, 8, 4, f64, f64, f64>("f64");
    test<8, 8, 32, s4, s32, s32, row, col>("s4");
    test<8, 8, 32, u4, s32, s32, row, col>("u4");
    test<8, 8, 128, b1, s32, s32, row, col>("b1, exclusive or");
    std::printf("1..%d\n", tests);
    return failures > 0;
}
