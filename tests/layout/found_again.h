/* found_again.h - random expressions, and searches that have to find them again: for tests of the
 * search, with constants of one byte and with small ones. */
#ifndef FOUND_AGAIN_H
#define FOUND_AGAIN_H

#include "layout/c_operators.h"
#include "layout/search.h"
#include "mapping.h"
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
static const struct mapping_space lanes = {2, {{"tid", 8}, {"i", 2}}};

static struct table_of_lanes {
    struct number value[SEARCH_LANES];
    bool is_good;
} random_tree(unsigned operators) {
    struct table_of_lanes tree = {.is_good = true}, left, right;
    uint32_t point[MAPPING_AXES_MAX], leaf = random_number();
    for (size_t k = 0; k < SEARCH_LANES && operators == 0; k++) {
        mapping_space_point(&lanes, k, point);
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

/* How many expressions were found, and whether all are right. */
struct findings {
    const struct search *search;
    unsigned count;
    bool is_right;
};

/* Operators as C has them; a minus of one operand is "neg". */
static const char *const operator_names[SEARCH_OPERATORS] = {
    [SEARCH_NEGATE] = "neg",    [SEARCH_COMPLEMENT] = "~",
    [SEARCH_NOT] = "!",         [SEARCH_MULTIPLY] = "*",
    [SEARCH_DIVIDE] = "/",      [SEARCH_REMAINDER] = "%",
    [SEARCH_ADD] = "+",         [SEARCH_SUBTRACT] = "-",
    [SEARCH_SHIFT_LEFT] = "<<", [SEARCH_SHIFT_RIGHT] = ">>",
    [SEARCH_LESS] = "<",        [SEARCH_GREATER] = ">",
    [SEARCH_LESS_EQUAL] = "<=", [SEARCH_GREATER_EQUAL] = ">=",
    [SEARCH_EQUAL] = "==",      [SEARCH_NOT_EQUAL] = "!=",
    [SEARCH_AND] = "&",         [SEARCH_EXCLUSIVE] = "^",
    [SEARCH_OR] = "|",          [SEARCH_BOTH] = "&&",
    [SEARCH_EITHER] = "||"};

static struct number value_of(const struct search *search, const struct search_tree *tree, int k) {
    if (tree->operation == SEARCH_CONSTANT)
        return (struct number){tree->value, false, true};
    if (tree->operation == SEARCH_VARIABLE)
        return (struct number){search->variable[tree->value][k], false, true};
    struct number left = value_of(search, tree->left, k);
    if (tree->operation == SEARCH_NEGATE)
        return number_of(-left.value, false, left.is_good);
    if (tree->operation == SEARCH_COMPLEMENT)
        return number_of(~left.value, false, left.is_good);
    if (tree->operation == SEARCH_NOT)
        return number_of(left.value == 0, false, left.is_good);
    return applied(operator_names[tree->operation], left, value_of(search, tree->right, k));
}

static void count_finding(void *context, const struct search_tree *tree) {
    struct findings *findings = context;
    enum { ENOUGH = 1000 }; /* more are not evaluated */
    findings->count++;
    for (int k = 0; k < SEARCH_LANES && findings->count <= ENOUGH; k++) {
        struct number value = value_of(findings->search, tree, k);
        findings->is_right =
            findings->is_right && value.is_good && value.value == findings->search->target[k];
    }
}

/* Makes the search of a table. False if the table is not what can be searched. */
static bool search_of(const struct table_of_lanes *table, struct search *search) {
    uint32_t point[MAPPING_AXES_MAX];
    bool differs = false, is_good = table->is_good;
    int greatest = 0;
    *search = (struct search){.variables = 2, .all = INT32_MAX, .found = count_finding};
    for (int k = 0; k < SEARCH_LANES; k++) {
        is_good = is_good && table->value[k].value >= 0;
        differs = differs || table->value[k].value != table->value[0].value;
        greatest = table->value[k].value > table->value[greatest].value ? k : greatest;
    }
    for (int k = 0; k < SEARCH_LANES && is_good; k++) {
        int entry = k == 0 ? greatest : k == greatest ? 0 : k;
        mapping_space_point(&lanes, (size_t)entry, point);
        search->target[k] = (int32_t)table->value[entry].value;
        search->variable[0][k] = (int32_t)point[0];
        search->variable[1][k] = (int32_t)point[1];
        search->any |= search->target[k];
        search->all &= search->target[k];
        is_good = is_good && (search->target[k] <= SEARCH_CONSTANT_MAX || random_number() % 4 == 0);
    }
    return is_good && differs;
}

/* True if the target is a variable. */
static bool is_variable(const struct search *search) {
    return memcmp(search->target, search->variable[0], sizeof search->target) == 0 ||
           memcmp(search->target, search->variable[1], sizeof search->target) == 0;
}

/* Searches with up to that many operators, until something is found, which has to be, and to be
 * right. Returns with how many it was. */
static unsigned finds(const struct search *wanted, unsigned operators) {
    struct search search = *wanted;
    struct findings findings = {&search, 0, true};
    search.context = &findings;
    unsigned level = 0;
    while (level < operators && findings.count == 0)
        assert_true(mapping_search_run(&search, ++level));
    assert_true(findings.count > 0);
    assert_true(findings.is_right);
    return level;
}

/* Makes random expressions with so many operators until as many as rounds need `least`: these are
 * found, or shorter ones, and what is found is right. */
static void search_finds(unsigned operators, unsigned least, unsigned rounds) {
    while (rounds > 0) {
        struct search search;
        struct table_of_lanes table = random_tree(operators);
        if (!search_of(&table, &search) || is_variable(&search))
            continue;
        rounds -= finds(&search, operators) >= least;
    }
}

#endif
