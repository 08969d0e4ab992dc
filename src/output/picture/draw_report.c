/* draw_report.c - pictures of reports: fragments, maps, and matrices in memory; see figure.h. This
 * file chooses the columns, answers and cells of a report, and makes the panels of its matrix, or
 * of the operands of a product, and the captions below. Matrices in memory are drawn by
 * smem_grid.c.
 */
#include "output/output.h"
#include "output/picture/figure.h"
#include "report/facts.h"
#include "report/tmem_report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The ways to draw cells. The first way whose picture is no wider than PICTURE_WIDTH is used: "T13
 * i2" in one line; in two lines; in two lines with small matrices folded. */
enum fit { FIT_LINE, FIT_LINES, FIT_FOLDED, FITS };

/* One report to draw. A zeroed struct means that an operand is missing. */
struct drawing {
    const struct report *report;
    const struct style *style;
    enum fit fit;
    struct view view;                /* the first period if rows or columns repeat */
    uint32_t whole_rows, whole_cols; /* size of the matrix; view.rows and view.cols of it are
                                        drawn */
    uint32_t copies, matrices;       /* number of copies, and of matrices in each copy; parts are
                                        numbered with matrices first */
    bool *marked;                    /* for each entry, if it is an answer; NULL if there is no
                                        question */
    size_t marked_count;             /* number of answers */
    char letter[8]; /* name of the operand, "A" or "SFA"; "" if the report is not about
                       one */
};

/* ---- One report ---- */

static void mark_answers(struct drawing *drawing) {
    const struct mapping_layout *shown = drawing->view.shown;
    const bool is_forward = shown == &drawing->report->forward.layout;
    struct answer answer = {.copy = 0};
    drawing->marked = memory_get(mapping_layout_entries(shown), sizeof *drawing->marked);
    for (size_t position = 0;
         question_next(&drawing->style->question, drawing->report, &position, &answer);) {
        if (!is_forward) /* the last axis of an inverse is the number of the copy */
            answer.target[shown->from.count - 1] = answer.copy;
        drawing->marked[mapping_space_number(&shown->from,
                                             is_forward ? answer.source : answer.target)] = true;
        drawing->marked_count++;
    }
}

