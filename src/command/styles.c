/* styles.c - formulae as they are asked for; see styles.h. */
#include "command/styles.h"

#include "layout/expression.h"
#include "layout/shorten.h"
#include "source/shortest.h"
#include "system/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a formula with as few operators as are known: as was proved for all of the catalogue, else
 * as is found in a millisecond. MAPPING_FAILED if out of memory. */
static enum mapping_status shorten(const struct solved *solved, uint32_t axis,
                                   struct deduced *deduced, char text[FORMULA_TEXT]) {
    const struct mapping_layout *layout = &solved->layout;
    struct shortest shortest;
    mapping_formula_print(&deduced->formula, &layout->from, text, FORMULA_TEXT);
    if (shortest_find(&layout->from, text, &shortest)) {
        deduced->operators = shortest.operators;
        deduced->is_proved = shortest.is_proved;
        snprintf(text, FORMULA_TEXT, "%.*s", (int)shortest.length, shortest.text);
        return MAPPING_OK;
    }
    enum shorten_result result =
        mapping_shorten(&layout->from, layout->coordinate[axis], SHORTEN_QUICK, text, FORMULA_TEXT,
                        &deduced->operators, &deduced->is_proved);
    if (result != SHORTEN_FOUND && result != SHORTEN_CANONICAL)
        *text = '\0';
    return result == SHORTEN_FAILED ? MAPPING_FAILED : MAPPING_OK;
}

/* Writes one formula, if what comes out holds at every entry; else it stays as it is. */
static enum mapping_status restyle_formula(struct solved *solved, uint32_t axis,
                                           enum formula_style style) {
    const struct mapping_layout *layout = &solved->layout;
    struct deduced *deduced = &solved->formulae[axis];
    char text[FORMULA_TEXT] = "";
    enum mapping_status status = MAPPING_OK;
    if (style == FORMULA_SHORT)
        status = shorten(solved, axis, deduced, text);
    else
        mapping_formula_print_divided(&deduced->formula, &layout->from, text, FORMULA_TEXT);
    if (status != MAPPING_OK ||
        !mapping_expression_gives(text, &layout->from, layout->coordinate[axis]))
        return status;
    deduced->is_counted = style == FORMULA_SHORT;
    deduced->text = strdup(text);
    return deduced->text ? MAPPING_OK : MAPPING_FAILED;
}

static enum mapping_status restyle_side(struct solved *solved, enum formula_style style) {
    enum mapping_status status = MAPPING_OK;
    for (uint32_t c = 0; c < solved->layout.to.count && status == MAPPING_OK; c++)
        if (solved->formulae[c].found)
            status = restyle_formula(solved, c, style);
    return status;
}

struct restyling {
    struct report *reports;
    enum formula_style style;
    enum mapping_status *statuses;
};

static void restyle_one(void *context, size_t r) {
    struct restyling *work = context;
    work->statuses[r] = restyle_side(&work->reports[r].forward, work->style);
    if (work->statuses[r] == MAPPING_OK)
        work->statuses[r] = restyle_side(&work->reports[r].inverse, work->style);
}

enum mapping_status restyle(struct report *reports, size_t count, enum formula_style style,
                            struct mapping_error *error) {
    if (style == FORMULA_BITS)
        return MAPPING_OK;
    struct restyling work = {reports, style, calloc(count, sizeof *work.statuses)};
    enum mapping_status status = work.statuses ? MAPPING_OK : MAPPING_FAILED;
    if (work.statuses)
        parallel_for(count, restyle_one, &work);
    for (size_t r = 0; r < count && status == MAPPING_OK; r++)
        status = work.statuses[r];
    free(work.statuses);
    return status == MAPPING_OK ? status : mapping_out_of_memory(error);
}
