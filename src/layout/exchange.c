/* exchange.c - from two layouts to a plan; see exchange.h.
 *
 * Nearly all layouts of fragments are permutations of bits: each bit of a row or column is one bit
 * of tid or of i. For element e of thread t of the target the lane of the source that has it is
 * then start(t) ^ offset(e), which is found here from the tables, as numbers of elements and
 * matrices need not be powers of two. The offsets make a space of 2^k. If k is 0, each thread reads
 * all from one thread. Otherwise one has to take care that in each round every lane is read by one
 * lane: thread t reads in round j what has the offset j ^ detour(t). exchange_lanes.c finds the
 * detours; exchange_rounds.c says what is sent in each round, and where it goes. */
#include "layout/exchange_state.h"

#include <stdlib.h>
#include <string.h>

const char *mapping_exchange_kind_name(enum mapping_exchange_kind kind) {
    static const char *const names[] = {"same", "words", "slots", "shuffles", "memory"};
    return names[kind];
}

uint32_t mapping_exchange_case(const struct mapping_step *step, uint32_t tid) {
    uint32_t number = 0, weight = 1;
    for (uint32_t by = step->by; by; by &= by - 1, weight <<= 1)
        if (tid & by & -by)
            number |= weight;
    return number;
}

uint32_t mapping_exchange_lane(const struct mapping_lanes *lanes, uint32_t tid) {
    return lanes->is_xor ? (tid ^ lanes->mask) % EXCHANGE_WARP
                         : mapping_formula_evaluate(&lanes->formula, 1, &tid) % EXCHANGE_WARP;
}

uint32_t mapping_exchange_values(const struct mapping_exchange *plan) {
    return plan->source.words + plan->step_count;
}

/* Leaves what the plan says of its sides, but no steps. */
static void clear_steps(struct mapping_exchange *plan) {
    free(plan->outputs);
    free(plan->steps);
    free(plan->picks);
    free(plan->lanes);
    plan->outputs = NULL;
    plan->steps = NULL;
    plan->picks = NULL;
    plan->lanes = NULL;
    plan->step_count = plan->pick_count = plan->lanes_count = plan->shuffles = 0;
}

void mapping_exchange_free(struct mapping_exchange *plan) {
    clear_steps(plan);
    free(plan->source.points);
    free(plan->target.points);
    *plan = (struct mapping_exchange){.kind = MAPPING_EXCHANGE_MEMORY};
}

/* ---- Sides ---- */

bool mapping_exchange_takes(const struct mapping_layout *layout) {
    const struct mapping_space *from = &layout->from, *to = &layout->to;
    return from->count == 2 && (to->count == 2 || to->count == 3) &&
           mapping_space_find(from, MAPPING_AXIS_TID) == 0 &&
           mapping_space_find(from, MAPPING_AXIS_I) == 1 &&
           mapping_space_find(to, MAPPING_AXIS_ROW) == (int)to->count - 2 &&
           mapping_space_find(to, MAPPING_AXIS_COL) == (int)to->count - 1 &&
           (to->count == 2 || mapping_space_find(to, MAPPING_AXIS_BLOCK) == 0);
}

/* Blocks, rows and columns of one matrix. */
static void measure(const struct mapping_layout *layout, uint32_t size[3]) {
    size[0] = size[1] = size[2] = 1;
    for (uint32_t a = 0; a < layout->to.count; a++)
        size[a + 3 - layout->to.count] = layout->to.axis[a].size;
}

/* Decides how large the whole is, and how often each side is repeated for that. */
static enum mapping_status fit(const struct mapping_layout *source,
                               const struct mapping_layout *target, struct mapping_exchange *plan,
                               struct mapping_error *error) {
    static const char *const names[] = {"blocks", "rows", "columns"};
    uint32_t one[3], other[3];
    measure(source, one);
    measure(target, other);
    for (int a = 0; a < 3; a++) {
        uint32_t size = one[a] > other[a] ? one[a] : other[a];
        if (size % one[a] != 0 || size % other[a] != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "sizes do not match: %u %s in the first layout, %u in the second; "
                                "one must be a multiple of the other",
                                one[a], names[a], other[a]);
        plan->size[a] = size;
        plan->source.grid[a] = size / one[a];
        plan->target.grid[a] = size / other[a];
    }
    return MAPPING_OK;
}

/* Writes the points of the elements of the first matrix, `total` elements of the side in each
 * thread. */
