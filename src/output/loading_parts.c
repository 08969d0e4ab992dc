/* loading_parts.c - what the formats that print loads and stores share; see loading_parts.h. */
#include "output/loading_parts.h"

#include "report/shorten.h"
#include "system/system.h"

#include <stdlib.h>

/* Writes a formula with the fewest operators that are found; false if there is none. */
static bool shorten(const struct mapping_formula *formula, const struct mapping_space *space,
                    char text[FORMULA_TEXT]) {
    size_t points = mapping_space_size(space);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    unsigned operators;
    bool is_proved;
    for (size_t n = 0; n < points; n++) {
        mapping_space_point(space, n, point);
        values[n] = mapping_formula_evaluate(formula, space->count, point);
    }
    return shorten_values(space, values, SHORTEN_QUICK, text, FORMULA_TEXT, &operators, &is_proved);
}

static bool write_formula(const struct mapping_formula *formula, const struct mapping_space *space,
                          enum formula_style style, char text[FORMULA_TEXT]) {
    if (style == FORMULA_DIVIDE)
        return mapping_formula_print_divided(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
    return (style == FORMULA_SHORT && shorten(formula, space, text)) ||
           mapping_formula_print(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
}

bool loading_formula(const struct mapping_loading *plan, const struct mapping_loading_step *step,
                     enum formula_style style, char text[FORMULA_TEXT]) {
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    return step->has_formula && write_formula(&step->formula, &space, style, text);
}

bool loading_common_formula(const struct mapping_loading *plan, enum formula_style style,
                            char text[FORMULA_TEXT]) {
    const struct mapping_space space = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    return plan->has_formula && write_formula(&plan->formula, &space, style, text);
}
