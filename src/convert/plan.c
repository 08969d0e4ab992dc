/* plan.c - plans a register conversion; see convert.h. layout/f2.c works an example, whose names
 * are used here.
 *
 * Both sides are layouts over bits, S and T, as in Zhou et al., "Linear Layouts", arXiv 2505.23819.
 * Element e of thread t of the target is found in the source at C (t, e) with C = S^-1 T. Its
 * source lane is start(t) ^ offset(e). If the source has copies, S has a kernel, and C is the
 * solution nearest to (t, e).
 *
 * The offsets span 2^k lanes. If k is 0, each thread reads all from one lane. Otherwise there are
 * 2^k rounds: in round j, thread t reads from lane reads(t) ^ j what is there for it, which is what
 * has offset(e) = start(t) ^ reads(t) ^ j. The lane permutation, reads(), is chosen so that no lane
 * has to send two things at once. If it is the identity, nothing moves in round 0, which is no
 * shuffle then: of the 2 rounds of the example, only round 1 is one.
 *
 * With fewer words than rounds, most slots of the words sent would be empty. Then the rounds are
 * split into stages, as in a butterfly: each stage is about some of the k dimensions, and moves
 * what has the same offset in them to the lane that differs by it. So 8 rounds may become stages of
 * 2 and 4 rounds.
 *
 * Reads top-down: sides, source lanes, lane permutation and stages, steps, rounds, execution. */
#include "convert/convert.h"
#include "layout/sentence.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = MAPPING_WARP, THREADS_MAX = 128, LANE_BITS = 5 };

/* No place, item or point. */
#define NONE UINT32_MAX

void mapping_convert_free(struct shuffle_plan *plan) {
    free(plan->outputs);
    free(plan->steps);
    free(plan->picks);
    free(plan->lanes);
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

/* Lays the matrices of a side, whose grid is known, side by side, and fills in the side. The
 * permutation may be NULL. */
static enum mapping_status lay_out(const struct mapping_layout *layout,
                                   const struct mapping_permutation *permutation,
                                   const struct shuffle_plan *plan, struct plan_side *side,
                                   struct mapping_error *error) {
    const uint32_t elements = layout->from.axis[1].size, axes = layout->to.count;
    const uint32_t *grid = side->grid;
    side->matrices = grid[0] * grid[1] * grid[2];
    side->total = elements * side->matrices;
    side->words = (side->total + plan->per - 1) / plan->per;
    const struct mapping_space from = {2, {layout->from.axis[0], {MAPPING_AXIS_I, side->total}}};
    const struct mapping_space to = {3,
                                     {{MAPPING_AXIS_BLOCK, plan->size[0]},
                                      {MAPPING_AXIS_ROW, plan->size[1]},
                                      {MAPPING_AXIS_COL, plan->size[2]}}};
    const int permuted = permutation ? mapping_space_find(&to, permutation->axis) : -1;
    struct mapping_layout whole;
    enum mapping_status status = mapping_layout_init(&whole, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t n = 0; n < plan->threads * side->matrices; n++) { /* matrix m of thread t */
        const uint32_t t = n / side->matrices, m = n % side->matrices;
        const uint32_t at[3] = {m / grid[2] / grid[1], m / grid[2] % grid[1], m % grid[2]};
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t c = axes + a - 3; /* no blocks: c < 0 */
            const uint32_t begin = at[a] * (plan->size[a] / grid[a]);
            const uint32_t *table = permuted == (int)a ? permutation->table : NULL;
            const uint32_t *own = c < axes ? layout->coordinate[c] + (size_t)t * elements : NULL;
            uint32_t *moved = whole.coordinate[a] + (size_t)n * elements;
            for (uint32_t i = 0; i < elements; i++) {
                moved[i] = begin + (own ? own[i] : 0);
                moved[i] = table ? table[moved[i]] : moved[i];
            }
        }
    }
    side->is_over_bits = mapping_bits_of_layout(&whole, &side->bits);
    const size_t entries = mapping_layout_entries(&whole);
    side->points = malloc(entries * sizeof *side->points);
    uint32_t *const *place = whole.coordinate;
    for (size_t n = 0; n < entries && side->points; n++)
        side->points[n] = (place[0][n] * plan->size[1] + place[1][n]) * plan->size[2] + place[2][n];
    mapping_layout_free(&whole);
    return side->points ? MAPPING_OK : mapping_out_of_memory(error);
}

