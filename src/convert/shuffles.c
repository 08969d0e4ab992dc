/* shuffles.c - plans a register conversion with few shuffles; see shuffles.h.
 *
 * Read the example in layout/f2.c first. The method is that of Zhou et al., "Linear Layouts", arXiv
 * 2505.23819. The source or the target may consist of several matrices side by side. So e takes the
 * place of i in the example: e is the index of an element among the thread's elements of all
 * matrices. Element e of thread t of the target is at C (t, e) in the source, where S C = T. If
 * several registers of the source hold the same element, there are several such C;
 * mapping_f2_solve() takes one for which lane ^ t is lowest, and choose_copy() then chooses the
 * register.
 *
 * The source lane of an element is start(t) ^ offset(e). The planner chooses k linearly independent
 * offsets, called dimensions. Each offset is the XOR of some dimensions. There are 2^k XORs of
 * dimensions, and each is the number j of a round. permute_lanes() chooses a lane reads(t) for each
 * thread; threads that need different elements have different reads(t). In round j, thread t reads
 * from lane reads(t) ^ j. It receives the elements e whose source lane, start(t) ^ offset(e), is
 * this lane. Every e has such a round, because permute_lanes() ensures that start(t) ^ reads(t) is
 * one of the 2^k numbers. (If several source lanes hold the same elements, start(t) ^ reads(t) may
 * also contain the bits by which these lanes differ.) It chooses reads(t) = t if that is possible,
 * as in the example. Then round 0 stays in the thread, and needs no shuffle.
 *
 * In round j, lane l is read by the thread t with reads(t) ^ j = l. If there are several such
 * threads, they need the same elements. C (t, e) gives the indices of these elements in l. A
 * shuffle sends one 32-bit word from each lane. Smaller elements share a word, each in a slot: a
 * 16-bit element e is in slot e % 2 of word e / 2. If the elements of a round are in several words,
 * a step before the shuffle combines them in the slots of one word, differently in each lane, and a
 * step at the end moves them to their words and slots of the target. A round of n words takes n
 * shuffles.
 *
 * With more rounds than words per thread, a round may fill only part of a word. Then stages, as in
 * a butterfly network, may take fewer shuffles. Each dimension belongs to one stage; a stage of d
 * dimensions has 2^d rounds. A stage moves an element from lane l to lane l ^ (the part of j in its
 * dimensions), but the last stage moves it to t instead of reads(t). With 4 words, k = 3 and
 * reads(t) = t, one stage takes 7 shuffles, each of half a word. Stages of 2 and 4 rounds take 5:
 * one round of 2 words, and 3 rounds of one word, because round 0 of each stage needs no
 * shuffle. */
#include "convert/shuffles.h"
#include "layout/sentence.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = MAPPING_WARP, THREADS_MAX = 128 };

#define NONE MAPPING_NO_VALUE /* no place, and no slot */

