/* transfer.h - tcgen05.ld, which loads an operand from Tensor Memory, and tcgen05.st, which stores
 * it there: their names, and the operands that they move; implemented in names.c. */
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

/* True for .16x32bx2: threads 16 to 31 access the same lanes as threads 0 to 15, but other columns,
 * immHalfSplitoff behind theirs. Half of the columns of the instruction is shown for that offset.
 */
bool mapping_transfer_is_split(const struct mapping_fragment *move);

/* True if the operand can be loaded so: D and A of tcgen05.mma. */
bool mapping_transfer_takes(const struct mapping_fragment *operand);

/* How loads are shown. */
enum series_form {
    SERIES_EACH,     /* one by one: (tid, i) -> (row, col) */
    SERIES_NUMBERED, /* all: ([cta,] [load,] tid, i), what there are several of */
    SERIES_JOINED    /* all, one behind the other in registers: ([cta,] tid, i) */
};

#endif
