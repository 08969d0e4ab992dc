/* search.c - all C expressions of a number of operators that give a table of values.
 *
 * An expression of n operators is an operator over one of n - 1, or over two that have n - 1
 * together. So with all expressions x of n - 1 operators made bottom-up, it remains to ask of each
 * whether one operator and a constant or variable lead from it to the target, which is answered
 * backwards, by solving for the constant: that is finish(). And all pairs of smaller ones are
 * compared with the target.
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
 *   operand, finish() solves for it, over all numbers beyond SEARCH_CONSTANT_MAX, each of which
 *   takes at least one operator. Where it is deeper, all of one and of two operators are made.
 * - x & c = target needs every bit in c that is set in the target, and other bits in c do nothing
 *   unless they do harm; so there is one c to try. Likewise x | c, where c can only have bits that
 *   are set in all of the target. x << c is x * 2^c and x >> c is x / 2^c, for shifting a negative
 *   number is not allowed. x % c = target needs that c divides x - target everywhere and is greater
 *   than the target. For the others the c that serve at one entry are an interval, and intervals
 *   are intersected.
 * - x > y and x >= y are y < x and y <= x. !x is x == 0. An operator with a constant is left out
 *   where it gives x, a constant, or what another one gives: see second_range() and first_range().
 * - Before finish(), is_near() and is_far() look at some entries. They say no only if at two of
 *   them no last operator and small constant or variable serve both.
 */
#include "layout/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- State ---- */

/* What x op v or v op x with a variable v: pairs that can reach the target at all. */
struct ending {
    enum search_operator operation;
    bool variable_first;
    uint8_t variable;
};

#define ENDINGS (SEARCH_VARIABLES * 2 * SEARCH_OPERATORS)

/* Expressions, one for each list of values, and a hash table of their numbers + 1. */
struct set {
    struct search_tree *tree;
    uint32_t *slot;
    size_t count, room, slots;
};

/* For a pair of lanes, which x in them one more operator with a constant or variable can lead to
 * the target, as far as these two lanes show: a bit for each two numbers from NEAR_LOW on. */
#define NEAR 896
#define NEAR_LOW (-256)
#define NEAR_WORDS (NEAR / 64)
#define PAIRS 4

struct near {
    uint64_t row[NEAR][NEAR_WORDS];
};

/* Which small constants that are greater than the target divide a number: a bit for each. */
#define DIVIDENDS 65536

struct divisors {
    uint64_t of[DIVIDENDS][4];
};

struct run {
    const struct search *search;
    const int32_t *target;
    struct search_tree constant[SEARCH_CONSTANT_MAX + 1];
    struct search_tree variable[SEARCH_VARIABLES];
    struct ending ending[ENDINGS];
    unsigned endings;
    bool is_boolean; /* the target */
    bool has_zero;   /* the target, somewhere */
    bool wide;       /* finish() asks for constants beyond SEARCH_CONSTANT_MAX, and for no others */
    bool stopped, failed;
    struct set one;       /* expressions of one operator, with variables */
    struct set constants; /* and without */
    struct set two;       /* expressions of two operators, with variables */
    struct near *near;    /* of PAIRS pairs, or NULL */
    struct divisors *divisors;
    bool is_far_decided; /* by is_far() */
    uint64_t *seen;      /* constants of two operators: a bit for each number */
};

static bool is_wide(int64_t constant) {
    return constant < 0 || constant > SEARCH_CONSTANT_MAX;
}

static void report(struct run *run, enum search_operator operation, const struct search_tree *left,
                   const struct search_tree *right) {
    struct search_tree tree = {.operation = operation, .left = left, .right = right};
    run->stopped = run->stopped || run->search->found(run->search->context, &tree);
}

/* Reports x op c or c op x if the constant is one of those that are asked for. */
static void report_constant(struct run *run, enum search_operator operation,
                            const struct search_tree *x, int64_t value, bool constant_first) {
    if (is_wide(value) != run->wide || value < INT32_MIN || value > INT32_MAX)
        return;
    struct search_tree wide = {.operation = SEARCH_CONSTANT, .value = (int32_t)value};
    const struct search_tree *constant = run->wide ? &wide : &run->constant[value];
    report(run, operation, constant_first ? constant : x, constant_first ? x : constant);
}

/* Reports every constant from low to high; of wide ones the first. */
static void report_range(struct run *run, enum search_operator operation,
                         const struct search_tree *x, int64_t low, int64_t high,
                         bool constant_first) {
    if (run->wide && high > SEARCH_CONSTANT_MAX)
        report_constant(run, operation, x,
                        low > SEARCH_CONSTANT_MAX ? low : SEARCH_CONSTANT_MAX + 1, constant_first);
    else if (run->wide && low < 0)
        report_constant(run, operation, x, low, constant_first);
    for (int64_t c = low > 0 ? low : 0; !run->wide && c <= high && c <= SEARCH_CONSTANT_MAX; c++)
        report_constant(run, operation, x, c, constant_first);
}

/* ---- The last operator, solved for its constant ---- */

