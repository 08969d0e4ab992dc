/* plan.c - plans a register conversion; see convert.h. layout/f2.c works an example.
 *
 * Both sides are layouts over bits, S and T. Element e of thread t of the target is found in the
 * source at C (t, e) with C = S^-1 T: in lane start(t) ^ offset(e). If the source has copies, S has
 * a kernel, and C is the solution nearest to (t, e).
 *
 * The offsets span 2^k lanes. If k is 0, each thread reads all from one lane. Otherwise there are
 * 2^k rounds: in round j, thread t reads from lane reads(t) ^ j what is there for it. reads() is a
 * permutation of the lanes, so that no lane has to send two things at once; if it can be the
 * identity, nothing moves in round 0, which is no shuffle then.
 *
 * With fewer words than rounds, most slots of the words sent would be empty. Then the rounds are
 * split into stages, as in a butterfly: each stage is about some of the k dimensions, and gathers
 * what has the same offset in them.
 *
 * Reads top-down: sides, source lanes, lane permutation and stages, steps, rounds, execution. */
#include "convert/convert.h"
#include "layout/f2.h"
#include "layout/sentence.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = MAPPING_WARP, THREADS_MAX = 128, LANE_BITS = 5 };

/* No place, coordinates or point. */
#define NONE UINT32_MAX

const char *mapping_convert_kind_name(enum convert_kind kind) {
    static const char *const names[] = {"same", "words", "slots", "shuffles", "memory"};
    return names[kind];
}

/* The case of a step for a thread. */
static uint32_t step_case(const struct shuffle_step *step, uint32_t tid) {
    uint32_t number = 0, weight = 1;
    for (uint32_t by = step->by; by; by &= by - 1, weight <<= 1)
        if (tid & by & -by)
            number |= weight;
    return number;
}

/* The lane, 0 to 31, that a thread reads from. */
static uint32_t source_lane(const struct source_lanes *lanes, uint32_t tid) {
    return lanes->is_xor ? (tid ^ lanes->mask) % WARP
                         : mapping_formula_evaluate(&lanes->formula, 1, &tid) % WARP;
}

uint32_t mapping_plan_values(const struct shuffle_plan *plan) {
    return plan->source.words + plan->step_count;
}

/* Leaves the sides alone. */
static void clear_steps(struct shuffle_plan *plan) {
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

void mapping_convert_free(struct shuffle_plan *plan) {
    clear_steps(plan);
    free(plan->source.points);
    free(plan->target.points);
    *plan = (struct shuffle_plan){.kind = CONVERT_MEMORY};
}

/* ---- Sides ---- */

bool mapping_convert_takes(const struct mapping_layout *layout) {
    const struct mapping_space *from = &layout->from, *to = &layout->to;
    return from->count == 2 && (to->count == 2 || to->count == 3) &&
           mapping_space_find(from, MAPPING_AXIS_TID) == 0 &&
           mapping_space_find(from, MAPPING_AXIS_I) == 1 &&
           mapping_space_find(to, MAPPING_AXIS_ROW) == (int)to->count - 2 &&
           mapping_space_find(to, MAPPING_AXIS_COL) == (int)to->count - 1 &&
           (to->count == 2 || mapping_space_find(to, MAPPING_AXIS_BLOCK) == 0);
}

/* Decides how large the whole is, and how many matrices make each side. */
static enum mapping_status fit(const struct mapping_layout *source,
                               const struct mapping_layout *target, struct shuffle_plan *plan,
                               struct mapping_error *error) {
    static const char *const names[] = {"blocks", "rows", "columns"};
    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t s = source->to.count + a - 3, t = target->to.count + a - 3;
        const uint32_t one = s < 3 ? source->to.axis[s].size : 1, /* without blocks s is -1 */
            other = t < 3 ? target->to.axis[t].size : 1, size = one > other ? one : other;
        if (one == 0 || other == 0 || size % one != 0 || size % other != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "sizes do not match: %u %s in the first layout, %u in the second; "
                                "one must be a multiple of the other",
                                one, names[a], other);
        plan->size[a] = size;
        plan->source.grid[a] = size / one;
        plan->target.grid[a] = size / other;
    }
    return MAPPING_OK;
}

/* Makes the layout of a whole side, whose grid is known, and fills in the side. The permutation may
 * be NULL. */
