/* grid.c - draws the grids of a layout; see grid.h. */
#include "output/grid.h"

#include <string.h>

/* ---- Colors of text, as escape sequences ---- */

/* Inks other than background colors: normal text, and dimmed text. */
enum { INK_PLAIN = COLORS, INK_DIM };

struct pen {
    struct printer *to;
    bool is_tinted, has_true_color;
    unsigned ink;
};

/* Black in the 256 colors, which themes do not change. */
#define DARK_TEXT "38;5;16"

/* Returns the index of the nearest of the 256 colors of most terminals. It is different for each
 * color. */
static unsigned color_of_256(unsigned color) {
    static const uint8_t numbers[HUES][SHADES] = {
        {189, 153, 110, 75},  {255, 254, 252, 250}, {193, 157, 150, 114}, {224, 225, 218, 211},
        {230, 187, 151, 144}, {195, 123, 80, 44},   {229, 186, 179, 143}, {158, 115, 79, 72}};
    return numbers[color / SHADES % HUES][color % SHADES];
}

/* Changes the background color. "0;" resets the previous ink. */
static void take_color(const struct pen *pen, unsigned color) {
    const char *before = pen->ink == INK_PLAIN ? DARK_TEXT ";"
                         : pen->ink == INK_DIM ? "0;" DARK_TEXT ";"
                                               : "";
    uint32_t rgb = color_rgb(color);
    if (pen->has_true_color)
        print(pen->to, "\033[%s48;2;%u;%u;%um", before, rgb >> 16, rgb >> 8 & 255, rgb & 255);
    else
        print(pen->to, "\033[%s48;5;%um", before, color_of_256(color));
}

/* Sets the ink for the following text. Every line must end with plain ink. */
static void pen_take(struct pen *pen, unsigned ink) {
    if (!pen->is_tinted || ink == pen->ink)
        return;
    if (ink < COLORS)
        take_color(pen, ink);
    else if (ink == INK_PLAIN)
        print_text(pen->to, "\033[0m");
    else
        print_text(pen->to, pen->ink == INK_PLAIN ? "\033[2m" : "\033[0;2m");
    pen->ink = ink;
}

/* ---- Grids ---- */

/* GAP is the number of blanks between two framed grids; PLAIN_GAP, between two plain ones, as in
 * the files of results/. A line has at most COLUMNS_MAX columns of a grid. If a plain grid has more
 * columns, its lines have at most PLAIN_WIDTH characters. */
enum { GAP = 4, PLAIN_GAP = 8, COLUMNS_MAX = 512, PLAIN_WIDTH = 3072 };

/* The axes whose values are in the cells of a grid: first to end - 1. A cell shows one value, or
 * several as "13:2". */
struct grid {
    uint32_t first, end;
    unsigned width; /* width of a cell in characters, without the blank after it */
};

/* The grids of a view, and their style. A grid shows one axis, or all of them. */
struct frame {
    const struct view *view;
    bool is_plain; /* without numbers of rows and columns, and without colors */
    uint32_t bits; /* size of an element */
    struct grid grids[MAPPING_AXES_MAX];
    uint32_t count;
    unsigned gap;      /* blanks between two grids */
    unsigned label;    /* characters of a row number */
    uint32_t columns;  /* number of columns of a grid in a line */
    int tint;          /* the axis that determines colors; -1 if there are no colors */
    enum color_by by;  /* the kind of that axis */
    const char *ruler; /* the text between a row number and the row */
};

/* ---- The meaning of colors ---- */

/* Chooses the axis that colors show: by default threads; without threads, banks; without banks,
 * lanes. */
static void choose_tint(struct frame *frame, const struct grid_style *style) {
    static const enum color_by usual[] = {COLOR_BY_THREAD, COLOR_BY_BANK, COLOR_BY_LANE};
    const struct mapping_space *space = &frame->view->shown->to;
    const bool is_chosen = style->color_by != COLOR_BY_USUAL;
    frame->tint = -1;
    for (size_t n = 0; style->is_tinted && frame->tint < 0 && n < (is_chosen ? 1 : 3); n++) {
        frame->by = is_chosen ? style->color_by : usual[n];
        frame->tint = mapping_space_find(space, color_by_axis(frame->by));
    }
}

