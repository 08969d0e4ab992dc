/* part.c - operands in Tensor Memory as threads hold them; see part.h. */
#include "report/part.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "report/derive.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

static const char *word_of(const struct mapping_transfer *transfer) {
    return mapping_instruction_loads(transfer->move.instruction) ? MAPPING_AXIS_LOAD
                                                                 : MAPPING_AXIS_STORE;
}

const char *part_word(const struct part *part) {
    return word_of(&part->transfer);
}

/* ---- In words ---- */

/* Writes which load and CTA it is: ", load 1 of 4, CTA 0 of 2"; for all, ", loads n = 0 to 3". */
static void write_which(const struct part *part, char text[64]) {
    const bool is_each = part->form == SERIES_EACH;
    *text = '\0';
    if (part->count > 1 && is_each)
        mapping_append(text, 64, ", %s %u of %u", part_word(part), part->number, part->count);
    else if (part->count > 1)
        mapping_append(text, 64, ", %ss n = 0 to %u", part_word(part), part->count - 1);
    if (part->ctas > 1 && is_each)
        mapping_append(text, 64, ", CTA %u of %u", part->cta, part->ctas);
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
    snprintf(text, PART_TEXT, "%s%s: warp w at lane 32 * w%s, column %s%s", name, which, lane,
             column, split);
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

/* ---- Which loads fit ---- */

enum { ROW_BITS = 16, HALF_LANES = 16, REPEATS_MAX = 128, WARPS = MAPPING_LANES / WARP_LANES };

/* All loads, or stores, of an operand, in the order of their columns. If an instruction accesses
 * only 16 lanes of a warp, the lower lanes come before the upper ones of the same columns. */
struct series {
    struct mapping_transfer transfer;
    struct mapping_layout placed; /* the operand's, see MAPPING_IN_TENSOR_MEMORY */
    struct mapping_layout moved;  /* owned: of one warp, (tid, i) -> (lane, column) */
    uint32_t *held; /* [cta][lane][column][n] is row << 16 | col of element n of the column, the
                       lowest bits first; UINT32_MAX if there is none */
    uint32_t ctas, columns, packed; /* sizes of `held` */
    uint32_t halves, half[2];       /* 16 lanes each: those loaded, in order */
    uint32_t count;                 /* loads per CTA */
    uint32_t elements;              /* per thread and load */
};

/* Counts the operand's elements in `lanes` lanes of each warp, from `first` on, in all columns. */
static size_t count_in(const struct series *series, uint32_t first, uint32_t lanes) {
    size_t each = (size_t)series->columns * series->packed, count = 0;
    for (uint32_t lane = 0; lane < series->ctas * MAPPING_LANES; lane++)
        if (lane % WARP_LANES >= first && lane % WARP_LANES < first + lanes)
            for (size_t n = 0; n < each; n++)
                count += series->held[lane * each + n] != UINT32_MAX;
    return count;
}

/* Finds which halves of the lanes are loaded. False if one is only partly occupied, or none is. */
static bool find_halves(struct series *series, const struct mapping_fragment *move) {
    uint32_t lanes = move->shape.m;
    size_t all = (size_t)series->ctas * WARPS * lanes * series->columns * series->packed;
    series->halves = 0;
    for (uint32_t h = 0; h < WARP_LANES / lanes; h++) {
        size_t count = count_in(series, h * HALF_LANES, lanes);
        if (count == all)
            series->half[series->halves++] = h;
        else if (count > 0)
            return false;
    }
    return series->halves > 0;
}

/* True if this number of repeats divides the columns. *move becomes the instruction with it. */
static bool divides(const struct series *series, const struct mapping_fragment *like,
                    uint32_t repeats, struct mapping_fragment *move) {
    struct mapping_fragment wanted = *like;
    wanted.shape.k = (uint16_t)repeats;
    return mapping_fragment_find(&wanted, 0, move) && series->columns % move->columns == 0;
}

#define LIST_SIZE 128

/* Replaces the last comma of a list, "64, 128, 256", with "or". The text grows by two bytes. */
static void end_list(char *text) {
    char *comma = strrchr(text, ',');
    if (!comma)
        return;
    memmove(comma + 3, comma + 1, strlen(comma));
    memcpy(comma, " or", 3);
}

/* Writes the numbers of repeats that divide the columns; "" if none does. */
static void list_repeats(const struct series *series, const struct mapping_fragment *like,
                         char text[LIST_SIZE]) {
    struct mapping_fragment move;
    *text = '\0';
    for (uint32_t repeats = 1; repeats <= REPEATS_MAX; repeats *= 2)
        if (divides(series, like, repeats, &move))
            mapping_append(text, LIST_SIZE, "%s.x%u", *text ? ", " : "", repeats);
    end_list(text);
}

/* Writes the shapes that fit with some number of repeats; "" if none does. */
static void list_shapes(const struct series *series, const struct mapping_fragment *like,
                        char text[LIST_SIZE]) {
    static const struct {
        struct mapping_shape shape;
        const char *name;
    } shapes[] = {{{32, 32, 0}, ".32x32b"},
                  {{16, 64, 0}, ".16x64b"},
                  {{16, 128, 0}, ".16x128b"},
                  {{16, 256, 0}, ".16x256b"},
                  {{16, 32, 0}, ".16x32bx2"}};
    *text = '\0';
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct series tried = *series;
        struct mapping_fragment wanted = *like, move;
        wanted.shape = shapes[s].shape;
        if (find_halves(&tried, &wanted) && divides(series, &wanted, 1, &move))
            mapping_append(text, LIST_SIZE, "%s%s", *text ? ", " : "", shapes[s].name);
    }
    end_list(text);
}

