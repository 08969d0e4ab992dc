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

#define TOKENS_MAX 160
#define TEXT_SIZE 1024

/* An operand, the constant or number of an axis, or an operator over those before it. */
struct token {
    int32_t value;
    uint8_t operation;
};

/* In the order of a stack machine. */
struct expression {
    unsigned count;
    struct token token[TOKENS_MAX];
};

static bool is_leaf(unsigned operation) {
    return operation <= SEARCH_VARIABLE;
}

static bool is_unary(unsigned operation) {
    return operation >= SEARCH_NEGATE && operation <= SEARCH_NOT;
}

static bool compares(unsigned operation) {
    return operation >= SEARCH_LESS && operation <= SEARCH_NOT_EQUAL;
}

static void push(struct expression *e, enum search_operator operation, int32_t value) {
    if (e->count < TOKENS_MAX)
        e->token[e->count] = (struct token){value, (uint8_t)operation};
    e->count++; /* beyond TOKENS_MAX if there is too much */
}

/* The number of operators, of at most TOKENS_MAX tokens. */
static unsigned count_operators(const struct expression *e) {
    unsigned operators = 0;
    for (unsigned n = 0; n < e->count; n++)
        operators += !is_leaf(e->token[n].operation);
    return operators;
}

/* Any constant, made of those up to SEARCH_CONSTANT_MAX: by one operator wherever that can be. */
static void push_constant(struct expression *e, int64_t c) {
    if (c < 0) {
        push_constant(e, c == -SEARCH_CONSTANT_MAX - 1 ? ~c : -c);
        push(e, c == -SEARCH_CONSTANT_MAX - 1 ? SEARCH_COMPLEMENT : SEARCH_NEGATE, 0);
        return;
    }
    if (c <= SEARCH_CONSTANT_MAX) {
        push(e, SEARCH_CONSTANT, (int32_t)c);
        return;
    }
    int zeros = __builtin_ctzll((uint64_t)c), factor = SEARCH_CONSTANT_MAX;
    while (factor > 1 && (c % factor != 0 || c / factor > SEARCH_CONSTANT_MAX))
        factor--;
    bool shifts = c >> zeros <= SEARCH_CONSTANT_MAX;
    bool sum = !shifts && factor == 1;
    int64_t first = shifts ? c >> zeros : factor > 1 ? c / factor : c >> 8 << 8;
    int64_t second = shifts ? zeros : factor > 1 ? factor : c & 255;
    if (sum && c <= INT64_C(2) * SEARCH_CONSTANT_MAX) {
        first = SEARCH_CONSTANT_MAX;
        second = c - first;
    }
    if (sum && first > SEARCH_CONSTANT_MAX) {
        push_constant(e, c >> 8);
        push(e, SEARCH_CONSTANT, 8);
        push(e, SEARCH_SHIFT_LEFT, 0);
    } else
        push_constant(e, first);
    push_constant(e, second);
    push(e, shifts ? SEARCH_SHIFT_LEFT : factor > 1 ? SEARCH_MULTIPLY : SEARCH_ADD, 0);
}

/* ---- As trees: order and text ---- */

struct node {
    int32_t value;
    uint8_t operation, left, right;
    uint8_t axis; /* the first that occurs, 255 if none does */
};

/* Makes nodes of the tokens, each where its token is. */
static void make_nodes(const struct expression *e, struct node nodes[TOKENS_MAX]) {
    uint8_t stack[TOKENS_MAX] = {0};
    unsigned depth = 0;
    for (unsigned n = 0; n < e->count; n++) {
        struct node *node = &nodes[n];
        unsigned operation = e->token[n].operation;
        *node = (struct node){e->token[n].value, (uint8_t)operation, 0, 0, 255};
        if (operation == SEARCH_VARIABLE)
            node->axis = (uint8_t)node->value;
        if (!is_leaf(operation) && !is_unary(operation))
            node->right = stack[--depth];
        if (!is_leaf(operation))
            node->left = stack[--depth];
        if (!is_leaf(operation))
            node->axis = nodes[node->left].axis;
        if (!is_leaf(operation) && !is_unary(operation) && nodes[node->right].axis < node->axis)
            node->axis = nodes[node->right].axis;
        stack[depth++] = (uint8_t)n;
    }
}

