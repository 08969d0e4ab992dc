/* computation.h - the interface of a computation that a probe can check: its runs, their inputs,
 * and the findings from its output D. plan.c calls it, and does everything that does not depend on
 * the computation. */
#ifndef PROBE_COMPUTATION_H
#define PROBE_COMPUTATION_H

#include "probe/problem.h"

struct computation {
    /* Checks and completes a problem, before problem_complete. MAPPING_INVALID, with a message, if
     * the problem cannot be probed. NULL if there is nothing to do. */
    enum mapping_status (*complete)(struct problem *problem, struct mapping_error *error);

    /* Sets the runs of a plan. */
    void (*plan)(struct plan *plan);

    /* Fills an array with an operand of a run. Not called for D. */
    void (*fill)(const struct plan *plan, size_t run, enum probe_role role, void *array);

    /* Returns the element that fills D before a run. NULL: number_poison. */
    uint64_t (*poison)(const struct plan *plan, size_t run);

    /* Returns the state for `take` and `end`. `written` is updated before each call of `take`. */
    void *(*begin)(const struct plan *plan, struct written *written);

    /* Reads D of a run. `is_changed` is false if all of D still holds the poison. Returns true if
     * the kernel may have run. */
    bool (*take)(void *state, size_t run, const void *d, bool is_changed);

    void (*end)(void *state, struct findings *findings);
};

extern const struct computation copy_computation, gemm_computation, attention_computation;

#endif
