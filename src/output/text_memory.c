/* text_memory.c - matrices in memory, loads, stores and accesses for people; see text_memory.h. */
#include "output/text_memory.h"

#include "layout/sentence.h"
#include "output/lines.h"
#include "output/terminal_grid.h"
#include "report/facts.h"
#include "report/section.h"
#include "report/shorten.h"
#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Matrices in memory ---- */

/* Prints the grids of offsets and of banks, or the one of both, "offset:bank". */
static void print_elements(struct printer *to, const struct report *report,
                           const struct style *style) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t bank = style->cells, offset = !bank; /* grids begin with the last axis */
    struct mapping_space places = {.count = 2};
    places.axis[bank] = (struct mapping_axis){"bank", BANKS};
    places.axis[offset] = layout->to.axis[0];
    struct mapping_layout shown;
    struct mapping_error ignored;
    memory_enough(mapping_layout_init(&shown, &layout->from, &places, &ignored));
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        shown.coordinate[bank][n] = placement_bank(report->placement, layout->coordinate[0][n]);
        shown.coordinate[offset][n] = layout->coordinate[0][n];
    }
    const struct view view = view_of(&shown, false);
    if (style->is_framed || style->cells)
        print_framed_grids(to, &view, report->placement->bits, style);
    else
        section_grids(to, &view);
    mapping_layout_free(&shown);
}

/* Prints a cell, and blanks behind it where another one follows. */
static void print_cell(struct printer *to, const char *text, int width, bool is_last) {
    if (is_last)
        print(to, " %s\n", text);
    else
        print(to, " %-*s", width, text);
}

/* Prints which elements lie in each line of 128 bytes, in several blocks of columns if the terminal
 * is too narrow for one. */
static void print_lines(struct printer *to, const struct report *report, unsigned width) {
    struct memory_lines lines;
    const char *refusal = lines_refusal(report);
    char text[LINE_CELL_SIZE];
    size_t cell = strlen("bank 31"); /* characters */
    if (refusal) {
        print(to, "%s\n\n", refusal);
        return;
    }
    lines_init(&lines, report);
    for (size_t c = 0; c < lines.cells; c++) {
        lines_cell(&lines, c, text);
        cell = strlen(text) > cell ? strlen(text) : cell;
    }
    uint32_t in_a_block = lines.in_a_line;
    const uint32_t all = lines_width(&lines);
    while (width > 0 && in_a_block > 1 && 8 + in_a_block * (cell + 1) > width)
        in_a_block /= 2;
    lines_title(to, &lines);
    print_text(to, ":\n");
    for (uint32_t first = 0; first < all; first += in_a_block) {
        const uint32_t end = first + in_a_block < all ? first + in_a_block : all;
        print(to, "%8s", "byte");
        for (uint32_t c = first; c < end; c++) {
            snprintf(text, sizeof text, "bank %u",
                     placement_bank(report->placement, c * lines.run.count));
            print_cell(to, text, (int)cell, c + 1 == end);
        }
        for (size_t line = 0; line * lines.in_a_line < lines.cells; line++) {
            print(to, "%8zu", line * LINE_BYTES);
            for (uint32_t c = first; c < end; c++) {
                lines_cell(&lines, line * lines.in_a_line + c, text);
                print_cell(to, text, (int)cell, c + 1 == end);
            }
        }
    }
    print_char(to, '\n');
}

void print_extent(struct printer *to, const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    for (uint32_t a = 0; a < from->count; a++)
        print(to, a ? " x %u" : "%u", from->axis[a].size);
    print(to, " elements of %s, %llu bytes\n", report->placement->type,
          (unsigned long long)placement_bytes(report));
}

