/* search_filters.c - which expressions can lead to the target by one more operator: what is left
 * out before the last one is solved for. */
#include "layout/search_state.h"

#include <stdlib.h>

/* ---- Which variables can come last ---- */

bool mapping_search_can_end(enum search_operator operation, bool variable_first, int32_t v,
                            int32_t t) {
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

static void add_ending(struct run *run, enum search_operator operation, uint8_t variable,
                       bool variable_first) {
    const struct search_tree *v = &run->variable[variable];
    bool possible = run->is_boolean || !search_is_comparison(operation);
    for (int k = 0; k < SEARCH_LANES && possible; k++)
        possible = mapping_search_can_end(operation, variable_first, v->lane[k], run->target[k]);
    if (possible)
        run->ending[run->endings++] = (struct ending){operation, variable_first, variable};
}

void mapping_search_find_endings(struct run *run) {
    for (uint8_t v = 0; v < run->search->variables; v++)
        for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
             operation++)
            for (int first = search_is_symmetric(operation);
                 first < 2 && !search_is_mirrored(operation); first++)
                add_ending(run, operation, v, first);
}

/* ---- What can come last, by pairs of lanes ---- */

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
        for (int first = search_is_symmetric(operation); first < 2; first++)
            if (run->is_boolean || !search_is_comparison(operation))
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

bool mapping_search_make_filters(struct run *run) {
    run->near = calloc(PAIRS, sizeof *run->near);
    for (unsigned pair = 0; pair < PAIRS && run->near; pair++)
        mark_pair(run, pair);
    return run->near != NULL && make_far(run);
}

void mapping_search_finish_filtered(struct run *run, const struct search_tree *x) {
    if (is_near(run, x) && is_far(run, x) && !search_is_constant(x))
        mapping_search_finish(run, x);
}
