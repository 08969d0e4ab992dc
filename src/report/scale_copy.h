/* scale_copy.h - how tcgen05.cp copies scale factors from shared memory to Tensor Memory.
 *
 * tcgen05.cp.32x128b.warpx4 copies 512 bytes. Byte o goes to lane o / 16, column o % 16 / 4, bit 8
 * * (o % 4), and also to the lanes 32, 64 and 96 above (PTX ISA 9.1, 9.7.16.9). A tile of 128x4 is
 * then in the order that tcgen05.mma reads: row r is in lane r % 32, column r / 32. */
#ifndef SCALE_COPY_H
#define SCALE_COPY_H

#include "report/report.h"

enum { SCALE_TILE_ROWS = 128, SCALE_TILE_COLS = 4, SCALE_TILE_BYTES = 512, SCALE_TILE_WORDS = 128 };

/* One instruction: the rows and columns of the matrix that it copies, and both addresses. */
struct scale_tile {
    uint32_t row, col; /* counted from the origin */
    uint32_t byte;     /* offset from the start of the matrix in the CTA's shared memory */
    uint32_t column;   /* column of Tensor Memory, relative to the operand of the first MMA */
};

struct scale_copy {
    const struct report *matrix, *fragment;
    bool is_b;             /* rows are along N, otherwise along M */
    uint32_t ctas, rows;   /* number of CTAs, and of rows in each CTA */
    uint32_t origin[2];    /* row and column of the matrix from which the copy begins */
    uint32_t vector, mmas; /* factors of a row that one MMA reads; number of MMAs that read one
                              tile */
    uint32_t columns;      /* columns of Tensor Memory that one step of 4 columns occupies */
    struct scale_tile *tiles;
    size_t count;
    uint64_t descriptor; /* descriptor for a matrix at address 0 of shared memory */
    /* The bytes of each tile are consecutive, but in another order: first, word w must be moved to
     * words[w]. Otherwise `move` is NULL. */
    uint32_t words[SCALE_TILE_WORDS];
    const char *move; /* the formula of words[] */
};

/* True if the fragment is scale factors in Tensor Memory. */
bool is_scale_operand(const struct mapping_fragment *fragment);

/* Finds the copies of the part of the matrix that begins at `origin`, with all following columns.
 * MAPPING_INVALID with a message if there are none. */
enum mapping_status scale_copy_find(const struct report *matrix, const struct report *fragment,
                                    const uint32_t origin[2], struct scale_copy *copy,
                                    struct mapping_error *error);

#endif