static bool is_chain(unsigned operation) {
    return operation == SEARCH_ADD || operation == SEARCH_MULTIPLY || operation == SEARCH_AND ||
           operation == SEARCH_OR || operation == SEARCH_EXCLUSIVE;
}

/* Lists the operands of a + b + c, nested in any way. */
static unsigned list_operands(const struct node *nodes, uint8_t root, unsigned operation,
                              uint8_t *list, unsigned count) {
    if (nodes[root].operation != operation) {
        list[count++] = root;
        return count;
    }
    count = list_operands(nodes, nodes[root].left, operation, list, count);
    return list_operands(nodes, nodes[root].right, operation, list, count);
}

static bool comes_before(const struct node *a, const struct node *b) {
    return a->axis != b->axis ? a->axis < b->axis : is_leaf(a->operation) && !is_leaf(b->operation);
}

/* Sorts by axis, constants last, the axis itself before what is made of it, and leaves else the
 * order as it is. */
static void sort_operands(const struct node *nodes, uint8_t *list, unsigned count) {
    for (unsigned n = 1; n < count; n++)
        for (unsigned m = n; m > 0 && comes_before(&nodes[list[m]], &nodes[list[m - 1]]); m--) {
            uint8_t other = list[m];
            list[m] = list[m - 1];
            list[m - 1] = other;
        }
}

static void push_ordered(const struct node *nodes, uint8_t root, struct expression *e) {
    const struct node *node = &nodes[root];
    if (is_chain(node->operation)) {
        uint8_t list[TOKENS_MAX];
        unsigned count = list_operands(nodes, root, node->operation, list, 0);
        sort_operands(nodes, list, count);
        for (unsigned n = 0; n < count; n++) {
            push_ordered(nodes, list[n], e);
            if (n > 0)
                push(e, node->operation, 0);
        }
        return;
    }
    if (!is_leaf(node->operation))
        push_ordered(nodes, node->left, e);
    if (!is_leaf(node->operation) && !is_unary(node->operation))
        push_ordered(nodes, node->right, e);
    push(e, node->operation, node->value);
}

/* How an operator is written, how strongly it binds, and how hard it is to read. */
static const struct spelling {
    const char *text;
    uint8_t strength, effort;
} spelling[SEARCH_OPERATORS] = {
    [SEARCH_NEGATE] = {"-", 12, 6},     [SEARCH_COMPLEMENT] = {"~", 12, 7},
    [SEARCH_NOT] = {"!", 12, 8},        [SEARCH_MULTIPLY] = {"*", 11, 1},
    [SEARCH_DIVIDE] = {"/", 11, 1},     [SEARCH_REMAINDER] = {"%", 11, 1},
    [SEARCH_ADD] = {"+", 10, 0},        [SEARCH_SUBTRACT] = {"-", 10, 2},
    [SEARCH_SHIFT_LEFT] = {"<<", 9, 3}, [SEARCH_SHIFT_RIGHT] = {">>", 9, 3},
    [SEARCH_LESS] = {"<", 8, 6},        [SEARCH_GREATER] = {">", 8, 6},
    [SEARCH_LESS_EQUAL] = {"<=", 8, 6}, [SEARCH_GREATER_EQUAL] = {">=", 8, 6},
    [SEARCH_EQUAL] = {"==", 7, 6},      [SEARCH_NOT_EQUAL] = {"!=", 7, 6},
    [SEARCH_AND] = {"&", 6, 2},         [SEARCH_EXCLUSIVE] = {"^", 5, 5},
    [SEARCH_OR] = {"|", 4, 4},          [SEARCH_BOTH] = {"&&", 3, 8},
    [SEARCH_EITHER] = {"||", 2, 8},
};

static bool is_bitwise(unsigned operation) {
    return operation >= SEARCH_AND && operation <= SEARCH_OR;
}

