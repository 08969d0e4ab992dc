/* figure_access.c - pictures of accesses to shared memory; see figure.h. */
#include "output/access.h"
#include "output/loading_parts.h"
#include "output/picture/figure.h"

#include <stdio.h>

/* An access of one warp, and the number of its lane 0 among the threads. */
struct access_drawing {
    struct figure *figure;
    const struct mapping_access *operation;
    const uint32_t *address;
    uint32_t first_thread;
};

/* ---- Panels ---- */

/* Writes who asks for a word, in narrow lines: "T0-3,8". */
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

static void fill_cell(const struct access_drawing *drawing, uint32_t word, uint32_t lanes,
                      struct cell *cell) {
    struct printer text = {.text = NULL};
    print_threads(&text, lanes, drawing->first_thread);
    print(&text, "\n@%u", word * BANK_BYTES);
    cell->text = figure_add_text(drawing->figure, "%s", printer_string(&text));
}

/* A wavefront in a row, a bank in a column. */
static void fill_phase(const struct access_drawing *drawing, uint32_t lanes, struct panel *panel) {
    struct mapping_words words;
    mapping_access_words(drawing->operation, drawing->address, lanes, &words);
    for (uint32_t bank = 0; bank < BANKS; bank++)
        for (uint32_t row = 0; row < panel->rows; row++) {
            struct cell *cell = figure_cell(panel, row, bank);
            cell->color = COLOR_NONE;
            if (row >= words.count[bank])
                continue;
            fill_cell(drawing, words.word[bank][row], words.lanes[bank][row], cell);
            if (words.count[bank] > 1)
                cell->color = (uint8_t)color_of_bank(bank);
        }
}

/* Adds a phase below so many others. */
static void add_phase(const struct access_drawing *drawing, const struct mapping_phase *phase,
                      uint32_t number, uint32_t others) {
    struct figure *figure = drawing->figure;
    struct panel *panel = figure_add_panel(figure, phase->wavefronts, BANKS);
    struct printer title = {.text = NULL};
    if (!panel)
        return;
    print_phase_line(&title, phase, number);
    panel->title = figure_add_text(figure, "%s", printer_string(&title));
    panel->row_axis = figure_add_text(figure, "wavefront");
    panel->col_axis = figure_add_text(figure, "bank");
    panel->down = others;
    fill_phase(drawing, phase->lanes, panel);
}

/* Draws the phases below each other, and names those without lanes. */
static void draw_phases(const struct access_drawing *drawing,
                        const struct mapping_wavefronts *counted) {
    uint32_t drawn = 0;
    for (uint32_t p = 0; p < counted->phase_count; p++)
        if (counted->phases[p].lanes != 0)
            add_phase(drawing, &counted->phases[p], p, drawn++);
    figure_arrange(drawing->figure);
    for (uint32_t p = 0; p < counted->phase_count; p++) {
        struct printer text = {.text = NULL};
        if (counted->phases[p].lanes != 0)
            continue;
        print_phase_line(&text, &counted->phases[p], p);
        figure_add_caption(drawing->figure, CAPTION_NOTE, printer_string(&text));
    }
}

/* Says what cells and colors mean. */
static void add_legend(struct figure *figure, bool has_matrices) {
    figure_add_caption(figure, CAPTION_NOTE,
                       has_matrices
                           ? "T lists the lanes whose ldmatrix or stmatrix row contains the word; "
                             "@ is its byte address."
                           : "T lists the lanes that access the word; @ is its byte address.");
    figure_add_caption(figure, CAPTION_NOTE,
                       "Colored cells show bank conflicts: the lanes access several words of the "
                       "bank, and each word takes a wavefront. The hardware chooses the order of "
                       "wavefronts; the picture orders them by lane.");
}

void figure_access(struct figure *figure, const struct access *access) {
    const struct access_drawing drawing = {figure, access->operation, access->address, 0};
    struct printer title = {.text = NULL}, total = {.text = NULL};
    print_access_name(&title, access);
    figure_add_caption(figure, CAPTION_TITLE, printer_string(&title));
    draw_phases(&drawing, &access->counted);
    print_access_total(&total, access->operation, &access->counted);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&total));
    add_legend(figure, access->operation->matrices > 0);
    figure_add_caption(figure, CAPTION_NOTE, "Rule for wavefronts: " ACCESS_RULE ".");
}

