/* figure_place.c - how large the panels of a picture are, and where they stand; see figure.h. */
#include "output/picture/figure.h"

#include "system/system.h"

#include <stdlib.h>

/* Between panels, and below what is above them. */
enum { PANEL_GAP = 24, BAND_GAP = 10 };

/* ---- Sizes ---- */

/* What stands left of the first cell, above it, right of the last one, and below it. */
struct surroundings {
    uint32_t left, above, right, below;
};

static uint32_t width_of_labels(const struct figure *figure, const figure_text *labels,
                                uint32_t count) {
    uint32_t widest = 0, columns, lines;
    for (uint32_t n = 0; n < count; n++) {
        figure_measure(figure_string(figure, labels[n]), &columns, &lines);
        widest = columns > widest ? columns : widest;
    }
    return widest * CHAR_WIDTH;
}

static struct surroundings measure_surroundings(const struct figure *figure,
                                                const struct panel *panel) {
    uint32_t labels = width_of_labels(figure, panel->row_labels, panel->rows);
    uint32_t axis = width_of_labels(figure, &panel->row_axis, 1);
    return (struct surroundings){
        .left = (labels > axis ? labels : axis) + 2 * CELL_PADDING,
        /* the numbers of columns; above them what they are, and the title */
        .above = 2 * LINE_HEIGHT + CELL_PADDING + PANEL_TITLE_HEIGHT,
        .right = panel->cols > NUMBERED_ONCE ? labels + 2 * CELL_PADDING : 0,
        .below = panel->rows > NUMBERED_ONCE ? LINE_HEIGHT + CELL_PADDING : 0,
    };
}

/* What a panel takes behind its first column. */
static uint32_t width_behind(const struct figure *figure, const struct panel *panel) {
    uint32_t width = panel->cols * panel->cell_width + measure_surroundings(figure, panel).right;
    uint32_t title = width_of_labels(figure, &panel->title, 1) + CELL_PADDING;
    uint32_t axis = width_of_labels(figure, &panel->col_axis, 1) + CELL_PADDING;
    title = title > axis ? title : axis;
    return width > title ? width : title;
}

static uint32_t height_behind(const struct figure *figure, const struct panel *panel) {
    return panel->rows * panel->cell_height + measure_surroundings(figure, panel).below;
}

static void size_cells(const struct figure *figure, struct panel *panel) {
    uint32_t width = width_of_labels(figure, panel->col_labels, panel->cols) / CHAR_WIDTH;
    uint32_t height = 1, columns, lines;
    for (size_t c = 0; c < (size_t)panel->rows * panel->cols; c++) {
        figure_measure(figure_string(figure, panel->cells[c].text), &columns, &lines);
        width = columns > width ? columns : width;
        height = lines > height ? lines : height;
    }
    panel->cell_width = width * CHAR_WIDTH + 2 * CELL_PADDING;
    panel->cell_height = height * LINE_HEIGHT + 2 * CELL_PADDING;
}

/* Sizes the cells of those that have no size yet. */
static void size_panels(struct figure *figure) {
    for (size_t p = figure->arranged; p < figure->panel_count; p++)
        if (figure->panels[p].cell_width == 0)
            size_cells(figure, &figure->panels[p]);
}

void figure_equal_cells(struct figure *figure) {
    uint32_t width = 0, height = 0;
    size_panels(figure);
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        width = panel->cell_width > width ? panel->cell_width : width;
        height = panel->cell_height > height ? panel->cell_height : height;
    }
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        figure->panels[p].cell_width = width;
        figure->panels[p].cell_height = height;
    }
}

/* ---- Places ---- */

/* What panels of one `across`, or of one `down`, have: the largest cell; the most that stands
 * before the first cell, and behind it; and where that cell is. */
struct track {
    uint32_t cell, before, behind, place;
    bool is_used;
};

static void raise(uint32_t *value, uint32_t least) {
    *value = *value > least ? *value : least;
}

/* Places tracks behind each other; returns the end of the last. One that is not used leaves a gap.
 */