/* Fails because the instruction does not divide the columns, and lists what does. */
static enum mapping_status fail_columns(const struct series *series, const char *name,
                                        const char *operand, struct mapping_error *error) {
    const struct mapping_fragment *move = &series->transfer.move;
    char fitting[LIST_SIZE];
    list_repeats(series, move, fitting);
    if (*fitting)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s moves %u columns at a time, which does not divide the %u columns of %s; use %s",
            name, move->columns, series->columns, operand, fitting);
    list_shapes(series, move, fitting);
    return mapping_fail(error, MAPPING_INVALID,
                        "%s needs more than the %u columns of %s, even with the fewest repeats; "
                        "shapes that fit: %s",
                        name, series->columns, operand, *fitting ? fitting : "none");
}

/* Chooses the number of repeats if none was given, and sets the number of loads. */
static enum mapping_status choose(struct series *series, const char *operand,
                                  struct mapping_error *error) {
    struct mapping_fragment *move = &series->transfer.move;
    char name[TRANSFER_NAME_SIZE], fitting[LIST_SIZE];
    mapping_transfer_name(&series->transfer, name);
    if (!find_halves(series, move)) {
        list_shapes(series, move, fitting);
        return mapping_fail(error, MAPPING_INVALID,
                            "%s accesses all 32 Tensor Memory lanes of a warp, but %s uses only 16 "
                            "of these lanes; use %s",
                            name, operand, fitting);
    }
    bool is_found = false;
    uint32_t said = move->shape.k;
    for (uint32_t repeats = said ? said : REPEATS_MAX; repeats > 0 && !is_found; repeats /= 2) {
        is_found = divides(series, move, repeats, move);
        if (said)
            break;
    }
    if (!is_found)
        return fail_columns(series, name, operand, error);
    series->count = series->columns / move->columns * series->halves;
    series->elements = move->elements * series->packed;
    return MAPPING_OK;
}

/* ---- Where the elements lie ---- */

/* Finds the element at each place in Tensor Memory. */
static void find_elements(struct series *series, uint32_t bits) {
    const struct mapping_layout *placed = &series->placed;
    int bit = mapping_space_find(&placed->to, MAPPING_AXIS_BIT);
    uint32_t lane = (uint32_t)mapping_space_find(&placed->to, MAPPING_AXIS_LANE);
    series->ctas = lane > 0 ? placed->to.axis[0].size : 1;
    series->columns = placed->to.axis[lane + 1].size;
    series->packed = bit >= 0 ? MAPPING_COLUMN_BITS / bits : 1;
    size_t places = (size_t)series->ctas * MAPPING_LANES * series->columns * series->packed;
    series->held = memory_get(places, sizeof *series->held);
    memset(series->held, 0xff, places * sizeof *series->held);
    uint32_t point[MAPPING_AXES_MAX] = {0};
    size_t entries = mapping_layout_entries(placed);
    for (size_t n = 0; n < entries; n++, mapping_space_step(&placed->from, point)) {
        size_t at = lane > 0 ? placed->coordinate[0][n] : 0;
        at = at * MAPPING_LANES + placed->coordinate[lane][n];
        at = at * series->columns + placed->coordinate[lane + 1][n];
        at = at * series->packed + (bit >= 0 ? placed->coordinate[bit][n] / bits : 0);
        series->held[at] = point[0] << ROW_BITS | point[1];
    }
}

