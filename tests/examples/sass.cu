/* sass.cu - only the index code of kernels: the row and column (and block) of all elements of a
 * thread, once by the functions of a header of --format=cuda, and once by hand, by the rules of the
 * PTX ISA.
 *
 * sass.t makes the header, compiles this file and counts instructions:
 *     mapping --arch=sm_90 --format=cuda FRAGMENT... > FOLDER/fragments.h
 *     nvcc -O3 -cubin -arch=sm_90 -I FOLDER -o sass.cubin sass.cu */
#include "fragments.h"

/* The source of the thread number determines what the compiler knows about it: the remainder in a
 * larger block, a block of exactly this many threads, or the register with the lane. */
__device__ inline unsigned lane_of_warp() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

#define REMAINDER(threads) (threadIdx.x % threads)
#define BLOCK(threads) threadIdx.x
#define LANEID(threads) lane_of_warp()

/* Stores what `body` computes, as many numbers for each element. */
#define KERNEL(name, bound, tid_from, threads, elements, numbers, ...)                             \
    extern "C" __global__ void __launch_bounds__(bound) name(unsigned *out) {                      \
        unsigned tid = tid_from(threads);                                                          \
        out += tid * elements * numbers;                                                           \
        _Pragma("unroll") for (unsigned i = 0; i < elements; i++) {                                \
            unsigned *at = out + i * numbers;                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Stores a value at the place of the element in a matrix whose rows are `pitch` apart. */
#define STORING(name, bound, tid_from, threads, elements, row, col)                                \
    extern "C" __global__ void __launch_bounds__(bound)                                            \
        name(float *matrix, unsigned pitch, float value) {                                         \
        unsigned tid = tid_from(threads);                                                          \
        _Pragma("unroll") for (unsigned i = 0; i < elements; i++) matrix[(row)*pitch + (col)] =    \
            value;                                                                                 \
    }

#define BOTH_FROM(from, bound, fragment, threads, elements, row, col)                              \
    KERNEL(places_##from##_header_##fragment, bound, from, threads, elements, 2,                   \
           at[0] = mapping_##fragment##_row(tid, i), at[1] = mapping_##fragment##_col(tid, i))     \
    KERNEL(places_##from##_hand_##fragment, bound, from, threads, elements, 2, at[0] = row,        \
           at[1] = col)                                                                            \
    STORING(store_##from##_header_##fragment, bound, from, threads, elements,                      \
            mapping_##fragment##_row(tid, i), mapping_##fragment##_col(tid, i))                    \
    STORING(store_##from##_hand_##fragment, bound, from, threads, elements, row, col)

#define BOTH_OF_WARP(...)                                                                          \
    BOTH_FROM(REMAINDER, 1024, __VA_ARGS__)                                                        \
    BOTH_FROM(BLOCK, 32, __VA_ARGS__)                                                              \
    BOTH_FROM(LANEID, 1024, __VA_ARGS__)

#define BOTH_OF_WARPGROUP(...)                                                                     \
    BOTH_FROM(REMAINDER, 1024, __VA_ARGS__)                                                        \
    BOTH_FROM(BLOCK, 128, __VA_ARGS__)

BOTH_OF_WARP(mma_m16n8k16_a_f16, 32, 8, (tid >> 2) + 8 * ((i >> 1) & 1),
             (tid & 3) * 2 + (i & 1) + 8 * (i >> 2))
BOTH_OF_WARP(mma_m16n8k16_b_f16, 32, 4, (tid & 3) * 2 + (i & 1) + 8 * (i >> 1), tid >> 2)
BOTH_OF_WARP(mma_m16n8k16_d_f32, 32, 4, (tid >> 2) + 8 * (i >> 1), (tid & 3) * 2 + (i & 1))
BOTH_OF_WARP(mma_m16n8k32_a_s8, 32, 16, (tid >> 2) + 8 * ((i >> 2) & 1),
             (tid & 3) * 4 + (i & 3) + 16 * (i >> 3))
BOTH_OF_WARP(wmma_m16n16k16_d_f32, 32, 8, (tid >> 2) + 8 * ((i >> 1) & 1),
             (tid & 3) * 2 + (i & 1) + 8 * (i >> 2))
BOTH_OF_WARPGROUP(wgmma_m64n64k16_d_f32, 128, 32,
                  (tid >> 5) * 16 + ((tid & 31) >> 2) + 8 * ((i >> 1) & 1),
                  (tid & 3) * 2 + (i & 1) + 8 * (i >> 2))

/* Four matrices: a block of 8 x 8 for each group of 8 threads. */
#define BLOCKS_FROM(from, bound)                                                                   \
    KERNEL(places_##from##_header_mma_m8n8k4_d_f32, bound, from, 32, 8, 3,                         \
           at[0] = mapping_mma_m8n8k4_d_f32_block(tid, i),                                         \
           at[1] = mapping_mma_m8n8k4_d_f32_row(tid, i),                                           \
           at[2] = mapping_mma_m8n8k4_d_f32_col(tid, i))                                           \
    KERNEL(places_##from##_hand_mma_m8n8k4_d_f32, bound, from, 32, 8, 3, at[0] = (tid >> 2) & 3,   \
           at[1] = (tid & 1) + (i & 2) + (tid >> 4) * 4, at[2] = (i & 4) + (tid & 2) + (i & 1))    \
    STORING(store_##from##_header_mma_m8n8k4_d_f32, bound, from, 32, 8,                            \
            mapping_mma_m8n8k4_d_f32_block(tid, i) * 8 + mapping_mma_m8n8k4_d_f32_row(tid, i),     \
            mapping_mma_m8n8k4_d_f32_col(tid, i))                                                  \
    STORING(store_##from##_hand_mma_m8n8k4_d_f32, bound, from, 32, 8,                              \
            ((tid >> 2) & 3) * 8 + (tid & 1) + (i & 2) + (tid >> 4) * 4,                           \
            (i & 4) + (tid & 2) + (i & 1))

BLOCKS_FROM(REMAINDER, 1024)
BLOCKS_FROM(BLOCK, 32)
BLOCKS_FROM(LANEID, 1024)