void mapping_convert_free(struct shuffle_plan *plan) {
    mapping_free(plan->source.owned);
    mapping_free(plan->target.owned);
    mapping_free(plan->memory);
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

/* The size of a matrix along axis a: 0 for blocks (1 if it has none), 1 for rows, 2 for columns. */
static uint32_t size_along(const struct mapping_layout *layout, uint32_t a) {
    const uint32_t missing = 3 - layout->to.count;
    return a < missing ? 1 : layout->to.axis[a - missing].size;
}

/* Repeats a matrix side by side until it has the size of the plan, and sets the members of the
 * side. The permutation may be NULL. A single block needs no axis. */
static enum mapping_status lay_out(const struct mapping_layout *layout,
                                   const struct mapping_permutation *permutation,
                                   const struct shuffle_plan *plan, struct plan_side *side,
                                   struct mapping_error *error) {
    const char *const axes[] = {MAPPING_AXIS_BLOCK, MAPPING_AXIS_ROW, MAPPING_AXIS_COL};
    const uint32_t elements = layout->from.axis[1].size, missing = 3 - layout->to.count,
                   first = plan->size[0] == 1;
    uint32_t *grid = side->grid;
    struct mapping_space from = {2, {layout->from.axis[0], {MAPPING_AXIS_I, 0}}}, to = {0};
    for (uint32_t a = 0; a < 3; a++) {
        grid[a] = plan->size[a] / size_along(layout, a);
        to.axis[to.count] = (struct mapping_axis){axes[a], plan->size[a]};
        to.count += a >= first;
    }
    const int permuted = permutation ? mapping_space_find(&to, permutation->axis) : -1;
    side->matrices = grid[0] * grid[1] * grid[2];
    side->total = from.axis[1].size = elements * side->matrices;
    side->words = (side->total + plan->per - 1) / plan->per;
    side->layout = *layout;
    if (side->matrices > 1 || permutation || missing != first) {
        const enum mapping_status status = mapping_layout_init(&side->layout, &from, &to, error);
        if (status != MAPPING_OK)
            return status;
        side->owned = side->layout.coordinate[0];
    }
    for (uint32_t n = 0; n < plan->threads * side->matrices && side->owned; n++) {
        const uint32_t t = n / side->matrices, m = n % side->matrices;
        const uint32_t at[3] = {m / grid[2] / grid[1], m / grid[2] % grid[1], m % grid[2]};
        for (uint32_t a = first; a < 3; a++) {
            const uint32_t *own = a < missing ? NULL : layout->coordinate[a - missing];
            uint32_t *moved = side->layout.coordinate[a - first] + (size_t)n * elements;
            const uint32_t start = at[a] * size_along(layout, a);
            for (uint32_t i = 0; i < elements; i++)
                moved[i] = own ? start + own[t * elements + i] : start;
            const bool is_permuted = permutation && permuted == (int)(a - first);
            for (uint32_t i = 0; i < elements && is_permuted; i++)
                moved[i] = permutation->table[moved[i]];
        }
    }
    side->is_over_bits = mapping_bits_of_layout(&side->layout, &side->bits);
    return MAPPING_OK;
}

/* ---- Source lanes ---- */

/* The state while a plan is made. An item is an element of the target: item t * total + e is
 * element e of thread t. At first, it is in a register of the source. Each stage moves it to
 * another lane, into a value (shuffles.h) of this stage, or leaves it there. After the last stage,
 * it is in thread t. */
struct planner {
    struct shuffle_plan *plan;
    bool has_failed; /* there is no formula for the source lanes, or a message is too long */

    uint32_t *place;     /* place[item], in the lane that currently holds the item */
    uint32_t *duplicate; /* duplicate[e]: the first element of the thread that equals e */
    uint32_t *offset;    /* offset[e]; after find_rounds(), bit b means that the offset contains
                            column b of `moves` */
    uint32_t start[THREADS_MAX];
    uint32_t distinct;    /* number of different elements that a thread of the target holds */
    uint32_t free_source; /* source lanes that differ only in these bits hold the same elements */
    uint32_t follow;      /* threads that differ only in these bits of tid get the same elements;
                             0 if reads(t) = t, because then each thread reads its own */

    struct f2 moves;    /* `dimension` offsets, which span all offsets; then bits of free_source */
    uint32_t dimension; /* k */
    uint32_t reads[THREADS_MAX]; /* the lane permutation */
    uint32_t away[THREADS_MAX];  /* bit b: start(t) ^ reads(t) contains column b of `moves` */
    bool is_home;                /* reads(t) = t for all t */
    uint32_t size;               /* dimensions of each stage; the first may have fewer */
    uint32_t most_steps;         /* a combination and a shuffle for each shuffle, and the outputs */

    /* In a round, each lane sends a message with `room` slots; lanes use `used` of them at most.
     * sent[lane * capacity + slot] is the place that is sent there, message[item] the slot of an
     * item; NONE if there is none. */
    uint32_t *sent, *message, capacity, used;
};

/* Chooses one of the copies of element f in a lane of the source: preferably e itself, then the
 * first copy in the slot of e, then the first copy. */
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

/* Finds C, and with it the place of each item in the source. False if an item comes from another
 * warp, if no C exists, or if the parts that are not linear over bits differ. */
static bool find_sources(struct planner *planner) {
    struct shuffle_plan *plan = planner->plan;
    const struct bit_layout *source = &plan->source.bits, *target = &plan->target.bits;
    const uint32_t from = source->first_in[0], to = target->first_in[0]; /* number of bits of i */
    const uint32_t total = plan->target.total;
    const struct f2_span graph = mapping_f2_graph(&source->bits);
    struct f2 found = target->bits, held = target->bits;
    struct f2 copies = {.in = 0}; /* the place of element 0 in its lane of the source */
    const uint32_t own = (UINT32_C(1) << from) - 1;
    uint32_t origin, difference = 0;
    for (uint32_t b = from; b < source->bits.in; b++)
        if (source->bits.column[b] == 0)
            planner->free_source |= (UINT32_C(1) << (b - from)) % WARP;
    for (uint32_t b = 0; b < from; b++)
        if (graph.pivots >> b & 1)
            copies.column[copies.in++] = (uint32_t)graph.reduced[b];
    for (uint32_t b = 0; b < found.in; b++) {
        const uint32_t lane = b < to ? 0 : UINT32_C(1) << (b - to);
        if (!mapping_f2_solve(&graph, target->bits.column[b], lane << from, &found.column[b]))
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
        const uint32_t point = mapping_f2_apply(&found, x);
        planner->message[e] = (point & own) | q << from; /* temporarily, the place in the source */
        planner->offset[e] = point >> from;
        difference |= planner->offset[e];
    }
    const uint32_t *message = planner->message;
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t point = mapping_f2_apply(&found, t << to) ^ origin;
        planner->start[t] = point >> from;
        difference |= planner->start[t] ^ t;
        uint32_t *place = planner->place + (size_t)t * total;
        for (uint32_t e = 0; e < total; e++)
            place[e] = message[e] ^ (point & own);
        for (uint32_t e = 0; e < total && copies.in > 0; e++)
            place[e] = choose_copy(&copies, plan->per, place[e], e);
    }
    plan->crosses_warps = difference >= WARP;
    return difference < WARP;
}

