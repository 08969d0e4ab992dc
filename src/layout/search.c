/* search.c - all C expressions of up to three operators that give a table of values.
 *
 * The search makes all expressions x of one operator less, and looks up the operand c that is
 * missing in x op c = target: a constant, or a variable. For example, for the target tid / 4 + i it
 * makes tid / 4, and finds that tid / 4 + i is the target. With x1 and x2 for expressions of one
 * and two operators, c1 and c2 for constants that take as many, and a leaf for a variable or a
 * constant up to SEARCH_CONSTANT_MAX, it tries these, also with exchanged operands, and with unary
 * operators in place of "op leaf":
 *
 *     1 operator     leaf op leaf
 *     2 operators    x1 op leaf; leaf op c1
 *     3 operators    x2 op leaf; x1 op c1; leaf op c2; x1 op x1
 *
 * Why the search misses nothing:
 *
 * - An expression that gives the whole table gives the entries that are compared, and is defined
 *   there. What is found may be wrong at other entries; the caller checks that.
 * - Of expressions of one operator with the same values at these entries one is kept. It can take
 *   the place of the others in any expression.
 * - Operators that others stand for are left out: x > y is y < x, and !x is x == 0.
 * - For x & c = target one c is tried: it needs every bit that is set in the target, and other bits
 *   do not help. Likewise for x | c, where c can only have bits that are set in all of the target.
 * - No operand of the last operator is a negative constant. Then the other one, x, is negative
 *   somewhere, or constants up to 0 would do, so it is -a, ~a or a - b. Where it is, x * -c is
 *   -x * c, x / -c is -x / c, x ^ -c is ~x ^ c - 1, and so on, with no more operators. */
#include "layout/search.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 3,         /* lanes that are tried before all are computed */
    TRIED = 1 << 13, /* a power of 2 */
    SLOTS = 1 << 18,
    ROOM = SLOTS / 2 /* expressions of one operator: up to 6,000 for each variable, and 42,000
                        constants */
};

/* An expression and its values. */
struct vector {
    struct tree tree;
    int32_t lane[SEARCH_LANES];
};

struct range {
    int64_t low, high;
};

/* x op v, or v op x, with a variable v. */
struct ending {
    unsigned operation;
    bool variable_first;
    const struct vector *variable;
};

/* One search, from its beginning to its end. */
struct run {
    const struct search *search;
    int32_t target[SEARCH_LANES];
    int64_t any, all; /* bits that are set in any and in all values of the whole table */
    int lanes;        /* that are compared: FEW or all */
    bool fits;        /* something gives the target there */
    bool is_wide;     /* constants beyond SEARCH_CONSTANT_MAX are looked up, and no others */
    struct vector constant[SEARCH_CONSTANT_MAX + 1];
    struct vector variable[MAPPING_AXES_MAX]; /* axes with more than one value */
    unsigned variables;
    struct ending ending[MAPPING_AXES_MAX * 2 * C_OPERATORS]; /* that can give the target */
    unsigned endings;
    /* Values at the first lanes from which no last operator leads to the target: a hash table in
     * which the newest entry replaces an older one. */
    struct tried {
        int32_t lane[FEW];
        bool is_used;
    } tried[TRIED];
    /* Expressions of one operator, and a hash table of their numbers + 1. */
    struct vector *one;
    uint32_t *slot;
    size_t count;
};

static bool is_symmetric(unsigned operation) {
    return operation == C_MULTIPLY || operation == C_ADD ||
           (operation >= C_AND && operation <= C_NOT_EQUAL);
}

static bool is_constant(const struct vector *x) {
    int k = 1;
    while (k < SEARCH_LANES && x->lane[k] == x->lane[0])
        k++;
    return k == SEARCH_LANES;
}

/* ---- Values ---- */

/* As in C, but that a negative number is not shifted to the right: the result depends on whether it
 * is unsigned. */
static bool operate(unsigned operation, int32_t a, int32_t b, int32_t *result) {
    const struct c_type is_int = {32, true};
    int64_t value = 0;
    const bool is_defined =
        !(operation == C_SHIFT_RIGHT && a < 0) && mapping_operate(operation, is_int, a, b, &value);
    *result = (int32_t)value;
    return is_defined;
}

/* Fills in lanes of an operator over two operands, which are the same for a unary one. False if it
 * is undefined in one of them. */
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

/* Compares an operator over two operands with the target. If all lanes are the same, it is
 * reported.
 */
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

/* ---- The missing operand ---- */

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

/* Narrows the range of y to where v op y = t can be, or y op v = t. If y may be negative, v is not.
 */
