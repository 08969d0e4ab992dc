/* draw_access.c - pictures of accesses to shared memory, also of those that loads and stores are
 * made of: banks across, wavefronts down, and in each cell which lanes ask for which word; see
 * figure.h. */
#include "layout/banks.h"
#include "output/picture/figure.h"
#include "output/text_memory.h"
#include "system/system.h"

#include <stdio.h>

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
        print_loading_notes(&notes, loading);
        if (loading->count > 1)
            print(&notes, "Other operations that can %s this fragment:\n",
                  loading->is_store ? "store" : "load");
        for (size_t p = 1; p < loading->count; p++)
            print_plan_total(&notes, loading, &loading->plans[p]);
        figure_add_caption(&figure, CAPTION_NOTE, printer_string(&notes));
    }
    return figure;
}
