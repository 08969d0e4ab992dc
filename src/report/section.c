/* section.c - a layout as text: all but its grids, which are in grids.c; see section.h. */
#include "report/section.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a terminal, less one. */
enum { WIDTH = 79 };

void section_part(struct printer *to, const struct report *report) {
    struct facts facts = {.count = 0};
    facts_add_part(&facts, report);
    facts_print(to, &facts, "# ", WIDTH);
}

void section_name(struct printer *to, const struct report *report) {
    print(to, report->arch ? "# %s on sm_%u\n" : "# %s\n", report->name, report->arch);
    if (report->part)
        section_part(to, report);
}

void section_header(struct printer *to, const struct report *report) {
    struct facts facts = {.count = 0};
    if (report->detail)
        facts_add(&facts, report);
    else
        facts_add_short(&facts, report);
    print(to, report->arch ? "# %s on sm_%u\n" : "# %s\n", report->name, report->arch);
    facts_print(to, &facts, "# ", WIDTH);
}

/* Prints the axes of a space as a sentence names them, in the order of formulae: "row, col and
 * copy"; copies if there are several. */
static void print_axes(struct printer *to, const struct mapping_space *space, bool is_inverse) {
    uint8_t order[MAPPING_AXES_MAX];
    uint32_t count = space->count;
    mapping_space_order(space, order); /* copies come last */
    if (is_inverse && space->axis[count - 1].size == 1)
        count--;
    for (uint32_t a = 0; a < count; a++)
        print(to, "%s%s", a == 0 ? "" : a + 1 < count ? ", " : " and ", space->axis[order[a]].name);
}

/* True if a formula could have more terms than are looked for: there is one for each axis and shift
 * at most, and a shift leads from a bit of the axis to one of the target. */
static bool has_many_terms(const struct mapping_layout *layout, uint32_t c) {
    unsigned terms = 0, bits = 0;
    while (bits < 32 && layout->to.axis[c].size - 1 >= UINT32_C(1) << bits)
        bits++;
    for (uint32_t a = 0; a < layout->from.count; a++) {
        unsigned from = 0;
        while (from < 32 && layout->from.axis[a].size - 1 >= UINT32_C(1) << from)
            from++;
        terms += from > 0 && bits > 0 ? from + bits - 1 : 0;
    }
    return terms > MAPPING_MAX_TERMS;
}

static void print_solution(struct printer *to, const struct solved *solved, bool is_inverse) {
    const struct mapping_layout *layout = &solved->layout;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        char formula[FORMULA_TEXT], label[LABEL_SIZE], remark[REMARK_SIZE];
        axis_label(layout->to.axis[c].name, label);
        solved_formula(solved, c, formula);
        if (*formula) {
            solved_remark(solved, c, remark);
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

void section_formulae(struct printer *to, const struct report *report) {
    print_text(to, "Formulae:\n");
    print_solution(to, &report->forward, false);
    if (!report_has_inverse(report))
        return;
    print_text(to, "\nInverse:\n");
    print_solution(to, &report->inverse, true);
}
