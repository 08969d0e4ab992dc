/* shared_kernels.h - the kernels of shared_kernels.cu, and their parameters. */
#ifndef SHARED_KERNELS_H
#define SHARED_KERNELS_H

#include "source/gpu/kernels.h"

/* The pattern of every swizzle starts again at multiples of so many bytes, or of fewer. */
#define PATTERN_BYTES 1024

/* TMA: the shared memory of which all is stored, and where in it the tile starts; around it there
 * is POISON. Behind that memory a word is stored that is 1 if TMA has said that the tile is
 * there, 0 if it did not within a second, POISON in each byte if nothing was tried. */
#define TMA_BYTES 10240
#define TMA_TILE PATTERN_BYTES
#define TMA_STORED_WORDS (TMA_BYTES / 4 + 1)

/* wgmma: the shared memory in which A is looked for, and how wide D is. */
#define READING_BYTES 32768
#define READING_WIDTH 8
#define READING_WORDS_B (READING_WIDTH * LINE_BYTES / 4)
#define READING_WORDS_D (WGMMA_ROWS * READING_WIDTH)

/* The only parameter of the kernels that multiply what a descriptor says: block (x, y) fills shared
 * memory with contents x, multiplies by B y, and stores D, row by row, as D number
 * y * (blocks along x) + x. */
struct reading_job {
    const uint32_t *contents; /* READING_BYTES for each x */
    const uint32_t *b;        /* READING_WORDS_B for each y */
    uint32_t *d;              /* READING_WORDS_D for each block */
    uint64_t descriptor;      /* of A, but for where it starts */
    uint32_t start;           /* of A, in bytes from where the contents start */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Brings a tile to shared memory by TMA, and stores all of it. Is launched with one block of
 * WARPGROUP threads; its parameters are a tensor map, where TMA_STORED_WORDS words go, and how many
 * bytes the tile has. */
extern const void *const tma_kernel;

/* Multiply A, read from shared memory by a descriptor, by B: elements of 8, 16 and 32 bits, and of
 * 16 bits where A is MN-major. Are launched with blocks of WARPGROUP threads and a struct
 * reading_job. */
enum reading { READING_8, READING_16, READING_16_MN, READING_32, READINGS };
extern const void *const reading_kernels[READINGS];

#ifdef __cplusplus
}
#endif
#endif
