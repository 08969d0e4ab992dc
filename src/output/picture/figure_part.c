/* figure_part.c - one part of a layout as a panel; see figure_parts.h. */
#include "output/picture/figure_parts.h"
#include "report/part.h"
#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is asked for ---- */

/* The entry of what is shown that an answer is. */
static size_t entry_of(const struct drawing *drawing, const struct answer *answer) {
    const struct mapping_space *shown = &drawing->view.shown->from;
    uint32_t point[MAPPING_AXES_MAX];
    if (drawing->view.shown == &drawing->report->forward.layout)
        return mapping_space_number(shown, answer->source);
    memcpy(point, answer->target, sizeof point);
    point[shown->count - 1] = answer->copy;
    return mapping_space_number(shown, point);
}

/* ---- Columns that repeat ---- */

/* Pictures with at most this many columns are drawn whole, and periods are no shorter than that. */
enum { WHOLE_COLUMNS = 32, PERIOD_COLUMNS_LEAST = 8 };

/* True if columns hold the same as those one period before, in every row and part, but that one
 * coordinate, not the thread, is larger by the same amount everywhere. Compares every entry. */
static bool columns_repeat(struct drawing *drawing, uint32_t period) {
    const struct view *view = &drawing->view;
    const struct mapping_space *target = &view->shown->to;
    const size_t behind = period * view->col_stride, first = view_part_start(view, 0);
    drawing->growth = 0;
    for (uint32_t c = 0; c < target->count; c++) {
        const uint32_t *value = view->shown->coordinate[c];
        const uint32_t growth = value[first + behind] - value[first];
        if (growth > 0 && (drawing->growth > 0 || growth > INT32_MAX ||
                           strcmp(target->axis[c].name, MAPPING_AXIS_TID) == 0))
            return false;
        for (uint32_t part = 0; part < view_parts(view); part++)
            for (uint32_t row = 0; row < view->rows; row++)
                for (uint32_t col = period; col < view->cols; col++) {
                    size_t entry = view_entry(view, view_part_start(view, part), row, col);
                    if (value[entry] - value[entry - behind] != growth)
                        return false;
                }
        if (growth > 0) {
            drawing->growth = growth;
            drawing->growing = target->axis[c].name;
        }
    }
    return true;
}

/* Narrows the view of a wide matrix to the first period of its columns, if they repeat. */
static void cut_columns(struct drawing *drawing) {
    struct view *view = &drawing->view;
    const uint32_t cols = drawing->whole_cols;
    if (cols <= WHOLE_COLUMNS || view->row_axis == view->col_axis || view->col_numbers ||
        view->shown->to.count < 2 || drawing->report->placement || drawing->style->whole ||
        drawing->style->question.kind != ASK_NOTHING)
        return;
    for (uint32_t period = PERIOD_COLUMNS_LEAST; period <= cols / 2; period++)
        if (cols % period == 0 && columns_repeat(drawing, period)) {
            view->cols = period;
            return;
        }
}

void drawing_make(struct drawing *drawing, const struct report *report, const struct style *style) {
    *drawing = (struct drawing){.report = report, .style = style, .view = view_of_report(report)};
    drawing->whole_cols = drawing->view.cols;
    cut_columns(drawing);
    if (style->question.kind == ASK_NOTHING)
        return;
    drawing->marked =
        memory_get(mapping_layout_entries(drawing->view.shown), sizeof *drawing->marked);
    struct answer answer = {.copy = 0};
    for (size_t position = 0; question_next(&style->question, report, &position, &answer);) {
        drawing->marked[entry_of(drawing, &answer)] = true;
        drawing->marked_count++;
    }
}

uint32_t drawing_copies(const struct drawing *drawing) {
    return drawing->view.shown == &drawing->report->inverse.layout ? report_copies(drawing->report)
                                                                   : 1;
}

uint32_t drawing_matrices(const struct drawing *drawing) {
    return view_parts(&drawing->view) / drawing_copies(drawing);
}

/* ---- Cells ---- */

/* What stands before a number along an axis: "T13 i2". */
static const char *axis_sign(const char *axis) {
    return strcmp(axis, MAPPING_AXIS_TID) == 0 ? "T" : strcmp(axis, MAPPING_AXIS_I) == 0 ? "i" : "";
}

/* Writes who is at an entry: "T13 i2", or "3,5". */
static figure_text add_cell_text(struct figure *figure, const struct mapping_layout *shown,
                                 size_t entry) {
    enum { LONGEST = 16 }; /* of one coordinate */
    char text[MAPPING_AXES_MAX * LONGEST];
    const char *before = NULL;
    int length = 0;
    for (uint32_t c = 0; c < shown->to.count; c++) {
        const char *sign = axis_sign(shown->to.axis[c].name);
        const char *between = !before ? "" : *before || *sign ? " " : ",";
        length +=
            snprintf(text + length, LONGEST, "%s%s%u", between, sign, shown->coordinate[c][entry]);
        before = sign;
    }
    return figure_add_text(figure, "%.*s", length, text);
}

/* Finds the coordinate of an entry along an axis of either side. False if there is no such axis. */
static bool find_coordinate(const struct mapping_layout *shown, size_t entry, const char *axis,
                            uint32_t *coordinate) {
    uint32_t point[MAPPING_AXES_MAX];
    int to = mapping_space_find(&shown->to, axis), from = mapping_space_find(&shown->from, axis);
    mapping_space_point(&shown->from, entry, point);
    *coordinate = to >= 0 ? shown->coordinate[to][entry] : from >= 0 ? point[from] : 0;
    return to >= 0 || from >= 0;
}

