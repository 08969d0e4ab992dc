/* styles.c - formulae as they are asked for; see styles.h. */
#include "command/styles.h"

#include "layout/expr.h"
#include "layout/space.h"
#include "report/shorten.h"
#include "source/proofs.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a formula with as few operators as are known: as was proved for all of the catalogue, else
 * as is found in a millisecond. */
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

/* Writes one formula, if what comes out gives these values at every entry; else it stays as it is.
 */
static void restyle_as(const struct mapping_layout *layout, const uint32_t *values,
                       enum formula_style style, struct deduced *deduced) {
    char text[FORMULA_TEXT] = "";
    switch (style) {
    case FORMULA_SHORT:
        shorten(layout, values, deduced, text);
        break;
    case FORMULA_DIVIDE:
        mapping_formula_print_divided(&deduced->formula, &layout->from, text, FORMULA_TEXT);
        break;
    case FORMULA_BITS: /* as they are */
    case FORMULA_STYLES:
        return;
    }
    size_t wrong;
    if (memory_enough(mapping_expression_gives(text, &layout->from, false, values, &wrong)) !=
        MAPPING_OK)
        return;
    deduced->is_counted = style == FORMULA_SHORT;
    deduced->text = memory_text(text);
}

/* Does so for one axis. In gaps any value would do, but the formula's own is kept: that no shorter
 * formula gives them does not prove that none holds elsewhere. */
static void restyle_axis(struct solved *solved, uint32_t axis, enum formula_style style,
                         bool is_filled) {
    const struct mapping_layout *layout = &solved->layout;
    const struct mapping_space one = {1, {layout->to.axis[axis]}};
    struct deduced *deduced = &solved->formulae[axis];
    struct mapping_layout filled = {.from.count = 0};
    struct mapping_error error;
    if (!is_filled) {
        restyle_as(layout, layout->coordinate[axis], style, deduced);
        return;
    }
    memory_enough(mapping_layout_evaluate(&filled, &layout->from, &one, &deduced->formula, &error));
    restyle_as(layout, filled.coordinate[0], style, deduced);
    deduced->is_proved = deduced->is_proved && deduced->operators == 0;
    mapping_layout_free(&filled);
}

static void restyle_side(struct solved *solved, enum formula_style style) {
    bool is_filled = count_gaps(&solved->layout) > 0;
    for (uint32_t c = 0; c < solved->layout.to.count; c++)
        if (solved->formulae[c].found)
            restyle_axis(solved, c, style, is_filled);
}

/* ---- All reports ---- */

/* Many fragments have the same layout, and the same has one on many architectures: leader[r] is a
 * report with the formulae of report r, of which alone they are written. Reports are sorted by what
 * their formulae are. */
struct restyling {
    struct report *reports;
    enum formula_style style;
    struct keyed {
        uint64_t key;
        size_t report;
    } * sorted;
    size_t *leader;
};

/* The terms of a formula; how many they are. */
static unsigned count_terms(const struct mapping_formula *formula, uint32_t axes) {
    return formula->first[axes];
}

static bool same_formula(const struct mapping_formula *a, const struct mapping_formula *b,
                         uint32_t axes) {
    if (a->operation != b->operation || a->constant != b->constant ||
        memcmp(a->first, b->first, axes + 1) != 0)
        return false;
    for (unsigned t = 0; t < count_terms(a, axes); t++)
        if (a->terms[t].mask != b->terms[t].mask || a->terms[t].shift != b->terms[t].shift)
            return false;
    return true;
}

/* True if both sides have the same spaces, and formulae that are there and are the same. */
static bool same_side(const struct solved *a, const struct solved *b) {
    if (!mapping_space_equal(&a->layout.from, &b->layout.from) ||
        !mapping_space_equal(&a->layout.to, &b->layout.to))
        return false;
    for (uint32_t c = 0; c < a->layout.to.count; c++)
        if (!a->formulae[c].found || !b->formulae[c].found ||
            !same_formula(&a->formulae[c].formula, &b->formulae[c].formula, a->layout.from.count))
            return false;
    return true;
}

/* A number that is the same for reports with the same formulae. */
static uint64_t key_of(const struct report *report) {
    const struct solved *solved = &report->forward;
    uint32_t axes = solved->layout.from.count;
    uint64_t key = mapping_layout_entries(&solved->layout);
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        const struct mapping_formula *formula = &solved->formulae[c].formula;
        for (unsigned t = 0; solved->formulae[c].found && t < count_terms(formula, axes); t++)
            key = key * 1000003 + formula->terms[t].mask + (uint64_t)(formula->terms[t].shift + 32);
    }
    return key;
}

static int by_key(const void *a, const void *b) {
    const struct keyed *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->report > other->report) - (one->report < other->report);
}

static void find_leaders(struct restyling *work, size_t count) {
    for (size_t r = 0; r < count; r++)
        work->sorted[r] = (struct keyed){key_of(&work->reports[r]), r};
    qsort(work->sorted, count, sizeof *work->sorted, by_key);
    for (size_t n = 0, first = 0; n < count; n++) {
        const struct report *report = &work->reports[work->sorted[n].report];
        const struct report *leader = &work->reports[work->sorted[first].report];
        if (work->sorted[n].key != work->sorted[first].key ||
            !same_side(&report->forward, &leader->forward) ||
            !same_side(&report->inverse, &leader->inverse))
            first = n;
        work->leader[work->sorted[n].report] = work->sorted[first].report;
    }
}

static void restyle_one(void *context, size_t r) {
    struct restyling *work = context;
    if (work->leader[r] != r)
        return;
    restyle_side(&work->reports[r].forward, work->style);
    restyle_side(&work->reports[r].inverse, work->style);
}

/* Takes what was written for the same layout. */
static void copy_side(const struct solved *leader, struct solved *solved) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        const struct deduced *from = &leader->formulae[c];
        struct deduced *deduced = &solved->formulae[c];
        deduced->is_counted = from->is_counted;
        deduced->is_proved = from->is_proved;
        deduced->operators = from->operators;
        if (from->text)
            deduced->text = memory_text(from->text);
    }
}

static void restyle_all(struct restyling *work, size_t count) {
    find_leaders(work, count);
    parallel_for(count, restyle_one, work);
    for (size_t r = 0; r < count; r++) {
        const struct report *leader = &work->reports[work->leader[r]];
        if (work->leader[r] == r)
            continue;
        copy_side(&leader->forward, &work->reports[r].forward);
        copy_side(&leader->inverse, &work->reports[r].inverse);
    }
}

void restyle(struct report *reports, size_t count, enum formula_style style) {
    if (style == FORMULA_BITS)
        return;
    struct restyling work = {reports, style, memory_get(count, sizeof *work.sorted),
                             memory_get(count, sizeof *work.leader)};
    restyle_all(&work, count);
}
