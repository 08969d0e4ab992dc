/* computation.h - what a probe has to know about a computation: its runs, their inputs, and what D
 * says about the kernel. plan.c does the rest. */
#ifndef PROBE_COMPUTATION_H
#define PROBE_COMPUTATION_H

#include "probe/problem.h"

struct computation {
    /* Completes a problem before problem_complete. NULL: there is nothing to do. */
    enum mapping_status (*complete)(struct problem *problem, struct mapping_error *error);

    /* Sets the runs of a plan. */
    void (*plan)(struct plan *plan);

    /* Makes an operand of a run, but for D. */
    void (*fill)(const struct plan *plan, size_t run, enum probe_role role, void *array);

    /* The element with which D is filled before a run. NULL: number_poison. */
    uint64_t (*poison)(const struct plan *plan, size_t run);

    /* Begins to read D of all runs; `written` is kept up to date. */
    void *(*begin)(const struct plan *plan, struct written *written);

    /* Reads D of a run. `is_changed` is false if it holds what it held before the run. Returns true
     * if the kernel may have run. */
    bool (*take)(void *state, size_t run, const void *d, bool is_changed);

    void (*end)(void *state, struct findings *findings);
};

extern const struct computation copy_computation, gemm_computation, attention_computation;

#endif
