/* plan.h - the runs of a probe, independent of the computation; see problem.h. */
#ifndef PROBE_PLAN_H
#define PROBE_PLAN_H

#include "probe/problem.h"

/* Completes a problem of any computation: runs its own checks, then problem_complete.
 * MAPPING_INVALID, with a message, if the problem cannot be probed. */
enum mapping_status plan_complete(struct problem *problem, struct mapping_error *error);

/* Returns the runs of a problem. With `is_locating`, they include those that locate the mistakes of
 * a product. */
struct plan plan_make(const struct problem *problem, bool is_locating);

/* Fills an array with an operand before a run: memory_elements elements of its type. D is filled
 * with the poison, which the kernel should overwrite. */
void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* Reads D of one run after another. reading_take returns false if the kernel did not change D, so
 * it has probably not run. reading_end adds the findings. */
struct reading;
struct reading *reading_begin(const struct plan *plan);
bool reading_take(struct reading *reading, size_t run, const void *d);
void reading_end(struct reading *reading, struct findings *findings);

#endif
