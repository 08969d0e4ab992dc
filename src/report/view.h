/* view.h - the grids of a layout: what each row and column shows, in files and on a terminal.
 */
#ifndef VIEW_H
#define VIEW_H

#include "layout/period.h"
#include "report/question.h"
#include "report/report.h"

/* Directions of a view. From VIEW_OUTER on, they are the outer axes, which number its parts. */
enum { VIEW_ROWS, VIEW_COLS, VIEW_OUTER };

/* How to show a report that has more lines than the screen: fold small views, too, to the smallest
 * periods; for memory by address, show only the beginning, or nothing; for --detail, leave out the
 * inverse, and the SASS on other architectures. */
enum tightness { TIGHT_NOT, TIGHT_FOLDED, TIGHT_CUT, TIGHT_LEFT_OUT, TIGHT_DETAIL };

/* The cells of a view that are shown: --whole, --rows and --cols. */
struct excerpt {
    bool is_whole, has[2]; /* for rows and for columns, only those in the range */
    struct range range[2];
    enum tightness tight;
};

/* The grids of a plane. A line is a row of the plane, with a value for each column; there is a grid
 * for each axis of `shown->to` side by side, the last one first. Axes outside of the plane number
 * its parts. */
struct view {
    const struct mapping_layout *shown;
    uint32_t outer[MAPPING_AXES_MAX], outer_count; /* the outermost axis first */
    uint32_t parts;                                /* number of parts that are shown ... */
    uint32_t skipped;                              /* ... after this number of parts that are not:
                                                      copies that are not read */
    uint32_t copies;             /* number of copies of each element, the outermost axis; or 1 */
    uint32_t row_axis, col_axis; /* axes of `shown->from`; the same axis if there is only one row */
    uint32_t rows, cols;
    size_t row_stride, col_stride;             /* distances in entries of `shown` */
    const uint32_t *row_numbers, *col_numbers; /* the numbers of rows and columns that have cells;
                                                  NULL for all */
    uint32_t joined[VIEW_OUTER];               /* set by view_join: elements that a cell
                                                  represents; or 0 */
    struct mapping_period periods[PERIOD_DIRECTIONS]; /* set by view_fold: the period in each
                                                         direction */
    struct strings below;                             /* lines below the grids of each part that
                                                         describe the omitted cells */
};

/* The number of a row, and of a column, and the entry at both; `start` is the first entry of a
 * part. */
static inline uint32_t view_row(const struct view *view, uint32_t row) {
    return view->row_numbers ? view->row_numbers[row] : row;
}
static inline uint32_t view_col(const struct view *view, uint32_t col) {
    return view->col_numbers ? view->col_numbers[col] : col;
}
static inline size_t view_entry(const struct view *view, size_t start, uint32_t row, uint32_t col) {
    return start + view_row(view, row) * view->row_stride + view_col(view, col) * view->col_stride;
}

/* The view of a report: the inverse if the output is two-dimensional, which shows the input for
 * each point; the last axis of an inverse is the copy. For a matrix in Tensor Memory, it shows the
 * layout: the place of each row and column. Rows and columns of the grids are the axes row and col,
 * or the last two if there are none. */
struct view view_of_report(const struct report *report);

/* A view with at most FOLD_ABOVE rows and columns is only folded if the screen is full. A period
 * has at least FOLD_LEAST rows or columns, and several levels if one level would have more than
 * FOLD_MOST. */
enum { FOLD_ABOVE = 32, FOLD_LEAST = 8, FOLD_MOST = 16 };

/* Restricts the view to the rows and columns of the excerpt. */
void view_crop(struct view *view, const struct excerpt *excerpt);

/* MAPPING_INVALID with a message if the report does not have these rows and columns. */
enum mapping_status view_check_crop(const struct report *report, const struct excerpt *excerpt,
                                    struct mapping_error *error);

/* The cells of all parts as one grid. False if there are none. */
bool view_grid(const struct view *view, uint32_t wraps, struct mapping_grid *grid);

/* Joins `count` elements along rows or columns to one cell, which shows the first of them. They are
 * part of each period. */
void view_join(struct view *view, uint32_t direction, uint32_t count);

/* True if the view may be folded: it has many rows or columns, or the screen is full. */
bool view_can_fold(const struct view *view, const struct excerpt *excerpt);

/* The parts that view_fold omits: none; those that repeat, if rows and columns may be folded; or
 * those that repeat, also in small views. */
enum parts_folded { PARTS_STAY, PARTS_OF_LARGE, PARTS_OF_ALL };

/* Finds the periods of a view if view_can_fold. The view is then reduced to its first period in
 * each direction, and the lines below it describe how the other cells are computed. If bit c of
 * `wraps` is set, coordinate c is modulo the size of its axis. */
void view_fold(struct view *view, const struct excerpt *excerpt, enum parts_folded parts,
               uint32_t wraps);

/* Reduces a question to the first period of its answers; `below` gets lines that describe how the
 * others are computed. False if the answers have no period, or are not rows and columns. */
bool view_fold_question(const struct report *report, struct question *question,
                        struct strings *below);

/* The numbers of a period in rows, columns or parts: the first cell that repeats, the last one, and
 * the length of the period. */
struct repeat_numbers {
    uint32_t first, last, every;
};
struct repeat_numbers view_repeat_numbers(const struct view *view, uint32_t direction,
                                          const struct mapping_repeat *repeat);

/* "T + 32, i + 4"; "the same" if nothing grows. The text is in the current arena. */
char *growth_text(const struct mapping_space *space, const int64_t growth[MAPPING_AXES_MAX],
                  uint32_t wraps);

/* The name of the axis that a direction follows. */
const char *view_axis(const struct view *view, uint32_t direction);

/* The first entry of a part. */
size_t view_part_start(const struct view *view, uint32_t part);

/* The title of a part along outer axis number `place`: "block 0 of 4"; NULL if there is only one.
 */
char *view_part_title(const struct view *view, uint32_t part, uint32_t place);

/* Finds a rule that gives the layouts of later loads from those of the first ones: "loads 1 to 3:
 * col + 16, address column + 16 for each load". Adds the lines of the rule to the last load that is
 * shown, and marks the later loads as left out. The rule holds at every entry. */
void fold_tmem_loads(struct report *reports, size_t count);

#endif
