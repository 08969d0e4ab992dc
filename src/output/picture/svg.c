/* svg.c - pictures as SVG 1.1, without scripts and external files; svg.css has styles for light and
 * dark backgrounds. */
#include "layout/sentence.h"
#include "output/picture/figure.h"

#include <string.h>

extern const char svg_style[]; /* svg.css, embedded */

/* Prints lines of text below each other; y is the baseline of the first one. Prints nothing if the
 * text is empty. */
static void print_lines(struct printer *to, const char *text, uint32_t x, uint32_t y,
                        const char *attributes) {
    for (; *text; y += LINE_HEIGHT) {
        size_t length = strcspn(text, "\n");
        print(to, "<text x=\"%u\" y=\"%u\"%s>", x, y, attributes);
        print_markup(to, text, length);
        print_text(to, "</text>\n");
        text += length + (text[length] == '\n');
    }
}

/* ---- Panels ---- */

/* The cells that a path is about: of one color, marked, or hatched. */
enum { MARKED = HATCHED + 1 };

static bool is_drawn(const struct cell *cell, unsigned what) {
    return what == MARKED    ? cell->is_marked
           : what == HATCHED ? cell->is_hatched
                             : cell->color == what;
}

/* Prints the outlines of cells as one path, `inside` units inside each cell; of hatched cells,
 * three diagonal lines. */
static void print_cells(struct printer *to, const struct panel *panel, unsigned what,
                        const char *name, uint32_t inside) {
    const uint32_t width = panel->cell_width - 2 * inside, height = panel->cell_height - 2 * inside;
    bool is_first = true;
    for (uint32_t row = 0; row < panel->rows; row++)
        for (uint32_t col = 0; col < panel->cols; col++) {
            const uint32_t x = panel->x + col * panel->cell_width + inside,
                           y = panel->y + row * panel->cell_height + inside;
            if (!is_drawn(figure_cell(panel, row, col), what))
                continue;
            if (is_first)
                print(to, "<path class=\"%s\" d=\"", name);
            is_first = false;
            if (what == HATCHED)
                print(to, "M%u %uL%u %uM%u %uL%u %uM%u %uL%u %u", x, y + height / 2, x + width / 2,
                      y, x, y + height, x + width, y, x + width / 2, y + height, x + width,
                      y + height / 2);
            else
                print(to, "M%u %uh%uv%uh-%uz", x, y, width, height, width);
        }
    print_text(to, is_first ? "" : "\"/>\n");
}

/* Prints the numbers of rows and columns; on both sides if there are many. */
static void print_labels(struct printer *to, const struct panel *panel) {
    uint32_t right = panel->x + panel->cols * panel->cell_width + CELL_PADDING;
    uint32_t below = panel->y + panel->rows * panel->cell_height + LINE_HEIGHT;
    for (uint32_t row = 0; row < panel->rows; row++) {
        const char *label = panel->row_labels[row];
        uint32_t y = panel->y + row * panel->cell_height + panel->cell_height / 2 + 3;
        print_lines(to, label, panel->x - CELL_PADDING, y, " class=\"row\"");
        if (panel->cols > NUMBERED_ONCE)
            print_lines(to, label, right, y, " class=\"right\"");
    }
    for (uint32_t col = 0; col < panel->cols; col++) {
        const char *label = panel->col_labels[col];
        uint32_t x = panel->x + col * panel->cell_width + panel->cell_width / 2;
        print_lines(to, label, x, panel->y - CELL_PADDING, " class=\"col\"");
        if (panel->rows > NUMBERED_ONCE)
            print_lines(to, label, x, below, " class=\"col\"");
    }
}

/* Prints a panel: its title, the names of its axes, numbers, cells, their texts, and the outlines
 * of marked cells. An outline has two lines, one of them bright for dark backgrounds. */
