/* transfer.h - what threads hold of an operand that they load from Tensor Memory with tcgen05.ld,
 * or store there with tcgen05.st: the layout of the operand behind that of the instruction. */
#ifndef CATALOGUE_TRANSFER_H
#define CATALOGUE_TRANSFER_H

#include "mapping.h"

/* Warp w of a warpgroup can access only Tensor Memory lanes 32 * w to 32 * w + 31. */
enum { TRANSFER_THREADS = 128, WARP_LANES = 32 };

/* tcgen05.ld or tcgen05.st; k of its shape is 0 where nobody said how often it repeats. */
struct mapping_transfer {
    struct mapping_fragment move;
};

/* Reads "tcgen05.ld.32x32b.x32", "tcgen05.ld.16x64b", an opcode of PTX, or the name of a fragment;
 * upper and lower case are the same. False if it is none. */
bool mapping_transfer_read(const char *name, struct mapping_transfer *transfer);

/* True if somebody who writes this means an instruction of Tensor Memory. */
bool mapping_transfer_is_meant(const char *name);

/* Longest name with its end: "tcgen05.st.16x32bx2.x128.unpack::16b". */
#define TRANSFER_NAME_SIZE 48

/* Writes such a name, as short as can be. */
void mapping_transfer_name(const struct mapping_transfer *transfer, char name[TRANSFER_NAME_SIZE]);

/* True if threads 16 to 31 reach other columns of the same lanes as threads 0 to 15: of .16x32bx2
 * half of its columns, so many behind, which is what is shown for immHalfSplitoff. */
bool mapping_transfer_is_split(const struct mapping_fragment *move);

/* True if the operand can be loaded so: D and A of tcgen05.mma. */
bool mapping_transfer_takes(const struct mapping_fragment *operand);

/* All loads, or stores, of an operand, in this order: columns 0 and on first, of each the lower 16
 * lanes of a warp before the upper ones where an instruction reaches but 16. */
struct mapping_series {
    struct mapping_transfer transfer;
    struct mapping_layout placed; /* owned: of the operand, see MAPPING_IN_TENSOR_MEMORY */
    struct mapping_layout moved;  /* owned: of one warp, (tid, i) -> (lane, column) */
    uint32_t *held; /* owned: at [cta][lane][column][n] row << 16 | col of element n of the column,
                       the lowest bits first; UINT32_MAX where nothing is */
    uint32_t ctas, columns, packed; /* sizes of that */
    uint32_t halves, half[2];       /* of 16 lanes: which are loaded one after the other */
    uint32_t count;                 /* of loads in each CTA */
    uint32_t elements;              /* that a thread holds of each */
};

/* Makes the series for an operand whose layout is `placed`, which is moved there. MAPPING_INVALID,
 * with a sentence that says what fits, if that does not; MAPPING_FAILED if out of memory. Free it
 * with mapping_series_free in any case. */
enum mapping_status mapping_series_make(const struct mapping_fragment *operand,
                                        const struct mapping_transfer *transfer,
                                        struct mapping_layout *placed,
                                        struct mapping_series *series, struct mapping_error *error);

void mapping_series_free(struct mapping_series *series);

/* What load `number` adds to the address in lanes, beside 32 for each warp, and in columns. */
uint32_t mapping_series_lane(const struct mapping_series *series, uint32_t number);
uint32_t mapping_series_column(const struct mapping_series *series, uint32_t number);

/* How loads are shown. */
enum series_form {
    SERIES_EACH,     /* one by one: (tid, i) -> (row, col) */
    SERIES_NUMBERED, /* all: ([cta,] [load,] tid, i), what there are several of */
    SERIES_JOINED    /* all, one behind the other in registers: ([cta,] tid, i) */
};

/* Makes the layout of all loads, numbered or joined; numbered, those of one load follow each other.
 * The axis that numbers loads is called `axis`. */
enum mapping_status mapping_series_layout(const struct mapping_series *series, bool is_joined,
                                          const char *axis, struct mapping_layout *layout,
                                          struct mapping_error *error);

#endif
