/* detail.h - the facts of --detail as lines of text, for the formats that are read by people. */
#ifndef OUTPUT_DETAIL_H
#define OUTPUT_DETAIL_H

#include "output/output.h"

/* Prints the type, registers, bytes and targets of a fragment, unless `has_table` says that a table
 * above has them; its use of Tensor Memory; and what follows from its layout and its opcode:
 * "rows       4 threads per row ...". */
void print_facts(struct printer *to, const struct report *report, bool has_table);

#endif
