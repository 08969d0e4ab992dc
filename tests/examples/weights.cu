/* weights.cu - a layer with few rows of activations reads each weight once, so load weights
 * takes all its time. They are B of mma.m16n8k16, and are loaded into registers in three ways:
 *     header     the header's mapping_..._to_order has put the weights into the order of the
 *                fragment, on the host: one 64-bit load gets a thread's four elements
 *     by_hand    element by element from the row-major matrix, by the rules of the PTX ISA
 *     shared     in 16-byte pieces from the row-major matrix to shared memory, then by ldmatrix
 *
 * run.sh compiles and runs it; alone:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
 *         > FOLDER/fragments.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o weights weights.cu && ./weights */
#include "example.cuh"

constexpr unsigned BATCH = 16;                /* rows of activations */
constexpr unsigned INPUTS = 4096, SLICES = 8; /* rows of weights, and how many warps share them */
constexpr unsigned SLICE = INPUTS / SLICES, ALL_STEPS = INPUTS / 16, SLICE_STEPS = SLICE / 16;
constexpr int COLS = 32, PARTS = COLS / 8; /* columns of a warp, and tiles of them */

using weights = uint2[PARTS];

/* Each way loads a step's weights, 16 rows of COLS columns, into registers ahead of time, and later
 * makes fragments of them. */
struct header {
    const uint2 *__restrict__ ordered;
    unsigned cols;
    struct loaded {
        uint2 part[PARTS];
    };
    __device__ loaded load(unsigned step, unsigned col) const {
        loaded l;
#pragma unroll
        for (int n = 0; n < PARTS; n++)
            l.part[n] = __ldg(&ordered[((col / 8 + n) * ALL_STEPS + step) * 32 + threadIdx.x % 32]);
        return l;
    }
    static __device__ void fragments(weights &b, const loaded &l) {
#pragma unroll
        for (int n = 0; n < PARTS; n++)
            b[n] = l.part[n];
    }
};

struct by_hand {
    const unsigned short *__restrict__ matrix;
    unsigned cols;
    struct loaded {
        unsigned short element[PARTS][4];
    };
    __device__ loaded load(unsigned step, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
        loaded l;
#pragma unroll
        for (int n = 0; n < PARTS; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                unsigned row = step * 16 + (lane & 3) * 2 + (i & 1) + 8 * (i >> 1);
                l.element[n][i] = __ldg(&matrix[row * cols + col + n * 8 + (lane >> 2)]);
            }
        return l;
    }
    static __device__ void fragments(weights &b, const loaded &l) {
#pragma unroll
        for (int n = 0; n < PARTS; n++) {
            b[n].x = l.element[n][0] | unsigned(l.element[n][1]) << 16;
            b[n].y = l.element[n][2] | unsigned(l.element[n][3]) << 16;
        }
    }
};

/* Four 8 x 8 matrices, transposed: lane l names row l % 8 of matrix l / 8. */
__device__ inline uint4 ldmatrix_transposed(const unsigned short *row) {
    uint4 r;
    unsigned address = unsigned(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "r"(address)
                 : "memory");
    return r;
}

struct shared {
    const unsigned short *__restrict__ matrix;
    unsigned cols;
    struct loaded {
        uint4 piece[2];
    };
    /* Rows are 80 bytes apart: no two of 8 are in the same banks. */
    struct alignas(16) tile {
        unsigned short row[16][COLS + 8];
    };
    /* A thread has 8 elements of a row, and of the one 8 rows below. */
    __device__ loaded load(unsigned step, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
        const unsigned short *from = matrix + (step * 16 + lane / 4) * cols + col + lane % 4 * 8;
        return {{__ldg(reinterpret_cast<const uint4 *>(from)),
                 __ldg(reinterpret_cast<const uint4 *>(from + 8 * cols))}};
    }
    static __device__ void fragments(weights &b, const loaded &l) {
        __shared__ tile tiles[WARPS];
        tile &t = tiles[threadIdx.x / 32];
        unsigned lane = threadIdx.x % 32;
        __syncwarp();
        *reinterpret_cast<uint4 *>(&t.row[lane / 4][lane % 4 * 8]) = l.piece[0];
        *reinterpret_cast<uint4 *>(&t.row[lane / 4 + 8][lane % 4 * 8]) = l.piece[1];
        __syncwarp();
#pragma unroll
        for (int n = 0; n < PARTS; n += 2) {
            uint4 two = ldmatrix_transposed(&t.row[lane % 16][(n + lane / 16) * 8]);
            b[n] = make_uint2(two.x, two.y);
            b[n + 1] = make_uint2(two.z, two.w);
        }
    }
};

