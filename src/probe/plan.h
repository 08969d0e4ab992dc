/* plan.h - the runs of a probe, independent of the computation; see problem.h. */
#ifndef PROBE_PLAN_H
#define PROBE_PLAN_H

#include "probe/problem.h"

/* Completes a problem like problem_complete, also one of attention. */
enum mapping_status plan_complete(struct problem *problem, struct mapping_error *error);

/* Chooses the runs; with `is_locating`, also those that locate what is wrong with a product. */
struct plan plan_make(const struct problem *problem, bool is_locating);

/* Makes an operand before a run: memory_elements of its type. Of D it is what the kernel
 * overwrites.
 */
void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* Reads D of one run after another; reading_take is false if D holds what it held before the run.
 */
struct reading;
struct reading *reading_begin(const struct plan *plan);
bool reading_take(struct reading *reading, size_t run, const void *d);
void reading_end(struct reading *reading, struct findings *findings);

#endif