/* ---- Source lanes ---- */

/* A plan in the making. An item is an element of the target, tid * target.total + e. At first items
 * are in the registers of the source; each stage moves them to other lanes, as parts of values that
 * it makes; at the end each is in its own thread. */
struct planner {
    struct shuffle_plan *plan;
    enum mapping_status status; /* if it is not MAPPING_OK, what is made is not used */

    uint32_t *place;     /* of an item: value * per + slot, in the lane that has it now */
    uint32_t *duplicate; /* of e: the first element of its thread that is the same */
    uint32_t *offset;    /* of e: the lane that has it at first is start ^ offset; from
                            find_rounds() on, the bits of the offset in `moves` */
    uint32_t start[THREADS_MAX];
    uint32_t distinct;    /* different elements that a thread of the target holds */
    uint32_t free_source; /* bits of a lane on which its elements in the source do not depend */
    uint32_t follow;      /* bits of tid: a thread that has some gets what the one without them got;
                             none if the lane permutation is the identity */

    struct f2 moves; /* its first `dimension` columns span the offsets; then free_source */
    uint32_t dimension;
    uint32_t reads[THREADS_MAX]; /* the lane permutation */
    uint32_t away[THREADS_MAX];  /* start ^ reads, in bits of `moves` */
    bool is_home;                /* the lane permutation is the identity */
    uint32_t size;               /* how many dimensions a stage is about, but the first */

    /* Of an item in a round: the next one that the same lane receives; the place that is sent for
     * it, which is that of its duplicate; and its place in the message: word * per + slot, if only
     * slots that are needed are sent, or whole words. */
    uint32_t *next, *sent, *message[2];
};

/* Chooses one of the copies of element f in a lane of the source: e itself, else the first copy in
 * the same slot as e, else the first copy. */
static uint32_t choose_copy(const struct f2 *copies, uint32_t per, uint32_t f, uint32_t e) {
    uint32_t chosen = f;
    for (uint32_t c = 0; c < UINT32_C(1) << copies->in && chosen != e; c++) {
        const uint32_t copy = f ^ mapping_f2_apply(copies, c);
        const bool is_near = (copy ^ e) % per == 0, was_near = (chosen ^ e) % per == 0;
        if (copy == e || is_near > was_near || (is_near == was_near && copy < chosen))
            chosen = copy;
    }
    return chosen;
}

/* Finds C, and by it where all items are in the source. Among copies those are taken that differ
 * least from the target's own point. False if some are in no lane of the same warp. */
static bool find_sources(struct planner *planner) {
    struct shuffle_plan *plan = planner->plan;
    const struct bit_layout *source = &plan->source.bits, *target = &plan->target.bits;
    const uint32_t from = source->first_in[0], to = target->first_in[0]; /* bits of i */
    const uint32_t total = plan->target.total;
    const struct f2_span graph = mapping_f2_graph(&source->bits);
    struct f2 found = target->bits, held = target->bits;
    struct f2 copies = {.in = 0}; /* of element 0 in its lane of the source */
    uint32_t origin, difference = 0;
    for (uint32_t b = from; b < source->bits.in; b++)
        if (source->bits.column[b] == 0)
            planner->free_source |= (UINT32_C(1) << (b - from)) % WARP;
    for (uint32_t b = 0; b < from; b++)
        if (graph.pivots >> b & 1)
            copies.column[copies.in++] = (uint32_t)graph.reduced[b];
    for (uint32_t b = 0; b < found.in; b++) {
        const uint32_t lane = b < to ? 0 : UINT32_C(1) << (b - to);
        const uint32_t near = b < to && b < from ? UINT32_C(1) << b : lane << from;
        if (!mapping_f2_solve(&graph, target->bits.column[b], near, &found.column[b]))
            return false;
        if (found.column[b] == 0)
            planner->follow |= lane;
    }
    if (source->outer != target->outer || source->step != target->step ||
        !mapping_f2_solve(&graph, source->base ^ target->base, 0, &origin))
        return false;
    held.in = to;
    const struct f2_span same = mapping_f2_graph(&held);
    planner->distinct = target->outer << mapping_f2_rank(&same);
    for (uint32_t e = 0; e < total; e++) {
        const uint32_t q = e >> to, x = e ^ q << to;
        planner->duplicate[e] = q << to | (uint32_t)mapping_f2_reduce(&same, x);
        planner->sent[e] = mapping_f2_apply(&found, x);
        planner->offset[e] = planner->sent[e] >> from;
        difference |= planner->offset[e];
    }
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t point = mapping_f2_apply(&found, t << to) ^ origin;
        planner->start[t] = point >> from;
        difference |= planner->start[t] ^ t;
        for (uint32_t e = 0; e < total; e++) {
            const uint32_t lane = planner->start[t] ^ planner->offset[e];
            const uint32_t f = (point ^ planner->sent[e] ^ lane << from) | e >> to << from;
            planner->place[t * total + e] =
                copies.in > 0 ? choose_copy(&copies, plan->per, f, e) : f;
        }
    }
    plan->crosses_warps = difference >= WARP;
    return difference < WARP;
}

