/* shorten_notation.c - expressions: what they are made of, the order of their operands, and their
 * text. */
#include "layout/shorten_state.h"

#include <stdio.h>
#include <string.h>

/* ---- Expressions ---- */

unsigned mapping_shorten_count(const struct expression *e) {
    unsigned operators = 0;
    for (unsigned n = 0; n < e->count; n++)
        operators += !shorten_is_leaf(e->token[n].operation);
    return operators;
}

void mapping_shorten_push_constant(struct expression *e, int64_t c) {
    if (c < 0) {
        mapping_shorten_push_constant(e, c == -SEARCH_CONSTANT_MAX - 1 ? ~c : -c);
        shorten_push(e, c == -SEARCH_CONSTANT_MAX - 1 ? SEARCH_COMPLEMENT : SEARCH_NEGATE, 0);
        return;
    }
    if (c <= SEARCH_CONSTANT_MAX) {
        shorten_push(e, SEARCH_CONSTANT, (int32_t)c);
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
        mapping_shorten_push_constant(e, c >> 8);
        shorten_push(e, SEARCH_CONSTANT, 8);
        shorten_push(e, SEARCH_SHIFT_LEFT, 0);
    } else
        mapping_shorten_push_constant(e, first);
    mapping_shorten_push_constant(e, second);
    shorten_push(e, shifts ? SEARCH_SHIFT_LEFT : factor > 1 ? SEARCH_MULTIPLY : SEARCH_ADD, 0);
}

/* ---- As trees: order and text ---- */

struct node {
    int32_t value;
    uint8_t operation, left, right;
    uint8_t axis; /* the first that occurs, 255 if none does */
};

/* Makes nodes of the tokens, each where its token is. */
static void make_nodes(const struct expression *e, struct node nodes[SHORTEN_TOKENS]) {
    uint8_t stack[SHORTEN_TOKENS] = {0};
    unsigned depth = 0;
    for (unsigned n = 0; n < e->count; n++) {
        struct node *node = &nodes[n];
        unsigned operation = e->token[n].operation;
        *node = (struct node){e->token[n].value, (uint8_t)operation, 0, 0, 255};
        if (operation == SEARCH_VARIABLE)
            node->axis = (uint8_t)node->value;
        if (!shorten_is_leaf(operation) && !shorten_is_unary(operation))
            node->right = stack[--depth];
        if (!shorten_is_leaf(operation))
            node->left = stack[--depth];
        if (!shorten_is_leaf(operation))
            node->axis = nodes[node->left].axis;
        if (!shorten_is_leaf(operation) && !shorten_is_unary(operation) &&
            nodes[node->right].axis < node->axis)
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
    return a->axis != b->axis ? a->axis < b->axis
                              : shorten_is_leaf(a->operation) && !shorten_is_leaf(b->operation);
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
        uint8_t list[SHORTEN_TOKENS];
        unsigned count = list_operands(nodes, root, node->operation, list, 0);
        sort_operands(nodes, list, count);
        for (unsigned n = 0; n < count; n++) {
            push_ordered(nodes, list[n], e);
            if (n > 0)
                shorten_push(e, node->operation, 0);
        }
        return;
    }
    if (!shorten_is_leaf(node->operation))
        push_ordered(nodes, node->left, e);
    if (!shorten_is_leaf(node->operation) && !shorten_is_unary(node->operation))
        push_ordered(nodes, node->right, e);
    shorten_push(e, node->operation, node->value);
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

unsigned mapping_shorten_difficulty(unsigned operation) {
    return spelling[operation].effort;
}

static bool is_bitwise(unsigned operation) {
    return operation >= SEARCH_AND && operation <= SEARCH_OR;
}

/* Where a compiler would warn that parentheses are missing, though C does not need them. */
static bool is_misread(unsigned outer, unsigned inner) {
    bool adds = inner == SEARCH_ADD || inner == SEARCH_SUBTRACT;
    if (outer == SEARCH_SHIFT_LEFT || outer == SEARCH_SHIFT_RIGHT)
        return adds;
    if (is_bitwise(outer))
        return adds || shorten_compares(inner) || inner == SEARCH_NOT ||
               (is_bitwise(inner) && inner != outer);
    if (shorten_compares(outer))
        return shorten_compares(inner) || inner == SEARCH_NOT;
    return outer == SEARCH_EITHER && inner == SEARCH_BOTH;
}

static bool needs_parentheses(unsigned outer, unsigned inner, bool is_right) {
    if (shorten_is_leaf(inner))
        return false;
    if (shorten_is_unary(outer) && shorten_is_unary(inner))
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
    if (shorten_is_leaf(node->operation))
        return;
    w->effort += spelling[node->operation].effort;
    if (!shorten_is_unary(node->operation)) {
        write_operand(w, node->operation, node->left, false);
        write(w, " ");
    }
    write(w, spelling[node->operation].text);
    if (!shorten_is_unary(node->operation))
        write(w, " ");
    write_operand(w, node->operation, shorten_is_unary(node->operation) ? node->left : node->right,
                  true);
}

unsigned mapping_shorten_express(const struct mapping_space *from, struct expression *e,
                                 char text[SHORTEN_TEXT]) {
    struct node nodes[SHORTEN_TOKENS] = {{0, 0, 0, 0, 0}};
    make_nodes(e, nodes);
    uint8_t root = (uint8_t)(e->count - 1);
    e->count = 0;
    push_ordered(nodes, root, e);
    make_nodes(e, nodes);
    struct writer w = {from, nodes, text, SHORTEN_TEXT, 0, 0};
    write_node(&w, e->count - 1);
    if (w.length >= SHORTEN_TEXT)
        *text = '\0';
    return w.effort;
}
