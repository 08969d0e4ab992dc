/* detail.h - the facts of --detail as lines of text, for the formats that are read by people. */
#ifndef OUTPUT_DETAIL_H
#define OUTPUT_DETAIL_H

#include "output/output.h"

/* Prints the type, registers and bytes of a fragment, its place in Tensor Memory, and what follows
 * from its layout and its opcode: "rows       4 threads per row ...". If `has_table`, a table above
 * has the type, registers and bytes, and they are left out. */
void print_facts(struct printer *to, const struct report *report, bool has_table);

#endif
