/* search.c - finds all C expressions of up to three operators that give a table of values.
 *
 * For each expression x with one operator fewer, the search looks up the operand c, a constant or a
 * variable, for which x op c = target. For example, for the target tid / 4 + i it makes tid / 4,
 * and finds that tid / 4 + i is the target. Let x1 and x2 be expressions of one and two operators,
 * c1 and c2 constants that take one and two operators to write, and a leaf a variable or a constant
 * up to SEARCH_CONSTANT_MAX. The search tries these, also with exchanged operands, and with ~x1 or
 * ~x2 if "op leaf" follows x1 or x2:
 *
 *     1 operator     leaf op leaf
 *     2 operators    x1 op leaf; leaf op c1
 *     3 operators    x2 op leaf; x1 op c1; leaf op c2; x1 op x1
 *
 * Why the search misses nothing:
 *
 * - The search compares only some entries of the table. An expression that gives the whole table
 *   also gives these entries, and is defined there. An expression that is found may be wrong at
 *   other entries; the caller checks that.
 * - If several expressions of one operator have the same values at these entries, only one is kept.
 *   It can replace the others in any expression.
 * - Operators that others can replace are left out: x > y is y < x, !x is x == 0, -x is 0 - x.
 * - For x & c = target, only one c is tried: it needs every bit that is set in the target, and
 *   other bits do not help. Similarly for x | c, where c can only have bits that are set in all of
 *   the target.
 * - No operand of the last operator is a negative constant -c. If x is never negative, a constant
 *   of 0 or more works as well. Otherwise x is ~a or a - b, and x * -c is -x * c, x / -c is -x / c,
 *   x ^ -c is ~x ^ c - 1, and so on, with no more operators. */
#include "layout/search.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 3,         /* the number of lanes that are tried before the others are computed */
    TRIED = 1 << 13, /* a power of 2 */
    SLOTS = (SEARCH_CONSTANT_MAX + 1) << 10,
    ROOM = SLOTS / 2 /* expressions of one operator: with constants up to 255, up to 6,000 for each
                        variable, and 42,000 constants */
};

/* An expression and its values. */
struct vector {
    struct tree tree;
    int32_t lane[SEARCH_LANES];
};

/* The state of one search. */
struct run {
    const struct search *search;
    int32_t target[SEARCH_LANES];
    int64_t any, all; /* bits that are set in some, or in all, of the targets */
    int lanes;        /* the number of lanes that are compared: FEW or all */
    bool fits;        /* an expression gives the target at these lanes */
    struct vector constant[SEARCH_CONSTANT_MAX + 1];
    struct vector variable[MAPPING_AXES_MAX]; /* axes with more than one value */
    unsigned variables;
    /* Values at the first lanes that no last operator turns into the target: a hash table in which
     * a new entry replaces an older one. */
    int32_t tried[TRIED][FEW];
    /* Expressions of one operator, and a hash table with their indices + 1. */
    struct vector *one;
    uint32_t *slot;
    size_t count;
};

static bool is_symmetric(unsigned operation) {
    return operation == C_MULTIPLY || operation == C_ADD ||
           (operation >= C_AND && operation <= C_NOT_EQUAL);
}

static bool is_constant(const struct vector *x) {
    return memcmp(x->lane, x->lane + 1, sizeof x->lane - sizeof *x->lane) == 0;
}

/* ---- Values ---- */

/* As in C, but a right shift of a negative number is undefined here: its result depends on whether
 * axes are int or unsigned. */
static bool operate(unsigned operation, int32_t a, int32_t b, int32_t *result) {
    const struct c_type is_int = {32, true};
    int64_t value = 0;
    const bool is_defined =
        !(operation == C_SHIFT_RIGHT && a < 0) && mapping_operate(operation, is_int, a, b, &value);
    *result = (int32_t)value;
    return is_defined;
}

/* Computes lanes of an expression from those of its operands, which are the same for a unary
 * operator. False if a lane is undefined. */
static bool compute(struct vector *x, const struct vector *a, const struct vector *b, int from,
                    int to) {
    for (int k = from; k < to; k++)
        if (!operate(x->tree.operation, a->lane[k], b->lane[k], &x->lane[k]))
            return false;
    return true;
}

static struct tree tree_of(unsigned operation, const struct vector *a, const struct vector *b) {
    return (struct tree){operation, 0, &a->tree, operation < C_MULTIPLY ? NULL : &b->tree};
}

