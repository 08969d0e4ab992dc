/* search.c - all C expressions of a number of operators that give a table of values.
 *
 * An expression of n operators is an operator over one of n - 1, or over two that have n - 1
 * together. So with all expressions x of n - 1 operators made bottom-up, it remains to ask of each
 * whether one operator and a constant or variable lead from it to the target, which is answered
 * backwards, by solving for the constant: that is search_finish.c. And all pairs of smaller ones
 * are compared with the target.
 *
 * Of n operators there are, with x1 and x2 of one and two operators, c1 and c2 constants that take
 * one and two, and a leaf being a small constant or a variable:
 *
 *     1   leaf op leaf
 *     2   x1 op leaf; leaf op c1
 *     3   x2 op leaf; x1 op x1, x1 op c1; leaf op c2
 *     4   x3 op leaf, where x3 is x2 op leaf, x1 op x1, x1 op c1 or leaf op c2; x2 op x1, x2 op c1;
 *         x1 op c2; leaf op c3
 *
 * each with the operands exchanged, and with unary operators.
 *
 * Why nothing is missed:
 *
 * - Only SEARCH_LANES entries of the table are compared. An expression that gives the whole table
 *   gives these, and one that is defined everywhere is defined there.
 * - Of expressions with the same values at these entries one is kept, that of the fewest operators:
 *   in any expression the one can be put for the other without changing a value at these entries.
 *   So if nothing is found, nothing is there. What is found may be wrong elsewhere; found() sees to
 *   that.
 * - Expressions without variables are constants. Where one of them that is not small is the last
 *   operand, search_finish.c solves for it, over all numbers beyond SEARCH_CONSTANT_MAX, each of
 *   which takes at least one operator. Where it is deeper, all of one and of two operators are
 *   made.
 * - x & c = target needs every bit in c that is set in the target, and other bits in c do nothing
 *   unless they do harm; so there is one c to try. Likewise x | c, where c can only have bits that
 *   are set in all of the target. x << c is x * 2^c and x >> c is x / 2^c, for shifting a negative
 *   number is not allowed. x % c = target needs that c divides x - target everywhere and is greater
 *   than the target. For the others the c that serve at one entry are an interval, and intervals
 *   are intersected.
 * - x > y and x >= y are y < x and y <= x. !x is x == 0. An operator with a constant is left out
 *   where it gives x, a constant, or what another one gives: see second_range() and first_range()
 *   in search_make.c.
 * - Before a small constant is solved for, is_near() and is_far() in search_filters.c look at some
 *   entries. They say no only if at two of them no last operator and small constant or variable
 *   serve both.
 */
#include "layout/search_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- The search ---- */

/* Variables, with a constant of any size. */
static void finish_leaves(struct run *run, bool wide) {
    run->wide = wide;
    for (unsigned v = 0; v < run->search->variables; v++)
        mapping_search_finish(run, &run->variable[v]);
    run->wide = false;
}

/* Compares an operator over two expressions with the target, which is most often decided by the
 * first entry. */
static void compare(struct run *run, enum search_operator operation, const struct search_tree *a,
                    const struct search_tree *b) {
    uint32_t value;
    int k = 0;
    while (k < SEARCH_LANES &&
           search_operate(operation, false, (uint32_t)a->lane[k], (uint32_t)b->lane[k], &value) &&
           (int32_t)value == run->target[k])
        k++;
    if (k == SEARCH_LANES)
        mapping_search_report(run, operation, a, b);
}

/* All operators over two expressions of one operator with variables. Where one is without, it has
 * been solved for. */
static void compare_pairs(struct run *run) {
    const struct set *set = &run->one;
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (search_is_mirrored(operation) || (search_is_comparison(operation) && !run->is_boolean))
            continue;
        for (size_t a = 0; a < set->count && !run->stopped; a++)
            for (size_t b = search_is_symmetric(operation) ? a : 0; b < set->count; b++)
                compare(run, operation, &set->tree[a], &set->tree[b]);
    }
}

static void search_two(struct run *run) {
    finish_leaves(run, true);
    for (uint8_t v = 0; v < run->search->variables; v++)
        mapping_search_extend(run, &run->variable[v], mapping_search_finish_filtered);
}

/* Finishes all of a set, with constants of any size. */
static void finish_wide(struct run *run, const struct set *set) {
    run->wide = true;
    for (size_t n = 0; n < set->count && !run->stopped; n++)
        mapping_search_finish(run, &set->tree[n]);
    run->wide = false;
}

static void extend_all(struct run *run, const struct set *set, search_action *use) {
    for (size_t n = 0; n < set->count && !run->stopped; n++)
        mapping_search_extend(run, &set->tree[n], use);
}

static void search_three(struct run *run) {
    mapping_search_make_one(run);
    finish_leaves(run, true);
    finish_wide(run, &run->one);
    extend_all(run, &run->one, mapping_search_finish_filtered);
    extend_all(run, &run->constants, mapping_search_finish_filtered);
    compare_pairs(run);
}

