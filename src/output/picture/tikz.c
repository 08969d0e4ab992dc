/* tikz.c - pictures as LaTeX documents whose page is the picture. TikZ has the corner of each
 * panel, lines and texts beside the cells; cells themselves are boxes of TeX in rows, of which
 * there may be many: a node of TikZ for each takes pdflatex a hundred times as long. */
#include "output/picture/figure_parts.h"

#include <string.h>

/* ---- Texts ---- */

/* Prints a line of text as LaTeX has it. What is no ASCII is '?'. */
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

/* Prints a text of one line, or of several as a stack of them. */
static void print_lines(struct printer *to, const char *text) {
    bool is_stack = strchr(text, '\n') != NULL;
    if (is_stack)
        print_text(to, "\\stack{");
    for (;;) {
        size_t length = strcspn(text, "\n");
        print_escaped(to, text, length);
        if (text[length] == '\0')
            break;
        print_text(to, "\\cr ");
        text += length + 1;
    }
    if (is_stack)
        print_char(to, '}');
}

/* Prints a macro that is given a text. */
static void print_macro(struct printer *to, const char *name, const char *text) {
    print(to, "\\%s{", name);
    print_lines(to, text);
    print_char(to, '}');
}

/* The same with a place. What is empty is left out. */
static void print_at(struct printer *to, const char *name, uint32_t x, uint32_t y,
                     const char *text) {
    if (!*text)
        return;
    print(to, "\\%s{%u}{%u}{", name, x, y);
    print_lines(to, text);
    print_text(to, "}\n");
}

/* ---- Panels ---- */

/* Cells, or numbers of rows and columns, in one line of the output: TeX reads no lines that are too
 * long. */
enum { IN_LINE = 8 };

/* Cells that TeX has in memory before they are put into the PDF: few enough to be small, and so
 * many that there are not too many parts, for which pdfTeX searches one by one. */
enum { IN_MEMORY = 2048 };

/* Ends the line behind a cell where it is long enough; '%' makes the end no blank. */
static void break_line(struct printer *to, uint32_t number, uint32_t count) {
    if (number + 1 == count || (number + 1) % IN_LINE == 0)
        print_text(to, "%\n");
}

static bool is_there(const struct panel *panel, uint32_t row, uint32_t col) {
    return figure_cell(panel, row, col)->color != COLOR_ABSENT;
}

static void print_cell(struct printer *to, const struct figure *figure, const struct cell *cell) {
    if (cell->color < COLORS)
        print(to, "\\paint{%u}", cell->color);
    print_macro(to, "cell", figure_string(figure, cell->text));
}

static void print_row(struct printer *to, const struct figure *figure, const struct panel *panel,
                      uint32_t row) {
    print_text(to, "\\row{%\n");
    for (uint32_t col = 0; col < panel->cols; col++) {
        print_cell(to, figure, figure_cell(panel, row, col));
        break_line(to, col, panel->cols);
    }
    print_text(to, "}\n");
}

static void print_rows(struct printer *to, const struct figure *figure, const struct panel *panel) {
    uint32_t together = IN_MEMORY / panel->cols + 1;
    for (uint32_t row = 0; row < panel->rows; row++) {
        if (row % together == 0)
            print(to, "\\rows{%u}\n", row);
        print_row(to, figure, panel, row);
        if ((row + 1) % together == 0 || row + 1 == panel->rows)
            print_text(to, "\\rowsdone\n");
    }
}

/* Numbers columns, or rows. */
static void print_labels(struct printer *to, const struct figure *figure, const char *macro,
                         const figure_text *labels, uint32_t count) {
    for (uint32_t n = 0; n < count; n++) {
        print_macro(to, macro, figure_string(figure, labels[n]));
        break_line(to, n, count);
    }
}

static void print_columns(struct printer *to, const struct figure *figure,
                          const struct panel *panel) {
    print_text(to, "\\row{%\n");
    print_labels(to, figure, "cell", panel->col_labels, panel->cols);
    print_text(to, "}\\done\n");
}

static void print_names(struct printer *to, const struct figure *figure,
                        const struct panel *panel) {
    print_text(to, "%\n");
    print_labels(to, figure, "name", panel->row_labels, panel->rows);
    print_text(to, "\\done\n");
}

