/* figure_reports.c - pictures of fragments and of maps; see figure.h. */
#include "output/picture/figure_parts.h"
#include "report/placement.h"

#include <stdio.h>
#include <string.h>

/* ---- What cannot be drawn ---- */

/* Elements, and places without one, that a report is drawn as. */
static uint64_t count_cells(const struct report *report) {
    uint64_t cells = mapping_layout_entries(view_of_report(report).shown);
    if (report->placement && !placement_is_wide(report))
        cells += report->forward.layout.to.axis[0].size;
    return cells;
}

enum mapping_status figure_check(const struct report *reports, size_t count,
                                 struct mapping_error *error) {
    uint64_t cells = 0;
    for (size_t r = 0; r < count; r++)
        cells += count_cells(&reports[r]);
    if (cells <= FIGURE_CELLS_MAX)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "a picture has at most %d cells, but this one would have %llu%s",
                        FIGURE_CELLS_MAX, (unsigned long long)cells,
                        count > 1 ? "; name fewer fragments, or choose --format=html, which shows "
                                    "any number of them"
                                  : "");
}

/* ---- Products ---- */

/* Reports that are drawn together: the operands of one instruction, each at most once; NULL for
 * those that are not there. */
struct product {
    struct drawing *operand[MAPPING_OPERANDS];
};

/* Who may stand behind another in one product: a later operand of the same instruction. */
static bool follows(const struct report *last, const struct report *next) {
    const struct mapping_fragment *a = &last->observed.fragment, *b = &next->observed.fragment;
    return last->has_fragment && next->has_fragment && last->arch == next->arch &&
           a->instruction == b->instruction && a->operand < b->operand &&
           a->shape.m == b->shape.m && a->shape.n == b->shape.n && a->shape.k == b->shape.k;
}

/* How many reports belong together from the first on, whether as a product or not. */
static size_t count_together(const struct report *reports, size_t count) {
    size_t together = 1;
    while (together < count && together < MAPPING_FOUND_MAX &&
           follows(&reports[together - 1], &reports[together]))
        together++;
    return together;
}

/* Sorts drawings by operand. True if they are a product: A, B and D, or as much of them as is in
 * registers, which fit. */
static bool make_product(struct product *product, struct drawing *drawings, size_t count) {
    *product = (struct product){.operand = {NULL}};
    for (size_t n = 0; n < count; n++)
        product->operand[drawings[n].report->observed.fragment.operand] = &drawings[n];
    const struct drawing *a = product->operand[MAPPING_A], *b = product->operand[MAPPING_B];
    const struct drawing *c = product->operand[MAPPING_C], *d = product->operand[MAPPING_D];
    if (!a || !d || a->view.rows != d->view.rows || drawing_matrices(a) != drawing_matrices(d) ||
        (c && c->view.rows != d->view.rows))
        return false;
    if (!b)
        return mapping_instruction_reads_shared(a->report->observed.fragment.instruction);
    return b->view.cols == d->view.cols && drawing_matrices(b) == drawing_matrices(d);
}

/* Adds one matrix of an operand, all its copies from (across, down) on in that direction. */
static void add_operand(struct figure *figure, const struct drawing *drawing, uint32_t matrix,
                        uint32_t across, uint32_t down, int step_across, int step_down) {
    char letter[OPERAND_SIZE], name[OPERAND_SIZE + REPORT_NAME_SIZE];
    uint32_t matrices = drawing ? drawing_matrices(drawing) : 0;
    for (uint32_t copy = 0; drawing && copy < drawing_copies(drawing); copy++) {
        bool is_whole = view_parts(&drawing->view) == 1;
        operand_letter(drawing->report, letter);
        snprintf(name, sizeof name, "%s%s%s", letter, is_whole ? " " : "",
                 is_whole ? drawing->report->name : "");
        struct panel *panel = figure_add_part(figure, drawing, copy * matrices + matrix, name);
        if (!panel)
            return;
        panel->across = across + copy * (uint32_t)step_across;
        panel->down = down + copy * (uint32_t)step_down;
    }
}

static uint32_t copies_of(const struct drawing *drawing) {
    return drawing ? drawing_copies(drawing) : 0;
}

/* Adds the product of one matrix of each operand: A left of D, B above it, C right of it; copies
 * of A further left, those of B further up. */
