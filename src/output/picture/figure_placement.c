/* figure_placement.c - pictures of matrices in memory; see figure.h. */
#include "layout/banks.h"
#include "output/lines.h"
#include "output/picture/figure.h"
#include "output/placement.h"
#include "report/view.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>

enum { BANK_BITS = BANK_BYTES * 8 };

/* What is drawn. */
struct matrix_drawing {
    struct figure *figure;
    const struct report *report;
    const bool *is_asked; /* of each element, by its number */
};

/* Writes the banks that some bits behind the first one have: "3", "4-7". */
static void write_banks(uint64_t first_bit, uint64_t bits, char text[16]) {
    unsigned first = (unsigned)(first_bit / BANK_BITS % BANKS);
    unsigned last = (unsigned)((first_bit + bits - 1) / BANK_BITS % BANKS);
    snprintf(text, 16, first == last ? "%u" : "%u-%u", first, last);
}

/* ---- By element ---- */

static void fill_element(const struct matrix_drawing *drawing, size_t element, struct cell *cell) {
    const struct placement *placement = drawing->report->placement;
    uint32_t offset = drawing->report->forward.layout.coordinate[0][element];
    char banks[16];
    write_banks((uint64_t)offset * placement->bits, placement->bits, banks);
    cell->text = figure_add_text(drawing->figure, "%u\nb%s", offset, banks);
    cell->color = (uint8_t)color_of_bank(placement_bank(placement, offset));
    cell->is_marked = drawing->is_asked[element];
}

static struct panel *add_elements(const struct matrix_drawing *drawing, const struct view *view,
                                  uint32_t part) {
    struct figure *figure = drawing->figure;
    const struct mapping_axis *axes = view->shown->from.axis;
    struct panel *panel = figure_add_panel(figure, view->rows, view->cols);
    char title[PART_TITLE_SIZE] = "";
    if (!panel)
        return NULL;
    if (view->outer_count > 0)
        view_part_title(view, part, 0, title);
    panel->title = figure_add_text(figure, *title ? "By element, %s" : "By element%s", title);
    panel->row_axis = figure_add_text(figure, "%s", axes[view->row_axis].name);
    panel->col_axis = figure_add_text(figure, "%s", axes[view->col_axis].name);
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++)
            fill_element(drawing,
                         view_part_start(view, part) + row * view->row_stride +
                             col * view->col_stride,
                         figure_cell(panel, row, col));
    return panel;
}

/* ---- By address ---- */

/* What tints stand for: pieces along the axis of runs; where that is but one, along the other. */
static struct run find_pieces(const struct memory_lines *lines) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    uint32_t axis = lines->run.axis, last = from->count - 1;
    if (from->axis[axis].size > lines->run.count)
        return lines->run;
    return (struct run){1, axis == last ? last - 1 : last};
}

/* Pieces side by side differ in hue. */
static uint8_t color_of_piece(uint32_t piece) {
    return (uint8_t)(piece % HUES * SHADES + piece / HUES % SHADES);
}

static void fill_address(const struct matrix_drawing *drawing, const struct memory_lines *lines,
                         size_t number, struct cell *cell) {
    const struct run pieces = find_pieces(lines);
    uint32_t holder = lines_holder(lines, number), point[MAPPING_AXES_MAX];
    char text[LINE_CELL_SIZE];
    cell->color = COLOR_NONE;
    if (holder == UINT32_MAX)
        return;
    lines_cell(lines, number, text);
    cell->text = figure_add_text(drawing->figure, "%s", text);
    mapping_space_point(&drawing->report->forward.layout.from, holder, point);
    cell->color = color_of_piece(point[pieces.axis] / pieces.count);
}

/* Marks the cells in which something lies that was asked for. */
static void mark_addresses(const struct matrix_drawing *drawing, const struct memory_lines *lines,
                           struct panel *panel) {
    const struct mapping_layout *layout = &drawing->report->forward.layout;
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        if (drawing->is_asked[n])
            panel->cells[layout->coordinate[0][n] / lines->run.count].is_marked = true;
}

static void label_addresses(const struct matrix_drawing *drawing, const struct memory_lines *lines,
                            struct panel *panel) {
    uint64_t bits = (uint64_t)lines->run.count * drawing->report->placement->bits;
    struct printer title = {.text = NULL};
    lines_title(&title, lines);
    panel->title = figure_add_text(drawing->figure, "%s", printer_string(&title));
    panel->row_axis = figure_add_text(drawing->figure, "byte");
    panel->col_axis = figure_add_text(drawing->figure, "bank");
    for (uint32_t col = 0; col < panel->cols; col++) {
        char banks[16];
        write_banks(col * bits, bits, banks);
        panel->col_labels[col] = figure_add_text(drawing->figure, "%s", banks);
    }
    for (uint32_t row = 0; row < panel->rows; row++)
        panel->row_labels[row] = figure_add_text(drawing->figure, "%u", row * LINE_BYTES);
}