/* ---- Lane permutation and stages ---- */

/* Finds a lane permutation for which start(t) ^ reads(t) is in the span of the moves: the identity
 * if possible. Otherwise it begins with reads() = start(). While a thread reads from the same lane
 * as thread 0, a move is added to the column of its lowest bit: this bit itself if it is in the
 * span. Threads that get the same elements may share a lane. False if there is no permutation. */
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

/* The number of dimensions of the next stage, if some are left: all stages have `size`, except the
 * first, which has the remainder. */
static uint32_t stage_size(uint32_t left, uint32_t size) {
    return left < size ? left : (left - 1) % size + 1;
}

/* The number of words that a lane sends in each round of a stage with this number of rounds. */
static uint32_t words_of_round(const struct planner *planner, uint32_t rounds) {
    const uint32_t capacity = rounds * planner->plan->per;
    return capacity > 0 ? (planner->distinct + capacity - 1) / capacity : 0;
}

/* Splits the dimensions into the stages that need the fewest shuffles; among these, into the fewest
 * stages. */
static void split_stages(struct planner *planner) {
    uint32_t fewest = UINT32_MAX;
    for (uint32_t size = planner->dimension ? planner->dimension : 1; size > 0; size--) {
        uint32_t left = planner->dimension, shuffles = 0;
        do {
            const uint32_t rounds = UINT32_C(1) << stage_size(left, size);
            left -= stage_size(left, size);
            const bool is_one_free = left > 0 || planner->is_home; /* round 0 moves nothing */
            shuffles += (rounds - is_one_free) * words_of_round(planner, rounds);
        } while (left > 0);
        planner->size = shuffles < fewest ? size : planner->size;
        fewest = shuffles < fewest ? shuffles : fewest;
    }
    planner->most_steps = 2 * fewest + planner->plan->target.words;
}

/* Chooses the lanes that threads read in each round. False if that is impossible. If the source has
 * copies in other lanes, start ^ reads may also have bits of free_source, which select the copy. */
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

/* The picks of the next step. There is room for one step more than most_steps. */
static uint32_t *next_picks(const struct shuffle_plan *plan) {
    return plan->picks + (size_t)plan->step_count * plan->threads * plan->per;
}

/* Adds a step with the next picks, unless an equal step exists. Returns its value. */
static uint32_t add_step(struct planner *planner, struct shuffle_step step) {
    struct shuffle_plan *plan = planner->plan;
    const size_t size = (size_t)plan->threads * plan->per;
    uint32_t n = 0;
    while (n < plan->step_count &&
           (plan->steps[n].is_shuffle != step.is_shuffle || plan->steps[n].lanes != step.lanes ||
            memcmp(plan->picks + n * size, next_picks(plan), size * sizeof *plan->picks) != 0))
        n++;
    if (n == plan->step_count) {
        plan->steps[plan->step_count++] = step;
        plan->shuffles += step.is_shuffle;
    }
    return plan->source.words + n;
}

