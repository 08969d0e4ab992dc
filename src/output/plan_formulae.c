/* plan_formulae.c - formulae of the addresses of loads and stores of shared memory: one for each
 * step, one for all steps, or one step in terms of another. */
#include "output/output.h"

#include "layout/formula.h"
#include "layout/shorten.h"

#include <string.h>

/* ---- Formulae ---- */

/* An equal formula with fewer operators, if the search finds one. */
static const char *shortened(const struct mapping_formula *formula,
                             const struct mapping_space *space, const char *text) {
    size_t points = mapping_space_size(space);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    char found[FORMULA_TEXT];
    unsigned operators;
    bool is_proved;
    for (size_t n = 0; n < points; n++) {
        mapping_space_point(space, n, point);
        values[n] = mapping_formula_evaluate(formula, space->count, point);
    }
    return shorten_values(space, values, SHORTEN_QUICK, found, FORMULA_TEXT, &operators,
                          &is_proved) &&
                   operators < formula_operators(text)
               ? memory_text(found)
               : text;
}

/* The text of a formula in a style; NULL if it is too long. */
static const char *styled(const struct mapping_formula *formula, const struct mapping_space *space,
                          enum formula_style style) {
    char text[FORMULA_TEXT];
    const size_t length = style == FORMULA_BITS
                              ? mapping_formula_print(formula, space, text, sizeof text)
                              : mapping_formula_print_factored(formula, space, text, sizeof text);
    if (length >= sizeof text)
        return NULL;
    return memory_text(style == FORMULA_SHORT ? shortened(formula, space, text) : text);
}

const char *load_formula(const struct mapping_copy_plan *plan, const struct mapping_copy_step *step,
                         enum formula_style style) {
    const struct mapping_space of_step = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space of_all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    if (step)
        return step->has_formula ? styled(&step->formula, &of_step, style) : NULL;
    return plan->has_formula ? styled(&plan->formula, &of_all, style) : NULL;
}

bool load_place(const struct report *report, const struct mapping_copy_plan *plan,
                const struct mapping_copy_step *step, enum formula_style style, const char **place,
                const char **address) {
    enum { CHUNK_BITS = 128 };
    const struct mapping_layout *matrix = &report->forward.layout;
    const struct mapping_axis *axes = matrix->from.axis + matrix->from.count - 2;
    const uint32_t bits = report->smem->bits, threads = plan->threads;
    const uint32_t lanes = mapping_access_lanes(plan->access), cols = axes[1].size;
    const size_t entries = (size_t)axes[0].size * cols, offsets = matrix->to.axis[0].size;
    uint32_t *holders = memory_get(offsets, sizeof *holders);
    uint32_t *values[] = {memory_get(threads, sizeof **values),
                          memory_get(threads, sizeof **values)};
    uint32_t *bytes = memory_get(entries, sizeof *bytes);
    struct mapping_formula formula;
    const char *formulae[2];
    uint32_t unit = bits < CHUNK_BITS ? CHUNK_BITS / bits : 1;
    memset(holders, 0xff, offsets * sizeof *holders);
    for (size_t n = 0; n < entries; n++)
        holders[matrix->coordinate[0][n]] = (uint32_t)n;
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t byte = step->address[t - t % LANES + t % LANES % lanes];
        const uint64_t bit = byte * UINT64_C(8);
        if (byte == MAPPING_INACTIVE || bit % bits != 0 || bit / bits >= offsets ||
            holders[bit / bits] == UINT32_MAX)
            return false;
        values[0][t] = holders[bit / bits] / cols;
        values[1][t] = holders[bit / bits] % cols;
        while (values[1][t] % unit != 0 || cols % unit != 0)
            unit /= 2;
    }
    if (unit * bits != CHUNK_BITS)
        unit = 1;
    const struct mapping_space of_tid = {1, {{MAPPING_AXIS_TID, threads}}};
    const struct mapping_space places = {
        2, {axes[0], {unit > 1 ? "chunk" : axes[1].name, cols / unit}}};
    for (uint32_t a = 0; a < 2; a++) {
        for (uint32_t t = 0; t < threads && a == 1; t++)
            values[a][t] /= unit;
        formulae[a] =
            mapping_deduce(&of_tid, values[a], &formula) ? styled(&formula, &of_tid, style) : NULL;
        if (!formulae[a])
            return false;
    }
    for (size_t n = 0; n < entries / unit; n++)
        bytes[n] = (uint32_t)(matrix->coordinate[0][n * unit] * (uint64_t)bits / 8);
    *place = memory_format("%s = %s, %s = %s", places.axis[0].name, formulae[0],
                           places.axis[1].name, formulae[1]);
    *address = mapping_deduce(&places, bytes, &formula) ? styled(&formula, &places, style) : NULL;
    return *address;
}

