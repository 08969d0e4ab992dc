/* shorten.c - finds the shortest C expression for a coordinate.
 *
 * From above: a formula is turned into an expression term by term, with common factors factored out
 * of sums. If one short expression can replace several terms, it is used. From below: all
 * expressions of 1, 2, ... operators are searched, see search.c. The best expression is proved to
 * be the shortest if none with fewer operators exists.
 *
 * An axis that does not affect the values gets size 1, because any expression can use 0 instead of
 * it. The search compares only some entries. An expression that it finds is evaluated at all
 * entries. If it is wrong at one of them, this entry is added to the compared ones, and the search
 * starts again. So a result is right at every entry. */
#include "layout/shorten.h"
#include "layout/expr.h"
#include "layout/formula.h"
#include "layout/search.h"
#include "layout/sentence.h"
#include "system/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Expressions ---- */

static const struct tree *make(unsigned operation, int32_t value, const struct tree *left,
                               const struct tree *right) {
    struct tree *tree = memory_get(1, sizeof *tree);
    *tree = (struct tree){operation, value, left, right};
    return tree;
}

static const struct tree *make_constant(int64_t c);

static const struct tree *with_constant(unsigned operation, const struct tree *left, int64_t c) {
    return make(operation, 0, left, make_constant(c));
}

/* Makes any constant that is not negative, out of constants up to SEARCH_CONSTANT_MAX, with one
 * operator if possible. */
static const struct tree *make_constant(int64_t c) {
    const int64_t most = SEARCH_CONSTANT_MAX;
    if (c <= most)
        return make(TREE_CONSTANT, (int32_t)c, NULL, NULL);
    int zeros = __builtin_ctzll((uint64_t)c);
    int64_t factor = most;
    while (factor > 1 && (c % factor != 0 || c / factor > most))
        factor--;
    if (c >> zeros <= most || zeros >= 8)
        return with_constant(C_SHIFT_LEFT, make_constant(c >> zeros), zeros);
    if (factor > 1)
        return with_constant(C_MULTIPLY, make_constant(c / factor), factor);
    if (c <= 2 * most)
        return with_constant(C_ADD, make_constant(most), c - most);
    return with_constant(C_ADD, with_constant(C_SHIFT_LEFT, make_constant(c >> 8), 8), c & 255);
}

static const struct tree *copy(const struct tree *tree) {
    return tree ? make(tree->operation, tree->value, copy(tree->left), copy(tree->right)) : NULL;
}

/* ---- As text ---- */

/* The cost of an expression: OPERATOR_COST for each operator, plus a smaller cost for parts that
 * are hard to read. */
enum { TEXT_SIZE = 1024, OPERATOR_COST = 1 << 16, PARENTHESES_COST = 3 };

/* Sets of binding strengths: bit s represents the operators of strength s. */
enum {
    SUMS = 1 << 10,
    COMPARISONS = 1 << 8 | 1 << 7,
    BITWISE = 1 << 6 | 1 << 5 | 1 << 4,
    BOTH = 1 << 3
};

/* How an operator is written, how strongly it binds, how hard it is to read, and which operators in
 * an operand get parentheses that C does not require, because compilers would warn. */