/* Where a compiler would warn that parentheses are missing, though C does not need them. */
static bool is_misread(unsigned outer, unsigned inner) {
    bool adds = inner == SEARCH_ADD || inner == SEARCH_SUBTRACT;
    if (outer == SEARCH_SHIFT_LEFT || outer == SEARCH_SHIFT_RIGHT)
        return adds;
    if (is_bitwise(outer))
        return adds || compares(inner) || inner == SEARCH_NOT ||
               (is_bitwise(inner) && inner != outer);
    if (compares(outer))
        return compares(inner) || inner == SEARCH_NOT;
    return outer == SEARCH_EITHER && inner == SEARCH_BOTH;
}

static bool needs_parentheses(unsigned outer, unsigned inner, bool is_right) {
    if (is_leaf(inner))
        return false;
    if (is_unary(outer) && is_unary(inner))
        return outer == inner;
    return spelling[inner].strength < spelling[outer].strength ||
           (is_right && spelling[inner].strength == spelling[outer].strength) ||
           is_misread(outer, inner);
}

/* A text that is being written, and how hard it is to read. */
struct writer {
    const struct mapping_space *from;
    const struct node *nodes;
    char *text;
    size_t size, length;
    unsigned effort;
};

static void write(struct writer *w, const char *piece) {
    for (; *piece; piece++, w->length++)
        if (w->length + 1 < w->size)
            w->text[w->length] = *piece;
    w->text[w->length < w->size ? w->length : w->size - 1] = '\0';
}

static void write_node(struct writer *w, unsigned root);

static void write_operand(struct writer *w, unsigned outer, unsigned root, bool is_right) {
    bool parentheses = needs_parentheses(outer, w->nodes[root].operation, is_right);
    if (parentheses)
        write(w, "(");
    write_node(w, root);
    if (parentheses)
        write(w, ")");
    w->effort += parentheses ? 3 : 0;
}

static void write_node(struct writer *w, unsigned root) {
    const struct node *node = &w->nodes[root];
    char number[16];
    snprintf(number, sizeof number, "%d", (int)node->value);
    if (node->operation == SEARCH_VARIABLE)
        write(w, w->from->axis[node->value].name);
    if (node->operation == SEARCH_CONSTANT) {
        write(w, number);
        w->effort += (unsigned)strlen(number) + ((node->value & (node->value - 1)) != 0);
    }
    if (is_leaf(node->operation))
        return;
    w->effort += spelling[node->operation].effort;
    if (!is_unary(node->operation)) {
        write_operand(w, node->operation, node->left, false);
        write(w, " ");
    }
    write(w, spelling[node->operation].text);
    if (!is_unary(node->operation))
        write(w, " ");
    write_operand(w, node->operation, is_unary(node->operation) ? node->left : node->right, true);
}

/* Puts the operands of sums, products and the like in order, and writes the text, or none if it is
 * too long. Returns how hard it is to read. */
static unsigned write_expression(const struct mapping_space *from, struct expression *e,
                                 char text[TEXT_SIZE]) {
    struct node nodes[TOKENS_MAX] = {{0, 0, 0, 0, 0}};
    make_nodes(e, nodes);
    uint8_t root = (uint8_t)(e->count - 1);
    e->count = 0;
    push_ordered(nodes, root, e);
    make_nodes(e, nodes);
    struct writer w = {from, nodes, text, TEXT_SIZE, 0, 0};
    write_node(&w, e->count - 1);
    if (w.length >= TEXT_SIZE)
        *text = '\0';
    return w.effort;
}
/* ---- A table that is to be expressed ---- */

/* A table that is to be expressed. */
struct task {
    struct mapping_space from; /* of those axes on which the values depend; of the others size 1 */
    uint32_t *values;
    size_t entries;
    unsigned level; /* how many operators are searched */
    /* The best that has been found. */
    struct expression best;
    unsigned operators, effort;
    char text[TEXT_SIZE];
    bool has_best;
    /* The entries that are compared, and those at which what was found is wrong. */
    size_t lane[SEARCH_LANES];
    unsigned lanes, new_lanes;
    bool failed;     /* out of memory */
    bool unresolved; /* a candidate was found that could not be judged right or wrong */
};

