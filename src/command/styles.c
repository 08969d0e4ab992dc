/* styles.c - converts formulae to a style: with masks and shifts, as short as possible, or with /
 * and %. */
#include "command/show.h"

#include "layout/expr.h"
#include "layout/formula.h"
#include "layout/shorten.h"
#include "layout/space.h"
#include "source/proofs.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a formula with the fewest known operators: the proved result if the catalogue has this
 * formula, otherwise the result of a search of a millisecond. */
static void shorten(const struct mapping_layout *layout, const uint32_t *values,
                    struct deduced *deduced, char text[FORMULA_TEXT]) {
    struct proof proof;
    mapping_formula_print(&deduced->formula, &layout->from, text, FORMULA_TEXT);
    if (proof_find(&layout->from, text, &proof)) {
        deduced->operators = proof.operators;
        deduced->is_proved = proof.is_proved;
        snprintf(text, FORMULA_TEXT, "%.*s", (int)proof.length, proof.text);
        return;
    }
    if (!shorten_values(&layout->from, values, SHORTEN_QUICK, text, FORMULA_TEXT,
                        &deduced->operators, &deduced->is_proved))
        *text = '\0';
}

/* Writes one formula in a style, if the result gives the same values at every entry; otherwise does
 * not change it. The formula of an address is a sum with the fewest terms, unless the shortest is
 * requested. */
static void restyle_as(const struct mapping_layout *layout, const uint32_t *values,
                       enum formula_style style, bool is_address, struct deduced *deduced) {
    char text[FORMULA_TEXT] = "", factored[FORMULA_TEXT] = "";
    if (is_address)
        mapping_formula_print_factored(&deduced->formula, &layout->from, factored, FORMULA_TEXT);
    switch (style) {
    case FORMULA_SHORT:
        shorten(layout, values, deduced, text);
        if (is_address && formula_operators(factored) <= deduced->operators) {
            deduced->operators = formula_operators(factored);
            snprintf(text, FORMULA_TEXT, "%s", factored);
        }
        break;
    case FORMULA_DIVIDE:
        if (is_address)
            snprintf(text, FORMULA_TEXT, "%s", factored);
        else
            mapping_formula_print_divided(&deduced->formula, &layout->from, text, FORMULA_TEXT);
        break;
    case FORMULA_BITS: /* not changed */
    case FORMULA_STYLES:
        return;
    }
    size_t wrong;
    if (mapping_expression_gives(text, &layout->from, false, values, &wrong) != MAPPING_OK)
        return;
    deduced->is_counted = style == FORMULA_SHORT;
    deduced->text = memory_text(text);
}

/* Writes the formula of one axis. A gap of the layout may have any value, but the new formula keeps
 * the values of the old one there. So a proof that no shorter formula has these values is not a
 * proof for the layout. */
static void restyle_axis(struct derived *derived, uint32_t axis, enum formula_style style,
                         bool is_filled, bool is_address) {
    const struct mapping_layout *layout = &derived->layout;
    const struct mapping_space one = {1, {layout->to.axis[axis]}};
    struct deduced *deduced = &derived->formulae[axis];
    struct mapping_layout filled = {.from.count = 0};
    struct mapping_error error;
    if (!is_filled) {
        restyle_as(layout, layout->coordinate[axis], style, is_address, deduced);
        return;
    }
    mapping_layout_evaluate(&filled, &layout->from, &one, &deduced->formula, &error);
    restyle_as(layout, filled.coordinate[0], style, is_address, deduced);
    deduced->is_proved = deduced->is_proved && deduced->operators == 0;
    mapping_layout_free(&filled);
}

static void restyle_side(struct derived *derived, enum formula_style style, bool is_address) {
    bool is_filled = count_gaps(&derived->layout) > 0;
    for (uint32_t c = 0; c < derived->layout.to.count; c++)
        if (derived->formulae[c].found)
            restyle_axis(derived, c, style, is_filled, is_address);
}

/* ---- All reports ---- */

static bool same_formula(const struct mapping_formula *a, const struct mapping_formula *b,
                         uint32_t axes) {
    if (a->operation != b->operation || a->constant != b->constant ||
        memcmp(a->first, b->first, axes + 1) != 0)
        return false;
    for (unsigned t = 0; t < a->first[axes]; t++)
        if (a->terms[t].mask != b->terms[t].mask || a->terms[t].shift != b->terms[t].shift)
            return false;
    return true;
}

/* True if both sides have the same spaces and the same formulae, or if both are absent. */
static bool same_side(const struct derived *a, const struct derived *b) {
    if (!a || !b)
        return a == b;
    if (a->formulae == b->formulae)
        return true;
    if (!mapping_space_equal(&a->layout.from, &b->layout.from) ||
        !mapping_space_equal(&a->layout.to, &b->layout.to))
        return false;
    for (uint32_t c = 0; c < a->layout.to.count; c++)
        if (!a->formulae[c].found || !b->formulae[c].found ||
            !same_formula(&a->formulae[c].formula, &b->formulae[c].formula, a->layout.from.count))
            return false;
    return true;
}

struct restyling {
    struct report **reports;
    enum formula_style style;
};

static void restyle_one(void *context, size_t n) {
    const struct restyling *work = context;
    struct report *report = work->reports[n];
    restyle_side(&report->forward, work->style, report->smem != NULL);
    restyle_side(&report->inverse, work->style, report->smem != NULL);
    if (report->chosen)
        restyle_side(report->chosen, work->style, false);
}

/* Many fragments have the same layout, on many architectures. So only the first report of each
 * layout is restyled, and the others get copies of its formulae. */
void restyle(struct report *reports, size_t count, enum formula_style style) {
    if (style == FORMULA_BITS)
        return;
    struct restyling work = {memory_get(count, sizeof *work.reports), style};
    const struct report **first = memory_get(count, sizeof *first);
    size_t distinct = 0;
    for (size_t r = 0; r < count; r++) {
        size_t n = 0;
        while (n < distinct && !(same_side(&reports[r].forward, &work.reports[n]->forward) &&
                                 same_side(&reports[r].inverse, &work.reports[n]->inverse) &&
                                 same_side(reports[r].chosen, work.reports[n]->chosen)))
            n++;
        if (n == distinct)
            work.reports[distinct++] = &reports[r];
        first[r] = work.reports[n];
    }
    parallel_for(distinct, restyle_one, &work);
    for (size_t r = 0; r < count; r++) {
        reports[r].forward.formulae = first[r]->forward.formulae;
        reports[r].inverse.formulae = first[r]->inverse.formulae;
        if (reports[r].chosen && first[r]->chosen)
            reports[r].chosen->formulae = first[r]->chosen->formulae;
    }
}
