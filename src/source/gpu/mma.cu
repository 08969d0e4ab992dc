/* mma.cu - the kernels of mma and mma.sp, with all operands in registers, and of ldmatrix, stmatrix
 * and movmatrix, between registers and shared memory.
 *
 * Rows come from generate.c, for instance
 *
 *     MMA(272, 80, 70, 4, 2, 4, 4, "{ .reg .b32 a<4>; ld.b32 a0, [%1+0]; ... }")
 *
 * is case 272, from sm_80 and PTX 7.0 on, with 4 words of 32 bits in each thread for A, 2 for B, 4
 * for C and 4 for D. An asm block declares its registers, loads them, executes the instruction, and
 * stores the result, so that C++ only passes addresses. */
#include "source/gpu/kernel.cuh"
#include "source/gpu/kernels.h"

/* PTX 8.5 (CUDA 12.5) introduced a name for the ordered metadata of mma.sp; the layout is the same.
 */
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1205
#define ORDERED_METADATA "::ordered_metadata"
#else
#define ORDERED_METADATA ""
#endif

/* %0 is D; %1, %2 and %3 are A, B and C; %4 is the metadata. */
#define MMA(row, since, ptx, A, B, C, D, text)                                                     \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(text ::"l"(job.output + run.d + threadIdx.x * D),                         \
                         "l"(job.contents + run.a + threadIdx.x * A),                              \
                         "l"(job.contents + run.b + threadIdx.x * B),                              \
                         "l"(job.contents + run.c + threadIdx.x * C), "r"(e)                       \
                         : "memory");                                                              \
        break;

static __global__ void mma(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    const uint32_t e = 0; /* no metadata */
    switch (run.row) {
#include "mma_rows.inc"
    }
}

/* Sparse multiplications have a separate kernel, because its first launch takes 11 ms on an H200,
 * which other requests should not have to wait for. */
static __global__ void mma_sp(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    const uint32_t e = job.contents[run.e + threadIdx.x];
    switch (run.row) {
#include "mma_sp_rows.inc"
    }
}

/* %0 are the registers of the result or %1 those of the source, `registers` in each thread; %2 is
 * the address in shared memory of the lane's row. */
#define MOVE(row, since, ptx, registers, text)                                                     \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(text ::"l"(job.output + run.d + threadIdx.x * registers),                 \
                         "l"(job.contents + run.c + threadIdx.x * registers), "r"(address)         \
                         : "memory");                                                              \
        break;

/* Each lane fills one slot of shared memory. After an instruction that writes to shared memory, the
 * lane stores this slot. */
static __global__ void matrix_moves(const __grid_constant__ job job) {
    __shared__ __align__(128) uint4 slots[SLOTS];
    static_assert(sizeof *slots == SLOT_BYTES, "a slot is what a lane moves at once");
    const run run = job.runs[blockIdx.x];
    if (run.words_b > 0)
        slots[threadIdx.x] = reinterpret_cast<const uint4 *>(job.contents + run.b)[threadIdx.x];
    const uint32_t address =
        uint32_t(__cvta_generic_to_shared(slots)) + job.contents[run.a + threadIdx.x];
    __syncwarp();
    switch (run.row) {
#include "matrix_moves_rows.inc"
    }
    __syncwarp();
    if (run.words_d > 0)
        reinterpret_cast<uint4 *>(job.output + run.d)[threadIdx.x] = slots[threadIdx.x];
}

const void *const mma_kernel = reinterpret_cast<const void *>(mma);
const void *const mma_sp_kernel = reinterpret_cast<const void *>(mma_sp);
const void *const matrix_moves_kernel = reinterpret_cast<const void *>(matrix_moves);