enum offer { OFFER_TAKEN, OFFER_NOT_BETTER, OFFER_WRONG, OFFER_UNCLEAR };

/* Makes a task of the formula, over those of its axes that matter; values is to be freed. False if
 * out of memory. */
static bool init_task(struct task *task, const struct mapping_space *from,
                      const struct mapping_formula *formula) {
    uint32_t point[MAPPING_AXES_MAX];
    task->from = *from;
    task->has_best = task->failed = false;
    for (uint32_t a = 0; a < from->count; a++)
        if (formula->first[a] == formula->first[a + 1])
            task->from.axis[a].size = 1;
    task->entries = mapping_space_size(&task->from);
    task->values = malloc(task->entries * sizeof *task->values);
    for (size_t n = 0; n < task->entries && task->values; n++) {
        mapping_space_point(&task->from, n, point);
        task->values[n] = mapping_formula_evaluate(formula, from->count, point);
    }
    return task->values != NULL;
}

static bool has_negative(const struct task *task) {
    for (size_t n = 0; n < task->entries; n++)
        if (task->values[n] > INT32_MAX)
            return true;
    return false;
}

/* Takes the expression if it is right everywhere and better than the best; *wrong is the first
 * entry where it is not right. */
static enum offer offer(struct task *task, struct expression *e, size_t *wrong) {
    char text[TEXT_SIZE] = "";
    if (e->count > TOKENS_MAX)
        return OFFER_UNCLEAR;
    unsigned operators = count_operators(e), effort = write_expression(&task->from, e, text);
    if (*text == '\0')
        return OFFER_UNCLEAR;
    if (task->has_best &&
        (operators > task->operators ||
         (operators == task->operators &&
          (effort > task->effort || (effort == task->effort && strcmp(text, task->text) >= 0)))))
        return OFFER_NOT_BETTER;
    enum mapping_status status =
        mapping_expression_gives(text, &task->from, false, task->values, wrong);
    const bool is_wrong = status == MAPPING_DIFFERS;
    if (status == MAPPING_OK)
        status = mapping_expression_gives(text, &task->from, true, task->values, wrong);
    task->failed |= status == MAPPING_FAILED;
    if (status != MAPPING_OK)
        return is_wrong ? OFFER_WRONG : OFFER_UNCLEAR;
    task->best = *e;
    task->operators = operators;
    task->effort = effort;
    task->has_best = true;
    memcpy(task->text, text, TEXT_SIZE);
    return OFFER_TAKEN;
}

/* ---- From below ---- */

static void push_tree(struct expression *e, const struct search_tree *tree, const uint8_t *axes) {
    if (tree->operation == SEARCH_CONSTANT)
        push_constant(e, tree->value);
    else if (tree->operation == SEARCH_VARIABLE)
        push(e, SEARCH_VARIABLE, axes[tree->value]);
    else {
        push_tree(e, tree->left, axes);
        if (tree->right)
            push_tree(e, tree->right, axes);
        push(e, tree->operation, 0);
    }
}

/* The axes on which the values depend. Returns how many they are. */
static unsigned list_axes(const struct mapping_space *from, uint8_t axes[MAPPING_AXES_MAX]) {
    unsigned count = 0;
    for (uint32_t a = 0; a < from->count; a++)
        if (from->axis[a].size > 1)
            axes[count++] = (uint8_t)a;
    return count;
}

static bool add_lane(struct task *task, size_t entry) {
    for (unsigned k = 0; k < task->lanes; k++)
        if (task->lane[k] == entry)
            return false;
    if (task->lanes < SEARCH_LANES)
        task->lane[task->lanes++] = entry;
    return true;
}