static const struct spelling {
    const char *text;
    uint8_t strength, effort;
    uint16_t misread;
} spelling[] = {
    [TREE_CONSTANT] = {"", 13, 0, 0},
    [TREE_VARIABLE] = {"", 13, 0, 0},
    [C_COMPLEMENT] = {"~", 12, 7, 0},
    [C_MULTIPLY] = {"*", 11, 1, 0},
    [C_DIVIDE] = {"/", 11, 1, 0},
    [C_REMAINDER] = {"%", 11, 1, 0},
    [C_ADD] = {"+", 10, 0, 0},
    [C_SUBTRACT] = {"-", 10, 2, 0},
    [C_SHIFT_LEFT] = {"<<", 9, 3, SUMS},
    [C_SHIFT_RIGHT] = {">>", 9, 3, SUMS},
    [C_LESS] = {"<", 8, 6, COMPARISONS},
    [C_GREATER] = {">", 8, 6, COMPARISONS},
    [C_LESS_EQUAL] = {"<=", 8, 6, COMPARISONS},
    [C_GREATER_EQUAL] = {">=", 8, 6, COMPARISONS},
    [C_EQUAL] = {"==", 7, 6, COMPARISONS},
    [C_NOT_EQUAL] = {"!=", 7, 6, COMPARISONS},
    [C_AND] = {"&", 6, 2, SUMS | COMPARISONS | BITWISE},
    [C_EXCLUSIVE] = {"^", 5, 5, SUMS | COMPARISONS | BITWISE},
    [C_OR] = {"|", 4, 4, SUMS | COMPARISONS | BITWISE},
    [C_BOTH] = {"&&", 3, 8, 0},
    [C_EITHER] = {"||", 2, 8, BOTH},
};

/* Operands are written in the order of the first axis that they contain; operands without an axis
 * come last. An axis comes before an expression made of it. */
static int32_t order_of(const struct tree *tree) {
    if (!tree->left)
        return 2 * (tree->operation == TREE_VARIABLE ? tree->value : MAPPING_AXES_MAX);
    const int32_t left = order_of(tree->left), right = tree->right ? order_of(tree->right) : left;
    return (left < right ? left : right) | 1;
}

/* The largest number of operands that fit into the text: each takes at least two letters. */
enum { OPERANDS = TEXT_SIZE / 2 };

/* Lists the operands of a + b + c, nested in any way, in order. */
static unsigned list_operands(const struct tree *tree, unsigned operation,
                              const struct tree *list[OPERANDS], unsigned count) {
    if (tree->operation == operation) {
        count = list_operands(tree->left, operation, list, count);
        return list_operands(tree->right, operation, list, count);
    }
    unsigned n = count < OPERANDS ? count++ : count - 1;
    for (; n > 0 && order_of(tree) < order_of(list[n - 1]); n--)
        list[n] = list[n - 1];
    list[n] = tree;
    return count;
}

/* A text that is being written, and the cost of the expression. */
struct writer {
    const struct mapping_space *from;
    char text[TEXT_SIZE];
    uint32_t cost;
};

/* Writes an expression, in parentheses if its operator binds less strongly than `least`, or if its
 * strength is in the set `misread`. */
static void put_tree(struct writer *w, const struct tree *tree, int least, unsigned misread) {
    const struct spelling *spelled = &spelling[tree->operation];
    const bool parentheses = spelled->strength < least || (misread >> spelled->strength & 1) != 0;
    w->cost += parentheses ? PARENTHESES_COST : 0;
    mapping_append(w->text, TEXT_SIZE, "%s", parentheses ? "(" : "");
    if (tree->operation == TREE_VARIABLE) {
        mapping_append(w->text, TEXT_SIZE, "%s", w->from->axis[tree->value].name);
    } else if (tree->operation == TREE_CONSTANT) {
        const int32_t c = tree->value; /* fits into three digits */
        mapping_append(w->text, TEXT_SIZE, "%d", (int)c);
        w->cost += 1U + (c > 9) + (c > 99) + ((c & (c - 1)) != 0);
    } else {
        const bool is_sorted = tree->operation == C_ADD || tree->operation == C_MULTIPLY ||
                               (1 << spelled->strength & BITWISE) != 0;
        const unsigned first = tree->right ? 0 : 1; /* a unary operator precedes its operand */
        const struct tree *list[OPERANDS];          /* the first `count` are used */
        unsigned count = 2;
        list[0] = tree->left;
        list[1] = tree->right ? tree->right : tree->left;
        if (is_sorted)
            count = list_operands(tree, tree->operation, list, 0);
        for (unsigned n = first; n < count; n++) {
            if (n > 0) {
                w->cost += OPERATOR_COST + spelled->effort;
                mapping_append(w->text, TEXT_SIZE, first ? "%s" : " %s ", spelled->text);
            }
            put_tree(w, list[n], spelled->strength + (n > 0), spelled->misread);
        }
    }
    mapping_append(w->text, TEXT_SIZE, "%s", parentheses ? ")" : "");
}