static enum mapping_status lay_out(const struct mapping_layout *layout,
                                   const struct mapping_permutation *permutation,
                                   const struct shuffle_plan *plan, struct plan_side *side,
                                   struct mapping_layout *whole, struct mapping_error *error) {
    enum { TOTAL_MAX = 1 << 15 };
    const uint32_t elements = layout->from.axis[1].size, axes = layout->to.count;
    uint64_t total = elements;
    for (int a = 0; a < 3 && total <= TOTAL_MAX; a++)
        total *= side->grid[a];
    if (total > TOTAL_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "one layout is too large to be built from copies of the other");
    side->elements = elements;
    side->total = (uint32_t)total;
    side->matrices = side->total / elements;
    side->words = (side->total + plan->per - 1) / plan->per;
    const struct mapping_space from = {2, {layout->from.axis[0], {MAPPING_AXIS_I, side->total}}};
    const struct mapping_space to = {3,
                                     {{MAPPING_AXIS_BLOCK, plan->size[0]},
                                      {MAPPING_AXIS_ROW, plan->size[1]},
                                      {MAPPING_AXIS_COL, plan->size[2]}}};
    enum mapping_status status = mapping_layout_init(whole, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    side->points = malloc((size_t)plan->threads * side->total * sizeof *side->points);
    if (!side->points)
        return mapping_out_of_memory(error);
    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t one = plan->size[a] / side->grid[a], c = axes + a - 3; /* no blocks: c < 0 */
        const bool permutes = permutation && a == (permutation->is_rows ? 1 : 2);
        for (uint32_t row = 0; row < plan->threads * side->matrices; row++) {
            const uint32_t t = row / side->matrices, m = row % side->matrices;
            const uint32_t *own = c < axes ? layout->coordinate[c] + (size_t)t * elements : NULL;
            uint32_t *moved = whole->coordinate[a] + (size_t)row * elements;
            const uint32_t *grid = side->grid,
                           at[3] = {m / grid[2] / grid[1], m / grid[2] % grid[1], m % grid[2]};
            for (uint32_t i = 0; i < elements; i++) {
                const uint32_t x = own ? own[i] : 0;
                if (x >= one)
                    return mapping_fail(error, MAPPING_INVALID,
                                        "element %u of thread %u is outside its matrix", i, t);
                moved[i] = permutes ? permutation->table[x + at[a] * one] : x + at[a] * one;
            }
        }
    }
    uint32_t *const *place = whole->coordinate;
    for (size_t n = 0; n < (size_t)plan->threads * side->total; n++)
        side->points[n] = (place[0][n] * plan->size[1] + place[1][n]) * plan->size[2] + place[2][n];
    return MAPPING_OK;
}

/* Fills in all but the steps, and makes the layouts of both sides, which are to be freed in any
 * case. */
static enum mapping_status prepare(const struct mapping_layout *source,
                                   const struct mapping_layout *target, uint32_t bits,
                                   const struct mapping_permutation *permutation,
                                   struct shuffle_plan *plan, struct mapping_layout whole[2],
                                   struct mapping_error *error) {
    *plan = (struct shuffle_plan){.kind = CONVERT_MEMORY};
    whole[0] = whole[1] = (struct mapping_layout){.from.count = 0};
    if (!mapping_convert_takes(source) || !mapping_convert_takes(target))
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
    if (plan->threads != WARP && plan->threads != THREADS_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "--convert needs fragments of a warp (32 threads) or a warpgroup (128 "
                            "threads), not of %u thread%s",
                            plan->threads, mapping_plural(plan->threads));
    enum mapping_status status = fit(source, target, plan, error);
    if (status == MAPPING_OK && permutation &&
        permutation->count != plan->size[permutation->is_rows ? 1 : 2])
        status = mapping_fail(error, MAPPING_INVALID,
                              "a permutation of %u does not fit these layouts", permutation->count);
    if (status == MAPPING_OK)
        status = lay_out(source, NULL, plan, &plan->source, &whole[0], error);
    if (status == MAPPING_OK)
        status = lay_out(target, permutation, plan, &plan->target, &whole[1], error);
    return status;
}

enum mapping_status mapping_convert_sides(const struct mapping_layout *source,
                                          const struct mapping_layout *target, uint32_t bits,
                                          struct shuffle_plan *plan, struct mapping_error *error) {
    struct mapping_layout whole[2];
    enum mapping_status status = prepare(source, target, bits, NULL, plan, whole, error);
    mapping_layout_free(&whole[0]);
    mapping_layout_free(&whole[1]);
    return status;
}

/* ---- Source lanes ---- */

/* A plan in the making. An item is an element of the target, tid * target.total + e. At first items
 * are in the registers of the source; each stage moves them to other lanes, as parts of values that
 * it makes; at the end each is in its own thread. */
struct planner {
    struct shuffle_plan *plan;
    unsigned shift; /* per is 1 << shift */
    bool no_memory; /* why there is no plan; else there is none without shared memory */

    uint32_t *lane;      /* of an item: the thread that has it now */
    uint32_t *place;     /* and where: value * per + slot */
    uint32_t *duplicate; /* of e: the first element of its thread that is the same */
    uint32_t *offset;    /* of e: the lane that has it at first is start ^ offset; then the offset's
                            coordinates in the basis */
    uint32_t start[THREADS_MAX];
    uint32_t distinct;    /* different elements that a thread of the target holds */
    struct f2 copies;     /* of element 0 in its lane of the source */
    uint32_t free_source; /* bits of a lane on which its elements in the source do not depend */
    uint32_t free_target; /* bits of tid on which start and place do not depend */

