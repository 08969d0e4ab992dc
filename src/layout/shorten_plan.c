/* shorten_plan.c - expressions from above: the terms of a formula, with what can be factored out of
 * a sum, or can be found for some of them together. */
#include "layout/shorten_state.h"

#include <stdlib.h>

/* ---- From above ---- */

#define PARTS 7      /* terms of which all sums are looked at */
#define SHIFTS 32    /* a sum is wanted divided by 2^shift */
#define FINDINGS 100 /* sums that a search found */
#define OPERATOR_COST 1024

enum plan_kind { PLAN_NONE, PLAN_PART, PLAN_SUM, PLAN_PRODUCT, PLAN_DOUBLED, PLAN_FOUND };

/* How to make a sum of some parts, divided by 2^shift. */
struct plan {
    uint32_t cost; /* OPERATOR_COST for each operator, and how hard it is to read */
    enum plan_kind kind;
    uint8_t choice; /* of a sum the parts of one operand, of a product the other shift */
};

struct planner {
    const struct mapping_space *from;
    const struct mapping_formula *formula;
    struct mapping_term part[PARTS]; /* the constant has mask 0 */
    unsigned parts;
    uint32_t constant;
    enum search_operator operation;
    struct plan plan[1 << PARTS][SHIFTS];
    struct expression finding[FINDINGS];
    unsigned findings;
    bool failed; /* out of memory */
};

/* Multiplies what is there by 2^shift, or divides it by 2^-shift. */
static void push_shift(struct expression *e, int shift) {
    if (shift == 0)
        return;
    int distance = abs(shift);
    shorten_push(e, SEARCH_CONSTANT, distance < 8 ? 1 << distance : distance);
    if (distance < 8)
        shorten_push(e, shift > 0 ? SEARCH_MULTIPLY : SEARCH_DIVIDE, 0);
    else
        shorten_push(e, shift > 0 ? SEARCH_SHIFT_LEFT : SEARCH_SHIFT_RIGHT, 0);
}

static void push_with(struct expression *e, enum search_operator operation, uint32_t constant) {
    mapping_shorten_push_constant(e, constant);
    shorten_push(e, operation, 0);
}

/* One term, divided by 2^shift, by at most two operators. */
static void push_term(struct expression *e, const struct mapping_space *from,
                      const struct mapping_term *term, int divisor) {
    uint32_t mask = term->mask, size = from->axis[term->axis].size;
    uint32_t bits = UINT32_MAX >> __builtin_clz((size - 1) | 1);
    int low = __builtin_ctz(mask), shift = term->shift - divisor;
    uint32_t run = mask >> low, below = (UINT32_C(1) << low) - 1;
    bool is_run = (run & (run + 1)) == 0, is_top = mask == (bits & ~below);
    shorten_push(e, SEARCH_VARIABLE, term->axis);
    if (is_top && (shift != 0 || low == 0)) {
        push_shift(e, -low);
        push_shift(e, low + shift);
    } else if (is_run && low == 0) {
        push_with(e, SEARCH_REMAINDER, run + 1);
        push_shift(e, shift);
    } else if (is_run && low + shift == 0) {
        push_shift(e, -low);
        push_with(e, SEARCH_REMAINDER, run + 1);
    } else {
        push_with(e, SEARCH_AND, mask);
        push_shift(e, shift);
    }
}

static void push_part(struct expression *e, const struct planner *p, unsigned part, int shift) {
    if (p->part[part].mask == 0)
        mapping_shorten_push_constant(e, p->constant >> shift);
    else
        push_term(e, p->from, &p->part[part], shift);
}

/* Two terms of one axis of which the second is shifted by one more: the first with both masks, and
 * once more with that of the second. False if these are no such terms, or bits are lost. */
static bool push_doubled(struct expression *e, const struct planner *p, unsigned set, int shift) {
    if (__builtin_popcount(set) != 2 || p->operation != SEARCH_ADD)
        return false;
    const struct mapping_term *a = &p->part[__builtin_ctz(set)];
    const struct mapping_term *b = &p->part[__builtin_ctz(set & (set - 1))];
    if (b->mask == 0 || a->axis != b->axis ||
        abs(a->shift - b->shift) != 1) /* a constant is last */
        return false;
    const struct mapping_term *less = a->shift < b->shift ? a : b;
    struct mapping_term both = {a->mask | b->mask, less->shift, a->axis};
    struct mapping_term again = {less == a ? b->mask : a->mask, less->shift, a->axis};
    if ((a->mask & b->mask) != 0 || __builtin_ctz(both.mask) + both.shift < shift)
        return false;
    if (__builtin_ctz(again.mask) + again.shift < shift)
        return false;
    push_term(e, p->from, &both, shift);
    push_term(e, p->from, &again, shift);
    shorten_push(e, SEARCH_ADD, 0);
    return true;
}

