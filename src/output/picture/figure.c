/* figure.c - the parts of a picture; see figure.h. Where they stand is in figure_place.c. */
#include "output/picture/figure.h"

#include "system/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Captions are no narrower than this, however small the panels are, and have no longer lines. */
enum { CAPTION_WIDTH_LEAST = 480, CAPTION_COLUMNS_MOST = 120 };
enum { GROUP_GAP = 28, TITLE_HEIGHT = 20, NOTE_HEIGHT = LINE_HEIGHT + 2 };

const char *figure_string(const struct figure *figure, figure_text text) {
    return figure->text.text + text;
}

/* ---- Texts ---- */

/* Columns that the character takes of which this is the first byte; 0 for a byte inside of one.
 * What may be wide is taken to be. */
static uint32_t byte_columns(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x80 ? 1 : value < 0xc0 ? 0 : value < 0xe0 ? 1 : 2;
}

figure_text figure_add_text(struct figure *figure, const char *format, ...) {
    enum { USUAL = 64 };
    const size_t start = figure->text.size;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(printer_room(&figure->text, USUAL), USUAL, format, arguments);
    va_end(arguments);
    if (length >= USUAL) {
        va_start(arguments, format);
        vsnprintf(printer_room(&figure->text, (size_t)length + 1), (size_t)length + 1, format,
                  arguments);
        va_end(arguments);
    }
    figure->text.size += (size_t)length + 1;
    return (figure_text)start;
}

void figure_measure(const char *text, uint32_t *columns, uint32_t *lines) {
    uint32_t column = 0, widest = 0, count = 1;
    for (; *text; text++) {
        column = *text == '\n' ? 0 : column + byte_columns(*text);
        count += *text == '\n';
        widest = column > widest ? column : widest;
    }
    *columns = widest;
    *lines = count;
}

/* ---- Panels ---- */

/* Numbers from 0. */
static figure_text *add_numbers(struct figure *figure, uint32_t count) {
    figure_text *labels = memory_get(count, sizeof *labels);
    for (uint32_t n = 0; n < count; n++)
        labels[n] = figure_add_text(figure, "%u", n);
    return labels;
}

struct panel *figure_add_panel(struct figure *figure, uint32_t rows, uint32_t cols) {
    figure->panels = array_grow(figure->panels, figure->panel_count, 1, &figure->panel_room,
                                sizeof *figure->panels);
    struct panel *panel = &figure->panels[figure->panel_count++];
    figure_text empty = figure_add_text(figure, "%s", "");
    *panel = (struct panel){
        .title = empty, .row_axis = empty, .col_axis = empty, .rows = rows, .cols = cols};
    panel->cells = memory_get((size_t)rows * cols, sizeof *panel->cells);
    panel->row_labels = add_numbers(figure, rows);
    panel->col_labels = add_numbers(figure, cols);
    for (size_t c = 0; c < (size_t)rows * cols; c++)
        panel->cells[c] = (struct cell){.text = empty, .color = COLOR_ABSENT};
    return panel;
}

/* ---- Captions ---- */

/* Adds one line, which has so many bytes, behind so many columns. */
static void add_line(struct figure *figure, enum caption_kind kind, const char *text, size_t length,
                     uint32_t indent) {
    figure->captions = array_grow(figure->captions, figure->caption_count, 1, &figure->caption_room,
                                  sizeof *figure->captions);
    bool is_title = kind == CAPTION_TITLE;
    uint32_t above =
        figure->height > 0 ? figure->height + (is_title ? GROUP_GAP : 0) : FIGURE_MARGIN;
    figure->height = above + (is_title ? TITLE_HEIGHT : NOTE_HEIGHT);
    struct caption line = {.text = figure_add_text(figure, "%.*s", (int)length, text),
                           .kind = kind,
                           .x = FIGURE_MARGIN + indent * CHAR_WIDTH,
                           .y = figure->height - CELL_PADDING};
    figure->captions[figure->caption_count++] = line;
    uint32_t columns, lines;
    figure_measure(figure_string(figure, line.text), &columns, &lines);
    /* Titles are larger; other texts may be a little wider than is planned for. */
    uint32_t width = columns * CHAR_WIDTH * (is_title ? 4 : 3) / 3 + columns / 20;
    uint32_t right = line.x + width + FIGURE_MARGIN;
    figure->width = right > figure->width ? right : figure->width;
}

/* How many bytes of a text stand in a line of so many columns: up to a blank, if there is one. */
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
    uint32_t width = figure->width > CAPTION_WIDTH_LEAST ? figure->width : CAPTION_WIDTH_LEAST;
    size_t most = (width - 2 * FIGURE_MARGIN) / CHAR_WIDTH;
    most = most < CAPTION_COLUMNS_MOST ? most : CAPTION_COLUMNS_MOST;
    while (*text) {
        size_t length = strcspn(text, "\n"), taken = 0;
        if (length == 0)
            figure_add_gap(figure);
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

void figure_add_gap(struct figure *figure) {
    figure->height += NOTE_HEIGHT / 2;
}
