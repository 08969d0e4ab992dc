/* staging.cu - a product whose operands go through shared memory, with the functions that --load
 * and --store print: cp.async writes the tiles; fragments are loaded, multiplied, and stored to a
 * tile.
 *
 * staging_test.py makes case.h, which has the printed functions, the kind of multiplication, and
 * two layouts of the tiles, `suggested` and `naive`; and measured.inc, the rows of `measurements`.
 * Then
 *     ./staging suggested naive      compares both products with those of the host
 *     ./staging once                 runs a kernel for each measurement, for ncu to count
 * In global memory, A is M x K and row-major, B is K x N and column-major. */
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "case.h"

constexpr unsigned LANES = 32, BANKS = 32;

/* ---- Shared memory ---- */

extern __shared__ __align__(1024) unsigned char memory[];

/* Every tile begins where any swizzle may. */
constexpr unsigned whole(unsigned bytes) {
    return (bytes + 1023) / 1024 * 1024;
}
template <typename Way> constexpr unsigned B_AT = whole(Way::A_BYTES);
template <typename Way> constexpr unsigned D_AT = B_AT<Way> + whole(Way::B_BYTES);
template <typename Way> constexpr unsigned ROOM = D_AT<Way> + whole(Way::D_BYTES);

static __device__ unsigned shared_address(unsigned offset) {
    return (unsigned)__cvta_generic_to_shared(memory) + offset;
}

static __device__ void cp_async(unsigned to, const uint4 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

static __device__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* wgmma reads B */
    __syncthreads();
}

/* ---- The product ---- */

template <typename Way>
__global__ void multiply_tiles(const uint4 *a, const uint4 *b, result *product) {
    const unsigned tid = threadIdx.x, warp = tid / LANES, lane = tid % LANES;
    const unsigned a_at = shared_address(0), b_at = shared_address(B_AT<Way>);
    for (unsigned step = warp; step < A_STEPS; step += THREADS / LANES)
        cp_async(a_at + Way::copy_a(step, lane), a + step * LANES + lane);
    for (unsigned step = warp; step < B_STEPS; step += THREADS / LANES)
        cp_async(b_at + Way::copy_b(step, lane), b + step * LANES + lane);
    wait_for_copies();
#pragma unroll 1
    for (unsigned m = 0; m < M / TILE_M; m++)
#pragma unroll 1
        for (unsigned n = 0; n < N / TILE_N; n++) {
            unsigned d[D_WORDS] = {};
#pragma unroll 1
            for (unsigned k = 0; k < K / TILE_K; k++) {
                unsigned of_a[A_WORDS], of_b[B_WORDS];
                Way::load_a(m * (K / TILE_K) + k, of_a, a_at, tid);
                Way::load_b(k * (N / TILE_N) + n, of_b, b_at, tid);
                multiply(d, of_a, of_b);
            }
            Way::store_d(m * (N / TILE_N) + n, d, shared_address(D_AT<Way>), tid);
        }
    __syncthreads();
    const result *tile = reinterpret_cast<const result *>(memory + D_AT<Way>);
    for (unsigned e = tid; e < M * N; e += THREADS)
        product[e] = tile[Way::offset_d(e / N, e % N)];
}

/* ---- Measurements ---- */

enum operation : unsigned char { SIDE_BY_SIDE, ONE_BANK, LOAD_A, LOAD_B, STORE_D, COPY_A, COPY_B };

struct measurement {
    void (*kernel)(unsigned origin, unsigned *sink);
    unsigned origin, threads;
};

static __device__ unsigned load_word(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

/* cp.async is described as a store of 16 bytes a lane, and counted as one. */
static __device__ void store_piece(unsigned address, unsigned value) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value) : "memory");
}

/* Executes one function once, and no other access to shared memory. Shared memory is not
 * initialised, because that would be counted, too, so loads return arbitrary data. */