/* A warp multiplies a slice of all activations with a slice of COLS columns of weights. Its result
 * is a part of the sum: SLICES x BATCH x cols. */
template <typename Way>
__global__ void __launch_bounds__(32 * WARPS)
    layer(const uint4 *activations, Way way, float *result) {
    unsigned lane = threadIdx.x % 32, slice = blockIdx.y, step = slice * SLICE_STEPS;
    unsigned col = (blockIdx.x * WARPS + threadIdx.x / 32) * COLS;
    float d[PARTS][4] = {};
    uint4 next_a = activations[step * 32 + lane];
    typename Way::loaded next = way.load(step, col);
#pragma unroll 2
    for (unsigned n = 0; n < SLICE_STEPS; n++) {
        uint4 a = next_a;
        typename Way::loaded now = next;
        if (n + 1 < SLICE_STEPS) {
            step++;
            next_a = activations[step * 32 + lane];
            next = way.load(step, col);
        }
        weights b;
        way.fragments(b, now);
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            mma(d[part], a, b[part]);
    }
    float *at = result + (slice * BATCH + lane / 4) * way.cols + col + lane % 4 * 2;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        *reinterpret_cast<float2 *>(at + part * 8) = make_float2(d[part][0], d[part][1]);
        *reinterpret_cast<float2 *>(at + 8 * way.cols + part * 8) =
            make_float2(d[part][2], d[part][3]);
    }
}

template <typename Way> void launch(const uint4 *activations, const Way &way, float *result) {
    layer<<<dim3(way.cols / (COLS * WARPS), SLICES), 32 * WARPS>>>(activations, way, result);
}

/* The parts of the sum, by the host. */
static std::vector<float> parts_on_host(const std::vector<half> &a, const std::vector<half> &b,
                                        unsigned cols) {
    std::vector<float> d(size_t(SLICES) * BATCH * cols, 0.0f), row(cols);
    for (size_t k = 0; k < INPUTS; k++) {
        for (size_t c = 0; c < cols; c++)
            row[c] = __half2float(b[k * cols + c]);
        for (size_t r = 0; r < BATCH; r++) {
            float value = __half2float(a[r * INPUTS + k]);
            float *to = &d[(k / SLICE * BATCH + r) * cols];
            for (size_t c = 0; c < cols; c++)
                to[c] += value * row[c];
        }
    }
    return d;
}

/* The weights of a layer, in memory and in order, and all that a way needs. */
struct problem {
    unsigned cols;
    std::vector<half> a, b;
    device_array<uint4> a_ordered;
    device_array<uint2> b_ordered;
    device_array<half> b_matrix;
    device_array<float> result;

    explicit problem(unsigned cols_)
        : cols(cols_), a(random_matrix(BATCH, INPUTS, 6)), b(random_matrix(INPUTS, cols, 7)),
          a_ordered(ordered_a(a, BATCH, INPUTS)), b_ordered(ordered_b(b, INPUTS, cols)),
          b_matrix(b), result(size_t(SLICES) * BATCH * cols) {}
    const unsigned short *matrix() const {
        return reinterpret_cast<const unsigned short *>(b_matrix.data);
    }
    header by_header() const {
        return {b_ordered.data, cols};
    }
    by_hand gathered() const {
        return {matrix(), cols};
    }
    shared through_shared() const {
        return {matrix(), cols};
    }
    template <typename Way> void run(const Way &way) const {
        launch(a_ordered.data, way, result.data);
    }
    template <typename Way> std::vector<float> result_of(const Way &way) {
        result.forget();
        run(way);
        check(cudaGetLastError());
        return result.on_host();
    }
    bool all_are(const std::vector<float> &expected, const char *size) {
        std::printf("# %s: %u x %u weights\n", size, INPUTS, cols);
        bool ok = same(result_of(by_header()), expected, "header");
        ok &= same(result_of(gathered()), expected, "by_hand");
        ok &= same(result_of(through_shared()), expected, "shared");
        return ok;
    }
};

int main() {
    problem small(3 * COLS * WARPS);
    bool ok = small.all_are(parts_on_host(small.a, small.b, small.cols), "against the host");
    if (is_small())
        return conclude("weights", ok);
    problem large(16384); /* 128 MiB, more than a cache */
    ok &= large.all_are(large.result_of(large.gathered()), "against each other");
    print_times("weights", time_in_turns([&] { large.run(large.by_header()); },
                                         [&] { large.run(large.gathered()); },
                                         [&] { large.run(large.through_shared()); }));
    return conclude("weights", ok);
}
