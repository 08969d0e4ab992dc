/* search_make.c - makes expressions of others by one operator, and keeps sets of them. */
#include "layout/search_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Leaves ---- */

void mapping_search_measure(struct search_tree *tree) {
    uint32_t greatest = 0;
    for (int k = 0; k < SEARCH_LANES; k++) {
        uint32_t size = (uint32_t)tree->lane[k];
        size = tree->lane[k] < 0 ? 0 - size : size;
        greatest = size > greatest ? size : greatest;
    }
    tree->magnitude = greatest;
}

void mapping_search_make_leaves(struct run *run) {
    for (int c = 0; c <= SEARCH_CONSTANT_MAX; c++) {
        struct search_tree *tree = &run->constant[c];
        *tree = (struct search_tree){.operation = SEARCH_CONSTANT, .value = c};
        for (int k = 0; k < SEARCH_LANES; k++)
            tree->lane[k] = c;
        mapping_search_measure(tree);
    }
    for (unsigned v = 0; v < run->search->variables; v++) {
        struct search_tree *tree = &run->variable[v];
        *tree = (struct search_tree){.operation = SEARCH_VARIABLE, .value = (int32_t)v};
        memcpy(tree->lane, run->search->variable[v], sizeof tree->lane);
        mapping_search_measure(tree);
    }
}

/* ---- Making expressions ---- */

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
        if (search_has_zero(b) || !small)
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

void mapping_search_combine(struct run *run, enum search_operator operation,
                            const struct search_tree *left, const struct search_tree *right,
                            search_action *use) {
    struct search_tree tree;
    tree.operation = operation;
    tree.left = left;
    tree.right = right;
    if (right ? apply(&tree) : apply_slowly(&tree))
        use(run, &tree);
}

void mapping_search_combine_pair(struct run *run, const struct search_tree *a,
                                 const struct search_tree *b, search_action *use) {
    for (enum search_operator operation = SEARCH_MULTIPLY; operation < SEARCH_OPERATORS;
         operation++) {
        if (run->stopped || search_is_mirrored(operation))
            continue;
        mapping_search_combine(run, operation, a, b, use);
        if (!search_is_symmetric(operation) && a != b)
            mapping_search_combine(run, operation, b, a, use);
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
    bool negative = search_has_negative(x->lane), zero = search_has_zero(x->lane);
    for (enum search_operator operation = SEARCH_MULTIPLY;
         operation < SEARCH_OPERATORS && !run->stopped; operation++) {
        struct range range = second_range(operation, x->magnitude, negative);
        if (search_is_mirrored(operation))
            continue;
        for (int64_t c = range.low; c <= range.high; c++)
            mapping_search_combine(run, operation, x, &run->constant[c], use);
        range = first_range(operation, x->magnitude, negative, zero);
        for (int64_t c = range.low; c <= range.high; c++)
            mapping_search_combine(run, operation, &run->constant[c], x, use);
    }
}

void mapping_search_extend(struct run *run, const struct search_tree *x, search_action *use) {
    for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
        mapping_search_combine(run, operation, x, NULL, use);
    for (uint8_t v = 0; v < run->search->variables; v++)
        mapping_search_combine_pair(run, x, &run->variable[v], use);
    if (!search_is_constant(x))
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

void mapping_search_set_free(struct set *set) {
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

const struct search_tree *mapping_search_find(const struct set *set, const int32_t *lane) {
    uint32_t number = set->slots > 0 ? *find_slot(set, lane) : 0;
    return number ? &set->tree[number - 1] : NULL;
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
    mapping_search_measure(&set->tree[set->count++]);
    *slot = (uint32_t)set->count;
}

static bool is_leaf(const struct run *run, const struct search_tree *tree) {
    if (search_is_constant(tree) && !search_is_wide(tree->lane[0]))
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
        set_add(run, search_is_constant(tree) ? &run->constants : &run->one, tree);
}

void mapping_search_keep_two(struct run *run, const struct search_tree *tree) {
    if (!search_is_constant(tree) && !is_leaf(run, tree) &&
        !mapping_search_find(&run->one, tree->lane))
        set_add(run, &run->two, tree);
}

void mapping_search_make_one(struct run *run) {
    for (uint8_t v = 0; v < run->search->variables; v++)
        mapping_search_extend(run, &run->variable[v], keep_one);
    for (int a = 0; a <= SEARCH_CONSTANT_MAX; a++) {
        for (int b = 0; b <= a; b++)
            mapping_search_combine_pair(run, &run->constant[a], &run->constant[b], keep_one);
        for (enum search_operator operation = SEARCH_NEGATE; operation <= SEARCH_NOT; operation++)
            mapping_search_combine(run, operation, &run->constant[a], NULL, keep_one);
    }
}
