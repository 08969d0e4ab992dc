/* view.c - a layout as grids; see view.h. */
#include "report/view.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/part.h"

#include <stdio.h>
#include <string.h>

struct view view_of_report(const struct report *report) {
    const struct mapping_layout *forward = &report->forward.layout;
    const bool is_inverse = forward->to.count >= 2 && !is_in_lanes(&forward->from, &forward->to) &&
                            report_has_inverse(report);
    const struct mapping_layout *shown = is_inverse ? &report->inverse.layout : forward;
    const struct mapping_space *space = &shown->from;
    struct view view = {.shown = shown, .rows = 1, .parts = 1, .copies = 1};
    uint32_t axes = space->count - is_inverse;
    bool is_matrix = has_matrix(space);
    view.row_axis = view.col_axis = axes - 1;
    if (is_matrix)
        view.col_axis = (uint32_t)mapping_space_find(space, MAPPING_AXIS_COL);
    if (axes > 1) {
        view.row_axis =
            is_matrix ? (uint32_t)mapping_space_find(space, MAPPING_AXIS_ROW) : axes - 2;
        view.rows = space->axis[view.row_axis].size;
        view.row_stride = mapping_space_stride(space, view.row_axis);
    }
    view.cols = space->axis[view.col_axis].size;
    view.col_stride = mapping_space_stride(space, view.col_axis);
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
    if (report->part) { /* a part has only some rows and columns */
        view.row_numbers = report->part->rows;
        view.col_numbers = report->part->cols;
        view.rows = report->part->row_count;
        view.cols = report->part->col_count;
    }
    return view;
}

void view_title(const struct view *view, char title[VIEW_TITLE_SIZE]) {
    const struct mapping_space *to = &view->shown->to;
    *title = '\0';
    for (uint32_t c = to->count; c-- > 0;) {
        char label[LABEL_SIZE];
        axis_label(mapping_axis_title(to->axis[c].name), label);
        mapping_append(title, VIEW_TITLE_SIZE, "%s%s", label, c > 0 ? " / " : ":");
    }
}

/* The coordinate of a part along the outer axis at that place. */
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

void view_part_title(const struct view *view, uint32_t part, uint32_t place,
                     char title[PART_TITLE_SIZE]) {
    const struct mapping_axis *axis = &view->shown->from.axis[view->outer[place]];
    *title = '\0';
    if (axis->size > 1 && strcmp(axis->name, MAPPING_AXIS_ID) == 0)
        snprintf(title, PART_TITLE_SIZE, "%s %u (of 0 to %u)", axis->name,
                 view_part_along(view, part, place), axis->size - 1);
    else if (axis->size > 1)
        snprintf(title, PART_TITLE_SIZE, "%s %u of %u", axis->name,
                 view_part_along(view, part, place), axis->size);
}

void view_print_titles(struct printer *to, const struct view *view, uint32_t part,
                       const char *title) {
    char words[PART_TITLE_SIZE];
    for (uint32_t o = 0; o < view->outer_count; o++) {
        view_part_title(view, part, o, words);
        print(to, *words ? "# %s\n" : "%s", words);
    }
    print(to, "%s\n", title);
}
