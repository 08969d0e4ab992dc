/* text.c - grids and formulae for people, and for results files. */
#include "output/output.h"
#include "report/section.h"

#include <stdio.h>

static void print_detail(struct printer *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    unsigned bits = fragment->bits;
    uint32_t copies = report_copies(report);
    print(to, "\nDetail:\nmatrix     %s is %u x %u", mapping_operand_name(fragment->operand),
          fragment->rows, fragment->cols);
    print(to, fragment->blocks > 1 ? ", in %u blocks\n" : "\n", fragment->blocks);
    print(to, "type       %s (%s), %u bit%s\n", mapping_type_name(fragment->type),
          mapping_type_alias(fragment->type), bits, bits == 1 ? "" : "s");
    if (bits <= 32)
        print(to, "registers  %u per thread, %u element%s in each\n", fragment->registers,
              32 / bits, bits == 32 ? "" : "s");
    else
        print(to, "registers  %u per thread, %u for each element\n", fragment->registers,
              bits / 32);
    print(to, "elements   %u per thread; each held %u time%s\n", fragment->elements, copies,
          copies == 1 ? "" : "s");
    print(to, "bytes      %u in memory, %u in the registers of all %u threads\n",
          fragment_bytes(fragment), fragment->threads * fragment->registers * 4U,
          fragment->threads);
    print(to, "since      sm_%u, PTX %u.%u", fragment->since, fragment->ptx / 10,
          fragment->ptx % 10);
    print(to, fragment->until ? "; until sm_%u\n" : "\n", fragment->until);
}

/* Prints a point: "block 1, row  2, col  3". The last two coordinates stand below each other. */
static void print_point(struct printer *to, const struct mapping_space *space,
                        const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, a + 2 < space->count ? "%s%s %u" : "%s%s %2u", a ? ", " : "", space->axis[a].name,
              point[a]);
}

static void print_answers(struct printer *to, const struct report *report,
                          const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    bool by_target = question->kind == ASK_TARGET;
    struct answer answer;
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        print_point(to, by_target ? &layout->to : &layout->from,
                    by_target ? answer.target : answer.source);
        print_text(to, ": ");
        print_point(to, by_target ? &layout->from : &layout->to,
                    by_target ? answer.source : answer.target);
        if (report_copies(report) > 1)
            print(to, " (%s %u)", report_copy_axis(report), answer.copy);
        print_char(to, '\n');
    }
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *first) {
    if (report != first)
        print_char(to, '\n');
    section_header(to, report);
    if (style->question.kind != ASK_NOTHING) {
        print_answers(to, report, &style->question);
    } else {
        if (!style->brief)
            section_grids(to, report, style->width);
        section_formulae(to, report);
    }
    if (style->detail && report->has_fragment)
        print_detail(to, report);
}

static void print_reports(struct pages *pages, const struct report *reports, size_t count,
                          const struct style *style) {
    pages_print(pages, reports, count, style, print_report, reports);
}

static void print_list(struct printer *to, const struct list_entry *entries, size_t count) {
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *fragment = &entries[e].fragment;
        char name[MAPPING_NAME_SIZE], size[32];
        mapping_fragment_name(fragment, name);
        snprintf(size, sizeof size, "%ux%u", fragment->rows, fragment->cols);
        print(to, "%-29s %-7s sm_%u%s  %s\n", name, size, fragment->since,
              fragment->until ? " " : "+", entries[e].rests_on);
    }
}

/* Prints the formulae of one fragment on one architecture. */
static void print_side(struct printer *to, unsigned arch, const struct report *report) {
    if (!report) {
        print(to, "  sm_%u does not have it\n", arch);
        return;
    }
    print(to, "  sm_%-4u ", arch);
    for (uint32_t c = 0; c < report->forward.layout.to.count; c++) {
        char formula[FORMULA_TEXT], label[LABEL_SIZE];
        solved_formula(&report->forward, c, formula);
        axis_label(report->forward.layout.to.axis[c].name, label);
        print(to, "%s%s: %s\n", c ? "          " : "", label, *formula ? formula : "no formula");
    }
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    print(to, "# sm_%u and sm_%u: %zu fragments are the same, %zu differ\n", comparison->archs[0],
          comparison->archs[1], comparison->same, comparison->different);
    for (size_t d = 0; d < comparison_shown(comparison, style); d++) {
        const struct difference *difference = &comparison->items[d];
        print(to, "%s\n", difference_name(difference));
        print_side(to, comparison->archs[0], difference->first);
        print_side(to, comparison->archs[1], difference->second);
    }
    for (int side = 0; side < 2; side++)
        if (comparison->only[side] > 0)
            print(to, "# only sm_%u has %zu more%s\n", comparison->archs[side],
                  comparison->only[side], style->verbose ? "" : "; --verbose lists them");
}

const struct output text_output = {
    .name = "text",
    .has_formulae = true,
    .can_check = true,
    .reports = print_reports,
    .list = print_list,
    .comparison = print_comparison,
};
