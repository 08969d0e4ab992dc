/* shorten.c - the shortest C expression for a coordinate.
 *
 * From above, a formula is turned into an expression term by term, with what can be factored out of
 * a sum, or can be found for some of the terms together. From below, all expressions of 0, 1, 2 ...
 * operators are searched: see search.c. Where the two meet, the expression is proved.
 *
 * Axes on which the values do not depend are left out of everything: in any expression with such an
 * axis, 0 can be put for it. The search compares some entries. What it finds is evaluated at all of
 * them; where that is wrong, the entry joins those that are compared, and the search begins again,
 * so that it ends without anything found or with what is right. */
#include "layout/shorten.h"
#include "layout/expr.h"
#include "layout/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Expressions ---- */

enum { TEXT_SIZE = 1024 };

/* Expressions that have been made, the newest first. */
struct arena {
    struct node {
        struct tree tree;
        struct node *next;
    } * newest;
    bool failed; /* out of memory: expressions are any */
};

static const struct tree *make(struct arena *arena, unsigned operation, int32_t value,
                               const struct tree *left, const struct tree *right) {
    static const struct tree none = {TREE_CONSTANT, 0, NULL, NULL};
    struct node *node = malloc(sizeof *node);
    arena->failed |= !node;
    if (!node)
        return &none;
    *node = (struct node){{operation, value, left, right}, arena->newest};
    arena->newest = node;
    return &node->tree;
}

/* Frees what is newer than a node. */
static void free_newer(struct arena *arena, const struct node *than) {
    while (arena->newest != than) {
        struct node *next = arena->newest->next;
        free(arena->newest);
        arena->newest = next;
    }
}

static bool is_leaf(const struct tree *tree) {
    return tree->operation >= TREE_CONSTANT;
}

static unsigned count_operators(const struct tree *tree) {
    if (!tree || is_leaf(tree))
        return 0;
    return 1 + count_operators(tree->left) + count_operators(tree->right);
}

static const struct tree *make_constant(struct arena *arena, int64_t c);

static const struct tree *with_constant(struct arena *arena, unsigned operation,
                                        const struct tree *left, int64_t c) {
    return make(arena, operation, 0, left, make_constant(arena, c));
}

/* Any constant that is not negative, made of those up to SEARCH_CONSTANT_MAX: by one operator
 * wherever that can be. */
static const struct tree *make_constant(struct arena *arena, int64_t c) {
    const int64_t most = SEARCH_CONSTANT_MAX;
    if (c <= most)
        return make(arena, TREE_CONSTANT, (int32_t)c, NULL, NULL);
    int zeros = __builtin_ctzll((uint64_t)c);
    int64_t factor = most;
    while (factor > 1 && (c % factor != 0 || c / factor > most))
        factor--;
    if (c >> zeros <= most)
        return with_constant(arena, C_SHIFT_LEFT, make_constant(arena, c >> zeros), zeros);
    if (factor > 1)
        return with_constant(arena, C_MULTIPLY, make_constant(arena, c / factor), factor);
    if (c <= 2 * most)
        return with_constant(arena, C_ADD, make_constant(arena, most), c - most);
    const struct tree *upper = with_constant(arena, C_SHIFT_LEFT, make_constant(arena, c >> 8), 8);
    return c & 255 ? with_constant(arena, C_ADD, upper, c & 255) : upper;
}

/* ---- As text ---- */