/* x + c, x - c, c - x, -x, ~x, x ^ c. */
static void finish_sum(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target, *v = x->lane;
    uint32_t difference = (uint32_t)t[0] - (uint32_t)v[0], sum = (uint32_t)t[0] + (uint32_t)v[0];
    uint32_t exclusive = (uint32_t)(t[0] ^ v[0]), differs[3] = {0, 0, 0};
    for (int k = 1; k < SEARCH_LANES && (!differs[0] || !differs[1] || !differs[2]); k++) {
        differs[0] |= ((uint32_t)t[k] - (uint32_t)v[k]) ^ difference;
        differs[1] |= ((uint32_t)t[k] + (uint32_t)v[k]) ^ sum;
        differs[2] |= (uint32_t)(t[k] ^ v[k]) ^ exclusive;
    }
    if (!differs[0]) {
        int64_t c = (int32_t)difference;
        report_constant(run, c > 0 ? SEARCH_ADD : SEARCH_SUBTRACT, x, c > 0 ? c : -c, false);
    }
    if (!differs[1] && (int32_t)sum == -1 && !run->wide)
        report(run, SEARCH_COMPLEMENT, x, NULL);
    else if (!differs[1] && sum == 0 && !run->wide)
        report(run, SEARCH_NEGATE, x, NULL);
    else if (!differs[1])
        report_constant(run, SEARCH_SUBTRACT, x, (int32_t)sum, true);
    if (!differs[2])
        report_constant(run, SEARCH_EXCLUSIVE, x, (int32_t)exclusive, false);
}

/* x & c, x | c. */
static void finish_mask(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target, *v = x->lane;
    int32_t any = run->search->any, all = run->search->all;
    int k = 0;
    while (k < SEARCH_LANES && (v[k] & any) == t[k])
        k++;
    if (k == SEARCH_LANES)
        report_constant(run, SEARCH_AND, x, any, false);
    for (k = all ? 0 : SEARCH_LANES + 1; k < SEARCH_LANES && (v[k] | all) == t[k]; k++) {
    }
    if (k == SEARCH_LANES)
        report_constant(run, SEARCH_OR, x, all, false);
}

/* x * c, x << c. */
static void finish_product(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target, *v = x->lane;
    if ((int64_t)v[0] * t[1] != (int64_t)v[1] * t[0] || v[0] == 0 || t[0] % v[0] != 0)
        return;
    int64_t c = t[0] / v[0];
    for (int k = 1; k < SEARCH_LANES; k++)
        if (v[k] * c != t[k])
            return;
    report_constant(run, SEARCH_MULTIPLY, x, c, false);
    if (c > SEARCH_CONSTANT_MAX && (c & (c - 1)) == 0 && !run->wide)
        report_constant(run, SEARCH_SHIFT_LEFT, x, __builtin_ctzll((uint64_t)c), false);
}

/* x / c, x >> c. For a negative c, sign is -1, and -x / -c is looked at. */
static void finish_quotient(struct run *run, const struct search_tree *x, int64_t sign) {
    const int32_t *t = run->target;
    int64_t low = 1, high = INT32_MAX;
    for (int k = 0; k < SEARCH_LANES; k++) {
        int64_t v = sign * x->lane[k];
        if (t[k] > 0 ? v < t[k] : v >= high || -v >= high)
            return;
        if (t[k] > 0 && v < high * t[k])
            high = v / t[k];
        int64_t least = t[k] > 0 ? v : llabs(v); /* is less than c * (t + 1) */
        if (low * ((int64_t)t[k] + 1) <= least)
            low = least / ((int64_t)t[k] + 1) + 1;
        if (low > high)
            return;
    }
    if (sign < 0)
        report_constant(run, SEARCH_DIVIDE, x, -low, false);
    else
        report_range(run, SEARCH_DIVIDE, x, low, high, false);
    for (int bit = 8; sign > 0 && !run->wide && bit < 31; bit++)
        if (low <= INT64_C(1) << bit && INT64_C(1) << bit <= high)
            report_constant(run, SEARCH_SHIFT_RIGHT, x, bit, false);
}

/* Without divisions, which are slow. */
static uint32_t common_divisor(uint32_t a, uint32_t b) {
    if (a == 0 || b == 0)
        return a | b;
    int zeros = __builtin_ctz(a | b);
    a >>= __builtin_ctz(a);
    while (b != 0) {
        b >>= __builtin_ctz(b);
        uint32_t least = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = least;
    }
    return a << zeros;
}

/* x % c. */
static void finish_remainder(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target;
    uint32_t divisor = 0, greatest = (uint32_t)t[0];
    for (int k = 0; k < SEARCH_LANES; k++) {
        int64_t difference = (int64_t)x->lane[k] - t[k];
        if (difference == 0)
            continue;
        if (t[k] > 0 && difference < 0)
            return;
        divisor = common_divisor((uint32_t)llabs(difference), divisor);
        if (divisor <= greatest)
            return;
    }
    for (uint32_t c = greatest + 1; c <= SEARCH_CONSTANT_MAX && !run->wide; c++)
        if (divisor % c == 0)
            report_constant(run, SEARCH_REMAINDER, x, c, false);
    if (run->wide)
        report_constant(run, SEARCH_REMAINDER, x, divisor, false);
}

/* c / x, c >> x, where those are defined. */
static void finish_dividend(struct run *run, const struct search_tree *x, bool shift) {
    const int32_t *t = run->target;
    int64_t low = shift ? 0 : INT32_MIN, high = INT32_MAX;
    for (int k = 0; k < SEARCH_LANES; k++) {
        int64_t by = x->lane[k], sign = by < 0 ? -1 : 1;
        if (shift ? by < 0 || by > 31 : by == 0)
            return;
        by = shift ? INT64_C(1) << by : llabs(by);
        /* sign * c lies in from .. to */
        int64_t from = t[k] * by, to = from + by - 1;
        from = t[k] == 0 ? -by + 1 : from;
        int64_t least = sign > 0 ? from : -to, most = sign > 0 ? to : -from;
        low = least > low ? least : low;
        high = most < high ? most : high;
        if (low > high)
            return;
    }
    report_range(run, shift ? SEARCH_SHIFT_RIGHT : SEARCH_DIVIDE, x, low, high, true);
}