static void add_product(struct figure *figure, const struct product *product, uint32_t matrix,
                        uint32_t across, uint32_t down) {
    struct drawing *const *operand = product->operand;
    uint32_t left = copies_of(operand[MAPPING_A]), above = copies_of(operand[MAPPING_B]);
    uint32_t x = across + left, y = down + above;
    add_operand(figure, operand[MAPPING_A], matrix, x - 1, y, -1, 0);
    add_operand(figure, operand[MAPPING_B], matrix, x, y - 1, 0, -1);
    add_operand(figure, operand[MAPPING_D], matrix, x, y, 1, 0);
    add_operand(figure, operand[MAPPING_C], matrix, x + copies_of(operand[MAPPING_D]), y, 1, 0);
}

/* Where the panels from the first on end on the right. */
static uint32_t right_end(const struct figure *figure, size_t first) {
    uint32_t right = 0;
    for (size_t p = first; p < figure->panel_count; p++) {
        const struct panel *panel = &figure->panels[p];
        uint32_t end = panel->x + panel->cols * panel->cell_width;
        right = end > right ? end : right;
    }
    return right;
}

/* Adds all products, two side by side, and below them the other operands. */
static void add_products(struct figure *figure, const struct product *product) {
    enum { SIDE_BY_SIDE = 2 };
    struct drawing *const *operand = product->operand;
    uint32_t columns = copies_of(operand[MAPPING_A]) + copies_of(operand[MAPPING_C]) +
                       copies_of(operand[MAPPING_D]);
    uint32_t rows = copies_of(operand[MAPPING_B]) + 1;
    size_t first = figure->panel_count;
    for (uint32_t m = 0; m < drawing_matrices(operand[MAPPING_D]); m++)
        add_product(figure, product, m, m % SIDE_BY_SIDE * (columns + 1),
                    m / SIDE_BY_SIDE * (rows + 1));
    figure_equal_cells(figure);
    figure_arrange(figure);
    uint32_t width = right_end(figure, first);
    for (int other = MAPPING_D + 1; other < MAPPING_OPERANDS; other++) {
        for (uint32_t m = 0; operand[other] && m < drawing_matrices(operand[other]); m++)
            add_operand(figure, operand[other], m, 0, 0, 0, 0);
        figure_equal_cells(figure);
        figure_flow(figure, width);
        figure_arrange(figure);
    }
}

/* Names a product: by its opcode if it has one, else by its instruction and shape. */
static void add_product_title(struct figure *figure, const struct report *first) {
    const struct mapping_fragment *fragment = &first->observed.fragment;
    char title[MAPPING_OPCODE_SIZE + 16], name[MAPPING_NAME_SIZE];
    snprintf(name, sizeof name, "%s.m%un%uk%u", mapping_instruction_name(fragment->instruction),
             fragment->shape.m, fragment->shape.n, fragment->shape.k);
    snprintf(title, sizeof title, "%s on sm_%u",
             first->opcodes.count == 1 ? first->opcodes.text[0] : name, first->arch);
    figure_add_caption(figure, CAPTION_TITLE, title);
}

/* ---- All ---- */

/* Draws one report by itself. */
static void add_single(struct figure *figure, const struct drawing *drawing) {
    const struct report *report = drawing->report;
    char title[REPORT_NAME_SIZE + 16], letter[OPERAND_SIZE];
    snprintf(title, sizeof title, report->arch ? "%s on sm_%u" : "%s", report->name, report->arch);
    figure_add_caption(figure, CAPTION_TITLE, title);
    operand_letter(report, letter);
    if (report->placement) {
        figure_placement(figure, report, drawing->style);
    } else {
        for (uint32_t part = 0; part < view_parts(&drawing->view); part++)
            figure_add_part(figure, drawing, part, letter);
        figure_equal_cells(figure);
        figure_flow(figure, 0);
        figure_arrange(figure);
    }
    figure_add_words(figure, drawing, 1);
}

static void add_together(struct figure *figure, struct drawing *drawings, size_t count) {
    struct product product;
    if (count > 1 && make_product(&product, drawings, count)) {
        add_product_title(figure, drawings[0].report);
        add_products(figure, &product);
        figure_add_words(figure, drawings, count);
        return;
    }
    for (size_t d = 0; d < count; d++)
        add_single(figure, &drawings[d]);
}

void figure_reports(struct figure *figure, const struct report *reports, size_t count,
                    const struct style *style) {
    for (size_t r = 0, together; r < count; r += together) {
        struct drawing drawings[MAPPING_FOUND_MAX] = {{.report = NULL}};
        together = count_together(reports + r, count - r);
        for (size_t d = 0; d < together; d++)
            drawing_make(&drawings[d], &reports[r + d], style);
        add_together(figure, drawings, together);
    }
}
