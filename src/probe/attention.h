/* attention.h - findings about a kernel that should compute attention; see attention_plan.h. */
#ifndef PROBE_ATTENTION_H
#define PROBE_ATTENTION_H

#include "probe/problem.h"

/* O of all runs so far. */
struct attended;
struct attended *attended_begin(const struct plan *plan);

/* Keeps O of a run. False if it holds what it held before the run. */
bool attended_take(struct attended *attended, size_t run, const void *o);

void attended_end(struct attended *attended, struct findings *findings);

#endif