static struct panel *add_addresses(const struct matrix_drawing *drawing,
                                   const struct memory_lines *lines) {
    size_t rows = (lines->cells + lines->in_a_line - 1) / lines->in_a_line;
    struct panel *panel = figure_add_panel(drawing->figure, (uint32_t)rows, lines_width(lines));
    if (!panel)
        return NULL;
    for (size_t cell = 0; cell < lines->cells; cell++)
        fill_address(drawing, lines, cell, &panel->cells[cell]);
    mark_addresses(drawing, lines, panel);
    label_addresses(drawing, lines, panel);
    return panel;
}

/* ---- Panels ---- */

/* Stages stand in a square of panels, unless there are very many. */
static void draw_stages(const struct matrix_drawing *drawing, const struct view *view) {
    enum { ACROSS_MAX = 8 };
    uint32_t parts = view_parts(view), across = 1;
    while (across * across < parts && across < ACROSS_MAX)
        across++;
    for (uint32_t part = 0; part < parts; part++) {
        struct panel *panel = add_elements(drawing, view, part);
        if (!panel)
            return;
        panel->across = part % across;
        panel->down = part / across;
    }
}

/* Draws the lines: beside what is taller than wide, else below it. */
static void draw_addresses(const struct matrix_drawing *drawing, const struct view *view,
                           const struct memory_lines *lines) {
    bool is_below = view_parts(view) > 1 || view->cols > 2 * view->rows;
    if (is_below)
        figure_arrange(drawing->figure);
    struct panel *panel = add_addresses(drawing, lines);
    if (panel)
        panel->across = is_below ? 0 : 1;
    figure_arrange(drawing->figure);
}

/* ---- Captions ---- */

/* Says what the colors of lines are. */
static void print_pieces(struct printer *to, const struct memory_lines *lines) {
    const struct run run = find_pieces(lines);
    const struct mapping_axis *axis = &lines->report->forward.layout.from.axis[run.axis];
    print(to, "By address, cells of the same color hold elements of ");
    if (run.count > 1)
        print(to, "the same %u %ss", run.count, mapping_axis_word(axis->name));
    else
        print(to, "the same %s", mapping_axis_word(axis->name));
    if (axis->size / run.count > COLORS)
        print(to, "; colors repeat every %u", COLORS * run.count);
    print_text(to, ". Cells below each other are in the same banks.\n");
}

/* `lines` is NULL where there are none. */
static void add_legend(const struct matrix_drawing *drawing, const struct memory_lines *lines) {
    struct printer text = {.text = NULL};
    print_extent(&text, drawing->report);
    print(&text,
          "By element, each cell shows the offset in elements, and the bank of shared memory, b0 "
          "to b%u. Colors show the bank; four neighboring banks share a hue.\n",
          BANKS - 1);
    if (lines)
        print_pieces(&text, lines);
    figure_add_caption(drawing->figure, CAPTION_NOTE, printer_string(&text));
}

/* ---- All of it ---- */

/* Finds what was asked for: of each element whether it was. */
static bool *find_asked(const struct report *report, const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    bool *is_asked = memory_get(mapping_layout_entries(layout), sizeof *is_asked);
    struct answer answer;
    size_t position = 0;
    if (question->kind == ASK_NOTHING)
        return is_asked;
    while (question_next(question, report, &position, &answer))
        is_asked[mapping_space_number(&layout->from, answer.source)] = true;
    return is_asked;
}

/* Draws both panels, or says why there is one alone. */
static void draw(const struct matrix_drawing *drawing) {
    const struct view view = view_of_report(drawing->report);
    const char *refusal = lines_refusal(drawing->report);
    struct memory_lines lines = {.holders = NULL};
    draw_stages(drawing, &view);
    if (!refusal) {
        lines_init(&lines, drawing->report);
        draw_addresses(drawing, &view, &lines);
    }
    figure_arrange(drawing->figure);
    add_legend(drawing, refusal ? NULL : &lines);
    if (refusal)
        figure_add_caption(drawing->figure, CAPTION_NOTE, refusal);
}

void figure_placement(struct figure *figure, const struct report *report,
                      const struct style *style) {
    const struct matrix_drawing drawing = {figure, report, find_asked(report, &style->question)};
    draw(&drawing);
}
