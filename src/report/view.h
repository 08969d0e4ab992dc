/* view.h - the grids of a layout: the content of each row and column, in files and on a terminal.
 */
#ifndef VIEW_H
#define VIEW_H

#include "layout/period.h"
#include "report/question.h"
#include "report/report.h"

/* Directions of a view. From VIEW_OUTER on, they are the outer axes, which number its parts. */
enum { VIEW_ROWS, VIEW_COLS, VIEW_OUTER };

/* How to show a report that has more lines than the screen: small views are folded, too, and to the
 * smallest periods; of a memory by address, only the beginning is shown, or nothing. */
enum tightness { TIGHT_NOT, TIGHT_FOLDED, TIGHT_CUT, TIGHT_LEFT_OUT };

/* Which cells of a view are shown: --whole, --rows and --cols. */
struct excerpt {
    bool is_whole, has[2]; /* rows, columns: only those of the range */
    struct range range[2];
    enum tightness tight;
};

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
    uint32_t joined[VIEW_OUTER]; /* elements that a cell represents, by view_join; or 0 */
    struct mapping_period periods[PERIOD_DIRECTIONS]; /* by view_fold; of each direction */
    struct strings below; /* lines below the grids of each part: how those left out follow */
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

/* The part of a report that is shown: the inverse if the target is two-dimensional, which gives the
 * source of each point; the last axis of an inverse numbers copies. For a matrix in Tensor Memory
 * the source is shown: the location of each row and column. Rows and columns of the grids are the
 * axes row and col, or the last two if there are none. */
struct view view_of_report(const struct report *report);

/* A view of at most FOLD_ABOVE rows and columns is folded only if the screen is full. A period has
 * at least FOLD_LEAST of them, and several levels if one alone would have more than FOLD_MOST. */
enum { FOLD_ABOVE = 32, FOLD_LEAST = 8, FOLD_MOST = 16 };

/* Leaves only the rows and columns of the excerpt in the view. */
void view_crop(struct view *view, const struct excerpt *excerpt);

/* MAPPING_INVALID with a sentence on the report if it does not have these rows and columns. */
enum mapping_status view_check_crop(const struct report *report, const struct excerpt *excerpt,
                                    struct mapping_error *error);

/* The cells of all parts as one grid. False if there are none. */
bool view_grid(const struct view *view, uint32_t wraps, struct mapping_grid *grid);

/* Makes each cell represent `count` elements along rows or columns, and show the first of them.
 * They are a part of each period. */
void view_join(struct view *view, uint32_t direction, uint32_t count);

/* True if the excerpt allows to fold the view: it has many rows or columns, or the screen is full.
 */
bool view_can_fold(const struct view *view, const struct excerpt *excerpt);

/* Which parts view_fold leaves out: none; those that repeat, if rows and columns may be folded; or
 * those that repeat, in small views as well. */
enum parts_folded { PARTS_STAY, PARTS_OF_LARGE, PARTS_OF_ALL };

/* Finds how a view repeats if view_can_fold. The view then has only its first period in each
 * direction, and the lines below it describe how the other cells follow. If bit c of `wraps` is
 * set, coordinate c wraps around at the size of its axis. */
void view_fold(struct view *view, const struct excerpt *excerpt, enum parts_folded parts,
               uint32_t wraps);

/* Reduces a question to the first period of its answers; `below` gets the lines that describe how
 * the others follow. False if the answers do not repeat, or are not rows and columns. */
bool view_fold_question(const struct report *report, struct question *question,
                        struct strings *below);

/* The cell at which a period begins to repeat, the last that it describes, and how many there are
 * to one period, as rows, columns and parts are numbered. */
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

/* Writes what a part is along the outer axis at that place: "block 0 of 4"; "" if there is only
 * one. */
enum { PART_TITLE_SIZE = 96 };
void view_part_title(const struct view *view, uint32_t part, uint32_t place,
                     char title[PART_TITLE_SIZE]);

#endif
