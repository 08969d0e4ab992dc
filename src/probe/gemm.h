/* gemm.h - findings about a kernel that should compute a matrix product, D = A B.
 *
 * gemm_plan.c makes the inputs; gemm_locate.c finds out which elements of A were multiplied with
 * which of B. */
#ifndef PROBE_GEMM_H
#define PROBE_GEMM_H

#include "probe/gemm_plan.h"

/* What D showed in all runs so far. */
struct multiplied;
struct multiplied *multiplied_begin(const struct plan *plan);

/* Reads D of a run. False if it holds what it held before the run. */
bool multiplied_take(struct multiplied *multiplied, size_t run, const void *d);

void multiplied_end(struct multiplied *multiplied, struct findings *findings);

#endif