/* Returns the value that the next picks make: an existing one or that of a new step. If each thread
 * keeps slots of one value in place, its free slots are filled from the same value. */
static uint32_t combine(struct planner *planner) {
    const struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per;
    uint32_t *picks = next_picks(plan), by = 0;
    uint32_t first[THREADS_MAX] = {NONE}; /* slot 0 of the value that t reads */
    bool is_whole = true;
    /* Compare threads t to t + bit - 1 with those that differ in this bit. */
    for (uint32_t bit = 1; bit < plan->threads; bit <<= 1)
        for (uint32_t t = 0; t < plan->threads && (by & bit) == 0; t += 2 * bit)
            if (memcmp(picks + (size_t)t * per, picks + (size_t)(t + bit) * per,
                       sizeof *picks * bit * per) != 0)
                by |= bit;
    for (uint32_t t = 0; t < plan->threads; t++) {
        first[t] = NONE;
        for (uint32_t s = 0; s < per; s++) {
            const uint32_t pick = picks[t * per + s];
            if (pick == NONE)
                continue;
            is_whole = is_whole && ((pick - s) & (per - 1)) == 0 &&
                       (first[t] == NONE || first[t] == pick - s);
            first[t] = pick - s;
        }
    }
    for (uint32_t t = 0; t < plan->threads && is_whole; t++)
        for (uint32_t s = 0; s < per && first[t] != NONE; s++)
            picks[t * per + s] = first[t] + s;
    if (is_whole && by == 0)
        return *first >> __builtin_ctz(per);
    return add_step(planner, (struct shuffle_step){false, by, 0});
}

/* Adds the lanes that threads read from in a round: as an XOR mask, or else as a formula. */
static void add_lanes(struct planner *planner, const uint32_t *reads, uint32_t vector) {
    struct shuffle_plan *plan = planner->plan;
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    struct source_lanes *lanes = &plan->lanes[plan->lanes_count++];
    uint32_t values[THREADS_MAX];
    lanes->is_xor = true;
    for (uint32_t t = 0; t < plan->threads; t++) {
        values[t] = ((reads ? reads[t] : t) ^ vector) % WARP;
        lanes->mask = values[0];
        lanes->is_xor = lanes->is_xor && values[t] == (t ^ lanes->mask) % WARP;
    }
    if (!lanes->is_xor && !mapping_deduce(&space, values, &lanes->formula))
        planner->has_failed = true;
}

/* ---- Rounds ---- */

/* Puts the items of a round into the messages of the lanes that hold them, each once: with its
 * whole word if `unit` is `per`, alone if it is 1. An item belongs to this round if away ^ offset
 * is `wanted` in the bits `mask` of `moves`. Earlier stages handled the bits below `mask`. False if
 * there is not enough room. */
static bool fill_messages(struct planner *planner, uint32_t mask, uint32_t wanted, uint32_t unit) {
    const uint32_t total = planner->plan->target.total, capacity = planner->capacity;
    const uint32_t threads = planner->plan->threads, *const offset = planner->offset,
                   *const duplicate = planner->duplicate;
    uint32_t used = 0;
    /* for each lane: the number of used slots, and a bound above all their places */
    uint32_t count[THREADS_MAX] = {0}, above[THREADS_MAX] = {0};
    uint32_t hop[WARP]; /* the XOR of the lanes that correspond to the moves in a number */
    for (uint32_t moves = 0; moves >> planner->dimension == 0; moves++)
        hop[moves] = mapping_f2_apply(&planner->moves, moves);
    memset(planner->sent, 0xff, (size_t)threads * capacity * sizeof *planner->sent);
    memset(planner->message, 0xff, (size_t)threads * total * sizeof *planner->message);
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t away = planner->away[t], reads = planner->reads[t];
        const uint32_t *const places = planner->place + (size_t)t * total;
        uint32_t *const message = planner->message + (size_t)t * total;
        if ((t & planner->follow) != 0)
            continue;
        for (uint32_t e = 0; e < total; e++) {
            const uint32_t distance = away ^ offset[e];
            if ((distance & mask) != wanted)
                continue;
            const uint32_t lane = reads ^ hop[distance & -(mask & -mask)];
            const uint32_t place = places[duplicate[e]];
            const uint32_t first = place & ~(unit - 1);
            uint32_t *slots = planner->sent + (size_t)lane * capacity;
            uint32_t n = first >= above[lane] ? count[lane] : 0; /* or the item may already be in
                                                                    the message */
            while (n < count[lane] && slots[n] != first)
                n += unit;
            if (n == capacity)
                return false;
            for (uint32_t s = 0; s < unit && n == count[lane]; s++)
                slots[n + s] = first + s;
            count[lane] = n + unit > count[lane] ? n + unit : count[lane];
            above[lane] = first >= above[lane] ? first + unit : above[lane];
            used = n + unit > used ? n + unit : used;
            message[e] = n + place - first;
        }
    }
    planner->used = used;
    return true;
}

