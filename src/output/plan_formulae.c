/* plan_formulae.c - formulae of the addresses of loads and stores of shared memory: one for each
 * step, one for all steps, or one step in terms of another. */
#include "output/output.h"

#include "layout/formula.h"
#include "layout/sentence.h"
#include "layout/shorten.h"

#include <stdio.h>
#include <string.h>

/* ---- Formulae ---- */

/* Replaces a formula by an equal one with fewer operators, if the search finds one. */
static void shorten(const struct mapping_formula *formula, const struct mapping_space *space,
                    char text[FORMULA_TEXT]) {
    size_t points = mapping_space_size(space);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    char *found = memory_get(FORMULA_TEXT, 1);
    unsigned operators;
    bool is_proved;
    for (size_t n = 0; n < points; n++) {
        mapping_space_point(space, n, point);
        values[n] = mapping_formula_evaluate(formula, space->count, point);
    }
    if (shorten_values(space, values, SHORTEN_QUICK, found, FORMULA_TEXT, &operators, &is_proved) &&
        operators < formula_operators(text))
        snprintf(text, FORMULA_TEXT, "%s", found);
}

static bool write_formula(const struct mapping_formula *formula, const struct mapping_space *space,
                          enum formula_style style, char text[FORMULA_TEXT]) {
    if (style == FORMULA_BITS)
        return mapping_formula_print(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
    if (mapping_formula_print_factored(formula, space, text, FORMULA_TEXT) >= FORMULA_TEXT)
        return false;
    if (style == FORMULA_SHORT)
        shorten(formula, space, text);
    return true;
}

bool load_formula(const struct mapping_copy_plan *plan, const struct mapping_copy_step *step,
                  enum formula_style style, char text[FORMULA_TEXT]) {
    const struct mapping_space of_step = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space of_all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space *space = step ? &of_step : &of_all;
    const struct mapping_formula *formula = step ? &step->formula : &plan->formula;
    if (!(step ? step->has_formula : plan->has_formula))
        return false;
    return write_formula(formula, space, style, text);
}

bool load_place(const struct report *report, const struct mapping_copy_plan *plan,
                const struct mapping_copy_step *step, enum formula_style style,
                char place[PLACE_TEXT], char address[FORMULA_TEXT]) {
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
    char text[FORMULA_TEXT];
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
    *place = '\0';
    for (uint32_t a = 0; a < 2; a++) {
        for (uint32_t t = 0; t < threads && a == 1; t++)
            values[a][t] /= unit;
        if (!mapping_deduce(&of_tid, values[a], &formula) ||
            !write_formula(&formula, &of_tid, style, text))
            return false;
        mapping_append(place, PLACE_TEXT, "%s%s = %s", a > 0 ? ", " : "", places.axis[a].name,
                       text);
    }
    for (size_t n = 0; n < entries / unit; n++)
        bytes[n] = (uint32_t)(matrix->coordinate[0][n * unit] * (uint64_t)bits / 8);
    return mapping_deduce(&places, bytes, &formula) &&
           write_formula(&formula, &places, style, address);
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

bool load_change(const struct mapping_copy_plan *plan, char text[FORMULA_TEXT]) {
    const struct mapping_space steps = {1, {{"s", plan->step_count}}};
    uint32_t *constants = memory_get(plan->step_count, sizeof *constants);
    struct mapping_formula formula;
    for (const char *operation = "+^-"; *operation; operation++) {
        uint32_t step = 0;
        for (; step < plan->step_count; step++) {
            if (!relates(plan, NULL, step, 0, *operation == '^' ? '^' : '+', &constants[step]))
                break;
            if (*operation == '-')
                constants[step] = 0U - constants[step];
        }
        const int start = snprintf(text, FORMULA_TEXT, "%c ", *operation);
        if (step < plan->step_count || !mapping_deduce(&steps, constants, &formula) ||
            mapping_formula_print_factored(&formula, &steps, text + start, FORMULA_TEXT - 4) >=
                FORMULA_TEXT - 4)
            continue;
        if (strpbrk(text + start, *operation == '+' ? "^" : "+^")) {
            memmove(text + start + 1, text + start, strlen(text + start) + 1);
            text[start] = '(';
            mapping_append(text, FORMULA_TEXT, ")");
        }
        return true;
    }
    return false;
}
