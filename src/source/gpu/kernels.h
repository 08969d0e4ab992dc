/* kernels.h - the kernels that nvcc has compiled, as the host sees them. */
#ifndef KERNELS_H
#define KERNELS_H

#include "source/gpu/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each takes a struct job, and is launched with a block of WARP threads for each run. A kernel
 * executes many opcodes, for it is kernels that take time to load and to launch. */
extern const void *const wmma_kernel;
extern const void *const mma_kernel;
extern const void *const mma_sp_kernel;
extern const void *const matrix_moves_kernel;

/* The same for wgmma and wgmma.sp with blocks of WARPGROUP threads: one kernel for each N. They are
 * compiled in parts, side by side; kernel k of part p is that for N = 8 * (1 + p + 4 * k). */
#define WGMMA_PARTS 4
#define WGMMA_KERNELS (WGMMA_WIDEST / 8 / WGMMA_PARTS)
extern const void *const wgmma_kernels_0[WGMMA_KERNELS];
extern const void *const wgmma_kernels_1[WGMMA_KERNELS];
extern const void *const wgmma_kernels_2[WGMMA_KERNELS];
extern const void *const wgmma_kernels_3[WGMMA_KERNELS];

/* Which part N is in, and which kernel of it. */
static inline uint32_t wgmma_part(uint32_t width) {
    return (width / 8 - 1) % WGMMA_PARTS;
}
static inline uint32_t wgmma_kernel(uint32_t width) {
    return (width / 8 - 1) / WGMMA_PARTS;
}

/* Numbers of one type that kernels have stored, and where they go as numbers of 1 or 2 bytes. The
 * largest of these, 255 or 65535, stands for all that is no integer from 0, or too large: 3.0 as
 * f32 becomes 3, and 2.5, -1.0 or 300.0 in one byte become 255. Offsets and sizes in bytes. */
struct narrow_task {
    uint64_t source, target;
    uint32_t count;
    uint8_t type, bytes;
};

/* Is launched with a block for each task. Its parameters are the addresses of the tasks, of what is
 * read, and of what is written. */
extern const void *const narrow_kernel;

/* The compiler: its version, e.g. "13.0.88"; the PTX that it knows, e.g. 90 for 9.0; and the
 * architectures that it was told to compile for, 750 for sm_75, with 0 at the end, or nothing but
 * that where it does not say. */
extern const char nvcc_version[];
extern const unsigned nvcc_ptx;
extern const int nvcc_archs[];

#ifdef __cplusplus
}
#endif
#endif