/* The least n >= 0 for which step * n is rest modulo by, -1 if there is none. */
static int64_t solve(int64_t step, int64_t rest, int64_t by) {
    int64_t a = step % by, b = by, x = 1, y = 0; /* a is step * x, b is step * y, modulo by */
    while (a != 0) {
        int64_t quotient = b / a, other = b - quotient * a;
        b = a;
        a = other;
        other = y - quotient * x;
        y = x;
        x = other;
    }
    if (rest % b != 0)
        return -1;
    int64_t period = by / b, n = rest / b % period * (y % period) % period;
    return n < 0 ? n + period : n;
}

/* c % x with a small c: those that serve where x is greatest are few. */
static void finish_small_modulus(struct run *run, const struct search_tree *x, int greatest) {
    const int32_t *t = run->target;
    int64_t step = llabs(x->lane[greatest]);
    for (int32_t c = t[greatest]; c <= SEARCH_CONSTANT_MAX; c += (int32_t)step) {
        int k = 0;
        while (k < SEARCH_LANES && c % x->lane[k] == t[k])
            k++;
        if (k == SEARCH_LANES)
            report_constant(run, SEARCH_REMAINDER, x, c, true);
        if (step > SEARCH_CONSTANT_MAX)
            return;
    }
}

/* c % x with any c: by lane, those that serve are as far apart as the least common multiple. */
static void finish_wide_modulus(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target;
    int64_t c = 0, step = 1;
    for (int k = 0; k < SEARCH_LANES; k++) {
        int64_t by = llabs(x->lane[k]), n = solve(step, (t[k] - c) % by, by);
        if (n < 0 || n > (INT32_MAX - c) / step)
            return;
        c += n * step;
        step *= by / common_divisor((uint32_t)by, (uint32_t)(step % by));
        step = step > INT32_MAX ? INT64_C(1) << 32 : step; /* c is the only one */
    }
    while (c <= SEARCH_CONSTANT_MAX)
        c += step;
    report_constant(run, SEARCH_REMAINDER, x, c, true);
}

/* c % x. */
static void finish_modulus(struct run *run, const struct search_tree *x) {
    int greatest = 0;
    for (int k = 0; k < SEARCH_LANES; k++) {
        if (llabs(x->lane[k]) <= run->target[k])
            return;
        greatest = llabs(x->lane[k]) > llabs(x->lane[greatest]) ? k : greatest;
    }
    if (run->wide)
        finish_wide_modulus(run, x);
    else
        finish_small_modulus(run, x, greatest);
}

/* c << x. No c but 0 gives a 0. */
static void finish_shifted(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target;
    if (x->lane[0] < 0 || x->lane[0] > 31)
        return;
    int64_t c = (int64_t)t[0] >> x->lane[0];
    for (int k = 0; k < SEARCH_LANES; k++)
        if (x->lane[k] < 0 || x->lane[k] > 31 || c << x->lane[k] != t[k])
            return;
    report_constant(run, SEARCH_SHIFT_LEFT, x, c, true);
}

/* x < c, x <= c, x > c, x >= c, x == c, x != c: the target is 0 and 1. With x && c, x || c and !x
 * there is x != 0 and x == 0. */
static void finish_comparison(struct run *run, const struct search_tree *x) {
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int k = 0; k < SEARCH_LANES; k++) {
        int64_t v = x->lane[k];
        low[run->target[k]] = v < low[run->target[k]] ? v : low[run->target[k]];
        high[run->target[k]] = v > high[run->target[k]] ? v : high[run->target[k]];
    }
    if (high[1] < low[0]) {
        report_range(run, SEARCH_LESS, x, high[1] + 1, low[0], false);
        report_range(run, SEARCH_LESS_EQUAL, x, high[1], low[0] - 1, false);
    }
    if (high[0] < low[1]) {
        report_range(run, SEARCH_GREATER, x, high[0], low[1] - 1, false);
        report_range(run, SEARCH_GREATER_EQUAL, x, high[0] + 1, low[1], false);
    }
    for (int which = 0; which < 2; which++) {
        bool differs = low[which] == high[which];
        for (int k = 0; k < SEARCH_LANES && differs; k++)
            differs = run->target[k] == which || x->lane[k] != low[which];
        if (differs)
            report_constant(run, which ? SEARCH_EQUAL : SEARCH_NOT_EQUAL, x, low[which], false);
    }
}

/* x op v, v op x. */
static void finish_variables(struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target;
    for (unsigned e = 0; e < run->endings; e++) {
        const struct ending *ending = &run->ending[e];
        const struct search_tree *v = &run->variable[ending->variable];
        const struct search_tree *left = ending->variable_first ? v : x;
        const struct search_tree *right = ending->variable_first ? x : v;
        uint32_t value;
        int k = 0;
        while (k < SEARCH_LANES &&
               search_operate(ending->operation, false, (uint32_t)left->lane[k],
                              (uint32_t)right->lane[k], &value) &&
               (int32_t)value == t[k])
            k++;
        if (k == SEARCH_LANES)
            report(run, ending->operation, left, right);
    }
}

/* Reports all that leads from x to the target by one operator and, if run->wide, a constant beyond
 * SEARCH_CONSTANT_MAX, or else a smaller constant or a variable. */
static void finish(struct run *run, const struct search_tree *x) {
    finish_sum(run, x);
    finish_mask(run, x);
    finish_product(run, x);
    finish_quotient(run, x, 1);
    if (run->wide)
        finish_quotient(run, x, -1);
    finish_remainder(run, x);
    finish_dividend(run, x, false);
    finish_dividend(run, x, true);
    finish_modulus(run, x);
    if (!run->has_zero)
        finish_shifted(run, x);
    if (run->is_boolean)
        finish_comparison(run, x);
    if (!run->wide)
        finish_variables(run, x);
}

/* ---- Which variables can come last ---- */

