/* styles.c - formulae as they are asked for; see styles.h. */
#include "command/styles.h"

#include "system/parallel.h"

#include <string.h>

/* Writes a formula with / % and *. */
static void divide(const struct solved *solved, const struct deduced *deduced,
                   char text[FORMULA_TEXT]) {
    mapping_formula_print_divided(&deduced->formula, &solved->layout.from, text, FORMULA_TEXT);
}

static bool restyle_solved(struct solved *solved, enum formula_style style) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        struct deduced *deduced = &solved->formulae[c];
        char text[FORMULA_TEXT];
        if (!deduced->found)
            continue;
        divide(solved, deduced, text);
        if (!(deduced->text = strdup(text)))
            return false;
    }
    (void)style;
    return true;
}

enum mapping_status restyle(struct report *reports, size_t count, enum formula_style style,
                            struct mapping_error *error) {
    for (size_t r = 0; r < count && style != FORMULA_BITS; r++)
        if (!restyle_solved(&reports[r].forward, style) ||
            !restyle_solved(&reports[r].inverse, style))
            return mapping_out_of_memory(error);
    return MAPPING_OK;
}
