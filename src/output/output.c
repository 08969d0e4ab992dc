/* output.c - the table of formats, and what they refuse. What they share is in format.c. */
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

/* ---- What cannot be printed ---- */

static bool has_axis(const struct report *report, const char *axis) {
    const struct mapping_layout *layout = &report->forward.layout;
    return mapping_space_find(&layout->from, axis) >= 0 ||
           mapping_space_find(&layout->to, axis) >= 0;
}

/* Banks are of memory; threads, elements, lanes and columns of what has such axes. */
static enum mapping_status check_colors(const struct report *report, enum color_by by,
                                        struct mapping_error *error) {
    const char *axis = color_by_axis(by);
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