void print_placement(struct printer *to, const struct report *report, const struct style *style) {
    const uint32_t rows = report->forward.layout.from.axis[0].size;
    print_text(to, "# ");
    print_extent(to, report);
    /* A layout whose first mode is one of several, and as large as a warp or a warpgroup, may be
     * meant to map (thread, value) to elements of a fragment. */
    if (strncmp(report->name, "((", 2) == 0 && report->forward.layout.from.count == 2 &&
        (rows == MAPPING_WARP || rows == 4 * MAPPING_WARP))
        print_text(to,
                   "# shown as a matrix in memory; to compare a TV layout with a fragment, use\n"
                   "# FRAGMENT --verify=LAYOUT\n");
    print_elements(to, report, style);
    print_lines(to, report, style->width);
}

/* Prints how an instruction reads the matrix. */
static void print_reader(struct printer *to, enum mapping_reader reader,
                         const struct mapping_descriptor *descriptor) {
    const bool is_tcgen05 = reader == READER_TCGEN05;
    print(to, "%s reads it as %s-major", is_tcgen05 ? "tcgen05.mma" : "wgmma",
          descriptor->is_k_major ? "K" : "MN");
    if (descriptor->swizzle_bytes > 0)
        print(to, " with a %u-byte swizzle", descriptor->swizzle_bytes);
    else
        print_text(to, " without a swizzle");
    if (descriptor->piece_bytes > 16)
        print(to, ", with %u-byte atomicity", descriptor->piece_bytes);
    print(to, " (bits %s: %u),\n", is_tcgen05 ? "61-63" : "62-63", descriptor->mode);
    if (descriptor->has_leading)
        print(to, "leading byte offset %u, ", descriptor->leading_bytes);
    print(to, "stride byte offset %u%s,\nbase offset 0", descriptor->stride_bytes,
          descriptor->stride_bytes ? "" : " (the matrix has only one group of 8)");
    if (descriptor->swizzle_bytes > 0)
        print(to, " if the start address is a multiple of %u bytes", 8 * descriptor->swizzle_bytes);
    print(to, ";\n%sthe descriptor for address 0 is 0x%016llx.\n",
          is_tcgen05 ? "with bits 46-48 = 1, " : "", (unsigned long long)descriptor->value);
    if (is_tcgen05)
        print_text(to, "Not confirmed on hardware.\n");
    if (is_tcgen05 && descriptor->piece_bytes > 16)
        print_text(to, "The stride byte offset is the distance between groups of 4 columns "
                       "(CUTLASS 4.2);\nthe PTX ISA says groups of 8 columns for every swizzle.\n");
}

/* Prints the columns at which instructions begin, if there are several. */
static void print_starts(struct printer *to, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t slice = placement_slice(report->placement), cols = layout->from.axis[1].size;
    if (cols <= slice)
        return;
    print(to, "Each instruction reads %u columns (its K); their slices begin at bytes", slice);
    for (uint32_t col = 0; col < cols; col += slice)
        print(to, "%s %u%s", col > 0 && col / slice % 8 == 4 ? "\n " : "",
              (unsigned)((uint64_t)layout->coordinate[0][col] * report->placement->bits / 8),
              col + slice < cols ? "," : ".\n");
}

/* Says what the atom lacks of which only tcgen05.mma with 32 bits reads columns of rows. */
static void print_lacking(struct printer *to, const struct report *report) {
    static const char atom[] = "Layout_MN_SW128_32B_Atom";
    const struct mapping_space *from = &report->forward.layout.from;
    const uint32_t bits = report->placement->bits, slice = placement_slice(report->placement);
    if (strncmp(report->name, atom, sizeof atom - 1) != 0 || from->count != 2)
        return;
    if (bits != 32)
        print_text(to, "\nInstructions read only 32-bit types with this swizzle, such as tf32.\n");
    else if (from->axis[1].size < slice)
        print(to, "\nOne instruction needs %u columns: an extent of %u,%u.\n", slice,
              from->axis[0].size, slice);
}

void print_descriptor(struct printer *to, const struct report *report) {
    const struct placement *placement = report->placement;
    const bool *has = placement->has_descriptor;
    if (!has[READER_WGMMA] && !has[READER_TCGEN05]) {
        print_lacking(to, report);
        return;
    }
    print_char(to, '\n');
    for (enum mapping_reader r = READER_WGMMA; r < READERS; r++)
        if (has[r])
            print_reader(to, r, &placement->descriptor[r]);
    if (!has[READER_WGMMA] || !has[READER_TCGEN05])
        print(to, "%s cannot read this layout.\n", has[READER_WGMMA] ? "tcgen05.mma" : "wgmma");
    print_starts(to, report);
}