/* The lowest bit that a sum can have. */
static int lowest(const struct planner *p, unsigned set) {
    int low = SHIFTS - 1;
    for (unsigned n = 0; n < p->parts; n++) {
        const struct mapping_term *term = &p->part[n];
        int bit = term->mask ? __builtin_ctz(term->mask) + term->shift : __builtin_ctz(p->constant);
        low = set >> n & 1 && bit < low ? bit : low;
    }
    return low;
}

/* Of what is made of one or two parts, or was found, which is never too long. */
static uint32_t cost_of(const struct planner *p, const struct expression *e) {
    struct expression copy = *e;
    char text[SHORTEN_TEXT];
    return mapping_shorten_count(e) * OPERATOR_COST + mapping_shorten_express(p->from, &copy, text);
}

static void improve(struct plan *plan, uint32_t cost, enum plan_kind kind, unsigned choice) {
    if (plan->kind == PLAN_NONE || cost < plan->cost) {
        plan->cost = cost;
        plan->kind = kind;
        plan->choice = (uint8_t)choice;
    }
}

/* Fills in the plan for a set of parts, divided by 2^shift, of which those for its subsets and for
 * higher shifts are there. */
static void make_plan(struct planner *p, unsigned set, int shift, int low) {
    struct plan *plan = &p->plan[set][shift];
    if ((set & (set - 1)) == 0) {
        struct expression e = {0, {{0, 0}}};
        push_part(&e, p, (unsigned)__builtin_ctz(set), shift);
        improve(plan, cost_of(p, &e), PLAN_PART, 0);
    }
    for (unsigned sub = (set - 1) & set; sub > (set & ~sub); sub = (sub - 1) & set)
        improve(plan,
                p->plan[sub][shift].cost + p->plan[set & ~sub][shift].cost + OPERATOR_COST +
                    mapping_shorten_difficulty(p->operation),
                PLAN_SUM, sub);
    for (int more = shift + 1; more <= low && (set & (set - 1)) != 0; more++)
        improve(plan, p->plan[set][more].cost + OPERATOR_COST + 6, PLAN_PRODUCT, (unsigned)more);
    struct expression doubled = {0, {{0, 0}}};
    if (push_doubled(&doubled, p, set, shift))
        improve(plan, cost_of(p, &doubled), PLAN_DOUBLED, 0);
}

static void push_plan(struct expression *e, const struct planner *p, unsigned set, int shift) {
    const struct plan *plan = &p->plan[set][shift];
    switch (plan->kind) {
    case PLAN_PART:
        push_part(e, p, (unsigned)__builtin_ctz(set), shift);
        break;
    case PLAN_SUM:
        push_plan(e, p, plan->choice, shift);
        push_plan(e, p, set & ~(unsigned)plan->choice, shift);
        shorten_push(e, p->operation, 0);
        break;
    case PLAN_PRODUCT:
        push_plan(e, p, set, plan->choice);
        push_shift(e, plan->choice - shift);
        break;
    case PLAN_DOUBLED:
        push_doubled(e, p, set, shift);
        break;
    case PLAN_FOUND:
        for (unsigned n = 0; n < p->finding[plan->choice].count; n++) {
            const struct token *token = &p->finding[plan->choice].token[n];
            shorten_push(e, token->operation, token->value);
        }
        break;
    default:
        break;
    }
}

/* ---- Tables of sums ---- */

/* The formula of a set of parts, divided by 2^shift. */
static void sum_formula(const struct planner *p, unsigned set, int shift,
                        struct mapping_formula *sum) {
    *sum = (struct mapping_formula){.operation = p->formula->operation};
    for (uint32_t a = 0; a < p->from->count; a++) {
        sum->first[a + 1] = sum->first[a];
        for (unsigned n = 0; n < p->parts; n++) {
            if (!(set >> n & 1) || (p->part[n].mask == 0 ? a > 0 : p->part[n].axis != a))
                continue;
            if (p->part[n].mask == 0) {
                sum->constant = p->constant >> shift;
                continue;
            }
            sum->terms[sum->first[a + 1]] = p->part[n];
            sum->terms[sum->first[a + 1]++].shift = (int8_t)(p->part[n].shift - shift);
        }
    }
}