/* Fails if .pack::16b or .unpack::16b is used, but a column does not have one 16-bit element. */
static enum mapping_status check_width(const struct mapping_fragment *operand,
                                       const struct mapping_transfer *transfer, const char *name,
                                       struct mapping_error *error) {
    char with[TRANSFER_NAME_SIZE];
    struct mapping_transfer plain = *transfer;
    bool is_alone = operand->bits == 16 && !operand->has_bit;
    if (!transfer->move.form || is_alone)
        return MAPPING_OK;
    plain.move.form = NULL;
    mapping_transfer_name(&plain, with);
    return mapping_fail(
        error, MAPPING_INVALID,
        ".%s::16b needs one 16-bit element in each column, but elements of %s %s; use %s",
        transfer->move.form, name, operand->has_bit ? "share a column" : "take all 32 bits", with);
}

/* Makes the series for an operand. If the instruction does not fit, MAPPING_INVALID with a sentence
 * about what fits. */
static enum mapping_status make_series(const struct observation *operand,
                                       const struct mapping_transfer *transfer,
                                       struct series *series, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    *series = (struct series){.transfer = *transfer, .placed = operand->layout};
    mapping_fragment_name(&operand->fragment, name);
    enum mapping_status status = check_width(&operand->fragment, transfer, name, error);
    if (status != MAPPING_OK)
        return status;
    find_elements(series, operand->fragment.bits);
    status = choose(series, name, error);
    if (status != MAPPING_OK)
        return status;
    return mapping_fragment_state(&series->transfer.move, &series->moved, error);
}

/* ---- What threads hold ---- */

/* The lane, counted from the warp's first one, and the column at which load `number` begins. */
static uint32_t lane_of(const struct series *series, uint32_t number) {
    return series->half[number % series->halves] * HALF_LANES;
}

static uint32_t column_of(const struct series *series, uint32_t number) {
    return number / series->halves * series->transfer.move.columns;
}

static void add_axis(struct mapping_space *space, const char *name, uint32_t size) {
    space->axis[space->count++] = (struct mapping_axis){name, size};
}

/* Fills in the elements that a thread gets from one load, from entry `n` on; returns the next
 * entry. */
static size_t fill(const struct series *series, uint32_t cta, uint32_t number, uint32_t tid,
                   struct mapping_layout *layout, size_t n) {
    const struct mapping_layout *moved = &series->moved;
    uint32_t registers = moved->from.axis[1].size;
    size_t warp = tid / WARP_LANES, first = (size_t)(tid % WARP_LANES) * registers;
    size_t lane = (size_t)cta * MAPPING_LANES + warp * WARP_LANES + lane_of(series, number);
    uint32_t column = column_of(series, number);
    const uint32_t *lanes = moved->coordinate[0] + first;
    const uint32_t *columns = moved->coordinate[1] + first;
    for (uint32_t r = 0; r < registers; r++) {
        size_t place = (lane + lanes[r]) * series->columns + column + columns[r];
        const uint32_t *held = series->held + place * series->packed;
        for (uint32_t p = 0; p < series->packed; p++, n++) {
            layout->coordinate[0][n] = held[p] >> ROW_BITS;
            layout->coordinate[1][n] = held[p] & ((1U << ROW_BITS) - 1);
        }
    }
    return n;
}

/* Makes the layout of all loads. If they are joined, each thread has its elements of all loads one
 * after the other; otherwise an axis called `axis` numbers the loads. */
static void make_layout(const struct series *series, bool is_joined, const char *axis,
                        struct mapping_layout *layout) {
    struct mapping_error ignored;
    struct mapping_space from = {.count = 0}, to = series->placed.from;
    const uint32_t outer = is_joined ? 1 : series->count, inner = series->count / outer;
    size_t n = 0;
    if (series->ctas > 1)
        add_axis(&from, MAPPING_AXIS_CTA, series->ctas);
    if (outer > 1)
        add_axis(&from, axis, outer);
    add_axis(&from, MAPPING_AXIS_TID, TRANSFER_THREADS);
    add_axis(&from, MAPPING_AXIS_I, series->elements * inner);
    to.count = 2;
    mapping_layout_init(layout, &from, &to, &ignored);
    for (uint32_t cta = 0; cta < series->ctas; cta++)
        for (uint32_t first = 0; first < series->count; first += inner)
            for (uint32_t tid = 0; tid < TRANSFER_THREADS; tid++)
                for (uint32_t number = first; number < first + inner; number++)
                    n = fill(series, cta, number, tid, layout, n);
}