/* How an operator is written, how strongly it binds, and how hard it is to read. */
static const struct spelling {
    const char *text;
    uint8_t strength, effort;
} spelling[C_OPERATORS] = {
    [C_NEGATE] = {"-", 12, 6},     [C_COMPLEMENT] = {"~", 12, 7},
    [C_NOT] = {"!", 12, 8},        [C_MULTIPLY] = {"*", 11, 1},
    [C_DIVIDE] = {"/", 11, 1},     [C_REMAINDER] = {"%", 11, 1},
    [C_ADD] = {"+", 10, 0},        [C_SUBTRACT] = {"-", 10, 2},
    [C_SHIFT_LEFT] = {"<<", 9, 3}, [C_SHIFT_RIGHT] = {">>", 9, 3},
    [C_LESS] = {"<", 8, 6},        [C_GREATER] = {">", 8, 6},
    [C_LESS_EQUAL] = {"<=", 8, 6}, [C_GREATER_EQUAL] = {">=", 8, 6},
    [C_EQUAL] = {"==", 7, 6},      [C_NOT_EQUAL] = {"!=", 7, 6},
    [C_AND] = {"&", 6, 2},         [C_EXCLUSIVE] = {"^", 5, 5},
    [C_OR] = {"|", 4, 4},          [C_BOTH] = {"&&", 3, 8},
    [C_EITHER] = {"||", 2, 8},
};

static bool is_unary(unsigned operation) {
    return operation < C_MULTIPLY;
}

static bool is_bitwise(unsigned operation) {
    return operation >= C_AND && operation <= C_OR;
}

static bool is_comparison(unsigned operation) {
    return operation >= C_EQUAL && operation < C_OPERATORS;
}

/* Where a compiler would warn that parentheses are missing, though C does not need them. */
static bool is_misread(unsigned outer, unsigned inner) {
    bool adds = inner == C_ADD || inner == C_SUBTRACT;
    if (outer == C_SHIFT_LEFT || outer == C_SHIFT_RIGHT)
        return adds;
    if (is_bitwise(outer))
        return adds || is_comparison(inner) || inner == C_NOT ||
               (is_bitwise(inner) && inner != outer);
    if (is_comparison(outer))
        return is_comparison(inner) || inner == C_NOT;
    return outer == C_EITHER && inner == C_BOTH;
}

static bool needs_parentheses(unsigned outer, const struct tree *tree, bool is_right) {
    const unsigned inner = tree->operation;
    if (is_leaf(tree))
        return false;
    if (is_unary(outer) && is_unary(inner))
        return outer == inner;
    return spelling[inner].strength < spelling[outer].strength ||
           (is_right && spelling[inner].strength == spelling[outer].strength) ||
           is_misread(outer, inner);
}

/* The first axis that occurs, MAPPING_AXES_MAX if none does. */
static int32_t first_axis(const struct tree *tree) {
    if (!tree || is_leaf(tree))
        return tree && tree->operation == TREE_VARIABLE ? tree->value : MAPPING_AXES_MAX;
    int32_t left = first_axis(tree->left), right = first_axis(tree->right);
    return left < right ? left : right;
}

/* Operands are in the order of axes, constants last, the axis itself before what is made of it. */
static bool comes_before(const struct tree *a, const struct tree *b) {
    int32_t difference = first_axis(a) - first_axis(b);
    return difference != 0 ? difference < 0 : is_leaf(a) && !is_leaf(b);
}

/* An operand takes at least two letters. */
enum { OPERANDS = TEXT_SIZE / 2 };

/* Lists the operands of a + b + c, nested in any way, in order. */
static unsigned list_operands(const struct tree *tree, unsigned operation,
                              const struct tree *list[OPERANDS], unsigned count) {
    if (tree->operation == operation) {
        count = list_operands(tree->left, operation, list, count);
        return list_operands(tree->right, operation, list, count);
    }
    unsigned n = count < OPERANDS ? count++ : count - 1;
    for (; n > 0 && comes_before(tree, list[n - 1]); n--)
        list[n] = list[n - 1];
    list[n] = tree;
    return count;
}

/* A text that is being written, and how hard it is to read. */
struct writer {
    const struct mapping_space *from;
    char text[TEXT_SIZE];
    size_t length;
    unsigned effort;
};

static void put(struct writer *w, const char *piece) {
    size_t length = strlen(piece);
    if (w->length + length < TEXT_SIZE)
        memcpy(w->text + w->length, piece, length + 1);
    w->length += length;
}