/* ---- Accesses ---- */

enum { LINE_WIDTH = 79 };

/* Prints words with tabs between them: a blank, or a new line where the next word does not fit. */
static void print_words(struct printer *to, const char *text, size_t width) {
    size_t column = 0;
    for (const char *word = text; *word;) {
        const size_t length = strcspn(word, "\t");
        const bool fits = column + 1 + length <= width;
        if (word > text)
            print_text(to, fits ? " " : "\n  ");
        column = (word == text ? 0 : fits ? column + 1 : 2) + length;
        print(to, "%.*s", (int)length, word);
        word += length + (word[length] == '\t');
    }
}

/* Prints the expression on one line, without blanks around it, cut off where it is too long. */
static void print_expression(struct printer *to, const char *text) {
    enum { LONGEST = 56 };
    size_t start = 0, end = strlen(text);
    while (isspace((unsigned char)text[start])) /* it ends somewhere, in an expression */
        start++;
    while (isspace((unsigned char)text[end - 1]))
        end--;
    for (size_t n = start; n < end && n < start + LONGEST; n++)
        print_char(to, isprint((unsigned char)text[n]) ? text[n] : ' ');
    print_text(to, end - start > LONGEST ? "..." : "");
}

/* Prints the addresses of the lanes that bring one, 8 in a line. */
static void print_addresses(struct printer *to, const struct access *access) {
    enum { IN_LINE = 8 };
    uint32_t lanes = mapping_access_lanes(access->operation);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (lane % IN_LINE == 0)
            print(to, "lanes %2u-%-2u", lane, lane + IN_LINE - 1);
        if (access->address[lane] == MAPPING_INACTIVE)
            print_text(to, "       -");
        else
            print(to, " %7u", access->address[lane]);
        if (lane % IN_LINE == IN_LINE - 1)
            print_char(to, '\n');
    }
}

bool next_lanes(uint32_t *set, uint32_t *first, uint32_t *last) {
    if (*set == 0)
        return false;
    for (*first = 0; !(*set >> *first & 1);)
        ++*first;
    for (*last = *first; *last < LANES && *set >> *last & 1; ++*last)
        *set &= ~(UINT32_C(1) << *last);
    --*last;
    return true;
}

/* Prints "lane 3", or "lanes 0-3, 8, 10", with tabs between words. */
static void print_lanes(struct printer *to, uint32_t set) {
    uint32_t first, last;
    print_text(to, set & (set - 1) ? "lanes" : "lane");
    while (next_lanes(&set, &first, &last)) {
        print(to, "\t%u", first);
        if (last > first)
            print(to, "-%u", last);
        print_text(to, set ? "," : "");
    }
}

/* Prints which lanes ask for which words of the bank with the most. */
static void print_meeting(struct printer *to, const struct access *access,
                          const struct mapping_phase *phase) {
    struct printer line = {.text = NULL};
    struct mapping_words words;
    mapping_access_words(access->operation, access->address, phase->lanes, &words);
    const uint32_t *lanes = words.lanes[phase->bank];
    for (uint32_t n = 0; n < words.count[phase->bank]; n++) {
        print(&line, "%sbyte %u:", n ? ";\t" : "  ", words.word[phase->bank][n] * BANK_BYTES);
        if (lanes[n] & (lanes[n] - 1)) {
            print_char(&line, '\t');
            print_lanes(&line, lanes[n]);
        } else {
            print(&line, " lane %u", (unsigned)__builtin_ctz(lanes[n]));
        }
    }
    print_words(to, printer_string(&line), LINE_WIDTH);
    print_char(to, '\n');
}

