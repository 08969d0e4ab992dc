/* figure.h - a picture before it is drawn: panels of cells, and text around them. draw_report.c,
 * smem_grid.c and shared_access.c decide what it shows; svg.c and tikz.c print it.
 *
 * To draw another kind of result:
 * - write a function that returns a struct figure, beside draw_access in shared_access.c or, for a
 *   report, in draw_report.c;
 * - declare it below, and call it from PICTURE_FORMAT, for this result's member of struct output;
 * - add it to WITH_FORMATS in tests/cli/every_option_test.py.
 *
 * Lengths are in units that are one pixel of SVG. The font is monospaced: a character is CHAR_WIDTH
 * wide, and a line LINE_HEIGHT high. */
#ifndef FIGURE_H
#define FIGURE_H

#include "output/colors.h"
#include "output/output.h"

/* The maximum width of a picture that does not show every cell. */
enum { PICTURE_WIDTH = 1200 };

enum { CHAR_WIDTH = 6, LINE_HEIGHT = 12, CELL_PADDING = 4, FIGURE_MARGIN = 16 };

/* The title of a panel is above its column numbers and their axis, and has this height. */
enum { PANEL_TITLE_HEIGHT = LINE_HEIGHT + 4 };

/* If there are more rows than this, columns are also numbered below the panel; if there are more
 * columns, rows are also numbered on the right. */
enum { NUMBERED_ONCE = 32 };

/* Texts are not copied, and must outlive the figure. */
struct cell {
    const char *text; /* lines are separated by '\n' */
    uint8_t color;    /* a color of colors.h, one of those below, or COLOR_ABSENT if there is no
                         cell */
    bool is_marked;   /* outlined, because it is an answer */
    bool is_hatched;  /* hatched, because it is padding */
};
enum { COLOR_NONE = COLORS, COLOR_WARNING, COLOR_ABSENT, HATCHED };

/* The color of what is wrong, such as a bank conflict, as 0xrrggbb. Dark text is readable on it. */
enum { WARNING_RGB = 0xff8f7a };

/* A matrix. */
struct panel {
    const char *title;               /* title above it: "A, 16 x 16"; may be empty */
    const char *row_axis, *col_axis; /* name of the numbered axis: "row", "byte"; may be empty */
    uint32_t rows, cols;
    struct cell *cells;                    /* cells in row-major order */
    const char **row_labels, **col_labels; /* initially the numbers from 0 on */
    /* Its position among the panels that are arranged together. Panels with the same `across` are
     * below each other, those with the same `down` side by side. A number without a panel leaves a
     * gap. */
    uint32_t across, down;
    /* Set by figure_arrange: the corner of the first cell, and the size of each cell. Panels with
     * the same `across` have cells of the same width, those with the same `down` cells of the same
     * height. */
    uint32_t x, y, cell_width, cell_height;
};

/* The cell in a row and a column. */
static inline struct cell *figure_cell(const struct panel *panel, uint32_t row, uint32_t col) {
    return &panel->cells[(size_t)row * panel->cols + col];
}

enum caption_kind {
    CAPTION_TITLE,   /* a name, above its panels */
    CAPTION_NOTE,    /* the source, sentences */
    CAPTION_FORMULA, /* code */
    CAPTION_KINDS
};

/* One line of text, which begins at x; y is its baseline. */
struct caption {
    const char *text;
    enum caption_kind kind;
    uint32_t x, y;
};

/* An empty figure is zeroed. */
struct figure {
    struct panel *panels;
    size_t panel_count, panel_room;
    struct caption *captions;
    size_t caption_count, caption_room;
    uint32_t width, height; /* size of the arranged panels, with margins */
    size_t arranged;        /* number of panels that are arranged */
    bool is_whole;          /* the figure may be wider than PICTURE_WIDTH */
    bool splits;            /* panels that are wider are split */
    struct {
        uint32_t width;  /* 0 if captions are below the panels */
        uint32_t y, end; /* position of the next line, and end of the corner */
        size_t first;    /* the first panel beside it */
    } corner;
};

