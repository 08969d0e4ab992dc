/* contents.h - what registers and memory hold in the runs of experiments. No CUDA. */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "source/gpu/operands.h"

/* What an operand is filled with: small integers, exact in every type. What is found out is counted
 * from 1, so that 0 is never right. If A were 2x4 and B 4x2, they would be filled so:
 *
 *     FILL_ROWS   FILL_COLUMNS   FILL_PICK of A   the same, parameter 2   FILL_PICK of B
 *     1 0 0 0     1 2            1 0 0 0          0 0 1 0                 1 0
 *     2 0 0 0     0 0            0 1 0 0          0 0 0 1                 0 1
 *                 0 0                                                     0 0
 *                 0 0                                                     0 0 */
enum filling {
    FILL_ZEROS,
    FILL_ONES,

    /* A: the numbers of a row add up to 1 + the row, which D = A x B shows where B is of ones.
     * Where a type holds only numbers up to 8, row 10 has 8 3 0 0. */
    FILL_ROWS,

    /* A: the same with 1 + the block. */
    FILL_BLOCKS,

    /* B: the numbers of a column add up to 1 + the column. */
    FILL_COLUMNS,

    /* A and B: ones on a diagonal, which starts `parameter` further along K. A x B then shows the
     * rows of B, or the columns of A, from there on: as many as D has. Where A is sparse, along K
     * of what is held of it. */
    FILL_PICK,

    /* B: a 1 in the row that is multiplied where metadata number `parameter` + column says 1, and
     * zeros else. */
    FILL_TELL,

    /* Registers, and the memory of wmma: each element its number, counted from 1 by thread and
     * element, or by place in memory; of that, digit `parameter`, as a small type takes several.
     * If numbers up to 9 were held, digit 1 of elements 0 to 11 would be 0 0 0 0 0 0 0 0 0 1 1 1.
     * Metadata: each index says bit `parameter` of its number. */
    FILL_NUMBERS,

    FILL_HALF,      /* metadata: of each group the first half, or with `parameter` 1 the second */
    FILL_ADDRESSES, /* ldmatrix, stmatrix: where each lane's slot is, in bytes */
    FILL_SLOTS,     /* the memory of ldmatrix: SLOTS of 8 elements, 1 2 3 4 ... 256 */
    FILL_EMPTY      /* the memory of stmatrix: as many zeros */
};

/* What all runs of all experiments need, each made once. */
struct contents {
    uint32_t *words; /* owned */
    size_t count, room;
    struct content *index; /* owned */
    size_t index_count, index_room;
    uint32_t buckets[1024]; /* by what they hold: 1 + the last of them in the index, or 0 */
};

/* Where an operand so filled starts, in words; it is made if it is not there. UINT32_MAX if out of
 * memory. `in_shared` if it is for shared memory, as A and B of wgmma are there. Free the contents
 * in any case; zeroed ones are allowed. */
uint32_t contents_get(struct contents *contents, const struct operands *operands,
                      enum mapping_operand operand, enum filling filling, uint32_t parameter,
                      bool in_shared);
void contents_free(struct contents *contents);

#endif
