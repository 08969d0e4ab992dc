/* copy.h - findings about a kernel that should copy A to D. */
#ifndef PROBE_COPY_H
#define PROBE_COPY_H

#include "probe/problem.h"

/* Sets the runs of a plan, and makes A of a run. */
void copy_plan(struct plan *plan);
void copy_fill(const struct plan *plan, size_t run, void *a);

/* The results of all runs so far. */
struct copied;
struct copied *copied_begin(const struct plan *plan);

/* Reads D of a run. False if it holds what it held before the run. */
bool copied_take(struct copied *copied, size_t run, const void *d);

void copied_end(struct copied *copied, struct findings *findings);

#endif