static unsigned color_of_entry(const struct frame *frame, size_t entry) {
    if (frame->tint < 0)
        return INK_PLAIN;
    return color_of(frame->by, frame->view->shown->coordinate[frame->tint][entry], frame->bits);
}

/* ---- Widths ---- */

/* Returns the number of digits of the largest number below `size`. */
static unsigned digits_below(uint64_t size) {
    unsigned digits = 1;
    for (uint64_t limit = 10; limit < size; limit *= 10)
        digits++;
    return digits;
}

static unsigned at_least(unsigned width, unsigned least) {
    return width > least ? width : least;
}

static uint32_t largest_shown(const struct view *view, uint32_t axis) {
    uint32_t largest = 0;
    for (uint32_t part = 0; part < view->parts; part++)
        for (uint32_t row = 0; row < view->rows; row++)
            for (uint32_t col = 0; col < view->cols; col++) {
                const size_t entry = view_entry(view, view_part_start(view, part), row, col);
                const uint32_t value = view->shown->coordinate[axis][entry];
                largest = value > largest ? value : largest;
            }
    return largest;
}

/* Returns the grid of some axes. In a framed grid, each column is at least as wide as its number.
 */
static struct grid grid_of(const struct view *view, uint32_t first, uint32_t end, bool is_plain) {
    struct grid grid = {first, end, 0};
    for (uint32_t c = first; c < end; c++)
        grid.width += digits_below(view->shown->to.axis[c].size) + (c > first);
    if (!is_plain && view->below.count > 0 && end == first + 1) /* folded: low values only */
        grid.width = digits_below(largest_shown(view, first) + 1);
    if (!is_plain)
        grid.width = at_least(grid.width, digits_below(view_col(view, view->cols - 1) + 1));
    grid.width = at_least(grid.width, 2);
    return grid;
}

/* Returns the width of a line with this number of columns, in characters. */
static uint64_t line_width(const struct frame *frame, uint32_t columns) {
    uint64_t width = (uint64_t)(frame->count - 1) * frame->gap;
    for (uint32_t g = 0; g < frame->count; g++)
        width +=
            frame->label + strlen(frame->ruler) + (uint64_t)columns * (frame->grids[g].width + 1);
    return width - (frame->tint < 0); /* the last blank is not printed */
}

/* Returns the largest number of columns that fits the width: all, or a power of two. Width 0 means
 * any width. */
static uint32_t columns_that_fit(const struct frame *frame, unsigned width) {
    uint32_t cols = frame->view->cols, columns = 1;
    if (cols <= COLUMNS_MAX && (width == 0 || line_width(frame, cols) <= width))
        return cols;
    while (columns < cols && columns < COLUMNS_MAX &&
           (width == 0 || line_width(frame, columns * 2) <= width))
        columns *= 2;
    return columns;
}

static struct frame frame_of(const struct view *view, uint32_t bits, const struct grid_style *style,
                             unsigned width) {
    uint32_t axes = view->shown->to.count;
    struct frame frame = {.view = view,
                          .is_plain = !style->is_framed && !style->cells,
                          .bits = bits,
                          .gap = GAP,
                          .ruler = ""};
    if (style->cells)
        frame.grids[frame.count++] = grid_of(view, 0, axes, false);
    for (uint32_t c = axes; c-- > 0 && !style->cells;)
        frame.grids[frame.count++] = grid_of(view, c, c + 1, frame.is_plain);
    choose_tint(&frame, style);
    if (frame.is_plain) {
        frame.gap = PLAIN_GAP;
        width = view->cols > COLUMNS_MAX ? PLAIN_WIDTH : 0;
    } else {
        frame.ruler = frame.tint < 0 ? " | " : " ";
        frame.label = at_least(digits_below(view_row(view, view->rows - 1) + 1), 2);
    }
    frame.columns = columns_that_fit(&frame, width);
    return frame;
}

