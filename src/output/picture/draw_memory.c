/* draw_memory.c - pictures of shared memory: a matrix by element and by address, an access, and the
 * accesses of loads and stores; see figure.h. */
#include "layout/banks.h"
#include "output/access.h"
#include "output/lines.h"
#include "output/loading_parts.h"
#include "output/picture/figure.h"
#include "output/placement.h"
#include "report/view.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- A matrix by element ---- */

/* Names the banks that some bits behind the first one have: "3", "4-7". */
static const char *banks_text(struct figure *figure, uint64_t first_bit, uint64_t bits) {
    enum { BANK_BITS = BANK_BYTES * 8 };
    unsigned first = (unsigned)(first_bit / BANK_BITS % BANKS);
    unsigned last = (unsigned)((first_bit + bits - 1) / BANK_BITS % BANKS);
    return first == last ? figure_text(figure, "%u", first)
                         : figure_text(figure, "%u-%u", first, last);
}

/* Adds the matrix, or one stage of it: in each cell the offset, and the bank. */
static struct panel *add_elements(struct figure *figure, const struct report *report,
                                  const struct view *view, uint32_t part, const bool *marked) {
    const struct placement *placement = report->placement;
    struct panel *panel = figure_add_panel(figure, view->rows, view->cols);
    char title[PART_TITLE_SIZE] = "";
    if (view->outer_count > 0)
        view_part_title(view, part, 0, title);
    panel->title = figure_text(figure, *title ? "By element, %s" : "By element%s", title);
    panel->row_axis = view->shown->from.axis[view->row_axis].name;
    panel->col_axis = view->shown->from.axis[view->col_axis].name;
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++) {
            const size_t element = view_entry(view, view_part_start(view, part), row, col);
            const uint32_t offset = view->shown->coordinate[0][element];
            const uint64_t bit = (uint64_t)offset * placement->bits;
            *figure_cell(panel, row, col) = (struct cell){
                .text = figure_text(figure, "%u\nb%s", offset,
                                    banks_text(figure, bit, placement->bits)),
                .color = (uint8_t)color_of(COLOR_BY_BANK, placement_bank(placement, offset), 0),
                .is_marked = marked && marked[element],
            };
        }
    return panel;
}

/* ---- A matrix by address ---- */

/* What colors stand for: pieces along the axis of runs; if there is but one, along the other. */
static struct run find_pieces(const struct memory_lines *lines) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    uint32_t axis = lines->run.axis, last = from->count - 1;
    if (from->axis[axis].size > lines->run.count)
        return lines->run;
    return (struct run){1, axis == last ? last - 1 : last};
}

/* Adds the lines of 128 bytes: in each cell the elements that lie there. */
static struct panel *add_addresses(struct figure *figure, const struct memory_lines *lines,
                                   const bool *marked) {
    const struct mapping_layout *layout = &lines->report->forward.layout;
    const struct run pieces = find_pieces(lines);
    const uint64_t bits = (uint64_t)lines->run.count * lines->report->placement->bits;
    const size_t rows = (lines->cells + lines->in_a_line - 1) / lines->in_a_line;
    struct panel *panel = figure_add_panel(figure, (uint32_t)rows, lines_width(lines));
    struct printer title = {.text = NULL};
    lines_title(&title, lines);
    panel->title = printer_string(&title);
    panel->row_axis = "byte";
    panel->col_axis = "bank";
    for (uint32_t col = 0; col < panel->cols; col++)
        panel->col_labels[col] = banks_text(figure, col * bits, bits);
    for (uint32_t row = 0; row < panel->rows; row++)
        panel->row_labels[row] = figure_text(figure, "%u", row * LINE_BYTES);
    for (size_t number = 0; number < lines->cells; number++) {
        const uint32_t holder = lines_holder(lines, number);
        uint32_t point[MAPPING_AXES_MAX], piece;
        char text[LINE_CELL_SIZE];
        panel->cells[number].color = COLOR_NONE;
        if (holder == UINT32_MAX)
            continue;
        lines_cell(lines, number, text);
        mapping_space_point(&layout->from, holder, point);
        piece = point[pieces.axis] / pieces.count;
        panel->cells[number].text = figure_text(figure, "%s", text);
        /* Pieces side by side differ in hue. */
        panel->cells[number].color = (uint8_t)(piece % HUES * SHADES + piece / HUES % SHADES);
    }
    for (size_t n = 0; marked && n < mapping_layout_entries(layout); n++)
        if (marked[n])
            panel->cells[layout->coordinate[0][n] / lines->run.count].is_marked = true;
    return panel;
}

