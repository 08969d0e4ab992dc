/* part.c - operands in Tensor Memory as threads hold them; see part.h. */
#include "report/part.h"

#include "catalogue/catalogue.h"

#include "layout/sentence.h"
#include "report/derive.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *word_of(const struct mapping_transfer *transfer) {
    return mapping_instruction_loads(transfer->move.instruction) ? MAPPING_AXIS_LOAD
                                                                 : MAPPING_AXIS_STORE;
}

const char *part_word(const struct part *part) {
    return word_of(&part->transfer);
}

/* ---- In words ---- */

/* Writes which load of which CTA: ", load 1 (0-3), CTA 0 (0-1)", or ", load n (0-3)" for
 * all. */
static void write_which(const struct part *part, char text[64]) {
    bool is_each = part->form == SERIES_EACH;
    int length = 0;
    *text = '\0';
    if (part->count > 1 && is_each)
        length =
            snprintf(text, 64, ", %s %u (0-%u)", part_word(part), part->number, part->count - 1);
    else if (part->count > 1)
        length = snprintf(text, 64, ", %s n (0-%u)", part_word(part), part->count - 1);
    if (part->ctas > 1 && is_each)
        snprintf(text + length, 64 - (size_t)length, ", CTA %u (0-%u)", part->cta, part->ctas - 1);
}

/* Writes what is added to the lane, " + 16", and to the column, "32 * (n / 2)". */
static void write_lane(const struct part *part, char text[32]) {
    *text = '\0';
    if (part->form != SERIES_EACH && part->halves > 1)
        snprintf(text, 32, " + 16 * (n %% 2)");
    else if (part->lane > 0)
        snprintf(text, 32, " + %u", part->lane);
}

static void write_column(const struct part *part, char text[32]) {
    uint32_t columns = part->transfer.move.columns;
    if (part->form == SERIES_EACH || part->count == part->halves)
        snprintf(text, 32, "%u", part->column);
    else
        snprintf(text, 32, part->halves > 1 ? "%u * (n / 2)" : "%u * n", columns);
}

void part_describe(const struct part *part, char text[PART_TEXT]) {
    const struct mapping_fragment *move = &part->transfer.move;
    char name[TRANSFER_NAME_SIZE], which[64], lane[32], column[32], split[40] = "";
    mapping_transfer_name(&part->transfer, name);
    write_which(part, which);
    write_lane(part, lane);
    write_column(part, column);
    if (mapping_transfer_is_split(move))
        snprintf(split, sizeof split, "; immHalfSplitoff = %u", move->columns / 2);
    snprintf(text, PART_TEXT, "%s%s; warp w: lane 32 * w%s, column %s%s", name, which, lane, column,
             split);
}

void part_address(const struct part *part, char text[PART_TEXT]) {
    char lane[32], column[32];
    write_lane(part, lane);
    write_column(part, column);
    const bool has_column = strcmp(column, "0") != 0;
    snprintf(text, PART_TEXT,
             *lane ? "taddr + ((32 * w%s) << 16)%s%s" : "taddr + (32 * w%s << 16)%s%s", lane,
             has_column ? " + " : "", has_column ? column : "");
}

/* Appends numbers as ranges: "0 to 15, 32 to 47". */
static void append_ranges(const uint32_t *numbers, uint32_t count, char text[PART_TEXT]) {
    for (uint32_t n = 0, last; n < count; n = last + 1) {
        for (last = n; last + 1 < count && numbers[last + 1] == numbers[last] + 1; last++)
            ;
        mapping_append(text, PART_TEXT, "%s%u", n ? ", " : "", numbers[n]);
        if (last > n)
            mapping_append(text, PART_TEXT, " to %u", numbers[last]);
    }
}

void part_describe_extent(const struct report *report, char text[PART_TEXT]) {
    const struct part *part = report->part;
    const struct mapping_space *to = &report->forward.layout.to;
    *text = '\0';
    if (part->row_count < to->axis[0].size) {
        mapping_append(text, PART_TEXT, "row%s ", mapping_plural(part->row_count));
        append_ranges(part->rows, part->row_count, text);
    }
    if (part->col_count < to->axis[1].size) {
        mapping_append(text, PART_TEXT, "%scolumn%s ", *text ? "; " : "",
                       mapping_plural(part->col_count));
        append_ranges(part->cols, part->col_count, text);
    }
}

