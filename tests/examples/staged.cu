/* staged.cu - a block multiplies tiles of 64 x 64 in shared memory, repeatedly. For each
 * multiplication, its four warps load fragments of A and B. The loads take most of the time.
 *     header     the layout that --suggest prints first, with the functions of --load and cp.async
 *     by_hand    ldmatrix and the usual swizzle: 16-byte piece p of row r is at piece p ^ r % 8
 *     naive      A row-major and B column-major, without swizzle, with functions of --load
 *
 * run.sh makes fragments.h and tiles.h, compiles and runs it. tiles.h is the output of the command
 * below. For A, LAYOUT is '(64,64):(64,1)' and 'Sw<3,3,3> o 0 o (64,64):(64,1)', and the origins
 * are 0,0 0,16 0,32 and 0,48. For B, the strides are (1,64), and the origins 0,0 16,0 32,0 and
 * 48,0.
 *     mapping --arch=sm_90 --format=cuda LAYOUT '--atom-layout=(4,1,1)' --permutation=64,64,16 \
 *         --load=mma.m16n8k16.a.f16 --origin=0,0 --load=... --store=cp.async
 * Then, alone:
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o staged staged.cu && ./staged
 *
 * Expected values: the host. */
#include "example.cuh"

#include "tiles.h"

constexpr unsigned SIDE = 64, K_STEPS = SIDE / 16, THREADS = 128;
constexpr unsigned PIECES = SIDE * SIDE * sizeof(half) / sizeof(uint4);
constexpr unsigned AGAIN = 128; /* a block's product is added so often: all sums are exact in f32 */

/* A is what 16 columns of 64 rows are for each warp's 16 rows: 4 registers. B is what 16 rows of 64
 * columns are: 2 registers for each of 8 mma. */
using fragment_a = unsigned[4];
using fragment_b = unsigned[16];

/* A way, with the functions of two layouts. */
#define MAPPING_WAY(NAME, OF_A, OF_B)                                                              \
    struct NAME {                                                                                  \
        static __device__ unsigned copy_a(unsigned step, unsigned lane) {                          \
            return mapping_cp_async_to_##OF_A(step, lane);                                         \
        }                                                                                          \
        static __device__ unsigned copy_b(unsigned step, unsigned lane) {                          \
            return mapping_cp_async_to_##OF_B(step, lane);                                         \
        }                                                                                          \
        template <unsigned K> static __device__ void load_a(fragment_a &a, unsigned at) {          \
            if constexpr (K == 0)                                                                  \
                mapping_load_mma_m16n8k16_a_f16_tile_4_1_1_by_64_64_16_from_##OF_A(a, at,          \
                                                                                   threadIdx.x);   \
            if constexpr (K == 1)                                                                  \
                mapping_load_mma_m16n8k16_a_f16_tile_4_1_1_by_64_64_16_from_##OF_A##_at_0_16(      \
                    a, at, threadIdx.x);                                                           \
            if constexpr (K == 2)                                                                  \
                mapping_load_mma_m16n8k16_a_f16_tile_4_1_1_by_64_64_16_from_##OF_A##_at_0_32(      \
                    a, at, threadIdx.x);                                                           \
            if constexpr (K == 3)                                                                  \
                mapping_load_mma_m16n8k16_a_f16_tile_4_1_1_by_64_64_16_from_##OF_A##_at_0_48(      \
                    a, at, threadIdx.x);                                                           \
        }                                                                                          \
        template <unsigned K> static __device__ void load_b(fragment_b &b, unsigned at) {          \
            if constexpr (K == 0)                                                                  \
                mapping_load_mma_m16n8k16_b_f16_tile_4_1_1_by_64_64_16_from_##OF_B(b, at,          \
                                                                                   threadIdx.x);   \
            if constexpr (K == 1)                                                                  \
                mapping_load_mma_m16n8k16_b_f16_tile_4_1_1_by_64_64_16_from_##OF_B##_at_16_0(      \
                    b, at, threadIdx.x);                                                           \
            if constexpr (K == 2)                                                                  \
                mapping_load_mma_m16n8k16_b_f16_tile_4_1_1_by_64_64_16_from_##OF_B##_at_32_0(      \
                    b, at, threadIdx.x);                                                           \
            if constexpr (K == 3)                                                                  \
                mapping_load_mma_m16n8k16_b_f16_tile_4_1_1_by_64_64_16_from_##OF_B##_at_48_0(      \
                    b, at, threadIdx.x);                                                           \
        }                                                                                          \
    }

MAPPING_WAY(header, sw_3_3_3_o_0_o_64_64_64_1, sw_3_3_3_o_0_o_64_64_1_64);
MAPPING_WAY(naive, 64_64_64_1, 64_64_1_64);