/* Says what the colors of lines are. */
static void print_pieces(struct printer *to, const struct memory_lines *lines) {
    const struct run run = find_pieces(lines);
    const struct mapping_axis *axis = &lines->report->forward.layout.from.axis[run.axis];
    print(to, "By address, cells of the same color hold elements of ");
    if (run.count > 1)
        print(to, "the same %u %ss", run.count, mapping_axis_word(axis->name));
    else
        print(to, "the same %s", mapping_axis_word(axis->name));
    if (axis->size / run.count > COLORS)
        print(to, "; colors repeat every %u", COLORS * run.count);
    print_text(to, ". Cells below each other are in the same banks.\n");
}

void draw_memory(struct figure *figure, const struct report *report, const bool *marked) {
    enum { ACROSS_MAX = 8 };
    const struct view view = view_of_report(report);
    const char *refusal = lines_refusal(report);
    const uint32_t stages = view_parts(&view);
    struct printer legend = {.text = NULL};
    uint32_t across = 1;
    print_extent(&legend, report);
    print(&legend,
          "By element, each cell shows the offset in elements, and the bank of shared memory, b0 "
          "to b%u. Colors show the bank; four neighboring banks share a hue.\n",
          BANKS - 1);
    /* Stages stand in a square of panels, unless there are very many. */
    while (across * across < stages && across < ACROSS_MAX)
        across++;
    for (uint32_t stage = 0; stage < stages; stage++) {
        struct panel *panel = add_elements(figure, report, &view, stage, marked);
        panel->across = stage % across;
        panel->down = stage / across;
    }
    if (refusal) {
        print_text(&legend, refusal);
    } else {
        /* The lines stand beside what is taller than wide, else below it. */
        const bool is_beside = stages == 1 && view.cols <= 2 * view.rows;
        struct memory_lines lines;
        lines_init(&lines, report);
        print_pieces(&legend, &lines);
        if (!is_beside)
            figure_arrange(figure);
        add_addresses(figure, &lines, marked)->across = is_beside;
    }
    figure_arrange(figure);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&legend));
}

/* ---- Accesses ---- */

/* Prints who asks for a word, in narrow lines: "T0-3,8". Lane 0 is `first_thread`. */
static void print_threads(struct printer *to, uint32_t set, uint32_t first_thread) {
    enum { WIDTH = 8 };
    uint32_t first, last;
    size_t line = 0;
    print_char(to, 'T');
    while (next_lanes(&set, &first, &last)) {
        char word[32];
        first += first_thread, last += first_thread;
        int length = last > first ? snprintf(word, sizeof word, "%u-%u", first, last)
                                  : snprintf(word, sizeof word, "%u", first);
        if (to->size > line + 1 && to->size + (size_t)length + 1 > line + WIDTH) {
            print_char(to, '\n');
            line = to->size;
        }
        print(to, set ? "%s," : "%s", word);
    }
}

/* Fills the panel of a phase: a wavefront in a row, a bank in a column. */
static void fill_phase(struct panel *panel, const struct mapping_words *words,
                       uint32_t first_thread) {
    for (uint32_t bank = 0; bank < BANKS; bank++)
        for (uint32_t row = 0; row < panel->rows; row++) {
            struct cell *cell = figure_cell(panel, row, bank);
            struct printer text = {.text = NULL};
            cell->color = COLOR_NONE;
            if (row >= words->count[bank])
                continue;
            print_threads(&text, words->lanes[bank][row], first_thread);
            print(&text, "\n@%u", words->word[bank][row] * BANK_BYTES);
            cell->text = printer_string(&text);
            if (words->count[bank] > 1)
                cell->color = (uint8_t)color_of(COLOR_BY_BANK, bank, 0);
        }
}

/* Draws the phases of one warp's access below each other, and names those without lanes. */
static void draw_phases(struct figure *figure, const struct mapping_access *operation,
                        const uint32_t *address, uint32_t first_thread) {
    struct mapping_wavefronts counted;
    struct printer without_lanes = {.text = NULL};
    uint32_t drawn = 0;
    mapping_access_count(operation, address, &counted);
    for (uint32_t p = 0; p < counted.phase_count; p++) {
        const struct mapping_phase *phase = &counted.phases[p];
        struct printer title = {.text = NULL};
        struct mapping_words words;
        if (phase->lanes == 0) {
            print_phase_line(&without_lanes, phase, p);
            print_char(&without_lanes, '\n');
            continue;
        }
        print_phase_line(&title, phase, p);
        struct panel *panel = figure_add_panel(figure, phase->wavefronts, BANKS);
        panel->title = printer_string(&title);
        panel->row_axis = "wavefront";
        panel->col_axis = "bank";
        panel->down = drawn++;
        mapping_access_words(operation, address, phase->lanes, &words);
        fill_phase(panel, &words, first_thread);
    }
    figure_arrange(figure);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&without_lanes));
}