/* Makes the steps of a round. Lanes send whole words, or only the items that are needed if that
 * takes fewer shuffles. In the last stage, each thread reads its own items. */
static void do_round(struct planner *planner, uint32_t mask, uint32_t wanted, bool is_last) {
    const struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per, vector = mapping_f2_apply(&planner->moves, wanted);
    const int shift = __builtin_ctz(per);
    planner->capacity = per * words_of_round(planner, UINT32_C(1) << __builtin_popcount(mask));
    if (!fill_messages(planner, mask, wanted, 1)) {
        planner->has_failed = true;
        return;
    }
    planner->capacity = (planner->used + per - 1) & ~(per - 1);
    if (!fill_messages(planner, mask, wanted, per))
        fill_messages(planner, mask, wanted, 1);
    if (planner->used > 0)
        add_lanes(planner, is_last ? planner->reads : NULL, vector);
    for (uint32_t n = 0; n < planner->used; n += per) {
        uint32_t *picks = next_picks(plan);
        for (uint32_t t = 0; t < plan->threads; t++)
            memcpy(picks + (size_t)t * per, planner->sent + (size_t)t * planner->capacity + n,
                   per * sizeof *picks);
        const uint32_t value = combine(planner);
        picks = next_picks(plan);
        for (uint32_t p = 0; p < plan->threads * per; p++)
            picks[p] = value * per + (p & (per - 1));
        plan->outputs[n >> shift] = /* until do_stages ends, the received words of the message */
            add_step(planner, (struct shuffle_step){true, 0, plan->lanes_count - 1});
    }
    const uint32_t items = plan->threads * plan->target.total, *const messages = planner->message;
    uint32_t *const place = planner->place;
    for (uint32_t n = 0; n < items; n++)
        if (messages[n] != NONE)
            place[n] = plan->outputs[messages[n] >> shift] * per + (messages[n] & (per - 1));
}

/* Makes the steps of all stages, and those that combine the items into the words of the target. */
static void do_stages(struct planner *planner) {
    struct shuffle_plan *plan = planner->plan;
    const uint32_t per = plan->per, total = plan->target.total;
    uint32_t left = planner->dimension;
    do {
        const uint32_t first = planner->dimension - left, size = stage_size(left, planner->size);
        left -= size;
        for (uint32_t j = left == 0 && !planner->is_home ? 0 : 1; j >> size == 0; j++)
            do_round(planner, ((UINT32_C(1) << size) - 1) << first, j << first, left == 0);
    } while (left > 0);
    for (uint32_t w = 0; w < plan->target.words; w++) {
        uint32_t *picks = next_picks(plan);
        for (uint32_t t = 0; t < plan->threads; t++) {
            const uint32_t *place = planner->place + (size_t)(t & ~planner->follow) * total;
            for (uint32_t s = 0, e = w * per; s < per; s++, e++)
                *picks++ = e < total ? place[e] : NONE;
        }
        plan->outputs[w] = combine(planner);
    }
}

/* ---- All ---- */

/* Executes the steps for all threads: traces each element of the target back to a register of the
 * source. False if this register holds another element of the matrix. */
