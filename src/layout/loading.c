/* loading.c - plans of loads and stores: steps, addresses, formulae, wavefronts; see loading.h. */
#include "layout/loading_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Wavefronts ---- */

/* Counts those of one step, of all warps. */
static void count_step(const struct loading_table *table, const struct mapping_access *access,
                       uint32_t step, uint32_t *wavefronts, uint32_t *minimum) {
    for (uint32_t warp = 0; warp < table->threads / LANES; warp++) {
        uint32_t address[LANES];
        struct mapping_wavefronts result;
        mapping_loading_addresses(table, access, step, warp, address);
        mapping_access_count(access, address, &result);
        *wavefronts += result.wavefronts;
        *minimum += result.minimum;
    }
}

enum mapping_status mapping_loading_count(const struct mapping_loading_request *request,
                                          const struct mapping_access *access, uint32_t *wavefronts,
                                          uint32_t *minimum) {
    struct loading_table table;
    struct loading_obstacle obstacle;
    struct mapping_error error;
    *wavefronts = *minimum = 0;
    enum mapping_status status = mapping_loading_build(request, &table, &error);
    if (status == MAPPING_OK && !mapping_loading_choose(&table, access, &obstacle))
        status = MAPPING_INVALID;
    for (uint32_t s = 0; status == MAPPING_OK && s < mapping_loading_steps(&table, access); s++)
        count_step(&table, access, s, wavefronts, minimum);
    mapping_loading_table_free(&table);
    return status;
}

/* ---- Formulae ---- */

/* Deduces a formula for each step, and one for all of them. `address` has those of all steps and
 * threads, where lanes that bring none repeat those that do. */
static void deduce(struct mapping_loading *plan, const uint32_t *address) {
    const struct mapping_space of_step = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space of_all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    for (uint32_t s = 0; s < plan->step_count; s++)
        plan->steps[s].has_formula =
            mapping_deduce(&of_step, address + (size_t)s * plan->threads, &plan->steps[s].formula);
    plan->has_formula = plan->step_count > 1 && mapping_deduce(&of_all, address, &plan->formula);
}

/* Fills in the addresses that lanes of x1 and x2 do not bring: those of lane % 8 or lane % 16. Then
 * the formula is a function of every tid, and all addresses are those of rows, as sm_75 needs it
 * (PTX ISA, ldmatrix). */
static void repeat(const struct mapping_loading *plan, const uint32_t *address, uint32_t *all) {
    uint32_t lanes = mapping_access_lanes(plan->access);
    size_t count = (size_t)plan->step_count * plan->threads;
    for (size_t n = 0; n < count; n++)
        all[n] = address[n - n % LANES + n % LANES % lanes];
}

/* ---- Plans ---- */

/* Makes room for all steps, their addresses, and these once more. */
static bool allocate(struct mapping_loading *plan) {
    size_t addresses = (size_t)plan->step_count * plan->threads;
    plan->steps =
        calloc(1, plan->step_count * sizeof *plan->steps + 2 * addresses * sizeof(uint32_t));
    return plan->steps != NULL;
}

static void fill_step(const struct loading_table *table, struct mapping_loading *plan, uint32_t s,
                      uint32_t *address) {
    struct mapping_loading_step *step = &plan->steps[s];
    step->piece_count = mapping_loading_pieces_of(plan->access);
    for (uint32_t p = 0; p < step->piece_count; p++)
        step->pieces[p] = mapping_loading_piece(table, plan->access, s, p);
    step->address = address;
    for (uint32_t warp = 0; warp < plan->threads / LANES; warp++)
        mapping_loading_addresses(table, plan->access, s, warp, address + (size_t)warp * LANES);
    step->wavefronts = step->minimum = 0;
    count_step(table, plan->access, s, &step->wavefronts, &step->minimum);
    plan->wavefronts += step->wavefronts;
    plan->minimum += step->minimum;
}

