/* plan.h - the runs of a probe, independent of the computation; see problem.h. */
#ifndef PROBE_PLAN_H
#define PROBE_PLAN_H

#include "probe/problem.h"

/* Completes a problem like problem_complete, also one of attention. */
enum mapping_status plan_complete(struct problem *problem, struct mapping_error *error);

/* Plans the runs. With `is_locating`, also plans the runs that locate the mistakes of a product. */
struct plan plan_make(const struct problem *problem, bool is_locating);

/* Makes an operand before a run, with memory_elements elements of its type. For D, this is the
 * content that the kernel overwrites. */
void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* Reads D of one run after another. reading_take is false if the kernel has not changed D. */
struct reading;
struct reading *reading_begin(const struct plan *plan);
bool reading_take(struct reading *reading, size_t run, const void *d);
void reading_end(struct reading *reading, struct findings *findings);

#endif
