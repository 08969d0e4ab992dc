/* figure_words.c - what stands below pictures of layouts; see figure_parts.h. */
#include "output/detail.h"
#include "output/picture/figure_parts.h"
#include "output/placement.h"
#include "report/facts.h"

#include <string.h>

/* True if all were printed alike. */
static bool are_equal(const struct printer *words, size_t count) {
    for (size_t w = 1; w < count; w++)
        if (words[w].size != words[0].size ||
            (words[0].size > 0 && memcmp(words[w].text, words[0].text, words[0].size) != 0))
            return false;
    return true;
}

/* ---- What it rests on ---- */

static void print_notes(struct printer *to, const struct report *report) {
    struct facts facts = {.count = 0};
    facts_add(&facts, report);
    facts_print(to, &facts, "", 0);
}

/* Prints what else has the layout of a file. */
static void print_same(struct printer *to, const struct report *report) {
    enum { SHOWN = 6 };
    size_t count = report->same.count, shown = count <= SHOWN + 1 ? count : SHOWN;
    for (size_t s = 0; s < shown; s++)
        print(to, "%s %s", s ? "," : "This is the layout of", report->same.text[s]);
    if (shown < count)
        print(to, " and %zu more", count - shown);
    if (report->nearly)
        print(to, "This is the layout of %s except at %zu entr%s", report->nearly,
              report->differing, report->differing == 1 ? "y" : "ies");
    if (count > 0 || report->nearly)
        print_text(to, ".\n");
}

/* ---- What cells say ---- */

/* How many threads there are, on either side; 0 if there is no axis of threads. */
static uint32_t count_threads(const struct mapping_layout *shown) {
    int to = mapping_space_find(&shown->to, MAPPING_AXIS_TID);
    int from = mapping_space_find(&shown->from, MAPPING_AXIS_TID);
    return to >= 0 ? shown->to.axis[to].size : from >= 0 ? shown->from.axis[from].size : 0;
}

/* What colors stand for. */
static const char *name_tints(const struct drawing *drawing) {
    const struct mapping_layout *shown = drawing->view.shown;
    const char *by = color_by_name(drawing->style->color_by);
    bool has_lanes = mapping_space_find(&shown->to, MAPPING_AXIS_LANE) >= 0;
    return by                         ? by
           : count_threads(shown) > 0 ? color_by_name(COLOR_BY_THREAD)
           : has_lanes                ? MAPPING_AXIS_LANE
                                      : shown->to.axis[0].name;
}

/* Prints it for what is held in registers; figure_placement has said it of memory. */
static void print_legend(struct printer *to, const struct drawing *drawing) {
    const struct mapping_space *said = &drawing->view.shown->to;
    if (drawing->report->placement)
        return;
    if (is_of_threads(said)) {
        print_text(to, "T is the thread (tid), i is the index of the element in that thread.\n");
    } else {
        print_text(to, "Each cell shows ");
        for (uint32_t c = 0; c < said->count; c++)
            print(to, "%s%s", c ? "," : "", said->axis[c].name);
        print_text(to, ".\n");
    }
    const char *tints = name_tints(drawing);
    print(to, "Colors show the %s", tints);
    if (count_threads(drawing->view.shown) > COLORS &&
        strcmp(tints, color_by_name(COLOR_BY_THREAD)) == 0)
        print(to, " and repeat every %u threads", COLORS);
    print_text(to, ".\n");
}

/* Says how the columns that are not drawn follow from those that are. */
static void print_period(struct printer *to, const struct drawing *drawing) {
    const uint32_t all = drawing->whole_cols, period = drawing->view.cols;
    char letter[OPERAND_SIZE];
    if (period == all)
        return;
    operand_letter(drawing->report, letter);
    print(to, "Columns %u to %u%s%s follow the same pattern as columns 0 to %u", period, all - 1,
          *letter ? " of " : "", letter, period - 1);
    if (drawing->growth > 0)
        print(to, "; %s increases by %u every %u columns",
              strcmp(drawing->growing, MAPPING_AXIS_COLUMN) == 0 ? "the Tensor Memory column"
                                                                 : drawing->growing,
              drawing->growth, period);
    print_text(to, ".\n");
}

static void print_marks(struct printer *to, const struct drawing *drawings, size_t count) {
    size_t marked = 0;
    for (size_t d = 0; d < count; d++)
        marked += drawings[d].marked_count;
    if (drawings[0].style->question.kind == ASK_NOTHING)
        return;
    if (marked == 0)
        print_text(to, "The matrix does not have this element.\n");
    else
        print(to, "%zu element%s outlined.\n", marked, marked == 1 ? " is" : "s are");
}

/* ---- Formulae ---- */

static void print_solution(struct printer *to, const struct solved *solved) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        char formula[FORMULA_TEXT], remark[REMARK_SIZE];
        const char *name = solved->layout.to.axis[c].name;
        solved_formula(solved, c, formula);
        solved_remark(solved, c, remark);
        if (!*formula)
            print(to, "%s has no formula.\n", name);
        else
            print(to, "%s = %s%s%s\n", name, formula, *remark ? "  // " : "", remark);
    }
}

static void print_formulae(struct printer *to, const struct drawing *drawing) {
    const struct report *report = drawing->report;
    print_solution(to, &report->forward);
    if (report_has_inverse(report))
        print_solution(to, &report->inverse);
    if (report->placement)
        print_descriptor(to, report);
    if (report->detail) {
        print_char(to, '\n');
        print_facts(to, report);
    }
}

/* ---- All ---- */

/* Adds what was printed of each, once if that is the same for all, else for each with its name; or,
 * where `with_names`, for all that share it with their names. */
static void add_each(struct figure *figure, enum caption_kind kind, const struct drawing *drawings,
                     const struct printer *words, size_t count, bool with_names) {
    bool is_one = !with_names && are_equal(words, count);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && are_equal(words + next - 1, 2);)
            next++;
        struct printer to = {.text = NULL}, heading = {.text = NULL};
        for (size_t d = first; d < next && !is_one && count > 1; d++) {
            char letter[OPERAND_SIZE];
            operand_letter(drawings[d].report, letter);
            print(&heading, "%s%s %s", d > first ? ", " : "", letter, drawings[d].report->name);
        }
        if (heading.size > 0) {
            figure_add_gap(figure);
            figure_add_caption(figure, CAPTION_NOTE, printer_string(&heading));
        }
        print(&to, "%.*s", (int)words[first].size, words[first].text ? words[first].text : "");
        figure_add_caption(figure, kind, printer_string(&to));
    }
}

/* The most reports that are drawn together. */
enum { TOGETHER = MAPPING_FOUND_MAX };

void figure_add_words(struct figure *figure, const struct drawing *drawings, size_t count) {
    struct printer notes[TOGETHER] = {{.text = NULL}}, formulae[TOGETHER] = {{.text = NULL}};
    struct printer legend = {.text = NULL};
    for (size_t d = 0; d < count; d++) {
        print_notes(&notes[d], drawings[d].report);
        print_same(&notes[d], drawings[d].report);
        print_formulae(&formulae[d], &drawings[d]);
    }
    print_legend(&legend, &drawings[0]);
    for (size_t d = 0; d < count; d++)
        print_period(&legend, &drawings[d]);
    print_marks(&legend, drawings, count);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&legend));
    add_each(figure, CAPTION_NOTE, drawings, notes, count, false);
    figure_add_gap(figure);
    add_each(figure, CAPTION_FORMULA, drawings, formulae, count, true);
}
