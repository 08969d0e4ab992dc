/* shorten_task.c - a table that is to be expressed: what is offered is evaluated at all entries,
 * and the best is kept; and the search of all expressions, level by level. */
#include "layout/expr.h"
#include "layout/shorten_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- A table that is to be expressed ---- */

bool mapping_shorten_task_init(struct task *task, const struct mapping_space *from,
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

bool mapping_shorten_has_negative(const struct task *task) {
    for (size_t n = 0; n < task->entries; n++)
        if (task->values[n] > INT32_MAX)
            return true;
    return false;
}

enum offer mapping_shorten_offer(struct task *task, struct expression *e, size_t *wrong) {
    char text[SHORTEN_TEXT] = "";
    if (e->count > SHORTEN_TOKENS)
        return OFFER_UNCLEAR;
    unsigned operators = mapping_shorten_count(e),
             effort = mapping_shorten_express(&task->from, e, text);
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
    memcpy(task->text, text, SHORTEN_TEXT);
    return OFFER_TAKEN;
}

/* ---- From below ---- */

static void push_tree(struct expression *e, const struct search_tree *tree, const uint8_t *axes) {
    if (tree->operation == SEARCH_CONSTANT)
        mapping_shorten_push_constant(e, tree->value);
    else if (tree->operation == SEARCH_VARIABLE)
        shorten_push(e, SEARCH_VARIABLE, axes[tree->value]);
    else {
        push_tree(e, tree->left, axes);
        if (tree->right)
            push_tree(e, tree->right, axes);
        shorten_push(e, tree->operation, 0);
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
    if (e.count <= SHORTEN_TOKENS && mapping_shorten_count(&e) > task->level) {
        task->unresolved = true; /* a constant may be had for less */
        mapping_shorten_offer(task, &e, &wrong);
        return;
    }
    enum offer result = mapping_shorten_offer(task, &e, &wrong);
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
        mapping_shorten_push_constant(&e, task->values[0]);
    for (uint32_t a = 0; a < task->from.count && n < task->entries; a++) {
        e.count = 0;
        shorten_push(&e, SEARCH_VARIABLE, (int32_t)a);
        mapping_shorten_offer(task, &e, &wrong);
    }
    if (n == task->entries)
        mapping_shorten_offer(task, &e, &wrong);
    return n == task->entries;
}

bool mapping_shorten_search_levels(struct task *task, unsigned most) {
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
