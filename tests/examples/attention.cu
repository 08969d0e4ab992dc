/* attention.cu - the second product of attention, P x V. The accumulators of the first product,
 * Q x K^T, are converted to TYPE (f16, bf16 or e4m3), and become A of the second. The three ways:
 *     header     the conversion that --convert prints
 *     by_hand    f16, bf16: packing gives A without shuffles; e4m3: shuffles among four neighbours
 *     shared     a tile in shared memory, which ldmatrix reads
 *
 * All numbers are small integers. Q and K are from -1 to 1, and every other row of K^T is 0. So
 * scores are at most 16, which e4m3 can represent. V is from -2 to 2. All sums are exact, so the
 * results must equal those of the host, bit by bit.
 *
 * run.sh makes fragments.h and convert.h, compiles and runs it; alone:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' 'mma.m16n8k16.*.bf16' \
 *         'mma.m16n8k32.*.e4m3' mma.m16n8k16.d.f32 > FOLDER/fragments.h
 *     mapping --arch=sm_90 --format=cuda --convert=mma.m16n8k16.a.f16 mma.m16n8k16.d.f32 \
 *         > FOLDER/convert.h
 *     mapping --arch=sm_90 --format=cuda --convert=mma.m16n8k16.a.bf16 mma.m16n8k16.d.f32 \
 *         >> FOLDER/convert.h
 *     mapping --arch=sm_90 --format=cuda --convert=mma.m16n8k32.a.e4m3 mma.m16n8k32.d.f32 \
 *         >> FOLDER/convert.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -DTYPE=f16 -I FOLDER -o attention_f16 attention.cu &&
 *         ./attention_f16 */
#include "example.cuh"

#include "convert.h"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#define TEXT_OF(name) #name
#define NAME_OF(type) "attention_" TEXT_OF(type)

constexpr int HEAD = 32, HEAD_TILES = HEAD / 8; /* columns of Q, K and V, and tiles of them */

/* ---- What differs between types ----
 *
 * STEP columns of A are a step of mma, and four registers of a thread. The conversion takes them
 * out of STEP / 8 tiles of accumulators, one after the other, each thread's elements in order. */
struct f16 {
    using element = half;
    using pair = unsigned;
    static constexpr int STEP = 16;
    static constexpr auto order_a = mapping_mma_m16n8k16_a_f16_to_order;
    static constexpr auto order_b = mapping_mma_m16n8k16_b_f16_to_order;

    static __device__ void convert(const unsigned (&in)[4], unsigned (&out)[4]) {
        mapping_mma_m16n8k16_d_f32_to_mma_m16n8k16_a_f16(threadIdx.x % 32, in, out);
    }
    static __device__ pair pack(float low, float high) {
        half2 both = __floats2half2_rn(low, high);
        return *reinterpret_cast<pair *>(&both);
    }
    static __device__ void multiply(float (&d)[4], uint4 a, uint2 b) {
        mma(d, a, b);
    }
};

struct bf16 {
    using element = __nv_bfloat16;
    using pair = unsigned;
    static constexpr int STEP = 16;
    static constexpr auto order_a = mapping_mma_m16n8k16_a_bf16_to_order;
    static constexpr auto order_b = mapping_mma_m16n8k16_b_bf16_to_order;

    static __device__ void convert(const unsigned (&in)[4], unsigned (&out)[4]) {
        mapping_mma_m16n8k16_d_f32_to_mma_m16n8k16_a_bf16(threadIdx.x % 32, in, out);
    }
    static __device__ pair pack(float low, float high) {
        __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
        return *reinterpret_cast<pair *>(&both);
    }
    static __device__ void multiply(float (&d)[4], uint4 a, uint2 b) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
    }
};

struct e4m3 {
    using element = __nv_fp8_e4m3;
    using pair = unsigned short;
    static constexpr int STEP = 32;
    static constexpr auto order_a = mapping_mma_m16n8k32_a_e4m3_to_order;
    static constexpr auto order_b = mapping_mma_m16n8k32_b_e4m3_to_order;

    static __device__ void convert(const unsigned (&in)[4], unsigned (&out)[4]) {
        mapping_mma_m16n8k32_d_f32_to_mma_m16n8k32_a_e4m3(threadIdx.x % 32, in, out);
    }
    static __device__ pair pack(float low, float high) {
        return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, __NV_E4M3);
    }
    static __device__ void multiply(float (&d)[4], uint4 a, uint2 b) {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
    }
};