/* Says what cells and colors mean. */
static void print_legend(struct printer *to, const struct mapping_access *operation) {
    print_text(to, operation->matrices > 0
                       ? "T lists the lanes whose ldmatrix or stmatrix row contains the word; @ is "
                         "its byte address.\n"
                       : "T lists the lanes that access the word; @ is its byte address.\n");
    print_text(to, "Colored cells show bank conflicts: the lanes access several words of the bank, "
                   "and each word takes a wavefront. The hardware chooses the order of wavefronts; "
                   "the picture orders them by lane.\n");
}

struct figure draw_access(const struct access *access) {
    struct figure figure = {.panels = NULL};
    struct printer title = {.text = NULL}, notes = {.text = NULL};
    print_access_name(&title, access);
    figure_add_caption(&figure, CAPTION_TITLE, printer_string(&title));
    draw_phases(&figure, access->operation, access->address, 0);
    print_access_total(&notes, access->operation, &access->counted);
    print_legend(&notes, access->operation);
    print_text(&notes, "Rule for wavefronts: " ACCESS_RULE ".");
    figure_add_caption(&figure, CAPTION_NOTE, printer_string(&notes));
    return figure;
}

/* ---- Loads and stores ---- */

/* Draws the first accesses of a load or store, above those of each step what it moves, and where:
 * "registers 0 to 3: byte address = tid * 16". */
static void draw_accesses(struct figure *figure, const struct loading *loading, uint32_t count,
                          enum formula_style style) {
    const struct mapping_loading *plan = loading->plans;
    const uint32_t warps = plan->threads / LANES;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t step = n / warps, warp = n % warps;
        if (warp == 0) {
            char formula[FORMULA_TEXT];
            struct printer name = {.text = NULL};
            print_char(&name, '\n');
            print_step_name(&name, loading, plan, step);
            if (loading_formula(plan, &plan->steps[step], style, formula))
                print(&name, ": byte address = %s", formula);
            figure_add_caption(figure, CAPTION_FORMULA, printer_string(&name));
        }
        if (warps > 1)
            figure_add_caption(figure, CAPTION_NOTE, figure_text(figure, "warp %u", warp));
        draw_phases(figure, plan->access, plan->steps[step].address + (size_t)warp * LANES,
                    warp * LANES);
    }
}

struct figure draw_loadings(const struct loading *loadings, size_t count,
                            const struct style *style) {
    enum { DRAWN_OF_ONE = 4, DRAWN_IN_ALL = 64 };
    struct figure figure = {.panels = NULL};
    uint32_t left = DRAWN_IN_ALL;
    for (size_t l = 0; l < count; l++) {
        const struct loading *loading = &loadings[l];
        const struct mapping_loading *plan = loading->plans;
        const uint32_t accesses = plan->threads / LANES * plan->step_count;
        uint32_t drawn = left < DRAWN_OF_ONE ? left : DRAWN_OF_ONE;
        struct printer title = {.text = NULL}, total = {.text = NULL}, notes = {.text = NULL};
        drawn = accesses < drawn ? accesses : drawn;
        left -= drawn;
        print_loading_name(&title, loading);
        print_plan_total(&total, loading, plan);
        figure_add_caption(&figure, CAPTION_TITLE, printer_string(&title));
        figure_add_caption(&figure, CAPTION_NOTE, printer_string(&total));
        draw_accesses(&figure, loading, drawn, style->formula);
        if (accesses > drawn)
            print(&notes, "%u more warp accesses are not drawn.\n", accesses - drawn);
        print_legend(&notes, plan->access);
        print_loading_notes(&notes, loading, "");
        if (loading->count > 1)
            print(&notes, "Other operations that can %s this fragment:\n",
                  loading->is_store ? "store" : "load");
        for (size_t p = 1; p < loading->count; p++)
            print_plan_total(&notes, loading, &loading->plans[p]);
        figure_add_caption(&figure, CAPTION_NOTE, printer_string(&notes));
    }
    return figure;
}