    uint32_t reads[THREADS_MAX]; /* the lane permutation */
    bool is_home;                /* which is the identity */
    uint32_t follow;             /* bits of tid: a thread that has some gets what the one without
                                    them got */
    uint32_t basis[LANE_BITS], dimension;  /* of the offsets */
    uint32_t coordinates[WARP];            /* in the basis, of offsets; or NONE */
    uint32_t sizes[LANE_BITS + 1], stages; /* how many dimensions each stage is about */

    uint32_t *items, *message; /* of a round: items by receiving lane, and what each is of
                                  the words sent: word * per + slot */
    uint32_t *ranks, *tables;  /* scratch, which grows */
    size_t rank_room, table_room, step_room, pick_room, lanes_room;
};

/* Makes room for `count` elements. Returns the array, or NULL if out of memory; the old one is then
 * as it was. */
static void *grow(struct planner *planner, void *array, size_t count, size_t *room, size_t size) {
    if (array && count <= *room)
        return array;
    const size_t wanted = *room * 2 > count ? *room * 2 : count + 16;
    void *grown = realloc(array, wanted * size);
    planner->no_memory = planner->no_memory || !grown;
    if (grown)
        *room = wanted;
    return grown;
}

/* Makes room for `count` tables; see make_value. */
static bool reserve_tables(struct planner *planner, size_t count) {
    const size_t size = (size_t)planner->plan->threads * planner->plan->per;
    uint32_t *tables =
        grow(planner, planner->tables, count * size, &planner->table_room, sizeof *tables);
    planner->tables = tables ? tables : planner->tables;
    return tables != NULL;
}

/* Finds C, from points of the target to points of the source. Among copies those are taken that
 * differ least from the target's own point. False if the source lacks something. */
static bool find_sources(struct planner *planner, const struct bit_layout *source,
                         const struct bit_layout *target, struct f2 *found, uint32_t *origin) {
    const uint32_t from = source->first_in[0], to = target->first_in[0]; /* bits of i */
    const struct f2_span graph = mapping_f2_graph(&source->bits);
    for (uint32_t b = from; b < source->bits.in; b++)
        if (source->bits.column[b] == 0)
            planner->free_source |= (UINT32_C(1) << (b - from)) % WARP;
    for (uint32_t b = 0; b < from; b++)
        if (graph.pivots >> b & 1)
            planner->copies.column[planner->copies.in++] = (uint32_t)graph.reduced[b];
    *found = (struct f2){.in = target->bits.in};
    for (uint32_t b = 0; b < found->in; b++) {
        const uint32_t lane = b < to ? 0 : UINT32_C(1) << (b - to);
        const uint32_t near = b < to && b < from ? UINT32_C(1) << b : lane << from;
        if (!mapping_f2_solve(&graph, target->bits.column[b], near, &found->column[b]))
            return false;
        if (found->column[b] == 0)
            planner->free_target |= lane;
    }
    return source->outer == target->outer && source->step == target->step &&
           mapping_f2_solve(&graph, source->base ^ target->base, 0, origin);
}

/* Chooses one of the copies of element f in a lane of the source: e itself, else the first copy in
 * the same slot as e, else the first copy. */
static uint32_t choose_copy(const struct planner *planner, uint32_t f, uint32_t e) {
    uint32_t chosen = f, worst = 3;
    for (uint32_t c = 0; planner->copies.in > 0 && c < UINT32_C(1) << planner->copies.in; c++) {
        const uint32_t copy = f ^ mapping_f2_apply(&planner->copies, c);
        const uint32_t badness = copy == e ? 0 : (copy ^ e) & (planner->plan->per - 1) ? 2 : 1;
        if (badness < worst || (badness == worst && copy < chosen)) {
            chosen = copy;
            worst = badness;
        }
    }
    return chosen;
}

/* Finds where all items are in the source. False if some are in no lane of the same warp. */
static bool place_items(struct planner *planner, const struct bit_layout *source,
                        const struct bit_layout *target) {
    const uint32_t threads = planner->plan->threads, total = planner->plan->target.total;
    const uint32_t from = source->first_in[0], to = target->first_in[0]; /* bits of i */
    struct f2 found, held = {.in = to};
    uint32_t origin, difference = 0;
    if (!find_sources(planner, source, target, &found, &origin))
        return false;
    memcpy(held.column, target->bits.column, sizeof held.column);
    const struct f2_span same = mapping_f2_graph(&held);
    planner->distinct = target->outer << mapping_f2_rank(&same);
    for (uint32_t e = 0; e < total; e++) {
        const uint32_t q = e >> to, x = e ^ q << to, point = mapping_f2_apply(&found, x);
        planner->duplicate[e] = q << to | (uint32_t)mapping_f2_reduce(&same, x);
        planner->offset[e] = point >> from;
        planner->message[e] = point ^ planner->offset[e] << from;
        difference |= planner->offset[e];
    }
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t point = mapping_f2_apply(&found, t << to) ^ origin;
        planner->start[t] = point >> from;
        difference |= planner->start[t] ^ t;
        for (uint32_t e = 0; e < total; e++) {
            const uint32_t f = planner->message[e] ^ (point ^ planner->start[t] << from);
            planner->place[t * total + e] = choose_copy(planner, f | e >> to << from, e);
        }
    }
    planner->plan->crosses_warps = difference >= WARP;
    return difference < WARP;
}