/* What the search calls. */
static void take(void *context, const struct search_tree *tree) {
    struct task *task = context;
    struct expression e = {0, {{0, 0}}};
    uint8_t axes[MAPPING_AXES_MAX];
    size_t wrong = 0;
    list_axes(&task->from, axes);
    push_tree(&e, tree, axes);
    if (e.count <= TOKENS_MAX && count_operators(&e) > task->level) {
        task->unresolved = true; /* a constant may be had for less */
        offer(task, &e, &wrong);
        return;
    }
    enum offer result = offer(task, &e, &wrong);
    if (result == OFFER_WRONG && task->new_lanes < 3 && task->lanes < SEARCH_LANES)
        task->new_lanes += add_lane(task, wrong);
    else if (result == OFFER_WRONG || result == OFFER_UNCLEAR)
        task->unresolved = true;
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

/* Chooses what is compared first: the two greatest values, the first and the last entry, and others
 * here and there; some lanes are left for what turns out to be wrong. */
static void choose_lanes(struct task *task) {
    size_t greatest = greatest_below(task, UINT32_MAX);
    uint32_t state = 1;
    task->lanes = 0;
    add_lane(task, greatest);
    add_lane(task, greatest_below(task, task->values[greatest]));
    for (int tries = 0; tries < 100 && task->lanes < SEARCH_LANES * 3 / 4; tries++) {
        state = state * 1664525 + 1013904223;
        add_lane(task, (size_t)((state >> 8) % task->entries));
        if (tries == 1)
            add_lane(task, 0);
        if (tries == 3)
            add_lane(task, task->entries - 1);
    }
}

static void fill_search(struct task *task, struct search *search) {
    uint8_t axes[MAPPING_AXES_MAX];
    uint32_t point[MAPPING_AXES_MAX];
    *search = (struct search){.variables = list_axes(&task->from, axes), .all = INT32_MAX};
    for (size_t n = 0; n < task->entries; n++) {
        search->any |= (int32_t)task->values[n];
        search->all &= (int32_t)task->values[n];
    }
    for (unsigned k = 0; k < SEARCH_LANES; k++) {
        size_t entry = task->lane[k < task->lanes ? k : 0];
        mapping_space_point(&task->from, entry, point);
        for (unsigned v = 0; v < search->variables; v++)
            search->variable[v][k] = (int32_t)point[axes[v]];
        search->target[k] = (int32_t)task->values[entry];
    }
    search->found = take;
    search->context = task;
}

/* Searches the expressions of `level` operators. True if one was found, or there is certainly none.
 */
static bool search_level(struct task *task, unsigned level) {
    task->level = level;
    do {
        struct search search;
        task->unresolved = false;
        task->new_lanes = 0;
        fill_search(task, &search);
        task->failed |= !mapping_search_run(&search, level);
        if (task->failed)
            return false;
        if (task->has_best && task->operators <= level)
            return true;
    } while (task->new_lanes > 0);
    return !task->unresolved;
}

/* Offers the constant, or the axis, that the table is. True if it is constant. */
static bool search_leaves(struct task *task) {
    struct expression e = {0, {{0, 0}}};
    size_t wrong, n = 0;
    while (n < task->entries && task->values[n] == task->values[0])
        n++;
    if (n == task->entries)
        push_constant(&e, task->values[0]);
    for (uint32_t a = 0; a < task->from.count && n < task->entries; a++) {
        e.count = 0;
        push(&e, SEARCH_VARIABLE, (int32_t)a);
        offer(task, &e, &wrong);
    }
    if (n == task->entries)
        offer(task, &e, &wrong);
    return n == task->entries;
}

/* Searches with up to `most` operators; task->failed if out of memory. Returns true if there are no
 * expressions with fewer than the best has. */
static bool search_levels(struct task *task, unsigned most) {
    if (search_leaves(task))
        return task->operators <= 2; /* one operator is always found where there is one */
    bool certain = true;
    choose_lanes(task);
    for (unsigned level = 1; level <= most && !task->failed; level++) {
        if (task->has_best && task->operators < level)
            return certain;
        bool before = certain;
        certain = search_level(task, level) && certain;
        if (task->has_best && task->operators == level)
            return before;
    }
    return certain && task->has_best && task->operators == most + 1;
}
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
    push(e, SEARCH_CONSTANT, distance < 8 ? 1 << distance : distance);
    if (distance < 8)
        push(e, shift > 0 ? SEARCH_MULTIPLY : SEARCH_DIVIDE, 0);
    else
        push(e, shift > 0 ? SEARCH_SHIFT_LEFT : SEARCH_SHIFT_RIGHT, 0);
}

