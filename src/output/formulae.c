/* formulae.c - prints formulae as lines of text; see formulae.h. */
#include "output/formulae.h"

#include "layout/space.h"

/* Prints the axes of a space as a list, in the order of formulae: "row, col and copy". The inverse
 * names the copy only if there are several. */
static void print_axes(struct printer *to, const struct mapping_space *space, bool is_inverse) {
    uint8_t order[MAPPING_AXES_MAX];
    uint32_t count = space->count;
    mapping_space_order(space, order); /* copies come last */
    if (is_inverse && space->axis[count - 1].size == 1)
        count--;
    for (uint32_t a = 0; a < count; a++)
        print(to, "%s%s", a == 0 ? "" : a + 1 < count ? ", " : " and ", space->axis[order[a]].name);
}

/* True if an axis of the output could need more terms than the search for formulae tries. A formula
 * has at most one term for each input axis and shift, where a shift moves a bit of that axis to a
 * bit of the output. */
static bool has_many_terms(const struct mapping_layout *layout, uint32_t c) {
    const unsigned bits = mapping_bits_below(layout->to.axis[c].size);
    unsigned terms = 0;
    for (uint32_t a = 0; a < layout->from.count; a++) {
        const unsigned from = mapping_bits_below(layout->from.axis[a].size);
        terms += from > 0 && bits > 0 ? from + bits - 1 : 0;
    }
    return terms > MAPPING_MAX_TERMS;
}

static void print_solution(struct printer *to, const struct derived *derived, bool is_inverse) {
    const struct mapping_layout *layout = &derived->layout;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const char *formula = derived_formula(derived, c), *remark = derived_remark(derived, c);
        const char *label = axis_label(layout->to.axis[c].name);
        if (formula) {
            print(to, *remark ? "%s: return %s; // %s\n" : "%s: return %s;\n", label, formula,
                  remark);
            continue;
        }
        print(to, "%s: no formula: the value is not a sum or XOR of ", label);
        if (has_many_terms(layout, c))
            print(to, "up to %d ", MAPPING_MAX_TERMS);
        print_text(to, "masked and shifted ");
        print_axes(to, &layout->from, is_inverse);
        print_char(to, '\n');
    }
}

void print_formulae(struct printer *to, const struct report *report) {
    print_text(to, "Formulae:\n");
    print_solution(to, &report->forward, false);
    if (!report_has_inverse(report))
        return;
    print_text(to, "\nInverse:\n");
    print_solution(to, report_inverse(report), true);
}

void print_short_formulae(struct printer *to, const struct report *report, bool has_inverse) {
    print_solution(to, &report->forward, false);
    if (has_inverse && report_has_inverse(report))
        print_solution(to, report_inverse(report), true);
}
