/* wgmma.cu - the kernels of wgmma and wgmma.sp. B is in shared memory, A in shared memory or in
 * registers. This file is compiled four times, each time with a quarter of the kernels: PART is 0,
 * 1, 2 or 3, and WGMMA_ROWS_FILE has the rows of that part.
 *
 * Rows come from generate.c, for instance
 *
 *     WGMMA(64, 4563, 80, 32, 32, "{ .reg .b32 d<32>; wgmma.fence.sync.aligned; ... }")
 *
 * is case 4563 of the kernel for N = 64, from PTX 8.0 on: D takes 32 registers in each thread, of
 * which 32 are stored. */
#include "source/gpu/kernel.cuh"
#include "source/gpu/kernels.h"

/* %0 is D; %1 is C and %2 are the registers of A; %3 and %4 are the descriptors of A and B; %5 is
 * the metadata. */
#define WGMMA(width, row, ptx, D, stored, text)                                                    \
    case row:                                                                                      \
        if constexpr (WIDTH == width && has(90, ptx))                                              \
            asm volatile(text ::"l"(job.output + run.d + threadIdx.x * stored),                    \
                         "l"(job.contents + run.c + threadIdx.x * D),                              \
                         "l"(job.contents + run.a + threadIdx.x * WGMMA_REGISTERS_A),              \
                         "l"(shared_a), "l"(shared_b), "r"(e)                                      \
                         : "memory");                                                              \
        break;

/* Copies a matrix to shared memory with all threads. */
static __device__ void copy(uint32_t *shared, const uint32_t *contents, uint32_t words) {
    for (uint32_t n = threadIdx.x; n < words; n += WARPGROUP)
        shared[n] = contents[n];
}

/* The descriptor of a matrix in shared memory with lines of this length (PTX ISA 9.0,
 * section 9.7.15.5.1.2): the address, the distance to the next core matrix along K, and to the next
 * along M or N, all in units of 16 bytes. */
static __device__ uint64_t describe(const uint32_t *shared, uint32_t line_bytes) {
    const uint64_t address = __cvta_generic_to_shared(shared), along_k = CORE_BYTES,
                   along_lines = CORE_LINES * line_bytes;
    return (address & 0x3ffff) >> 4 | along_k >> 4 << 16 | along_lines >> 4 << 32;
}

/* All rows of one width. Only sm_90a has wgmma. */
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
    asm volatile("fence.proxy.async;" ::: "memory"); /* the copy must be visible to wgmma */
    __syncthreads();
    switch (run.row) {
#include WGMMA_ROWS_FILE
    }
#endif
}

#define NAME_(part) wgmma_kernels_##part
#define NAME(part) NAME_(part)

template <uint32_t KERNEL> static const void *kernel() {
    return reinterpret_cast<const void *>(wgmma<8 * (1 + PART + WGMMA_PARTS * KERNEL)>);
}

const void *const NAME(PART)[WGMMA_KERNELS] = {kernel<0>(), kernel<1>(), kernel<2>(), kernel<3>(),
                                               kernel<4>(), kernel<5>(), kernel<6>(), kernel<7>()};
