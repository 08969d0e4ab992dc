/* output.c - the table of formats, and what they share. */
#include "output/output.h"

#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct output *output_at(size_t index) {
    static const struct output *const outputs[] = {
        &text_output,   &json_output, &csv_output,  &markdown_output, &cuda_output, &cute_output,
        &triton_output, &svg_output,  &html_output, &tikz_output,     NULL};
    return outputs[index];
}

const char *formula_style_name(enum formula_style style) {
    static const char *const names[] = {
        [FORMULA_BITS] = "bits", [FORMULA_SHORT] = "short", [FORMULA_DIVIDE] = "divide"};
    _Static_assert(sizeof names / sizeof *names == FORMULA_STYLES, "every style has a name");
    return names[style];
}

/* ---- What cannot be printed ---- */

static bool has_axis(const struct report *report, const char *axis) {
    const struct mapping_layout *layout = &report->forward.layout;
    return mapping_space_find(&layout->from, axis) >= 0 ||
           mapping_space_find(&layout->to, axis) >= 0;
}

/* Banks are of memory; threads, elements, lanes and columns of what has such axes. */
static enum mapping_status check_colors(const struct report *report, enum color_by by,
                                        struct mapping_error *error) {
    const char *axis = by == COLOR_BY_ELEMENT  ? MAPPING_AXIS_I
                       : by == COLOR_BY_LANE   ? MAPPING_AXIS_LANE
                       : by == COLOR_BY_COLUMN ? MAPPING_AXIS_COLUMN
                                               : MAPPING_AXIS_TID;
    bool is_in_memory = report->placement != NULL;
    if (by == COLOR_BY_USUAL ||
        (by == COLOR_BY_BANK ? is_in_memory : !is_in_memory && has_axis(report, axis)))
        return MAPPING_OK;
    const bool is_in_registers = has_axis(report, MAPPING_AXIS_TID);
    if (by != COLOR_BY_BANK && !is_in_memory && !is_in_registers &&
        !has_axis(report, MAPPING_AXIS_LANE))
        return mapping_fail(error, MAPPING_INVALID, "--color-by=%s: %.80s has no %s",
                            color_by_name(by), report->name, mapping_axis_plural(axis));
    return by == COLOR_BY_BANK
               ? mapping_fail(error, MAPPING_INVALID,
                              "--color-by=bank needs a matrix in memory; %.80s is not one",
                              report->name)
               : mapping_fail(error, MAPPING_INVALID,
                              "--color-by=%s needs %s, but %.80s is in %s; use --color-by=%s",
                              color_by_name(by),
                              by == COLOR_BY_LANE || by == COLOR_BY_COLUMN
                                  ? "an operand in Tensor Memory"
                                  : "a fragment in registers",
                              report->name,
                              is_in_memory      ? "shared memory"
                              : is_in_registers ? "registers"
                                                : "Tensor Memory",
                              is_in_memory      ? "bank"
                              : is_in_registers ? "thread"
                                                : "lane");
}

/* --order is about matrices that threads hold; of several reports one has to be of that kind. */
static enum mapping_status check_order(const struct report *reports, size_t count,
                                       struct mapping_error *error) {
    for (size_t r = 0; r < count; r++)
        if (report_has_order(&reports[r]))
            return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "--order needs a fragment in registers, but '%.100s' is not in registers; "
                        "drop --order",
                        reports[0].name);
}

enum mapping_status output_check(const struct output *output, const struct report *reports,
                                 size_t count, const struct style *style,
                                 struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < count && status == MAPPING_OK; r++)
        status = check_colors(&reports[r], style->color_by, error);
    if (status == MAPPING_OK && style->order && count > 0)
        status = check_order(reports, count, error);
    return status == MAPPING_OK && output->check ? output->check(reports, count, error) : status;
}

/* ---- Pages ---- */

void pages_init(struct pages *pages, size_t count) {
    *pages = (struct pages){.page = memory_get(count, sizeof *pages->page), .count = count};
}

struct printing {
    struct pages *pages;
    const struct report *reports;
    const struct style *style;
    print_report_function *print_one;
    const void *context;
};

static void print_page(void *context, size_t r) {
    const struct printing *printing = context;
    printing->print_one(&printing->pages->page[r + 1], &printing->reports[r], printing->style,
                        printing->context);
}

void pages_print(struct pages *pages, const struct report *reports, size_t count,
                 const struct style *style, print_report_function *print_one, const void *context) {
    struct printing printing = {pages, reports, style, print_one, context};
    parallel_for(count, print_page, &printing);
}

/* ---- Comparisons and facts ---- */

const char *difference_name(const struct difference *difference) {
    return (difference->first ? difference->first : difference->second)->name;
}

void replaced_text(const struct comparison *comparison, char text[REPLACED_TEXT]) {
    const char *const *names = comparison->replaced;
    const unsigned *archs = comparison->archs;
    *text = '\0';
    if (!names[0] || !names[1])
        return;
    /* The older one is replaced, unless it has none. */
    int old = archs[0] < archs[1] ? 0 : 1;
    old = *names[old] ? old : 1 - old;
    if (*names[1 - old] && comparison->in_tensor_memory[1 - old])
        snprintf(text, REPLACED_TEXT,
                 "only sm_%u has %s; on sm_%u, %s replaces it:\none thread issues it; A is in "
                 "shared or Tensor Memory, B is in shared memory,\nD is in Tensor Memory; a "
                 "warpgroup reads D with tcgen05.ld, 32 lanes per warp;\nsee --detail",
                 archs[old], names[old], archs[1 - old], names[1 - old]);
    else if (*names[1 - old])
        snprintf(text, REPLACED_TEXT, "only sm_%u has %s; on sm_%u, %s replaces it", archs[old],
                 names[old], archs[1 - old], names[1 - old]);
    else
        snprintf(text, REPLACED_TEXT,
                 "sm_%u has neither wgmma nor tcgen05.mma; use mma, with all operands in registers",
                 archs[1 - old]);
}

size_t comparison_shown(const struct comparison *comparison, const struct style *style) {
    return style->verbose ? comparison->count : comparison->different;
}

void lanes_text(const struct source_lanes *lanes, uint32_t threads, char text[FORMULA_TEXT]) {
    const struct mapping_space space = {.count = 1, .axis = {{MAPPING_AXIS_TID, threads}}};
    if (lanes->is_xor)
        snprintf(text, FORMULA_TEXT, "tid ^ %u", lanes->mask);
    else
        mapping_formula_print(&lanes->formula, &space, text, FORMULA_TEXT);
}

void permutation_text(const struct mapping_permutation *permutation, char text[FORMULA_TEXT]) {
    const struct mapping_space space = mapping_permutation_space(permutation);
    *text = '\0';
    if (permutation->has_formula)
        mapping_formula_print(&permutation->formula, &space, text, FORMULA_TEXT);
}

uint32_t fragment_bytes(const struct mapping_fragment *fragment) {
    return fragment->blocks * fragment->rows * fragment->cols * fragment->bits / 8;
}
