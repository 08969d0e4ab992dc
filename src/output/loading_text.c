/* loading_text.c - loads, stores and suggestions for people, and what other formats share of that.
 */
#include "output/loading_parts.h"

#include "layout/sentence.h"
#include "output/access.h"
#include "report/facts.h"
#include "report/shorten.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* ---- Formulae of addresses ---- */

/* Writes a formula with the fewest operators that are found; false if there is none. */
static bool shorten(const struct mapping_formula *formula, const struct mapping_space *space,
                    char text[FORMULA_TEXT]) {
    size_t points = mapping_space_size(space);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    unsigned operators;
    bool is_proved;
    for (size_t n = 0; n < points; n++) {
        mapping_space_point(space, n, point);
        values[n] = mapping_formula_evaluate(formula, space->count, point);
    }
    return shorten_values(space, values, SHORTEN_QUICK, text, FORMULA_TEXT, &operators, &is_proved);
}

static bool write_formula(const struct mapping_formula *formula, const struct mapping_space *space,
                          enum formula_style style, char text[FORMULA_TEXT]) {
    if (style == FORMULA_DIVIDE)
        return mapping_formula_print_divided(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
    return (style == FORMULA_SHORT && shorten(formula, space, text)) ||
           mapping_formula_print(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
}

bool loading_formula(const struct mapping_loading *plan, const struct mapping_loading_step *step,
                     enum formula_style style, char text[FORMULA_TEXT]) {
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    return step->has_formula && write_formula(&step->formula, &space, style, text);
}

bool loading_common_formula(const struct mapping_loading *plan, enum formula_style style,
                            char text[FORMULA_TEXT]) {
    const struct mapping_space space = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    return plan->has_formula && write_formula(&plan->formula, &space, style, text);
}

/* ---- Loads and stores ---- */

/* Prints "registers 0 to 3": which pieces a step moves. */
static void print_pieces(struct printer *to, const struct mapping_loading *plan,
                         const struct mapping_loading_step *step) {
    const struct mapping_access *access = plan->access;
    bool is_part = access->matrices == 0 && access->bytes < 4;
    const char *what = !is_part ? "register" : access->bytes == 1 ? "byte" : "half-word";
    print(to, "%s%s", what, mapping_plural(step->piece_count));
    uint32_t run = 1;
    while (run < step->piece_count && step->pieces[run] == step->pieces[0] + run)
        run++;
    if (run > 2 && run == step->piece_count)
        print(to, " %u to %u", step->pieces[0], step->pieces[run - 1]);
    else
        for (uint32_t p = 0; p < step->piece_count; p++)
            print(to, "%s %u", p ? "," : "", step->pieces[p]);
}

/* Prints the addresses of a step that have no formula. */
static void print_table(struct printer *to, const struct mapping_loading_step *step,
                        uint32_t threads) {
    enum { IN_A_LINE = 8 };
    for (uint32_t t = 0; t < threads; t++) {
        print_text(to, t % IN_A_LINE == 0 ? "\n   " : "");
        if (step->address[t] == MAPPING_INACTIVE)
            print(to, " %6s", "-");
        else
            print(to, " %6u", step->address[t]);
    }
}

void print_step_name(struct printer *to, const struct loading *loading,
                     const struct mapping_loading *plan, uint32_t number) {
    const struct mapping_loading_step *step = &plan->steps[number];
    if (loading->fragment)
        print_pieces(to, plan, step);
    else
        print(to, "step %u", number);
    if (plan->step_count > 1 && step->wavefronts != plan->wavefronts / plan->step_count)
        print(to, ", %u wavefronts", step->wavefronts);
}

static void print_step(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, uint32_t number,
                       enum formula_style style) {
    const struct mapping_loading_step *step = &plan->steps[number];
    char formula[FORMULA_TEXT];
    print_text(to, "  ");
    print_step_name(to, loading, plan, number);
    if (loading_formula(plan, step, style, formula)) {
        print(to, ": byte address = %s\n", formula);
        return;
    }
    print_text(to, ": no formula; byte address of each thread");
    print_table(to, step, plan->threads);
    print_char(to, '\n');
}

void print_plan_total(struct printer *to, const struct loading *loading,
                      const struct mapping_loading *plan) {
    const size_t line = to->size;
    print(to, "%s: ", loading->fragment ? plan->access->name : "cp.async, 16 bytes per lane");
    if (plan->step_count > 1)
        print(to, "%u instructions%s, ", plan->step_count,
              plan->threads > MAPPING_WARP ? " per warp" : "");
    print(to, "%u wavefront%s%s", plan->wavefronts, mapping_plural(plan->wavefronts),
          plan->step_count > 1 || plan->threads > MAPPING_WARP ? " in total" : "");
    print_conflicts(to, line, plan->wavefronts, plan->minimum);
}

/* Prints one plan: what it takes, and the addresses. */
static void print_plan(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, enum formula_style style) {
    char formula[FORMULA_TEXT];
    print_plan_total(to, loading, plan);
    if (!loading->fragment && loading_common_formula(plan, style, formula)) {
        print(to, "  step 0 to %u: byte address = %s\n", plan->step_count - 1, formula);
        return;
    }
    for (uint32_t s = 0; s < plan->step_count; s++)
        print_step(to, loading, plan, s, style);
}

bool has_axes_to_say(const struct loading *loading) {
    return loading->fragment &&
           (loading->has_axes || loading->fragment->observed.fragment.operand == MAPPING_B);
}

void print_loading_name(struct printer *to, const struct loading *loading) {
    print(to, "%s %s %s", loading->name, loading->is_store ? "to" : "from", loading->matrix->name);
    if (has_axes_to_say(loading))
        print(to, " at %u,%u; rows are %c, columns are %c", loading->origin[0], loading->origin[1],
              loading->axes.rows, loading->axes.cols);
    else if (loading->fragment)
        print(to, " at row %u, column %u", loading->origin[0], loading->origin[1]);
    if (loading->matrix->forward.layout.from.count > 2)
        print_text(to, ", stage 0");
}

void print_loading_notes(struct printer *to, const struct loading *loading, const char *mark) {
    const struct report *fragment = loading->fragment;
    print(to, "%selements are %s; addresses are byte offsets from the start of the matrix\n", mark,
          loading->matrix->placement->type);
    if (fragment && fragment->is_default_arch)
        print(to, "%sno GPU here, so sm_%u is shown; --arch=ARCH shows another\n", mark,
              fragment->arch);
    if (fragment && fragment->tiling)
        print(to, "%stiled by %s\n", mark, fragment->tiling);
    print(to, "%s" RULE_LINE "\n", mark);
}

/* Prints the lines of a text as those above a layout: folded to fit a terminal. */
static void print_above(struct printer *to, struct printer *lines) {
    enum { WIDTH = 79 };
    for (char *line = printer_string(lines); *line;) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = '\0';
        facts_print_folded(to, line, "# ", WIDTH);
        line = next;
    }
}

static void print_loading(struct printer *to, const struct loading *loading,
                          const struct style *style) {
    struct printer above = {.text = NULL};
    print_loading_name(&above, loading);
    print_char(&above, '\n');
    print_loading_notes(&above, loading, "");
    print_above(to, &above);
    for (size_t p = 0; p < loading->count; p++)
        print_plan(to, loading, &loading->plans[p], style->formula);
}

void print_loadings(struct printer *to, const struct loading *loadings, size_t count,
                    const struct style *style) {
    for (size_t l = 0; l < count; l++) {
        if (l > 0)
            print_char(to, '\n');
        print_loading(to, &loadings[l], style);
    }
}

/* ---- Suggestions ---- */

/* How many are shown without --verbose. */
enum { SUGGESTIONS_SHOWN = 10 };

/* Writes what one use takes: "64 ldmatrix.x4"; of a copy the number alone. */
static void write_use(const struct mapping_suggestion *suggestion, size_t use, char text[40]) {
    const struct mapping_access *with = suggestion->with[use];
    snprintf(text, 40, with ? "%u %s" : "%u", suggestion->each[use], with ? with->name : "");
}

/* Characters of the column of one use. */
static int width_of_use(const struct mapping_suggestions *found, size_t shown, size_t use) {
    size_t width = sizeof "access 1" - 1;
    char text[40];
    for (size_t n = 0; n < shown; n++) {
        write_use(&found->items[n], use, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Prints the numbers of one suggestion, and what it is. */
static void print_suggestion(struct printer *to, const struct suggested *suggested,
                             const struct mapping_suggestion *suggestion, const int *widths) {
    char text[512];
    print(to, "%10u %7u", suggestion->wavefronts, suggestion->wasted);
    for (size_t u = 0; u < suggested->use_count; u++) {
        write_use(suggestion, u, text);
        print(to, "  %-*s", widths[u], text);
    }
    mapping_cute_print(&suggestion->layout, text, sizeof text);
    print(to, "  %s\n", text);
}

/* Prints what is loaded and stored, each with a number that stands above its column. */
static void print_uses(struct printer *to, const struct suggested *suggested) {
    for (size_t u = 0; u < suggested->use_count; u++) {
        const struct loading *use = &suggested->uses[u];
        struct printer above = {.text = NULL};
        print(&above, "access %zu: %s %s at every position", u + 1,
              use->is_store ? "store" : "load", use->name);
        if (has_axes_to_say(use))
            print(&above, "; rows are %c, columns are %c", use->axes.rows, use->axes.cols);
        print_above(to, &above);
        if (use->fragment && use->fragment->tiling)
            print(to, "#   tiled by %s\n", use->fragment->tiling);
    }
}

void print_suggestions(struct printer *to, const struct suggested *suggested,
                       const struct style *style) {
    const struct mapping_suggestions *found = &suggested->suggestions;
    size_t shown =
        style->verbose || found->count < SUGGESTIONS_SHOWN ? found->count : SUGGESTIONS_SHOWN;
    int widths[SUGGEST_USES_MAX] = {0};
    for (size_t u = 0; u < suggested->use_count; u++)
        widths[u] = width_of_use(found, shown, u);
    print(to, "# %s of %s\n", suggested->matrix->name, suggested->matrix->placement->type);
    print_uses(to, suggested);
    print_text(to, "# " RULE_LINE "\nwavefronts  wasted");
    for (size_t u = 0; u < suggested->use_count; u++)
        print(to, "  access %-*zu", widths[u] - 7, u + 1);
    print_text(to, "  layout\n");
    for (size_t n = 0; n < shown; n++)
        print_suggestion(to, suggested, &found->items[n], widths);
    if (found->count > 0)
        print(to,
              "Without bank conflicts, these accesses take %u wavefronts.\n"
              "\"wasted\" is in bytes.\n",
              found->items[0].minimum);
    if (shown < found->count)
        print(to, "Other layouts tried: %zu; --verbose shows all.\n", found->count - shown);
}