/* ---- Lane permutation and stages ---- */

/* Finds the vectors that span the offsets, and the coordinates of all that they span. */
static void find_basis(struct planner *planner, struct f2_span *span) {
    for (uint32_t e = 0; e < planner->plan->target.total; e++)
        if (mapping_f2_extend(span, planner->offset[e]))
            planner->basis[planner->dimension++] = planner->offset[e];
    memset(planner->coordinates, 0xff, sizeof planner->coordinates);
    for (uint32_t c = 0; c < UINT32_C(1) << planner->dimension; c++) {
        uint32_t offset = 0;
        for (uint32_t b = 0; b < planner->dimension; b++)
            offset ^= c >> b & 1 ? planner->basis[b] : 0;
        planner->coordinates[offset] = c;
    }
}

/* A member of `allowed` that is no difference of two lanes read from, or 0; `bit` if possible. */
static uint32_t find_unread(const struct planner *planner, const struct f2_span *allowed,
                            uint32_t bit) {
    struct f2_span read = {.pivots = 0};
    for (uint32_t t = 1; t < planner->plan->threads; t <<= 1)
        mapping_f2_extend(&read, planner->reads[t] ^ planner->reads[0]);
    if (mapping_f2_reduce(allowed, bit) == 0 && mapping_f2_reduce(&read, bit) != 0)
        return bit;
    for (uint32_t b = 0; b < LANE_BITS; b++)
        if (mapping_f2_reduce(&read, allowed->reduced[b]) != 0)
            return (uint32_t)allowed->reduced[b];
    return 0;
}

/* Finds a lane permutation: reads(t) is start(t) and a member of `allowed`. It is the identity,
 * else all lanes are t ^ c for one c, else any: whenever bit by bit a thread reads from the lane of
 * thread 0, its lowest bit is made to make a difference. Threads that get the same need no lanes of
 * their own. False if there is none. */
static bool permute_lanes(struct planner *planner, const struct f2_span *allowed) {
    const uint32_t threads = planner->plan->threads, *start = planner->start;
    const uint32_t constant = (uint32_t)mapping_f2_reduce(allowed, start[0]);
    bool is_xor = true;
    for (uint32_t t = 0; t < threads; t++) {
        planner->reads[t] = t ^ constant;
        is_xor = is_xor && mapping_f2_reduce(allowed, start[t] ^ planner->reads[t]) == 0;
    }
    planner->is_home = is_xor && constant == 0;
    if (is_xor)
        return true;
    planner->follow = planner->free_target;
    memcpy(planner->reads, start, sizeof planner->start);
    for (uint32_t t = 1; t < threads; t++) {
        if ((t & planner->follow) != 0 || planner->reads[t] != planner->reads[0])
            continue;
        const uint32_t bit = t & -t, vector = find_unread(planner, allowed, bit);
        if (vector == 0)
            return false;
        for (uint32_t u = 0; u < threads; u++)
            planner->reads[u] ^= u & bit ? vector : 0;
    }
    return true;
}

/* If the source has copies, chooses those for which reads ^ start is an offset in each thread. */
static void choose_copies(struct planner *planner) {
    for (uint32_t t = 0; t < planner->plan->threads; t++) {
        const uint32_t all = planner->free_source, away = planner->start[t] ^ planner->reads[t];
        uint32_t moved = 0;
        for (uint32_t bits = all; bits && planner->coordinates[away] == NONE;
             bits = (bits - 1) & all)
            moved = planner->coordinates[away ^ bits] != NONE ? bits : moved;
        planner->start[t] ^= moved;
    }
}

/* Splits the dimensions among the stages that take the fewest shuffles, and of these into the
 * fewest stages. Bit b of `ends` says that a stage ends behind dimension b. */
static void split_stages(struct planner *planner) {
    uint32_t best = UINT32_MAX;
    for (uint32_t ends = 0; ends < UINT32_C(1) << planner->dimension; ends++) {
        uint32_t sizes[LANE_BITS + 1] = {0}, stages = 1, shuffles = 0;
        for (uint32_t b = 0; b < planner->dimension; b++) {
            sizes[stages - 1]++;
            stages += ends >> b & 1;
        }
        if (sizes[stages - 1] == 0 && planner->is_home && stages > 1)
            stages--; /* nothing is left to do */
        for (uint32_t s = 0; s < stages; s++) {
            const uint32_t rounds = UINT32_C(1) << sizes[s], room = rounds * planner->plan->per;
            const bool is_one_free = s + 1 < stages || planner->is_home; /* nothing moves there */
            shuffles += (rounds - is_one_free) * ((planner->distinct + room - 1) / room);
        }
        if (shuffles * 8 + stages >= best)
            continue;
        best = shuffles * 8 + stages;
        planner->stages = stages;
        memcpy(planner->sizes, sizes, sizeof sizes);
    }
}

