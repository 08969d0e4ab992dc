/* same.h - finds the known layouts that equal a layout, and the instructions whose fragments tile
 * it. */
#ifndef SAME_H
#define SAME_H

#include "report/report.h"

/* Adds to report->same the names of the fragments, tiles and layouts in CuTe's notation that have
 * the layout of the report. If no fragment has it, sets `nearly` to the most similar one. */
void add_same(struct report *report);

/* Adds to report->instructions the largest fragments of mma and wgmma that make up the layout: "2 x
 * 4 of mma.m16n8k16.d.f32". Compares layouts, and types if the report has one. */
void add_instructions(struct report *report);

#endif
