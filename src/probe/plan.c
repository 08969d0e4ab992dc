/* plan.c - the runs of a probe that do not depend on the computation; see plan.h. */
#include "probe/plan.h"

#include "probe/attention.h"
#include "probe/attention_plan.h"
#include "probe/copy.h"
#include "probe/gemm.h"

enum mapping_status plan_complete(struct problem *problem, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    if (problem->op == PROBE_ATTENTION)
        status = attention_complete(problem, error);
    return status == MAPPING_OK ? problem_complete(problem, error) : status;
}

struct plan plan_make(const struct problem *problem, bool is_locating) {
    struct plan plan = {.problem = *problem, .is_locating = is_locating};
    if (problem->op == PROBE_COPY)
        copy_plan(&plan);
    else if (problem->op == PROBE_ATTENTION)
        attention_plan(&plan);
    else
        gemm_plan(&plan);
    return plan;
}

void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array) {
    const struct operand_memory *of = &plan->problem.operand[role];
    const bool is_gemm = plan->problem.op == PROBE_GEMM;
    if (role == PROBE_D) {
        const uint64_t poison = is_gemm ? gemm_poison(plan, run) : number_poison(of->type, run);
        for (size_t e = 0; e < memory_elements(of); e++)
            number_put(array, number_bits(of->type), e, poison);
    } else if (is_gemm) {
        gemm_fill(plan, run, role, array);
    } else if (plan->problem.op == PROBE_ATTENTION) {
        attention_fill(plan, run, role, array);
    } else {
        copy_fill(plan, run, array);
    }
}

struct reading {
    struct copied *copied;
    struct multiplied *multiplied;
    struct attended *attended;
};

struct reading *reading_begin(const struct plan *plan) {
    struct reading *reading = memory_get(1, sizeof *reading);
    if (plan->problem.op == PROBE_COPY)
        reading->copied = copied_begin(plan);
    else if (plan->problem.op == PROBE_ATTENTION)
        reading->attended = attended_begin(plan);
    else
        reading->multiplied = multiplied_begin(plan);
    return reading;
}

bool reading_take(struct reading *reading, size_t run, const void *d) {
    return reading->attended ? attended_take(reading->attended, run, d)
           : reading->copied ? copied_take(reading->copied, run, d)
                             : multiplied_take(reading->multiplied, run, d);
}

void reading_end(struct reading *reading, struct findings *findings) {
    if (reading->copied)
        copied_end(reading->copied, findings);
    else if (reading->attended)
        attended_end(reading->attended, findings);
    else
        multiplied_end(reading->multiplied, findings);
}
