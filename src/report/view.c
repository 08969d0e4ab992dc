/* view.c - the grids of a layout; see view.h. */
#include "report/view.h"

#include "layout/space.h"
#include "report/tmem_report.h"

#include <string.h>

/* The grids of a layout, whose rows and columns are these axes; one row if both are the same. */
static struct view view_of_axes(const struct mapping_layout *shown, uint32_t row_axis,
                                uint32_t col_axis) {
    const struct mapping_space *space = &shown->from;
    struct view view = {.shown = shown,
                        .rows = 1,
                        .parts = 1,
                        .copies = 1,
                        .row_axis = row_axis,
                        .col_axis = col_axis,
                        .cols = space->axis[col_axis].size,
                        .col_stride = mapping_space_stride(space, col_axis)};
    if (row_axis != col_axis) {
        view.rows = space->axis[row_axis].size;
        view.row_stride = mapping_space_stride(space, row_axis);
    }
    return view;
}

struct view view_of_report(const struct report *report) {
    const struct mapping_layout *forward = &report->forward.layout;
    const bool is_inverse = forward->to.count >= 2 && !is_in_lanes(&forward->from, &forward->to) &&
                            report_has_inverse(report);
    const struct mapping_layout *shown = is_inverse ? &report->inverse.layout : forward;
    const struct mapping_space *space = &shown->from;
    const uint32_t axes = space->count - is_inverse, last = axes - 1;
    struct view view =
        has_matrix(space)
            ? view_of_axes(shown, (uint32_t)mapping_space_find(space, MAPPING_AXIS_ROW),
                           (uint32_t)mapping_space_find(space, MAPPING_AXIS_COL))
            : view_of_axes(shown, axes > 1 ? last - 1 : last, last);
    if (is_inverse)
        view.outer[view.outer_count++] = axes;
    for (uint32_t a = 0; a < axes; a++)
        if (a != view.row_axis && a != view.col_axis)
            view.outer[view.outer_count++] = a;
    for (uint32_t o = 0; o < view.outer_count; o++)
        view.parts *= space->axis[view.outer[o]].size;
    if (is_inverse)
        view.copies = space->axis[axes].size;
    if (is_inverse && report->has_choice) {
        view.parts /= view.copies;
        view.skipped = report->choice * view.parts;
        view.copies = 1;
    }
    if (report->tmem) { /* a part only has some rows and columns */
        view.row_numbers = report->tmem->rows;
        view.col_numbers = report->tmem->cols;
        view.rows = report->tmem->row_count;
        view.cols = report->tmem->col_count;
    }
    return view;
}

/* ---- Excerpts ---- */

/* The numbers of an axis, 0 to size - 1, in a range; or those of `numbers` in this range. */
static uint32_t *numbers_in(const struct range *range, const uint32_t *numbers, uint32_t *size) {
    uint32_t *kept = memory_get(*size + 1, sizeof *kept), count = 0;
    for (uint32_t n = 0; n < *size; n++) {
        const uint32_t number = numbers ? numbers[n] : n;
        if (number >= range->first && number <= range->last)
            kept[count++] = number;
    }
    *size = count;
    return kept;
}

void view_crop(struct view *view, const struct excerpt *excerpt) {
    if (excerpt->has[VIEW_ROWS])
        view->row_numbers = numbers_in(&excerpt->range[VIEW_ROWS], view->row_numbers, &view->rows);
    if (excerpt->has[VIEW_COLS])
        view->col_numbers = numbers_in(&excerpt->range[VIEW_COLS], view->col_numbers, &view->cols);
}

enum mapping_status view_check_crop(const struct report *report, const struct excerpt *excerpt,
                                    struct mapping_error *error) {
    const struct view view = view_of_report(report);
    const uint32_t axes[] = {view.row_axis, view.col_axis};
    for (int d = VIEW_ROWS; d <= VIEW_COLS; d++) {
        const char *option = d == VIEW_ROWS ? "rows" : "cols";
        const struct mapping_axis *axis = &view.shown->from.axis[axes[d]];
        const struct range *range = &excerpt->range[d];
        if (!excerpt->has[d])
            continue;
        if (range->first >= axis->size || (range->last != UINT32_MAX && range->last >= axis->size))
            return mapping_fail(error, MAPPING_INVALID, "--%s: %.100s has only %ss 0 to %u", option,
                                report->name, mapping_axis_word(axis->name), axis->size - 1);
    }
    return MAPPING_OK;
}

/* ---- Folding ---- */

