/* report.c - functions on a report that all formats use. */
#include "report/report.h"

#include "layout/formula.h"
#include "layout/sentence.h"

#include <ctype.h>
#include <string.h>

static const struct mapping_axis *copy_axis(const struct report *report) {
    static const struct mapping_axis one = {MAPPING_AXIS_COPY, 1};
    const struct mapping_space *from = &report->inverse.layout.from;
    return report_has_inverse(report) ? &from->axis[from->count - 1] : &one;
}

bool report_wants_suffix(const struct report *report) {
    const char *letters = mapping_target_letters(report->observed.fragment.suffix, report->arch);
    return report->has_fragment && report->suffix && *letters && !strchr(letters, report->suffix);
}

const char *report_copy_axis(const struct report *report) {
    return copy_axis(report)->name;
}

bool is_of_threads(const struct mapping_space *space) {
    return space->count == 2 && mapping_space_find(space, MAPPING_AXIS_TID) == 0 &&
           mapping_space_find(space, MAPPING_AXIS_I) == 1;
}

bool report_has_order(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return is_of_threads(&layout->from) && has_matrix(&layout->to);
}

bool has_matrix(const struct mapping_space *space) {
    return mapping_space_find(space, MAPPING_AXIS_ROW) >= 0 &&
           mapping_space_find(space, MAPPING_AXIS_COL) >= 0;
}

bool has_lanes(const struct mapping_space *space) {
    return mapping_space_find(space, MAPPING_AXIS_LANE) >= 0 &&
           mapping_space_find(space, MAPPING_AXIS_COLUMN) >= 0;
}

bool is_in_lanes(const struct mapping_space *from, const struct mapping_space *to) {
    return mapping_space_find(from, MAPPING_AXIS_ROW) >= 0 &&
           mapping_space_find(to, MAPPING_AXIS_LANE) >= 0;
}

size_t count_gaps(const struct mapping_layout *inverse) {
    const size_t entries = inverse->from.count > 0 ? mapping_layout_entries(inverse) : 0;
    size_t gaps = 0;
    for (size_t n = 0; n < entries; n++)
        gaps += is_gap(inverse, n);
    return gaps;
}

bool report_has_inverse(const struct report *report) {
    return report->inverse.layout.from.count > 0;
}

const struct derived *report_inverse(const struct report *report) {
    return report->chosen ? report->chosen : &report->inverse;
}

uint32_t report_copies(const struct report *report) {
    return report_has_inverse(report) ? copy_axis(report)->size : 1;
}

const char *derived_formula(const struct derived *derived, uint32_t axis) {
    const struct deduced *deduced = &derived->formulae[axis];
    if (deduced->text || !deduced->found)
        return deduced->text;
    return formula_text(&deduced->formula, &derived->layout.from);
}

const char *derived_remark(const struct derived *derived, uint32_t axis) {
    const struct deduced *deduced = &derived->formulae[axis];
    if (!deduced->is_counted)
        return "";
    return memory_format("%u operator%s, %sproved to be the fewest", deduced->operators,
                         mapping_plural(deduced->operators), deduced->is_proved ? "" : "not ");
}

const char *formula_text(const struct mapping_formula *formula, const struct mapping_space *from) {
    char text[FORMULA_TEXT];
    mapping_formula_print(formula, from, text, sizeof text);
    return memory_text(text);
}

const char *factored_formula(const struct mapping_space *from, const uint32_t *values) {
    struct mapping_formula formula;
    char text[FORMULA_TEXT];
    if (!mapping_deduce(from, values, &formula) ||
        mapping_formula_print_factored(&formula, from, text, sizeof text) >= sizeof text)
        return NULL;
    return memory_text(text);
}

char *axis_label(const char *name) {
    char *label = memory_text(name);
    *label = (char)toupper((unsigned char)*label);
    return label;
}

/* ---- Memory ---- */

static void release(struct mapping_layout *layout, bool is_last) {
    if (is_last)
        mapping_free(layout->coordinate[0]);
    memset(layout->coordinate, 0, sizeof layout->coordinate);
}

void report_release(struct report *report) {
    const bool is_last = !report->users || atomic_fetch_sub(report->users, 1) == 1;
    release(&report->observed.layout, is_last);
    release(&report->forward.layout, is_last);
    release(&report->inverse.layout, is_last && !report->tmem); /* parts share their inverse */
}
