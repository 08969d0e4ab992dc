/* matrix_moves.cuh - ldmatrix, stmatrix and movmatrix: matrices of 8x8 elements of 16 bits between
 * shared memory and registers, or from registers to registers. */
#ifndef MATRIX_MOVES_CUH
#define MATRIX_MOVES_CUH

#include "source/gpu/kernel.cuh"
#include "source/gpu/registers.cuh"

/* A row, for instance
 *
 *     LDMATRIX(4192, 75, 65, 4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16")
 *
 * is case 4192, from sm_75 and PTX 6.5 on, with 4 registers. Each lane brings the shared address of
 * a row in %1. */
// clang-format off
#define LDMATRIX(row, since, ptx, count, opcode)                                                   \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(                                                                          \
                "{ "                                                                               \
                REGISTERS(count, 32, "d")                                                          \
                opcode " " LIST(count, "d") ", [%1]; "                                             \
                STORE(count, 32, "d", "%0")                                                        \
                "}" ::                                                                             \
                "l"(job.output + run.d + threadIdx.x * count), "r"(address) : "memory");           \
        break;

/* The registers are read from %0, and shared memory is as the instruction leaves it. */
#define STMATRIX(row, since, ptx, count, opcode)                                                   \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(                                                                          \
                "{ "                                                                               \
                REGISTERS(count, 32, "c") LOAD(count, 32, "c", "%0")                               \
                opcode " [%1], " LIST(count, "c") "; "                                             \
                "}" ::                                                                             \
                "l"(job.contents + run.c + threadIdx.x * count), "r"(address) : "memory");         \
        break;

#define MOVMATRIX(row, since, ptx, opcode)                                                         \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(opcode " %0, %1;"                                                         \
                         : "=r"(job.output[run.d + threadIdx.x])                                   \
                         : "r"(job.contents[run.a + threadIdx.x]));                                \
        break;
// clang-format on

/* Each lane fills one slot of shared memory; after an instruction that writes there, it stores that
 * slot. */
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

#endif