static struct drawing make_drawing(const struct report *report, const struct style *style,
                                   enum fit fit) {
    struct drawing drawing = {
        .report = report, .style = style, .fit = fit, .view = view_of_report(report)};
    if (report->has_fragment)
        snprintf(drawing.letter, sizeof drawing.letter, "%s",
                 mapping_operand_name(report->observed.fragment.operand));
    for (char *c = drawing.letter; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    view_crop(&drawing.view, &style->excerpt);
    drawing.whole_rows = drawing.view.rows;
    drawing.whole_cols = drawing.view.cols;
    struct excerpt excerpt = style->excerpt;
    excerpt.is_whole |= style->question.kind != ASK_NOTHING; /* any element may be an answer */
    excerpt.tight = fit == FIT_FOLDED ? TIGHT_FOLDED : TIGHT_NOT;
    if (!report->smem && drawing.view.row_axis != drawing.view.col_axis)
        view_fold(&drawing.view, &excerpt, PARTS_OF_ALL, 0);
    /* Copies are the outermost parts, so they are omitted first. */
    const struct mapping_period *copies = &drawing.view.periods[VIEW_OUTER];
    drawing.copies =
        drawing.view.copies > 1 && copies->levels > 0 ? copies->size : drawing.view.copies;
    drawing.matrices = drawing.view.parts / drawing.copies;
    if (style->question.kind != ASK_NOTHING)
        mark_answers(&drawing);
    return drawing;
}

/* ---- Cells ---- */

/* Writes the text of a cell: "T13 i2", or "3,5". */
static const char *cell_text(const struct drawing *drawing, size_t entry) {
    struct printer to = {.text = NULL};
    const struct mapping_layout *shown = drawing->view.shown;
    const char *before = "", *space = drawing->fit == FIT_LINE ? " " : "\n";
    for (uint32_t c = 0; c < shown->to.count; c++) {
        const char *axis = shown->to.axis[c].name;
        const char *sign = strcmp(axis, MAPPING_AXIS_TID) == 0 ? "T"
                           : strcmp(axis, MAPPING_AXIS_I) == 0 ? "i"
                                                               : "";
        const char *between = c == 0 ? "" : *before || *sign ? space : ",";
        print(&to, "%s%s%u", between, sign, shown->coordinate[c][entry]);
        before = sign;
    }
    return printer_string(&to);
}

/* The coordinate of an entry along an axis of the input or output, or `otherwise` if neither has
 * the axis. */
static uint32_t coordinate(const struct mapping_layout *shown, size_t entry, const char *axis,
                           uint32_t otherwise) {
    uint32_t point[MAPPING_AXES_MAX];
    int to = mapping_space_find(&shown->to, axis), from = mapping_space_find(&shown->from, axis);
    mapping_space_point(&shown->from, entry, point);
    return to >= 0 ? shown->coordinate[to][entry] : from >= 0 ? point[from] : otherwise;
}

/* The cells of a layout without threads are colored by the lane, or by the first number in the
 * cell. */
static unsigned color_of_entry(const struct drawing *drawing, size_t entry) {
    enum { USUAL_BITS = 32 };
    const struct mapping_layout *shown = drawing->view.shown;
    const uint32_t bits = drawing->report->observed.fragment.bits;
    const enum color_by by = drawing->style->grid.color_by;
    uint32_t number = shown->coordinate[0][entry];
    if (by == COLOR_BY_ELEMENT || by == COLOR_BY_LANE || by == COLOR_BY_COLUMN)
        number = coordinate(shown, entry, color_by_axis(by), 0);
    else
        number = coordinate(shown, entry, MAPPING_AXIS_TID,
                            coordinate(shown, entry, MAPPING_AXIS_LANE, number));
    return color_of(by, number, bits ? bits : USUAL_BITS);
}

/* ---- Panels ---- */

/* A single row of many cells is folded into rows of this length. */
enum { FOLDED = 32 };

/* The title of a part: "A, block 0 of 4, 8 x 8", or "A, CTA 0 of 2, load 1 of 4, 32 x 8". */
static const char *part_title(const struct drawing *drawing, uint32_t number, const char *name) {
    const struct view *view = &drawing->view;
    const struct tmem_report *tmem = drawing->report->tmem;
    struct printer to = {.text = NULL};
    print(&to, "%s%s", name, *name ? ", " : "");
    for (uint32_t o = 0; o < view->outer_count; o++) {
        const char *title = view_part_title(view, number, o);
        if (title)
            print(&to, "%s, ", title);
    }
    if (tmem && tmem->ctas > 1)
        print(&to, "CTA %u of %u, ", tmem->cta, tmem->ctas);
    if (tmem && tmem->count > 1)
        print(&to, "%s %u of %u, ", tmem_word(tmem), tmem->number, tmem->count);
    print(&to, "%u x %u", drawing->whole_rows, drawing->whole_cols);
    if (view->rows < drawing->whole_rows)
        print(&to, ", rows %u to %u", view_row(view, 0), view_row(view, view->rows - 1));
    if (view->cols < drawing->whole_cols)
        print(&to, ", columns %u to %u", view_col(view, 0), view_col(view, view->cols - 1));
    return printer_string(&to);
}

/* Adds one part as a panel. Its title begins with `name`, if that is not empty. */
static struct panel *add_part(struct figure *figure, const struct drawing *drawing, uint32_t part,
                              const char *name) {
    const struct view *view = &drawing->view;
    const struct mapping_axis *axes = view->shown->from.axis;
    const size_t start = view_part_start(view, part);
    const bool is_single = view->row_axis == view->col_axis;
    const bool is_folded = is_single && view->cols > FOLDED;
    struct panel *panel =
        figure_add_panel(figure, is_folded ? (view->cols + FOLDED - 1) / FOLDED : view->rows,
                         is_folded ? FOLDED : view->cols);
    panel->title = part_title(drawing, part, name);
    panel->col_axis = axes[view->col_axis].name;
    panel->row_axis = is_single ? "" : axes[view->row_axis].name;
    /* Number the rows of a folded panel by their first columns. */
    for (uint32_t row = 0; row < panel->rows; row++)
        panel->row_labels[row] =
            is_single && !is_folded
                ? ""
                : memory_format("%u", is_folded ? row * FOLDED : view_row(view, row));
    for (uint32_t col = 0; col < panel->cols && view->col_numbers; col++)
        panel->col_labels[col] = memory_format("%u", view->col_numbers[col]);
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++) {
            size_t entry = view_entry(view, start, row, col);
            panel->cells[(size_t)row * view->cols + col] = (struct cell){
                .text = cell_text(drawing, entry),
                .color = (uint8_t)color_of_entry(drawing, entry),
                .is_marked = drawing->marked && drawing->marked[entry],
            };
        }
    return panel;
}