static void put_tree(struct writer *w, const struct tree *tree);

static void put_operand(struct writer *w, unsigned outer, const struct tree *tree, bool is_right) {
    bool parentheses = needs_parentheses(outer, tree, is_right);
    put(w, parentheses ? "(" : "");
    put_tree(w, tree);
    put(w, parentheses ? ")" : "");
    w->effort += parentheses ? 3 : 0;
}

static void put_tree(struct writer *w, const struct tree *tree) {
    const unsigned operation = tree->operation;
    const struct tree *list[OPERANDS]; /* of which `count` are filled in */
    unsigned count = 2;
    char number[16];
    if (operation == TREE_VARIABLE) {
        put(w, w->from->axis[tree->value].name);
        return;
    }
    if (operation == TREE_CONSTANT) {
        snprintf(number, sizeof number, "%d", (int)tree->value);
        put(w, number);
        w->effort += (unsigned)strlen(number) + ((tree->value & (tree->value - 1)) != 0);
        return;
    }
    if (is_unary(operation)) {
        w->effort += spelling[operation].effort;
        put(w, spelling[operation].text);
        put_operand(w, operation, tree->left, true);
        return;
    }
    if (operation == C_ADD || operation == C_MULTIPLY || is_bitwise(operation))
        count = list_operands(tree, operation, list, 0);
    else {
        list[0] = tree->left;
        list[1] = tree->right;
    }
    put_operand(w, operation, list[0], false);
    for (unsigned n = 1; n < count; n++) {
        w->effort += spelling[operation].effort;
        put(w, " ");
        put(w, spelling[operation].text);
        put(w, " ");
        put_operand(w, operation, list[n], true);
    }
}

/* Writes an expression, or nothing if it is too long. */
static void write_tree(struct writer *w, const struct mapping_space *from,
                       const struct tree *tree) {
    w->from = from;
    w->length = w->effort = 0;
    put_tree(w, tree);
    if (w->length >= TEXT_SIZE)
        *w->text = '\0';
}

/* ---- A table that is to be expressed ---- */

struct task {
    struct mapping_space from; /* axes on which the values do not depend have size 1 */
    uint32_t *values;
    size_t entries;
    bool has_negative;
    struct arena *arena;
    struct search search;
    unsigned level; /* how many operators are searched */
    /* The best that has been found. */
    const struct tree *best; /* or NULL */
    unsigned operators;
    struct writer written;
    unsigned new_lanes; /* that are compared, as what was found is wrong there */
    bool failed;        /* out of memory */
    bool unresolved;    /* a candidate was found that could not be judged right or wrong */
};

enum offer { OFFER_TAKEN, OFFER_NOT_BETTER, OFFER_WRONG, OFFER_UNCLEAR };

/* Makes a task of a formula. False, and task->failed is set, if out of memory. Free the values in
 * any case. */
static bool init_task(struct task *task, struct arena *arena, const struct mapping_space *from,
                      const struct mapping_formula *formula) {
    uint32_t point[MAPPING_AXES_MAX];
    *task = (struct task){.from = *from, .arena = arena};
    for (uint32_t a = 0; a < from->count; a++)
        if (formula->first[a] == formula->first[a + 1])
            task->from.axis[a].size = 1;
    task->entries = mapping_space_size(&task->from);
    task->values = malloc(task->entries * sizeof *task->values);
    for (size_t n = 0; n < task->entries && task->values; n++) {
        mapping_space_point(&task->from, n, point);
        task->values[n] = mapping_formula_evaluate(formula, from->count, point);
        task->has_negative |= task->values[n] > INT32_MAX;
    }
    task->failed = !task->values;
    return !task->failed;
}

/* Takes the expression if it is right everywhere and better than the best; *wrong is the first
 * entry where it is not right. */