/* Plans with one access, of a request that has been read. */
static enum mapping_status make(struct loading_table *table, const struct mapping_access *access,
                                struct mapping_loading *plan, struct mapping_error *error) {
    struct loading_obstacle obstacle;
    if (!mapping_loading_choose(table, access, &obstacle))
        return mapping_loading_explain(table, access, &obstacle, error);
    plan->access = access;
    plan->threads = table->threads;
    plan->step_count = mapping_loading_steps(table, access);
    if (!allocate(plan))
        return mapping_out_of_memory(error);
    uint32_t *address = (uint32_t *)(plan->steps + plan->step_count);
    uint32_t *all = address + (size_t)plan->step_count * plan->threads;
    for (uint32_t s = 0; s < plan->step_count; s++)
        fill_step(table, plan, s, address + (size_t)s * plan->threads);
    repeat(plan, address, all);
    deduce(plan, all);
    return MAPPING_OK;
}

enum mapping_status mapping_loading_plan(const struct mapping_loading_request *request,
                                         const struct mapping_access *access,
                                         struct mapping_loading *plan,
                                         struct mapping_error *error) {
    struct loading_table table;
    memset(plan, 0, sizeof *plan);
    enum mapping_status status = mapping_loading_build(request, &table, error);
    if (status == MAPPING_OK)
        status = make(&table, access, plan, error);
    mapping_loading_table_free(&table);
    return status;
}

void mapping_loading_free(struct mapping_loading *plan) {
    free(plan->steps);
    memset(plan, 0, sizeof *plan);
}

/* ---- All plans ---- */

/* Puts the last plan where it belongs: behind those of as many wavefronts, which came before it in
 * the order of operations, the widest first, and so have no more steps. */
static void sort_in(struct mapping_loading *plans, size_t last) {
    struct mapping_loading plan = plans[last];
    size_t at = last;
    while (at > 0 && plans[at - 1].wavefronts > plan.wavefronts)
        at--;
    memmove(plans + at + 1, plans + at, (last - at) * sizeof *plans);
    plans[at] = plan;
}

/* Makes every plan that there is. */
static enum mapping_status make_all(struct loading_table *table, struct mapping_loading *plans,
                                    size_t *count, struct mapping_error *error) {
    const struct mapping_access *access;
    for (size_t a = 0; (access = mapping_access_at(a)); a++) {
        struct mapping_loading plan = {.steps = NULL};
        uint32_t arch = table->request->arch;
        if (arch != 0 && mapping_access_since(access) > arch)
            continue;
        enum mapping_status status = make(table, access, &plan, error);
        if (status == MAPPING_FAILED)
            return status;
        if (status != MAPPING_OK)
            continue;
        plans[*count] = plan;
        sort_in(plans, (*count)++);
    }
    return MAPPING_OK;
}

/* Says why the narrowest access that is as wide as an element, or 32 bits, cannot. */
static enum mapping_status explain_narrowest(struct loading_table *table,
                                             struct mapping_error *error) {
    const struct mapping_access *access, *narrowest = NULL;
    struct loading_obstacle obstacle;
    for (size_t a = 0; (access = mapping_access_at(a)); a++)
        if (!access->matrices && access->is_store == table->request->is_store &&
            mapping_loading_units_of(table, mapping_loading_bits_of(access))->address &&
            (!narrowest || access->bytes < narrowest->bytes))
            narrowest = access;
    if (!narrowest || mapping_loading_choose(table, narrowest, &obstacle))
        return MAPPING_OK;
    return mapping_loading_explain(table, narrowest, &obstacle, error);
}

enum mapping_status mapping_loading_all(const struct mapping_loading_request *request,
                                        struct mapping_loading **plans, size_t *count,
                                        struct mapping_error *error) {
    struct loading_table table;
    size_t accesses = 0;
    *plans = NULL;
    *count = 0;
    while (mapping_access_at(accesses))
        accesses++;
    enum mapping_status status = mapping_loading_build(request, &table, error);
    if (status == MAPPING_OK && !(*plans = calloc(accesses + 1, sizeof **plans)))
        status = mapping_out_of_memory(error);
    if (status == MAPPING_OK)
        status = make_all(&table, *plans, count, error);
    if (status == MAPPING_OK && *count == 0)
        status = explain_narrowest(&table, error);
    mapping_loading_table_free(&table);
    return status;
}