/* True if two rows have their cells in the same columns. */
static bool is_like(const struct panel *panel, uint32_t row, uint32_t other) {
    for (uint32_t col = 0; col < panel->cols; col++)
        if (is_there(panel, row, col) != is_there(panel, other, col))
            return false;
    return true;
}

/* Prints the lines between the cells of some rows, which are like each other. */
static void print_grids(struct printer *to, const struct panel *panel, uint32_t row, uint32_t end) {
    for (uint32_t col = 0; col < panel->cols; col++) {
        uint32_t start = col;
        while (col < panel->cols && is_there(panel, row, col))
            col++;
        if (col > start)
            print(to, "\\draw[line] (%u,%u) grid (%u,%u);\n", start, row, col, end);
    }
}

static void print_outlines(struct printer *to, const struct panel *panel) {
    for (uint32_t row = 0, end; row < panel->rows; row = end) {
        for (end = row + 1; end < panel->rows && is_like(panel, row, end);)
            end++;
        print_grids(to, panel, row, end);
    }
    for (uint32_t row = 0; row < panel->rows; row++)
        for (uint32_t col = 0; col < panel->cols; col++)
            if (figure_cell(panel, row, col)->is_marked)
                print(to, "\\draw[marked] (%u,%u) rectangle +(1,1);\n", col, row);
}

/* Prints what is above the cells, but for the numbers. */
static void print_titles(struct printer *to, const struct figure *figure,
                         const struct panel *panel) {
    uint32_t numbers = panel->y - CELL_PADDING, axis = numbers - LINE_HEIGHT;
    print_at(to, "heading", panel->x, axis - PANEL_TITLE_HEIGHT,
             figure_string(figure, panel->title));
    print_at(to, "columnaxis", panel->x, axis, figure_string(figure, panel->col_axis));
    print_at(to, "rowaxis", panel->x - CELL_PADDING, numbers,
             figure_string(figure, panel->row_axis));
}

static void print_panel(struct printer *to, const struct figure *figure,
                        const struct panel *panel) {
    print_titles(to, figure, panel);
    print(to, "\\begin{scope}\\panel{%u}{%u}{%u}{%u}\n\\columns", panel->x, panel->y,
          panel->cell_width, panel->cell_height);
    print_columns(to, figure, panel);
    print_text(to, "\\names");
    print_names(to, figure, panel);
    print_rows(to, figure, panel);
    if (panel->rows > NUMBERED_ONCE) {
        print(to, "\\columnsbelow{%u}", panel->rows);
        print_columns(to, figure, panel);
    }
    if (panel->cols > NUMBERED_ONCE) {
        print(to, "\\namesbehind{%u}", panel->cols);
        print_names(to, figure, panel);
    }
    print_outlines(to, panel);
    print_text(to, "\\end{scope}\n");
}

/* ---- The document ---- */

/* Defines the colors that are used. */
static void print_colors(struct printer *to, const struct figure *figure) {
    bool is_used[COLOR_ABSENT + 1] = {false};
    for (size_t p = 0; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        for (size_t c = 0; c < (size_t)panel->rows * panel->cols; c++)
            is_used[panel->cells[c].color] = true;
    }
    print_text(to, "\\definecolor{ink}{HTML}{1B1F24}\n\\definecolor{line}{HTML}{57606A}\n");
    for (unsigned color = 0; color < COLORS; color++)
        if (is_used[color])
            print(to, "\\definecolor{paint%u}{HTML}{%06X}\n", color, color_rgb(color));
}

/* Prints how long one of our units is: a pixel has 3/4 bp, unless the page were larger than PDF's
 * may be. */
static void print_unit(struct printer *to, uint32_t width, uint32_t height) {
    const double page_most = 14000, pixel = 0.75; /* bp */
    double largest = width > height ? width : height;
    double unit = largest * pixel > page_most ? page_most / largest : pixel;
    print(to, "\\unitlength=%.7gbp %% all lengths follow from it\n", unit);
}

static const char preamble[] =
    "\\documentclass{article} % made by mapping; pdflatex makes a page of it that is the picture\n"
    "% In a document of your own, use \\usepackage{tikz} and paste the lines between the two "
    "rulers, or\n% \\input them from a file. A beamer frame into which you paste them must be "
    "[fragile].\n"
    "\\usepackage{tikz}\n"
    "\\newsavebox\\picturebox\n"
    "\\begin{document}\n"
    "\\begin{lrbox}{\\picturebox}%\n"
    "% ---- from here --------------------------------------------------------------------------\n"
    "\\begin{tikzpicture}\n";