/* ---- What it has ---- */

/* Lists the values of a coordinate, all below `size`. */
static uint32_t *list_values(const uint32_t *values, size_t entries, uint32_t size,
                             uint32_t *count) {
    uint32_t *listed = memory_get(size, sizeof *listed);
    *count = 0;
    for (size_t n = 0; n < entries; n++)
        listed[values[n]] = 1;
    for (uint32_t value = 0; value < size; value++)
        if (listed[value])
            listed[(*count)++] = value; /* never ahead of what is read */
    return listed;
}

static void list_extent(struct part *part, const struct mapping_layout *layout) {
    size_t entries = mapping_layout_entries(layout);
    part->rows =
        list_values(layout->coordinate[0], entries, layout->to.axis[0].size, &part->row_count);
    part->cols =
        list_values(layout->coordinate[1], entries, layout->to.axis[1].size, &part->col_count);
}

/* ---- Making parts ---- */

/* Makes the layout of one part out of that of all; `number` counts parts. */
static void cut(const struct mapping_layout *all, enum series_form form, size_t number,
                struct mapping_layout *layout) {
    struct mapping_space from = all->from;
    struct mapping_error ignored;
    if (form == SERIES_EACH) {
        memmove(from.axis, from.axis + from.count - 2, 2 * sizeof *from.axis);
        from.count = 2;
    }
    memory_enough(mapping_layout_init(layout, &from, &all->to, &ignored));
    memory_own(layout->coordinate[0]);
    size_t entries = mapping_space_size(&from);
    for (uint32_t c = 0; c < all->to.count; c++)
        memcpy(layout->coordinate[c], all->coordinate[c] + number * entries,
               entries * sizeof *layout->coordinate[c]);
}

/* Inverts all loads at once: from row, col and copy to who holds that; where loads are shown one by
 * one, whichever it is of. */
static enum mapping_status invert(const struct mapping_layout *all, enum series_form form,
                                  struct solved *inverse, struct mapping_error *error) {
    struct mapping_layout whole = {.from.count = 0};
    enum mapping_status status =
        memory_enough(mapping_layout_invert(all, MAPPING_AXIS_COPY, &whole, error));
    if (status != MAPPING_OK)
        return status;
    if (form == SERIES_EACH) {
        struct mapping_space to = {.count = 2};
        uint32_t outer = whole.to.count - 2;
        memcpy(to.axis, whole.to.axis + outer, 2 * sizeof *to.axis);
        memory_enough(mapping_layout_init(&inverse->layout, &whole.from, &to, error));
        for (uint32_t c = 0; c < 2; c++)
            memcpy(inverse->layout.coordinate[c], whole.coordinate[outer + c],
                   mapping_layout_entries(&whole) * sizeof(uint32_t));
        mapping_layout_free(&whole);
    } else {
        inverse->layout = whole;
    }
    derive_formulae(inverse);
    return MAPPING_OK;
}

/* Gives the report the inverse of the first one, which is that of all loads, with formulae of its
 * own. */
static void share_inverse(const struct report *first, struct report *report) {
    const struct solved *inverse = &first->inverse;
    size_t size = inverse->layout.to.count * sizeof *inverse->formulae;
    report->inverse = *inverse;
    report->inverse.formulae = memcpy(memory_get(1, size), inverse->formulae, size);
}

/* Notes that the layout rests on what is stated of the load, too. */
static void add_section(struct provenance *provenance, const char *section) {
    for (unsigned e = 0; e < provenance->count; e++) {
        struct evidence *evidence = &provenance->evidence[e];
        size_t length = strlen(evidence->with);
        if (strcmp(evidence->kind, "isa") == 0)
            snprintf(evidence->with + length, sizeof evidence->with - length, " and %s", section);
    }
}

/* Makes what threads hold of the fragment. */
static void set_fragment(struct mapping_fragment *fragment, const struct mapping_series *series,
                         const struct mapping_layout *layout) {
    const struct mapping_fragment *move = &series->transfer.move;
    const struct mapping_space *from = &layout->from;
    fragment->place = MAPPING_IN_REGISTERS;
    fragment->threads = TRANSFER_THREADS;
    fragment->elements = from->axis[from->count - 1].size;
    if (!move->form && series->packed == 1) /* alone in a column, and so in a register */
        fragment->bits = MAPPING_COLUMN_BITS;
    fragment->registers = fragment->elements * fragment->bits / MAPPING_COLUMN_BITS;
}