static enum offer offer(struct task *task, const struct tree *tree, size_t *wrong) {
    struct writer w;
    const unsigned operators = count_operators(tree);
    write_tree(&w, &task->from, tree);
    if (*w.text == '\0')
        return OFFER_UNCLEAR;
    if (task->best &&
        (operators != task->operators       ? operators > task->operators
         : w.effort != task->written.effort ? w.effort > task->written.effort
                                            : strcmp(w.text, task->written.text) >= 0))
        return OFFER_NOT_BETTER;
    enum mapping_status status =
        mapping_expression_gives(w.text, &task->from, false, task->values, wrong);
    const bool is_wrong = status == MAPPING_DIFFERS;
    if (status == MAPPING_OK)
        status = mapping_expression_gives(w.text, &task->from, true, task->values, wrong);
    task->failed |= status == MAPPING_FAILED;
    if (status != MAPPING_OK)
        return is_wrong ? OFFER_WRONG : OFFER_UNCLEAR;
    task->best = tree;
    task->operators = operators;
    task->written = w;
    return OFFER_TAKEN;
}

/* ---- From below ---- */

static bool add_lane(struct search *search, size_t entry) {
    for (unsigned k = 0; k < search->lanes; k++)
        if (search->lane[k] == entry)
            return false;
    if (search->lanes < SEARCH_LANES)
        search->lane[search->lanes++] = entry;
    return true;
}

static const struct tree *copy(struct arena *arena, const struct tree *tree) {
    if (tree->operation == TREE_CONSTANT)
        return make_constant(arena, tree->value);
    return make(arena, tree->operation, tree->value, tree->left ? copy(arena, tree->left) : NULL,
                tree->right ? copy(arena, tree->right) : NULL);
}

/* What the search calls. */
static void take(void *context, const struct tree *found) {
    struct task *task = context;
    const struct node *before = task->arena->newest;
    const struct tree *tree = copy(task->arena, found);
    size_t wrong = 0;
    enum offer result = offer(task, tree, &wrong);
    const bool is_wide = count_operators(tree) > task->level; /* a constant may be had for less */
    if (result == OFFER_WRONG && !is_wide && task->new_lanes < 3 &&
        task->search.lanes < SEARCH_LANES)
        task->new_lanes += add_lane(&task->search, wrong);
    else if (is_wide || result == OFFER_WRONG || result == OFFER_UNCLEAR)
        task->unresolved = true;
    if (result != OFFER_TAKEN)
        free_newer(task->arena, before);
}

/* The entry of the greatest value below a limit, which there is: they are not all the same. */
static size_t greatest_below(const struct task *task, uint32_t limit) {
    size_t greatest = task->entries;
    for (size_t n = 0; n < task->entries; n++)
        if (task->values[n] < limit &&
            (greatest == task->entries || task->values[n] > task->values[greatest]))
            greatest = n;
    return greatest;
}

/* Chooses what is compared first: the two greatest values, the last and the first entry, and others
 * here and there, by multiples of the golden ratio; some lanes are left for what turns out to be
 * wrong. */
static void init_search(struct task *task) {
    struct search *search = &task->search;
    size_t greatest = greatest_below(task, UINT32_MAX);
    *search = (struct search){
        .from = &task->from, .values = task->values, .found = take, .context = task};
    add_lane(search, greatest);
    add_lane(search, greatest_below(task, task->values[greatest]));
    add_lane(search, task->entries - 1);
    add_lane(search, 0);
    for (uint32_t n = 1; n < 100 && search->lanes < SEARCH_LANES * 3 / 4; n++)
        add_lane(search, (size_t)((uint64_t)(n * UINT32_C(2654435769)) * task->entries >> 32));
}

/* Offers the constant, or the axis, that the table is. True if it is constant. */
static bool search_leaves(struct task *task) {
    size_t wrong, n = 0;
    while (n < task->entries && task->values[n] == task->values[0])
        n++;
    if (n == task->entries)
        offer(task, make_constant(task->arena, task->values[0]), &wrong);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the arena has what was made. */
    for (uint32_t a = 0; a < task->from.count && n < task->entries; a++)
        offer(task, make(task->arena, TREE_VARIABLE, (int32_t)a, NULL, NULL), &wrong);
    return n == task->entries;
}