/* ---- Products ---- */

/* True if a report can follow another in one product: a later operand of the same instruction. */
static bool follows(const struct report *last, const struct report *next) {
    const struct mapping_fragment *a = &last->observed.fragment, *b = &next->observed.fragment;
    return last->has_fragment && next->has_fragment && last->arch == next->arch &&
           a->instruction == b->instruction && a->operand < b->operand &&
           a->shape.m == b->shape.m && a->shape.n == b->shape.n && a->shape.k == b->shape.k;
}

/* Collects drawings of one instruction in `product`, by operand. True if they form a product: A, B
 * and D whose sizes fit. B may be missing if the instruction reads it from shared memory. C is not
 * drawn if D has the same layout, unless every cell is shown. */
static bool make_product(struct drawing product[MAPPING_OPERANDS], const struct drawing *drawings,
                         size_t count) {
    memset(product, 0, MAPPING_OPERANDS * sizeof *product);
    for (size_t n = 0; n < count; n++)
        product[drawings[n].report->observed.fragment.operand] = drawings[n];
    struct drawing *a = &product[MAPPING_A], *b = &product[MAPPING_B];
    struct drawing *c = &product[MAPPING_C], *d = &product[MAPPING_D];
    if (!a->report || !d->report || a->whole_rows != d->whole_rows || a->matrices != d->matrices ||
        (c->report && c->whole_rows != d->whole_rows))
        return false;
    if (c->report && !c->style->excerpt.is_whole &&
        layout_equal(&c->report->forward.layout, &d->report->forward.layout)) {
        *c = (struct drawing){.report = NULL};
        snprintf(d->letter, sizeof d->letter, "C and D");
    }
    if (!b->report)
        return mapping_instruction_reads_shared(a->report->observed.fragment.instruction);
    return b->whole_cols == d->whole_cols && b->matrices == d->matrices;
}

/* Adds one matrix of an operand and all its copies, from (across, down) on in one direction. */
static void add_operand(struct figure *figure, const struct drawing *drawing, uint32_t matrix,
                        uint32_t across, uint32_t down, int step_across, int step_down) {
    for (uint32_t copy = 0; copy < drawing->copies; copy++) {
        const bool is_whole = drawing->view.parts == 1;
        const char *name = is_whole ? memory_format("%s %s", drawing->letter, drawing->report->name)
                                    : drawing->letter;
        struct panel *panel = add_part(figure, drawing, copy * drawing->matrices + matrix, name);
        panel->across = across + copy * (uint32_t)step_across;
        panel->down = down + copy * (uint32_t)step_down;
    }
}

/* Adds all products, two side by side, and the other operands below them. In a product, A is left
 * of D, B above it, and C right of it. Copies of A are further left, those of B further up. */