static void narrow(struct range *y, unsigned operation, bool y_first, int64_t v, int64_t t) {
    const int64_t size = llabs(v);
    const bool is_natural = y->low >= 0;
    struct range r = {INT64_MIN, INT64_MAX}, none = {1, 0};
    switch (operation) {
    case C_ADD:
        r.low = r.high = t - v;
        break;
    case C_SUBTRACT:
        r.low = r.high = y_first ? t + v : v - t;
        break;
    case C_EXCLUSIVE:
        r.low = r.high = t ^ v;
        break;
    case C_AND:
        if (t & ~v)
            r = none;
        break;
    case C_OR:
        r = v & ~t ? none : (struct range){t & ~v, t};
        break;
    case C_MULTIPLY:
        if (v == 0 ? t != 0 : t % v != 0)
            r = none;
        else if (v != 0)
            r.low = r.high = t / v;
        break;
    case C_DIVIDE:
        if (y_first)
            r = (struct range){t > 0 ? t * v : 1 - size, t * size + size - 1};
        else if (t > 0 || is_natural)
            r = (struct range){size / (t + 1) + 1, t > 0 ? size / t : INT64_MAX};
        if (t > 0 && v <= 0)
            r = none;
        break;
    case C_REMAINDER:
        if (y_first ? size <= t : t > 0 && v < t)
            r = none;
        else if (y_first ? t > 0 : is_natural)
            r.low = y_first ? t : t + 1;
        break;
    case C_SHIFT_LEFT:
        if (y_first)
            r.low = r.high = v < 0 || v > 31 ? -1 : t >> v;
        else if (v != 0 || t != 0)
            r.low = r.high = v <= 0 || t == 0 ? -1 : bits_of(t) - bits_of(v);
        break;
    case C_SHIFT_RIGHT:
        if (v < 0 || (y_first && v > 31))
            r = none;
        else if (y_first)
            r = (struct range){t << v, ((t + 1) << v) - 1};
        else
            r = (struct range){bits_of(v) - bits_of(t), t > 0 ? bits_of(v) - bits_of(t) : 31};
        break;
    case C_LESS:
    case C_LESS_EQUAL:
    case C_GREATER:
    case C_GREATER_EQUAL:
        r.low = v + (operation == C_LESS || operation == C_GREATER_EQUAL);
        if ((operation == C_LESS || operation == C_LESS_EQUAL) != (t > 0))
            r = (struct range){INT64_MIN, r.low - 1};
        break;
    case C_EQUAL:
    case C_NOT_EQUAL:
        if ((operation == C_EQUAL) == (t > 0))
            r.low = r.high = v;
        break;
    default:
        break;
    }
    y->low = r.low > y->low ? r.low : y->low;
    y->high = r.high < y->high ? r.high : y->high;
}

/* Compares x op c, or c op x, if that constant is looked up. */
static void compare_constant(struct run *run, unsigned operation, const struct vector *x, int64_t c,
                             bool constant_first) {
    struct vector wide = {{TREE_CONSTANT, (int32_t)c, NULL, NULL}, {0}};
    const struct vector *constant = c <= SEARCH_CONSTANT_MAX ? &run->constant[c] : &wide;
    for (int k = 0; k < SEARCH_LANES && constant == &wide; k++)
        wide.lane[k] = (int32_t)c;
    compare(run, operation, constant_first ? constant : x, constant_first ? x : constant);
}

/* x % c: c divides x - target everywhere. */
static void find_divisor(struct run *run, const struct vector *x, struct range c) {
    int64_t divisor = 0;
    for (int k = 0; k < run->lanes; k++) {
        if (run->target[k] > 0 && x->lane[k] < run->target[k])
            return;
        divisor = common_divisor(llabs((int64_t)x->lane[k] - run->target[k]), divisor);
        if (divisor > 0 && divisor <= run->target[0])
            return;
    }
    if (run->is_wide && divisor >= c.low)
        compare_constant(run, C_REMAINDER, x, divisor, false);
    for (c.low = run->target[0] + 1; c.low <= c.high && !run->is_wide; c.low++)
        if (divisor % c.low == 0)
            compare_constant(run, C_REMAINDER, x, c.low, false);
}

/* c % x. From lane to lane, those that serve are further apart: by the least common multiple. */
static void find_dividend(struct run *run, const struct vector *x, struct range wanted) {
    int64_t c = run->target[0], step = llabs(x->lane[0]);
    for (int k = 0; k < run->lanes; k++)
        if (llabs(x->lane[k]) <= run->target[k])
            return;
    for (int k = 1; k < run->lanes; k++) {
        int64_t by = llabs(x->lane[k]), most = c + step * by;
        for (; c % by != run->target[k]; c += step)
            if (c > wanted.high || c > most)
                return;
        step = step / common_divisor(step, by) * by;
        step = step > INT32_MAX ? INT32_MAX : step; /* c is the only one */
    }
    while (c < wanted.low)
        c += step;
    for (int64_t high = run->is_wide ? c : wanted.high; c <= high && c <= wanted.high; c += step)
        compare_constant(run, C_REMAINDER, x, c, true);
}

