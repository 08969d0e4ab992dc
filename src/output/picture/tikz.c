/* tikz.c - pictures as LaTeX documents whose page is the picture; tikz.tex has the document and its
 * macros. TikZ places the corner of each panel, and the lines and texts beside the cells. The cells
 * themselves are TeX boxes in rows, because there may be many: with a TikZ node for each cell,
 * pdflatex takes a hundred times as long. */
#include "output/picture/figure.h"

#include <string.h>

extern const char tikz_document[]; /* tikz.tex, embedded */

/* ---- Texts ---- */

/* Prints a line of text, escaped for LaTeX. Non-ASCII characters become '?'. */
static void print_escaped(struct printer *to, const char *text, size_t length) {
    for (size_t n = 0; n < length; n++) {
        unsigned char byte = (unsigned char)text[n];
        bool is_inside = (byte & 0xc0) == 0x80; /* of a character of UTF-8 */
        bool is_first_blank = byte == ' ' && n > 0 && n + 1 < length && text[n - 1] != ' ';
        if (is_inside)
            continue;
        if (byte < ' ' || byte > '~') {
            print_char(to, '?');
            continue;
        }
        if (strchr("\\{}$&#^_~%\"'`", byte) || (byte == ' ' && !is_first_blank))
            print_char(to, '\\');
        print_char(to, (char)byte);
    }
}

/* Prints a text in braces; several lines become a stack. */
static void print_braced(struct printer *to, const char *text) {
    bool is_stack = strchr(text, '\n') != NULL;
    print_text(to, is_stack ? "{\\stack{" : "{");
    for (;;) {
        size_t length = strcspn(text, "\n");
        print_escaped(to, text, length);
        if (text[length] == '\0')
            break;
        print_text(to, "\\cr ");
        text += length + 1;
    }
    print_text(to, is_stack ? "}}" : "}");
}

/* Prints a macro with a position and a text. Prints nothing if the text is empty. */
static void print_at(struct printer *to, const char *name, uint32_t x, uint32_t y,
                     const char *text) {
    if (!*text)
        return;
    print(to, "\\%s{%u}{%u}", name, x, y);
    print_braced(to, text);
    print_char(to, '\n');
}

/* ---- Panels ---- */

/* Breaks the line after every eighth cell or number, and after the last, because TeX cannot read
 * very long lines. '%' prevents TeX from reading the line break as a blank. */
static void break_line(struct printer *to, uint32_t number, uint32_t count) {
    enum { IN_LINE = 8 };
    if (number + 1 == count || (number + 1) % IN_LINE == 0)
        print_text(to, "%\n");
}

/* Prints the numbers of columns as a row of cells, or those of rows as a stack of texts. */
static void print_labels(struct printer *to, bool of_rows, const char *const *labels,
                         uint32_t count) {
    print_text(to, of_rows ? "%\n" : "\\row{%\n");
    for (uint32_t n = 0; n < count; n++) {
        print_text(to, of_rows ? "\\name" : "\\cell");
        print_braced(to, labels[n]);
        break_line(to, n, count);
    }
    print_text(to, of_rows ? "\\done\n" : "}\\done\n");
}

/* Prints the cells in parts. TeX keeps one part in memory until it goes into the PDF, so each part
 * must be small. But there must not be too many parts, because pdfTeX searches them one by one. */
static void print_rows(struct printer *to, const struct panel *panel) {
    enum { IN_MEMORY = 2048 };
    const uint32_t together = IN_MEMORY / panel->cols + 1;
    for (uint32_t row = 0; row < panel->rows; row++) {
        if (row % together == 0)
            print(to, "\\rows{%u}\n", row);
        print_text(to, "\\row{%\n");
        for (uint32_t col = 0; col < panel->cols; col++) {
            const struct cell *cell = figure_cell(panel, row, col);
            if (cell->color < COLORS || cell->color == COLOR_WARNING)
                print(to, "\\paint{%u}", cell->color);
            print_text(to, "\\cell");
            print_braced(to, cell->text);
            break_line(to, col, panel->cols);
        }
        print_text(to, "}\n");
        if ((row + 1) % together == 0 || row + 1 == panel->rows)
            print_text(to, "\\rowsdone\n");
    }
}

static bool is_there(const struct panel *panel, uint32_t row, uint32_t col) {
    return figure_cell(panel, row, col)->color != COLOR_ABSENT;
}

/* True if two rows have cells in the same columns. */
static bool is_like(const struct panel *panel, uint32_t row, uint32_t other) {
    for (uint32_t col = 0; col < panel->cols; col++)
        if (is_there(panel, row, col) != is_there(panel, other, col))
            return false;
    return true;
}

/* Prints the lines between cells, as one grid for consecutive rows with cells in the same columns,
 * and the outlines of marked cells. */