/* Decides from which lanes threads read in which round. False if that cannot be. */
static bool find_rounds(struct planner *planner) {
    const uint32_t total = planner->plan->target.total;
    struct f2_span allowed = {.pivots = 0};
    find_basis(planner, &allowed);
    for (uint32_t bits = planner->free_source; bits; bits &= bits - 1)
        mapping_f2_extend(&allowed, bits & -bits);
    if (!permute_lanes(planner, &allowed))
        return false;
    choose_copies(planner);
    split_stages(planner);
    for (uint32_t t = 0; t < planner->plan->threads; t++)
        for (uint32_t e = 0; e < total; e++)
            planner->lane[t * total + e] = planner->start[t] ^ planner->offset[e];
    for (uint32_t e = 0; e < total; e++)
        planner->offset[e] = planner->coordinates[planner->offset[e]];
    return true;
}

/* ---- Steps ---- */

/* A table says what one value holds in each thread: entry t * per + s is the place of the element
 * that has to be in slot s of thread t, or NONE if the slot may hold anything. */

/* The bits of tid on which a table depends. */
static uint32_t find_dependence(const struct planner *planner, const uint32_t *table) {
    uint32_t by = 0, size = planner->plan->threads << planner->shift;
    for (uint32_t bit = 1; bit < planner->plan->threads; bit <<= 1) {
        uint32_t difference = 0,
                 run = bit << planner->shift; /* rows that differ in the bit alone */
        for (const uint32_t *row = table; row < table + size; row += 2 * (size_t)run)
            for (uint32_t n = 0; n < run; n++)
                difference |= row[n] ^ row[n + run];
        by |= difference ? bit : 0;
    }
    return by;
}

/* The value that has all slots of a row in the same slots; MAPPING_NO_VALUE if nothing is asked
 * for, or there is none, in which case *is_whole becomes false. */
static uint32_t whole_value(const struct planner *planner, const uint32_t *row, bool *is_whole) {
    const uint32_t per = planner->plan->per;
    uint32_t value = MAPPING_NO_VALUE;
    for (uint32_t s = 0; s < per; s++) {
        if (row[s] == NONE)
            continue;
        const uint32_t own = row[s] >> planner->shift;
        if ((row[s] & (per - 1)) != s || (value != MAPPING_NO_VALUE && value != own)) {
            *is_whole = false;
            return MAPPING_NO_VALUE;
        }
        value = own;
    }
    return value;
}

/* The thread with those of the bits in `by` that case c says, and no others. */
static uint32_t thread_of_case(uint32_t by, uint32_t c) {
    uint32_t t = 0;
    for (; by; by &= by - 1, c >>= 1)
        t |= c & 1 ? by & -by : 0;
    return t;
}

/* Adds a step whose `count` picks are in picks[] behind the first pick_count, unless another step
 * does the same. Returns its value, or MAPPING_NO_VALUE if out of memory. */
static uint32_t add_step(struct planner *planner, const struct shuffle_step *step, uint32_t count) {
    struct shuffle_plan *plan = planner->plan;
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const struct shuffle_step *other = &plan->steps[n];
        if (other->kind == step->kind && other->by == step->by && other->value == step->value &&
            other->lanes == step->lanes &&
            (count == 0 || memcmp(plan->picks + other->first, plan->picks + step->first,
                                  count * sizeof *plan->picks) == 0))
            return plan->source.words + n;
    }
    struct shuffle_step *steps =
        grow(planner, plan->steps, plan->step_count + 1, &planner->step_room, sizeof *steps);
    if (!steps)
        return MAPPING_NO_VALUE;
    plan->steps = steps;
    plan->pick_count += count;
    plan->shuffles += step->kind == STEP_SHUFFLE;
    plan->steps[plan->step_count++] = *step;
    return mapping_plan_values(plan) - 1;
}

/* The value of a table; makes a step for it if there is none. MAPPING_NO_VALUE if out of memory. */
static uint32_t make_value(struct planner *planner, const uint32_t *table) {
    struct shuffle_plan *plan = planner->plan;
    struct shuffle_step step = {STEP_SELECT, find_dependence(planner, table), plan->pick_count, 0,
                                0};
    const uint32_t per = plan->per, cases = UINT32_C(1) << __builtin_popcount(step.by);
    struct slot_pick *picks = grow(planner, plan->picks, plan->pick_count + cases * per,
                                   &planner->pick_room, sizeof *picks);
    if (!picks)
        return MAPPING_NO_VALUE;
    plan->picks = picks;
    picks += plan->pick_count;
    bool is_whole = true;
    for (uint32_t c = 0; c < cases && is_whole; c++) {
        const uint32_t *row = table + (size_t)thread_of_case(step.by, c) * per;
        picks[c] = (struct slot_pick){whole_value(planner, row, &is_whole), 0};
    }
    if (is_whole && cases == 1)
        return picks->value != MAPPING_NO_VALUE ? picks->value : 0;
    if (is_whole)
        return add_step(planner, &step, cases);
    step.kind = STEP_COMBINE;
    for (uint32_t c = 0; c < cases; c++)
        for (uint32_t s = 0; s < per; s++) {
            const uint32_t place = table[thread_of_case(step.by, c) * per + s];
            picks[c * per + s] =
                place == NONE ? (struct slot_pick){MAPPING_NO_VALUE, 0}
                              : (struct slot_pick){place >> planner->shift, place & (per - 1)};
        }
    return add_step(planner, &step, cases * per);
}