/* ---- Lane permutation and stages ---- */

/* Finds a lane permutation: reads(t) is start(t) and a move. It is the identity, else any: while
 * there is a thread that reads from the lane of thread 0, its lowest bit is made to make a
 * difference, which is that bit itself if possible. Threads that get the same need no lanes of
 * their own. False if there is none. */
static bool permute_lanes(struct planner *planner, const struct f2_span *moves) {
    const uint32_t threads = planner->plan->threads, *start = planner->start;
    struct f2 reads = {.in = (uint32_t)__builtin_ctz(threads)};
    uint32_t ignored;
    planner->is_home = true;
    for (uint32_t t = 0; t < threads; t++) {
        planner->reads[t] = t;
        planner->is_home = planner->is_home && mapping_f2_solve(moves, start[t] ^ t, 0, &ignored);
    }
    if (planner->is_home) {
        planner->follow = 0;
        return true;
    }
    for (uint32_t b = 0; b < reads.in; b++)
        reads.column[b] = start[UINT32_C(1) << b] ^ start[0];
    for (;;) {
        const struct f2_span read = mapping_f2_graph(&reads);
        const uint32_t idle = (uint32_t)read.pivots & ~planner->follow;
        if (idle == 0)
            break;
        const uint32_t t = (uint32_t)read.reduced[__builtin_ctz(idle)] & ~planner->follow;
        uint32_t vector = t & -t;
        for (uint64_t left = moves->pivots; !mapping_f2_solve(moves, vector, 0, &ignored) ||
                                            mapping_f2_solve(&read, vector, 0, &ignored);
             left &= left - 1) {
            if (left >> 32 == 0)
                return false;
            vector = (uint32_t)(moves->reduced[__builtin_ctzll(left)] >> 32);
        }
        reads.column[__builtin_ctz(t)] ^= vector;
    }
    for (uint32_t t = 0; t < threads; t++)
        planner->reads[t] = mapping_f2_apply(&reads, t) ^ start[0];
    return true;
}

/* The dimensions of the next stage if some are left: all stages have `size` but the first, which
 * has the rest. */
static uint32_t stage_size(uint32_t left, uint32_t size) {
    return left < size ? left : (left - 1) % size + 1;
}

/* Splits the dimensions among the stages that take the fewest shuffles, and of these into the
 * fewest stages. */
static void split_stages(struct planner *planner) {
    uint32_t fewest = UINT32_MAX;
    for (uint32_t size = planner->dimension ? planner->dimension : 1; size > 0; size--) {
        uint32_t left = planner->dimension, shuffles = 0;
        do {
            const uint32_t rounds = UINT32_C(1) << stage_size(left, size);
            const uint32_t room = rounds * planner->plan->per;
            left -= stage_size(left, size);
            const bool is_one_free = left > 0 || planner->is_home; /* nothing moves there */
            shuffles += (rounds - is_one_free) * ((planner->distinct + room - 1) / room);
        } while (left > 0);
        planner->size = shuffles < fewest ? size : planner->size;
        fewest = shuffles < fewest ? shuffles : fewest;
    }
}

/* Decides from which lanes threads read in which round. False if that cannot be. If the source has
 * copies in other lanes, threads may take those for which reads ^ start is an offset. */