/* False if x op v = t, or v op x = t, has no solution x. True is always allowed. */
static bool can_end(enum search_operator operation, bool variable_first, int32_t v, int32_t t) {
    if (v < 0)
        return operation != SEARCH_SHIFT_LEFT && operation != SEARCH_SHIFT_RIGHT;
    switch (operation) {
    case SEARCH_MULTIPLY:
        return v == 0 ? t == 0 : t % v == 0;
    case SEARCH_DIVIDE:
        return variable_first ? t <= v : v != 0;
    case SEARCH_REMAINDER:
        return variable_first ? t <= v : v > t;
    case SEARCH_AND:
        return (t & ~v) == 0;
    case SEARCH_OR:
        return (v & ~t) == 0;
    case SEARCH_SHIFT_LEFT:
        if (variable_first)
            return v == 0 ? t == 0 : t % v == 0 && t > 0;
        return v < 32 && (t & (int32_t)((UINT32_C(1) << v) - 1)) == 0;
    case SEARCH_SHIFT_RIGHT:
        return variable_first ? t <= v : v < 32;
    default:
        return true;
    }
}

static bool is_comparison(enum search_operator operation) {
    return (operation >= SEARCH_LESS && operation <= SEARCH_NOT_EQUAL) || operation >= SEARCH_BOTH;
}

static bool is_symmetric(enum search_operator operation) {
    return operation == SEARCH_MULTIPLY || operation == SEARCH_ADD || operation >= SEARCH_EQUAL;
}

/* The two that are others with their operands exchanged. */
static bool is_mirrored(enum search_operator operation) {
    return operation == SEARCH_GREATER || operation == SEARCH_GREATER_EQUAL;
}

static void add_ending(struct run *run, enum search_operator operation, uint8_t variable,
                       bool variable_first) {
    const struct search_tree *v = &run->variable[variable];
    bool possible = run->is_boolean || !is_comparison(operation);
    for (int k = 0; k < SEARCH_LANES && possible; k++)
        possible = can_end(operation, variable_first, v->lane[k], run->target[k]);
    if (possible)
        run->ending[run->endings++] = (struct ending){operation, variable_first, variable};
}

static void find_endings(struct run *run) {
    for (uint8_t v = 0; v < run->search->variables; v++)
        for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
             operation++)
            for (int first = is_symmetric(operation); first < 2 && !is_mirrored(operation); first++)
                add_ending(run, operation, v, first);
}

/* ---- What can come last, by pairs of lanes ---- */

/* Marks all pairs of which the first leads to the target by x op a, or a op x, in one lane and the
 * second by b in the other. */
static void mark(struct run *run, unsigned pair, enum search_operator operation,
                 bool constant_first, const int32_t with[2]) {
    uint64_t reach[2][NEAR_WORDS] = {{0}, {0}};
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < NEAR; n++) {
            uint32_t x = (uint32_t)(n + NEAR_LOW), c = (uint32_t)with[side], value;
            bool good = search_operate(operation, false, constant_first ? c : x,
                                       constant_first ? x : c, &value);
            if (good && (int32_t)value == run->target[2 * pair + (unsigned)side])
                reach[side][n / 64] |= UINT64_C(1) << n % 64;
        }
    for (int n = 0; n < NEAR; n++)
        if (reach[0][n / 64] >> n % 64 & 1)
            for (int word = 0; word < NEAR_WORDS; word++)
                run->near[pair].row[n][word] |= reach[1][word];
}

static void mark_constants(struct run *run, unsigned pair, enum search_operator operation,
                           bool constant_first) {
    const struct search *search = run->search;
    bool is_masked = operation == SEARCH_AND || operation == SEARCH_OR;
    int32_t mask = operation == SEARCH_AND ? search->any : search->all;
    for (int32_t c = 0; c <= SEARCH_CONSTANT_MAX; c++)
        if (!is_masked || c == mask)
            mark(run, pair, operation, constant_first, (const int32_t[]){c, c});
}

static void mark_pair(struct run *run, unsigned pair) {
    const int32_t zero[2] = {0, 0};
    for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
        mark(run, pair, operation, false, zero);
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++)
        for (int first = is_symmetric(operation); first < 2; first++)
            if (run->is_boolean || !is_comparison(operation))
                mark_constants(run, pair, operation, first);
    for (unsigned e = 0; e < run->endings; e++) {
        const struct ending *ending = &run->ending[e];
        mark(run, pair, ending->operation, ending->variable_first,
             run->variable[ending->variable].lane + (size_t)2 * pair);
    }
}

/* False if no operator with a small constant or variable leads from x to the target. */
static inline bool is_near(const struct run *run, const struct search_tree *x) {
    for (unsigned pair = 0; pair < PAIRS && run->near; pair++) {
        const int32_t *lane = x->lane + (size_t)2 * pair;
        uint32_t a = (uint32_t)lane[0] - (uint32_t)NEAR_LOW;
        uint32_t b = (uint32_t)lane[1] - (uint32_t)NEAR_LOW;
        if (a < NEAR && b < NEAR && !(run->near[pair].row[a][b / 64] >> b % 64 & 1))
            return false;
    }
    return true;
}

static bool is_far_number(int32_t x) {
    return x < NEAR_LOW || x >= NEAR_LOW + NEAR;
}

/* True if a variable leads from x to the target, as far as lanes 0 and 1 show. */
static bool ends_far(const struct run *run, int32_t a, int32_t b) {
    for (unsigned e = 0; e < run->endings; e++) {
        const struct ending *ending = &run->ending[e];
        const int32_t *v = run->variable[ending->variable].lane;
        bool first = ending->variable_first;
        uint32_t value[2];
        if (ending->operation != SEARCH_ADD && ending->operation != SEARCH_SUBTRACT &&
            search_operate(ending->operation, false, (uint32_t)(first ? v[0] : a),
                           (uint32_t)(first ? a : v[0]), &value[0]) &&
            (int32_t)value[0] == run->target[0] &&
            search_operate(ending->operation, false, (uint32_t)(first ? v[1] : b),
                           (uint32_t)(first ? b : v[1]), &value[1]) &&
            (int32_t)value[1] == run->target[1])
            return true;
    }
    return false;
}

