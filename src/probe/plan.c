/* plan.c - makes and reads the runs of a probe, by calling the functions of its computation; see
 * plan.h. */
#include "probe/plan.h"

#include "probe/computation.h"

static const struct computation *computation_of(const struct problem *problem) {
    static const struct computation *const all[] = {[PROBE_COPY] = &copy_computation,
                                                    [PROBE_GEMM] = &gemm_computation,
                                                    [PROBE_ATTENTION] = &attention_computation};
    return all[problem->op];
}

enum mapping_status plan_complete(struct problem *problem, struct mapping_error *error) {
    const struct computation *computation = computation_of(problem);
    const enum mapping_status status =
        computation->complete ? computation->complete(problem, error) : MAPPING_OK;
    return status == MAPPING_OK ? problem_complete(problem, error) : status;
}

struct plan plan_make(const struct problem *problem, bool is_locating) {
    struct plan plan = {.problem = *problem, .is_locating = is_locating};
    computation_of(problem)->plan(&plan);
    return plan;
}

static uint64_t poison_of(const struct plan *plan, size_t run) {
    const struct computation *computation = computation_of(&plan->problem);
    return computation->poison ? computation->poison(plan, run)
                               : number_poison(plan->problem.operand[PROBE_D].type, run);
}

void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array) {
    const struct operand_memory *of = &plan->problem.operand[role];
    const uint64_t poison = poison_of(plan, run);
    if (role != PROBE_D)
        computation_of(&plan->problem)->fill(plan, run, role, array);
    for (size_t e = 0; role == PROBE_D && e < memory_elements(of); e++)
        number_put(array, number_bits(of->type), e, poison);
}

struct reading {
    const struct plan *plan;
    struct written written;
    void *of; /* the computation */
};

struct reading *reading_begin(const struct plan *plan) {
    struct reading *reading = memory_get(1, sizeof *reading);
    reading->plan = plan;
    reading->written = written_begin(&plan->problem);
    reading->of = computation_of(&plan->problem)->begin(plan, &reading->written);
    return reading;
}

bool reading_take(struct reading *reading, size_t run, const void *d) {
    const struct plan *plan = reading->plan;
    const bool is_changed = written_take(&reading->written, &plan->problem, poison_of(plan, run),
                                         run < plan->proof_runs, d);
    return computation_of(&plan->problem)->take(reading->of, run, d, is_changed);
}

void reading_end(struct reading *reading, struct findings *findings) {
    findings->plan = reading->plan;
    computation_of(&reading->plan->problem)->end(reading->of, findings);
}