/* Searches with up to `most` operators; task->failed if out of memory. Returns true if there are no
 * expressions with fewer than the best has. */
static bool search_levels(struct task *task, unsigned most) {
    if (search_leaves(task))
        return task->operators <= 2; /* one operator is always found where there is one */
    init_search(task);
    bool certain = true; /* of all levels before */
    for (task->level = 1; task->level <= most; task->level++) {
        if (task->best && task->operators < task->level)
            break;
        do {
            task->unresolved = false;
            task->new_lanes = 0;
            task->failed |= !mapping_search_run(&task->search, task->level) || task->arena->failed;
            if (task->failed || (task->best && task->operators <= task->level))
                return certain && !task->failed;
        } while (task->new_lanes > 0);
        certain = certain && !task->unresolved;
    }
    return certain && task->best && task->operators <= task->level;
}

/* ---- From above ---- */

enum {
    PARTS = 7,   /* terms of which all sums are looked at */
    SHIFTS = 32, /* a sum is wanted divided by 2^shift */
    OPERATOR_COST = 1024
};

/* How to make a sum of some parts, divided by 2^shift. */
struct plan {
    const struct tree *tree; /* or NULL */
    uint32_t cost;           /* OPERATOR_COST for each operator, and how hard it is to read */
};

struct planner {
    struct arena *arena;
    const struct mapping_space *from;
    unsigned operation;
    struct mapping_term part[PARTS]; /* the constant has mask 0 */
    unsigned parts;
    uint32_t constant;
    struct plan plan[1 << PARTS][SHIFTS];
    bool failed; /* out of memory */
};

/* Multiplies by 2^shift, or divides by 2^-shift. */
static const struct tree *shift_by(struct arena *arena, const struct tree *tree, int shift) {
    const int distance = abs(shift);
    if (shift == 0)
        return tree;
    if (distance < 8)
        return with_constant(arena, shift > 0 ? C_MULTIPLY : C_DIVIDE, tree, 1 << distance);
    return with_constant(arena, shift > 0 ? C_SHIFT_LEFT : C_SHIFT_RIGHT, tree, distance);
}

/* One term, divided by 2^shift, by at most two operators. */
static const struct tree *make_term(struct arena *arena, const struct mapping_space *from,
                                    const struct mapping_term *term, int divisor) {
    const struct tree *axis = make(arena, TREE_VARIABLE, term->axis, NULL, NULL);
    uint32_t mask = term->mask, size = from->axis[term->axis].size;
    uint32_t bits = UINT32_MAX >> __builtin_clz((size - 1) | 1);
    int low = __builtin_ctz(mask), shift = term->shift - divisor;
    uint32_t run = mask >> low, below = (UINT32_C(1) << low) - 1;
    bool is_run = (run & (run + 1)) == 0, is_top = mask == (bits & ~below);
    if (is_top && (shift != 0 || low == 0))
        return shift_by(arena, shift_by(arena, axis, -low), low + shift);
    if (is_run && low == 0)
        return shift_by(arena, with_constant(arena, C_REMAINDER, axis, (int64_t)run + 1), shift);
    if (is_run && low + shift == 0)
        return with_constant(arena, C_REMAINDER, shift_by(arena, axis, -low), (int64_t)run + 1);
    return shift_by(arena, with_constant(arena, C_AND, axis, mask), shift);
}

/* (x & a) + 2 * (x & b), divided by 2^shift, as (x & (a | b)) + (x & b). NULL if the two parts are
 * not such terms of one axis, or bits are lost. */