/* ---- Four operators ---- */

/* True if x op c, with a constant that is not small, is x, or constant, or x op a small one. */
static bool is_idle(enum search_operator operation, const struct search_tree *x,
                    const struct search_tree *c) {
    int64_t size = llabs((int64_t)c->lane[0]);
    if (operation == SEARCH_AND)
        return x->magnitude <= SEARCH_CONSTANT_MAX && !search_has_negative(x->lane);
    return (operation == SEARCH_DIVIDE || operation == SEARCH_REMAINDER ||
            search_is_comparison(operation)) &&
           size > x->magnitude;
}

/* (x op x') op c and (x op x') op v, x and x' of one operator each, x' possibly constant. */
static void extend_pairs(struct run *run) {
    const struct set *set = &run->one, *constants = &run->constants;
    for (size_t a = 0; a < set->count; a++) {
        const struct search_tree *x = &set->tree[a];
        for (size_t b = a; b < set->count && !run->stopped; b++)
            mapping_search_combine_pair(run, x, &set->tree[b], mapping_search_finish_filtered);
        for (size_t b = 0; b < constants->count && !run->stopped; b++)
            for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
                 operation++) {
                const struct search_tree *c = &constants->tree[b];
                if (search_is_mirrored(operation))
                    continue;
                if (!is_idle(operation, x, c))
                    mapping_search_combine(run, operation, x, c, mapping_search_finish_filtered);
                if (!search_is_symmetric(operation))
                    mapping_search_combine(run, operation, c, x, mapping_search_finish_filtered);
            }
    }
}

/* (v op c) op c' and (v op c) op v', c of two operators. */
static void use_constant(struct run *run, const struct search_tree *made) {
    uint32_t number = (uint32_t)made->lane[0];
    struct search_tree c = *made;
    if (!search_is_wide(made->lane[0]) || run->stopped || run->seen[number / 64] >> number % 64 & 1)
        return;
    run->seen[number / 64] |= UINT64_C(1) << number % 64;
    mapping_search_measure(&c);
    c.operation = SEARCH_CONSTANT;
    c.value = c.lane[0];
    for (unsigned v = 0; v < run->search->variables; v++)
        mapping_search_combine_pair(run, &run->variable[v], &c, mapping_search_finish_filtered);
}

static void search_constants(struct run *run) {
    const struct set *constants = &run->constants;
    run->seen = calloc(UINT64_C(1) << 26, sizeof *run->seen);
    if (!run->seen)
        run->failed = run->stopped = true;
    for (size_t n = 0; n < constants->count && !run->stopped; n++) {
        const struct search_tree *c = &constants->tree[n];
        for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
            mapping_search_combine(run, operation, c, NULL, use_constant);
        for (int small = 0; small <= SEARCH_CONSTANT_MAX; small++)
            mapping_search_combine_pair(run, c, &run->constant[small], use_constant);
    }
    free(run->seen);
    run->seen = NULL;
}

/* The expression of one operator that has these values, or NULL. */
static const struct search_tree *find_one(const struct run *run, const uint32_t *lane) {
    int32_t values[SEARCH_LANES];
    memcpy(values, lane, sizeof values);
    return mapping_search_find(&run->one, values);
}

/* x + y, x - y, y - x, x ^ y, with x of two operators and y of one. */
static void finish_sum_of_two(struct run *run, const struct search_tree *x) {
    uint32_t rest[4][SEARCH_LANES];
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t v = (uint32_t)x->lane[k], t = (uint32_t)run->target[k];
        rest[0][k] = t - v;
        rest[1][k] = v - t;
        rest[2][k] = v + t;
        rest[3][k] = v ^ t;
    }
    static const enum search_operator operations[] = {SEARCH_ADD, SEARCH_SUBTRACT, SEARCH_SUBTRACT,
                                                      SEARCH_EXCLUSIVE};
    for (int way = 0; way < 4; way++) {
        const struct search_tree *y = find_one(run, rest[way]);
        if (y)
            mapping_search_report(run, operations[way], way == 2 ? y : x, way == 2 ? x : y);
    }
}

/* An operator over an expression of one operator, and one of two that is yet to be found. */
struct candidate {
    uint32_t one;
    uint8_t operation;
    bool one_first;
};

static int by_lanes(const void *left, const void *right) {
    const struct search_tree *a = *(const struct search_tree *const *)left;
    const struct search_tree *b = *(const struct search_tree *const *)right;
    for (int k = 0; k < SEARCH_LANES; k++)
        if (a->lane[k] != b->lane[k])
            return a->lane[k] < b->lane[k] ? -1 : 1;
    return 0;
}

/* Of some candidates, appends those that can be with the value x in this lane. They come operator
 * by operator; most operators can be ruled out at once. */
