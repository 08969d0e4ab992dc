/* example.cuh - functions for the examples: checks, random integers, mma, timing, and a product of
 * tiles, whose accumulators each example processes in three ways.
 *
 * The three ways of an example are called
 *     header     with the functions of a header of --format=cuda
 *     by_hand    with index code as the PTX ISA has it
 *     shared     on plain rows and columns of a tile in shared memory
 * Their results must equal those of the host, bit by bit. */
#pragma once
#include "fragments.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

inline void check(cudaError_t code) {
    if (code != cudaSuccess) {
        std::printf("not ok: %s\n", cudaGetErrorString(code));
        std::exit(5);
    }
}

/* True if nothing large is wanted: under compute-sanitizer. */
inline bool is_small() {
    return std::getenv("SMALL") != nullptr;
}

/* Says how an example went. Returns its exit status. */
inline int conclude(const char *example, bool ok) {
    std::printf("%s %s\n", ok ? "ok" : "not ok", example);
    return !ok;
}

/* An array in device memory, as long as this lives. */
template <typename T> struct device_array {
    T *data;
    size_t count;

    explicit device_array(size_t count_) : count(count_) {
        check(cudaMalloc(&data, count * sizeof(T)));
        check(cudaMemset(data, 0xff, count * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &host) : device_array(host.size()) {
        check(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() {
        cudaFree(data);
    }

    std::vector<T> on_host() const {
        std::vector<T> host(count);
        check(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    void forget() {
        check(cudaMemset(data, 0xff, count * sizeof(T)));
    }
};

/* Integers from -2 to 2: all sums of their products are exact in f32. */
inline std::vector<half> random_matrix(size_t rows, size_t cols, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<half> matrix(rows * cols);
    for (half &element : matrix)
        element = __float2half(float(random() % 5) - 2);
    return matrix;
}

/* D = A * B + D */
__device__ inline void mma(float (&d)[4], uint4 a, uint2 b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

/* ---- Operands in the order of the fragment, by the functions of the header ---- */

/* A as tiles of 16 x 16, row of tiles by row of tiles; a thread's 8 elements are one uint4. */
inline std::vector<uint4> ordered_a(const std::vector<half> &a, size_t rows, size_t depth) {
    std::vector<uint4> ordered(rows * depth * sizeof(half) / sizeof(uint4));
    uint4 *to = ordered.data();
    for (size_t row = 0; row < rows; row += 16)
        for (size_t k = 0; k < depth; k += 16, to += 32)
            mapping_mma_m16n8k16_a_f16_to_order(to, &a[row * depth + k], depth, sizeof(half));
    return ordered;
}

/* B as tiles of 16 x 8, column of tiles by column of tiles; a thread's 4 elements are one uint2. */
inline std::vector<uint2> ordered_b(const std::vector<half> &b, size_t depth, size_t cols) {
    std::vector<uint2> ordered(depth * cols * sizeof(half) / sizeof(uint2));
    uint2 *to = ordered.data();
    for (size_t col = 0; col < cols; col += 8)
        for (size_t k = 0; k < depth; k += 16, to += 32)
            mapping_mma_m16n8k16_b_f16_to_order(to, &b[k * cols + col], cols, sizeof(half));
    return ordered;
}

/* ---- A product whose accumulators are worked on ---- */

constexpr int DEPTH = 64, STEPS = DEPTH / 16; /* columns of A, and steps of mma */
constexpr int STRIP = 64, TILES = STRIP / 8;  /* columns of a warp, and tiles of them */
constexpr int WARPS = 4;                      /* of a block */
constexpr int ROUNDS = 32,
              CHUNK = 16 * ROUNDS; /* tiles of 16 rows of a warp, one after the other */

/* The accumulators of a warp: 16 x STRIP. */
using accumulators = float[TILES][4];

/* Stores accumulators to rows and columns, as the PTX ISA has them, for all three ways. */
template <int COUNT>
__device__ inline void store(float *matrix, unsigned cols, unsigned row, unsigned col,
                             const float (&d)[COUNT][4]) {
    unsigned lane = threadIdx.x % 32;
    float *at = matrix + (row + lane / 4) * cols + col + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < COUNT; n++) {
        *reinterpret_cast<float2 *>(at + n * 8) = make_float2(d[n][0], d[n][1]);
        *reinterpret_cast<float2 *>(at + 8 * cols + n * 8) = make_float2(d[n][2], d[n][3]);
    }
}

/* A tile in shared memory for each warp. Rows are 32 bytes apart in banks, so that the rows that a
 * store of accumulators touches do not collide. */
struct alignas(16) shared_tile {
    float row[16][STRIP + 8];

    __device__ void put(const accumulators &d) {
        store(&row[0][0], STRIP + 8, 0, 0, d);
        __syncwarp();
    }
    __device__ void get(accumulators &d) const {
        unsigned lane = threadIdx.x % 32;
        __syncwarp();
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                float2 pair = *reinterpret_cast<const float2 *>(
                    &row[lane / 4 + half * 8][n * 8 + lane % 4 * 2]);
                d[n][half * 2] = pair.x;
                d[n][half * 2 + 1] = pair.y;
            }
        __syncwarp();
    }
    /* Two neighbours of each row for each thread: a warp has a row at a time. */
    __device__ float2 *pair(int r) {
        return reinterpret_cast<float2 *>(&row[r][threadIdx.x % 32 * 2]);
    }
};

__device__ inline shared_tile &tile_of_warp() {
    __shared__ shared_tile tiles[WARPS];
    return tiles[threadIdx.x / 32];
}

static_assert(STRIP == 2 * 32, "a row of a tile is two neighbours for each thread");

struct product {
    const uint4 *a; /* rows x DEPTH, in order */
    const uint2 *b; /* DEPTH x cols, in order */
    unsigned rows, cols;
};

/* Each warp keeps DEPTH x STRIP of B in registers and goes through CHUNK rows of A. `work` gets the
 * accumulators of each 16 rows, and the row and column of the first of them. What it leaves there
 * is kept in the result (rows x cols), or else the greatest of all 16 rows of a chunk is, which
 * stays in registers as in a kernel that goes on with it (rows / ROUNDS x cols). */
template <bool KEEP, typename Work>
__global__ void __launch_bounds__(32 * WARPS) multiply(product p, Work work, float *result) {
    unsigned lane = threadIdx.x % 32, chunk = blockIdx.y;
    unsigned col = (blockIdx.x * WARPS + threadIdx.x / 32) * STRIP;
    uint2 b[TILES][STEPS];
#pragma unroll
    for (int n = 0; n < TILES; n++)
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            b[n][k] = p.b[((col / 8 + n) * STEPS + k) * 32 + lane];

    const uint4 *from = p.a + size_t(chunk) * ROUNDS * STEPS * 32 + lane;
    uint4 a[STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        a[k] = from[k * 32];

    accumulators best;
#pragma unroll
    for (int n = 0; n < TILES; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            best[n][i] = -INFINITY;

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        accumulators d = {};
#pragma unroll
        for (int k = 0; k < STEPS; k++)
#pragma unroll
            for (int n = 0; n < TILES; n++)
                mma(d[n], a[k], b[n][k]);

        if (round + 1 < ROUNDS)
            from += STEPS * 32;
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            a[k] = from[k * 32];

        unsigned row = chunk * CHUNK + round * 16;
        work(d, row, col);
        if constexpr (KEEP) {
            store(result, p.cols, row, col, d);
        } else {
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    best[n][i] = fmaxf(best[n][i], d[n][i]);
        }
    }
    if constexpr (!KEEP)
        store(result, p.cols, chunk * 16, col, best);
}

template <bool KEEP, typename Work> void launch(const product &p, const Work &work, float *result) {
    dim3 blocks(p.cols / (STRIP * WARPS), p.rows / CHUNK);
    multiply<KEEP><<<blocks, 32 * WARPS>>>(p, work, result);
}

/* ---- Checking and timing ---- */

inline bool same(const std::vector<float> &found, const std::vector<float> &expected,
                 const char *what) {
    if (found.size() == expected.size() &&
        std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0)
        return true;
    size_t n = 0;
    while (n < found.size() && std::memcmp(&found[n], &expected[n], sizeof(float)) == 0)
        n++;
    std::printf("not ok %s: number %zu is %g, not %g\n", what, n, double(found[n]),
                double(expected[n]));
    return false;
}

/* The least microseconds of one launch, of each of several, which take turns. */
template <typename... Launch> std::vector<double> time_in_turns(const Launch &...launches) {
    constexpr int TURNS = 60, WARM = 5, LAUNCHES = 5;
    std::vector<double> best(sizeof...(launches), 1e30);
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    auto time = [&](const auto &launch) {
        float milliseconds;
        check(cudaEventRecord(start));
        for (int n = 0; n < LAUNCHES; n++)
            launch();
        check(cudaEventRecord(stop));
        check(cudaEventSynchronize(stop));
        check(cudaGetLastError());
        check(cudaEventElapsedTime(&milliseconds, start, stop));
        return double(milliseconds) * 1000 / LAUNCHES;
    };
    for (int turn = 0; turn < WARM + TURNS; turn++) {
        double times[] = {time(launches)...};
        for (size_t n = 0; turn >= WARM && n < best.size(); n++)
            best[n] = std::min(best[n], times[n]);
    }
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(stop));
    return best;
}

/* The third way may have another name. */
inline void print_times(const char *example, const std::vector<double> &times,
                        const char *third = "shared") {
    const char *const names[] = {"header", "by_hand", third};
    for (size_t n = 0; n < times.size() && n < std::size(names); n++)
        std::printf("%s %s %.2f\n", example, names[n], times[n]);
}

/* A and B of a product, in memory and in order. */
struct operands {
    unsigned rows, cols;
    std::vector<half> a, b;
    device_array<uint4> a_ordered;
    device_array<uint2> b_ordered;

    operands(unsigned rows_, unsigned cols_)
        : rows(rows_), cols(cols_), a(random_matrix(rows, DEPTH, 1)),
          b(random_matrix(DEPTH, cols, 2)), a_ordered(ordered_a(a, rows, DEPTH)),
          b_ordered(ordered_b(b, DEPTH, cols)) {}
    product on_device() const {
        return {a_ordered.data, b_ordered.data, rows, cols};
    }
};

/* The host's product: `work` gets each row of it, with its number and its columns. */
template <typename Work> std::vector<float> multiply_on_host(const operands &o, const Work &work) {
    std::vector<float> a(o.a.size()), b(o.b.size()), d(size_t(o.rows) * o.cols, 0.0f);
    std::transform(o.a.begin(), o.a.end(), a.begin(), [](half x) { return __half2float(x); });
    std::transform(o.b.begin(), o.b.end(), b.begin(), [](half x) { return __half2float(x); });
    for (size_t r = 0; r < o.rows; r++) {
        for (size_t k = 0; k < DEPTH; k++)
            for (size_t c = 0; c < o.cols; c++)
                d[r * o.cols + c] += a[r * DEPTH + k] * b[k * o.cols + c];
        work(&d[r * o.cols], unsigned(r), o.cols);
    }
    return d;
}

/* Such work on one element after the other: `work` gets its value, its row and its column. */
template <typename Work> auto each_element(const Work &work) {
    return [work](float *values, unsigned row, unsigned cols) {
        for (unsigned col = 0; col < cols; col++)
            values[col] = work(values[col], row, col);
    };
}

/* The greatest of all 16 rows of each chunk. */
inline std::vector<float> greatest_on_host(const std::vector<float> &d, size_t rows, size_t cols) {
    std::vector<float> best(rows / ROUNDS * cols, -INFINITY);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            float &at = best[(r / CHUNK * 16 + r % 16) * cols + c];
            at = std::max(at, d[r * cols + c]);
        }
    return best;
}

/* Compares all results of one way with the host. */
template <typename Work>
bool right(const operands &o, const Work &work, const std::vector<float> &expected,
           const char *what) {
    device_array<float> kept(expected.size()), greatest(expected.size() / ROUNDS);
    launch<true>(o.on_device(), work, kept.data);
    launch<false>(o.on_device(), work, greatest.data);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    return same(kept.on_host(), expected, what) &&
           same(greatest.on_host(), greatest_on_host(expected, o.rows, o.cols), what);
}

/* A whole example: on a small product against the host, on a large one against each other, then
 * timed. With SMALL in the environment the first alone. Returns the exit status. */
constexpr unsigned SMALL_ROWS = 2 * CHUNK, SMALL_COLS = 3 * STRIP * WARPS;
constexpr unsigned LARGE_ROWS = 16384, LARGE_COLS = 16384;
static_assert(SMALL_ROWS <= LARGE_ROWS && SMALL_COLS <= LARGE_COLS,
              "what an example has for each row and column is as long as the large product");

template <typename Header, typename ByHand, typename Shared, typename OnHost>
int run_example(const char *example, const Header &header, const ByHand &by_hand,
                const Shared &shared, const OnHost &on_host) {
    operands small(SMALL_ROWS, SMALL_COLS);
    std::vector<float> expected = multiply_on_host(small, on_host);
    bool ok = right(small, header, expected, "header, small");
    ok &= right(small, by_hand, expected, "by_hand, small");
    ok &= right(small, shared, expected, "shared, small");
    if (is_small())
        return conclude(example, ok);

    operands large(LARGE_ROWS, LARGE_COLS);
    product p = large.on_device();
    device_array<float> result(size_t(LARGE_ROWS) / ROUNDS * LARGE_COLS);
    auto result_of = [&](const auto &work) {
        result.forget();
        launch<false>(p, work, result.data);
        check(cudaGetLastError());
        return result.on_host();
    };
    expected = result_of(by_hand);
    ok &= same(result_of(header), expected, "header, large");
    ok &= same(result_of(shared), expected, "shared, large");

    print_times(example, time_in_turns([&] { launch<false>(p, header, result.data); },
                                       [&] { launch<false>(p, by_hand, result.data); },
                                       [&] { launch<false>(p, shared, result.data); }));
    return conclude(example, ok);
}