static bool holds(const struct shuffle_plan *plan) {
    const struct plan_side *source = &plan->source, *target = &plan->target;
    uint32_t *const *const held = source->layout.coordinate, *const *const wanted =
                                                                 target->layout.coordinate;
    const uint32_t per = plan->per, axes = source->layout.to.count;
    const int shift = __builtin_ctz(per);
    uint32_t reads[WARP][THREADS_MAX]; /* the lanes of each thread, according to the formulae */
    for (uint32_t n = 0; n < plan->lanes_count; n++)
        for (uint32_t t = 0; t < plan->threads; t++)
            reads[n][t] =
                plan->lanes[n].is_xor
                    ? t ^ plan->lanes[n].mask
                    : t / WARP * WARP + mapping_formula_evaluate(&plan->lanes[n].formula, 1, &t);
    const uint32_t threads = plan->threads, words = source->words,
                   steps = plan->step_count, *const picks = plan->picks;
    for (uint32_t t = 0, n = 0; t < threads; t++)
        for (uint32_t e = 0; e < target->total; e++, n++) {
            uint32_t place = plan->outputs[e >> shift] * per + (e & (per - 1)), lane = t;
            while (place >> shift >= words) {
                const uint32_t number = (place >> shift) - words;
                if (number >= steps)
                    return false; /* for example NONE */
                const struct shuffle_step *step = &plan->steps[number];
                const size_t row = number * threads + (lane & step->by);
                place = picks[row << shift | (place & (per - 1))];
                lane = step->is_shuffle ? reads[step->lanes][lane] : lane;
            }
            uint32_t wrong = place >= source->total;
            for (uint32_t a = 0; a < axes && place < source->total; a++)
                wrong |= held[a][lane * source->total + place] ^ wanted[a][n];
            if (wrong)
                return false;
        }
    return true;
}

/* Makes the steps, and executes them to check them. False if there is no right plan. */
static bool make_steps(struct shuffle_plan *plan) {
    const uint32_t total = plan->target.total, words = plan->target.words;
    const size_t items = plan->threads * (size_t)total, size = (size_t)plan->threads * plan->per;
    uint32_t *memory = memory_resize(NULL, 2 * (items + total) + words * size, sizeof *memory);
    struct planner planner = {.plan = plan,
                              .place = memory,
                              .message = memory + items,
                              .duplicate = memory + 2 * items,
                              .offset = memory + 2 * items + total,
                              .sent = memory + 2 * (items + total)};
    bool is_right = plan->source.is_over_bits && plan->target.is_over_bits &&
                    find_sources(&planner) && find_rounds(&planner);
    if (is_right) {
        const uint32_t rounds = UINT32_C(1) << planner.dimension, steps = planner.most_steps;
        plan->memory = memory_resize(NULL, 1,
                                     rounds * sizeof *plan->lanes + steps * sizeof *plan->steps +
                                         (words + (steps + 1) * size) * sizeof *plan->picks);
        plan->lanes = plan->memory;
        plan->steps = (struct shuffle_step *)(plan->lanes + rounds);
        plan->outputs = (uint32_t *)(plan->steps + steps);
        plan->picks = plan->outputs + words;
        do_stages(&planner);
        is_right = !planner.has_failed && holds(plan);
    }
    mapping_free(memory);
    return is_right;
}

enum mapping_status mapping_convert_plan(const struct mapping_layout *source,
                                         const struct mapping_layout *target, uint32_t bits,
                                         const struct mapping_permutation *permutation,
                                         struct shuffle_plan *plan, struct mapping_error *error) {
    static const char *const names[] = {"blocks", "rows", "columns"};
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
    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t one = size_along(source, a), other = size_along(target, a);
        plan->size[a] = one > other ? one : other;
        if (one == 0 || other == 0 || plan->size[a] % one != 0 || plan->size[a] % other != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "sizes do not match: %u %s in the first layout, %u in the second; "
                                "one must be a multiple of the other",
                                one, names[a], other);
    }
    enum mapping_status status = lay_out(source, NULL, plan, &plan->source, error);
    if (status == MAPPING_OK)
        status = lay_out(target, permutation, plan, &plan->target, error);
    plan->crosses_warps = plan->threads > WARP; /* if there is no plan with shuffles */
    if (status != MAPPING_OK || !make_steps(plan)) {
        plan->step_count = plan->lanes_count = plan->shuffles = 0;
        return status;
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