static void add_products(struct figure *figure, const struct drawing product[MAPPING_OPERANDS]) {
    enum { SIDE_BY_SIDE = 2 };
    const struct drawing *a = &product[MAPPING_A], *b = &product[MAPPING_B];
    const struct drawing *c = &product[MAPPING_C], *d = &product[MAPPING_D];
    const uint32_t columns = a->copies + c->copies + d->copies, rows = b->copies + 1;
    const size_t first = figure->panel_count;
    uint32_t right = 0;
    for (uint32_t m = 0; m < d->matrices; m++) {
        uint32_t x = m % SIDE_BY_SIDE * (columns + 1) + a->copies;
        uint32_t y = m / SIDE_BY_SIDE * (rows + 1) + b->copies;
        add_operand(figure, a, m, x - 1, y, -1, 0);
        add_operand(figure, b, m, x, y - 1, 0, -1);
        add_operand(figure, d, m, x, y, 1, 0);
        add_operand(figure, c, m, x + d->copies, y, 1, 0);
    }
    figure_arrange(figure, true);
    for (size_t p = first; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        const uint32_t end = panel->x + panel->cols * panel->cell_width;
        right = end > right ? end : right;
    }
    for (int other = MAPPING_D + 1; other < MAPPING_OPERANDS; other++) {
        for (uint32_t m = 0; m < product[other].matrices; m++)
            add_operand(figure, &product[other], m, 0, 0, 0, 0);
        figure_flow(figure, right);
    }
}

/* The title of a product: its opcode if it has one, otherwise its instruction and shape. */
static const char *product_title(const struct report *first) {
    const struct mapping_fragment *fragment = &first->observed.fragment;
    if (first->opcodes.count == 1)
        return memory_format("%s on sm_%u", first->opcodes.text[0], first->arch);
    return memory_format("%s.m%un%uk%u on sm_%u", mapping_instruction_name(fragment->instruction),
                         fragment->shape.m, fragment->shape.n, fragment->shape.k, first->arch);
}

/* ---- Words: what cells say ---- */

/* Describes what cells and colors mean. For matrices in memory, draw_memory has already done so. */
static void print_legend(struct printer *to, const struct drawing *drawing) {
    const struct mapping_layout *shown = drawing->view.shown;
    const int to_tid = mapping_space_find(&shown->to, MAPPING_AXIS_TID),
              from_tid = mapping_space_find(&shown->from, MAPPING_AXIS_TID);
    const uint32_t threads = to_tid >= 0     ? shown->to.axis[to_tid].size
                             : from_tid >= 0 ? shown->from.axis[from_tid].size
                                             : 0;
    const char *by = color_by_name(drawing->style->grid.color_by);
    const char *thread = color_by_name(COLOR_BY_THREAD);
    if (drawing->report->smem)
        return;
    if (is_of_threads(&shown->to)) {
        print_text(to, "T is the thread (tid), i is the index of the element in that thread.\n");
    } else {
        print_text(to, "Each cell shows ");
        for (uint32_t c = 0; c < shown->to.count; c++)
            print(to, "%s%s", c ? "," : "", shown->to.axis[c].name);
        print_text(to, ".\n");
    }
    if (!by)
        by = threads > 0                                              ? thread
             : mapping_space_find(&shown->to, MAPPING_AXIS_LANE) >= 0 ? MAPPING_AXIS_LANE
                                                                      : shown->to.axis[0].name;
    print(to, "Colors show the %s", by);
    if (threads > COLORS && strcmp(by, thread) == 0)
        print(to, " and repeat every %u threads", COLORS);
    print_text(to, ".\n");
}

static bool has_line(const struct drawing *drawing, const char *line) {
    for (size_t n = 0; n < drawing->view.below.count; n++)
        if (strcmp(drawing->view.below.text[n], line) == 0)
            return true;
    return false;
}

/* Describes how the rows, columns and parts that are not drawn are computed from those that are. If
 * there are several operands, the line names them: "A, D, rows 16 to 63: T + 32 for each 16 rows".
 */
