/* figure.h - a picture before it is drawn: panels of cells, and text around them. What it shows is
 * decided here, once; svg.c and tikz.c draw it.
 *
 * Lengths are in units that are one pixel of SVG. Text is of one width: a character is CHAR_WIDTH
 * wide, and a line LINE_HEIGHT high. */
#ifndef FIGURE_H
#define FIGURE_H

#include "output/colors.h"
#include "output/output.h"
#include "report/access.h"

enum { CHAR_WIDTH = 6, LINE_HEIGHT = 12, CELL_PADDING = 4, FIGURE_MARGIN = 16 };

/* The title of a panel is above what else stands over its cells, and takes this. */
enum { PANEL_TITLE_HEIGHT = LINE_HEIGHT + 4 };

/* Cells that a picture has at most. */
enum { FIGURE_CELLS_MAX = 1 << 17 };

/* Where there are more rows than this, columns are numbered below them, too; where there are more
 * columns, rows are numbered on their right. */
enum { NUMBERED_ONCE = 32 };

/* Where a text begins in the figure's. */
typedef uint32_t figure_text;

struct cell {
    figure_text text; /* lines are separated by '\n' */
    uint8_t color;    /* of colors.h, COLOR_NONE without tint, or COLOR_ABSENT: no cell is there */
    bool is_marked;   /* outlined, for it is what was asked for */
};
enum { COLOR_NONE = COLORS, COLOR_ABSENT };

/* A matrix. */
struct panel {
    figure_text title;              /* above it: "A, 16 x 16"; may be empty */
    figure_text row_axis, col_axis; /* what is numbered: "row", "byte"; may be empty */
    uint32_t rows, cols;
    struct cell *cells;                   /* row by row */
    figure_text *row_labels, *col_labels; /* at first the numbers from 0 */
    /* Its place among the panels that are arranged together: those of one `across` stand below each
     * other, those of one `down` side by side. A number that no panel has leaves a gap. */
    uint32_t across, down;
    /* Set by figure_arrange: the corner of the first cell, and how large each is. Panels of one
     * `across` have cells of one width, those of one `down` of one height. */
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

/* One line of text, which begins at x and stands on y. */
struct caption {
    figure_text text;
    enum caption_kind kind;
    uint32_t x, y;
};

/* A zeroed one is empty. */
struct figure {
    struct printer text; /* every text, each ended by '\0' */
    struct panel *panels;
    size_t panel_count, panel_room;
    struct caption *captions;
    size_t caption_count, caption_room;
    uint32_t width, height; /* of what is arranged, with margins */
    size_t arranged;        /* panels that have their place */
};

/* The text at a place. Valid until more is added, also while that is printed. */
const char *figure_string(const struct figure *figure, figure_text text);

/* ---- Making one ---- */

/* Adds a text, as printf does. Control characters but '\n', and what is no UTF-8, become '?'. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
figure_text
figure_add_text(struct figure *figure, const char *format, ...);

/* Adds a panel whose cells are all absent and without text, and whose rows and columns are
 * numbered. Valid until the next one is added. */
struct panel *figure_add_panel(struct figure *figure, uint32_t rows, uint32_t cols);

/* Gives all panels that are not arranged yet cells of one size. */
void figure_equal_cells(struct figure *figure);

/* Gives all panels that are not arranged yet places in reading order, so many in a row that they
 * are neither a long strip nor too wide. As wide as `free_width` they may always be. */
void figure_flow(struct figure *figure, uint32_t free_width);

/* Places all panels that were added since the last call below what is there. */
void figure_arrange(struct figure *figure);

/* The columns that a text takes, that of its widest line, and its lines. */
void figure_measure(const char *text, uint32_t *columns, uint32_t *lines);

/* Adds lines of text below what is there, broken where they are wider than the panels that were
 * arranged last, but for titles. Of an empty line half is left free. Arrange panels first. */
void figure_add_caption(struct figure *figure, enum caption_kind kind, const char *text);

/* Leaves half a line free. */
void figure_add_gap(struct figure *figure);

/* ---- What there are pictures of ---- */

/* MAPPING_INVALID with a sentence if the reports are too large for a picture. */
enum mapping_status figure_check(const struct report *reports, size_t count,
                                 struct mapping_error *error);

/* Draws reports below each other; A, B and D of one product as it is written. */
void figure_reports(struct figure *figure, const struct report *reports, size_t count,
                    const struct style *style);

/* Draws a matrix in memory, by element and by address, and below it how large it is and what its
 * tints stand for. */
void figure_placement(struct figure *figure, const struct report *report,
                      const struct style *style);

/* Draws an access: banks across, wavefronts down. */
void figure_access(struct figure *figure, const struct access *access);

/* Draws the accesses of loads and stores. */
void figure_loadings(struct figure *figure, const struct loading *loadings, size_t count,
                     const struct style *style);

/* ---- Drawing one ---- */

/* How a format prints a picture. */
typedef void print_figure_function(struct printer *to, const struct figure *figure);

/* Make one and print it. */
void figure_draw_reports(struct printer *to, const struct report *reports, size_t count,
                         const struct style *style, print_figure_function *print_figure);
void figure_draw_loadings(struct printer *to, const struct loading *loadings, size_t count,
                          const struct style *style, print_figure_function *print_figure);
void figure_draw_access(struct printer *to, const struct access *access,
                        print_figure_function *print_figure);

#endif
