/* figure.c - the parts of a picture, their sizes and positions; see figure.h. Panels are measured
 * with the text around them and placed in a grid of rows and columns (tracks). Captions follow
 * below. */
#include "output/picture/figure.h"

#include <string.h>

/* The gaps between panels, and below the previous part. */
enum { PANEL_GAP = 24, BAND_GAP = 10 };

/* Captions are at least this wide, even if the panels are smaller, and have at most this many
 * columns. */
enum { CAPTION_WIDTH_LEAST = 600, CAPTION_COLUMNS_MOST = 120 };
enum { GROUP_GAP = 28, TITLE_HEIGHT = 20, NOTE_HEIGHT = LINE_HEIGHT + 2 };

static void raise(uint32_t *value, uint32_t least) {
    *value = *value > least ? *value : least;
}

/* ---- Texts ---- */

/* The number of columns for the character that begins with this byte; 0 for a continuation byte. A
 * character that may be wide counts as wide. */
static uint32_t byte_columns(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x80 ? 1 : value < 0xc0 ? 0 : value < 0xe0 ? 1 : 2;
}

/* The width of the widest line in columns; also counts the lines. */
static uint32_t text_columns(const char *text, uint32_t *lines) {
    uint32_t column = 0, widest = 0;
    for (*lines = 1; *text; text++) {
        column = *text == '\n' ? 0 : column + byte_columns(*text);
        *lines += *text == '\n';
        raise(&widest, column);
    }
    return widest;
}

static uint32_t text_width(const char *const *texts, uint32_t count) {
    uint32_t widest = 0, lines;
    for (uint32_t n = 0; n < count; n++)
        raise(&widest, text_columns(texts[n], &lines));
    return widest * CHAR_WIDTH;
}

/* ---- Panels ---- */

/* Makes the labels 0, 1, 2, ... */
static const char **make_numbers(uint32_t count) {
    const char **labels = memory_get(count, sizeof *labels);
    for (uint32_t n = 0; n < count; n++)
        labels[n] = memory_format("%u", n);
    return labels;
}

struct panel *figure_add_panel(struct figure *figure, uint32_t rows, uint32_t cols) {
    figure->panels = array_grow(figure->panels, figure->panel_count, 1, &figure->panel_room,
                                sizeof *figure->panels);
    struct panel *panel = &figure->panels[figure->panel_count++];
    *panel = (struct panel){.title = "",
                            .row_axis = "",
                            .col_axis = "",
                            .rows = rows,
                            .cols = cols,
                            .cells = memory_get((size_t)rows * cols, sizeof *panel->cells),
                            .row_labels = make_numbers(rows),
                            .col_labels = make_numbers(cols)};
    for (size_t c = 0; c < (size_t)rows * cols; c++)
        panel->cells[c] = (struct cell){.text = "", .color = COLOR_ABSENT};
    return panel;
}

void figure_return(struct figure *figure, const struct figure *before) {
    struct figure returned = *before;
    returned.panels = figure->panels; /* may have been reallocated */
    returned.panel_room = figure->panel_room;
    returned.captions = figure->captions;
    returned.caption_room = figure->caption_room;
    *figure = returned;
}

/* ---- Sizes ---- */

/* Sets the cell sizes of panels that are not arranged yet. If `has_equal_cells`, all get the same
 * size. */
static void size_cells(struct figure *figure, bool has_equal_cells) {
    uint32_t width = 0, height = 0;
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        struct panel *panel = &figure->panels[p];
        uint32_t columns = text_width(panel->col_labels, panel->cols) / CHAR_WIDTH;
        uint32_t rows = 1, lines;
        for (size_t c = 0; c < (size_t)panel->rows * panel->cols; c++) {
            raise(&columns, text_columns(panel->cells[c].text, &lines));
            raise(&rows, lines);
        }
        panel->cell_width = columns * CHAR_WIDTH + 2 * CELL_PADDING;
        panel->cell_height = rows * LINE_HEIGHT + 2 * CELL_PADDING;
        raise(&width, panel->cell_width);
        raise(&height, panel->cell_height);
    }
    for (size_t p = figure->arranged; p < figure->panel_count && has_equal_cells; p++) {
        figure->panels[p].cell_width = width;
        figure->panels[p].cell_height = height;
    }
}

/* The space of a panel on each side of the top left corner of its first cell. */
struct extent {
    uint32_t left, above, right, below;
};