/* The packed accumulators of a step. */
template <typename Type>
__device__ inline void pack(unsigned (&packed)[4], const accumulators &d, int step) {
#pragma unroll
    for (int r = 0; r < 4; r++) {
        if constexpr (Type::STEP == 16) {
            packed[r] =
                Type::pack(d[2 * step + r / 2][r % 2 * 2], d[2 * step + r / 2][r % 2 * 2 + 1]);
        } else {
            const float(&tile)[4] = d[4 * step + r];
            packed[r] = Type::pack(tile[0], tile[1]) | unsigned(Type::pack(tile[2], tile[3])) << 16;
        }
    }
}

/* ---- The three ways: all accumulators become A of all steps ---- */

template <typename Type> using steps = uint4[STRIP / Type::STEP];

template <typename Type> struct header {
    __device__ void operator()(steps<Type> &a, const accumulators &d) const {
#pragma unroll
        for (int step = 0; step < STRIP / Type::STEP; step++) {
            unsigned packed[4], converted[4];
            pack<Type>(packed, d, step);
            Type::convert(packed, converted);
            a[step] = make_uint4(converted[0], converted[1], converted[2], converted[3]);
        }
    }
};

template <typename Type> struct by_hand {
    __device__ void operator()(steps<Type> &a, const accumulators &d) const {
#pragma unroll
        for (int step = 0; step < STRIP / Type::STEP; step++) {
            unsigned p[4];
            pack<Type>(p, d, step);
            if constexpr (Type::STEP == 16)
                a[step] = make_uint4(p[0], p[1], p[2], p[3]);
            else
                a[step] = exchanged(p);
        }
    }
    /* Thread t of four holds columns 2t and 2t + 1 of two rows of each tile. For A it needs four
     * columns of each row, from tiles t / 2 and t / 2 + 2: those that threads 2 (t % 2) and 2 (t %
     * 2) + 1 hold. These two threads take turns to send, so in each shuffle every thread sends to
     * one other. */
    static __device__ uint4 exchanged(const unsigned (&p)[4]) {
        unsigned t = threadIdx.x % 4, odd = t & 1, upper = t >> 1;
        unsigned from = 2 * odd + upper;
        unsigned low = upper ? 0x1054 : 0x5410, high = upper ? 0x3276 : 0x7632;
        unsigned first[2], second[2];
#pragma unroll
        for (int n = 0; n < 2; n++) {
            first[n] = __shfl_sync(~0u, odd ? p[2 * n + 1] : p[2 * n], int(from), 4);
            second[n] = __shfl_sync(~0u, odd ? p[2 * n] : p[2 * n + 1], int(from ^ 1), 4);
        }
        return make_uint4(
            __byte_perm(first[0], second[0], low), __byte_perm(first[0], second[0], high),
            __byte_perm(first[1], second[1], low), __byte_perm(first[1], second[1], high));
    }
};

/* Four 8 x 8 matrices of 16 bits: lane l names row l % 8 of matrix l / 8. */
__device__ inline uint4 ldmatrix(const unsigned char *row) {
    uint4 r;
    unsigned address = unsigned(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "r"(address)
                 : "memory");
    return r;
}

template <typename Type> struct shared {
    /* No two of 8 rows are in the same banks. */
    struct alignas(16) tile {
        unsigned char row[16][STRIP * sizeof(typename Type::element) + 16];
    };
    __device__ void operator()(steps<Type> &a, const accumulators &d) const {
        using pair = typename Type::pair;
        __shared__ tile tiles[WARPS];
        tile &t = tiles[threadIdx.x / 32];
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                *reinterpret_cast<pair *>(
                    &t.row[lane / 4 + half * 8][(n * 4 + lane % 4) * sizeof(pair)]) =
                    Type::pack(d[n][half * 2], d[n][half * 2 + 1]);
        __syncwarp();
#pragma unroll
        for (int step = 0; step < STRIP / Type::STEP; step++)
            a[step] = ldmatrix(&t.row[lane % 16][step * 32 + lane / 16 * 16]);
        __syncwarp();
    }
};

/* ---- Both products ---- */

/* All of them in order: Q in tiles of A, K^T and V in tiles of B. */
struct operands_of_attention {
    const uint4 *q;
    const uint2 *k, *v;
    unsigned rows, keys;
};

