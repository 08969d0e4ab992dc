/* problem.c - what a kernel should compute; see problem.h. */
#include "probe/problem.h"

#include <string.h>

const char *probe_op_name(size_t op) {
    static const char *const names[] = {[PROBE_COPY] = "copy"};
    return op < PROBE_OPS ? names[op] : NULL;
}

const char *probe_role_name(enum probe_role role) {
    static const char *const names[] = {[PROBE_A] = "A", [PROBE_B] = "B", [PROBE_D] = "D"};
    return role < PROBE_ROLES ? names[role] : NULL;
}

enum mapping_status problem_complete(struct problem *problem, struct mapping_error *error) {
    const uint64_t most = UINT64_C(1) << 26;
    struct operand_memory *operand = problem->operand;
    const uint32_t sizes[PROBE_ROLES][2] = {
        [PROBE_A] = {problem->m, problem->n},
        [PROBE_D] = {problem->m, problem->n},
    };
    for (enum probe_role r = 0; r < PROBE_ROLES; r++) {
        struct operand_memory *of = &operand[r];
        of->is_used = sizes[r][0] > 0;
        if (!of->is_used)
            continue;
        of->rows = sizes[r][0];
        of->cols = sizes[r][1];
        if (of->ld == 0)
            of->ld = memory_cols(of);
        if (!number_has(of->type))
            return mapping_fail(error, MAPPING_INVALID,
                                "%s has type %s; a probe has f64, f32, tf32, bf16, f16, e4m3, "
                                "e5m2, e2m1, s32, s8, u8, s4 or u4",
                                probe_role_name(r), mapping_type_name(of->type));
        if (of->ld < memory_cols(of))
            return mapping_fail(error, MAPPING_INVALID,
                                "the leading dimension of %s is %u, but its %s have %u elements",
                                probe_role_name(r), of->ld,
                                of->is_column_major ? "columns" : "rows", memory_cols(of));
        if (number_bits(of->type) == 4 && of->ld % 2 != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "the leading dimension of %s is %u; of elements of 4 bits it has "
                                "to be even",
                                probe_role_name(r), of->ld);
        if (memory_elements(of) > most)
            return mapping_fail(error, MAPPING_INVALID, "%s has more than %u elements",
                                probe_role_name(r), (unsigned)most);
    }
    return MAPPING_OK;
}

/* ---- Plans ---- */

struct plan problem_plan(const struct problem *problem) {
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const struct codes codes = number_codes(a->type);
    struct plan plan = {.problem = *problem};
    for (uint64_t reach = 1; reach < memory_elements(a); plan.digits++)
        reach = reach > UINT64_MAX / codes.count ? UINT64_MAX : reach * codes.count;
    plan.digits += plan.digits == 0;
    plan.runs = plan.digits + 1; /* and a check digit */
    return plan;
}

void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array) {
    const struct operand_memory *of = &plan->problem.operand[role];
    const unsigned bits = number_bits(of->type);
    const size_t count = memory_elements(of);
    if (role == PROBE_D) {
        const uint64_t poison = number_poison(of->type, run);
        for (size_t e = 0; e < count; e++)
            number_put(array, bits, e, poison);
        return;
    }
    const struct codes codes = number_codes(of->type);
    uint64_t divisor = 1;
    for (size_t d = 0; d < run && run < plan->digits; d++)
        divisor *= codes.count;
    for (size_t e = 0; e < count; e++) {
        const uint64_t digit = (run < plan->digits ? e / divisor : number_hash(1, e)) % codes.count;
        number_put(array, bits, e, code_element(&codes, digit));
    }
}

/* ---- Findings ---- */

struct finding *findings_add(struct findings *findings, const char *name) {
    findings->item =
        array_grow(findings->item, findings->count, 1, &findings->room, sizeof *findings->item);
    struct finding *finding = &findings->item[findings->count++];
    *finding = (struct finding){.name = name};
    return finding;
}

void finding_note(struct finding *finding, uint32_t row, uint32_t col) {
    if (finding->places < PLACES_MAX) {
        finding->place[finding->places][0] = row;
        finding->place[finding->places++][1] = col;
    }
    finding->count++;
}