/* What has no threads is tinted by the lane, or by the first number that its cells say. */
static unsigned color_of_entry(const struct drawing *drawing, size_t entry) {
    enum { USUAL_BITS = 32 };
    const struct mapping_layout *shown = drawing->view.shown;
    uint32_t bits = drawing->report->observed.fragment.bits, number;
    const enum color_by by = drawing->style->color_by;
    if (by == COLOR_BY_LANE || by == COLOR_BY_COLUMN) {
        find_coordinate(shown, entry, by == COLOR_BY_LANE ? MAPPING_AXIS_LANE : MAPPING_AXIS_COLUMN,
                        &number);
        return color_of_thread(number);
    }
    if (by == COLOR_BY_ELEMENT) {
        find_coordinate(shown, entry, MAPPING_AXIS_I, &number);
        return color_of_element(number, bits ? bits : USUAL_BITS);
    }
    if (!find_coordinate(shown, entry, MAPPING_AXIS_TID, &number) &&
        !find_coordinate(shown, entry, MAPPING_AXIS_LANE, &number))
        number = shown->coordinate[0][entry];
    return color_of_thread(number);
}

/* ---- Panels ---- */

/* A single row of many cells is folded into rows of this many. */
enum { FOLDED = 32 };

static void fill(struct figure *figure, const struct drawing *drawing, uint32_t part,
                 struct panel *panel) {
    const struct view *view = &drawing->view;
    size_t start = view_part_start(view, part);
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++) {
            size_t entry = view_entry(view, start, row, col);
            panel->cells[(size_t)row * view->cols + col] = (struct cell){
                .text = add_cell_text(figure, view->shown, entry),
                .color = (uint8_t)color_of_entry(drawing, entry),
                .is_marked = drawing->marked && drawing->marked[entry],
            };
        }
}

/* Writes which load it is of several: "CTA 0 (0-1), load 1 (0-3), ". */
static void add_part(struct printer *to, const struct part *part) {
    if (part->ctas > 1)
        print(to, "CTA %u (0-%u), ", part->cta, part->ctas - 1);
    if (part->count > 1)
        print(to, "%s %u (0-%u), ", part_word(part), part->number, part->count - 1);
}

/* Writes the title of a part: "A, block 0 of 4, 8 x 8". */
static figure_text add_title(struct figure *figure, const struct drawing *drawing, uint32_t part,
                             const char *name) {
    const struct view *view = &drawing->view;
    struct printer to = {.text = NULL};
    print(&to, "%s%s", name, *name ? ", " : "");
    for (uint32_t o = 0; o < view->outer_count; o++) {
        char words[PART_TITLE_SIZE];
        view_part_title(view, part, o, words);
        print(&to, "%s%s", words, *words ? ", " : "");
    }
    if (drawing->report->part)
        add_part(&to, drawing->report->part);
    print(&to, "%u x %u", view->rows, drawing->whole_cols);
    if (view->cols < drawing->whole_cols)
        print(&to, ", columns 0 to %u", view->cols - 1);
    return figure_add_text(figure, "%s", printer_string(&to));
}

/* Numbers rows that one row was folded into by their first columns. */
static void number_folded(struct figure *figure, struct panel *panel) {
    for (uint32_t row = 0; row < panel->rows; row++)
        panel->row_labels[row] = figure_add_text(figure, "%u", row * panel->cols);
}

/* Numbers rows or columns of which not all are there. */
static void number_some(struct figure *figure, const uint32_t *numbers, uint32_t count,
                        figure_text *labels) {
    for (uint32_t n = 0; n < count && numbers; n++)
        labels[n] = figure_add_text(figure, "%u", numbers[n]);
}

struct panel *figure_add_part(struct figure *figure, const struct drawing *drawing, uint32_t part,
                              const char *name) {
    const struct view *view = &drawing->view;
    const struct mapping_space *space = &view->shown->from;
    bool is_single = view->row_axis == view->col_axis;
    bool is_folded = is_single && view->cols > FOLDED;
    struct panel *panel =
        figure_add_panel(figure, is_folded ? (view->cols + FOLDED - 1) / FOLDED : view->rows,
                         is_folded ? FOLDED : view->cols);
    if (!panel)
        return NULL;
    panel->title = add_title(figure, drawing, part, name);
    panel->col_axis = figure_add_text(figure, "%s", space->axis[view->col_axis].name);
    if (!is_single)
        panel->row_axis = figure_add_text(figure, "%s", space->axis[view->row_axis].name);
    else if (is_folded)
        number_folded(figure, panel);
    else
        panel->row_labels[0] = figure_add_text(figure, "%s", "");
    number_some(figure, view->row_numbers, view->rows, panel->row_labels);
    number_some(figure, view->col_numbers, view->cols, panel->col_labels);
    fill(figure, drawing, part, panel);
    return panel;
}

void operand_letter(const struct report *report, char letter[OPERAND_SIZE]) {
    const char *name =
        report->has_fragment ? mapping_operand_name(report->observed.fragment.operand) : "";
    snprintf(letter, OPERAND_SIZE, "%s", name);
    for (char *c = letter; *c; c++)
        *c = (char)toupper((unsigned char)*c);
}
