/* shared_kernels.h - the kernels of shared_kernels.cu, and their parameters. */
#ifndef SHARED_KERNELS_H
#define SHARED_KERNELS_H

#include "source/gpu/kernels.h"

/* The pattern of every swizzle repeats at multiples of this many bytes, or of fewer. */
#define PATTERN_BYTES 1024

/* TMA: the size of the shared memory that is stored, and the start of the tile in it; the memory
 * around the tile is filled with POISON. One more word is stored after it: 1 if TMA has signalled
 * that the tile is complete, 0 if it did not within a second, and POISON in each byte if the kernel
 * did not run. */
#define TMA_BYTES 10240
#define TMA_TILE PATTERN_BYTES
#define TMA_STORED_WORDS (TMA_BYTES / 4 + 1)

/* wgmma: the size of the shared memory from which A may be read, and the width of D. */
#define READING_BYTES 32768
#define READING_WIDTH 8
#define READING_WORDS_B (READING_WIDTH * LINE_BYTES / 4)
#define READING_WORDS_D (WGMMA_ROWS * READING_WIDTH)

/* The only parameter of the kernels that multiply by a descriptor: block (x, y) fills shared memory
 * with contents x, multiplies by B y, and stores D, row by row, as D number y * (blocks along x) +
 * x. */
struct reading_job {
    const uint32_t *contents; /* READING_BYTES for each x */
    const uint32_t *b;        /* READING_WORDS_B for each y */
    uint32_t *d;              /* READING_WORDS_D for each block */
    uint64_t descriptor;      /* that of A, without its start address */
    uint32_t start;           /* the start of A, in bytes from the start of the contents */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Copies a tile to shared memory by TMA, and stores all of that memory. It is launched with one
 * block of WARPGROUP threads. Its parameters are a tensor map, the address of TMA_STORED_WORDS
 * words of output, and the size of the tile in bytes. */
extern const void *const tma_kernel;

/* Multiply A, read from shared memory by a descriptor, by B: elements of 8, 16 and 32 bits, and of
 * 16 bits where A is MN-major. They are launched with blocks of WARPGROUP threads and a struct
 * reading_job. */
enum reading { READING_8, READING_16, READING_16_MN, READING_32, READINGS };
extern const void *const reading_kernels[READINGS];

#ifdef __cplusplus
}
#endif
#endif
