/* shared_kernels.cu - a kernel with TMA to shared memory, and one with wgmma from there; see
 * shared_kernels.h. Both are compiled only for sm_90a. */
#include "shared_kernels.h"

#include "source/gpu/kernel.cuh"

/* A CUtensorMap of cuda.h, which describes the copy to TMA: opaque, with the required alignment. */
struct alignas(64) tensor_map {
    uint64_t words[16];
};

static __device__ uint32_t address_of(const void *shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

/* ---- TMA ---- */

/* Starts the copy of the tile at (0, 0); the barrier counts its bytes. */
static __device__ void start_copy(const tensor_map *map, uint32_t tile, uint32_t barrier,
                                  uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
                 "::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(tile),
                 "l"(map), "r"(0), "r"(barrier)
                 : "memory");
}

/* Waits until the first phase of the barrier is over, but no longer than some 2^31 cycles, a
 * second: false then. */
static __device__ uint32_t wait_for(uint32_t barrier) {
    uint32_t is_over = 0;
    const long long start = clock64();
    while (!is_over && clock64() - start < 1LL << 31)
        asm volatile("{ .reg .pred p; "
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(is_over)
                     : "r"(barrier)
                     : "memory");
    return is_over;
}

static __global__ void tma(const __grid_constant__ tensor_map map, uint32_t *stored,
                           uint32_t bytes) {
    __shared__ __align__(PATTERN_BYTES) uint32_t memory[TMA_BYTES / 4];
    __shared__ __align__(8) uint64_t barrier;
    for (uint32_t n = threadIdx.x; n < TMA_BYTES / 4; n += WARPGROUP)
        memory[n] = POISON * 0x01010101U;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&barrier))
                     : "memory");
    asm volatile("fence.proxy.async;" ::: "memory"); /* TMA comes after all that */
    __syncthreads();
    if (threadIdx.x == 0)
        start_copy(&map, address_of(memory) + TMA_TILE, address_of(&barrier), bytes);
    const uint32_t has_arrived = wait_for(address_of(&barrier));
    for (uint32_t n = threadIdx.x; n < TMA_BYTES / 4; n += WARPGROUP)
        stored[n] = memory[n];
    if (threadIdx.x == 0)
        stored[TMA_BYTES / 4] = has_arrived;
}

/* ---- wgmma ---- */

/* Copies words to shared memory, all threads together. */
static __device__ void copy(uint32_t *shared, const uint32_t *from, uint32_t words) {
    for (uint32_t n = threadIdx.x; n < words; n += WARPGROUP)
        shared[n] = from[n];
}

/* The field of a descriptor for a start address (PTX ISA 9.0, "Matrix Descriptor Format"). */
static __device__ uint64_t start_field(uint32_t address) {
    return (address & 0x3ffff) >> 4;
}

/* D = A x B. The operands after the descriptors (PTX ISA 9.0, "wgmma.mma_async", syntax) are 0, so
 * that C is not added, and `rest`: for floating point, the signs of A and B; for f16, also whether
 * A and B are MN-major. */
#define PRODUCT(opcode, rest)                                                                      \
    asm volatile("wgmma.fence.sync.aligned; " opcode " {%0, %1, %2, %3}, %4, %5, 0" rest "; "      \
                 "wgmma.commit_group.sync.aligned; "                                               \
                 "wgmma.wait_group.sync.aligned 0;"                                                \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                  \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")

template <enum reading READING>
static __device__ void multiply(uint32_t (&d)[4], uint64_t a, uint64_t b) {
    if constexpr (READING == READING_8)
        PRODUCT("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8", "");
    else if constexpr (READING == READING_16)
        PRODUCT("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", ", 1, 1, 0, 0");
    else if constexpr (READING == READING_16_MN)
        PRODUCT("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", ", 1, 1, 1, 0");
    else
        PRODUCT("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", ", 1, 1");
}

template <enum reading READING>
static __global__ void read_described(const __grid_constant__ reading_job job) {
    __shared__ __align__(PATTERN_BYTES) uint32_t memory[READING_BYTES / 4];
    __shared__ __align__(CORE_BYTES) uint32_t b[READING_WORDS_B];
    const size_t x = blockIdx.x, y = blockIdx.y;
    copy(memory, job.contents + x * (READING_BYTES / 4), READING_BYTES / 4);
    copy(b, job.b + y * READING_WORDS_B, READING_WORDS_B);
    asm volatile("fence.proxy.async;" ::: "memory"); /* wgmma must see the copied bytes */
    __syncthreads();
    /* B as in wgmma.cu: K-major, no swizzle; a core matrix further along K is CORE_BYTES away. */
    const uint64_t from_a = job.descriptor | start_field(address_of(memory) + job.start),
                   from_b = start_field(address_of(b)) | CORE_BYTES >> 4 << 16 |
                            static_cast<uint64_t>(CORE_LINES * LINE_BYTES >> 4) << 32;
    uint32_t d[4];
    multiply<READING>(d, from_a, from_b);
    /* The place of D (PTX ISA 9.0, "wgmma.mma_async", accumulator D). */
    constexpr uint32_t each = READING_WORDS_D;
    uint32_t *stored = job.d + (y * gridDim.x + x) * each;
    const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = 16 * warp + lane / 4 + 8 * (i / 2), col = 2 * (lane % 4) + i % 2;
        stored[row * READING_WIDTH + col] = d[i];
    }
}

/* ---- Entry points for the host ---- */

const void *const tma_kernel = reinterpret_cast<const void *>(tma);
const void *const reading_kernels[READINGS] = {
    reinterpret_cast<const void *>(read_described<READING_8>),
    reinterpret_cast<const void *>(read_described<READING_16>),
    reinterpret_cast<const void *>(read_described<READING_16_MN>),
    reinterpret_cast<const void *>(read_described<READING_32>),
};