static bool find_rounds(struct planner *planner) {
    const uint32_t total = planner->plan->target.total;
    struct f2 *moves = &planner->moves;
    struct f2_span offsets = {.pivots = 0};
    for (uint32_t e = 0; e < total; e++)
        if (mapping_f2_extend(&offsets, planner->offset[e]))
            moves->column[planner->dimension++] = planner->offset[e];
    moves->in = planner->dimension;
    for (uint32_t bits = planner->free_source; bits; bits &= bits - 1)
        moves->column[moves->in++] = bits & -bits;
    const struct f2_span graph = mapping_f2_graph(moves);
    if (!permute_lanes(planner, &graph))
        return false;
    for (uint32_t t = 0; t < planner->plan->threads; t++) {
        mapping_f2_solve(&graph, planner->start[t] ^ planner->reads[t], 0, &planner->away[t]);
        planner->away[t] &= (UINT32_C(1) << planner->dimension) - 1;
    }
    for (uint32_t e = 0; e < total; e++)
        mapping_f2_solve(&graph, planner->offset[e], 0, &planner->offset[e]);
    split_stages(planner);
    return true;
}

/* ---- Steps ---- */

/* A table says what one value holds in each thread: entry t * per + s is the place of the element
 * that has to be in slot s of thread t, or NONE if the slot may hold anything. */

/* The bits of tid on which a table depends. */
static uint32_t find_dependence(const struct shuffle_plan *plan, const uint32_t *table) {
    const uint32_t size = plan->threads * plan->per;
    uint32_t by = 0;
    for (uint32_t bit = 1; bit < plan->threads; bit <<= 1) {
        const uint32_t run = bit * plan->per; /* rows that differ in the bit alone */
        uint32_t difference = 0;
        for (const uint32_t *row = table; row < table + size; row += 2 * (size_t)run)
            for (uint32_t n = 0; n < run; n++)
                difference |= row[n] ^ row[n + run];
        by |= difference ? bit : 0;
    }
    return by;
}

/* Adds a step whose `count` picks are in picks[] behind the first pick_count, unless another step
 * does the same. Returns its value. */
static uint32_t add_step(struct planner *planner, struct shuffle_step step, uint32_t count) {
    struct shuffle_plan *plan = planner->plan;
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const struct shuffle_step *other = &plan->steps[n];
        if (other->kind == step.kind && other->by == step.by && other->value == step.value &&
            other->lanes == step.lanes &&
            (count == 0 || memcmp(plan->picks + other->first, plan->picks + step.first,
                                  count * sizeof *plan->picks) == 0))
            return plan->source.words + n;
    }
    struct shuffle_step *steps = realloc(plan->steps, (plan->step_count + 1) * sizeof *steps);
    if (!steps) {
        planner->status = MAPPING_FAILED;
        return 0;
    }
    plan->steps = steps;
    plan->steps[plan->step_count] = step;
    plan->pick_count += count;
    plan->shuffles += step.kind == STEP_SHUFFLE;
    return plan->source.words + plan->step_count++;
}

/* The value of a table; makes a step for it if there is none. */
static uint32_t make_value(struct planner *planner, const uint32_t *table) {
    struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per, by = find_dependence(plan, table);
    const uint32_t count = per << __builtin_popcount(by), first = plan->pick_count;
    uint32_t *picks = realloc(plan->picks, (first + count) * sizeof *picks);
    if (!picks) {
        planner->status = MAPPING_FAILED;
        return 0;
    }
    plan->picks = picks;
    picks += first;
    const int shift = __builtin_ctz(per);
    uint32_t values[THREADS_MAX] = {MAPPING_NO_VALUE};
    bool is_whole = true; /* each case takes all slots of one value, that of values[] */
    for (uint32_t c = 0, t = 0, n = 0; n < count; c++, t = (t - by) & by) {
        memcpy(picks + n, table + (size_t)t * per, per * sizeof *picks);
        values[c] = MAPPING_NO_VALUE;
        for (uint32_t s = 0; s < per; s++, n++) {
            if (picks[n] == NONE)
                continue;
            const uint32_t value = picks[n] >> shift;
            is_whole = is_whole && (picks[n] & (per - 1)) == s &&
                       (values[c] == MAPPING_NO_VALUE || values[c] == value);
            values[c] = value;
        }
    }
    for (uint32_t n = 0; n < count && is_whole; n++) {
        const uint32_t value = values[n >> shift];
        picks[n] = value == MAPPING_NO_VALUE ? NONE : value << shift | (n & (per - 1));
    }
    if (is_whole && by == 0)
        return *values != MAPPING_NO_VALUE ? *values : 0;
    return add_step(planner, (struct shuffle_step){STEP_COMBINE, by, first, 0, 0}, count);
}