/* Writes an expression, or nothing if it is too long. */
static void write_tree(struct writer *w, const struct mapping_space *from,
                       const struct tree *tree) {
    *w = (struct writer){.from = from};
    put_tree(w, tree, 0, 0);
    if (strlen(w->text) + 1 == TEXT_SIZE) /* the text was cut off */
        *w->text = '\0';
}

/* ---- A table that is to be expressed ---- */

struct task {
    struct mapping_space from; /* axes on which the values do not depend have size 1 */
    uint32_t *values;
    size_t entries;
    struct search search;
    unsigned level; /* the number of operators that the search allows */
    /* The best expression so far. */
    const struct tree *best; /* or NULL */
    struct writer written;
    unsigned new_lanes; /* the number of entries added because an expression was wrong there */
    bool unresolved;    /* a candidate could be proved neither right nor wrong */
};

enum offer { OFFER_TAKEN, OFFER_NOT_BETTER, OFFER_WRONG, OFFER_UNCLEAR };

/* Makes a task for a formula. False if a value does not fit into int. The caller frees the values.
 */
static bool init_task(struct task *task, const struct mapping_space *from,
                      const struct mapping_formula *formula) {
    uint32_t point[MAPPING_AXES_MAX], bits = 0;
    *task = (struct task){.from = *from};
    for (uint32_t a = 0; a < task->from.count; a++)
        if (formula->first[a] == formula->first[a + 1])
            task->from.axis[a].size = 1;
    task->entries = mapping_space_size(&task->from);
    task->values = memory_get(task->entries, sizeof *task->values);
    for (size_t n = 0; n < task->entries; n++) {
        mapping_space_point(&task->from, n, point);
        task->values[n] = mapping_formula_evaluate(formula, task->from.count, point);
        bits |= task->values[n];
    }
    return bits <= INT32_MAX;
}

/* True if the best expression has at most `operators` operators. */
static bool has_best(const struct task *task, unsigned operators) {
    return task->best && task->written.cost / OPERATOR_COST <= operators;
}

/* Writes an expression, and keeps a copy of it if it is right everywhere and better than the best
 * one; otherwise *wrong is the first entry where it is wrong. An expression with a wide constant is
 * always compared. */
static enum offer offer(struct task *task, const struct tree *tree, struct writer *w,
                        size_t *wrong) {
    write_tree(w, &task->from, tree);
    const bool is_better =
        !task->best || w->cost < task->written.cost ||
        (w->cost == task->written.cost && strcmp(w->text, task->written.text) < 0);
    if (!is_better && w->cost / OPERATOR_COST <= task->level)
        return OFFER_NOT_BETTER;
    for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
        const enum mapping_status status =
            mapping_expression_gives(w->text, &task->from, is_unsigned, task->values, wrong);
        if (status != MAPPING_OK)
            return status == MAPPING_DIFFERS && !is_unsigned ? OFFER_WRONG : OFFER_UNCLEAR;
    }
    if (!is_better)
        return OFFER_NOT_BETTER;
    task->best = copy(tree);
    task->written = *w;
    return OFFER_TAKEN;
}

/* ---- From below ---- */

static bool add_lane(struct search *search, size_t entry) {
    for (unsigned k = 0; k < search->lanes; k++)
        if (search->lane[k] == entry)
            return false;
    search->lane[search->lanes++] = entry;
    return true;
}

/* Replaces a wide constant, one above SEARCH_CONSTANT_MAX, by an expression of small ones. */
static const struct tree *split_constant(const struct tree *tree) {
    const bool is_wide =
        tree && tree->operation == TREE_CONSTANT && tree->value > SEARCH_CONSTANT_MAX;
    return is_wide ? make_constant(tree->value) : tree;
}

/* Receives an expression from the search. Only operands of the last operator can be wide constants.
 */
