/* scale_copy.h - how tcgen05.cp copies scale factors from shared memory to Tensor Memory.
 *
 * tcgen05.cp.32x128b.warpx4 copies 512 bytes. Byte o goes to lane o / 16, column o % 16 / 4, bit 8
 * * (o % 4), and also to the lanes 32, 64 and 96 above (PTX ISA 9.1, 9.7.16.9). A tile of 128x4 is
 * then in the order that tcgen05.mma reads: row r is in lane r % 32, column r / 32. */
#ifndef SCALE_COPY_H
#define SCALE_COPY_H

#include "report/report.h"

enum { SCALE_TILE_ROWS = 128, SCALE_TILE_COLS = 4, SCALE_TILE_BYTES = 512, SCALE_TILE_WORDS = 128 };

/* One instruction: which rows and columns of the matrix, from where, to where. */
struct scale_tile {
    uint32_t row, col; /* from the origin on */
    uint32_t byte;     /* from the start of the matrix in the CTA's shared memory */
    uint32_t column;   /* of Tensor Memory, from the address of the operand of the first MMA */
};

struct scale_copy {
    const struct report *matrix, *fragment;
    bool is_b;             /* rows are n, else m */
    uint32_t ctas, rows;   /* rows that each CTA holds */
    uint32_t origin[2];    /* row and column of the matrix from which it is copied */
    uint32_t vector, mmas; /* factors of a row that an MMA reads; MMAs that read one tile */
    uint32_t columns;      /* of Tensor Memory that one step of 4 columns takes */
    struct scale_tile *tiles;
    size_t count;
    uint64_t descriptor; /* of a matrix at address 0 of shared memory */
    /* The bytes of each tile are consecutive, but in another order: word w has to move to
     * words[w] first. Else `move` is NULL. */
    uint32_t words[SCALE_TILE_WORDS];
    char *move; /* the formula of words[] */
};

/* True if the fragment is of scale factors in Tensor Memory. */
bool is_scale_operand(const struct mapping_fragment *fragment);

/* Finds the copies of the part of the matrix that begins at `origin`, with all columns from there
 * on. MAPPING_INVALID with a sentence if there are none. */
enum mapping_status scale_copy_find(const struct report *matrix, const struct report *fragment,
                                    const uint32_t origin[2], struct scale_copy *copy,
                                    struct mapping_error *error);

#endif
