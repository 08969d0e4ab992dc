/* exchange_check.c - executes a plan for all threads, and compares. */
#include "layout/exchange_state.h"

#include <stdlib.h>
#include <string.h>

/* Which point each slot of each value has in each thread: [(value * threads + tid) * per + slot],
 * EXCHANGE_NONE for anything. */
struct machine {
    const struct mapping_exchange *plan;
    uint32_t *points;
    uint32_t known_lanes; /* source[] is the lanes that each thread reads from by these */
    uint32_t source[EXCHANGE_THREADS];
};

static uint32_t *slots_of(const struct machine *machine, uint32_t value, uint32_t tid) {
    const struct mapping_exchange *plan = machine->plan;
    return machine->points + ((size_t)value * plan->threads + tid) * plan->per;
}

/* The registers of the source. */
static void load(const struct machine *machine) {
    const struct mapping_exchange *plan = machine->plan;
    const struct mapping_side *source = &plan->source;
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t *points = source->points + (size_t)t * source->total;
        for (uint32_t w = 0; w < source->words; w++) {
            uint32_t left = source->total - w * plan->per;
            uint32_t *slots = slots_of(machine, w, t);
            for (uint32_t s = 0; s < plan->per; s++)
                slots[s] = s < left ? points[w * plan->per + s] : EXCHANGE_NONE;
        }
    }
}

/* True if the picks of a step are there, and name slots of values before `value`. */
static bool are_picks(const struct mapping_exchange *plan, const struct mapping_step *step,
                      uint32_t value) {
    uint32_t each = step->kind == MAPPING_STEP_SELECT ? 1 : plan->per;
    uint64_t end = ((uint64_t)each << __builtin_popcount(step->by)) + step->first;
    if (end > plan->pick_count)
        return false;
    for (uint32_t n = step->first; n < end; n++)
        if (plan->picks[n].value != MAPPING_NO_VALUE &&
            (plan->picks[n].value >= value || plan->picks[n].slot >= plan->per))
            return false;
    return true;
}

static void copy(const struct machine *machine, uint32_t *to, const uint32_t *from) {
    for (uint32_t s = 0; s < machine->plan->per; s++)
        to[s] = from[s];
}

static void select_value(const struct machine *machine, const struct mapping_step *step,
                         uint32_t value, uint32_t tid) {
    uint32_t from = machine->plan->picks[step->first + mapping_exchange_case(step, tid)].value;
    if (from == MAPPING_NO_VALUE)
        memset(slots_of(machine, value, tid), 0xff, machine->plan->per * sizeof *machine->points);
    else
        copy(machine, slots_of(machine, value, tid), slots_of(machine, from, tid));
}

static void combine(const struct machine *machine, const struct mapping_step *step, uint32_t value,
                    uint32_t tid) {
    uint32_t per = machine->plan->per, *slots = slots_of(machine, value, tid);
    const struct mapping_pick *picks =
        machine->plan->picks + step->first + (size_t)mapping_exchange_case(step, tid) * per;
    for (uint32_t s = 0; s < per; s++)
        slots[s] = picks[s].value == MAPPING_NO_VALUE
                       ? EXCHANGE_NONE
                       : slots_of(machine, picks[s].value, tid)[picks[s].slot];
}

/* Executes a step in all threads. False if there is no such step. */
static bool execute_step(struct machine *machine, const struct mapping_step *step, uint32_t value) {
    const struct mapping_exchange *plan = machine->plan;
    if (step->kind != MAPPING_STEP_SHUFFLE) {
        if (!are_picks(plan, step, value))
            return false;
        for (uint32_t t = 0; t < plan->threads; t++)
            (step->kind == MAPPING_STEP_SELECT ? select_value : combine)(machine, step, value, t);
        return true;
    }
    if (step->value >= value || step->lanes >= plan->lanes_count)
        return false;
    for (uint32_t t = 0; t < plan->threads && machine->known_lanes != step->lanes; t++)
        machine->source[t] =
            t / EXCHANGE_WARP * EXCHANGE_WARP + mapping_exchange_lane(&plan->lanes[step->lanes], t);
    machine->known_lanes = step->lanes;
    for (uint32_t t = 0; t < plan->threads; t++)
        copy(machine, slots_of(machine, value, t),
             slots_of(machine, step->value, machine->source[t]));
    return true;
}

/* True if what is in the words of the target is what has to be there. */
static bool compare(const struct machine *machine) {
    const struct mapping_exchange *plan = machine->plan;
    const struct mapping_side *target = &plan->target;
    uint32_t difference = 0;
    for (uint32_t w = 0; w < target->words; w++) {
        if (plan->outputs[w] >= mapping_exchange_values(plan))
            return false;
        for (uint32_t t = 0; t < plan->threads; t++) {
            const uint32_t *slots = slots_of(machine, plan->outputs[w], t);
            const uint32_t *points = target->points + (size_t)t * target->total;
            for (uint32_t e = w * plan->per; e < target->total && e < (w + 1) * plan->per; e++)
                difference |= slots[e % plan->per] ^ points[e];
        }
    }
    return difference == 0;
}

static bool execute(struct machine *machine) {
    const struct mapping_exchange *plan = machine->plan;
    load(machine);
    for (uint32_t n = 0; n < plan->step_count; n++)
        if (!execute_step(machine, &plan->steps[n], plan->source.words + n))
            return false;
    return compare(machine);
}

enum exchange_result mapping_exchange_check(const struct mapping_exchange *plan) {
    if (plan->kind == MAPPING_EXCHANGE_MEMORY)
        return EXCHANGE_DONE;
    size_t slots = (size_t)mapping_exchange_values(plan) * plan->threads * plan->per;
    struct machine machine = {
        .plan = plan, .points = malloc(slots * sizeof *machine.points), .known_lanes = UINT32_MAX};
    if (!machine.points)
        return EXCHANGE_NO_MEMORY;
    bool holds = execute(&machine);
    free(machine.points);
    return holds ? EXCHANGE_DONE : EXCHANGE_IMPOSSIBLE;
}

bool mapping_exchange_holds(const struct mapping_exchange *plan) {
    return mapping_exchange_check(plan) == EXCHANGE_DONE;
}