bool view_grid(const struct view *view, uint32_t wraps, struct mapping_grid *grid) {
    const struct mapping_space *from = &view->shown->from;
    uint32_t parts = 1;
    if (view->rows == 0 || view->cols == 0)
        return false;
    *grid = (struct mapping_grid){
        .layout = view->shown,
        .start = view_part_start(view, 0),
        .count = VIEW_OUTER + view->outer_count,
        .size = {view->rows, view->cols},
        .stride = {view->row_stride, view->col_stride},
        .number = {view->row_numbers, view->col_numbers},
        .wraps = wraps,
    };
    for (uint32_t o = 0; o < view->outer_count; o++) {
        grid->size[VIEW_OUTER + o] = from->axis[view->outer[o]].size;
        grid->stride[VIEW_OUTER + o] = mapping_space_stride(from, view->outer[o]);
        parts *= grid->size[VIEW_OUTER + o];
    }
    if (parts > view->parts) /* of the outermost axis, one copy is shown */
        grid->size[VIEW_OUTER] = 1;
    return true;
}

void view_join(struct view *view, uint32_t direction, uint32_t count) {
    uint32_t *size = direction == VIEW_ROWS ? &view->rows : &view->cols;
    uint32_t *numbers = memory_get(*size / count, sizeof *numbers);
    *size /= count;
    for (uint32_t n = 0; n < *size; n++)
        numbers[n] = n * count;
    *(direction == VIEW_ROWS ? &view->row_numbers : &view->col_numbers) = numbers;
    view->joined[direction] = count;
}

bool view_can_fold(const struct view *view, const struct excerpt *excerpt) {
    const uint32_t rows = view->rows * (view->joined[VIEW_ROWS] ? view->joined[VIEW_ROWS] : 1),
                   cols = view->cols * (view->joined[VIEW_COLS] ? view->joined[VIEW_COLS] : 1);
    return !excerpt->is_whole && (excerpt->tight || rows > FOLD_ABOVE || cols > FOLD_ABOVE);
}

/* The numbers of the rows or columns that a view has; NULL if it has all. */
static const uint32_t *numbers_along(const struct view *view, uint32_t direction) {
    return direction == VIEW_ROWS   ? view->row_numbers
           : direction == VIEW_COLS ? view->col_numbers
                                    : NULL;
}

struct repeat_numbers view_repeat_numbers(const struct view *view, uint32_t direction,
                                          const struct mapping_repeat *repeat) {
    const uint32_t *numbers = numbers_along(view, direction);
    const bool is_joined = direction < VIEW_OUTER && view->joined[direction] > 0;
    if (!numbers)
        return (struct repeat_numbers){repeat->period, repeat->end - 1, repeat->period};
    return (struct repeat_numbers){numbers[repeat->period],
                                   numbers[repeat->end - 1] +
                                       (is_joined ? view->joined[direction] - 1 : 0),
                                   numbers[repeat->period] - numbers[0]};
}

const char *view_axis(const struct view *view, uint32_t direction) {
    const uint32_t axis = direction == VIEW_ROWS   ? view->row_axis
                          : direction == VIEW_COLS ? view->col_axis
                                                   : view->outer[direction - VIEW_OUTER];
    return view->shown->from.axis[axis].name;
}

/* Prints "8 rows"; "row" for a single one; without the number if it is 0. */
static void print_several(struct printer *to, uint32_t count, const char *word) {
    const bool is_copy = strcmp(word, MAPPING_AXIS_COPY) == 0;
    if (count > 1)
        print(to, "%u ", count);
    print(to, "%s%s", count != 1 && is_copy ? "copies" : word, count != 1 && !is_copy ? "s" : "");
}

char *growth_text(const struct mapping_space *space, const int64_t growth[MAPPING_AXES_MAX],
                  uint32_t wraps) {
    struct printer to = {.text = NULL};
    const char *between = "";
    for (uint32_t c = space->count; c-- > 0;) {
        const struct mapping_axis *axis = &space->axis[c];
        const bool is_thread = strcmp(axis->name, MAPPING_AXIS_TID) == 0;
        if (growth[c] == 0)
            continue;
        print(&to, "%s%s %c %lld", between, is_thread ? "T" : axis->name, growth[c] < 0 ? '-' : '+',
              (long long)(growth[c] < 0 ? -growth[c] : growth[c]));
        if (wraps >> c & 1)
            print(&to, " (mod %u)", axis->size);
        between = ", ";
    }
    return *between ? printer_string(&to) : memory_text("the same");
}

/* Prints the numbers that a period describes: " 16 to 63"; " 32 to 47, 64 to 79" if the view does
 * not have the numbers between. */