/* x op c, or c op x: every small constant, or the first of those that are wide. */
static void find_constant(struct run *run, unsigned operation, const struct vector *x,
                          bool constant_first) {
    struct range c = {0, SEARCH_CONSTANT_MAX};
    if (run->is_wide)
        c = (struct range){SEARCH_CONSTANT_MAX + 1, INT32_MAX};
    if (operation == C_REMAINDER) {
        constant_first ? find_dividend(run, x, c) : find_divisor(run, x, c);
        return;
    }
    if (operation == C_AND || operation == C_OR) {
        int64_t mask = operation == C_AND ? run->any : run->all;
        c.low = mask > c.low ? mask : c.low;
        c.high = mask < c.high ? mask : c.high;
    }
    for (int k = 0; k < run->lanes && c.low <= c.high; k++)
        narrow(&c, operation, constant_first, x->lane[k], run->target[k]);
    for (c.high = run->is_wide && c.low < c.high ? c.low : c.high; c.low <= c.high; c.low++)
        compare_constant(run, operation, x, c.low, constant_first);
}

/* ---- Making expressions ---- */

/* What becomes of a op b; b is a for a unary operator. */
typedef void action(struct run *run, unsigned operation, const struct vector *a,
                    const struct vector *b);

/* x op leaf, and leaf op x. With constants, && and || are the same as others. */
static void extend_by(struct run *run, const struct vector *x, const struct vector *leaves,
                      unsigned count, action *use) {
    for (unsigned operation = C_MULTIPLY; operation < C_GREATER; operation++) {
        if (leaves == run->constant && (operation == C_BOTH || operation == C_EITHER))
            continue;
        for (unsigned n = 0; n < count; n++)
            use(run, operation, x, &leaves[n]);
        for (unsigned n = 0; n < count && !is_symmetric(operation); n++)
            use(run, operation, &leaves[n], x);
    }
}

static void extend(struct run *run, const struct vector *x, action *use) {
    for (unsigned operation = C_NEGATE; operation <= C_NOT; operation++)
        use(run, operation, x, x);
    extend_by(run, x, run->variable, run->variables, use);
    if (!is_constant(x))
        extend_by(run, x, run->constant, SEARCH_CONSTANT_MAX + 1, use);
}

/* Looks for the operand, or the unary operator, that makes the target of x. run->fits is true if
 * there is one. */
static void finish(struct run *run, const struct vector *x, int lanes) {
    run->lanes = lanes;
    run->fits = false;
    for (unsigned operation = C_MULTIPLY; operation < C_BOTH; operation++) {
        find_constant(run, operation, x, false);
        if (!is_symmetric(operation))
            find_constant(run, operation, x, true);
    }
    for (unsigned operation = C_EQUAL; operation < C_OPERATORS && run->target[0] == 1; operation++)
        find_constant(run, operation, x, false);
    if (run->is_wide)
        return;
    compare(run, C_NEGATE, x, x);
    compare(run, C_COMPLEMENT, x, x);
    for (const struct ending *e = run->ending; e < run->ending + run->endings; e++)
        compare(run, e->operation, e->variable_first ? e->variable : x,
                e->variable_first ? x : e->variable);
}

