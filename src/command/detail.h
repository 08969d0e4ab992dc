/* detail.h - what follows from layouts, for --detail. */
#ifndef COMMAND_DETAIL_H
#define COMMAND_DETAIL_H

#include "report/report.h"

/* Adds to reports of fragments what their opcodes become, what D can be read as in the next
 * product, in which order of K loads are widest, and how a product is made of older ones. */
void add_details(struct report *reports, size_t count);

#endif