static void print_ranges(struct printer *to, const struct view *view, uint32_t direction,
                         const struct mapping_repeat *repeat) {
    const uint32_t *numbers = numbers_along(view, direction);
    struct mapping_repeat range = *repeat;
    for (uint32_t first = repeat->period; first < repeat->end; first = range.end) {
        range.period = first;
        range.end = numbers ? first + 1 : repeat->end;
        while (range.end < repeat->end &&
               numbers[range.end] - numbers[range.end - 1] == numbers[1] - numbers[0])
            range.end++;
        const struct repeat_numbers shown = view_repeat_numbers(view, direction, &range);
        print(to, shown.first < shown.last ? "%s %u to %u" : "%s %u",
              first > repeat->period ? "," : "", shown.first, shown.last);
    }
}

/* Adds "rows 16 to 63: T + 32 for each 16 rows" to the lines below a view. */
static void add_sentence(struct view *view, uint32_t direction, const struct mapping_repeat *repeat,
                         uint32_t wraps) {
    const struct repeat_numbers numbers = view_repeat_numbers(view, direction, repeat);
    const char *word = mapping_axis_word(view_axis(view, direction));
    struct printer to = {.text = NULL};
    print_several(&to, numbers.first == numbers.last, word);
    print_ranges(&to, view, direction, repeat);
    print(&to, ": %s for each ", growth_text(&view->shown->to, repeat->growth, wraps));
    print_several(&to, numbers.every, word);
    strings_add(&view->below, printer_string(&to));
}

void view_fold(struct view *view, const struct excerpt *excerpt, enum parts_folded parts,
               uint32_t wraps) {
    struct mapping_grid grid;
    uint32_t *const sizes[VIEW_OUTER] = {&view->rows, &view->cols};
    const bool folds_cells = view_can_fold(view, excerpt);
    const bool folds_parts = parts == PARTS_OF_ALL ? !excerpt->is_whole : parts && folds_cells;
    if ((!folds_cells && !folds_parts) || !view_grid(view, wraps, &grid))
        return;
    for (uint32_t d = VIEW_ROWS; d < VIEW_OUTER; d++) {
        const uint32_t size = *sizes[d], least = view->joined[d] ? 1 : FOLD_LEAST;
        if (folds_cells && !excerpt->has[d])
            view->periods[d] = mapping_period_find(&grid, d, least < size ? least : size,
                                                   excerpt->tight ? FOLD_LEAST : FOLD_MOST);
    }
    /* Parts are omitted from the outermost axis on, so that the first parts are shown. */
    bool is_outermost = folds_parts;
    for (uint32_t d = VIEW_OUTER; d < grid.count && is_outermost; d++) {
        view->periods[d] = mapping_period_find(&grid, d, 1, 1);
        is_outermost = view->periods[d].size == 1;
        view->parts = view->parts / grid.size[d] * view->periods[d].size;
    }
    for (uint32_t n = 0; n < grid.count; n++) {
        const uint32_t d = n == 0 ? VIEW_COLS : n == 1 ? VIEW_ROWS : n;
        const struct mapping_period *period = &view->periods[d];
        for (uint32_t l = 0; l < period->levels; l++)
            add_sentence(view, d, &period->level[l], wraps);
        if (period->levels > 0 && d < VIEW_OUTER)
            *sizes[d] = period->size;
    }
}

bool view_fold_question(const struct report *report, struct question *question,
                        struct strings *below) {
    struct question_box box;
    if (!question_box(question, report, &box))
        return false;
    const struct mapping_space *space = &box.layout->from;
    const uint32_t last = box.axes - 1;
    struct view view = view_of_axes(box.layout, last > 0 ? last - 1 : last, last);
    const uint32_t axes[] = {view.row_axis, view.col_axis};
    struct excerpt all = {.tight = TIGHT_FOLDED}, asked = {.has = {last > 0, true}};
    for (uint32_t d = VIEW_ROWS; d <= VIEW_COLS; d++)
        asked.range[d] = box.ranges[axes[d]];
    for (uint32_t a = 0; a < space->count; a++) { /* blocks and copies: all, or one */
        const bool is_copy = a >= box.axes,
                   is_all = is_copy ? !report->has_choice
                                    : box.ranges[a].first == 0 &&
                                          box.ranges[a].last + 1 == space->axis[a].size;
        if (!is_copy && (a == view.row_axis || a == last))
            continue;
        if (view.outer_count > 0 ||
            (!is_all && !is_copy && box.ranges[a].first < box.ranges[a].last))
            return false;
        view.outer[view.outer_count++] = a;
        view.parts = is_all ? space->axis[a].size : 1;
        view.skipped = is_all ? 0 : is_copy ? report->choice : box.ranges[a].first;
    }
    view_crop(&view, &asked);
    view_fold(&view, &all, true, 0);
    if (view.below.count == 0)
        return false;
    *below = view.below;
    const uint32_t sizes[] = {view.rows, view.cols};
    question->count = box.axes;
    memcpy(question->ranges, box.ranges, sizeof box.ranges);
    for (uint32_t d = last > 0 ? VIEW_ROWS : VIEW_COLS; d <= VIEW_COLS; d++)
        question->ranges[axes[d]].last = box.ranges[axes[d]].first + sizes[d] - 1;
    return true;
}