static const struct vector *make_constant(struct vector *constant, int32_t c) {
    constant->tree = (struct tree){TREE_CONSTANT, c, NULL, NULL};
    for (int k = 0; k < SEARCH_LANES; k++)
        constant->lane[k] = c;
    return constant;
}

/* ---- One operator more ---- */

/* A function that is called for each expression a op b; b is a for a unary operator. */
typedef void action(struct run *run, unsigned operation, const struct vector *a,
                    const struct vector *b);

/* Calls `use` for ~x, x op leaf and leaf op x. Leaves out && and || with a constant: see finish().
 */
static inline void extend_by(struct run *run, const struct vector *x, const struct vector *leaves,
                             unsigned count, action *use) {
    use(run, C_COMPLEMENT, x, x);
    for (unsigned operation = C_MULTIPLY; operation < C_GREATER; operation++) {
        if (leaves == run->constant && (operation == C_BOTH || operation == C_EITHER))
            continue;
        for (unsigned n = 0; n < count; n++)
            use(run, operation, x, &leaves[n]);
        for (unsigned n = 0; n < count && !is_symmetric(operation); n++)
            use(run, operation, &leaves[n], x);
    }
}

/* ---- The last operator ---- */

/* Compares an operator over two operands with the target, and reports it if all lanes are equal. */
static void compare(struct run *run, unsigned operation, const struct vector *a,
                    const struct vector *b) {
    int32_t value;
    for (int k = 0; k < run->lanes; k++)
        if (!operate(operation, a->lane[k], b->lane[k], &value) || value != run->target[k])
            return;
    run->fits = true;
    const struct tree tree = tree_of(operation, a, b);
    if (run->lanes == SEARCH_LANES)
        run->search->found(run->search->context, &tree);
}

/* The possible values of the missing operand y: low, low + step and so on up to high; if `multiple`
 * is not 0, only divisors of it. None is negative. */
struct operands {
    int64_t low, high, step, multiple;
};

static void limit(struct operands *y, int64_t low, int64_t high) {
    y->low = low > y->low ? low : y->low;
    y->high = high < y->high ? high : y->high;
}

