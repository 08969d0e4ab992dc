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

#include "layout/shorten_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (mapping_shorten_has_negative(task))
        return SHORTEN_CANONICAL;
    mapping_shorten_offer_terms(task, formula, effort);
    if (!task->failed)
        *is_proved = mapping_shorten_search_levels(task, effort);
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
    if (!task || !mapping_shorten_task_init(task, from, &formula)) {
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