static uint32_t place_tracks(struct track *tracks, size_t count, uint32_t start) {
    uint32_t end = start;
    for (size_t t = 0; t < count; t++) {
        if (!tracks[t].is_used) {
            end += end > start ? PANEL_GAP : 0;
            continue;
        }
        tracks[t].place = (end > start ? end + PANEL_GAP : start) + tracks[t].before;
        end = tracks[t].place + tracks[t].behind;
    }
    return end;
}

/* Gives panels the cells of their tracks, and tracks the size of their panels. */
static void stretch_tracks(struct figure *figure, struct track *columns, struct track *rows) {
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        raise(&columns[panel->across].cell, panel->cell_width);
        raise(&rows[panel->down].cell, panel->cell_height);
    }
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        struct panel *panel = &figure->panels[p];
        struct track *column = &columns[panel->across], *row = &rows[panel->down];
        struct surroundings around = measure_surroundings(figure, panel);
        panel->cell_width = column->cell;
        panel->cell_height = row->cell;
        raise(&column->before, around.left);
        raise(&column->behind, width_behind(figure, panel));
        raise(&row->before, around.above);
        raise(&row->behind, height_behind(figure, panel));
        column->is_used = row->is_used = true;
    }
}

/* Places the panels, in tracks that are there. */
static void place_panels(struct figure *figure, struct track *columns, size_t column_count,
                         struct track *rows, size_t row_count) {
    stretch_tracks(figure, columns, rows);
    uint32_t top = figure->height > 0 ? figure->height + BAND_GAP : FIGURE_MARGIN;
    uint32_t right = place_tracks(columns, column_count, FIGURE_MARGIN) + FIGURE_MARGIN;
    figure->height = place_tracks(rows, row_count, top) + 2 * CELL_PADDING;
    raise(&figure->width, right);
    for (; figure->arranged < figure->panel_count; figure->arranged++) {
        struct panel *panel = &figure->panels[figure->arranged];
        panel->x = columns[panel->across].place;
        panel->y = rows[panel->down].place;
    }
}

void figure_arrange(struct figure *figure) {
    uint32_t columns = 0, rows = 0;
    if (figure->arranged == figure->panel_count)
        return;
    size_panels(figure);
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        raise(&columns, figure->panels[p].across + 1);
        raise(&rows, figure->panels[p].down + 1);
    }
    struct track *tracks = memory_get((size_t)columns + rows, sizeof *tracks);
    place_panels(figure, tracks, columns, tracks + columns, rows);
}

/* ---- Reading order ---- */

/* Panels are placed in rows of no more than this. */
enum { FLOW_MOST = 64 };

/* How bad it is to have so many panels in a row: the longer side of the picture, where one half as
 * wide again as it is high is best, and `free_width` of it is there anyway; worse if the last row
 * is not full. */
static uint64_t judge_flow(const struct figure *figure, size_t in_row, uint32_t free_width) {
    uint32_t columns[FLOW_MOST] = {0}, row = 0;
    uint64_t width = 0, height = 0;
    size_t count = figure->panel_count - figure->arranged;
    for (size_t n = 0; n < count; n++) {
        const struct panel *panel = &figure->panels[figure->arranged + n];
        struct surroundings around = measure_surroundings(figure, panel);
        raise(&columns[n % in_row], around.left + width_behind(figure, panel) + PANEL_GAP);
        raise(&row, around.above + height_behind(figure, panel) + PANEL_GAP);
        if (n % in_row == in_row - 1 || n == count - 1) {
            height += row;
            row = 0;
        }
    }
    for (size_t n = 0; n < in_row; n++)
        width += columns[n];
    uint64_t longer = width > free_width && 2 * width > 3 * height ? 2 * width : 3 * height;
    return count % in_row ? longer * 3 / 2 : longer;
}

void figure_flow(struct figure *figure, uint32_t free_width) {
    size_t count = figure->panel_count - figure->arranged, in_row = 1;
    size_panels(figure);
    uint64_t least = UINT64_MAX;
    for (size_t n = 1; n <= count && n <= FLOW_MOST; n++) {
        uint64_t cost = judge_flow(figure, n, free_width);
        in_row = cost < least ? n : in_row;
        least = cost < least ? cost : least;
    }
    for (size_t n = 0; n < count; n++) {
        figure->panels[figure->arranged + n].across = (uint32_t)(n % in_row);
        figure->panels[figure->arranged + n].down = (uint32_t)(n / in_row);
    }
}
