/* section.c - prints a layout as text; see section.h. */
#include "report/section.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/alike.h"
#include "report/facts.h"
#include "report/view.h"

#include <string.h>

/* ---- The lines on top ---- */

void section_name(struct printer *to, const struct report *report) {
    if (report->alike) {
        struct printer names = {.text = NULL};
        alike_names(report, &names);
        print(&names, " on sm_%u", report->arch);
        facts_print_folded(to, printer_string(&names));
        printer_free(&names);
    } else {
        print(to, report->arch ? "# %s on sm_%u\n" : "# %s\n", report->name, report->arch);
    }
}

void section_header(struct printer *to, const struct report *report) {
    section_name(to, report);
    facts_print_beside(to, report, FACTS_ABOVE);
}

void section_unused(struct printer *to, const struct report *report) {
    if (report->has_choice)
        print(to, "# the layout is that of all threads, with every %s\n", report_copy_axis(report));
}

/* ---- Grids ---- */

/* Blanks between two grids, as in the tables that this format follows. */
enum { GAP = 9 };

/* The most columns that are printed in one line. Matrices have at most 256 so far. */
enum { COLUMNS_MAX = 512 };

/* Digits of the largest value of an axis, at least 2. */
static unsigned width_of(const struct mapping_axis *axis) {
    unsigned width = 2;
    for (uint32_t limit = 100; axis->size > limit && width < 10; limit *= 10)
        width++;
    return width;
}

/* Writes the number right-aligned and returns its end. */
static char *put_number(char *text, uint32_t number, unsigned width) {
    char *place = text + width;
    do {
        *--place = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 && place > text);
    while (place > text)
        *--place = ' ';
    return text + width;
}

/* The length of a row of all grids side by side, with `columns` columns each and a blank after each
 * number, at most. */
static size_t row_size(const struct view *view, uint32_t columns) {
    const struct mapping_space *to = &view->shown->to;
    size_t size = 0;
    for (uint32_t c = 0; c < to->count; c++)
        size += columns * (size_t)(width_of(&to->axis[c]) + 1) + GAP;
    return size;
}

/* The numbers of an axis as text, a blank behind each: copying is faster than formatting. */
enum { CELL = 8, CELLS = 512 };
struct cells {
    unsigned width; /* with the blank */
    uint32_t count; /* numbers from this on have no cell */
    char text[CELLS][CELL];
};

/* Makes cells, unless there are too few entries for that to pay. */
static void make_cells(const struct mapping_axis *axis, size_t entries, struct cells *cells) {
    cells->width = width_of(axis) + 1;
    cells->count = axis->size < CELLS ? axis->size : CELLS;
    if (cells->width > CELL || entries < axis->size)
        cells->count = 0;
    for (uint32_t number = 0; number < cells->count; number++)
        *put_number(cells->text[number], number, cells->width - 1) = ' ';
}

/* Writes a number and a blank, and returns their end. May overwrite CELL bytes of text. */
static char *put_cell(char *text, const struct cells *cells, uint32_t number) {
    if (number < cells->count)
        memcpy(text, cells->text[number], CELL);
    else
        *put_number(text, number, cells->width - 1) = ' ';
    return text + cells->width;
}

/* Prints the columns from first to end - 1 of one row in all grids; `start` is the entry of column
 * 0. */
static void print_row(struct printer *to, const struct view *view, const struct cells *cells,
                      size_t start, uint32_t first, uint32_t end) {
    const struct mapping_layout *shown = view->shown;
    const size_t stride = view->col_stride; /* local, so that writing text cannot change it */
    const uint32_t *numbers = view->col_numbers;
    char *line = printer_room(to, row_size(view, end - first) + CELL), *text = line;
    for (uint32_t c = shown->to.count; c-- > 0;) {
        const uint32_t *value = shown->coordinate[c] + start;
        for (uint32_t col = first; col < end; col++)
            text = put_cell(text, &cells[c], value[(numbers ? numbers[col] : col) * stride]);
        if (c > 0) {
            memset(text, ' ', GAP - 1);
            text += GAP - 1;
        }
    }
    text[-1] = '\n';
    to->size += (size_t)(text - line);
}

/* The number of columns that are printed side by side: all, or, if there are too many, a power of
 * two. */
static uint32_t columns_in_a_block(const struct view *view) {
    enum { WIDTH_MAX = COLUMNS_MAX * 6 };
    uint32_t columns = 1;
    if (view->cols <= COLUMNS_MAX)
        return view->cols;
    while (columns < COLUMNS_MAX && row_size(view, columns * 2) <= WIDTH_MAX + 2 + GAP)
        columns *= 2;
    return columns;
}

/* Prints the grids of one part. */
static void print_part(struct printer *to, const struct view *view, const struct cells *cells,
                       size_t start) {
    uint32_t columns = columns_in_a_block(view);
    for (uint32_t first = 0, end; first < view->cols; first = end) {
        end = columns < view->cols - first ? first + columns : view->cols;
        if (columns < view->cols)
            print(to, "columns %u to %u:\n", first, end - 1);
        printer_room(to, view->rows * row_size(view, end - first)); /* once for all rows */
        for (uint32_t row = 0; row < view->rows; row++)
            print_row(to, view, cells, start + view_row(view, row) * view->row_stride, first, end);
    }
}

void section_grids(struct printer *to, const struct view *view) {
    struct cells cells[MAPPING_AXES_MAX];
    for (uint32_t c = 0; c < view->shown->to.count; c++)
        make_cells(&view->shown->to.axis[c], mapping_layout_entries(view->shown), &cells[c]);
    char title[VIEW_TITLE_SIZE];
    view_title(view, title);
    for (uint32_t part = 0; part < view->parts; part++) {
        view_print_titles(to, view, part, title);
        print_part(to, view, cells, view_part_start(view, part));
        view_print_below(to, view);
        print_char(to, '\n');
    }
}

/* ---- Formulae ---- */

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
        char formula[FORMULA_TEXT], label[LABEL_SIZE], remark[REMARK_SIZE];
        axis_label(layout->to.axis[c].name, label);
        derived_formula(derived, c, formula);
        if (*formula) {
            derived_remark(derived, c, remark);
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
    print_solution(to, report_inverse(report), true);
}

void section_short(struct printer *to, const struct report *report, bool has_inverse) {
    print_solution(to, &report->forward, false);
    if (has_inverse && report_has_inverse(report))
        print_solution(to, report_inverse(report), true);
}
