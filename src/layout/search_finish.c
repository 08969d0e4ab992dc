/* search_finish.c - the last operator of an expression, solved for its constant. */
#include "layout/search_state.h"

#include <stdlib.h>

/* ---- What is found ---- */

void mapping_search_report(struct run *run, enum search_operator operation,
                           const struct search_tree *left, const struct search_tree *right) {
    struct search_tree tree = {.operation = operation, .left = left, .right = right};
    run->stopped = run->stopped || run->search->found(run->search->context, &tree);
}

/* Reports x op c or c op x if the constant, at least INT32_MIN, is one of those that are asked for.
 */
static void report_constant(struct run *run, enum search_operator operation,
                            const struct search_tree *x, int64_t value, bool constant_first) {
    if (search_is_wide(value) != run->wide || value > INT32_MAX)
        return;
    struct search_tree wide = {.operation = SEARCH_CONSTANT, .value = (int32_t)value};
    const struct search_tree *constant = run->wide ? &wide : &run->constant[value];
    mapping_search_report(run, operation, constant_first ? constant : x,
                          constant_first ? x : constant);
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
        mapping_search_report(run, SEARCH_COMPLEMENT, x, NULL);
    else if (!differs[1] && sum == 0 && !run->wide)
        mapping_search_report(run, SEARCH_NEGATE, x, NULL);
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
    bool can_shift = sign > 0 && !run->wide && !search_has_negative(x->lane);
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
            mapping_search_report(run, ending->operation, left, right);
    }
}

void mapping_search_finish(struct run *run, const struct search_tree *x) {
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