/* True if there may be a small c that leads from x to the target by x % c. */
static bool divides_far(const struct run *run, const struct search_tree *x) {
    uint64_t common[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (int k = 0; k < 4; k++) {
        int64_t difference = (int64_t)x->lane[k] - run->target[k];
        if (difference < 0 && run->target[k] > 0)
            return false;
        if (llabs(difference) >= DIVIDENDS)
            return true;
        for (int word = 0; word < 4; word++)
            common[word] &= run->divisors->of[llabs(difference)][word];
    }
    return (common[0] | common[1] | common[2] | common[3]) != 0;
}

/* False if no operator with a small constant or variable leads from x to the target, decided where
 * lanes 0 and 1 of x are beyond what is near, and the targets there are different, not 0 and, as
 * variables are, at most SEARCH_CONSTANT_MAX. Then x + c, x - c, c - x, x ^ c, x | c, x * c and
 * x << c are not as small as the target, -x and ~x neither; c << x and c >> x are undefined; c / x
 * is 0, and c % x is c, which cannot be both targets. x & c, x / c, which x >> c is, and x % c
 * remain, and operators with a variable other than + and -. */
static bool is_far(const struct run *run, const struct search_tree *x) {
    const int32_t *t = run->target;
    int64_t a = x->lane[0], b = x->lane[1];
    if (!run->is_far_decided || !is_far_number(x->lane[0]) || !is_far_number(x->lane[1]))
        return true;
    if ((a & run->search->any) == t[0] && (b & run->search->any) == t[1])
        return true;
    if (ends_far(run, x->lane[0], x->lane[1]))
        return true;
    if (a < 0 || b < 0)
        return false;
    /* t <= x / c < t + 1, so c is in x / (t + 1) .. x / t, in both lanes */
    if (b * t[0] < a * (t[1] + 1) && a * t[1] < b * (t[0] + 1))
        return true;
    return divides_far(run, x);
}

static bool make_far(struct run *run) {
    const int32_t *t = run->target;
    run->is_far_decided =
        !run->is_boolean && t[0] != t[1] && t[1] > 0 && t[0] <= SEARCH_CONSTANT_MAX;
    for (unsigned v = 0; v < run->search->variables; v++)
        if (run->variable[v].magnitude > SEARCH_CONSTANT_MAX)
            run->is_far_decided = false;
    run->divisors = calloc(1, sizeof *run->divisors);
    for (int32_t c = t[0] + 1; c <= SEARCH_CONSTANT_MAX && run->divisors; c++)
        for (int32_t multiple = 0; multiple < DIVIDENDS; multiple += c)
            run->divisors->of[multiple][c / 64] |= UINT64_C(1) << c % 64;
    return run->divisors != NULL;
}

static bool make_near(struct run *run) {
    run->near = calloc(PAIRS, sizeof *run->near);
    for (unsigned pair = 0; pair < PAIRS && run->near; pair++)
        mark_pair(run, pair);
    return run->near != NULL && make_far(run);
}

/* ---- Making expressions ---- */

static void measure(struct search_tree *tree) {
    uint32_t greatest = 0;
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t size = (uint32_t)tree->lane[k];
        size = tree->lane[k] < 0 ? 0 - size : size;
        greatest = size > greatest ? size : greatest;
    }
    tree->magnitude = greatest;
}

static bool is_constant(const struct search_tree *tree) {
    int32_t differs = 0;
    for (int k = 1; k < SEARCH_LANES; k++)
        differs |= tree->lane[k] ^ tree->lane[0];
    return differs == 0;
}

/* Any operator, lane by lane. */
static bool apply_slowly(struct search_tree *tree) {
    const struct search_tree *a = tree->left, *b = tree->right ? tree->right : tree->left;
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t value;
        if (!search_operate(tree->operation, false, (uint32_t)a->lane[k], (uint32_t)b->lane[k],
                            &value))
            return false;
        tree->lane[k] = (int32_t)value;
    }
    return true;
}

static bool has_zero(const int32_t *lane) {
    int zeros = 0;
    for (int k = 0; k < SEARCH_LANES; k++)
        zeros |= lane[k] == 0;
    return zeros;
}

/* Quotients of int are exact in double: a / b is an integer or differs from the next by 1 / |b|,
 * and |a| < 2^31. */
static void divide(const int32_t *a, const int32_t *b, int32_t *quotient) {
    for (int k = 0; k < SEARCH_LANES; k++)
        quotient[k] = (int32_t)((double)a[k] / (double)b[k]);
}

#define EACH_LANE(expression)                                                                      \
    for (int k = 0; k < SEARCH_LANES; k++)                                                         \
        tree->lane[k] = (expression);                                                              \
    return true

/* Fills in the values of an operator over two operands. False if it is undefined somewhere. The
 * ones that are frequent are done all lanes at once, where no lane can overflow. */