static const char macros[] =
    "\\catcode`:=12 \\catcode`;=12 \\catcode`<=12 \\catcode`>=12 \\catcode`|=12 % whatever babel "
    "did\n"
    "\\pgfsetxvec{\\pgfqpoint{\\unitlength}{0pt}}\\pgfsetyvec{\\pgfqpoint{0pt}{-\\unitlength}}\n"
    "\\tikzset{line/.style={xstep=1, ystep=-1, draw=line, line width=.5\\unitlength},\n"
    "  marked/.style={draw=ink, line width=2\\unitlength}}\n"
    "\\font\\cellfont=cmtt8 at 11.2\\unitlength \\font\\titlefont=cmtt10 at 15\\unitlength\n"
    "% Characters that TeX reads otherwise, as they are in these fonts.\n"
    "\\def\\plain{\\frenchspacing \\chardef\\\\=92 \\chardef\\{=123 \\chardef\\}=125 "
    "\\chardef\\$=36\n"
    "  \\chardef\\^=94 \\chardef\\_=95 \\chardef\\~=126 \\chardef\\\"=34 \\chardef\\'=13 "
    "\\chardef\\`=18 }\n"
    "% \\title{x}{y}{text}, and so on: a text that stands on y.\n"
    "\\def\\words#1#2#3#4#5#6{\\pgftext[#1,base,at=\\pgfqpoint{#4\\unitlength}{-#5\\unitlength}]%\n"
    "  {\\color{#2}#3\\plain#6}}\n"
    "\\def\\title{\\words{left}{ink}\\titlefont}\n"
    "\\def\\note{\\words{left}{line}\\cellfont}\n"
    "\\def\\formula{\\words{left}{ink}\\cellfont}\n"
    "\\def\\heading{\\words{left}{ink}\\cellfont}\n"
    "\\def\\columnaxis{\\words{left}{line}\\cellfont}\n"
    "\\def\\rowaxis{\\words{right}{line}\\cellfont}\n"
    "% \\panel{x}{y}{width}{height}: the corner of its first cell, and how large cells are. In "
    "its\n"
    "% scope, the cell in a row and a column is from (column,row) to (column+1,row+1).\n"
    "\\def\\panel#1#2#3#4{%\n"
    "  \\pgftransformshift{\\pgfqpoint{#1\\unitlength}{-#2\\unitlength}}%\n"
    "  "
    "\\pgfsetxvec{\\pgfqpoint{#3\\unitlength}{0pt}}\\pgfsetyvec{\\pgfqpoint{0pt}{-#4\\unitlength}}%"
    "\n"
    "  \\def\\wide{#3\\unitlength}\\def\\high{#4\\unitlength}%\n"
    "  "
    "\\def\\down{\\dimexpr\\high/2-3\\unitlength\\relax}\\def\\up{\\dimexpr\\high-\\down\\relax}}\n"
    "% Boxes of lines, each as high as a cell: \\columns, \\names, \\rows{number of the first} ... "
    "\\done.\n"
    "\\def\\columns{\\lines{0pt}{4\\unitlength+\\up}{line}}\n"
    "\\def\\columnsbelow#1{\\lines{0pt}{-#1\\dimexpr\\high\\relax-12\\unitlength+\\up}{line}}\n"
    "\\def\\names{\\lines{0pt}{0pt}{line}\\def\\name##1{\\hbox "
    "to0pt{\\strut\\hss##1\\kern4\\unitlength}}}\n"
    "\\def\\namesbehind#1{\\lines{#1\\dimexpr\\wide\\relax}{0pt}{line}%\n"
    "  \\def\\name##1{\\hbox to0pt{\\strut\\kern4\\unitlength##1\\hss}}}\n"
    "\\def\\rows#1{\\lines{0pt}{-#1\\dimexpr\\high\\relax}{ink}}\n"
    "\\def\\lines#1#2#3{\\def\\place{\\pgfqpoint{\\dimexpr#1\\relax}{\\dimexpr#2\\relax}}%\n"
    "  \\setbox2\\vbox\\bgroup\\begingroup \\offinterlineskip \\color{#3}\\cellfont\\plain\n"
    "  \\def\\strut{\\vrule width0pt height\\up depth\\down}}\n"
    "\\def\\row#1{\\hbox{\\strut#1}}\n"
    "\\def\\done{\\endgroup\\egroup \\pgftext[left,top,at=\\place]{\\box2}}\n"
    "% Rows are put into the PDF at once, some at a time, so that large pictures take little "
    "memory.\n"
    "\\def\\rowsdone{\\endgroup\\egroup \\ifdefined\\pdfxform\\ifnum\\pdfoutput>0\n"
    "    \\immediate\\pdfxform2 \\setbox2\\hbox{\\pdfrefxform\\pdflastxform}\\fi\\fi\n"
    "  \\pgftext[left,top,at=\\place]{\\box2}}\n"
    "% \\paint{color}\\cell{text}. The box of a color is made once in a row.\n"
    "\\def\\paint#1{\\ifvoid\\numexpr20000+#1\\relax \\setbox\\numexpr20000+#1\\relax\n"
    "    \\hbox to0pt{{\\color{paint#1}\\vrule width\\wide height\\up depth\\down}\\hss}\\fi\n"
    "  \\copy\\numexpr20000+#1\\relax}\n"
    "\\def\\cell#1{\\hbox to\\wide{\\hss#1\\hss}}\n"
    "% \\stack{a line\\cr another}: lines in one cell.\n"
    "\\def\\stack#1{\\setbox1\\vbox{\\baselineskip12\\unitlength \\lineskiplimit-\\maxdimen\n"
    "    \\halign{\\hfil##\\hfil\\cr#1\\cr}}%\n"
    "  \\lower\\dimexpr(\\ht1-\\dp1)/2-3\\unitlength\\relax\\box1 }\n";