static void print_periods(struct printer *to, const struct drawing *drawings, size_t count) {
    for (size_t d = 0; d < count; d++)
        for (size_t n = 0; n < drawings[d].view.below.count; n++) {
            const char *line = drawings[d].view.below.text[n];
            bool is_said = false;
            for (size_t before = 0; before < d; before++)
                is_said |= has_line(&drawings[before], line);
            for (size_t other = d; other < count && !is_said && count > 1; other++)
                if (has_line(&drawings[other], line))
                    print(to, "%s, ", drawings[other].letter);
            if (!is_said)
                print(to, "%s\n", line);
        }
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

/* ---- Words: evidence and formulae ---- */

/* Prints the facts of a report: either those about elements in registers, which are above the
 * formulae, or all others except those beside the drawing of a matrix. */
static void print_facts_of(struct printer *to, const struct report *report, bool of_registers) {
    const struct facts facts = facts_of(report);
    for (size_t f = 0; f < facts.count; f++)
        if ((strcmp(facts.fact[f].key, "registers") == 0) == of_registers &&
            !fact_is_of_matrix(report, &facts.fact[f]))
            print(to, "%s\n", facts.fact[f].text);
}

/* The evidence for a layout, and the known layouts that equal that of a file. */
static const char *notes_of(const struct report *report) {
    enum { SHOWN = 6 };
    const size_t count = report->same.count, shown = count <= SHOWN + 1 ? count : SHOWN;
    struct printer to = {.text = NULL};
    print_facts_of(&to, report, false);
    for (size_t s = 0; s < shown; s++)
        print(&to, "%s %s", s ? "," : "This is the layout of", report->same.text[s]);
    if (shown < count)
        print(&to, " and %zu more", count - shown);
    if (report->nearly)
        print(&to, "This is the layout of %s except at %zu entr%s", report->nearly,
              report->differing, report->differing == 1 ? "y" : "ies");
    if (count > 0 || report->nearly)
        print_text(&to, ".\n");
    else if (report->is_of_file)
        print_text(&to, NOTHING_IS_THE_SAME);
    return printer_string(&to);
}

static void print_solution(struct printer *to, const struct derived *derived) {
    for (uint32_t c = 0; c < derived->layout.to.count; c++) {
        const char *name = derived->layout.to.axis[c].name;
        const char *formula = derived_formula(derived, c), *remark = derived_remark(derived, c);
        if (!formula)
            print(to, "%s has no formula.\n", name);
        else
            print(to, "%s = %s%s%s\n", name, formula, *remark ? "  // " : "", remark);
    }
}

static const char *formulae_of(const struct report *report) {
    struct printer to = {.text = NULL};
    print_facts_of(&to, report, true);
    print_solution(&to, &report->forward);
    if (report_has_inverse(report))
        print_solution(&to, report_inverse(report));
    if (report->smem)
        print_descriptor(&to, report);
    if (report->detail) {
        print_char(&to, '\n');
        print_facts(&to, report, false, false);
    }
    return printer_string(&to);
}

/* Adds the text of each drawing. Consecutive drawings with equal texts share one text. If there are
 * several drawings, the names of its drawings are above each text. A text that all drawings share
 * has names only if `is_always_named`. */
static void add_each(struct figure *figure, enum caption_kind kind, const struct drawing *drawings,
                     const char *const *texts, size_t count, bool is_always_named) {
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && strcmp(texts[next], texts[first]) == 0;)
            next++;
        if (count > 1 && (is_always_named || next - first < count)) {
            struct printer names = {.text = NULL};
            for (size_t d = first; d < next; d++)
                print(&names, "%s%s %s", d > first ? ", " : "\n", drawings[d].letter,
                      drawings[d].report->name);
            figure_add_caption(figure, CAPTION_NOTE, printer_string(&names));
        }
        figure_add_caption(figure, kind, texts[first]);
    }
}

/* The maximum number of reports in one product. */
enum { TOGETHER = MAPPING_FOUND_MAX };