/* ---- Titles ---- */

/* The coordinate of a part along outer axis number `place`. */
static uint32_t view_part_along(const struct view *view, uint32_t part, uint32_t place) {
    part += view->skipped;
    for (uint32_t o = view->outer_count - 1; o > place; o--)
        part /= view->shown->from.axis[view->outer[o]].size;
    return part % view->shown->from.axis[view->outer[place]].size;
}

size_t view_part_start(const struct view *view, uint32_t part) {
    size_t start = 0;
    for (uint32_t o = 0; o < view->outer_count; o++)
        start += view_part_along(view, part, o) *
                 mapping_space_stride(&view->shown->from, view->outer[o]);
    return start;
}

char *view_part_title(const struct view *view, uint32_t part, uint32_t place) {
    const struct mapping_axis *axis = &view->shown->from.axis[view->outer[place]];
    const bool is_id = strcmp(axis->name, MAPPING_AXIS_ID) == 0;
    if (axis->size == 1)
        return NULL;
    return memory_format(is_id ? "%s %u (of 0 to %u)" : "%s %u of %u", axis->name,
                         view_part_along(view, part, place), axis->size - is_id);
}

/* ---- Loads from Tensor Memory ---- */

/* True if the layout equals another one after a constant is added to each coordinate. */
static bool is_shifted(const struct mapping_layout *layout, const struct mapping_layout *first) {
    if (!mapping_space_equal(&layout->from, &first->from) || layout->to.count != first->to.count)
        return false;
    for (uint32_t c = 0; c < layout->to.count; c++)
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            if (layout->coordinate[c][n] - first->coordinate[c][n] !=
                layout->coordinate[c][0] - first->coordinate[c][0])
                return false;
    return true;
}

/* Makes a layout that maps the number of a load to its address and its first element. False if the
 * layouts of the loads differ by more than constants. */
static bool make_places(const struct report *reports, uint32_t count,
                        struct mapping_layout *places) {
    const struct mapping_space *to = &reports->forward.layout.to;
    const struct mapping_space from = {.count = 1, .axis = {{tmem_word(reports->tmem), count}}};
    struct mapping_space target = {
        .count = 2, .axis = {{"address column", UINT32_MAX}, {"address lane", UINT32_MAX}}};
    struct mapping_error ignored;
    for (uint32_t c = to->count; c-- > 0;)
        target.axis[target.count++] = to->axis[c];
    if (mapping_layout_init(places, &from, &target, &ignored) != MAPPING_OK)
        return false;
    for (uint32_t p = 0; p < count; p++) {
        if (!is_shifted(&reports[p].forward.layout, &reports->forward.layout))
            return false;
        places->coordinate[0][p] = reports[p].tmem->column;
        places->coordinate[1][p] = reports[p].tmem->lane;
        for (uint32_t c = 0; c < to->count; c++)
            places->coordinate[2 + to->count - 1 - c][p] =
                reports[p].forward.layout.coordinate[c][0];
    }
    return true;
}

static void fold_one(struct report *reports, uint32_t count) {
    struct mapping_layout places;
    struct strings lines = {.count = 0};
    if (!make_places(reports, count, &places))
        return;
    const struct mapping_grid grid = {
        .layout = &places, .count = 1, .size = {count}, .stride = {1}};
    const struct mapping_period period = mapping_period_find(&grid, 0, 1, 1);
    const char *word = tmem_word(reports->tmem);
    for (uint32_t l = 0; l < period.levels; l++) {
        const struct mapping_repeat *repeat = &period.level[l];
        struct printer line = {.text = NULL};
        if (repeat->period + 1 == repeat->end)
            print(&line, "%s %u: ", word, repeat->period);
        else
            print(&line, "%ss %u to %u: ", word, repeat->period, repeat->end - 1);
        print_text(&line, growth_text(&places.to, repeat->growth, 0));
        if (repeat->period == 1)
            print(&line, " for each %s", word);
        else
            print(&line, " for each %u %ss", repeat->period, word);
        strings_add(&lines, printer_string(&line));
    }
    if (period.levels > 0)
        reports[period.size - 1].tmem->others = lines;
    for (uint32_t p = period.size; p < count; p++)
        reports[p].tmem->is_left_out = true;
    mapping_layout_free(&places);
}

void fold_tmem_loads(struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++) {
        const struct tmem_report *tmem = reports[r].tmem;
        if (tmem && tmem->form == TMEM_LOADS_EACH && tmem->number == 0 && tmem->count > 1 &&
            tmem->count <= count - r)
            fold_one(&reports[r], tmem->count);
    }
}
