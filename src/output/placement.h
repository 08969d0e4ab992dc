/* placement.h - a matrix in memory as text. */
#ifndef PLACEMENT_OUTPUT_H
#define PLACEMENT_OUTPUT_H

#include "output/output.h"
#include "report/placement.h"

/* Prints what the matrix is: "64 x 64 elements of f16, 8192 bytes". */
void print_extent(struct printer *to, const struct report *report);

/* Prints what the matrix is, and its grids: at each row and column the offset and the bank; and by
 * address, which elements lie in each line of 128 bytes. */
void print_placement(struct printer *to, const struct report *report, const struct style *style);

/* Prints the descriptor with which wgmma reads it, if there is one, and where its instructions
 * begin along K. */
void print_descriptor(struct printer *to, const struct report *report);

#endif
