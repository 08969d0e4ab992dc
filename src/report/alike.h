/* alike.h - groups the fragments that one argument, such as mma.m16n8k16, selects on one
 * architecture, if they have the same layout. Text and Markdown show the layout once, below the
 * names of all:
 *
 *     # mma.m16n8k16.{c,d}.{f32,f16} on sm_90
 *     # source: recorded: gpu (NVIDIA H200, nvcc 13.0.88)
 *     # these 4 fragments have the same layout
 *     # element i is in register i / 2, from bit 16 * (i % 2), for {c,d}.f16 */
#ifndef ALIKE_H
#define ALIKE_H

#include "report/report.h"
#include "system/system.h"

/* Finds fragments with the same layout: links each to the next one (report->alike), and marks all
 * but the first (report->has_same_layout). With `same_bits`, elements must also have the same
 * width. Reports with detail, and loads from Tensor Memory, remain separate. */
void alike_find(struct report *reports, size_t count, bool same_bits);

/* The number of fragments that a report represents: 1 if no other has its layout. */
size_t alike_count(const struct report *report);

/* The names of all fragments that a report represents, with braces as in bash. */
char *alike_names(const struct report *report);

/* The names of those for which `has[n]` is true, n-th of the list; without the words that all names
 * of the list begin with: "{c,d}.f16" of mma.m16n8k16. */
char *alike_some_names(const struct report *report, const bool *has);

#endif