static struct extent measure(const struct panel *panel) {
    const uint32_t labels = text_width(panel->row_labels, panel->rows);
    struct extent extent = {
        .left = labels,
        /* the column numbers, the name of their axis above them, and the title */
        .above = 2 * LINE_HEIGHT + CELL_PADDING + PANEL_TITLE_HEIGHT,
        .right = panel->cols * panel->cell_width,
        .below = panel->rows * panel->cell_height,
    };
    raise(&extent.left, text_width(&panel->row_axis, 1));
    extent.left += 2 * CELL_PADDING;
    extent.right += panel->cols > NUMBERED_ONCE ? labels + 2 * CELL_PADDING : 0;
    raise(&extent.right, text_width(&panel->title, 1) + CELL_PADDING);
    raise(&extent.right, text_width(&panel->col_axis, 1) + CELL_PADDING);
    extent.below += panel->rows > NUMBERED_ONCE ? LINE_HEIGHT + CELL_PADDING : 0;
    return extent;
}

/* ---- Places ---- */

/* Common sizes of panels with the same `across`, or with the same `down`: the largest cell, the
 * most space before and after the first cell, and the position of this cell. A track without panels
 * has only zeros. */
struct track {
    uint32_t cell, before, behind, place;
};

/* Places tracks one after another, and returns the end of the last one. A track without panels
 * leaves a gap. */
static uint32_t place_tracks(struct track *tracks, size_t count, uint32_t start) {
    uint32_t end = start;
    for (size_t t = 0; t < count; t++) {
        end += end > start ? PANEL_GAP : 0;
        tracks[t].place = end + tracks[t].before;
        end = tracks[t].place + tracks[t].behind;
    }
    return end;
}

/* The number of columns of a panel that fit into a picture; a multiple of 8 if not all fit. */
static uint32_t fitting_columns(const struct panel *panel) {
    enum { UNIT = 8 };
    const uint32_t left = measure(panel).left + 2 * FIGURE_MARGIN;
    const uint32_t capacity = left < PICTURE_WIDTH ? PICTURE_WIDTH - left : 0;
    const uint32_t count = capacity / panel->cell_width;
    if (count >= panel->cols && panel->cols > 0)
        return panel->cols;
    return count > UNIT ? count / UNIT * UNIT : UNIT;
}

/* Moves columns from `first` on into a new panel: `count` of them, or all. */
static struct panel take_columns(const struct panel *panel, uint32_t first, uint32_t count) {
    struct panel taken = *panel;
    taken.cols = first + count < panel->cols ? count : panel->cols - first;
    taken.cells = memory_get((size_t)taken.rows * taken.cols, sizeof *taken.cells);
    taken.col_labels = panel->col_labels + first;
    for (uint32_t row = 0; row < taken.rows; row++)
        memcpy(figure_cell(&taken, row, 0), figure_cell(panel, row, first),
               taken.cols * sizeof *taken.cells);
    if (first > 0)
        taken.title = memory_format("%s %s to %s", taken.col_axis, taken.col_labels[0],
                                    taken.col_labels[taken.cols - 1]);
    return taken;
}

static void split_wide(struct figure *figure) {
    const size_t first = figure->arranged, count = figure->panel_count - first;
    uint32_t most = 1; /* number of parts of one panel */
    size_t all = 0;
    for (size_t p = first; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        const uint32_t fitting = fitting_columns(panel),
                       parts = (panel->cols + fitting - 1) / fitting;
        if (panel->across > 0)
            return;
        raise(&most, parts);
        all += parts;
    }
    if (most == 1)
        return;
    struct panel *wide = memory_get(count, sizeof *wide);
    memcpy(wide, &figure->panels[first], count * sizeof *wide);
    figure->panels = array_grow(figure->panels, figure->panel_count, all - count,
                                &figure->panel_room, sizeof *figure->panels);
    figure->panel_count = first;
    for (size_t p = 0; p < count; p++) {
        const uint32_t fitting = fitting_columns(&wide[p]);
        for (uint32_t col = 0, part = 0; col < wide[p].cols; col += fitting, part++) {
            struct panel *panel = &figure->panels[figure->panel_count++];
            *panel = take_columns(&wide[p], col, fitting);
            panel->down = wide[p].down * most + part;
        }
        mapping_free(wide[p].cells);
    }
    mapping_free(wide);
}

