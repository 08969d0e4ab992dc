/* flow.c - computes reaching definitions: which write of a register reaches each use; see flow.h.
 * The instructions form basic blocks. The state of a register at the start of a block is the write
 * that reaches the block from all its predecessors, or FLOW_UNSURE if they differ. States are
 * propagated until nothing changes. */
#include "listing/flow.h"

#include "system/system.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t UNSEEN = UINT32_MAX; /* no path to the block has been found yet */
enum { STATES_MAX = 4 << 20 };

void flow_reset(struct flow *flow) {
    flow->is_lost = false;
    flow->registers = 0;
    flow->count = flow->place_count = flow->branch_count = flow->label_count = 0;
}

void flow_next(struct flow *flow, uint64_t address) {
    flow->places =
        array_grow(flow->places, flow->place_count, 1, &flow->place_capacity, sizeof *flow->places);
    flow->places[flow->place_count++] =
        (struct flow_place){.first = (uint32_t)flow->count, .address = address};
}

uint32_t flow_add(struct flow *flow, enum flow_kind kind, uint32_t reg) {
    flow->events = array_grow(flow->events, flow->count, 1, &flow->capacity, sizeof *flow->events);
    struct flow_event *event = &flow->events[flow->count];
    *event = (struct flow_event){reg, kind, FLOW_UNSURE};
    if (kind != FLOW_KILL && reg >= flow->registers)
        flow->registers = reg + 1;
    return (uint32_t)flow->count++;
}

void flow_branch(struct flow *flow, enum flow_way way, bool is_label, uint64_t target) {
    flow->branches = array_grow(flow->branches, flow->branch_count, 1, &flow->branch_capacity,
                                sizeof *flow->branches);
    flow->branches[flow->branch_count++] =
        (struct flow_branch){(uint32_t)flow->place_count - 1, target, is_label, way};
    if (way == FLOW_ALWAYS)
        flow_stop(flow);
}

void flow_stop(struct flow *flow) {
    flow->places[flow->place_count - 1].ends = true;
}

void flow_label(struct flow *flow, uint64_t key) {
    flow->labels =
        array_grow(flow->labels, flow->label_count, 1, &flow->label_capacity, sizeof *flow->labels);
    flow->labels[flow->label_count++] = (struct flow_label){key, (uint32_t)flow->place_count};
}