/* Adds the lanes that threads read from, as an exclusive or or else a formula. False if there is no
 * formula, or out of memory. */
static bool add_lanes(struct planner *planner, const uint32_t *from) {
    struct shuffle_plan *plan = planner->plan;
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    struct source_lanes *lanes =
        grow(planner, plan->lanes, plan->lanes_count + 1, &planner->lanes_room, sizeof *lanes);
    uint32_t values[THREADS_MAX];
    if (!lanes)
        return false;
    plan->lanes = lanes;
    lanes += plan->lanes_count++;
    *lanes = (struct source_lanes){.is_xor = true, .mask = from[0] % WARP};
    for (uint32_t t = 0; t < plan->threads; t++) {
        values[t] = from[t] % WARP;
        lanes->is_xor = lanes->is_xor && from[t] == (t ^ from[0]);
    }
    return lanes->is_xor || mapping_deduce(&space, values, &lanes->formula);
}

/* ---- Rounds ---- */

/* One round of a stage: items move whose coordinates in `mask` differ from those of reads ^ start
 * by `coordinates`. */
struct round {
    uint32_t mask, coordinates, vector; /* the offset with these coordinates */
    bool is_last;                       /* of the stages: items go to their own threads */
    uint32_t first[THREADS_MAX + 1];    /* in items[], of each receiving lane */
};

/* Collects the items of a round by receiving lane, those of a lane by thread and element. */
static void collect(struct planner *planner, struct round *round) {
    const uint32_t threads = planner->plan->threads, total = planner->plan->target.total;
    uint32_t fill[THREADS_MAX + 1] = {0}; /* at first of the next lane: how many it receives */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t t = 0; t < threads; t++) {
            const uint32_t away = planner->coordinates[planner->start[t] ^ planner->reads[t]];
            const uint32_t wanted = (away ^ round->coordinates) & round->mask;
            for (uint32_t e = 0; e < total && (t & planner->follow) == 0; e++) {
                const uint32_t item = t * total + e;
                const uint32_t to = round->is_last ? t : planner->lane[item] ^ round->vector;
                if ((planner->offset[e] & round->mask) != wanted)
                    continue;
                if (pass == 0)
                    fill[to + 1]++;
                else
                    planner->items[fill[to]++] = item;
            }
        }
        for (uint32_t d = 0; d < threads && pass == 0; d++)
            fill[d + 1] += fill[d];
        if (pass == 0)
            memcpy(round->first, fill, sizeof fill);
    }
}

/* The place that is sent for an item: its own if whole words are sent, else its duplicate's. */
static uint32_t place_of(const struct planner *planner, uint32_t item, bool by_word) {
    const uint32_t e = item % planner->plan->target.total;
    return planner->place[by_word ? item : item - e + planner->duplicate[e]];
}

/* Numbers the different words, or else slots, that each lane receives, in the order of its items.
 * Returns the number of words that are sent. */
static uint32_t number_messages(struct planner *planner, const struct round *round, bool by_word) {
    const uint32_t per = planner->plan->per, places = mapping_plan_values(planner->plan) * per;
    uint32_t most = 0, *rank = planner->ranks,
             *seen = rank + places; /* of a place: in lane d - 1 */
    memset(seen, 0, places * sizeof *seen);
    for (uint32_t d = 0; d < planner->plan->threads; d++) {
        uint32_t count = 0;
        for (uint32_t n = round->first[d]; n < round->first[d + 1]; n++) {
            const uint32_t place = place_of(planner, planner->items[n], by_word);
            const uint32_t key = by_word ? place >> planner->shift : place;
            if (seen[key] != d + 1) {
                seen[key] = d + 1;
                rank[key] = count++;
            }
            planner->message[n] =
                by_word ? rank[key] << planner->shift | (place & (per - 1)) : rank[key];
        }
        most = count > most ? count : most;
    }
    return by_word ? most : (most + per - 1) / per;
}

/* Fills a table for each word sent. `from` says from where each lane reads. */
static void fill_tables(struct planner *planner, const struct round *round, const uint32_t *from,
                        uint32_t words, bool by_word) {
    const uint32_t per = planner->plan->per, threads = planner->plan->threads;
    memset(planner->tables, 0xff, (size_t)words * threads * per * sizeof *planner->tables);
    for (uint32_t d = 0; d < threads; d++)
        for (uint32_t n = round->first[d]; n < round->first[d + 1]; n++) {
            const uint32_t place = place_of(planner, planner->items[n], by_word);
            const uint32_t message = planner->message[n], word = message >> planner->shift;
            uint32_t *row = planner->tables + ((size_t)word * threads + from[d]) * per;
            for (uint32_t s = 0; s < per && by_word; s++)
                row[s] = (place & ~(per - 1)) + s;
            row[message & (per - 1)] = place;
        }
}