void figure_arrange(struct figure *figure, bool has_equal_cells) {
    uint32_t column_count = 0, row_count = 0;
    size_cells(figure, has_equal_cells);
    if (figure->splits)
        split_wide(figure);
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        raise(&column_count, figure->panels[p].across + 1);
        raise(&row_count, figure->panels[p].down + 1);
    }
    if (row_count == 0)
        return;
    struct track *columns = memory_get(column_count, sizeof *columns);
    struct track *rows = memory_get(row_count, sizeof *rows);
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        raise(&columns[panel->across].cell, panel->cell_width);
        raise(&rows[panel->down].cell, panel->cell_height);
    }
    for (size_t p = figure->arranged; p < figure->panel_count; p++) {
        struct panel *panel = &figure->panels[p];
        struct track *column = &columns[panel->across], *row = &rows[panel->down];
        panel->cell_width = column->cell;
        panel->cell_height = row->cell;
        const struct extent extent = measure(panel);
        raise(&column->before, extent.left);
        raise(&column->behind, extent.right);
        raise(&row->before, extent.above);
        raise(&row->behind, extent.below);
    }
    uint32_t top = figure->height > 0 ? figure->height + BAND_GAP : FIGURE_MARGIN;
    raise(&figure->width, place_tracks(columns, column_count, FIGURE_MARGIN) + FIGURE_MARGIN);
    figure->height = place_tracks(rows, row_count, top) + 2 * CELL_PADDING;
    for (; figure->arranged < figure->panel_count; figure->arranged++) {
        struct panel *panel = &figure->panels[figure->arranged];
        panel->x = columns[panel->across].place;
        panel->y = rows[panel->down].place;
    }
}

/* ---- Reading order ---- */

/* The maximum number of panels in a row. */
enum { FLOW_MOST = 64 };

/* The cost of so many panels in a row; lower is better. It is the longer side of the picture, for a
 * picture that should be 1.5 times as wide as high; the width up to `free_width` costs nothing. A
 * last row that is not full costs more. */
static uint64_t judge_flow(const struct figure *figure, size_t in_row, uint32_t free_width) {
    uint32_t columns[FLOW_MOST] = {0}, row = 0;
    uint64_t width = 0, height = 0;
    size_t count = figure->panel_count - figure->arranged;
    for (size_t n = 0; n < count; n++) {
        const struct extent extent = measure(&figure->panels[figure->arranged + n]);
        raise(&columns[n % in_row], extent.left + extent.right + PANEL_GAP);
        raise(&row, extent.above + extent.below + PANEL_GAP);
        if (n % in_row == in_row - 1 || n == count - 1) {
            height += row;
            row = 0;
        }
    }
    for (size_t n = 0; n < in_row; n++)
        width += columns[n];
    if (width > PICTURE_WIDTH - 2 * FIGURE_MARGIN && in_row > 1 && !figure->is_whole)
        return UINT64_MAX - 1;
    uint64_t longer = width > free_width && 2 * width > 3 * height ? 2 * width : 3 * height;
    return count % in_row ? longer * 3 / 2 : longer;
}

void figure_flow(struct figure *figure, uint32_t free_width) {
    size_t count = figure->panel_count - figure->arranged, in_row = 1;
    uint64_t least = UINT64_MAX;
    size_cells(figure, true);
    for (size_t n = 1; n <= count && n <= FLOW_MOST; n++) {
        uint64_t cost = judge_flow(figure, n, free_width);
        in_row = cost < least ? n : in_row;
        least = cost < least ? cost : least;
    }
    for (size_t n = 0; n < count; n++) {
        figure->panels[figure->arranged + n].across = (uint32_t)(n % in_row);
        figure->panels[figure->arranged + n].down = (uint32_t)(n / in_row);
    }
    figure_arrange(figure, true);
}

/* ---- The empty corner ---- */