static bool apply(struct search_tree *tree) {
    const int32_t *a = tree->left->lane, *b = tree->right->lane;
    uint64_t x = tree->left->magnitude, y = tree->right->magnitude;
    bool small = x < INT32_MAX / 2 && y < INT32_MAX / 2;
    switch (tree->operation) {
    case SEARCH_ADD:
        if (small) {
            EACH_LANE(a[k] + b[k]);
        }
        break;
    case SEARCH_SUBTRACT:
        if (small) {
            EACH_LANE(a[k] - b[k]);
        }
        break;
    case SEARCH_MULTIPLY:
        if (x * y <= INT32_MAX) {
            EACH_LANE(a[k] * b[k]);
        }
        break;
    case SEARCH_DIVIDE:
    case SEARCH_REMAINDER:
        if (has_zero(b) || !small)
            break;
        int32_t quotient[SEARCH_LANES];
        divide(a, b, quotient);
        if (tree->operation == SEARCH_DIVIDE) {
            EACH_LANE(quotient[k]);
        }
        EACH_LANE(a[k] - quotient[k] * b[k]);
    case SEARCH_AND:
        EACH_LANE(a[k] & b[k]);
    case SEARCH_OR:
        EACH_LANE(a[k] | b[k]);
    case SEARCH_EXCLUSIVE:
        EACH_LANE(a[k] ^ b[k]);
    case SEARCH_LESS:
        EACH_LANE(a[k] < b[k]);
    case SEARCH_LESS_EQUAL:
        EACH_LANE(a[k] <= b[k]);
    case SEARCH_EQUAL:
        EACH_LANE(a[k] == b[k]);
    case SEARCH_NOT_EQUAL:
        EACH_LANE(a[k] != b[k]);
    case SEARCH_BOTH:
        EACH_LANE(a[k] && b[k]);
    case SEARCH_EITHER:
        EACH_LANE(a[k] || b[k]);
    default:
        break;
    }
    return apply_slowly(tree);
}

/* What becomes of each expression that is made. */
typedef void action(struct run *run, const struct search_tree *tree);

static inline void combine(struct run *run, enum search_operator operation,
                           const struct search_tree *left, const struct search_tree *right,
                           action *use) {
    struct search_tree tree;
    tree.operation = operation;
    tree.left = left;
    tree.right = right;
    if (right ? apply(&tree) : apply_slowly(&tree))
        use(run, &tree);
}

/* All operators over two expressions, in both orders. */
static void combine_pair(struct run *run, const struct search_tree *a, const struct search_tree *b,
                         action *use) {
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (run->stopped || is_mirrored(operation))
            continue;
        combine(run, operation, a, b, use);
        if (!is_symmetric(operation) && a != b)
            combine(run, operation, b, a, use);
    }
}

struct range {
    int64_t low, high;
};

/* The constants c for which x op c is neither a constant, x itself, nor what another operator with
 * a constant gives. */
static struct range second_range(enum search_operator operation, int64_t magnitude, bool negative) {
    int64_t most = SEARCH_CONSTANT_MAX;
    int64_t upto = magnitude < most ? magnitude : most;
    switch (operation) {
    case SEARCH_MULTIPLY:
        return (struct range){2, most};
    case SEARCH_DIVIDE:
    case SEARCH_REMAINDER:
        return (struct range){2, upto};
    case SEARCH_SHIFT_LEFT:
        return (struct range){8, negative ? 0 : 30}; /* else x * 2^c */
    case SEARCH_SHIFT_RIGHT:
        return (struct range){8, negative || magnitude < 256 ? 0 : 30};
    case SEARCH_AND:
        if (negative || magnitude > most)
            return (struct range){1, most};
        return (struct range){1,
                              (INT64_C(2) << (63 - __builtin_clzll((uint64_t)magnitude | 1))) - 1};
    case SEARCH_LESS:
    case SEARCH_EQUAL:
    case SEARCH_NOT_EQUAL:
        return (struct range){0, upto};
    case SEARCH_LESS_EQUAL:
        return (struct range){most, magnitude > most ? most : 0}; /* else x < c + 1 */
    case SEARCH_BOTH:
    case SEARCH_EITHER:
        return (struct range){1, 0}; /* x != 0 */
    default:
        return (struct range){1, most};
    }
}

/* The same of c op x. */
static struct range first_range(enum search_operator operation, int64_t magnitude, bool negative,
                                bool zero) {
    int64_t most = SEARCH_CONSTANT_MAX;
    int64_t upto = magnitude < most ? magnitude : most;
    switch (operation) {
    case SEARCH_SUBTRACT:
        return (struct range){1, most}; /* 0 - x is -x */
    case SEARCH_DIVIDE:
    case SEARCH_REMAINDER:
        return (struct range){1, zero ? 0 : most};
    case SEARCH_SHIFT_LEFT:
    case SEARCH_SHIFT_RIGHT:
        return (struct range){1, negative || magnitude > 31 ? 0 : most};
    case SEARCH_LESS:
        return (struct range){0, upto};
    case SEARCH_LESS_EQUAL:
        return (struct range){0, negative ? 0 : -1}; /* else c - 1 < x */
    default:
        return (struct range){1, 0}; /* symmetric, or mirrored */
    }
}

/* All of x and constants. */
static void extend_by_constants(struct run *run, const struct search_tree *x, action *use) {
    bool negative = false, zero = has_zero(x->lane);
    for (int k = 0; k < SEARCH_LANES; k++)
        negative = negative || x->lane[k] < 0;
    for (enum search_operator operation = SEARCH_MULTIPLY;
         operation < SEARCH_OPERATORS && !run->stopped; operation++) {
        struct range range = second_range(operation, x->magnitude, negative);
        if (is_mirrored(operation))
            continue;
        for (int64_t c = range.low; c <= range.high; c++)
            combine(run, operation, x, &run->constant[c], use);
        range = first_range(operation, x->magnitude, negative, zero);
        for (int64_t c = range.low; c <= range.high; c++)
            combine(run, operation, &run->constant[c], x, use);
    }
}

/* All that is made of x by one operator: a unary one, or one with a constant or a variable. */
static void extend(struct run *run, const struct search_tree *x, action *use) {
    for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
        combine(run, operation, x, NULL, use);
    for (uint8_t v = 0; v < run->search->variables; v++)
        combine_pair(run, x, &run->variable[v], use);
    if (!is_constant(x))
        extend_by_constants(run, x, use);
}