static void add_words(struct figure *figure, const struct drawing *drawings, size_t count) {
    const char *notes[TOGETHER], *formulae[TOGETHER];
    struct printer legend = {.text = NULL};
    print_legend(&legend, &drawings[0]);
    print_periods(&legend, drawings, count);
    for (size_t d = 0; d < count; d++) {
        if (drawings[d].report->tmem)
            print_strings(&legend, &drawings[d].report->tmem->others);
        notes[d] = notes_of(drawings[d].report);
        formulae[d] = formulae_of(drawings[d].report);
    }
    print_marks(&legend, drawings, count);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&legend));
    add_each(figure, CAPTION_NOTE, drawings, notes, count, false);
    figure_add_caption(figure, CAPTION_NOTE, "\n");
    add_each(figure, CAPTION_FORMULA, drawings, formulae, count, true);
}

/* ---- All ---- */

static void add_single(struct figure *figure, const struct drawing *drawing) {
    const struct report *report = drawing->report;
    figure_add_caption(figure, CAPTION_TITLE,
                       report->arch ? memory_format("%s on sm_%u", report->name, report->arch)
                                    : report->name);
    if (report->smem) {
        draw_memory(figure, report, drawing->marked, drawing->style);
    } else {
        for (uint32_t part = 0; part < drawing->view.parts; part++)
            add_part(figure, drawing, part, drawing->letter);
        figure_flow(figure, 0);
    }
    add_words(figure, drawing, 1);
}

/* True if an earlier load describes how this one is computed. */
static bool is_left_out(const struct report *report) {
    return report->tmem && report->tmem->is_left_out;
}

/* Draws reports of one instruction: as a product if they form one, otherwise one below the other.
 */
static void add_together(struct figure *figure, const struct report *reports, size_t count,
                         const struct style *style, enum fit fit) {
    struct drawing drawings[TOGETHER], product[MAPPING_OPERANDS];
    for (size_t d = 0; d < count; d++)
        drawings[d] = make_drawing(&reports[d], style, fit);
    if (count > 1 && make_product(product, drawings, count)) {
        figure_add_caption(figure, CAPTION_TITLE, product_title(reports));
        const size_t first = figure->panel_count;
        add_products(figure, product);
        if (!style->detail) /* the text is longer than the corner */
            figure_enter_corner(figure, first);
        add_words(figure, drawings, count);
        figure_leave_corner(figure);
    } else {
        for (size_t d = 0; d < count; d++)
            add_single(figure, &drawings[d]);
    }
}

struct figure draw_reports(struct report *reports, size_t count, const struct style *style) {
    struct figure figure = {.is_whole = style->excerpt.is_whole};
    for (size_t r = 0, together; r < count; r += together) {
        together = 1;
        if (is_left_out(&reports[r]))
            continue;
        while (r + together < count && together < TOGETHER &&
               follows(&reports[r + together - 1], &reports[r + together]))
            together++;
        const struct figure before = figure;
        for (int fit = 0; fit < FITS; fit++) {
            figure_return(&figure, &before);
            figure.splits = fit == FIT_FOLDED && !figure.is_whole;
            add_together(&figure, &reports[r], together, style, (enum fit)fit);
            if (figure.width <= PICTURE_WIDTH || figure.is_whole)
                break;
        }
    }
    for (size_t r = 0; r < count; r++)
        report_release(&reports[r]);
    return figure;
}

enum mapping_status figure_check(const struct report *reports, size_t count,
                                 struct mapping_error *error) {
    enum { CELLS_MAX = 1 << 17 };
    uint64_t cells = 0;
    for (size_t r = 0; r < count; r++) {
        const struct report *report = &reports[r];
        if (!is_left_out(report))
            cells += mapping_layout_entries(view_of_report(report).shown);
        /* In the picture by address, places without an element also have cells. */
        if (report->smem && !smem_is_wide(report))
            cells += report->forward.layout.to.axis[0].size;
    }
    if (cells <= CELLS_MAX)
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID, "a picture has at most %d cells, but this one would have %llu%s",
        CELLS_MAX, (unsigned long long)cells,
        count > 1       ? "; name fewer fragments, or choose --format=html, which shows "
                          "any number of them"
        : reports->smem ? "; it has each element twice: by row and column, and by address"
                        : "");
}