/* ---- Loads and stores ---- */

/* Accesses that are drawn of one load or store, and of all of them. */
enum { DRAWN_OF_ONE = 4, DRAWN_IN_ALL = 64 };

/* Prints what a step moves, and where: "registers 0 to 3: byte address = tid * 16". */
static void add_step_name(struct figure *figure, const struct loading *loading, uint32_t number,
                          enum formula_style style) {
    const struct mapping_loading *plan = loading->plans;
    char formula[FORMULA_TEXT];
    struct printer text = {.text = NULL};
    print_char(&text, '\n');
    print_step_name(&text, loading, plan, number);
    if (loading_formula(plan, &plan->steps[number], style, formula))
        print(&text, ": byte address = %s", formula);
    figure_add_caption(figure, CAPTION_FORMULA, printer_string(&text));
}

/* Draws what one warp accesses in one step. */
static void draw_warp(struct figure *figure, const struct mapping_loading *plan, uint32_t number,
                      uint32_t warp) {
    const struct access_drawing drawing = {
        figure, plan->access, plan->steps[number].address + (size_t)warp * LANES, warp * LANES};
    struct mapping_wavefronts counted;
    mapping_access_count(drawing.operation, drawing.address, &counted);
    if (plan->threads > LANES) {
        char text[32];
        snprintf(text, sizeof text, "warp %u", warp);
        figure_add_caption(figure, CAPTION_NOTE, text);
    }
    draw_phases(&drawing, &counted);
}

/* Draws up to so many accesses; returns how many. */
static uint32_t draw_steps(struct figure *figure, const struct loading *loading, uint32_t most,
                           enum formula_style style) {
    const struct mapping_loading *plan = loading->plans;
    uint32_t warps = plan->threads / LANES, all = warps * plan->step_count;
    uint32_t drawn = all < most ? all : most;
    for (uint32_t n = 0; n < drawn; n++) {
        if (n % warps == 0)
            add_step_name(figure, loading, n / warps, style);
        draw_warp(figure, plan, n / warps, n % warps);
    }
    return drawn;
}

/* Says how much is not drawn, and what cells and numbers are. */
static void add_notes(struct figure *figure, const struct loading *loading, uint32_t drawn) {
    const struct mapping_loading *plan = loading->plans;
    uint32_t left = plan->threads / LANES * plan->step_count - drawn;
    struct printer text = {.text = NULL}, notes = {.text = NULL};
    if (left > 0)
        print(&text, "%u more warp accesses are not drawn.\n", left);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&text));
    add_legend(figure, plan->access->matrices > 0);
    print_loading_notes(&notes, loading, "");
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&notes));
}

/* Says what other operations take. */
static void add_others(struct figure *figure, const struct loading *loading) {
    struct printer text = {.text = NULL};
    if (loading->count > 1)
        print_text(&text, loading->is_store ? "Other operations that can store this fragment:\n"
                                            : "Other operations that can load this fragment:\n");
    for (size_t p = 1; p < loading->count; p++)
        print_plan_total(&text, loading, &loading->plans[p]);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&text));
}

void figure_loadings(struct figure *figure, const struct loading *loadings, size_t count,
                     const struct style *style) {
    uint32_t left = DRAWN_IN_ALL;
    for (size_t l = 0; l < count; l++) {
        const struct loading *loading = &loadings[l];
        struct printer title = {.text = NULL}, total = {.text = NULL};
        print_loading_name(&title, loading);
        figure_add_caption(figure, CAPTION_TITLE, printer_string(&title));
        print_plan_total(&total, loading, loading->plans);
        figure_add_caption(figure, CAPTION_NOTE, printer_string(&total));
        uint32_t drawn =
            draw_steps(figure, loading, left < DRAWN_OF_ONE ? left : DRAWN_OF_ONE, style->formula);
        left -= drawn;
        add_notes(figure, loading, drawn);
        add_others(figure, loading);
    }
}