/* ---- Sets of expressions ---- */

static size_t hash(const int32_t *lane) {
    uint64_t sum = 0;
    for (int k = 0; k < SEARCH_LANES; k += 2)
        sum = (sum ^ ((uint64_t)(uint32_t)lane[k] << 32 | (uint32_t)lane[k + 1])) *
                  UINT64_C(0x9e3779b97f4a7c15) ^
              sum >> 29;
    return (size_t)(sum ^ sum >> 32);
}

static uint32_t *find_slot(const struct set *set, const int32_t *lane) {
    size_t at = hash(lane) & (set->slots - 1);
    while (set->slot[at] != 0 &&
           memcmp(set->tree[set->slot[at] - 1].lane, lane, sizeof set->tree->lane) != 0)
        at = (at + 1) & (set->slots - 1);
    return &set->slot[at];
}

static void set_free(struct set *set) {
    free(set->tree);
    free(set->slot);
}

/* Makes room for twice as many. */
static bool set_grow(struct set *set) {
    size_t room = set->room ? 2 * set->room : 4096;
    struct search_tree *tree = realloc(set->tree, room * sizeof *tree);
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    set->tree = tree ? tree : set->tree;
    free(tree && slot ? set->slot : slot);
    if (!tree || !slot)
        return false;
    set->slot = slot;
    set->room = room;
    set->slots = 2 * room;
    for (uint32_t n = 0; n < set->count; n++)
        *find_slot(set, tree[n].lane) = n + 1;
    return true;
}

static bool has(const struct set *set, const int32_t *lane) {
    return set->slots > 0 && *find_slot(set, lane) != 0;
}

static void set_add(struct run *run, struct set *set, const struct search_tree *tree) {
    if (set->count == set->room && !set_grow(set)) {
        run->failed = run->stopped = true;
        return;
    }
    uint32_t *slot = find_slot(set, tree->lane);
    if (*slot != 0)
        return;
    set->tree[set->count] = *tree;
    measure(&set->tree[set->count++]);
    *slot = (uint32_t)set->count;
}

static bool is_leaf(const struct run *run, const struct search_tree *tree) {
    if (is_constant(tree) && !is_wide(tree->lane[0]))
        return true;
    for (unsigned v = 0; v < run->search->variables; v++)
        if (memcmp(run->variable[v].lane, tree->lane, sizeof tree->lane) == 0)
            return true;
    return false;
}

/* Adds an expression of one operator, if no other has its values and no constant or variable has.
 */
static void keep_one(struct run *run, const struct search_tree *tree) {
    if (!is_leaf(run, tree))
        set_add(run, is_constant(tree) ? &run->constants : &run->one, tree);
}

/* Adds one of two operators, if none with fewer has its values. */
static void keep_two(struct run *run, const struct search_tree *tree) {
    if (!is_constant(tree) && !is_leaf(run, tree) && !has(&run->one, tree->lane))
        set_add(run, &run->two, tree);
}

/* All expressions of one operator: of variables, and of two constants. */
static void make_one(struct run *run) {
    for (uint8_t v = 0; v < run->search->variables; v++)
        extend(run, &run->variable[v], keep_one);
    for (int a = 0; a <= SEARCH_CONSTANT_MAX; a++) {
        for (int b = 0; b <= a; b++)
            combine_pair(run, &run->constant[a], &run->constant[b], keep_one);
        for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
            combine(run, operation, &run->constant[a], NULL, keep_one);
    }
}

/* ---- The search ---- */

static void finish_unless_constant(struct run *run, const struct search_tree *x) {
    if (is_near(run, x) && is_far(run, x) && !is_constant(x))
        finish(run, x);
}

/* Variables, with a constant of any size. */
static void finish_leaves(struct run *run, bool wide) {
    run->wide = wide;
    for (unsigned v = 0; v < run->search->variables; v++)
        finish(run, &run->variable[v]);
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
        report(run, operation, a, b);
}

/* All operators over two expressions of one operator with variables. Where one is without, finish()
 * has solved for it. */
static void compare_pairs(struct run *run) {
    const struct set *set = &run->one;
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (is_mirrored(operation) || (is_comparison(operation) && !run->is_boolean))
            continue;
        for (size_t a = 0; a < set->count && !run->stopped; a++)
            for (size_t b = is_symmetric(operation) ? a : 0; b < set->count; b++)
                compare(run, operation, &set->tree[a], &set->tree[b]);
    }
}

static void search_two(struct run *run) {
    finish_leaves(run, true);
    for (uint8_t v = 0; v < run->search->variables; v++)
        extend(run, &run->variable[v], finish_unless_constant);
}

/* Calls finish() for all of a set, with constants of any size. */
static void finish_wide(struct run *run, const struct set *set) {
    run->wide = true;
    for (size_t n = 0; n < set->count && !run->stopped; n++)
        finish(run, &set->tree[n]);
    run->wide = false;
}

static void extend_all(struct run *run, const struct set *set, action *use) {
    for (size_t n = 0; n < set->count && !run->stopped; n++)
        extend(run, &set->tree[n], use);
}

static void search_three(struct run *run) {
    make_one(run);
    finish_leaves(run, true);
    finish_wide(run, &run->one);
    extend_all(run, &run->one, finish_unless_constant);
    extend_all(run, &run->constants, finish_unless_constant);
    compare_pairs(run);
}

/* ---- Four operators ---- */

