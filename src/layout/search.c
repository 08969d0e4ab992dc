/* search.c - all C expressions of up to three operators that give a table of values.
 *
 * An expression of n operators is an operator over one expression of n - 1 operators, or over two
 * that have n - 1 operators together. So the search makes all expressions x of n - 1 operators, and
 * solves x op c = target for the constant c, or tries each variable as the last operand. For n = 3
 * it also compares all pairs of expressions of one operator with the target. For example, for the
 * target tid / 4 + i, the search makes x = tid / 4, and finds that x + i is the target.
 *
 * With x1 and x2 for expressions of one and two operators, c1 and c2 for constants that take one
 * and two operators, and a leaf for a variable or a constant up to SEARCH_CONSTANT_MAX:
 *
 *     1 operator     leaf op leaf
 *     2 operators    x1 op leaf; leaf op c1
 *     3 operators    x2 op leaf; x1 op x1, x1 op c1; leaf op c2
 *
 * each with the operands exchanged, and with unary operators.
 *
 * Why the search misses nothing:
 *
 * - It compares SEARCH_LANES entries of the table. An expression that gives the whole table gives
 *   these, and one that is defined everywhere is defined there. What is found may be wrong at other
 *   entries; the caller checks that.
 * - Of expressions with the same values at these entries it keeps one with the fewest operators,
 *   which can take the place of the others in any expression.
 * - An expression without variables is a constant. Where a constant beyond SEARCH_CONSTANT_MAX is
 *   the last operand, it is solved for. Where it is deeper, all constants of one operator are made.
 * - For x & c = target one c is tried: c needs every bit that is set in the target, and other bits
 *   do not help. Likewise for x | c, where c can only have bits that are set in all of the target.
 *   x << c is x * 2^c and x >> c is x / 2^c, as shifting a negative number is undefined. For x % c,
 *   c divides x - target everywhere and is greater than the target. For the other operators, the
 *   constants that fit one entry are an interval, and the intervals of all entries are intersected.
 * - x > y and x >= y are y < x and y <= x, and !x is x == 0. An operator with a constant is left
 *   out if it gives x, a constant, or what another operator with a constant gives: see
 *   second_range() and first_range(). */
#include "layout/search.h"

#include <stdlib.h>
#include <string.h>

/* Shifts by fewer bits multiply with or divide by a constant that there is. */
enum { SEARCH_SHIFT_MIN = 32 - __builtin_clz(SEARCH_CONSTANT_MAX) };

/* Expressions, one for each list of values, and a hash table of their numbers + 1. */
struct set {
    struct search_tree *tree;
    uint32_t *slot;
    size_t count, room, slots;
};

/* x op v, or v op x, with a variable v: pairs that can reach the target at all. */
struct ending {
    enum search_operator operation;
    bool variable_first;
    uint8_t variable;
};

/* One search, from its beginning to its end. */
struct run {
    const struct search *search;
    const int32_t *target;
    struct search_tree constant[SEARCH_CONSTANT_MAX + 1];
    struct search_tree variable[SEARCH_VARIABLES];
    struct ending ending[SEARCH_VARIABLES * 2 * SEARCH_OPERATORS];
    unsigned endings;
    bool is_boolean;      /* the target */
    bool has_zero;        /* the target, somewhere */
    bool wide;            /* constants beyond SEARCH_CONSTANT_MAX are solved for, and no others */
    bool failed;          /* out of memory */
    struct set one;       /* expressions of one operator, with variables */
    struct set constants; /* and without */
};

static bool is_wide(int64_t constant) {
    return constant < 0 || constant > SEARCH_CONSTANT_MAX;
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

static bool is_constant(const struct search_tree *tree) {
    int32_t differs = 0;
    for (int k = 1; k < SEARCH_LANES; k++)
        differs |= tree->lane[k] ^ tree->lane[0];
    return differs == 0;
}

static bool has_negative(const int32_t *lane) {
    int32_t signs = 0;
    for (int k = 0; k < SEARCH_LANES; k++)
        signs |= lane[k];
    return signs < 0;
}

static bool has_zero(const int32_t *lane) {
    int zeros = 0;
    for (int k = 0; k < SEARCH_LANES; k++)
        zeros |= lane[k] == 0;
    return zeros;
}

/* ---- Leaves ---- */

static void measure(struct search_tree *tree) {
    uint32_t greatest = 0;
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t size = (uint32_t)tree->lane[k];
        size = tree->lane[k] < 0 ? 0 - size : size;
        greatest = size > greatest ? size : greatest;
    }
    tree->magnitude = greatest;
}