/* Makes the steps of a round: whole words are sent as they are, or if that takes more shuffles,
 * only what is needed. */
static bool do_round(struct planner *planner, struct round *round) {
    struct shuffle_plan *plan = planner->plan;
    const size_t size = plan->threads * (size_t)plan->per; /* of a table */
    const size_t places = (size_t)mapping_plan_values(plan) * plan->per;
    uint32_t from[THREADS_MAX] = {0};
    uint32_t *ranks = grow(planner, planner->ranks, 2 * places, &planner->rank_room, sizeof *ranks);
    if (!ranks)
        return false;
    planner->ranks = ranks;
    collect(planner, round);
    for (uint32_t d = 0; d < plan->threads; d++)
        from[d] = (round->is_last ? planner->reads[d] : d) ^ round->vector;
    const uint32_t fewest = number_messages(planner, round, false);
    uint32_t words = number_messages(planner, round, true);
    const bool by_word = words <= fewest;
    if (!by_word)
        words = number_messages(planner, round, false);
    if (words == 0)
        return true;
    if (!reserve_tables(planner, words) || !add_lanes(planner, from))
        return false;
    fill_tables(planner, round, from, words, by_word);
    for (uint32_t w = 0; w < words; w++) {
        const struct shuffle_step step = {STEP_SHUFFLE, 0, 0,
                                          make_value(planner, planner->tables + w * size),
                                          plan->lanes_count - 1};
        if (step.value == MAPPING_NO_VALUE)
            return false;
        ranks[w] = add_step(planner, &step, 0); /* the value that is received */
        if (ranks[w] == MAPPING_NO_VALUE)
            return false;
    }
    for (uint32_t d = 0; d < plan->threads; d++)
        for (uint32_t n = round->first[d]; n < round->first[d + 1]; n++) {
            const uint32_t item = planner->items[n], message = planner->message[n];
            planner->place[item] =
                ranks[message >> planner->shift] << planner->shift | (message & (plan->per - 1));
            planner->lane[item] = d;
        }
    return true;
}

/* Makes the steps of all stages. */
static bool do_stages(struct planner *planner) {
    for (uint32_t stage = 0, shift = 0; stage < planner->stages; shift += planner->sizes[stage++]) {
        const uint32_t rounds = UINT32_C(1) << planner->sizes[stage];
        struct round round = {.mask = (rounds - 1) << shift,
                              .is_last = stage + 1 == planner->stages};
        for (uint32_t j = round.is_last && !planner->is_home ? 0 : 1; j < rounds; j++) {
            round.coordinates = j << shift;
            round.vector = 0;
            for (uint32_t b = 0; b < planner->dimension; b++)
                round.vector ^= round.coordinates >> b & 1 ? planner->basis[b] : 0;
            if (!do_round(planner, &round))
                return false;
        }
    }
    return true;
}

/* Makes the words of the target out of what the threads have now. */
static bool make_outputs(struct planner *planner) {
    const struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per, total = plan->target.total;
    if (!reserve_tables(planner, 1))
        return false;
    for (uint32_t w = 0; w < plan->target.words; w++) {
        for (uint32_t t = 0; t < plan->threads; t++)
            for (uint32_t s = 0, e = w * per; s < per; s++, e++)
                planner->tables[t * per + s] =
                    e < total ? planner->place[(t & ~planner->follow) * total + e] : NONE;
        plan->outputs[w] = make_value(planner, planner->tables);
        if (plan->outputs[w] == MAPPING_NO_VALUE)
            return false;
    }
    return true;
}

/* ---- Execution ---- */

/* Executes a step: in each thread, each slot of the new value is one of a value before it. False if
 * the step names what is not there. The point in slot s of a value, in thread t, is
 * slots[(value * threads + t) * per + s]; NONE stands for anything. */
static bool execute(const struct shuffle_plan *plan, const struct shuffle_step *step,
                    uint32_t value, uint32_t *slots) {
    const bool is_shuffle = step->kind == STEP_SHUFFLE, is_select = step->kind == STEP_SELECT;
    const uint32_t per = plan->per;
    if (is_shuffle && (step->value >= value || step->lanes >= plan->lanes_count))
        return false;
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t c = step_case(step, t);
        const uint32_t lane = is_shuffle ? source_lane(&plan->lanes[step->lanes], t) : 0;
        const uint32_t from = is_shuffle ? t / WARP * WARP + lane : t;
        for (uint32_t s = 0; s < per; s++) {
            const uint32_t n = step->first + (is_select ? c : c * per + s);
            if (!is_shuffle && n >= plan->pick_count)
                return false;
            const uint32_t picked = is_shuffle ? step->value : plan->picks[n].value;
            const uint32_t slot = is_shuffle || is_select ? s : plan->picks[n].slot;
            if (picked != MAPPING_NO_VALUE && (picked >= value || slot >= per))
                return false;
            slots[((size_t)value * plan->threads + t) * per + s] =
                picked == MAPPING_NO_VALUE
                    ? NONE
                    : slots[((size_t)picked * plan->threads + from) * per + slot];
        }
    }
    return true;
}