/* ---- Lines ---- */

/* Prints a right-aligned number, faster than printf. */
static void print_aligned(struct printer *to, uint32_t number, unsigned width) {
    const unsigned digits = digits_below((uint64_t)number + 1), length = at_least(width, digits);
    char *place = printer_room(to, length) + length;
    to->size += length;
    for (unsigned n = 0; n < length; n++, number /= 10)
        *--place = (char)(n < digits ? '0' + number % 10 : ' ');
}

/* Prints the values of a cell. The first one is right-aligned, so that the separators are aligned.
 */
static void print_value(struct printer *to, const struct frame *frame, const struct grid *grid,
                        size_t entry) {
    const struct mapping_layout *shown = frame->view->shown;
    unsigned behind = 0;
    for (uint32_t c = grid->first + 1; c < grid->end; c++)
        behind += digits_below(shown->to.axis[c].size) + 1;
    print_aligned(to, shown->coordinate[grid->first][entry], grid->width - behind);
    for (uint32_t c = grid->first + 1; c < grid->end; c++)
        print(to, ":%-*u", (int)digits_below(shown->to.axis[c].size), shown->coordinate[c][entry]);
}

/* Ends a line, and removes its trailing blanks. */
static void end_line(struct printer *to) {
    while (to->size > 0 && to->text[to->size - 1] == ' ')
        to->size--;
    print_char(to, '\n');
}

/* Prints the numbers of columns above each grid. */
static void print_numbers(struct pen *pen, const struct frame *frame, uint32_t first,
                          uint32_t end) {
    for (uint32_t g = 0; g < frame->count; g++) {
        int width = (int)frame->grids[g].width;
        print(pen->to, "%*s%s", (int)(frame->label + (g > 0 ? frame->gap + 1 : 0)), "",
              frame->ruler);
        pen_take(pen, INK_DIM);
        for (uint32_t col = first; col < end; col++)
            print(pen->to, col > first ? " %*u" : "%*u", width, view_col(frame->view, col));
        pen_take(pen, INK_PLAIN);
    }
    print_char(pen->to, '\n');
}

/* Prints the line between the numbers of columns and the cells: "---+------". */
static void print_rule(struct printer *to, const struct frame *frame, uint32_t columns) {
    for (uint32_t g = 0; g < frame->count; g++) {
        print(to, "%*s", g > 0 ? (int)frame->gap + 1 : 0, "");
        for (uint32_t n = 0; n < frame->label + 1; n++)
            print_char(to, '-');
        print_char(to, '+');
        for (uint32_t n = 0; n < columns * (frame->grids[g].width + 1); n++)
            print_char(to, '-');
    }
    print_char(to, '\n');
}

/* Prints columns `first` to end - 1 of a row, in all grids. `start` is the first entry of the part.
 */
static void print_row(struct pen *pen, const struct frame *frame, uint32_t row, size_t start,
                      uint32_t first, uint32_t end) {
    for (uint32_t g = 0; g < frame->count; g++) {
        print(pen->to, "%*s", g > 0 ? (int)frame->gap : 0, "");
        pen_take(pen, INK_DIM);
        if (!frame->is_plain)
            print_aligned(pen->to, view_row(frame->view, row), frame->label);
        pen_take(pen, INK_PLAIN);
        print_text(pen->to, frame->ruler);
        for (uint32_t col = first; col < end; col++) {
            size_t entry = view_entry(frame->view, start, row, col);
            pen_take(pen, color_of_entry(frame, entry));
            print_value(pen->to, frame, &frame->grids[g], entry);
            print_char(pen->to, ' ');
        }
        pen_take(pen, INK_PLAIN);
    }
    end_line(pen->to);
}