static void make_leaves(struct run *run) {
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

/* ---- Making expressions ---- */

/* What becomes of each expression that is made. */
typedef void search_action(struct run *run, const struct search_tree *tree);

/* Any operator, lane by lane. */
static bool apply_slowly(struct search_tree *tree) {
    const struct search_tree *a = tree->left, *b = tree->right ? tree->right : tree->left;
    memset(tree->lane, 0, sizeof tree->lane);
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t value;
        if (!search_operate(tree->operation, false, (uint32_t)a->lane[k], (uint32_t)b->lane[k],
                            &value))
            return false;
        tree->lane[k] = (int32_t)value;
    }
    return true;
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

static void combine(struct run *run, enum search_operator operation, const struct search_tree *left,
                    const struct search_tree *right, search_action *use) {
    struct search_tree tree;
    tree.operation = operation;
    tree.left = left;
    tree.right = right;
    if (right ? apply(&tree) : apply_slowly(&tree))
        use(run, &tree);
}

static void combine_pair(struct run *run, const struct search_tree *a, const struct search_tree *b,
                         search_action *use) {
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (is_mirrored(operation))
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
    const int64_t most = SEARCH_CONSTANT_MAX, shifts = most < 30 ? most : 30;
    int64_t upto = magnitude < most ? magnitude : most;
    switch (operation) {
    case SEARCH_MULTIPLY:
        return (struct range){2, most};
    case SEARCH_DIVIDE:
    case SEARCH_REMAINDER:
        return (struct range){2, upto};
    case SEARCH_SHIFT_LEFT:
        return (struct range){SEARCH_SHIFT_MIN, negative ? 0 : shifts}; /* else x * 2^c */
    case SEARCH_SHIFT_RIGHT:
        return (struct range){SEARCH_SHIFT_MIN, negative || magnitude <= most ? 0 : shifts};
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
static void extend_by_constants(struct run *run, const struct search_tree *x, search_action *use) {
    bool negative = has_negative(x->lane), zero = has_zero(x->lane);
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
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

static void extend(struct run *run, const struct search_tree *x, search_action *use) {
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

static void set_add(struct run *run, struct set *set, const struct search_tree *tree) {
    if (set->count == set->room && !set_grow(set)) {
        run->failed = true;
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

/* ---- What is found ---- */

static void report(struct run *run, enum search_operator operation, const struct search_tree *left,
                   const struct search_tree *right) {
    struct search_tree tree = {.operation = operation, .left = left, .right = right};
    run->search->found(run->search->context, &tree);
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

/* Compares all operators over two expressions, in both orders. */
static void compare_pair(struct run *run, const struct search_tree *a,
                         const struct search_tree *b) {
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (is_mirrored(operation) || (is_comparison(operation) && !run->is_boolean))
            continue;
        compare(run, operation, a, b);
        if (!is_symmetric(operation) && a != b)
            compare(run, operation, b, a);
    }
}

/* Reports x op c or c op x if the constant, at least INT32_MIN, is one of those that are asked for.
 */
static void report_constant(struct run *run, enum search_operator operation,
                            const struct search_tree *x, int64_t value, bool constant_first) {
    if (is_wide(value) != run->wide || value > INT32_MAX)
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
    bool can_shift = sign > 0 && !run->wide && !has_negative(x->lane);
    for (int bit = SEARCH_SHIFT_MIN; can_shift && bit < 31; bit++)
        if (low <= INT64_C(1) << bit && INT64_C(1) << bit <= high)
            report_constant(run, SEARCH_SHIFT_RIGHT, x, bit, false);
}

/* Of a, which is not 0, and b. Without divisions, which are slow. */
static uint32_t common_divisor(uint32_t a, uint32_t b) {
    if (b == 0)
        return a;
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

/* ---- A variable as the last operand ---- */

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

static void find_endings(struct run *run) {
    for (uint8_t v = 0; v < run->search->variables; v++)
        for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
             operation++)
            for (int first = is_symmetric(operation); first < 2; first++) {
                bool possible =
                    !is_mirrored(operation) && (run->is_boolean || !is_comparison(operation));
                for (int k = 0; k < SEARCH_LANES && possible; k++)
                    possible = can_end(operation, first, run->variable[v].lane[k], run->target[k]);
                if (possible)
                    run->ending[run->endings++] = (struct ending){operation, first, v};
            }
}

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
    for (unsigned e = 0; e < run->endings && !run->wide; e++) {
        const struct search_tree *v = &run->variable[run->ending[e].variable];
        const bool first = run->ending[e].variable_first;
        compare(run, run->ending[e].operation, first ? v : x, first ? x : v);
    }
}

/* ---- The search ---- */

/* Variables, with a constant of any size. */
static void finish_leaves(struct run *run, bool wide) {
    run->wide = wide;
    for (unsigned v = 0; v < run->search->variables; v++)
        finish(run, &run->variable[v]);
    run->wide = false;
}

/* Solves for the last operand of an expression, unless that is constant. */
static void finish_varying(struct run *run, const struct search_tree *x) {
    if (!is_constant(x))
        finish(run, x);
}

static void search_two(struct run *run) {
    finish_leaves(run, true);
    for (uint8_t v = 0; v < run->search->variables; v++)
        extend(run, &run->variable[v], finish_varying);
}

static void search_three(struct run *run) {
    const struct set *one = &run->one, *constants = &run->constants;
    make_one(run);
    if (run->failed)
        return;
    finish_leaves(run, true);
    run->wide = true;
    for (size_t n = 0; n < one->count; n++)
        finish(run, &one->tree[n]);
    run->wide = false;
    for (size_t n = 0; n < one->count; n++)
        extend(run, &one->tree[n], finish_varying);
    for (size_t n = 0; n < constants->count; n++)
        extend(run, &constants->tree[n], finish_varying);
    for (size_t a = 0; a < one->count; a++) /* constants have been solved for */
        for (size_t b = a; b < one->count; b++)
            compare_pair(run, &one->tree[a], &one->tree[b]);
}

bool mapping_search_run(const struct search *search, unsigned operators) {
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return false;
    run->search = search;
    run->target = search->target;
    run->is_boolean = search->target[0] == 1;
    run->has_zero = has_zero(search->target);
    make_leaves(run);
    find_endings(run);
    if (operators == 1)
        finish_leaves(run, false);
    else if (operators == 2)
        search_two(run);
    else
        search_three(run);
    const bool done = !run->failed;
    set_free(&run->one);
    set_free(&run->constants);
    free(run);
    return done;
}