/* Executes all steps, and compares the words of the target. */
static bool execute_all(const struct shuffle_plan *plan, uint32_t *slots) {
    const struct plan_side *source = &plan->source, *target = &plan->target;
    const uint32_t per = plan->per;
    for (uint32_t w = 0; w < source->words; w++)
        for (uint32_t t = 0; t < plan->threads; t++)
            for (uint32_t s = 0, e = w * per; s < per; s++, e++)
                slots[((size_t)w * plan->threads + t) * per + s] =
                    e < source->total ? source->points[t * source->total + e] : NONE;
    for (uint32_t n = 0; n < plan->step_count; n++)
        if (!execute(plan, &plan->steps[n], source->words + n, slots))
            return false;
    uint32_t difference = 0;
    for (uint32_t e = 0; e < target->total; e++) {
        const uint32_t value = plan->outputs[e / per];
        if (value >= mapping_plan_values(plan))
            return false;
        for (uint32_t t = 0; t < plan->threads; t++)
            difference |= slots[((size_t)value * plan->threads + t) * per + e % per] ^
                          target->points[t * target->total + e];
    }
    return difference == 0;
}

/* Executes a plan. *no_memory says why it could not be. */
static bool check(const struct shuffle_plan *plan, bool *no_memory) {
    if (plan->kind == CONVERT_MEMORY)
        return true;
    const size_t count = (size_t)mapping_plan_values(plan) * plan->threads * plan->per;
    uint32_t *slots = malloc(count * sizeof *slots);
    *no_memory = *no_memory || !slots;
    const bool holds = slots && execute_all(plan, slots);
    free(slots);
    return holds;
}

bool mapping_convert_holds(const struct shuffle_plan *plan) {
    bool ignored = false;
    return check(plan, &ignored);
}

/* ---- All ---- */

static enum convert_kind classify(const struct shuffle_plan *plan) {
    bool same = true;
    for (uint32_t w = 0; w < plan->target.words; w++)
        same = same && plan->outputs[w] == w;
    return plan->shuffles > 0     ? CONVERT_SHUFFLES
           : plan->step_count > 0 ? CONVERT_SLOTS
           : same                 ? CONVERT_SAME
                                  : CONVERT_WORDS;
}

/* Makes the steps. False if out of memory or there are none. */
static bool make_steps(struct planner *planner, const struct bit_layout *source,
                       const struct bit_layout *target) {
    if (!place_items(planner, source, target) || !find_rounds(planner) || !do_stages(planner) ||
        !make_outputs(planner))
        return false;
    planner->plan->kind = classify(planner->plan);
    return check(planner->plan, &planner->no_memory);
}

/* Plans what is prepared: through memory unless there is a better way. */
static enum mapping_status plan_steps(const struct mapping_layout whole[2],
                                      struct shuffle_plan *plan, struct mapping_error *error) {
    struct bit_layout source, target;
    plan->crosses_warps = plan->threads > WARP; /* if nothing better is known */
    if (!mapping_bits_of_layout(&whole[0], &source) || !mapping_bits_of_layout(&whole[1], &target))
        return MAPPING_OK;
    const size_t total = plan->target.total, items = plan->threads * total;
    uint32_t *memory = malloc((4 * items + 2 * total) * sizeof *memory);
    plan->outputs = malloc(plan->target.words * sizeof *plan->outputs);
    if (!memory || !plan->outputs) {
        free(memory);
        return mapping_out_of_memory(error);
    }
    struct planner planner = {.plan = plan,
                              .shift = (unsigned)__builtin_ctz(plan->per),
                              .lane = memory,
                              .place = memory + items,
                              .items = memory + 2 * items,
                              .message = memory + 3 * items,
                              .duplicate = memory + 4 * items,
                              .offset = memory + 4 * items + total};
    if (!make_steps(&planner, &source, &target)) {
        clear_steps(plan);
        plan->kind = CONVERT_MEMORY;
    }
    free(memory);
    free(planner.ranks);
    free(planner.tables);
    return planner.no_memory ? mapping_out_of_memory(error) : MAPPING_OK;
}

enum mapping_status mapping_convert_plan(const struct mapping_layout *source,
                                         const struct mapping_layout *target, uint32_t bits,
                                         const struct mapping_permutation *permutation,
                                         struct shuffle_plan *plan, struct mapping_error *error) {
    struct mapping_layout whole[2];
    enum mapping_status status = prepare(source, target, bits, permutation, plan, whole, error);
    if (status == MAPPING_OK)
        status = plan_steps(whole, plan, error);
    mapping_layout_free(&whole[0]);
    mapping_layout_free(&whole[1]);
    return status;
}