/* Adds the lanes that threads read from, as an exclusive or or else a formula. */
static void add_lanes(struct planner *planner, const uint32_t *from) {
    struct shuffle_plan *plan = planner->plan;
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    struct source_lanes *lanes = realloc(plan->lanes, (plan->lanes_count + 1) * sizeof *lanes);
    uint32_t values[THREADS_MAX];
    if (!lanes) {
        planner->status = MAPPING_FAILED;
        return;
    }
    plan->lanes = lanes;
    lanes += plan->lanes_count++;
    *lanes = (struct source_lanes){.is_xor = true, .mask = from[0] % WARP};
    for (uint32_t t = 0; t < plan->threads; t++) {
        values[t] = from[t] % WARP;
        lanes->is_xor = lanes->is_xor && from[t] == (t ^ from[0]);
    }
    if (!lanes->is_xor && !mapping_deduce(&space, values, &lanes->formula))
        planner->status = MAPPING_NO_FORMULA;
}

/* ---- Rounds ---- */

/* One round of a stage: it moves the items for which away ^ offset is `wanted` in the bits `mask`
 * of `moves`. */
struct round {
    uint32_t mask, wanted;
    bool is_last;                /* of the stages: items go to their own threads */
    uint32_t from[THREADS_MAX];  /* what a lane reads from */
    uint32_t first[THREADS_MAX]; /* item that a lane receives, or NONE; the others are in next[] */
    uint32_t most;               /* items that a lane receives */
};

/* Lists the items of a round by receiving lane, those of a lane by thread and element. */
static void collect(struct planner *planner, struct round *round) {
    const uint32_t total = planner->plan->target.total, later = ~round->mask & -round->mask;
    const uint32_t vector = mapping_f2_apply(&planner->moves, round->wanted);
    uint32_t received[THREADS_MAX] = {0};
    memset(round->first, 0xff, sizeof round->first);
    round->most = 0;
    for (uint32_t t = planner->plan->threads; t-- > 0;) {
        round->from[t] = (round->is_last ? planner->reads[t] : t) ^ vector;
        for (uint32_t e = total; e-- > 0;) {
            const uint32_t distance = planner->away[t] ^ planner->offset[e], item = t * total + e;
            if ((t & planner->follow) != 0 || (distance & round->mask) != round->wanted)
                continue;
            uint32_t to = t;
            if (!round->is_last)
                to = planner->reads[t] ^ mapping_f2_apply(&planner->moves, distance & later);
            planner->sent[item] = planner->place[t * total + planner->duplicate[e]];
            planner->next[item] = round->first[to];
            round->first[to] = item;
            round->most = ++received[to] > round->most ? received[to] : round->most;
        }
    }
}

/* Fills a table for each word that is sent, of which there are round->most at most: of whole words,
 * or of the slots that are needed, in the order of the items of each lane. seen[] has an entry for
 * each of `places`. Returns the number of words. */
static uint32_t fill_tables(struct planner *planner, const struct round *round, bool by_word,
                            uint32_t *seen, size_t places, uint32_t *tables) {
    const uint32_t per = planner->plan->per, threads = planner->plan->threads;
    const int shift = __builtin_ctz(per), key_shift = by_word ? shift : 0;
    uint32_t most = 0, count = 0; /* of all lanes so far */
    memset(seen, 0, places * sizeof *seen);
    memset(tables, 0xff, (size_t)round->most * threads * per * sizeof *tables);
    for (uint32_t d = 0; d < threads; d++) {
        const uint32_t before = count;
        for (uint32_t item = round->first[d]; item != NONE; item = planner->next[item]) {
            const uint32_t place = planner->sent[item], key = place >> key_shift;
            if (seen[key] <= before)
                seen[key] = ++count;
            const uint32_t message =
                (seen[key] - before - 1) << key_shift | (place ^ key << key_shift);
            uint32_t *row = tables + ((size_t)(message >> shift) * threads + round->from[d]) * per;
            for (uint32_t s = 0; s < per && by_word; s++)
                row[s] = (place & ~(per - 1)) + s;
            row[message & (per - 1)] = place;
            planner->message[by_word][item] = message;
        }
        most = count - before > most ? count - before : most;
    }
    return by_word ? most : (most + per - 1) / per;
}

/* Makes the steps of a round: whole words are sent as they are, or if that takes more shuffles,
 * only what is needed. */