uint32_t flow_place(const struct flow *flow, uint32_t event) {
    size_t low = 0, high = flow->place_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (flow->places[middle].first <= event)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* The index of the instruction that is the target of a branch; UNSEEN if it is not in the function.
 */
static uint32_t find_target(const struct flow *flow, const struct flow_branch *branch) {
    size_t low = 0, high = flow->place_count;
    if (branch->is_label) {
        for (size_t l = 0; l < flow->label_count; l++)
            if (flow->labels[l].key == branch->target &&
                flow->labels[l].at < (uint32_t)flow->place_count)
                return flow->labels[l].at;
        return UNSEEN;
    }
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (flow->places[middle].address < branch->target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < flow->place_count && flow->places[low].address == branch->target ? (uint32_t)low
                                                                                  : UNSEEN;
}

/* The basic blocks, and the state of each register at the start of each block. */
struct blocks {
    uint32_t *start, *of; /* index of the first instruction of each block; block of each
                             instruction */
    uint32_t *targets;    /* targets of branches, as indices of instructions */
    uint32_t *slot;       /* index of a register in `states`; UNSEEN if the register has one
                             write */
    uint32_t *only;       /* the write of a register with one write */
    uint32_t *states;     /* `slots` states for each block */
    bool *is_dirty;
    size_t count, slots;
};

/* Gives an index in `states` to each register with several writes. */
static void number_slots(const struct flow *flow, struct blocks *blocks) {
    blocks->slot = memory_get(flow->registers + 1, sizeof *blocks->slot);
    blocks->only = memory_get(flow->registers + 1, sizeof *blocks->only);
    for (size_t r = 0; r < flow->registers; r++)
        blocks->only[r] = UNSEEN;
    for (size_t e = 0; e < flow->count && flow->is_named; e++) {
        const struct flow_event *event = &flow->events[e];
        if (event->kind == FLOW_USE || event->kind == FLOW_KILL)
            continue;
        uint32_t *only = &blocks->only[event->reg];
        const bool is_first = *only == UNSEEN && event->kind != FLOW_MAYBE;
        *only = is_first ? (uint32_t)e : FLOW_UNSURE;
    }
    for (size_t r = 0; r < flow->registers; r++)
        blocks->slot[r] =
            !flow->is_named || blocks->only[r] == FLOW_UNSURE ? (uint32_t)blocks->slots++ : UNSEEN;
}

/* Finds the blocks. False if a branch leaves the function. */
static bool find_blocks(const struct flow *flow, struct blocks *blocks) {
    const size_t count = flow->place_count;
    bool *starts = memory_get(count + 1, sizeof *starts);
    blocks->targets = memory_get(flow->branch_count + 1, sizeof *blocks->targets);
    starts[0] = true;
    for (size_t b = 0; b < flow->branch_count; b++) {
        const struct flow_branch *branch = &flow->branches[b];
        blocks->targets[b] = find_target(flow, branch);
        if (blocks->targets[b] == UNSEEN && branch->way != FLOW_CALL)
            return false;
        if (blocks->targets[b] != UNSEEN)
            starts[blocks->targets[b]] = true;
        starts[branch->from + 1] |= branch->way != FLOW_CALL;
    }
    blocks->start = memory_get(count + 1, sizeof *blocks->start);
    blocks->of = memory_get(count + 1, sizeof *blocks->of);
    for (size_t i = 0; i < count; i++) {
        if (starts[i] || (i > 0 && flow->places[i - 1].ends))
            blocks->start[blocks->count++] = (uint32_t)i;
        blocks->of[i] = (uint32_t)blocks->count - 1;
    }
    blocks->start[blocks->count] = (uint32_t)count;
    return true;
}

/* The first event after a block. */
static size_t end_of(const struct flow *flow, const struct blocks *blocks, size_t block) {
    const uint32_t next = blocks->start[block + 1];
    return next < flow->place_count ? flow->places[next].first : flow->count;
}

/* Applies the events of a block to a state. If `is_last`, stores the reaching definition of each
 * use. */
static void apply(struct flow *flow, const struct blocks *blocks, size_t block, uint32_t *state,
                  bool is_last) {
    const size_t end = end_of(flow, blocks, block);
    for (size_t e = flow->places[blocks->start[block]].first; e < end; e++) {
        struct flow_event *event = &flow->events[e];
        if (event->kind == FLOW_KILL) {
            for (size_t s = 0; s < blocks->slots && !flow->is_named; s++)
                state[s] = FLOW_UNSURE;
            continue;
        }
        const uint32_t slot = blocks->slot[event->reg];
        if (event->kind == FLOW_COPY && slot != UNSEEN && !flow->is_named) {
            const uint32_t value = state[blocks->slot[flow->events[e - 1].reg]];
            state[slot] = value == UNSEEN || value == FLOW_UNSURE ? (uint32_t)e : value;
        } else if (event->kind != FLOW_USE && slot != UNSEEN)
            state[slot] = event->kind != FLOW_MAYBE ? (uint32_t)e : FLOW_UNSURE;
        else if (event->kind == FLOW_USE && is_last) {
            event->found = slot != UNSEEN ? state[slot] : blocks->only[event->reg];
            event->found = event->found == UNSEEN ? FLOW_UNSURE : event->found;
        }
    }
}

/* Joins the state at the end of a block with that of other predecessors of an instruction. */
static bool join(struct blocks *blocks, uint32_t instruction, const uint32_t *state) {
    const size_t block = blocks->of[instruction];
    uint32_t *into = blocks->states + block * blocks->slots;
    bool has_changed = false;
    for (size_t s = 0; s < blocks->slots; s++) {
        const uint32_t joined = into[s] == UNSEEN || into[s] == state[s] ? state[s] : FLOW_UNSURE;
        has_changed |= joined != into[s];
        into[s] = joined;
    }
    blocks->is_dirty[block] |= has_changed;
    return has_changed;
}

/* Propagates states until nothing changes. */
static void propagate(struct flow *flow, struct blocks *blocks, uint32_t *state) {
    for (bool is_over = false; !is_over;) {
        size_t branch = 0;
        is_over = true;
        for (size_t b = 0; b < blocks->count; b++) {
            const uint32_t last = blocks->start[b + 1] - 1;
            const bool is_dirty = blocks->is_dirty[b];
            blocks->is_dirty[b] = false;
            if (is_dirty) {
                memcpy(state, blocks->states + b * blocks->slots, blocks->slots * sizeof *state);
                apply(flow, blocks, b, state, false);
            }
            for (; branch < flow->branch_count && flow->branches[branch].from <= last; branch++)
                if (is_dirty && flow->branches[branch].way != FLOW_CALL)
                    is_over &= !join(blocks, blocks->targets[branch], state);
            if (is_dirty && !flow->places[last].ends && b + 1 < blocks->count)
                is_over &= !join(blocks, blocks->start[b + 1], state);
        }
    }
}

void flow_solve(struct flow *flow) {
    struct blocks blocks = {.count = 0};
    if (flow->is_lost || flow->place_count == 0)
        return;
    arena_begin();
    number_slots(flow, &blocks);
    if (find_blocks(flow, &blocks) && blocks.count * blocks.slots < STATES_MAX) {
        const size_t size = blocks.count * blocks.slots;
        uint32_t *state = memory_get(blocks.slots + 1, sizeof *state);
        blocks.states = memory_get(size + 1, sizeof *blocks.states);
        blocks.is_dirty = memory_get(blocks.count + 1, sizeof *blocks.is_dirty);
        memset(blocks.states, 0xff, size * sizeof *blocks.states);
        for (size_t s = 0; s < blocks.slots; s++)
            state[s] = FLOW_UNSURE;
        join(&blocks, 0, state);
        for (size_t b = 0; b < flow->branch_count; b++)
            if (flow->branches[b].way == FLOW_CALL && blocks.targets[b] != UNSEEN)
                join(&blocks, blocks.targets[b], state);
        blocks.is_dirty[0] = true;
        propagate(flow, &blocks, state);
        for (size_t b = 0; b < blocks.count; b++) {
            memcpy(state, blocks.states + b * blocks.slots, blocks.slots * sizeof *state);
            apply(flow, &blocks, b, state, true);
        }
    }
    mapping_arena_end();
}