struct by_hand {
    /* Rows of A, or columns of B, are 128 bytes: 8 pieces. */
    static __device__ unsigned piece(unsigned row, unsigned number) {
        return row * 128 + ((number ^ (row % 8)) * 16);
    }
    static __device__ unsigned copy_a(unsigned step, unsigned lane) {
        return piece(step * 4 + lane / 8, lane % 8);
    }
    static __device__ unsigned copy_b(unsigned step, unsigned lane) {
        return copy_a(step, lane);
    }
    static __device__ void ldmatrix(unsigned *to, unsigned from) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
    }
    template <unsigned K> static __device__ void load_a(fragment_a &a, unsigned at) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        ldmatrix(a, at + piece(warp * 16 + lane % 16, K * 2 + lane / 16));
    }
    template <unsigned K> static __device__ void load_b(fragment_b &b, unsigned at) {
        unsigned lane = threadIdx.x % 32, col = lane % 8 + lane / 16 * 8;
#pragma unroll
        for (unsigned n = 0; n < 4; n++)
            ldmatrix(b + n * 4, at + piece(col, K * 2 + lane / 8 % 2) + n * 16 * 128);
    }
};

static_assert(PIECES % THREADS == 0, "each thread copies as many pieces");

static __device__ void cp_async(unsigned to, const uint4 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

template <typename Way, unsigned K>
__device__ void multiply_step(float (&d)[SIDE / 8][4], unsigned a_at, unsigned b_at) {
    fragment_a a;
    fragment_b b;
    Way::template load_a<K>(a, a_at);
    Way::template load_b<K>(b, b_at);
#pragma unroll
    for (unsigned n = 0; n < SIDE / 8; n++)
        mma(d[n], make_uint4(a[0], a[1], a[2], a[3]), make_uint2(b[n * 2], b[n * 2 + 1]));
}

/* Block n multiplies tile n of A, row by row, with B, column by column, AGAIN times. */
template <typename Way>
__global__ void __launch_bounds__(THREADS)
    multiply_staged(const uint4 *a, const uint4 *b, float *result) {
    alignas(1024) __shared__ uint4 tiles[2][PIECES];
    unsigned a_at = unsigned(__cvta_generic_to_shared(tiles[0]));
    unsigned b_at = unsigned(__cvta_generic_to_shared(tiles[1]));
    for (unsigned n = threadIdx.x; n < PIECES; n += THREADS) {
        cp_async(a_at + Way::copy_a(n / 32, n % 32), a + blockIdx.x * PIECES + n);
        cp_async(b_at + Way::copy_b(n / 32, n % 32), b + n);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    float d[SIDE / 8][4] = {};
#pragma unroll 1
    for (unsigned again = 0; again < AGAIN; again++) {
        static_assert(K_STEPS == 4, "as many steps as there are here");
        multiply_step<Way, 0>(d, a_at, b_at);
        multiply_step<Way, 1>(d, a_at, b_at);
        multiply_step<Way, 2>(d, a_at, b_at);
        multiply_step<Way, 3>(d, a_at, b_at);
    }
    store(result, SIDE, blockIdx.x * SIDE + threadIdx.x / 32 * 16, 0, d);
}

/* B has its columns one after the other. */
static std::vector<float> multiply_on_host(const std::vector<half> &a, const std::vector<half> &b) {
    std::vector<float> d(a.size()), of_b(b.size()), row(SIDE);
    std::transform(b.begin(), b.end(), of_b.begin(), [](half x) { return __half2float(x); });
    for (size_t r = 0; r < a.size() / SIDE; r++) {
        std::transform(&a[r * SIDE], &a[r * SIDE] + SIDE, row.begin(),
                       [](half x) { return __half2float(x); });
        for (size_t c = 0; c < SIDE; c++)
            for (size_t k = 0; k < SIDE; k++)
                d[r * SIDE + c] += AGAIN * row[k] * of_b[c * SIDE + k];
    }
    return d;
}

int main() {
    const unsigned blocks = is_small() ? 3 : 1056; /* 8 for each multiprocessor of an H200 */
    const std::vector<half> a = random_matrix(blocks * SIDE, SIDE, 1);
    const std::vector<half> b = random_matrix(SIDE, SIDE, 2);
    const std::vector<float> expected = multiply_on_host(a, b);
    device_array<half> of_a(a), of_b(b);
    device_array<float> result(expected.size());
    auto launch_way = [&](auto way) {
        multiply_staged<decltype(way)>
            <<<blocks, THREADS>>>(reinterpret_cast<const uint4 *>(of_a.data),
                                  reinterpret_cast<const uint4 *>(of_b.data), result.data);
    };
    auto is_right = [&](auto way, const char *what) {
        result.forget();
        launch_way(way);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        return same(result.on_host(), expected, what);
    };
    bool ok = is_right(header(), "header");
    ok &= is_right(by_hand(), "by_hand");
    ok &= is_right(naive(), "naive");
    if (!is_small())
        print_times("staged",
                    time_in_turns([&] { launch_way(header()); }, [&] { launch_way(by_hand()); },
                                  [&] { launch_way(naive()); }),
                    "naive");
    return conclude("staged", ok);
}