static const char ending[] =
    "\\end{tikzpicture}%\n"
    "% ---- to here ----------------------------------------------------------------------------\n"
    "\\end{lrbox}\n"
    "\\ifdefined\\pagewidth\\else \\let\\pagewidth\\pdfpagewidth \\let\\pageheight\\pdfpageheight "
    "\\fi\n"
    "\\pagewidth=\\wd\\picturebox \\pageheight=\\dimexpr\\ht\\picturebox+\\dp\\picturebox\\relax\n"
    "\\hoffset=-1in \\voffset=-1in\n"
    "\\shipout\\box\\picturebox\n"
    "\\end{document}\n";

static void print_captions(struct printer *to, const struct figure *figure) {
    static const char *const macro_names[CAPTION_KINDS] = {
        [CAPTION_TITLE] = "title", [CAPTION_NOTE] = "note", [CAPTION_FORMULA] = "formula"};
    for (size_t c = 0; c < figure->caption_count; c++) {
        const struct caption *caption = &figure->captions[c];
        print_at(to, macro_names[caption->kind], caption->x, caption->y,
                 figure_string(figure, caption->text));
    }
}

static void print_figure(struct printer *to, const struct figure *figure) {
    uint32_t height = figure->height + FIGURE_MARGIN;
    print_text(to, preamble);
    print_unit(to, figure->width, height);
    print_colors(to, figure);
    print_text(to, macros);
    print(to,
          "\\pgfpathrectanglecorners{\\pgfpointorigin}{\\pgfqpoint{%u\\unitlength}{-%u\\unitlength}"
          "}\n"
          "\\pgfusepath{use as bounding box}\n",
          figure->width, height);
    for (size_t p = 0; p < figure->panel_count; p++)
        print_panel(to, figure, &figure->panels[p]);
    print_captions(to, figure);
    print_text(to, ending);
}

/* ---- What there are pictures of ---- */

/* Numbers of TeX end here. */
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

static void print_reports(struct pages *pages, const struct report *reports, size_t count,
                          const struct style *style) {
    figure_draw_reports(pages->page, reports, count, style, print_figure);
}

static void print_loadings(struct printer *to, const struct loading *loadings, size_t count,
                           const struct style *style) {
    figure_draw_loadings(to, loadings, count, style, print_figure);
}

static void print_access(struct printer *to, const struct access *access) {
    figure_draw_access(to, access, print_figure);
}

const struct output tikz_output = {
    .name = "tikz",
    .detail = DETAIL_OF_FRAGMENTS,
    .has_formulae = true,
    .styles_loadings = true,
    .is_picture = true,
    .has_answers = true,
    .has_colors = true,
    .cuts_columns = true,
    .check = check_size,
    .reports = print_reports,
    .loadings = print_loadings,
    .access = print_access,
};