static void take(void *context, const struct tree *found) {
    struct task *task = context;
    struct tree tree = *found;
    struct writer w;
    size_t wrong = 0;
    tree.left = split_constant(tree.left);
    tree.right = split_constant(tree.right);
    enum offer result = offer(task, &tree, &w, &wrong);
    if (result == OFFER_WRONG && task->new_lanes < 3 && task->search.lanes < SEARCH_LANES)
        task->new_lanes += add_lane(&task->search, wrong);
    else if (result >= OFFER_WRONG || w.cost / OPERATOR_COST > task->level)
        task->unresolved = true; /* another expression may be right and shorter */
}

/* Chooses the entries that are compared first: one with the greatest value, one with another value,
 * the last and the first, and others at multiples of the golden ratio. Some lanes stay free for
 * entries at which an expression turns out to be wrong. */
static void init_search(struct task *task) {
    struct search *search = &task->search;
    const uint32_t *values = task->values;
    size_t greatest = 0, other = 0;
    for (size_t n = 1; n < task->entries; n++)
        greatest = values[n] > values[greatest] ? n : greatest;
    while (values[other] == values[greatest])
        other++;
    *search =
        (struct search){.from = &task->from, .values = values, .found = take, .context = task};
    add_lane(search, greatest);
    add_lane(search, other);
    add_lane(search, task->entries - 1);
    for (uint32_t n = 0; n < 100 && search->lanes < SEARCH_LANES * 3 / 4; n++)
        add_lane(search, (size_t)((uint64_t)(n * UINT32_C(2654435769)) * task->entries >> 32));
}

/* Searches with up to `most` operators. Returns true if there are no expressions with fewer than
 * the best has. */
static bool search_levels(struct task *task, unsigned most) {
    if (task->entries == 1)
        return has_best(task, 2); /* a constant, with one operator if possible */
    init_search(task);
    bool certain = true; /* of all levels so far */
    for (task->level = 1; task->level <= most && !has_best(task, task->level - 1); task->level++) {
        do {
            task->unresolved = false;
            task->new_lanes = 0;
            search_run(&task->search, task->level);
            if (has_best(task, task->level))
                return certain;
        } while (task->new_lanes > 0);
        certain = certain && !task->unresolved;
    }
    return certain && has_best(task, task->level);
}

/* ---- From above ---- */

enum {
    PARTS = 7,  /* up to 6 terms and the constant; there is a sum for each subset */
    SHIFTS = 32 /* sums are computed divided by 2^shift */
};

/* The best expression for the sum of some parts, divided by 2^shift. */
struct sum {
    const struct tree *tree;
    uint32_t cost;
};

struct sums {
    const struct mapping_space *from;
    unsigned operation;
    struct mapping_term part[PARTS]; /* the constant has mask 0 */
    unsigned parts;
    uint32_t constant;
    struct sum plan[1 << PARTS][SHIFTS];
};

/* Multiplies by 2^shift, or divides by 2^-shift. */
static const struct tree *shift_by(const struct tree *tree, int shift) {
    const int distance = abs(shift);
    if (shift == 0)
        return tree;
    if (distance < 8)
        return with_constant(shift > 0 ? C_MULTIPLY : C_DIVIDE, tree, 1 << distance);
    return with_constant(shift > 0 ? C_SHIFT_LEFT : C_SHIFT_RIGHT, tree, distance);
}

/* The lowest bit that can be set in a part. */
static int lowest_of(const struct sums *p, const struct mapping_term *part) {
    return part->mask ? __builtin_ctz(part->mask) + part->shift
                      : __builtin_ctz(p->constant | UINT32_C(1) << 31);
}