static size_t filter(const struct run *run, const struct candidate *candidates, size_t count,
                     int32_t x, int lane, struct candidate *kept) {
    size_t n = 0, end;
    for (size_t c = 0; c < count; c = end) {
        enum search_operator operation = (enum search_operator)candidates[c].operation;
        bool first = candidates[c].one_first;
        bool possible = mapping_search_can_end(operation, !first, x, run->target[lane]);
        for (end = c; end < count && candidates[end].operation == operation &&
                      candidates[end].one_first == first;
             end++) {
            uint32_t y = (uint32_t)run->one.tree[candidates[end].one].lane[lane], value;
            if (!possible)
                continue;
            kept[n] = candidates[end];
            n += search_operate(operation, false, first ? y : (uint32_t)x, first ? (uint32_t)x : y,
                                &value) &&
                 (int32_t)value == run->target[lane];
        }
    }
    return n;
}

/* Joins the sorted expressions of two operators from .. to, which agree in all lanes before this
 * one, with the candidates; behind these is room for as many in each lane that is left. */
static void join(struct run *run, const struct search_tree **from, const struct search_tree **to,
                 struct candidate *candidates, size_t count, int lane) {
    if (lane == SEARCH_LANES) {
        for (size_t c = 0; c < count; c++) {
            const struct search_tree *one = &run->one.tree[candidates[c].one];
            mapping_search_report(run, (enum search_operator)candidates[c].operation,
                                  candidates[c].one_first ? one : *from,
                                  candidates[c].one_first ? *from : one);
        }
        return;
    }
    while (from < to && count > 0 && !run->stopped) {
        int32_t x = (*from)->lane[lane];
        const struct search_tree **end = from + 1;
        while (end < to && (*end)->lane[lane] == x)
            end++;
        size_t kept = filter(run, candidates, count, x, lane, candidates + count);
        join(run, from, end, candidates + count, kept, lane + 1);
        from = end;
    }
}

/* All that are left when sums are done. Returns how many they are. */
static size_t list_candidates(const struct run *run, struct candidate *candidates) {
    size_t count = 0;
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++)
        for (int first = search_is_symmetric(operation);
             first < 2 && !search_is_mirrored(operation); first++)
            for (uint32_t n = 0; n < run->one.count; n++)
                if ((run->is_boolean || !search_is_comparison(operation)) &&
                    operation != SEARCH_ADD && operation != SEARCH_SUBTRACT &&
                    operation != SEARCH_EXCLUSIVE)
                    candidates[count++] = (struct candidate){n, (uint8_t)operation, first};
    return count;
}

static void join_all(struct run *run) {
    const struct set *set = &run->two;
    size_t all = run->one.count * 2 * SEARCH_OPERATORS;
    struct candidate *candidates = malloc((all * (SEARCH_LANES + 1) + 1) * sizeof *candidates);
    const struct search_tree **sorted = malloc((set->count + 1) * sizeof *sorted);
    if (!candidates || !sorted)
        run->failed = run->stopped = true;
    for (size_t n = 0; n < set->count && !run->stopped; n++)
        finish_sum_of_two(run, &set->tree[n]);
    if (!run->stopped) {
        for (size_t n = 0; n < set->count; n++)
            sorted[n] = &set->tree[n];
        qsort(sorted, set->count, sizeof *sorted, by_lanes);
        join(run, sorted, sorted + set->count, candidates, list_candidates(run, candidates), 0);
    }
    free(sorted);
    free(candidates);
}

static void search_four(struct run *run) {
    mapping_search_make_one(run);
    search_constants(run);
    finish_leaves(run, true);
    finish_wide(run, &run->one);
    extend_pairs(run);
    if (!run->stopped) {
        extend_all(run, &run->one, mapping_search_keep_two);
        extend_all(run, &run->constants, mapping_search_keep_two);
    }
    free(run->two.slot);
    run->two.slot = NULL;
    finish_wide(run, &run->two);
    join_all(run);
    extend_all(run, &run->two, mapping_search_finish_filtered);
}

enum search_end mapping_search_run(const struct search *search, unsigned operators) {
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return SEARCH_FAILED;
    run->search = search;
    run->target = search->target;
    run->is_boolean = search->target[0] == 1;
    run->has_zero = search_has_zero(search->target);
    mapping_search_make_leaves(run);
    mapping_search_find_endings(run);
    if (operators > 2 && !mapping_search_make_filters(run))
        run->failed = run->stopped = true;
    else if (operators == 1)
        finish_leaves(run, false);
    else if (operators == 2)
        search_two(run);
    else if (operators == 3)
        search_three(run);
    else
        search_four(run);
    enum search_end end = run->failed ? SEARCH_FAILED : run->stopped ? SEARCH_STOPPED : SEARCH_DONE;
    mapping_search_set_free(&run->one);
    mapping_search_set_free(&run->constants);
    mapping_search_set_free(&run->two);
    free(run->near);
    free(run->divisors);
    free(run);
    return end;
}