/* Searches an expression for a set of parts with up to `most` operators. */
static void find_sum(struct planner *p, unsigned set, int shift, unsigned most) {
    struct mapping_formula sum;
    struct task *task = malloc(sizeof *task);
    sum_formula(p, set, shift, &sum);
    if (!task || (p->findings < FINDINGS && !mapping_shorten_task_init(task, p->from, &sum))) {
        p->failed = true;
    } else if (p->findings < FINDINGS) {
        if (!mapping_shorten_has_negative(task))
            mapping_shorten_search_levels(task, most);
        p->failed |= task->failed;
        if (task->has_best) {
            struct plan *plan = &p->plan[set][shift];
            improve(plan, cost_of(p, &task->best), PLAN_FOUND, p->findings);
            if (plan->kind == PLAN_FOUND && plan->choice == p->findings)
                p->finding[p->findings++] = task->best;
        }
        free(task->values);
    }
    free(task);
}

/* How many operators are searched for some of the parts: of the quick search 2, for all there is of
 * one axis; of the thorough one 3 if they are of one axis, else 2. */
static unsigned depth_for(const struct planner *p, unsigned set, enum shorten_effort effort) {
    unsigned axes = 0, count = (unsigned)__builtin_popcount(set), whole = 0;
    for (unsigned n = 0; n < p->parts; n++)
        if (set >> n & 1)
            axes |= p->part[n].mask ? 1U << p->part[n].axis : 0;
    for (unsigned n = 0; n < p->parts; n++)
        whole += p->part[n].mask == 0 || axes >> p->part[n].axis & 1;
    bool single = (axes & (axes - 1)) == 0;
    if (count < 2 || set == (1U << p->parts) - 1 || (effort == SHORTEN_QUICK && !single))
        return 0;
    if (effort == SHORTEN_QUICK)
        return whole == count ? 2 : 0;
    return single ? 3 : 2;
}

/* Makes all plans, from small to large sets and from high to low shifts. */
static void make_plans(struct planner *p, enum shorten_effort effort) {
    for (unsigned set = 1; set < 1U << p->parts; set++) {
        int low = lowest(p, set);
        for (int shift = low; shift >= 0; shift--) {
            make_plan(p, set, shift, low);
            if (shift == low && depth_for(p, set, effort) > 0)
                find_sum(p, set, shift, depth_for(p, set, effort));
        }
    }
}

/* Appends the sum of up to PARTS terms. False if out of memory. */
static bool push_sum(struct expression *e, const struct mapping_space *from,
                     const struct mapping_formula *formula, unsigned first, uint32_t constant,
                     enum shorten_effort effort) {
    struct planner *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->from = from;
    p->formula = formula;
    p->constant = constant;
    p->operation = formula->operation == '+' ? SEARCH_ADD : SEARCH_EXCLUSIVE;
    for (unsigned n = first; n < formula->first[from->count] && p->parts < PARTS - 1; n++)
        p->part[p->parts++] = formula->terms[n];
    p->parts += constant != 0; /* of mask 0 */
    make_plans(p, effort);
    push_plan(e, p, (1U << p->parts) - 1, 0);
    bool failed = p->failed;
    free(p);
    return !failed;
}

void mapping_shorten_offer_terms(struct task *task, const struct mapping_formula *formula,
                                 enum shorten_effort effort) {
    struct expression e = {0, {{0, 0}}};
    size_t wrong;
    unsigned terms = formula->first[task->from.count];
    for (unsigned n = 0; n < terms; n += PARTS - 1) {
        task->failed |=
            !push_sum(&e, &task->from, formula, n, n == 0 ? formula->constant : 0, effort);
        if (task->failed)
            return;
        if (n > 0)
            shorten_push(&e, formula->operation == '+' ? SEARCH_ADD : SEARCH_EXCLUSIVE, 0);
    }
    if (terms > 0)
        mapping_shorten_offer(task, &e, &wrong);
}