/* ---- Making one ---- */

/* Adds a panel. All its cells are absent and have no text; rows and columns are numbered. The
 * pointer is valid until the next panel is added. */
struct panel *figure_add_panel(struct figure *figure, uint32_t rows, uint32_t cols);

/* Removes everything that was added since `before` was copied from the figure. */
void figure_return(struct figure *figure, const struct figure *before);

/* Places the panels that are not arranged yet below the others, by their `across` and `down`. If
 * `has_equal_cells`, cells have the same size. If the figure `splits`, panels below each other that
 * are too wide are split by columns. */
void figure_arrange(struct figure *figure, bool has_equal_cells);

/* Places the panels in reading order, with cells of the same size. Chooses the number of panels
 * side by side, so that the figure is neither a long strip nor too wide. The width may always be
 * `free_width`. */
void figure_flow(struct figure *figure, uint32_t free_width);

/* Puts the following captions into the corner left of the first row of panels, from panel `first`
 * on, if the corner is empty and wide enough for formulae. figure_leave_corner moves the panels
 * down if the corner is not high enough. */
void figure_enter_corner(struct figure *figure, size_t first);
void figure_leave_corner(struct figure *figure);

/* Adds lines of text below the figure, or in the corner. Lines other than titles are broken if they
 * are wider than the panels that were arranged last, so arrange panels first. An empty line has
 * half of the height. */
void figure_add_caption(struct figure *figure, enum caption_kind kind, const char *text);

/* True if a cell has this color or, for HATCHED, is hatched. */
bool figure_uses(const struct figure *figure, unsigned color);

/* ---- What there are pictures of ---- */

/* MAPPING_INVALID with a message if the reports are too large for a picture. */
enum mapping_status figure_check(const struct report *reports, size_t count,
                                 struct mapping_error *error);

/* Draws reports below each other; A, B and D of one product are placed as in the product. Releases
 * the reports. */
struct figure draw_reports(struct report *reports, size_t count, const struct style *style);

/* Adds a matrix in memory, by element and by address, and below it its size and the meaning of its
 * colors. Outlines the marked elements; `marked` may be NULL. */
void draw_memory(struct figure *figure, const struct report *report, const bool *marked,
                 const struct style *style);

/* Draws an access: columns are banks, rows are wavefronts. */
struct figure draw_access(const struct access *access);

/* Draws the accesses of loads and stores. */
struct figure draw_loads(const struct load *loads, size_t count, const struct style *style);

/* Defines NAME_output, a format that prints figures with print_figure(to, figure). */
#define PICTURE_FORMAT(NAME, CHECK)                                                                \
    static void NAME##_reports(struct pages *pages, struct report *reports, size_t count,          \
                               const struct style *style) {                                        \
        print_figure(pages->page, draw_reports(reports, count, style));                            \
    }                                                                                              \
    static void NAME##_loads(struct printer *to, const struct load *loads, size_t count,           \
                             const struct style *style) {                                          \
        print_figure(to, draw_loads(loads, count, style));                                         \
    }                                                                                              \
    static void NAME##_access(struct printer *to, const struct access *access) {                   \
        print_figure(to, draw_access(access));                                                     \
    }                                                                                              \
    const struct output NAME##_output = {                                                          \
        .name = #NAME,                                                                             \
        .detail = DETAIL_OF_FRAGMENTS,                                                             \
        .has_formulae = true,                                                                      \
        .has_descriptors = true,                                                                   \
        .styles_loads = true,                                                                      \
        .usual_loads = FORMULA_DIVIDE,                                                             \
        .is_picture = true,                                                                        \
        .has_answers = true,                                                                       \
        .has_colors = true,                                                                        \
        .folds = true,                                                                             \
        .check = CHECK,                                                                            \
        .reports = NAME##_reports,                                                                 \
        .loads = NAME##_loads,                                                                     \
        .access = NAME##_access,                                                                   \
    };

#endif
