/* mma.cuh - mma and mma.sp: all operands in registers. */
#ifndef MMA_CUH
#define MMA_CUH

#include "source/gpu/kernel.cuh"
#include "source/gpu/registers.cuh"

/* A row, for instance
 *
 *     MMA(272, 80, 70, 32, 4, 2, 4, 4, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
 *
 * is case 272, from sm_80 and PTX 7.0 on, with registers of 32 bits: 4 for A, 2 for B, 4 for C and
 * 4 for D. */
#define MMA(row, since, ptx, bits, A, B, C, D, opcode)                                             \
    EXECUTE_MMA(row, since, ptx, bits, A, B, C, D, opcode, "")

/* The same of a sparse multiplication, for instance
 *
 *     MMA_SP(2372, 80, 71, 32, 2, 2, 4, 4, 1, ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
 *
 * with the metadata in %4 and, as it has to be an immediate, the sparsity selector 1. What stands
 * in front of the rest of the opcode depends on nvcc. */
#define MMA_SP(row, since, ptx, bits, A, B, C, D, selector, rest)                                  \
    EXECUTE_MMA(row, since, ptx, bits, A, B, C, D, "mma" SP rest, ", %4, " #selector)

/* Since PTX 8.5, that is CUDA 12.5, it is to be called so; the layout is the same. */
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1205
#define SP ".sp::ordered_metadata"
#else
#define SP ".sp"
#endif

// clang-format off
#define EXECUTE_MMA(row, since, ptx, bits, A, B, C, D, opcode, metadata)                           \
    case row:                                                                                      \
        if constexpr (has(since, ptx))                                                             \
            asm volatile(                                                                          \
                "{ "                                                                               \
                REGISTERS(A, bits, "a") LOAD(A, bits, "a", "%1")                                   \
                REGISTERS(B, bits, "b") LOAD(B, bits, "b", "%2")                                   \
                REGISTERS(C, bits, "c") LOAD(C, bits, "c", "%3")                                   \
                REGISTERS(D, bits, "d")                                                            \
                opcode " " LIST(D, "d") ", " LIST(A, "a") ", " LIST(B, "b") ", " LIST(C, "c")      \
                metadata "; "                                                                      \
                STORE(D, bits, "d", "%0")                                                          \
                "}" ::                                                                             \
                "l"(job.output + run.d + threadIdx.x * (D * bits / 32)),                           \
                "l"(job.contents + run.a + threadIdx.x * (A * bits / 32)),                         \
                "l"(job.contents + run.b + threadIdx.x * (B * bits / 32)),                         \
                "l"(job.contents + run.c + threadIdx.x * (C * bits / 32)),                         \
                "r"(e) : "memory");                                                                \
        break;
// clang-format on

static __global__ void mma(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    const uint32_t e = 0; /* no metadata */
    switch (run.row) {
#include "mma_rows.inc"
    }
}

/* A kernel of its own: the first launch of one that has a sparse multiplication takes 11 ms on an
 * H200, and nobody has to wait for that who asks for something else. */
static __global__ void mma_sp(const __grid_constant__ job job) {
    const run run = job.runs[blockIdx.x];
    const uint32_t e = job.contents[run.e + threadIdx.x];
    switch (run.row) {
#include "mma_sp_rows.inc"
    }
}

#endif