/* Prints the label above each grid: "Element", "Thread". */
static void print_labels(struct printer *to, const struct frame *frame) {
    const struct mapping_space *space = &frame->view->shown->to;
    size_t blanks = frame->label + strlen(frame->ruler);
    for (uint32_t g = 0; g < frame->count; g++) {
        const char *name = space->axis[frame->grids[g].first].name;
        const char *label =
            axis_label(strcmp(name, MAPPING_AXIS_TID) == 0 ? "thread" : mapping_axis_word(name));
        print(to, "%*s%s", (int)blanks, "", label);
        struct frame one = *frame;
        one.count = 1;
        one.grids[0] = frame->grids[g];
        const size_t width =
            (size_t)line_width(&one, frame->columns) + (frame->tint < 0) + frame->gap;
        blanks = width > strlen(label) ? width - strlen(label) : 1;
    }
    print_char(to, '\n');
}

/* ---- All grids of a view ---- */

/* Prints the grids of one part, with as many columns side by side as fit. */
static void print_part(struct pen *pen, const struct frame *frame, size_t start) {
    const struct view *view = frame->view;
    for (uint32_t first = 0, end; first < view->cols; first = end) {
        end = frame->columns < view->cols - first ? first + frame->columns : view->cols;
        if (!frame->is_plain) {
            print_text(pen->to, first > 0 ? "\n" : "");
            print_numbers(pen, frame, first, end);
            if (frame->tint < 0)
                print_rule(pen->to, frame, end - first);
        } else if (frame->columns < view->cols) {
            print(pen->to, "columns %u to %u:\n", first, end - 1);
        }
        for (uint32_t row = 0; row < view->rows; row++)
            print_row(pen, frame, row, start, first, end);
    }
}

/* The title of grids side by side, "Element / ThreadIdx:"; or of one grid that shows all axes,
 * "ThreadIdx:Element:". */
static const char *title_of(const struct mapping_space *space, bool is_one) {
    struct printer to = {.text = NULL};
    for (uint32_t n = 0; n < space->count; n++) {
        const uint32_t c = is_one ? n : space->count - 1 - n;
        print(&to, "%s%s", axis_label(mapping_axis_title(space->axis[c].name)),
              is_one || c == 0 ? ":" : " / ");
    }
    return printer_string(&to);
}

void grids_print(struct printer *to, const struct view *view, uint32_t bits,
                 const struct grid_style *style, unsigned width) {
    const struct frame frame = frame_of(view, bits, style, width);
    const bool is_labeled = width > 0 && !style->cells && !frame.is_plain;
    struct pen pen = {to, style->is_tinted, style->has_true_color, INK_PLAIN};
    const char *title = title_of(&view->shown->to, style->cells);
    for (uint32_t part = 0; part < view->parts; part++) {
        const size_t start = view_part_start(view, part);
        for (uint32_t o = 0; o < view->outer_count; o++) {
            const char *outer = view_part_title(view, part, o);
            if (outer)
                print(to, "# %s\n", outer);
        }
        if (!is_labeled)
            print(to, "%s\n", title);
        if (is_labeled && frame.columns < view->cols) { /* print the grids one below the other */
            for (uint32_t g = 0, end; g < frame.count; g = end) {
                struct frame some = frame; /* the grids that fit side by side */
                for (end = frame.count; end > g; end--) {
                    some.count = end - g;
                    memcpy(some.grids, frame.grids + g, some.count * sizeof *some.grids);
                    some.columns = columns_that_fit(&some, width);
                    if (some.columns == view->cols || some.count == 1)
                        break;
                }
                print_text(to, g > 0 ? "\n" : "");
                print_labels(to, &some);
                print_part(&pen, &some, start);
            }
        } else {
            if (is_labeled)
                print_labels(to, &frame);
            print_part(&pen, &frame, start);
        }
        print_strings(to, &view->below);
        print_char(to, '\n');
    }
}