static const struct tree *make_doubled(const struct planner *p, unsigned set, int shift) {
    const struct mapping_term *a = &p->part[__builtin_ctz(set)];
    const struct mapping_term *b = &p->part[__builtin_ctz(set & (set - 1))];
    if (p->operation != C_ADD || b->mask == 0 || a->axis != b->axis || (a->mask & b->mask) != 0 ||
        abs(a->shift - b->shift) != 1)
        return NULL;
    const struct mapping_term *less = a->shift < b->shift ? a : b, *more = less == a ? b : a;
    const struct mapping_term both = {a->mask | b->mask, less->shift, a->axis};
    const struct mapping_term again = {more->mask, less->shift, a->axis};
    if (__builtin_ctz(both.mask) + both.shift < shift ||
        __builtin_ctz(again.mask) + again.shift < shift)
        return NULL;
    return make(p->arena, C_ADD, 0, make_term(p->arena, p->from, &both, shift),
                make_term(p->arena, p->from, &again, shift));
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

static bool improves(const struct plan *plan, uint32_t cost) {
    return !plan->tree || cost < plan->cost;
}

/* Takes an expression of one or two parts, or one that was found, if it is better. */
static void improve(struct planner *p, struct plan *plan, const struct tree *tree) {
    struct writer w;
    write_tree(&w, p->from, tree);
    uint32_t cost = count_operators(tree) * OPERATOR_COST + w.effort;
    if (improves(plan, cost))
        *plan = (struct plan){tree, cost};
}

/* Fills in the plan for a set of parts, divided by 2^shift, of which those for its subsets and for
 * higher shifts are there. */
static void make_plan(struct planner *p, unsigned set, int shift, int low) {
    struct plan *plan = &p->plan[set][shift];
    if ((set & (set - 1)) == 0) {
        const struct mapping_term *term = &p->part[__builtin_ctz(set)];
        improve(p, plan,
                term->mask ? make_term(p->arena, p->from, term, shift)
                           : make_constant(p->arena, p->constant >> shift));
    }
    for (unsigned sub = (set - 1) & set; sub > (set & ~sub); sub = (sub - 1) & set) {
        const struct plan *a = &p->plan[sub][shift], *b = &p->plan[set & ~sub][shift];
        uint32_t cost = a->cost + b->cost + OPERATOR_COST + spelling[p->operation].effort;
        if (improves(plan, cost))
            *plan = (struct plan){make(p->arena, p->operation, 0, a->tree, b->tree), cost};
    }
    for (int more = shift + 1; more <= low && (set & (set - 1)) != 0; more++) {
        uint32_t cost = p->plan[set][more].cost + OPERATOR_COST + 6;
        if (improves(plan, cost))
            *plan = (struct plan){shift_by(p->arena, p->plan[set][more].tree, more - shift), cost};
    }
    const struct tree *doubled = __builtin_popcount(set) == 2 ? make_doubled(p, set, shift) : NULL;
    if (doubled)
        improve(p, plan, doubled);
}

/* Searches an expression for a set of parts, divided by 2^shift, with up to `most` operators. */
static void find_sum(struct planner *p, unsigned set, int shift, unsigned most) {
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
    if (init_task(&task, p->arena, p->from, &sum) && !task.has_negative)
        search_levels(&task, most);
    if (task.best)
        improve(p, &p->plan[set][shift], task.best);
    p->failed |= task.failed;
    free(task.values);
}

/* How many operators are searched for some of the parts: of the quick search 2, for all there is of
 * one axis; of the thorough one 3 if they are of one axis, else 2. */
static unsigned depth_for(const struct planner *p, unsigned set, enum shorten_effort effort) {
    unsigned axes = 0, rest = 0;
    for (unsigned n = 0; n < p->parts; n++)
        if (set >> n & 1 && p->part[n].mask)
            axes |= 1U << p->part[n].axis;
    for (unsigned n = 0; n < p->parts; n++)
        if (!(set >> n & 1))
            rest |= p->part[n].mask ? 1U << p->part[n].axis : axes;
    bool is_single = (axes & (axes - 1)) == 0;
    if ((set & (set - 1)) == 0 || set == (1U << p->parts) - 1)
        return 0;
    if (effort == SHORTEN_QUICK)
        return is_single && (rest & axes) == 0 ? 2 : 0;
    return is_single ? 3 : 2;
}

/* An expression for up to PARTS - 1 terms, with the constant. */
static const struct tree *plan_sum(struct task *task, const struct mapping_formula *formula,
                                   unsigned first, uint32_t constant, enum shorten_effort effort) {
    struct planner *p = calloc(1, sizeof *p);
    if (!p) {
        task->failed = true;
        return NULL;
    }
    p->arena = task->arena;
    p->from = &task->from;
    p->operation = formula->operation == '+' ? C_ADD : C_EXCLUSIVE;
    for (unsigned n = first; n < formula->first[p->from->count] && p->parts < PARTS - 1; n++)
        p->part[p->parts++] = formula->terms[n];
    p->constant = constant;
    p->parts += constant != 0;
    /* From small to large sets and from high to low shifts. */
    for (unsigned set = 1; set < 1U << p->parts; set++) {
        int low = lowest(p, set);
        for (int shift = low; shift >= 0; shift--) {
            make_plan(p, set, shift, low);
            if (shift == low && depth_for(p, set, effort) > 0)
                find_sum(p, set, shift, depth_for(p, set, effort));
        }
    }
    const struct tree *tree = p->plan[(1U << p->parts) - 1][0].tree;
    task->failed |= p->failed || p->arena->failed;
    free(p);
    return tree;
}

/* Offers an expression made of the terms; task->failed if out of memory. */
static void offer_terms(struct task *task, const struct mapping_formula *formula,
                        enum shorten_effort effort) {
    const unsigned operation = formula->operation == '+' ? C_ADD : C_EXCLUSIVE;
    const unsigned terms = formula->first[task->from.count];
    const struct tree *tree = NULL;
    size_t wrong;
    for (unsigned n = 0; n < terms && !task->failed; n += PARTS - 1) {
        const struct tree *more =
            plan_sum(task, formula, n, n == 0 ? formula->constant : 0, effort);
        tree = n == 0 ? more : make(task->arena, operation, 0, tree, more);
    }
    if (tree && !task->failed)
        offer(task, tree, &wrong);
}

/* ---- Both ---- */

/* The operators of the canonical text, which has none twice in a row. */
static unsigned count_canonical(const char *text) {
    unsigned operators = 0;
    for (; *text; text++)
        operators += strchr("&+^", *text) != NULL || strncmp(text, "<<", 2) == 0 ||
                     strncmp(text, ">>", 2) == 0;
    return operators;
}

enum shorten_result mapping_shorten(const struct mapping_space *from, const uint32_t *values,
                                    enum shorten_effort effort, char *text, size_t size,
                                    unsigned *operators, bool *is_proved) {
    struct mapping_formula formula;
    struct arena arena = {NULL, false};
    *is_proved = false;
    if (!mapping_deduce(from, values, &formula))
        return SHORTEN_NO_FORMULA;
    struct task task;
    if (init_task(&task, &arena, from, &formula) && !task.has_negative) {
        offer_terms(&task, &formula, effort);
        *is_proved = !task.failed && search_levels(&task, effort);
    }
    enum shorten_result result = SHORTEN_FAILED;
    size_t length = 0;
    if (!task.failed && !arena.failed) {
        result = task.best ? SHORTEN_FOUND : SHORTEN_CANONICAL;
        length = task.best ? (size_t)snprintf(text, size, "%s", task.written.text)
                           : mapping_formula_print(&formula, from, text, size);
        if (length >= size)
            result = SHORTEN_NO_ROOM;
        else
            *operators = task.best ? task.operators : count_canonical(text);
    }
    free(task.values);
    free_newer(&arena, NULL);
    return result;
}