/* True if x op c, with a constant that is not small, is x, or constant, or x op a small one. */
static bool is_idle(enum search_operator operation, const struct search_tree *x,
                    const struct search_tree *c) {
    int64_t size = llabs((int64_t)c->lane[0]);
    if (operation == SEARCH_AND) {
        int32_t negative = 0;
        for (int k = 0; k < SEARCH_LANES; k++)
            negative |= x->lane[k];
        return x->magnitude <= SEARCH_CONSTANT_MAX && negative >= 0;
    }
    return (operation == SEARCH_DIVIDE || operation == SEARCH_REMAINDER ||
            is_comparison(operation)) &&
           size > x->magnitude;
}

/* (x op x') op c and (x op x') op v, x and x' of one operator each, x' possibly constant. */
static void extend_pairs(struct run *run) {
    const struct set *set = &run->one, *constants = &run->constants;
    for (size_t a = 0; a < set->count; a++) {
        const struct search_tree *x = &set->tree[a];
        for (size_t b = a; b < set->count && !run->stopped; b++)
            combine_pair(run, x, &set->tree[b], finish_unless_constant);
        for (size_t b = 0; b < constants->count && !run->stopped; b++)
            for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
                 operation++) {
                const struct search_tree *c = &constants->tree[b];
                if (is_mirrored(operation))
                    continue;
                if (!is_idle(operation, x, c))
                    combine(run, operation, x, c, finish_unless_constant);
                if (!is_symmetric(operation))
                    combine(run, operation, c, x, finish_unless_constant);
            }
    }
}

/* (v op c) op c' and (v op c) op v', c of two operators. */
static void use_constant(struct run *run, const struct search_tree *made) {
    uint32_t number = (uint32_t)made->lane[0];
    struct search_tree c = *made;
    if (!is_wide(made->lane[0]) || run->stopped || run->seen[number / 64] >> number % 64 & 1)
        return;
    run->seen[number / 64] |= UINT64_C(1) << number % 64;
    measure(&c);
    c.operation = SEARCH_CONSTANT;
    c.value = c.lane[0];
    for (unsigned v = 0; v < run->search->variables; v++)
        combine_pair(run, &run->variable[v], &c, finish_unless_constant);
}

static void search_constants(struct run *run) {
    const struct set *constants = &run->constants;
    run->seen = calloc(UINT64_C(1) << 26, sizeof *run->seen);
    run->failed = run->stopped = run->stopped || !run->seen;
    for (size_t n = 0; n < constants->count && !run->stopped; n++) {
        const struct search_tree *c = &constants->tree[n];
        for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
            combine(run, operation, c, NULL, use_constant);
        for (int small = 0; small <= SEARCH_CONSTANT_MAX; small++)
            combine_pair(run, c, &run->constant[small], use_constant);
    }
    free(run->seen);
    run->seen = NULL;
}

/* The expression of one operator that has these values, or NULL. */
static const struct search_tree *find_one(const struct run *run, const uint32_t *lane) {
    int32_t values[SEARCH_LANES];
    memcpy(values, lane, sizeof values);
    uint32_t slot = *find_slot(&run->one, values);
    return slot ? &run->one.tree[slot - 1] : NULL;
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
            report(run, operations[way], way == 2 ? y : x, way == 2 ? x : y);
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
        bool possible = can_end(operation, !first, x, run->target[lane]);
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
            report(run, (enum search_operator)candidates[c].operation,
                   candidates[c].one_first ? one : *from, candidates[c].one_first ? *from : one);
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
        for (int first = is_symmetric(operation); first < 2 && !is_mirrored(operation); first++)
            for (uint32_t n = 0; n < run->one.count; n++)
                if ((run->is_boolean || !is_comparison(operation)) && operation != SEARCH_ADD &&
                    operation != SEARCH_SUBTRACT && operation != SEARCH_EXCLUSIVE)
                    candidates[count++] = (struct candidate){n, (uint8_t)operation, first};
    return count;
}

static void join_all(struct run *run) {
    const struct set *set = &run->two;
    size_t all = run->one.count * 2 * SEARCH_OPERATORS;
    struct candidate *candidates = malloc(all * (SEARCH_LANES + 1) * sizeof *candidates);
    const struct search_tree **sorted = malloc((set->count + 1) * sizeof *sorted);
    run->failed = run->stopped = run->stopped || !candidates || !sorted;
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
    make_one(run);
    search_constants(run);
    finish_leaves(run, true);
    finish_wide(run, &run->one);
    extend_pairs(run);
    if (!run->stopped) {
        extend_all(run, &run->one, keep_two);
        extend_all(run, &run->constants, keep_two);
    }
    free(run->two.slot);
    run->two.slot = NULL;
    finish_wide(run, &run->two);
    join_all(run);
    extend_all(run, &run->two, finish_unless_constant);
}

static void prepare_leaves(struct run *run) {
    for (int c = 0; c <= SEARCH_CONSTANT_MAX; c++) {
        struct search_tree *tree = &run->constant[c];
        *tree = (struct search_tree){.operation = SEARCH_CONSTANT, .value = c};
        for (int k = 0; k < SEARCH_LANES; k++)
            tree->lane[k] = c;
        measure(tree);
    }
    for (unsigned v = 0; v < run->search->variables; v++) {
        struct search_tree *tree = &run->variable[v];
        *tree = (struct search_tree){.operation = SEARCH_VARIABLE, .value = (int32_t)v};
        memcpy(tree->lane, run->search->variable[v], sizeof tree->lane);
        measure(tree);
    }
}

enum search_end mapping_search_run(const struct search *search, unsigned operators) {
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return SEARCH_FAILED;
    run->search = search;
    run->target = search->target;
    run->is_boolean = search->target[0] == 1;
    run->has_zero = has_zero(search->target);
    prepare_leaves(run);
    find_endings(run);
    if (operators > 2 && !make_near(run))
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
    set_free(&run->one);
    set_free(&run->constants);
    set_free(&run->two);
    free(run->near);
    free(run->divisors);
    free(run);
    return end;
}