/* Each warp keeps STRIP keys and their values in registers and goes through CHUNK rows of Q. Of
 * each 16 rows it makes HEAD columns of the result, those of its keys. They are kept (rows x keys /
 * STRIP * HEAD), or else the greatest of all 16 rows of a chunk are, as in `multiply`. */
template <bool KEEP, typename Type, typename Way>
__global__ void __launch_bounds__(32 * WARPS)
    attend(operands_of_attention o, Way way, float *result) {
    constexpr int SCORE_STEPS = HEAD / Type::STEP, VALUE_STEPS = STRIP / Type::STEP;
    unsigned lane = threadIdx.x % 32, chunk = blockIdx.y;
    unsigned strip = blockIdx.x * WARPS + threadIdx.x / 32;
    unsigned cols = o.keys / STRIP * HEAD;
    uint2 k[TILES][SCORE_STEPS], v[HEAD_TILES][VALUE_STEPS];
#pragma unroll
    for (int n = 0; n < TILES; n++)
#pragma unroll
        for (int s = 0; s < SCORE_STEPS; s++)
            k[n][s] = o.k[((strip * TILES + n) * SCORE_STEPS + s) * 32 + lane];
#pragma unroll
    for (int n = 0; n < HEAD_TILES; n++)
#pragma unroll
        for (int s = 0; s < VALUE_STEPS; s++)
            v[n][s] = o.v[((n * (o.keys / STRIP) + strip) * VALUE_STEPS + s) * 32 + lane];

    const uint4 *from = o.q + size_t(chunk) * ROUNDS * SCORE_STEPS * 32 + lane;
    uint4 q[SCORE_STEPS];
#pragma unroll
    for (int s = 0; s < SCORE_STEPS; s++)
        q[s] = from[s * 32];

    float best[HEAD_TILES][4];
#pragma unroll
    for (int n = 0; n < HEAD_TILES; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            best[n][i] = -INFINITY;

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        accumulators scores = {};
#pragma unroll
        for (int s = 0; s < SCORE_STEPS; s++)
#pragma unroll
            for (int n = 0; n < TILES; n++)
                Type::multiply(scores[n], q[s], k[n][s]);

        if (round + 1 < ROUNDS)
            from += SCORE_STEPS * 32;
#pragma unroll
        for (int s = 0; s < SCORE_STEPS; s++)
            q[s] = from[s * 32];

        steps<Type> p;
        way(p, scores);
        float d[HEAD_TILES][4] = {};
#pragma unroll
        for (int s = 0; s < VALUE_STEPS; s++)
#pragma unroll
            for (int n = 0; n < HEAD_TILES; n++)
                Type::multiply(d[n], p[s], v[n][s]);

        if constexpr (KEEP) {
            store(result, cols, chunk * CHUNK + round * 16, strip * HEAD, d);
        } else {
#pragma unroll
            for (int n = 0; n < HEAD_TILES; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    best[n][i] = fmaxf(best[n][i], d[n][i]);
        }
    }
    if constexpr (!KEEP)
        store(result, cols, chunk * 16, strip * HEAD, best);
}

/* ---- Its operands, on the host ---- */

/* Integers from -limit to limit; every other row is 0 if `sparse`. */
static std::vector<float> random_integers(size_t rows, size_t cols, int limit, bool sparse,
                                          unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> matrix(rows * cols);
    for (size_t n = 0; n < matrix.size(); n++) {
        float value = float(random() % unsigned(2 * limit + 1)) - float(limit);
        matrix[n] = sparse && n / cols % 2 ? 0 : value;
    }
    return matrix;
}

template <typename Type>
static std::vector<typename Type::element> in_type(const std::vector<float> &matrix) {
    std::vector<typename Type::element> converted(matrix.size());
    std::transform(matrix.begin(), matrix.end(), converted.begin(),
                   [](float x) { return typename Type::element(x); });
    return converted;
}

template <typename Type>
static std::vector<uint4> tiles_of_a(const std::vector<float> &a, size_t rows, size_t depth) {
    std::vector<typename Type::element> elements = in_type<Type>(a);
    std::vector<uint4> ordered(rows * depth * sizeof elements[0] / sizeof(uint4));
    uint4 *to = ordered.data();
    for (size_t row = 0; row < rows; row += 16)
        for (size_t k = 0; k < depth; k += Type::STEP, to += 32)
            Type::order_a(to, &elements[row * depth + k], depth, sizeof elements[0]);
    return ordered;
}

template <typename Type>
static std::vector<uint2> tiles_of_b(const std::vector<float> &b, size_t depth, size_t cols) {
    std::vector<typename Type::element> elements = in_type<Type>(b);
    std::vector<uint2> ordered(depth * cols * sizeof elements[0] / sizeof(uint2));
    uint2 *to = ordered.data();
    for (size_t col = 0; col < cols; col += 8)
        for (size_t k = 0; k < depth; k += Type::STEP, to += 32)
            Type::order_b(to, &elements[k * cols + col], cols, sizeof elements[0]);
    return ordered;
}

/* Q, K and V, and all that a way needs. */
template <typename Type> struct problem {
    unsigned rows, keys;
    std::vector<float> q, k, v; /* rows x HEAD, HEAD x keys, keys x HEAD */
    device_array<uint4> q_tiles;
    device_array<uint2> k_tiles, v_tiles;
    device_array<float> kept, greatest; /* results of both forms */

    problem(unsigned rows_, unsigned keys_, bool keep)
        : rows(rows_), keys(keys_), q(random_integers(rows, HEAD, 1, false, 8)),
          k(random_integers(HEAD, keys, 1, true, 9)), v(random_integers(keys, HEAD, 2, false, 10)),
          q_tiles(tiles_of_a<Type>(q, rows, HEAD)), k_tiles(tiles_of_b<Type>(k, HEAD, keys)),
          v_tiles(tiles_of_b<Type>(v, keys, HEAD)), kept(keep ? size_t(rows) * cols() : 1),
          greatest(size_t(rows) / ROUNDS * cols()) {}
    unsigned cols() const {
        return keys / STRIP * HEAD;
    }
    template <bool KEEP, typename Way> void run(const Way &way, float *result) const {
        dim3 blocks(keys / (STRIP * WARPS), rows / CHUNK);
        operands_of_attention o = {q_tiles.data, k_tiles.data, v_tiles.data, rows, keys};
        attend<KEEP, Type><<<blocks, 32 * WARPS>>>(o, way, result);
    }
    template <bool KEEP, typename Way> std::vector<float> result_of(const Way &way) {
        device_array<float> &result = KEEP ? kept : greatest;
        result.forget();
        run<KEEP>(way, result.data);
        check(cudaGetLastError());
        return result.on_host();
    }
    template <typename Way>
    bool right(const Way &way, const std::vector<float> &expected, const char *what) {
        return same(result_of<true>(way), expected, what) &&
               same(result_of<false>(way), greatest_on_host(expected, rows, cols()), what);
    }
    std::vector<float> on_host() const {
        std::vector<float> result(size_t(rows) * cols(), 0.0f), scores(keys);
        for (size_t r = 0; r < rows; r++) {
            std::fill(scores.begin(), scores.end(), 0.0f);
            for (size_t h = 0; h < HEAD; h++)
                for (size_t c = 0; c < keys; c++)
                    scores[c] += q[r * HEAD + h] * k[h * keys + c];
            for (size_t c = 0; c < keys; c++)
                for (size_t h = 0; h < HEAD; h++)
                    result[r * cols() + c / STRIP * HEAD + h] += scores[c] * v[c * HEAD + h];
        }
        return result;
    }
};

int main() {
    const char *name = NAME_OF(TYPE);
    header<TYPE> with_header;
    by_hand<TYPE> written;
    shared<TYPE> through_shared;
    problem<TYPE> small(2 * CHUNK, 3 * STRIP * WARPS, true);
    std::vector<float> expected = small.on_host();
    bool ok = small.right(with_header, expected, "header, small");
    ok &= small.right(written, expected, "by_hand, small");
    ok &= small.right(through_shared, expected, "shared, small");
    if (is_small())
        return conclude(name, ok);

    problem<TYPE> large(16384, 16384, false);
    expected = large.result_of<false>(written);
    ok &= same(large.result_of<false>(with_header), expected, "header, large");
    ok &= same(large.result_of<false>(through_shared), expected, "shared, large");
    float *result = large.greatest.data;
    print_times(name, time_in_turns([&] { large.run<false>(with_header, result); },
                                    [&] { large.run<false>(written, result); },
                                    [&] { large.run<false>(through_shared, result); }));
    return conclude(name, ok);
}