void figure_enter_corner(struct figure *figure, size_t first) {
    enum { WIDTH_LEAST = 52 * CHAR_WIDTH };
    uint32_t left = UINT32_MAX, below = UINT32_MAX, top = UINT32_MAX, first_row = UINT32_MAX;
    for (size_t p = first; p < figure->panel_count; p++)
        first_row = figure->panels[p].y < first_row ? figure->panels[p].y : first_row;
    for (size_t p = first; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        const struct extent extent = measure(panel);
        const uint32_t start = panel->x - extent.left, above = panel->y - extent.above;
        uint32_t *edge = panel->y == first_row ? &top : &below;
        *edge = above < *edge ? above : *edge;
        if (panel->y == first_row && start < left)
            left = start;
    }
    if (left == UINT32_MAX || below == UINT32_MAX || below <= top ||
        left < FIGURE_MARGIN + PANEL_GAP + WIDTH_LEAST)
        return;
    figure->corner.width = left - PANEL_GAP;
    figure->corner.y = top;
    figure->corner.end = below;
    figure->corner.first = first;
}

void figure_leave_corner(struct figure *figure) {
    const uint32_t y = figure->corner.y + LINE_HEIGHT, end = figure->corner.end;
    const uint32_t moved = figure->corner.width && y > end ? y - end : 0;
    for (size_t p = figure->corner.first; p < figure->panel_count; p++)
        figure->panels[p].y += moved;
    figure->height += moved;
    figure->corner.width = 0;
}

/* ---- Captions ---- */

/* Adds one line, a text of `length` bytes, indented by some columns. */
static void add_line(struct figure *figure, enum caption_kind kind, const char *text, size_t length,
                     uint32_t indent) {
    figure->captions = array_grow(figure->captions, figure->caption_count, 1, &figure->caption_room,
                                  sizeof *figure->captions);
    bool is_title = kind == CAPTION_TITLE;
    uint32_t *y = figure->corner.width ? &figure->corner.y : &figure->height;
    uint32_t above = *y > 0 ? *y + (is_title ? GROUP_GAP : 0) : FIGURE_MARGIN;
    *y = above + (is_title ? TITLE_HEIGHT : NOTE_HEIGHT);
    struct caption line = {.text = memory_format("%.*s", (int)length, text),
                           .kind = kind,
                           .x = FIGURE_MARGIN + indent * CHAR_WIDTH,
                           .y = *y - CELL_PADDING};
    figure->captions[figure->caption_count++] = line;
    /* Titles are larger; other texts may be slightly wider than computed. */
    uint32_t width = text_width(&line.text, 1);
    width = width * (is_title ? 4 : 3) / 3 + width / CHAR_WIDTH / 20;
    raise(&figure->width, line.x + width + FIGURE_MARGIN);
}

/* The number of bytes of a text that fit into a line with so many columns; breaks at a blank, if
 * there is one. */
static size_t line_length(const char *text, size_t length, size_t most) {
    size_t blank = 0, columns = 0, n = 0;
    for (; n < length && columns <= most; n++) {
        columns += byte_columns(text[n]);
        if (text[n] == ' ')
            blank = n;
    }
    if (columns <= most)
        return length;
    if (blank > 0)
        return blank;
    for (n--; n > 1 && byte_columns(text[n]) == 0;)
        n--;
    return n;
}

void figure_add_caption(struct figure *figure, enum caption_kind kind, const char *text) {
    enum { INDENT = 4 };
    uint32_t width = figure->corner.width                  ? figure->corner.width
                     : figure->width > CAPTION_WIDTH_LEAST ? figure->width
                                                           : CAPTION_WIDTH_LEAST;
    size_t most = (width - 2 * FIGURE_MARGIN) / CHAR_WIDTH;
    most = most < CAPTION_COLUMNS_MOST ? most : CAPTION_COLUMNS_MOST;
    while (*text) {
        size_t length = strcspn(text, "\n"), taken = 0;
        if (length == 0)
            *(figure->corner.width ? &figure->corner.y : &figure->height) += NOTE_HEIGHT / 2;
        for (uint32_t indent = 0; taken < length; indent = INDENT) {
            size_t line = kind == CAPTION_TITLE
                              ? length
                              : line_length(text + taken, length - taken, most - indent);
            add_line(figure, kind, text + taken, line, indent);
            for (taken += line; taken < length && text[taken] == ' ';)
                taken++;
        }
        text += length + (text[length] == '\n');
    }
}

bool figure_uses(const struct figure *figure, unsigned color) {
    for (size_t p = 0; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        for (size_t c = 0; c < (size_t)panel->rows * panel->cols; c++)
            if (color == HATCHED ? panel->cells[c].is_hatched : panel->cells[c].color == color)
                return true;
    }
    return false;
}
