/* exchange_steps.c - the steps of a plan, each there once. */
#include "layout/exchange_state.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for `more` elements behind `count`. Returns the array, or NULL; the old one is then as
 * it was. */
static void *grow(void *array, uint32_t count, uint32_t more, uint32_t *room, size_t size) {
    if (count + more <= *room)
        return array;
    uint32_t wanted = *room * 2 > count + more ? *room * 2 : count + more + 16;
    void *grown = realloc(array, wanted * size);
    if (grown)
        *room = wanted;
    return grown;
}

static bool grow_steps(struct exchange *exchange) {
    struct mapping_exchange *plan = exchange->plan;
    struct mapping_step *steps =
        grow(plan->steps, plan->step_count, 1, &exchange->step_room, sizeof *steps);
    if (steps)
        plan->steps = steps;
    return steps != NULL;
}

static bool grow_picks(struct exchange *exchange, uint32_t more) {
    struct mapping_exchange *plan = exchange->plan;
    struct mapping_pick *picks =
        grow(plan->picks, plan->pick_count, more, &exchange->pick_room, sizeof *picks);
    if (picks)
        plan->picks = picks;
    return picks != NULL;
}

/* ---- Compositions ---- */

/* What a value is to have; see mapping_exchange_compose. */
struct composition {
    const uint32_t *table;
    uint32_t threads, per;
    unsigned shift;
};

static const uint32_t *row_of(const struct composition *wanted, uint32_t t) {
    return wanted->table + ((size_t)t << wanted->shift);
}

/* The bits of tid on which the table depends. */
static uint32_t find_dependence(const struct composition *wanted) {
    uint32_t by = 0, size = wanted->threads << wanted->shift;
    for (uint32_t bit = 1; bit < wanted->threads; bit <<= 1) {
        uint32_t difference = 0, run = bit << wanted->shift; /* rows that differ in the bit alone */
        for (const uint32_t *row = wanted->table; row < wanted->table + size;
             row += 2 * (size_t)run)
            for (uint32_t n = 0; n < run; n++)
                difference |= row[n] ^ row[n + run];
        by |= difference ? bit : 0;
    }
    return by;
}

/* The value of which all slots are where they are in the table; MAPPING_NO_VALUE if nothing is
 * there, or there is no such value, in which case *is_whole becomes false. */
static uint32_t whole_value(const struct composition *wanted, uint32_t t, bool *is_whole) {
    uint32_t value = MAPPING_NO_VALUE, inside = wanted->per - 1;
    const uint32_t *row = row_of(wanted, t);
    for (uint32_t s = 0; s < wanted->per; s++) {
        if (row[s] == EXCHANGE_NONE)
            continue;
        uint32_t own = row[s] >> wanted->shift;
        if ((row[s] & inside) != s || (value != MAPPING_NO_VALUE && value != own)) {
            *is_whole = false;
            return MAPPING_NO_VALUE;
        }
        value = own;
    }
    return value;
}

/* The thread with those of the bits in `by` that number c says, and no others. */
static uint32_t thread_of_case(uint32_t by, uint32_t c) {
    uint32_t t = 0;
    for (; by; by &= by - 1, c >>= 1)
        t |= c & 1 ? by & -by : 0;
    return t;
}

static uint32_t count_cases(const struct mapping_step *step) {
    return UINT32_C(1) << __builtin_popcount(step->by);
}

/* Appends the picks of a step, which are not counted yet. */
static bool append_picks(struct exchange *exchange, const struct composition *wanted,
                         const struct mapping_step *step) {
    uint32_t per = wanted->per, cases = count_cases(step);
    if (!grow_picks(exchange, cases * per))
        return false;
    struct mapping_pick *pick = exchange->plan->picks + step->first;
    bool is_whole = true;
    for (uint32_t c = 0; c < cases; c++) {
        uint32_t t = thread_of_case(step->by, c);
        if (step->kind == MAPPING_STEP_SELECT)
            *pick++ = (struct mapping_pick){whole_value(wanted, t, &is_whole), 0};
        for (uint32_t s = 0; s < per && step->kind == MAPPING_STEP_COMBINE; s++) {
            uint32_t place = row_of(wanted, t)[s];
            *pick++ = place == EXCHANGE_NONE ? (struct mapping_pick){MAPPING_NO_VALUE, 0}
                                             : (struct mapping_pick){place / per, place % per};
        }
    }
    return true;
}