static void print_outlines(struct printer *to, const struct panel *panel) {
    for (uint32_t row = 0, end; row < panel->rows; row = end) {
        for (end = row + 1; end < panel->rows && is_like(panel, row, end);)
            end++;
        for (uint32_t col = 0; col < panel->cols; col++) {
            uint32_t start = col;
            while (col < panel->cols && is_there(panel, row, col))
                col++;
            if (col > start)
                print(to, "\\draw[line] (%u,%u) grid (%u,%u);\n", start, row, col, end);
        }
    }
    for (uint32_t row = 0; row < panel->rows; row++)
        for (uint32_t col = 0; col < panel->cols; col++)
            if (figure_cell(panel, row, col)->is_marked)
                print(to, "\\draw[marked] (%u,%u) rectangle +(1,1);\n", col, row);
    for (uint32_t row = 0; row < panel->rows; row++)
        for (uint32_t col = 0; col < panel->cols; col++)
            if (figure_cell(panel, row, col)->is_hatched)
                print(to, "\\draw[line] (%u,%u) -- +(1,1);\n", col, row);
}

static void print_panel(struct printer *to, const struct panel *panel) {
    const uint32_t numbers = panel->y - CELL_PADDING, axis = numbers - LINE_HEIGHT;
    print_at(to, "heading", panel->x, axis - PANEL_TITLE_HEIGHT, panel->title);
    print_at(to, "columnaxis", panel->x, axis, panel->col_axis);
    print_at(to, "rowaxis", panel->x - CELL_PADDING, numbers, panel->row_axis);
    print(to, "\\begin{scope}\\panel{%u}{%u}{%u}{%u}\n\\columns", panel->x, panel->y,
          panel->cell_width, panel->cell_height);
    print_labels(to, false, panel->col_labels, panel->cols);
    print_text(to, "\\names");
    print_labels(to, true, panel->row_labels, panel->rows);
    print_rows(to, panel);
    if (panel->rows > NUMBERED_ONCE) {
        print(to, "\\columnsbelow{%u}", panel->rows);
        print_labels(to, false, panel->col_labels, panel->cols);
    }
    if (panel->cols > NUMBERED_ONCE) {
        print(to, "\\namesbehind{%u}", panel->cols);
        print_labels(to, true, panel->row_labels, panel->rows);
    }
    print_outlines(to, panel);
    print_text(to, "\\end{scope}\n");
}

/* ---- The document ---- */

/* Prints the document up to its next line with '@', which the caller replaces. Returns the text
 * after this line. */
static const char *print_part(struct printer *to, const char *document) {
    const char *end = strstr(document, "@\n");
    size_t length = end ? (size_t)(end - document) : strlen(document);
    print(to, "%.*s", (int)length, document);
    return end ? end + 2 : document + length;
}

/* Prints the length of a unit, and the colors that are used. */
static void print_definitions(struct printer *to, const struct figure *figure, uint32_t height) {
    /* In bp. A pixel is 3/4 bp, or less if the page would exceed the maximum of PDF. */
    const double page_most = 14000, pixel = 0.75;
    double largest = figure->width > height ? figure->width : height;
    double unit = largest * pixel > page_most ? page_most / largest : pixel;
    print(to, "\\unitlength=%.7gbp %% all lengths follow from it\n", unit);
    print_text(to, "\\definecolor{ink}{HTML}{1B1F24}\n\\definecolor{line}{HTML}{57606A}\n");
    for (unsigned color = 0; color < COLORS; color++)
        if (figure_uses(figure, color))
            print(to, "\\definecolor{paint%u}{HTML}{%06X}\n", color, color_rgb(color));
    if (figure_uses(figure, COLOR_WARNING))
        print(to, "\\definecolor{paint%u}{HTML}{%06X}\n", COLOR_WARNING, WARNING_RGB);
}

static void print_figure(struct printer *to, struct figure figure) {
    static const char *const macro_names[CAPTION_KINDS] = {
        [CAPTION_TITLE] = "title", [CAPTION_NOTE] = "note", [CAPTION_FORMULA] = "formula"};
    const uint32_t height = figure.height + FIGURE_MARGIN;
    const char *document = print_part(to, tikz_document);
    print_definitions(to, &figure, height);
    document = print_part(to, document);
    print(to,
          "\\pgfpathrectanglecorners{\\pgfpointorigin}{\\pgfqpoint{%u\\unitlength}{-%u\\unitlength}"
          "}\n"
          "\\pgfusepath{use as bounding box}\n",
          figure.width, height);
    for (size_t p = 0; p < figure.panel_count; p++)
        print_panel(to, &figure.panels[p]);
    for (size_t c = 0; c < figure.caption_count; c++) {
        const struct caption *caption = &figure.captions[c];
        print_at(to, macro_names[caption->kind], caption->x, caption->y, caption->text);
    }
    print_part(to, document);
}

/* ---- What there are pictures of ---- */

/* The maximum number of rows or columns, because TeX's numbers have this maximum. */
enum { TRACKS_MAX = 16383 };

static enum mapping_status check_size(const struct report *reports, size_t count,
                                      struct mapping_error *error) {
    enum mapping_status status = figure_check(reports, count, error);
    for (size_t r = 0; r < count && status == MAPPING_OK; r++) {
        const struct view view = view_of_report(&reports[r]);
        uint32_t most = view.rows > view.cols ? view.rows : view.cols;
        if (most > TRACKS_MAX)
            status = mapping_fail(
                error, MAPPING_INVALID,
                "TeX supports at most %d rows and columns, but %s has %u rows and %u columns",
                TRACKS_MAX, reports[r].name, view.rows, view.cols);
    }
    return status;
}

PICTURE_FORMAT(tikz, check_size)
