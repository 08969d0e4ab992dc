/* found_again.h - random expressions that a search must find again: for tests of the search, with
 * constants of one byte and with small ones. */
#ifndef FOUND_AGAIN_H
#define FOUND_AGAIN_H

#include "catalogue/fragment.h"
#include "layout/c_operators.h"
#include "layout/search.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- Random expressions ---- */

/* 8 threads of 2 elements, which are all lanes. */
static const struct mapping_space sixteen = {2, {{"tid", 8}, {"i", 2}}};

/* The values of an expression at all of them. */
struct table_of_lanes {
    struct number value[SEARCH_LANES];
    bool is_good;
};

static struct table_of_lanes random_tree(unsigned operators) {
    struct table_of_lanes tree = {.is_good = true}, left, right;
    uint32_t point[MAPPING_AXES_MAX], leaf = random_number();
    for (size_t k = 0; k < SEARCH_LANES && operators == 0; k++) {
        mapping_space_point(&sixteen, k, point);
        uint32_t constant = leaf >> 8 & SEARCH_CONSTANT_MAX & (leaf & 8 ? 255 : 15);
        tree.value[k] = (struct number){leaf & 1 ? point[leaf >> 1 & 1] : constant, false, true};
    }
    if (operators == 0)
        return tree;
    unsigned split = random_number() % operators;
    const char *operation =
        all_operators[random_number() % (sizeof all_operators / sizeof *all_operators)];
    left = random_tree(split);
    right = random_tree(operators - 1 - split);
    for (size_t k = 0; k < SEARCH_LANES; k++) {
        tree.value[k] = applied(operation, left.value[k], right.value[k]);
        if (leaf % 8 == 0 && split == operators - 1) /* unary */
            tree.value[k] = number_of(leaf & 64 ? -left.value[k].value : ~left.value[k].value,
                                      false, left.value[k].is_good);
        tree.is_good = tree.is_good && tree.value[k].is_good;
    }
    return tree;
}

/* Operators as C has them; a minus of one operand is "neg". */
static const char *const operator_names[C_OPERATORS] = {
    [C_NEGATE] = "neg",    [C_COMPLEMENT] = "~",     [C_NOT] = "!",    [C_MULTIPLY] = "*",
    [C_DIVIDE] = "/",      [C_REMAINDER] = "%",      [C_ADD] = "+",    [C_SUBTRACT] = "-",
    [C_SHIFT_LEFT] = "<<", [C_SHIFT_RIGHT] = ">>",   [C_LESS] = "<",   [C_GREATER] = ">",
    [C_LESS_EQUAL] = "<=", [C_GREATER_EQUAL] = ">=", [C_EQUAL] = "==", [C_NOT_EQUAL] = "!=",
    [C_AND] = "&",         [C_EXCLUSIVE] = "^",      [C_OR] = "|",     [C_BOTH] = "&&",
    [C_EITHER] = "||"};

static struct number value_at(const struct tree *tree, const uint32_t *point) {
    if (tree->operation == TREE_CONSTANT)
        return (struct number){tree->value, false, true};
    if (tree->operation == TREE_VARIABLE)
        return (struct number){point[tree->value], false, true};
    struct number left = value_at(tree->left, point);
    if (tree->operation == C_NEGATE)
        return number_of(-left.value, false, left.is_good);
    if (tree->operation == C_COMPLEMENT)
        return number_of(~left.value, false, left.is_good);
    if (tree->operation == C_NOT)
        return number_of(left.value == 0, false, left.is_good);
    return applied(operator_names[tree->operation], left, value_at(tree->right, point));
}

/* How many expressions were found, and whether all are right. Bit o of `operators` is set if the
 * last operator of one of them is o. */
struct findings {
    const struct search *search;
    unsigned count;
    bool is_right;
    uint32_t operators;
};

static void count_finding(void *context, const struct tree *tree) {
    struct findings *findings = context;
    const struct search *search = findings->search;
    uint32_t point[MAPPING_AXES_MAX];
    enum { ENOUGH = 1000 }; /* more are not evaluated */
    findings->count++;
    findings->operators |= UINT32_C(1) << tree->operation;
    for (unsigned k = 0; k < search->lanes && findings->count <= ENOUGH; k++) {
        mapping_space_point(search->from, search->lane[k], point);
        struct number value = value_at(tree, point);
        findings->is_right =
            findings->is_right && value.is_good && value.value == search->values[search->lane[k]];
    }
}

/* Makes the search of a table. False if the table is not what can be searched, or an axis. */
static bool search_of(const struct table_of_lanes *table, uint32_t *values, struct search *search) {
    uint32_t point[MAPPING_AXES_MAX];
    bool differs = false, is_good = table->is_good, is_axis[2] = {true, true};
    size_t greatest = 0;
    for (size_t k = 0; k < SEARCH_LANES && is_good; k++) {
        int64_t value = table->value[k].value;
        mapping_space_point(&sixteen, k, point);
        values[k] = (uint32_t)value;
        greatest = values[k] > values[greatest] ? k : greatest;
        differs = differs || values[k] != values[0];
        for (int a = 0; a < 2; a++)
            is_axis[a] = is_axis[a] && value == point[a];
        is_good = value >= 0 && (value <= SEARCH_CONSTANT_MAX || random_number() % 4 == 0);
    }
    *search = (struct search){
        .from = &sixteen, .values = values, .lanes = SEARCH_LANES, .found = count_finding};
    for (size_t k = 0; k < SEARCH_LANES; k++) /* the greatest comes first */
        search->lane[k] = k == 0 ? greatest : k == greatest ? 0 : k;
    return is_good && differs && !is_axis[0] && !is_axis[1];
}

/* Searches with up to that many operators until an expression is found, which must happen, and
 * which must be right. Returns its number of operators. */
static unsigned finds(const struct search *wanted, unsigned operators) {
    struct search search = *wanted;
    struct findings findings = {&search, 0, true, 0};
    unsigned level = 0;
    search.context = &findings;
    while (level < operators && findings.count == 0)
        search_run(&search, ++level);
    assert_true(findings.count > 0);
    assert_true(findings.is_right);
    return level;
}

/* Makes random expressions with so many operators until as many as rounds need `least`: these are
 * found, or shorter ones, and what is found is right. */
static void search_finds(unsigned operators, unsigned least, unsigned rounds) {
    while (rounds > 0) {
        struct search search;
        uint32_t values[SEARCH_LANES];
        struct table_of_lanes table = random_tree(operators);
        if (search_of(&table, values, &search))
            rounds -= finds(&search, operators) >= least;
    }
}

#endif
