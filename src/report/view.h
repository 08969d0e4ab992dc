/* view.h - a layout as grids: what stands in which row and column, on paper and in a terminal. */
#ifndef VIEW_H
#define VIEW_H

#include "report/report.h"

/* Grids of a plane: a row of it in a line, a value for each column; side by side a grid for each
 * axis of `shown->to`, the last one first. Axes outside of the plane number its parts. */
struct view {
    const struct mapping_layout *shown;
    uint32_t outer[MAPPING_AXES_MAX], outer_count; /* the outermost first */
    uint32_t parts;                                /* that are shown ... */
    uint32_t skipped;            /* ... after this many that are not: copies that are not read */
    uint32_t copies;             /* of each element, which the outermost axis numbers; or 1 */
    uint32_t row_axis, col_axis; /* of `shown->from`; the same where there is one row alone */
    uint32_t rows, cols;
    size_t row_stride, col_stride;             /* in entries of `shown` */
    const uint32_t *row_numbers, *col_numbers; /* that have cells; NULL for all */
};

/* The number of a row, and of a column, and the entry where they meet; `start` is that of a part.
 */
static inline uint32_t view_row(const struct view *view, uint32_t row) {
    return view->row_numbers ? view->row_numbers[row] : row;
}
static inline uint32_t view_col(const struct view *view, uint32_t col) {
    return view->col_numbers ? view->col_numbers[col] : col;
}
static inline size_t view_entry(const struct view *view, size_t start, uint32_t row, uint32_t col) {
    return start + view_row(view, row) * view->row_stride + view_col(view, col) * view->col_stride;
}

/* What is shown of a report: its inverse if the target is a plane, so which source maps to each
 * point; the last axis of an inverse numbers copies. For a matrix in Tensor Memory the
 * source is shown: the location of each row and column. Rows and columns of the grids are the axes
 * row and col, or the last two if there are none. */
struct view view_of_report(const struct report *report);

/* Writes the title of grids side by side: "Element / ThreadIdx:". */
enum { VIEW_TITLE_SIZE = 128 };
void view_title(const struct view *view, char title[VIEW_TITLE_SIZE]);

/* The first entry of a part. */
size_t view_part_start(const struct view *view, uint32_t part);

/* Writes what a part is along the outer axis at that place: "block 0 of 4"; "" if there is only
 * one. */
enum { PART_TITLE_SIZE = 96 };
void view_part_title(const struct view *view, uint32_t part, uint32_t place,
                     char title[PART_TITLE_SIZE]);

/* Prints the lines above the grids of a part: "# block 0 of 4" for each outer axis, then the title
 * of the grids. */
void view_print_titles(struct printer *to, const struct view *view, uint32_t part,
                       const char *title);

#endif
