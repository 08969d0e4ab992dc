/* kernels.h - the kernels that nvcc compiles, their parameters, and all constants that host and
 * kernels share.
 *
 * A kernel executes one instruction on registers and memory that the host has prepared, and stores
 * the result. It does not use layouts; experiment.h explains how the result determines them. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The byte with which memory is filled before kernels store to it. In every type that is stored to
 * memory, it gives a negative number, which no experiment uses. */
#define POISON 0xa5

/* The number of threads that execute an instruction together. */
#define WARP 32
#define WARPGROUP 128

/* ldmatrix and stmatrix: each lane gives the address of one of 32 rows of 8 16-bit elements. */
#define SLOTS 32
#define SLOT_BYTES 16

/* The slot whose address a lane gives. Each lane has another slot, in an order that no layout has
 * by chance: lanes 0, 1, 2, 3 have slots 7, 18, 29, 8. */
static inline uint32_t slot_of(uint32_t lane) {
    return (11 * lane + 7) % SLOTS;
}

/* wgmma: A and B in shared memory, K-major and without swizzle (PTX ISA 9.0, section 9.7.15.5.1.2).
 * A line is a row of A or a column of B. 8 lines of 16 bytes are a core matrix of 128 consecutive
 * bytes. It is followed by the core matrix with the next 16 bytes of these lines, and the last of
 * these by the next 8 lines. A line has 32 bytes; if A is sparse, a line of B has 64. */
#define CORE_LINES 8
#define CORE_LINE_BYTES 16
#define CORE_BYTES (CORE_LINES * CORE_LINE_BYTES)
#define LINE_BYTES 32
#define LINE_BYTES_SPARSE_B 64
#define WGMMA_ROWS 64 /* rows of A */
#define WGMMA_WIDEST 256

/* 32-bit registers of A in each thread of a wgmma. */
#define WGMMA_REGISTERS_A 4

/* The way to execute an instruction, if there are several. */
struct variant {
    uint32_t selector;    /* sparsity selector */
    uint32_t a_in_shared; /* wgmma: 1 if A is in shared memory, 0 if it is in registers */
    uint32_t stores_all;  /* wgmma: 1 to store all of D, 0 for the part that shows A or E */
};

/* The number of a row, which is a case in a kernel: opcode 17 in its first variant is row 272, with
 * selector 1 row 276. `number` is the opcode's index for mapping_opcode_at, or for wmma the
 * fragment's index for mapping_catalogue_at. For wmma, the second variant is C and D in
 * column-major memory. */
static inline uint32_t row_number(size_t number, struct variant variant) {
    return (uint32_t)number * 16 + variant.selector * 4 + variant.a_in_shared * 2 +
           variant.stores_all;
}
static inline uint32_t wmma_row_number(size_t number, uint32_t is_col_major) {
    return (uint32_t)number * 16 + is_col_major;
}

/* One execution of one instruction: its row, and the offsets, in words of 32 bits, of the contents
 * of its operands and of D. Registers of thread 0 come first, then those of thread 1 and so on, in
 * the order of mapping_fragment. All start at multiples of 128 bytes.
 *
 *              a                b                 c             d               e
 * mma, mma.sp  registers        registers         registers     registers       registers
 * wgmma        registers, or    shared memory     registers *   registers       registers
 *              shared memory
 * ldmatrix     byte offset by   SLOTS in shared                 registers
 *              lane             memory
 * stmatrix     byte offset by   SLOTS in shared   registers     SLOTS as they
 *              lane             memory                          are then
 * movmatrix                                       registers     registers
 * wmma load    matrix                                           registers
 * wmma store   registers                                        matrix
 *
 * * read only by the rows of `generate FORM all`; in all others D = A x B */
struct run {
    uint32_t row;
    uint32_t a, b, c, d, e;
    uint32_t words_a, words_b, words_d; /* words in shared memory; 0 if in registers */
};

/* The only parameter of a kernel, which is launched with one block for each run. Pointers are
 * device pointers. */
struct job {
    const uint32_t *contents;
    uint32_t *output;
    const struct run *runs;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels with a struct job as parameter, launched with a block of WARP threads for each run. Each
 * kernel executes many opcodes, because loading and launching a kernel takes most of the time. */
extern const void *const wmma_kernel;
extern const void *const mma_kernel;
extern const void *const mma_sp_kernel;
extern const void *const matrix_moves_kernel;

/* The kernels of wgmma and wgmma.sp, with blocks of WARPGROUP threads: one kernel for each N. They
 * are compiled in parts, in parallel; kernel k of part p is for N = 8 * (1 + p + 4 * k). */
#define WGMMA_PARTS 4
#define WGMMA_KERNELS (WGMMA_WIDEST / 8 / WGMMA_PARTS)
extern const void *const wgmma_kernels_0[WGMMA_KERNELS];
extern const void *const wgmma_kernels_1[WGMMA_KERNELS];
extern const void *const wgmma_kernels_2[WGMMA_KERNELS];
extern const void *const wgmma_kernels_3[WGMMA_KERNELS];

/* The part with the kernel for N = `width`, and this kernel. */
static inline uint32_t wgmma_part(uint32_t width) {
    return (width / 8 - 1) % WGMMA_PARTS;
}
static inline const void *wgmma_kernel(uint32_t width) {
    const void *const *const parts[] = {wgmma_kernels_0, wgmma_kernels_1, wgmma_kernels_2,
                                        wgmma_kernels_3};
    return parts[wgmma_part(width)][(width / 8 - 1) / WGMMA_PARTS];
}

/* The compiler: its version, such as "13.0.88"; its version of PTX, such as 90 for 9.0; and the
 * architectures that it compiled for, 750 for sm_75, with 0 at the end. Only the 0 is there if nvcc
 * does not state them. */
extern const char nvcc_version[];
extern const unsigned nvcc_ptx;
extern const int nvcc_archs[];

#ifdef __cplusplus
}
#endif
#endif