/* The same for values that differ at a lane, most often. */
static uint64_t hash(const int32_t *lane, int lanes) {
    uint64_t hash = 0;
    for (int k = 0; k < lanes; k++)
        hash = (hash ^ (uint32_t)lane[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 32;
}

/* Makes an expression with one operator less than is searched, and looks for the last operand. Many
 * expressions have the same values at the first lanes, so those are compared first. */
static void finish_made(struct run *run, unsigned operation, const struct vector *a,
                        const struct vector *b) {
    struct vector x = {.tree = tree_of(operation, a, b)};
    if (!compute(&x, a, b, 0, FEW))
        return;
    struct tried *tried = &run->tried[hash(x.lane, FEW) % TRIED];
    if (tried->is_used && memcmp(tried->lane, x.lane, sizeof tried->lane) == 0)
        return;
    finish(run, &x, FEW);
    if (!run->fits) {
        memcpy(tried->lane, x.lane, sizeof tried->lane);
        tried->is_used = true;
    } else if (compute(&x, a, b, FEW, SEARCH_LANES) && !is_constant(&x)) {
        finish(run, &x, SEARCH_LANES);
    }
}

static uint32_t *find_slot(const struct run *run, const int32_t *lane) {
    size_t at = hash(lane, SEARCH_LANES) % SLOTS;
    while (run->slot[at] != 0 &&
           memcmp(run->one[run->slot[at] - 1].lane, lane, sizeof run->one->lane) != 0)
        at = (at + 1) % SLOTS;
    return &run->slot[at];
}

/* Keeps an expression of one operator, if it is no leaf and none has its values. */
static void keep(struct run *run, unsigned operation, const struct vector *a,
                 const struct vector *b) {
    struct vector x = {.tree = tree_of(operation, a, b)};
    if (!compute(&x, a, b, 0, SEARCH_LANES) ||
        (is_constant(&x) && x.lane[0] >= 0 && x.lane[0] <= SEARCH_CONSTANT_MAX))
        return;
    for (unsigned v = 0; v < run->variables; v++)
        if (memcmp(run->variable[v].lane, x.lane, sizeof x.lane) == 0)
            return;
    uint32_t *slot = find_slot(run, x.lane);
    if (*slot != 0)
        return;
    run->one[run->count++] = x;
    *slot = (uint32_t)run->count;
}

/* ---- The search ---- */

static void make_leaves(struct run *run) {
    const struct search *search = run->search;
    uint32_t point[MAPPING_AXES_MAX];
    for (int c = 0; c <= SEARCH_CONSTANT_MAX; c++) {
        run->constant[c].tree = (struct tree){TREE_CONSTANT, c, NULL, NULL};
        for (int k = 0; k < SEARCH_LANES; k++)
            run->constant[c].lane[k] = c;
    }
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
    }
    run->all = INT32_MAX;
    for (size_t n = 0; n < mapping_space_size(search->from); n++) {
        run->any |= search->values[n];
        run->all &= search->values[n];
    }
}

/* Those for which some x gives the target at each lane. */
static void make_endings(struct run *run, const struct vector *variable) {
    const unsigned end = run->target[0] == 1 ? C_GREATER : C_BOTH;
    for (unsigned operation = C_MULTIPLY; operation < end; operation++)
        for (int first = is_symmetric(operation); first < 2; first++) {
            bool possible = true;
            for (int k = 0; k < SEARCH_LANES && operation < C_BOTH; k++) {
                struct range x = {INT32_MIN, INT32_MAX};
                narrow(&x, operation, !first, variable->lane[k], run->target[k]);
                possible = possible && x.low <= x.high;
            }
            if (possible)
                run->ending[run->endings++] = (struct ending){operation, first, variable};
        }
}

static int by_first_lane(const void *a, const void *b) {
    int32_t x = *((const struct vector *)a)->lane, y = *((const struct vector *)b)->lane;
    return (x > y) - (x < y);
}

/* Compares all pairs of expressions of one operator. They are sorted by lane 0, where many have the
 * same value, so the operators that give the target there are looked for once for all of these. */
static void compare_pairs(struct run *run) {
    const struct vector *end = run->one + run->count;
    uint8_t operations[C_OPERATORS];
    int32_t value;
    run->lanes = SEARCH_LANES;
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

static void finish_wide(struct run *run, const struct vector *x) {
    run->is_wide = true;
    finish(run, x, SEARCH_LANES);
    run->is_wide = false;
}

static void search_three(struct run *run) {
    for (unsigned v = 0; v < run->variables; v++)
        extend(run, &run->variable[v], keep);
    for (int c = 0; c <= SEARCH_CONSTANT_MAX; c++) {
        for (unsigned operation = C_NEGATE; operation <= C_NOT; operation++)
            keep(run, operation, &run->constant[c], &run->constant[c]);
        extend_by(run, &run->constant[c], run->constant, (unsigned)c + 1, keep);
    }
    size_t varying = 0;
    for (size_t n = 0; n < run->count; n++) {
        extend(run, &run->one[n], finish_made);
        if (is_constant(&run->one[n]))
            continue;
        finish_wide(run, &run->one[n]);
        run->one[varying++] = run->one[n];
    }
    run->count = varying; /* constants have been looked up */
    qsort(run->one, run->count, sizeof *run->one, by_first_lane);
    compare_pairs(run);
}

bool mapping_search_run(const struct search *search, unsigned operators) {
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return false;
    run->search = search;
    make_leaves(run);
    for (unsigned v = 0; v < run->variables; v++)
        make_endings(run, &run->variable[v]);
    for (const struct vector *v = run->variable; v < run->variable + run->variables; v++) {
        if (operators == 1)
            finish(run, v, SEARCH_LANES);
        else
            finish_wide(run, v);
        if (operators == 2)
            extend(run, v, finish_made);
    }
    bool done = true;
    if (operators == 3) {
        run->one = malloc(ROOM * sizeof *run->one);
        run->slot = calloc(SLOTS, sizeof *run->slot);
        done = run->one && run->slot;
        if (done)
            search_three(run);
        free(run->one);
        free(run->slot);
    }
    free(run);
    return done;
}