static void push_with(struct expression *e, enum search_operator operation, uint32_t constant) {
    push_constant(e, constant);
    push(e, operation, 0);
}

/* One term, divided by 2^shift, by at most two operators. */
static void push_term(struct expression *e, const struct mapping_space *from,
                      const struct mapping_term *term, int divisor) {
    uint32_t mask = term->mask, size = from->axis[term->axis].size;
    uint32_t bits = UINT32_MAX >> __builtin_clz((size - 1) | 1);
    int low = __builtin_ctz(mask), shift = term->shift - divisor;
    uint32_t run = mask >> low, below = (UINT32_C(1) << low) - 1;
    bool is_run = (run & (run + 1)) == 0, is_top = mask == (bits & ~below);
    push(e, SEARCH_VARIABLE, term->axis);
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
        push_constant(e, p->constant >> shift);
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
    push(e, SEARCH_ADD, 0);
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

/* The cost of an expression of one or two parts, or of one that was found. These always have room.
 */
static uint32_t cost_of(const struct planner *p, const struct expression *e) {
    struct expression copy = *e;
    char text[TEXT_SIZE];
    return count_operators(e) * OPERATOR_COST + write_expression(p->from, &copy, text);
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
                    spelling[p->operation].effort,
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
        push(e, p->operation, 0);
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
            push(e, token->operation, token->value);
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
    if (!task || (p->findings < FINDINGS && !init_task(task, p->from, &sum))) {
        p->failed = true;
    } else if (p->findings < FINDINGS) {
        if (!has_negative(task))
            search_levels(task, most);
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

/* Offers an expression made of the terms; task->failed if out of memory. */
static void offer_terms(struct task *task, const struct mapping_formula *formula,
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
            push(&e, formula->operation == '+' ? SEARCH_ADD : SEARCH_EXCLUSIVE, 0);
    }
    if (terms > 0)
        offer(task, &e, &wrong);
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

static enum shorten_result solve(struct task *task, const struct mapping_formula *formula,
                                 enum shorten_effort effort, bool *is_proved) {
    *is_proved = false;
    if (has_negative(task))
        return SHORTEN_CANONICAL;
    offer_terms(task, formula, effort);
    if (!task->failed)
        *is_proved = search_levels(task, effort);
    if (task->failed)
        return SHORTEN_FAILED;
    return task->has_best ? SHORTEN_FOUND : SHORTEN_CANONICAL;
}

enum shorten_result mapping_shorten(const struct mapping_space *from, const uint32_t *values,
                                    enum shorten_effort effort, char *text, size_t size,
                                    unsigned *operators, bool *is_proved) {
    struct mapping_formula formula;
    *is_proved = false;
    if (!mapping_deduce(from, values, &formula))
        return SHORTEN_NO_FORMULA;
    struct task *task = malloc(sizeof *task);
    if (!task || !init_task(task, from, &formula)) {
        free(task);
        return SHORTEN_FAILED;
    }
    enum shorten_result result = solve(task, &formula, effort, is_proved);
    size_t length = 0;
    if (result == SHORTEN_FAILED) {
        free(task->values);
        free(task);
        return result;
    }
    if (result == SHORTEN_FOUND)
        length = (size_t)snprintf(text, size, "%s", task->text);
    else
        length = mapping_formula_print(&formula, from, text, size);
    if (length >= size)
        result = SHORTEN_NO_ROOM;
    else
        *operators = result == SHORTEN_FOUND ? task->operators : count_canonical(text);
    free(task->values);
    free(task);
    return result;
}