/* Makes one part, divided by 2^divisor: a term or the constant. */
static const struct tree *make_part(const struct sums *p, const struct mapping_term *part,
                                    int divisor) {
    if (part->mask == 0)
        return make_constant(p->constant >> divisor);
    const struct tree *axis = make(TREE_VARIABLE, part->axis, NULL, NULL);
    uint32_t mask = part->mask, size = p->from->axis[part->axis].size;
    uint32_t bits = UINT32_MAX >> __builtin_clz((size - 1) | 1);
    int low = __builtin_ctz(mask), shift = part->shift - divisor;
    uint32_t run = mask >> low, below = (UINT32_C(1) << low) - 1;
    bool is_run = (run & (run + 1)) == 0, is_top = mask == (bits & ~below);
    if (is_top && (shift != 0 || low == 0))
        return shift_by(shift_by(axis, -low), low + shift);
    if (is_run && low == 0)
        return shift_by(with_constant(C_REMAINDER, axis, (int64_t)run + 1), shift);
    if (is_run && low + shift == 0)
        return with_constant(C_REMAINDER, shift_by(axis, -low), (int64_t)run + 1);
    return shift_by(with_constant(C_AND, axis, mask), shift);
}

/* Makes (x & a) + 2 * (x & b), divided by 2^shift, as (x & (a | b)) + (x & b). NULL if the two
 * parts are not such terms of one axis, or if bits would be lost. */
static const struct tree *make_doubled(const struct sums *p, unsigned set, int shift) {
    const struct mapping_term *a = &p->part[__builtin_ctz(set)];
    const struct mapping_term *b = &p->part[__builtin_ctz(set & (set - 1))];
    if (p->operation != C_ADD || b->mask == 0 || a->axis != b->axis || (a->mask & b->mask) != 0 ||
        abs(a->shift - b->shift) != 1)
        return NULL;
    const struct mapping_term *less = a->shift < b->shift ? a : b, *more = less == a ? b : a;
    const struct mapping_term both = {a->mask | b->mask, less->shift, a->axis};
    const struct mapping_term again = {more->mask, less->shift, a->axis};
    if (lowest_of(p, &both) < shift)
        return NULL;
    return make(C_ADD, 0, make_part(p, &both, shift), make_part(p, &again, shift));
}

/* Replaces the plan by an expression if that is better. */
static void improve(const struct sums *p, struct sum *plan, const struct tree *tree) {
    struct writer w;
    write_tree(&w, p->from, tree);
    if (w.cost < plan->cost)
        *plan = (struct sum){tree, w.cost};
}

/* Computes the plan for the sum of a set of parts, divided by 2^shift. The plans for its subsets,
 * and for higher shifts up to `low`, must exist. */
static void make_plan(struct sums *p, unsigned set, int shift, int low) {
    struct sum *plan = &p->plan[set][shift];
    plan->cost = UINT32_MAX;
    if ((set & (set - 1)) == 0) {
        improve(p, plan, make_part(p, &p->part[__builtin_ctz(set)], shift));
        return;
    }
    for (unsigned sub = (set - 1) & set; sub > (set & ~sub); sub = (sub - 1) & set) {
        const struct sum *a = &p->plan[sub][shift], *b = &p->plan[set & ~sub][shift];
        uint32_t cost = a->cost + b->cost + OPERATOR_COST + spelling[p->operation].effort;
        if (cost < plan->cost)
            *plan = (struct sum){make(p->operation, 0, a->tree, b->tree), cost};
    }
    for (int more = shift + 1; more <= low; more++) {
        uint32_t cost = p->plan[set][more].cost + OPERATOR_COST + 2 * PARENTHESES_COST;
        if (cost < plan->cost)
            *plan = (struct sum){shift_by(p->plan[set][more].tree, more - shift), cost};
    }
    const struct tree *doubled = __builtin_popcount(set) == 2 ? make_doubled(p, set, shift) : NULL;
    if (doubled)
        improve(p, plan, doubled);
}

/* Searches for an expression of a set of parts, divided by 2^shift, with up to `most` operators. */
static void find_sum(struct sums *p, unsigned set, int shift, unsigned most) {
    struct mapping_formula sum = {.operation = p->operation == C_ADD ? '+' : '^'};
    unsigned count = 0;
    struct task task;
    for (unsigned n = 0; n < p->parts; n++) {
        if (set >> n & 1 && p->part[n].mask == 0)
            sum.constant = p->constant >> shift;
        if (!(set >> n & 1) || p->part[n].mask == 0)
            continue;
        sum.terms[count] = p->part[n];
        sum.terms[count++].shift = (int8_t)(p->part[n].shift - shift);
        for (uint32_t a = p->part[n].axis; a < p->from->count; a++)
            sum.first[a + 1]++;
    }
    if (init_task(&task, p->from, &sum))
        search_levels(&task, most);
    if (task.best)
        improve(p, &p->plan[set][shift], task.best);
    mapping_free(task.values);
}