/* The value of a step that is there already and does the same, or MAPPING_NO_VALUE. */
static uint32_t find_step(const struct mapping_exchange *plan, const struct mapping_step *step,
                          uint32_t pick_count) {
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const struct mapping_step *other = &plan->steps[n];
        if (other->kind == step->kind && other->by == step->by && other->value == step->value &&
            other->lanes == step->lanes &&
            (pick_count == 0 || memcmp(plan->picks + other->first, plan->picks + step->first,
                                       pick_count * sizeof *plan->picks) == 0))
            return plan->source.words + n;
    }
    return MAPPING_NO_VALUE;
}

/* Adds a step with so many picks behind those that are counted, unless there is one like it. */
static uint32_t add_step(struct exchange *exchange, const struct mapping_step *step,
                         uint32_t pick_count) {
    struct mapping_exchange *plan = exchange->plan;
    uint32_t value = find_step(plan, step, pick_count);
    if (value != MAPPING_NO_VALUE)
        return value;
    if (!grow_steps(exchange))
        return MAPPING_NO_VALUE;
    plan->pick_count += pick_count;
    plan->steps[plan->step_count++] = *step;
    return mapping_exchange_values(plan) - 1;
}

uint32_t mapping_exchange_compose(struct exchange *exchange, const uint32_t *table) {
    struct mapping_exchange *plan = exchange->plan;
    const struct composition wanted = {table, plan->threads, plan->per, exchange->shift};
    struct mapping_step step = {MAPPING_STEP_SELECT, find_dependence(&wanted), plan->pick_count, 0,
                                0};
    bool is_whole = true;
    uint32_t first = MAPPING_NO_VALUE, cases = count_cases(&step);
    for (uint32_t c = 0; c < cases && is_whole; c++) {
        uint32_t value = whole_value(&wanted, thread_of_case(step.by, c), &is_whole);
        first = c == 0 ? value : first;
    }
    if (is_whole && cases == 1)
        return first != MAPPING_NO_VALUE ? first : 0;
    if (!is_whole)
        step.kind = MAPPING_STEP_COMBINE;
    if (!append_picks(exchange, &wanted, &step))
        return MAPPING_NO_VALUE;
    return add_step(exchange, &step, is_whole ? cases : cases * plan->per);
}

/* ---- Shuffles ---- */

uint32_t mapping_exchange_shuffle(struct exchange *exchange, uint32_t value, uint32_t lanes) {
    const struct mapping_step step = {MAPPING_STEP_SHUFFLE, 0, 0, value, lanes};
    uint32_t before = exchange->plan->step_count;
    uint32_t received = add_step(exchange, &step, 0);
    exchange->plan->shuffles += exchange->plan->step_count - before;
    return received;
}

/* Says in a formula, or as a mask, from where threads read. False if there is none. */
static bool describe_lanes(uint32_t threads, const uint32_t *source, struct mapping_lanes *lanes) {
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, threads}}};
    uint32_t values[EXCHANGE_THREADS];
    *lanes = (struct mapping_lanes){.is_xor = true, .mask = source[0] % EXCHANGE_WARP};
    for (uint32_t t = 0; t < threads; t++) {
        values[t] = source[t] % EXCHANGE_WARP;
        lanes->is_xor = lanes->is_xor && source[t] == (t ^ source[0]);
    }
    return lanes->is_xor || mapping_deduce(&space, values, &lanes->formula);
}

enum exchange_result mapping_exchange_add_lanes(struct exchange *exchange, const uint32_t *source,
                                                uint32_t *index) {
    struct mapping_exchange *plan = exchange->plan;
    struct mapping_lanes *lanes =
        grow(plan->lanes, plan->lanes_count, 1, &exchange->lanes_room, sizeof *lanes);
    if (!lanes)
        return EXCHANGE_NO_MEMORY;
    plan->lanes = lanes;
    *index = plan->lanes_count;
    if (!describe_lanes(plan->threads, source, &lanes[plan->lanes_count]))
        return EXCHANGE_IMPOSSIBLE;
    plan->lanes_count++;
    return EXCHANGE_DONE;
}