/* Makes the report of one load, or of all. No opcode asks for it: M and N of tcgen05.mma stand in
 * its instruction descriptor. */
static void make_part(const struct report *whole, const struct mapping_series *series,
                      const struct mapping_layout *all, enum series_form form, size_t number,
                      struct report *report) {
    struct part *part = report->part = memory_get(1, sizeof *part);
    report->observed = whole->observed;
    report->observed.layout = (struct mapping_layout){.from.count = 0};
    *part = (struct part){.transfer = series->transfer,
                          .form = form,
                          .number = (uint32_t)(number % series->count),
                          .count = series->count,
                          .cta = (uint32_t)(number / series->count),
                          .ctas = series->ctas,
                          .halves = series->halves};
    part->lane = mapping_series_lane(series, part->number);
    part->column = mapping_series_column(series, part->number);
    struct mapping_layout *layout = &report->observed.layout;
    cut(all, form, number, layout);
    set_fragment(&report->observed.fragment, series, layout);
    add_section(&report->observed.provenance, series->transfer.move.section);
    list_extent(part, layout);
}

/* Makes all parts of one report, as many as there is room for. */
static enum mapping_status make_parts(const struct report *whole,
                                      const struct mapping_series *series, enum series_form form,
                                      struct report *parts, size_t count,
                                      struct mapping_error *error) {
    struct mapping_layout all;
    const char *axis = word_of(&series->transfer);
    enum mapping_status status =
        mapping_series_layout(series, form == SERIES_JOINED, axis, &all, error);
    if (status == MAPPING_OK)
        status = invert(&all, form, &parts[0].inverse, error);
    for (size_t p = 0; p < count && status == MAPPING_OK; p++) {
        make_part(whole, series, &all, form, p, &parts[p]);
        if (p > 0)
            share_inverse(&parts[0], &parts[p]);
    }
    mapping_layout_free(&all);
    return status;
}

/* ---- Many ---- */

/* Adds the parts of one report to others. */
static enum mapping_status add_parts(struct report *whole, const struct mapping_transfer *transfer,
                                     enum series_form form, struct report **parts, size_t *count,
                                     struct mapping_error *error) {
    struct mapping_series series;
    enum mapping_status status = mapping_series_make(&whole->observed.fragment, transfer,
                                                     &whole->observed.layout, &series, error);
    if (status == MAPPING_OK) {
        const size_t more = form == SERIES_EACH ? (size_t)series.ctas * series.count : 1;
        *parts = memory_resize(*parts, *count + more, sizeof **parts);
        struct report *added = memset(*parts + *count, 0, more * sizeof *added);
        *count += more;
        status = make_parts(whole, &series, form, added, more, error);
    }
    memory_free(series.placed.coordinate[0]);
    series.placed.coordinate[0] = NULL;
    mapping_series_free(&series);
    return status;
}

/* Says what cannot be loaded. */
static enum mapping_status fail_kind(const struct mapping_fragment *fragment,
                                     const struct mapping_transfer *transfer,
                                     struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE], with[TRANSFER_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    mapping_transfer_name(transfer, with);
    return mapping_fail(
        error, MAPPING_INVALID,
        "--with=%s supports only operand A or D of tcgen05.mma in Tensor Memory, not %s", with,
        name);
}

enum mapping_status split_reports(struct report **reports, size_t *count,
                                  const struct mapping_transfer *transfer, enum series_form form,
                                  struct mapping_error *error) {
    struct report *parts = NULL;
    size_t made = 0;
    bool has_d = false;
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < *count; r++)
        has_d |= mapping_transfer_takes(&(*reports)[r].observed.fragment) &&
                 (*reports)[r].observed.fragment.operand == MAPPING_D;
    for (size_t r = 0; r < *count && status == MAPPING_OK; r++) {
        const struct mapping_fragment *fragment = &(*reports)[r].observed.fragment;
        if (has_d && fragment->operand != MAPPING_D)
            continue;
        status = mapping_transfer_takes(fragment)
                     ? add_parts(&(*reports)[r], transfer, form, &parts, &made, error)
                     : fail_kind(fragment, transfer, error);
    }
    *reports = parts;
    *count = made;
    return status;
}