template <typename Way, operation WHAT> __global__ void once(unsigned origin, unsigned *sink) {
    const unsigned tid = threadIdx.x, lane = tid % LANES, at = shared_address(0);
    unsigned sum = 0;
    if constexpr (WHAT == SIDE_BY_SIDE)
        sum = load_word(at + lane * 4);
    if constexpr (WHAT == ONE_BANK)
        sum = load_word(at + lane * BANKS * 4);
    if constexpr (WHAT == LOAD_A) {
        unsigned out[A_WORDS];
        Way::load_a(origin, out, at, tid);
        for (unsigned word : out)
            sum ^= word;
    }
    if constexpr (WHAT == LOAD_B) {
        unsigned out[B_WORDS];
        Way::load_b(origin, out, at, tid);
        for (unsigned word : out)
            sum ^= word;
    }
    if constexpr (WHAT == STORE_D) {
        unsigned in[D_WORDS];
        for (unsigned n = 0; n < D_WORDS; n++)
            in[n] = tid + n;
        Way::store_d(origin, in, at, tid);
    }
    if constexpr (WHAT == COPY_A)
        for (unsigned step = 0; step < A_STEPS; step++)
            store_piece(at + Way::copy_a(step, lane), tid);
    if constexpr (WHAT == COPY_B)
        for (unsigned step = 0; step < B_STEPS; step++)
            store_piece(at + Way::copy_b(step, lane), tid);
    sink[tid] = sum;
}

static const measurement measurements[] = {
#include "measured.inc"
};

/* ---- The host ---- */

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        std::printf("Bail out! %s\n", cudaGetErrorString(code));
        std::exit(5);
    }
}

/* Elements side by side, as bits, and the numbers that they are. */
struct matrix {
    std::vector<int> numbers;
    std::vector<unsigned char> bytes;

    matrix(size_t count, unsigned seed) : numbers(count), bytes(count * BITS / 8) {
        std::mt19937 random(seed);
        for (size_t e = 0; e < count; e++) {
            const code &chosen = codes[random() % (sizeof codes / sizeof *codes)];
            numbers[e] = chosen.number;
            if (BITS < 8)
                bytes[e * BITS / 8] |= (unsigned char)(chosen.bits << e * BITS % 8);
            else
                std::memcpy(&bytes[e * BITS / 8], &chosen.bits, BITS / 8);
        }
    }
    uint4 *on_device() const {
        uint4 *data;
        check(cudaMalloc(&data, bytes.size()));
        check(cudaMemcpy(data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        return data;
    }
};

/* Numbers are so small that all sums are exact in every type. */
static double expected(const matrix &a, const matrix &b, unsigned row, unsigned col) {
    int sum = 0;
    for (unsigned k = 0; k < K; k++)
        sum += a.numbers[row * K + k] * b.numbers[col * K + k];
    return sum;
}

inline double number_of(double x) {
    return x;
}
inline double number_of(__half x) {
    return __half2float(x);
}

template <typename Way> static int compare() {
    const matrix a(size_t(M) * K, 1), b(size_t(N) * K, 2);
    std::vector<result> found(M * N);
    result *product;
    check(cudaMalloc(&product, found.size() * sizeof(result)));
    check(cudaMemset(product, 0xff, found.size() * sizeof(result)));
    constexpr unsigned room = ROOM<Way>;
    check(cudaFuncSetAttribute(multiply_tiles<Way>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               room));
    multiply_tiles<Way><<<1, THREADS, room>>>(a.on_device(), b.on_device(), product);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(found.data(), product, found.size() * sizeof(result), cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned e = 0; e < M * N; e++) {
        const double number = number_of(found[e]), wanted = expected(a, b, e / N, e % N);
        if (number != wanted && wrong++ < 8)
            std::printf("row %u, column %u is %g, not %g\n", e / N, e % N, number, wanted);
    }
    std::printf("%u wrong of %u\n", wrong, M * N);
    return wrong > 0;
}

static int measure() {
    constexpr unsigned room = ROOM < suggested >> ROOM<naive> ? ROOM<suggested> : ROOM<naive>;
    unsigned *sink;
    check(cudaMalloc(&sink, THREADS * sizeof *sink));
    for (const measurement &m : measurements) {
        check(cudaFuncSetAttribute(m.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
        m.kernel<<<1, m.threads, room>>>(m.origin, sink);
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
    return 0;
}

int main(int argc, char **argv) {
    int status = argc < 2 ? 2 : 0;
    for (int n = 1; n < argc; n++)
        if (std::strcmp(argv[n], "suggested") == 0)
            status |= compare<suggested>();
        else if (std::strcmp(argv[n], "naive") == 0)
            status |= compare<naive>();
        else if (std::strcmp(argv[n], "once") == 0)
            status |= measure();
        else
            status = 2;
    return status;
}