static int bits_of(int64_t value) {
    return value ? 64 - __builtin_clzll((uint64_t)value) : 0;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Narrows y to the values for which v op y = t, or y op v = t if `y_first`. Values that do not
 * satisfy this may remain. */
static inline void narrow(struct operands *y, unsigned operation, bool y_first, int64_t v,
                          int64_t t) {
    int64_t low = 0, high = INT64_MAX;
    bool is_possible = true;
    if (y_first && (operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT)) {
        operation = operation == C_SHIFT_LEFT ? C_MULTIPLY : C_DIVIDE;
        v = v >= 0 && v < 32 ? INT64_C(1) << v : 0;
    }
    const int64_t size = llabs(v);
    switch (operation) {
    case C_ADD:
        low = high = t - v;
        break;
    case C_SUBTRACT:
        low = high = y_first ? t + v : v - t;
        break;
    case C_EXCLUSIVE:
        low = high = t ^ v;
        break;
    case C_MULTIPLY:
        is_possible = v == 0 ? t == 0 : t % v == 0;
        if (v != 0)
            low = high = t / v;
        break;
    case C_DIVIDE:
        is_possible = t == 0 || v > 0;
        low = y_first ? t * size : size / (t + 1) + 1;
        if (y_first || t > 0)
            high = y_first ? low + size - 1 : size / t;
        break;
    case C_REMAINDER:
        if (!y_first) { /* y divides v - t */
            y->multiple = common_divisor(llabs(v - t), y->multiple);
            is_possible = t == 0 || v >= t;
            low = t + 1;
            high = y->multiple > 0 ? y->multiple : high;
        } else { /* y is t + n * v for some n */
            const int64_t common = common_divisor(y->step, size);
            is_possible = size > t && (t - y->low) % common == 0;
            if (is_possible && y->step == 1)
                y->low += (size + t - y->low % size) % size;
            while (is_possible && y->low <= y->high && y->low % size != t)
                y->low += y->step;
            y->step *= size / common;
            y->step = y->step > INT32_MAX ? INT32_MAX : y->step; /* only y->low is possible */
        }
        break;
    case C_SHIFT_LEFT:
    case C_SHIFT_RIGHT:
        is_possible = v >= 0 && (operation == C_SHIFT_RIGHT || (v > 0) == (t > 0));
        low = operation == C_SHIFT_LEFT ? bits_of(t) - bits_of(v) : bits_of(v) - bits_of(t);
        high = t > 0 ? low : 31;
        break;
    case C_AND:
    case C_OR:
        break; /* already limited by find_constant */
    case C_EQUAL:
    case C_NOT_EQUAL:
        if ((operation == C_EQUAL) == (t > 0))
            low = high = v;
        break;
    default: /* v < y, or another comparison */
        low = v + (operation == C_LESS || operation == C_GREATER_EQUAL);
        if ((operation == C_LESS || operation == C_LESS_EQUAL) != (t > 0)) {
            high = low - 1;
            low = 0;
        }
        break;
    }
    limit(y, low, is_possible ? high : -1);
}

/* Compares x op c, or c op x, for each small constant c, and the smallest wide one up to `most`. */
static void find_constant(struct run *run, unsigned operation, const struct vector *x,
                          bool constant_first, int64_t most) {
    struct operands c = {0, most, 1, 0};
    struct vector wide;
    if (operation == C_AND)
        limit(&c, run->any, run->any);
    if (operation == C_OR)
        limit(&c, run->all, run->all);
    for (int k = 0; k < run->lanes && c.low <= c.high; k++)
        narrow(&c, operation, constant_first, x->lane[k], run->target[k]);
    for (bool is_wide = false; c.low <= c.high && !is_wide; c.low += c.step) {
        is_wide = c.low > SEARCH_CONSTANT_MAX;
        if (is_wide && c.multiple > 0)
            c.low = c.high; /* the multiple itself: it is right if a divisor is */
        if (c.multiple > 0 && c.multiple % c.low != 0)
            continue;
        const struct vector *constant =
            is_wide ? make_constant(&wide, (int32_t)c.low) : &run->constant[c.low];
        compare(run, operation, constant_first ? constant : x, constant_first ? x : constant);
    }
}

/* Looks for expressions x op c, c op x and ~x that give the target; c is a constant up to `most` or
 * a variable. run->fits becomes true if there is one. With a constant, comparisons are tried only
 * if the target consists of 0 and 1. */
static void finish(struct run *run, const struct vector *x, int lanes, int64_t most) {
    const unsigned end = run->target[0] == 1 ? C_OPERATORS : C_BOTH;
    run->lanes = lanes;
    run->fits = false;
    for (unsigned operation = C_MULTIPLY; operation < end; operation++) {
        if (operation == C_BOTH || operation == C_EITHER)
            continue; /* with constants, they equal other operators */
        find_constant(run, operation, x, false, most);
        if (!is_symmetric(operation) && operation < C_BOTH)
            find_constant(run, operation, x, true, most);
    }
    extend_by(run, x, run->variable, run->variables, compare);
}

/* ---- Making expressions ---- */

/* Calls `use` for all expressions that have one operator more than x. */
static void extend(struct run *run, const struct vector *x, action *use) {
    extend_by(run, x, run->variable, run->variables, use);
    if (!is_constant(x))
        extend_by(run, x, run->constant, SEARCH_CONSTANT_MAX + 1, use);
}

/* Vectors that differ in a lane have different hashes in most cases. */
static uint64_t hash(const int32_t *lane, int lanes) {
    uint64_t hash = 0;
    for (int k = 0; k < lanes; k++)
        hash = (hash ^ (uint32_t)lane[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 32;
}

/* Makes an expression with one operator less than the search allows, and looks for the last
 * operand. Many have the same values at the first lanes, so those are compared first. */
static void finish_made(struct run *run, unsigned operation, const struct vector *a,
                        const struct vector *b) {
    struct vector x = {.tree = tree_of(operation, a, b)};
    if (!compute(&x, a, b, 0, FEW))
        return;
    int32_t *tried = run->tried[hash(x.lane, FEW) % TRIED];
    if (memcmp(tried, x.lane, sizeof *run->tried) == 0)
        return;
    finish(run, &x, FEW, SEARCH_CONSTANT_MAX);
    if (!run->fits)
        memcpy(tried, x.lane, sizeof *run->tried);
    else if (compute(&x, a, b, FEW, SEARCH_LANES) && !is_constant(&x))
        finish(run, &x, SEARCH_LANES, SEARCH_CONSTANT_MAX);
}

/* Keeps an expression of one operator, unless one with the same values has been kept. */
static void keep(struct run *run, unsigned operation, const struct vector *a,
                 const struct vector *b) {
    struct vector x = {.tree = tree_of(operation, a, b)};
    if (!compute(&x, a, b, 0, SEARCH_LANES))
        return;
    size_t at = hash(x.lane, SEARCH_LANES) % SLOTS;
    for (; run->slot[at] != 0; at = (at + 1) % SLOTS)
        if (memcmp(run->one[run->slot[at] - 1].lane, x.lane, sizeof x.lane) == 0)
            return;
    run->one[run->count++] = x;
    run->slot[at] = (uint32_t)run->count;
}

static int by_first_lane(const void *a, const void *b) {
    int32_t x = *((const struct vector *)a)->lane, y = *((const struct vector *)b)->lane;
    return (x > y) - (x < y);
}

/* Combines all pairs of expressions of one operator, and compares them with the target. The
 * expressions are sorted by lane 0, so that the operators that are right in lane 0 are determined
 * only once for equal values. */
static void compare_pairs(struct run *run) {
    const struct vector *end = run->one + run->count;
    uint8_t operations[C_OPERATORS] = {0};
    int32_t value;
    run->lanes = SEARCH_LANES;
    qsort(run->one, run->count, sizeof *run->one, by_first_lane);
    for (const struct vector *a = run->one; a < end; a++) {
        unsigned count = 0;
        for (const struct vector *b = run->one; b < end; b++) {
            if (b == run->one || *b->lane != *b[-1].lane) {
                count = 0;
                for (unsigned operation = C_MULTIPLY; operation < C_GREATER; operation++)
                    if (operate(operation, *a->lane, *b->lane, &value) && value == *run->target)
                        operations[count++] = (uint8_t)operation;
            }
            for (unsigned n = 0; n < count; n++)
                compare(run, operations[n], a, b);
        }
    }
}

/* ---- The search ---- */

static void make_leaves(struct run *run) {
    const struct search *search = run->search;
    uint32_t point[MAPPING_AXES_MAX];
    run->all = INT32_MAX;
    for (int c = 0; c <= SEARCH_CONSTANT_MAX; c++)
        make_constant(&run->constant[c], c);
    for (uint32_t a = 0; a < search->from->count; a++)
        if (search->from->axis[a].size > 1)
            run->variable[run->variables++].tree =
                (struct tree){TREE_VARIABLE, (int32_t)a, NULL, NULL};
    for (unsigned k = 0; k < SEARCH_LANES; k++) {
        size_t entry = search->lane[k < search->lanes ? k : 0];
        mapping_space_point(search->from, entry, point);
        for (struct vector *v = run->variable; v < run->variable + run->variables; v++)
            v->lane[k] = (int32_t)point[v->tree.value];
        run->target[k] = (int32_t)search->values[entry];
        run->any |= run->target[k];
        run->all &= run->target[k];
    }
}

void search_run(const struct search *search, unsigned operators) {
    struct run *run = memory_get(1, sizeof *run);
    size_t varying = 0;
    run->search = search;
    run->tried[0][0] = 1; /* otherwise slot 0 would mean that three zeros were tried */
    run->one = memory_get(operators == 3 ? ROOM : 1, sizeof *run->one);
    run->slot = memory_get(operators == 3 ? SLOTS : 1, sizeof *run->slot);
    make_leaves(run);
    for (const struct vector *v = run->variable; v < run->variable + run->variables; v++) {
        finish(run, v, SEARCH_LANES, operators == 1 ? SEARCH_CONSTANT_MAX : INT32_MAX);
        if (operators > 1)
            extend(run, v, operators == 2 ? finish_made : keep);
    }
    for (unsigned c = 0; operators == 3 && c <= SEARCH_CONSTANT_MAX; c++)
        extend_by(run, &run->constant[c], run->constant, c + 1, keep);
    for (size_t n = 0; n < run->count; n++) {
        extend(run, &run->one[n], finish_made);
        if (is_constant(&run->one[n]))
            continue;
        finish(run, &run->one[n], SEARCH_LANES, INT32_MAX);
        run->one[varying++] = run->one[n];
    }
    run->count = varying; /* constants were tried by finish() already */
    compare_pairs(run);
    mapping_free(run->one);
    mapping_free(run->slot);
    mapping_free(run);
}