/* The number of operators to search for a set of parts; 0 for no search. Quick: 2 if the set has
 * all parts of one axis and no others. Thorough: 3 if all parts are of one axis, else 2. */
static unsigned depth_for(const struct sums *p, unsigned set, enum shorten_effort effort) {
    unsigned axes = 0, rest = 0;
    for (unsigned n = 0; n < p->parts; n++) {
        const unsigned axis = p->part[n].mask ? 1U << p->part[n].axis : 0;
        if (set >> n & 1)
            axes |= axis;
        else
            rest |= axis ? axis : UINT32_MAX; /* a constant may belong to any axis */
    }
    bool is_single = (axes & (axes - 1)) == 0;
    if ((set & (set - 1)) == 0 || set == (1U << p->parts) - 1)
        return 0;
    if (effort == SHORTEN_QUICK)
        return is_single && (rest & axes) == 0 ? 2 : 0;
    return is_single ? 3 : 2;
}

/* Makes an expression for up to PARTS - 1 terms from `first` on, with the constant. */
static const struct tree *plan_sum(const struct mapping_space *from,
                                   const struct mapping_formula *formula, unsigned first,
                                   uint32_t constant, enum shorten_effort effort) {
    struct sums *p = memory_get(1, sizeof *p);
    p->from = from;
    p->operation = formula->operation == '+' ? C_ADD : C_EXCLUSIVE;
    for (unsigned n = first; n < formula->first[from->count] && p->parts < PARTS - 1; n++)
        p->part[p->parts++] = formula->terms[n];
    p->constant = constant;
    p->parts += constant != 0 || p->parts == 0;
    /* From small to large sets and from high to low shifts. */
    for (unsigned set = 1; set < 1U << p->parts; set++) {
        int low = SHIFTS - 1;
        for (unsigned n = 0; n < p->parts; n++)
            if (set >> n & 1 && lowest_of(p, &p->part[n]) < low)
                low = lowest_of(p, &p->part[n]);
        for (int shift = low; shift >= 0; shift--) {
            make_plan(p, set, shift, low);
            if (shift == low && depth_for(p, set, effort) > 0)
                find_sum(p, set, shift, depth_for(p, set, effort));
        }
    }
    const struct tree *tree = p->plan[(1U << p->parts) - 1][0].tree;
    mapping_free(p);
    return tree;
}

/* ---- Both ---- */

bool shorten_values(const struct mapping_space *from, const uint32_t *values,
                    enum shorten_effort effort, char *text, size_t size, unsigned *operators,
                    bool *is_proved) {
    struct mapping_formula formula;
    struct task task;
    struct writer w;
    size_t wrong, length;
    *is_proved = false;
    if (!mapping_deduce(from, values, &formula))
        return false;
    if (init_task(&task, from, &formula)) {
        const unsigned terms = formula.first[from->count];
        const struct tree *sum = plan_sum(from, &formula, 0, formula.constant, effort);
        for (unsigned n = PARTS - 1; n < terms; n += PARTS - 1)
            sum = make(formula.operation == '+' ? C_ADD : C_EXCLUSIVE, 0, sum,
                       plan_sum(from, &formula, n, 0, effort));
        offer(&task, sum, &w, &wrong);
        *is_proved = search_levels(&task, effort);
    }
    if (task.best) {
        length = (size_t)snprintf(text, size, "%s", task.written.text);
        *operators = task.written.cost / OPERATOR_COST;
    } else {
        length = mapping_formula_print(&formula, from, text, size);
        *operators = formula_operators(text);
    }
    mapping_free(task.values);
    return length < size;
}