/* ---- What it has ---- */

/* Lists the values that a coordinate takes, in ascending order. */
static uint32_t *list_values(const struct mapping_layout *layout, uint32_t axis, uint32_t *count) {
    const uint32_t size = layout->to.axis[axis].size;
    uint32_t *listed = memory_get(size, sizeof *listed);
    *count = 0;
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        listed[layout->coordinate[axis][n]] = 1;
    for (uint32_t value = 0; value < size; value++)
        if (listed[value])
            listed[(*count)++] = value; /* never ahead of what is read */
    return listed;
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
    mapping_layout_init(layout, &from, &all->to, &ignored);
    size_t entries = mapping_space_size(&from);
    for (uint32_t c = 0; c < all->to.count; c++)
        memcpy(layout->coordinate[c], all->coordinate[c] + number * entries,
               entries * sizeof *layout->coordinate[c]);
}

/* Inverts all loads at once: from row, col and copy to who holds that; where loads are shown one by
 * one, whichever it is of. */
static enum mapping_status invert(const struct mapping_layout *all, enum series_form form,
                                  struct derived *inverse, struct mapping_error *error) {
    struct mapping_layout *layout = &inverse->layout;
    enum mapping_status status = layout_invert(all, MAPPING_AXIS_COPY, layout, error);
    if (status != MAPPING_OK)
        return status;
    const uint32_t outer = form == SERIES_EACH ? layout->to.count - 2 : 0;
    layout->to.count -= outer;
    for (uint32_t c = 0; c < layout->to.count && outer > 0; c++) {
        layout->to.axis[c] = layout->to.axis[outer + c];
        memcpy(layout->coordinate[c], layout->coordinate[outer + c],
               mapping_layout_entries(layout) * sizeof(uint32_t));
    }
    derive_formulae(inverse);
    return MAPPING_OK;
}

/* Gives the report the inverse of the first one, which is that of all loads, with formulae of its
 * own. */
static void share_inverse(const struct report *first, struct report *report) {
    const struct derived *inverse = &first->inverse;
    size_t size = inverse->layout.to.count * sizeof *inverse->formulae;
    report->inverse = *inverse;
    report->inverse.formulae = memcpy(memory_get(1, size), inverse->formulae, size);
}

/* Notes that the layout rests on what is stated of the load, too. */
static void add_section(struct provenance *provenance, const char *section) {
    for (unsigned e = 0; e < provenance->count; e++) {
        struct evidence *evidence = &provenance->evidence[e];
        char with[EVIDENCE_TEXT];
        snprintf(with, sizeof with, "%s and %s", evidence->with, section);
        if (strcmp(evidence->kind, "isa") == 0)
            evidence->with = memory_text(with);
    }
}

/* Makes what threads hold of the fragment. */
static void set_fragment(struct mapping_fragment *fragment, const struct series *series,
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
static void make_part(const struct report *whole, const struct series *series,
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
    part->lane = lane_of(series, part->number);
    part->column = column_of(series, part->number);
    struct mapping_layout *layout = &report->observed.layout;
    cut(all, form, number, layout);
    set_fragment(&report->observed.fragment, series, layout);
    add_section(&report->observed.provenance, series->transfer.move.section);
    part->rows = list_values(layout, 0, &part->row_count);
    part->cols = list_values(layout, 1, &part->col_count);
}

/* Makes all parts of one report, as many as there is room for. */
static enum mapping_status make_parts(const struct report *whole, const struct series *series,
                                      enum series_form form, struct report *parts, size_t count,
                                      struct mapping_error *error) {
    struct mapping_layout all;
    make_layout(series, form == SERIES_JOINED, word_of(&series->transfer), &all);
    mapping_free(series->held);
    enum mapping_status status = invert(&all, form, &parts[0].inverse, error);
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
    struct series series;
    enum mapping_status status = make_series(&whole->observed, transfer, &series, error);
    if (status == MAPPING_OK) {
        const size_t more = form == SERIES_EACH ? (size_t)series.ctas * series.count : 1;
        *parts = memory_resize(*parts, *count + more, sizeof **parts);
        struct report *added = memset(*parts + *count, 0, more * sizeof *added);
        *count += more;
        status = make_parts(whole, &series, form, added, more, error);
    }
    mapping_layout_free(&series.moved);
    mapping_free(whole->observed.layout.coordinate[0]);
    whole->observed.layout = (struct mapping_layout){.from.count = 0};
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