/* Prints what a phase is and takes, with tabs between words. */
static void print_phase(struct printer *to, const struct mapping_phase *phase, uint32_t number) {
    if (phase->lanes == 0) {
        print(to, "no active lanes (phase %u)", number);
        return;
    }
    print_lanes(to, phase->lanes);
    print(to, "\t(phase %u):\t%u wavefront%s,\t", number, phase->wavefronts,
          mapping_plural(phase->wavefronts));
    if (phase->wavefronts == 1)
        print_text(to, "no bank conflict");
    else
        print(to, "%u words conflict in bank %u", phase->wavefronts, phase->bank);
}

void print_phase_line(struct printer *to, const struct mapping_phase *phase, uint32_t number) {
    struct printer line = {.text = NULL};
    print_phase(&line, phase, number);
    print_words(to, printer_string(&line), SIZE_MAX);
}

void print_access_name(struct printer *to, const struct access *access) {
    print_text(to, access->operation->name);
    if (!access->is_list) {
        print_text(to, ", address: ");
        print_expression(to, access->text);
    }
}

/* Ends a line that begins at `line`: prints by how much the wavefronts exceed the minimum, as
 * profilers do: " (minimum: 4), 8-way bank conflicts on average". */
static void print_conflicts(struct printer *to, size_t line, uint32_t wavefronts,
                            uint32_t minimum) {
    enum { WIDTH = 80 };
    char ways[16] = "", text[96] = "no bank conflicts";
    if (minimum > 0 && wavefronts % minimum == 0)
        snprintf(ways, sizeof ways, "%u-way ", wavefronts / minimum);
    if (wavefronts > minimum)
        snprintf(text, sizeof text, "%sbank conflicts%s", ways, *ways ? " on average" : "");
    if (wavefronts > minimum)
        print(to, " (minimum: %u)", minimum);
    print(to, "%s%s\n", to->size - line + 2 + strlen(text) > WIDTH ? ",\n  " : ", ", text);
}

void print_access_total(struct printer *to, const struct mapping_access *operation,
                        const struct mapping_wavefronts *counted) {
    uint32_t bytes = LANES / counted->phase_count * operation->bytes;
    const size_t line = to->size;
    print(to, "Wavefronts: %u", counted->wavefronts);
    print_conflicts(to, line, counted->wavefronts, counted->minimum);
    if (operation->matrices == 0 && bytes > BANKS * BANK_BYTES)
        print_text(to, "Two phases merge here: every lane l has the same address as lane l ^ 1, "
                       "or\nevery lane l as lane l ^ 2.\n");
}

void print_access(struct printer *to, const struct access *access) {
    print_text(to, "# ");
    print_access_name(to, access);
    print_text(to, "\n# " RULE_LINE "\nAddresses, in bytes:\n");
    print_addresses(to, access);
    print_char(to, '\n');
    print_access_total(to, access->operation, &access->counted);
    for (uint32_t p = 0; p < access->counted.phase_count; p++) {
        const struct mapping_phase *phase = &access->counted.phases[p];
        struct printer line = {.text = NULL};
        print_phase(&line, phase, p);
        print_text(&line, phase->wavefronts > 1 ? ":" : "");
        print_words(to, printer_string(&line), LINE_WIDTH);
        print_char(to, '\n');
        if (phase->wavefronts > 1)
            print_meeting(to, access, phase);
    }
}

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