static void print_panel(struct printer *to, const struct panel *panel) {
    uint32_t axis = panel->y - CELL_PADDING - LINE_HEIGHT;
    print_text(to, "<g class=\"panel\">\n");
    print_lines(to, panel->title, panel->x, axis - PANEL_TITLE_HEIGHT, " class=\"name\"");
    print_text(to, "<g class=\"label\">\n");
    print_lines(to, panel->col_axis, panel->x, axis, " class=\"axis\"");
    print_lines(to, panel->row_axis, panel->x - CELL_PADDING, panel->y - CELL_PADDING,
                " class=\"row axis\"");
    print_labels(to, panel);
    print_text(to, "</g>\n");
    for (unsigned color = 0; color < COLORS; color++)
        print_cells(to, panel, color, memory_format("c%u", color), 0);
    print_cells(to, panel, COLOR_WARNING, "warning", 0);
    print_cells(to, panel, COLOR_NONE, "none", 0);
    print_cells(to, panel, HATCHED, "padding", 0);
    print_text(to, "<g class=\"cell\">\n");
    for (uint32_t row = 0; row < panel->rows; row++)
        for (uint32_t col = 0; col < panel->cols; col++) {
            const struct cell *cell = figure_cell(panel, row, col);
            uint32_t lines = 1; /* other panels may have more lines */
            for (const char *c = cell->text; *c; c++)
                lines += *c == '\n';
            const uint32_t above = (panel->cell_height - lines * LINE_HEIGHT) / 2;
            print_lines(to, cell->text, panel->x + col * panel->cell_width + panel->cell_width / 2,
                        panel->y + row * panel->cell_height + above + LINE_HEIGHT - 3,
                        cell->is_marked ? " class=\"marked\"" : "");
        }
    print_text(to, "</g>\n");
    print_cells(to, panel, MARKED, "halo", 0);
    print_cells(to, panel, MARKED, "mark", 2);
    print_text(to, "</g>\n");
}

/* ---- All around ---- */

/* Prints the titles, each once, or all other captions, one after another. */
static void print_joined(struct printer *to, const struct figure *figure, bool titles) {
    const char *between = "", *last = "";
    for (size_t c = 0; c < figure->caption_count; c++) {
        const struct caption *caption = &figure->captions[c];
        if ((caption->kind == CAPTION_TITLE) != titles ||
            (titles && strcmp(caption->text, last) == 0))
            continue;
        last = caption->text;
        print_text(to, between);
        print_markup(to, last, strlen(last));
        between = titles ? "; " : "\n";
    }
}

static void print_figure(struct printer *to, struct figure figure) {
    const bool is_wide = figure.width > PICTURE_WIDTH && !figure.is_whole; /* a wide picture is
                                                                              shown scaled down */
    const uint32_t height = figure.height + FIGURE_MARGIN,
                   shown = is_wide ? PICTURE_WIDTH : figure.width;
    print(to,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mapping\" role=\"img\" "
          "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
          shown, (uint32_t)((uint64_t)height * shown / figure.width), figure.width, height);
    /* The text for screen readers. */
    print_text(to, "<title>");
    print_joined(to, &figure, true);
    print_text(to, "</title>\n<desc>");
    for (size_t p = 0; p < figure.panel_count; p++) {
        const struct panel *panel = &figure.panels[p];
        print_markup(to, panel->title, strlen(panel->title));
        print(to, ": %u row%s, %u column%s\n", panel->rows, mapping_plural(panel->rows),
              panel->cols, mapping_plural(panel->cols));
    }
    print_joined(to, &figure, false);
    print_text(to, "</desc>\n<style>\n");
    print_text(to, svg_style);
    for (unsigned color = 0; color < COLORS; color++)
        print(to, ".mapping .c%u { fill: #%06x; }\n", color, color_rgb(color));
    if (figure_uses(&figure, COLOR_WARNING))
        print(to, ".mapping .warning { fill: #%06x; }\n", WARNING_RGB);
    if (figure_uses(&figure, HATCHED))
        print_text(to, ".mapping .panel .padding { fill: none; stroke: #8c959f; }\n");
    print_text(to, "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    for (size_t p = 0; p < figure.panel_count; p++) {
        print_panel(to, &figure.panels[p]);
        mapping_free(figure.panels[p].cells);
    }
    print_text(to, "<g class=\"caption\" xml:space=\"preserve\">\n");
    for (size_t c = 0; c < figure.caption_count; c++) {
        const struct caption *caption = &figure.captions[c];
        print_lines(to, caption->text, caption->x, caption->y,
                    caption->kind == CAPTION_TITLE ? " class=\"title\"" : "");
    }
    print_text(to, "</g>\n</svg>\n");
}

/* ---- What there are pictures of ---- */

PICTURE_FORMAT(svg, figure_check)