static enum mapping_status place_first(const struct mapping_layout *layout,
                                       const struct mapping_exchange *plan,
                                       struct mapping_side *side, struct mapping_error *error) {
    uint32_t *const *inner = layout->coordinate + layout->to.count - 2;
    uint32_t size[3];
    measure(layout, size);
    for (uint32_t t = 0; t < plan->threads; t++)
        for (uint32_t i = 0; i < side->elements; i++) {
            size_t n = (size_t)t * side->elements + i;
            uint32_t block = layout->to.count == 3 ? layout->coordinate[0][n] : 0;
            if (block >= size[0] || inner[0][n] >= size[1] || inner[1][n] >= size[2])
                return mapping_fail(error, MAPPING_INVALID,
                                    "element %u of thread %u is outside its matrix", i, t);
            side->points[(size_t)t * side->total + i] =
                (block * plan->size[1] + inner[0][n]) * plan->size[2] + inner[1][n];
        }
    return MAPPING_OK;
}

/* How far the points of matrix m are behind those of the first. */
static uint32_t distance(const struct mapping_exchange *plan, const struct mapping_side *side,
                         uint32_t m) {
    uint32_t at[3];
    for (int a = 2; a >= 0; a--) {
        at[a] = m % side->grid[a] * (plan->size[a] / side->grid[a]);
        m /= side->grid[a];
    }
    return (at[0] * plan->size[1] + at[1]) * plan->size[2] + at[2];
}

/* Fills in a side, whose grid is known. */
static enum mapping_status place(const struct mapping_layout *layout,
                                 const struct mapping_exchange *plan, struct mapping_side *side,
                                 struct mapping_error *error) {
    enum { TOTAL_MAX = 1 << 15 };
    uint64_t total = side->elements = layout->from.axis[1].size;
    for (int a = 0; a < 3 && total <= TOTAL_MAX; a++)
        total *= side->grid[a];
    if (total > TOTAL_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "one layout is too large to be built from copies of the other");
    side->total = (uint32_t)total;
    side->matrices = side->total / side->elements;
    side->words = (side->total + plan->per - 1) / plan->per;
    side->points = calloc((size_t)plan->threads * side->total, sizeof *side->points);
    if (!side->points)
        return mapping_out_of_memory(error);
    enum mapping_status status = place_first(layout, plan, side, error);
    for (uint32_t t = 0; t < plan->threads && status == MAPPING_OK; t++) {
        uint32_t *points = side->points + (size_t)t * side->total;
        for (uint32_t m = 1; m < side->matrices; m++) {
            uint32_t behind = distance(plan, side, m);
            for (uint32_t i = 0; i < side->elements; i++)
                points[m * side->elements + i] = points[i] + behind;
        }
    }
    return status;
}

enum mapping_status mapping_exchange_prepare(const struct mapping_layout *source,
                                             const struct mapping_layout *target, uint32_t bits,
                                             struct mapping_exchange *plan,
                                             struct mapping_error *error) {
    *plan = (struct mapping_exchange){.kind = MAPPING_EXCHANGE_MEMORY};
    if (!mapping_exchange_takes(source) || !mapping_exchange_takes(target))
        return mapping_fail(error, MAPPING_INVALID,
                            "only layouts from (tid, i) to rows and columns can be converted");
    if (bits == 0 || bits > 64 || (bits & (bits - 1)) != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u-bit elements cannot be packed into 32-bit registers", bits);
    plan->threads = source->from.axis[0].size;
    plan->bits = bits;
    plan->per = bits < 32 ? 32 / bits : 1;
    if (plan->threads != target->from.axis[0].size)
        return mapping_fail(error, MAPPING_INVALID,
                            "thread counts differ: %u in the first layout, %u in the second",
                            plan->threads, target->from.axis[0].size);
    if (plan->threads != EXCHANGE_WARP && plan->threads != EXCHANGE_THREADS)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u threads are neither a warp of 32 nor a warpgroup of 128",
                            plan->threads);
    enum mapping_status status = fit(source, target, plan, error);
    if (status == MAPPING_OK)
        status = place(source, plan, &plan->source, error);
    if (status == MAPPING_OK)
        status = place(target, plan, &plan->target, error);
    return status;
}

/* ---- Planning ---- */