static void do_round(struct planner *planner, struct round *round) {
    const struct shuffle_plan *plan = planner->plan;
    const size_t values = plan->source.words + plan->step_count, places = values * plan->per;
    collect(planner, round);
    const size_t size = (size_t)plan->threads * plan->per, room = round->most * size;
    const int shift = __builtin_ctz(plan->per);
    uint32_t *seen = malloc((places + 2 * room) * sizeof *seen);
    if (!seen) {
        planner->status = MAPPING_FAILED;
        return;
    }
    uint32_t *tables = seen + places, *received = seen; /* which is not needed any more by then */
    const uint32_t slots = fill_tables(planner, round, false, seen, places, tables);
    const uint32_t words = fill_tables(planner, round, true, seen, places, tables + room);
    const bool by_word = words <= slots;
    if (words > 0)
        add_lanes(planner, round->from);
    for (uint32_t w = 0; w < (by_word ? words : slots); w++) {
        const uint32_t value = make_value(planner, tables + by_word * room + w * size);
        received[w] = add_step(
            planner, (struct shuffle_step){STEP_SHUFFLE, 0, 0, value, plan->lanes_count - 1}, 0);
    }
    for (uint32_t d = 0; d < plan->threads; d++)
        for (uint32_t item = round->first[d]; item != NONE; item = planner->next[item]) {
            const uint32_t message = planner->message[by_word][item];
            planner->place[item] =
                received[message >> shift] << shift | (message & (plan->per - 1));
        }
    free(seen);
}

/* Makes the steps of all stages. */
static void do_stages(struct planner *planner) {
    uint32_t left = planner->dimension;
    do {
        const uint32_t first = planner->dimension - left, size = stage_size(left, planner->size);
        left -= size;
        struct round round = {.mask = ((UINT32_C(1) << size) - 1) << first, .is_last = left == 0};
        for (uint32_t j = round.is_last && !planner->is_home ? 0 : 1; j >> size == 0; j++) {
            round.wanted = j << first;
            do_round(planner, &round);
        }
    } while (left > 0);
}

/* Makes the words of the target out of what the threads have now. */
static void make_outputs(struct planner *planner) {
    struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per, total = plan->target.total;
    uint32_t *table = malloc((size_t)plan->threads * per * sizeof *table);
    if (!table)
        planner->status = MAPPING_FAILED;
    for (uint32_t w = 0; w < plan->target.words && table; w++) {
        for (uint32_t t = 0; t < plan->threads; t++)
            for (uint32_t s = 0, e = w * per; s < per; s++, e++)
                table[t * per + s] =
                    e < total ? planner->place[(t & ~planner->follow) * total + e] : NONE;
        plan->outputs[w] = make_value(planner, table);
    }
    free(table);
}

/* ---- Execution ---- */

/* The case of a step for a thread. */
static uint32_t step_case(const struct shuffle_step *step, uint32_t tid) {
    uint32_t number = 0, weight = 1;
    for (uint32_t by = step->by; by; by &= by - 1, weight <<= 1)
        number |= tid & by & -by ? weight : 0;
    return number;
}

/* Makes a value in one thread by executing a step. False if the step names what is not there. The
 * point in slot s of a value is slots[(value * threads + tid) * per + s]; NONE stands for anything.
 */
static bool execute(const struct shuffle_plan *plan, const struct shuffle_step *step,
                    uint32_t value, uint32_t tid, uint32_t *slots) {
    const uint32_t per = plan->per, first = step->first + step_case(step, tid) * per;
    const int shift = __builtin_ctz(per);
    uint32_t from = tid;
    if (step->kind == STEP_SHUFFLE ? step->lanes >= plan->lanes_count
                                   : first + per > plan->pick_count)
        return false;
    if (step->kind == STEP_SHUFFLE) {
        const struct source_lanes *lanes = &plan->lanes[step->lanes];
        const uint32_t lane =
            lanes->is_xor ? tid ^ lanes->mask : mapping_formula_evaluate(&lanes->formula, 1, &tid);
        from = tid / WARP * WARP + lane % WARP;
    }
    for (uint32_t s = 0; s < per; s++) {
        const uint32_t pick =
            step->kind == STEP_SHUFFLE ? step->value * per + s : plan->picks[first + s];
        if (pick != NONE && pick >> shift >= value)
            return false;
        uint32_t *slot = &slots[((size_t)value * plan->threads + tid) * per + s];
        *slot = NONE;
        if (pick != NONE)
            *slot =
                slots[((size_t)(pick >> shift) * plan->threads + from) * per + (pick & (per - 1))];
    }
    return true;
}

