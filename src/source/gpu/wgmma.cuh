/* wgmma.cuh - wgmma and wgmma.sp: B in shared memory, A in shared memory or registers. */
#ifndef WGMMA_CUH
#define WGMMA_CUH

#include "source/gpu/kernel.cuh"
#include "source/gpu/registers.cuh"

/* A row, for instance
 *
 *     WGMMA(64, 4563, 80, 32, 32, SHARED, DENSE, HALF, CLEAR,
 *           "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16")
 *
 * is case 4563 of the kernel for N = 64, from PTX 8.0 on: D takes 32 registers, of which 32 are
 * stored, A is in SHARED memory and not in REGISTERS, there is no metadata but A is DENSE (for a
 * sparse A there stands the sparsity selector, 0 to 3), the types are those that can be transposed
 * (HALF; else FLOAT or INTEGER), and D is CLEARed, so that it becomes A x B (else C is ADDed).
 *
 * %0 is where D goes, %1 where C and %2 where A's registers are, %3 and %4 are the descriptors of A
 * and B, %5 is the metadata. Behind B come (PTX ISA 9.0, "wgmma.mma_async", syntax) metadata and
 * selector; whether C is added; for floating point the signs of A and B; and where they can be
 * transposed, whether B, and A in shared memory, are. */
// clang-format off
#define WGMMA(width, row, ptx, D, stored, from, metadata, kind, start, opcode)                     \
    case row:                                                                                      \
        if constexpr (WIDTH == width && has(90, ptx))                                              \
            asm volatile(                                                                          \
                "{ "                                                                               \
                REGISTERS(D, 32, "d") START_##start(D)                                             \
                LOAD_A_##from                                                                      \
                "wgmma.fence.sync.aligned; "                                                       \
                opcode " " LIST(D, "d") ", " A_##from ", %4" METADATA_##metadata                   \
                ADDS_##start SIGNS_##kind TRANSPOSED_##kind##_##from "; "                          \
                "wgmma.commit_group.sync.aligned; "                                                \
                "wgmma.wait_group.sync.aligned 0; "                                                \
                STORE(stored, 32, "d", "%0")                                                       \
                "}" ::                                                                             \
                "l"(job.output + run.d + threadIdx.x * stored),                                    \
                "l"(job.contents + run.c + threadIdx.x * D),                                       \
                "l"(job.contents + run.a + threadIdx.x * WGMMA_REGISTERS_A),                       \
                "l"(shared_a), "l"(shared_b), "r"(e) : "memory");                                  \
        break;
// clang-format on

#define LOAD_A_SHARED ""
#define LOAD_A_REGISTERS REGISTERS(4, 32, "a") LOAD(4, 32, "a", "%2")
#define A_SHARED "%3"
#define A_REGISTERS LIST(4, "a")

#define METADATA_DENSE ""
#define METADATA_0 ", %5, 0"
#define METADATA_1 ", %5, 1"
#define METADATA_2 ", %5, 2"
#define METADATA_3 ", %5, 3"

#define START_CLEAR(D) ""
#define START_ADD(D) LOAD(D, 32, "d", "%1")
#define ADDS_CLEAR ", 0"
#define ADDS_ADD ", 1"

#define SIGNS_HALF ", 1, 1"
#define SIGNS_FLOAT ", 1, 1"
#define SIGNS_INTEGER ""
#define TRANSPOSED_HALF_SHARED ", 0, 0"
#define TRANSPOSED_HALF_REGISTERS ", 0"
#define TRANSPOSED_FLOAT_SHARED ""
#define TRANSPOSED_FLOAT_REGISTERS ""
#define TRANSPOSED_INTEGER_SHARED ""
#define TRANSPOSED_INTEGER_REGISTERS ""

/* Copies a matrix to shared memory, all threads together. */
static __device__ void copy(uint32_t *shared, const uint32_t *contents, uint32_t words) {
    for (uint32_t n = threadIdx.x; n < words; n += WARPGROUP)
        shared[n] = contents[n];
}

/* The descriptor of a matrix in shared memory whose lines are that long (PTX ISA 9.0, section
 * 9.7.15.5.1.2): the address, how far it is to the next core matrix along K, and to the next along
 * M or N, all in units of 16 bytes. */
static __device__ uint64_t describe(const uint32_t *shared, uint32_t line_bytes) {
    const uint64_t address = __cvta_generic_to_shared(shared), along_k = CORE_BYTES,
                   along_lines = CORE_LINES * line_bytes;
    return (address & 0x3ffff) >> 4 | along_k >> 4 << 16 | along_lines >> 4 << 32;
}

/* All rows of one width. wgmma is of sm_90a alone. */
template <uint32_t WIDTH> static __global__ void wgmma(const __grid_constant__ job job) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ __align__(CORE_BYTES) uint32_t a[WGMMA_ROWS * LINE_BYTES / 4];
    __shared__ __align__(CORE_BYTES) uint32_t b[WIDTH * LINE_BYTES_SPARSE_B / 4];
    const run run = job.runs[blockIdx.x];
    copy(a, job.contents + run.a, run.words_a);
    copy(b, job.contents + run.b, run.words_b);
    const uint64_t shared_a = describe(a, LINE_BYTES);
    const uint64_t shared_b = describe(b, run.words_b / WIDTH * 4);
    const uint32_t e = job.contents[run.e + threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory"); /* wgmma has to see what was copied */
    __syncthreads();
    switch (run.row) {
#include WGMMA_ROWS_FILE
    }
#endif
}

#endif