/* Makes the words of the target out of what the threads have now. */
static enum exchange_result finish(struct exchange *exchange) {
    struct mapping_exchange *plan = exchange->plan;
    const struct mapping_side *target = &plan->target;
    uint32_t *table = malloc((size_t)plan->threads * plan->per * sizeof *table);
    enum exchange_result result = table ? EXCHANGE_DONE : EXCHANGE_NO_MEMORY;
    for (uint32_t w = 0; w < target->words && result == EXCHANGE_DONE; w++) {
        for (uint32_t t = 0; t < plan->threads; t++)
            for (uint32_t s = 0; s < plan->per; s++) {
                uint32_t e = w * plan->per + s;
                table[t * plan->per + s] =
                    e < target->total ? exchange->place[t * target->total + e] : EXCHANGE_NONE;
            }
        plan->outputs[w] = mapping_exchange_compose(exchange, table);
        if (plan->outputs[w] == MAPPING_NO_VALUE)
            result = EXCHANGE_NO_MEMORY;
    }
    free(table);
    return result;
}

static enum mapping_exchange_kind classify(const struct mapping_exchange *plan) {
    bool same = true;
    for (uint32_t w = 0; w < plan->target.words; w++)
        same = same && plan->outputs[w] == w;
    return plan->shuffles > 0     ? MAPPING_EXCHANGE_SHUFFLES
           : plan->step_count > 0 ? MAPPING_EXCHANGE_SLOTS
           : same                 ? MAPPING_EXCHANGE_SAME
                                  : MAPPING_EXCHANGE_WORDS;
}

/* Makes the steps; what it says is to be proved yet. */
static enum exchange_result make_steps(struct exchange *exchange) {
    struct exchange_route route = {.element = NULL};
    enum exchange_result result = mapping_exchange_choose(exchange);
    if (result == EXCHANGE_DONE && exchange->moves) {
        result = mapping_exchange_find_route(exchange, &route);
        if (result == EXCHANGE_DONE)
            result = mapping_exchange_follow(exchange, &route);
        free(route.element);
    }
    return result == EXCHANGE_DONE ? finish(exchange) : result;
}

/* Makes the steps with memory to work in. */
static enum exchange_result work(struct mapping_exchange *plan) {
    struct exchange exchange = {.plan = plan,
                                .items = plan->threads * plan->target.total,
                                .shift = (unsigned)__builtin_ctz(plan->per)};
    enum exchange_result result = EXCHANGE_NO_MEMORY;
    const size_t items = (size_t)exchange.items + 1; /* room for none may be NULL */
    plan->outputs = malloc(((size_t)plan->target.words + 1) * sizeof *plan->outputs);
    exchange.lane = malloc(items * sizeof *exchange.lane);
    exchange.place = malloc(items * sizeof *exchange.place);
    exchange.twin = malloc(items * sizeof *exchange.twin);
    if (plan->outputs && exchange.lane && exchange.place && exchange.twin)
        result = make_steps(&exchange);
    free(exchange.lane);
    free(exchange.place);
    free(exchange.twin);
    return result;
}

/* Plans what is prepared. */
static enum mapping_status complete(struct mapping_exchange *plan, struct mapping_error *error) {
    enum exchange_result result = work(plan);
    if (result == EXCHANGE_DONE) {
        plan->kind = classify(plan);
        result = mapping_exchange_check(plan);
    }
    if (result == EXCHANGE_NO_MEMORY)
        return mapping_out_of_memory(error);
    if (result == EXCHANGE_DONE)
        return MAPPING_OK;
    clear_steps(plan);
    plan->kind = MAPPING_EXCHANGE_MEMORY;
    return MAPPING_OK;
}

enum mapping_status mapping_exchange_plan(const struct mapping_layout *source,
                                          const struct mapping_layout *target, uint32_t bits,
                                          struct mapping_exchange *plan,
                                          struct mapping_error *error) {
    enum mapping_status status = mapping_exchange_prepare(source, target, bits, plan, error);
    return status == MAPPING_OK ? complete(plan, error) : status;
}

enum mapping_status mapping_exchange_plan_permuted(const struct mapping_layout *source,
                                                   const struct mapping_layout *target,
                                                   uint32_t bits,
                                                   const struct mapping_permutation *permutation,
                                                   struct mapping_exchange *plan,
                                                   struct mapping_error *error) {
    enum mapping_status status = mapping_exchange_prepare(source, target, bits, plan, error);
    if (status != MAPPING_OK)
        return status;
    uint32_t rows = plan->size[1], cols = plan->size[2];
    if (permutation->count != (permutation->is_rows ? rows : cols))
        return mapping_fail(error, MAPPING_INVALID,
                            "a permutation of %u does not fit these layouts", permutation->count);
    for (uint32_t n = 0; n < plan->threads * plan->target.total; n++) {
        uint32_t *point = &plan->target.points[n], col = *point % cols, row = *point / cols % rows;
        *point += permutation->is_rows ? (permutation->table[row] - row) * cols
                                       : permutation->table[col] - col;
    }
    return complete(plan, error);
}