bool loading_formula(const struct mapping_loading *plan, const struct mapping_loading_step *step,
                     enum formula_style style, char text[FORMULA_TEXT]) {
    const struct mapping_space of_step = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space of_all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space *space = step ? &of_step : &of_all;
    const struct mapping_formula *formula = step ? &step->formula : &plan->formula;
    if (!(step ? step->has_formula : plan->has_formula))
        return false;
    if (style == FORMULA_DIVIDE)
        return mapping_formula_print_divided(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
    return (style == FORMULA_SHORT && shorten(formula, space, text)) ||
           mapping_formula_print(formula, space, text, FORMULA_TEXT) < FORMULA_TEXT;
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
    enum { IN_A_LINE = 8 };
    const struct mapping_loading_step *step = &plan->steps[number];
    char formula[FORMULA_TEXT];
    print_text(to, "  ");
    print_step_name(to, loading, plan, number);
    if (loading_formula(plan, step, style, formula)) {
        print(to, ": byte address = %s\n", formula);
        return;
    }
    print_text(to, ": no formula; byte address of each thread");
    for (uint32_t t = 0; t < plan->threads; t++) {
        print_text(to, t % IN_A_LINE == 0 ? "\n   " : "");
        if (step->address[t] == MAPPING_INACTIVE)
            print(to, " %6s", "-");
        else
            print(to, " %6u", step->address[t]);
    }
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
    if (!loading->fragment && loading_formula(plan, NULL, style, formula)) {
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

void print_loading_notes(struct printer *to, const struct loading *loading) {
    const struct report *fragment = loading->fragment;
    print(to, "elements are %s; addresses are byte offsets from the start of the matrix\n",
          loading->matrix->placement->type);
    if (fragment && fragment->is_default_arch)
        print(to, "no GPU here, so sm_%u is shown; --arch=ARCH shows another\n", fragment->arch);
    if (fragment && fragment->tiling)
        print(to, "tiled by %s\n", fragment->tiling);
    print_text(to, RULE_LINE "\n");
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

void print_loadings(struct printer *to, const struct loading *loadings, size_t count,
                    const struct style *style) {
    for (size_t l = 0; l < count; l++) {
        struct printer above = {.text = NULL};
        print_text(to, l > 0 ? "\n" : "");
        print_loading_name(&above, &loadings[l]);
        print_char(&above, '\n');
        print_loading_notes(&above, &loadings[l]);
        print_above(to, &above);
        for (size_t p = 0; p < loadings[l].count; p++)
            print_plan(to, &loadings[l], &loadings[l].plans[p], style->formula);
    }
}

/* ---- Suggestions ---- */

/* How many are shown without --verbose. */
enum { SUGGESTIONS_SHOWN = 10 };

/* Writes what one use takes: "64 ldmatrix.x4"; of a copy the number alone. Returns the length. */
static int write_use(const struct mapping_suggestion *suggestion, size_t use, char text[40]) {
    const struct mapping_access *with = suggestion->with[use];
    return snprintf(text, 40, with ? "%u %s" : "%u", suggestion->each[use], with ? with->name : "");
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
    const size_t shown =
        style->verbose || found->count < SUGGESTIONS_SHOWN ? found->count : SUGGESTIONS_SHOWN;
    int widths[SUGGEST_USES_MAX]; /* characters of the column of each use */
    char text[512];
    print(to, "# %s of %s\n", suggested->matrix->name, suggested->matrix->placement->type);
    print_uses(to, suggested);
    print_text(to, "# " RULE_LINE "\nwavefronts  wasted");
    for (size_t u = 0; u < suggested->use_count; u++) {
        widths[u] = (int)strlen("access 1");
        for (size_t n = 0; n < shown; n++) {
            const int length = write_use(&found->items[n], u, text);
            widths[u] = length > widths[u] ? length : widths[u];
        }
        print(to, "  access %-*zu", widths[u] - 7, u + 1);
    }
    print_text(to, "  layout\n");
    for (size_t n = 0; n < shown; n++) {
        print(to, "%10u %7u", found->items[n].wavefronts, found->items[n].wasted);
        for (size_t u = 0; u < suggested->use_count; u++) {
            write_use(&found->items[n], u, text);
            print(to, "  %-*s", widths[u], text);
        }
        mapping_cute_print(&found->items[n].layout, text, sizeof text);
        print(to, "  %s\n", text);
    }
    if (found->count > 0)
        print(to,
              "Without bank conflicts, these accesses take %u wavefronts.\n"
              "\"wasted\" is in bytes.\n",
              found->items[0].minimum);
    if (shown < found->count)
        print(to, "Other layouts tried: %zu; --verbose shows all.\n", found->count - shown);
}