/* Executes all steps in all threads, and compares the words of the target. MAPPING_DIFFERS if they
 * are others. */
static enum mapping_status execute_all(const struct shuffle_plan *plan) {
    const struct plan_side *source = &plan->source, *target = &plan->target;
    const uint32_t per = plan->per, threads = plan->threads,
                   values = source->words + plan->step_count;
    uint32_t *slots = malloc((size_t)values * threads * per * sizeof *slots);
    bool holds = true;
    if (!slots)
        return MAPPING_FAILED;
    for (uint32_t v = 0; v < values && holds; v++)
        for (uint32_t t = 0; t < threads && holds; t++)
            if (v >= source->words)
                holds = execute(plan, &plan->steps[v - source->words], v, t, slots);
            else
                for (uint32_t s = 0, e = v * per; s < per; s++, e++)
                    slots[((size_t)v * threads + t) * per + s] =
                        e < source->total ? source->points[t * source->total + e] : NONE;
    for (uint32_t e = 0; e < target->total && holds; e++) {
        const uint32_t value = plan->outputs[e / per];
        for (uint32_t t = 0; t < threads && holds; t++)
            holds = value < values && slots[((size_t)value * threads + t) * per + e % per] ==
                                          target->points[t * target->total + e];
    }
    free(slots);
    return holds ? MAPPING_OK : MAPPING_DIFFERS;
}

bool mapping_convert_holds(const struct shuffle_plan *plan) {
    return plan->kind == CONVERT_MEMORY || execute_all(plan) == MAPPING_OK;
}

/* ---- All ---- */

/* Makes the steps, and executes them. MAPPING_NO_FORMULA or MAPPING_DIFFERS if there are none;
 * MAPPING_FAILED if out of memory. */
static enum mapping_status make_steps(struct shuffle_plan *plan) {
    const size_t total = plan->target.total, items = plan->threads * total;
    uint32_t *memory = malloc((5 * items + 2 * total) * sizeof *memory);
    plan->outputs = malloc(plan->target.words * sizeof *plan->outputs);
    if (!memory || !plan->outputs) {
        free(memory);
        return MAPPING_FAILED;
    }
    struct planner planner = {.plan = plan,
                              .place = memory,
                              .next = memory + items,
                              .sent = memory + 2 * items,
                              .message = {memory + 3 * items, memory + 4 * items},
                              .duplicate = memory + 5 * items,
                              .offset = memory + 5 * items + total};
    if (find_sources(&planner) && find_rounds(&planner)) {
        do_stages(&planner);
        make_outputs(&planner);
    } else {
        planner.status = MAPPING_NO_FORMULA;
    }
    free(memory);
    return planner.status == MAPPING_OK ? execute_all(plan) : planner.status;
}

enum mapping_status mapping_convert_plan(const struct mapping_layout *source,
                                         const struct mapping_layout *target, uint32_t bits,
                                         const struct mapping_permutation *permutation,
                                         struct shuffle_plan *plan, struct mapping_error *error) {
    *plan = (struct shuffle_plan){.kind = CONVERT_MEMORY};
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
    if (status == MAPPING_OK)
        status = lay_out(source, NULL, plan, &plan->source, error);
    if (status == MAPPING_OK)
        status = lay_out(target, permutation, plan, &plan->target, error);
    if (status != MAPPING_OK)
        return status;
    plan->crosses_warps = plan->threads > WARP; /* if nothing better is known */
    status = MAPPING_NO_FORMULA;
    if (plan->source.is_over_bits && plan->target.is_over_bits)
        status = make_steps(plan);
    if (status != MAPPING_OK) {
        plan->step_count = plan->pick_count = plan->lanes_count = plan->shuffles = 0;
        return status == MAPPING_FAILED ? mapping_out_of_memory(error) : MAPPING_OK;
    }
    bool is_same = true;
    for (uint32_t w = 0; w < plan->target.words; w++)
        is_same = is_same && plan->outputs[w] == w;
    plan->kind = plan->shuffles > 0     ? CONVERT_SHUFFLES
                 : plan->step_count > 0 ? CONVERT_SLOTS
                 : is_same              ? CONVERT_SAME
                                        : CONVERT_WORDS;
    return MAPPING_OK;
}