/* ---- Steps as a function of other steps ---- */

/* True if the relation of two addresses also holds at all origins. */
static bool relates_at_origins(const struct mapping_copy_moves *moves, uint32_t one, uint32_t other,
                               char operation, uint32_t constant) {
    for (size_t n = 0; moves && n < moves->count; n++) {
        const uint32_t byte = moves->bytes[n];
        const uint32_t from = moves->operation == '+' ? one + byte : one ^ byte;
        if ((operation == '+' ? from + constant : from ^ constant) !=
            (moves->operation == '+' ? other + byte : other ^ byte))
            return false;
    }
    return true;
}

/* True if the addresses of a step are those of another plus a constant (or xor a constant), in each
 * lane with an address. '+' is modulo 2^32. */
static bool relates(const struct mapping_copy_plan *plan, const struct mapping_copy_moves *moves,
                    uint32_t step, uint32_t leader, char operation, uint32_t *constant) {
    const uint32_t *one = plan->steps[leader].address, *other = plan->steps[step].address;
    *constant = operation == '+' ? other[0] - one[0] : other[0] ^ one[0];
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t moved = operation == '+' ? one[t] + *constant : one[t] ^ *constant;
        if (other[t] != (one[t] == MAPPING_INACTIVE ? MAPPING_INACTIVE : moved) ||
            (one[t] != MAPPING_INACTIVE &&
             !relates_at_origins(moves, one[t], other[t], operation, *constant)))
            return false;
    }
    return true;
}

void load_relate(const struct mapping_copy_plan *plan, const struct mapping_copy_moves *moves,
                 struct relation *relations) {
    for (uint32_t step = 0; step < plan->step_count; step++) {
        struct relation *relation = &relations[step];
        *relation = (struct relation){step, '+', 0};
        for (const char *operation = "+^"; *operation && relation->leader == step; operation++)
            for (uint32_t s = 0; s < step && relation->leader == step; s++) {
                uint32_t constant;
                if (relations[s].leader == s &&
                    relates(plan, moves, step, s, *operation, &constant))
                    *relation = (struct relation){s, *operation, constant};
            }
    }
}

const char *load_change(const struct mapping_copy_plan *plan) {
    const struct mapping_space steps = {1, {{"s", plan->step_count}}};
    uint32_t *constants = memory_get(plan->step_count, sizeof *constants);
    for (const char *operation = "+^-"; *operation; operation++) {
        uint32_t step = 0;
        for (; step < plan->step_count; step++) {
            if (!relates(plan, NULL, step, 0, *operation == '^' ? '^' : '+', &constants[step]))
                break;
            if (*operation == '-')
                constants[step] = 0U - constants[step];
        }
        const char *formula = step < plan->step_count ? NULL : factored_formula(&steps, constants);
        if (formula)
            return memory_format(strpbrk(formula, *operation == '+' ? "^" : "+^") ? "%c (%s)"
                                                                                  : "%c %s",
                                 *operation, formula);
    }
    return NULL;
}
