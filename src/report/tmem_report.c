/* tmem_report.c - the loads and stores that move an operand between Tensor Memory and registers;
 * see tmem_report.h. */
#include "report/tmem_report.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "report/derive.h"
#include "system/system.h"

#include <string.h>

static const char *word_of(const struct mapping_tmem_load *tmem_load) {
    return mapping_instruction_loads(tmem_load->move.instruction) ? MAPPING_AXIS_LOAD
                                                                  : MAPPING_AXIS_STORE;
}

const char *tmem_word(const struct tmem_report *tmem) {
    return word_of(&tmem->tmem_load);
}

/* ---- Descriptions ---- */

/* The offset of the lane, " + 16", and the column, "32 * (n / 2)". */
static const char *lane_text(const struct tmem_report *tmem) {
    if (tmem->form != TMEM_LOADS_EACH && tmem->halves > 1)
        return " + 16 * (n % 2)";
    return tmem->lane > 0 ? memory_format(" + %u", tmem->lane) : "";
}

static const char *column_text(const struct tmem_report *tmem) {
    if (tmem->form == TMEM_LOADS_EACH || tmem->count == tmem->halves)
        return memory_format("%u", tmem->column);
    return memory_format(tmem->halves > 1 ? "%u * (n / 2)" : "%u * n",
                         tmem->tmem_load.move.columns);
}

char *tmem_describe(const struct tmem_report *tmem) {
    const struct mapping_fragment *move = &tmem->tmem_load.move;
    const bool is_each = tmem->form == TMEM_LOADS_EACH;
    char name[TMEM_LOAD_NAME_SIZE];
    struct printer to = {.text = NULL};
    mapping_tmem_load_name(&tmem->tmem_load, name);
    print_text(&to, name);
    if (tmem->count > 1 && is_each)
        print(&to, ", %s %u of %u", tmem_word(tmem), tmem->number, tmem->count);
    else if (tmem->count > 1)
        print(&to, ", %ss n = 0 to %u", tmem_word(tmem), tmem->count - 1);
    if (tmem->ctas > 1 && is_each)
        print(&to, ", CTA %u of %u", tmem->cta, tmem->ctas);
    print(&to, ": warp w at lane 32 * w%s, column %s", lane_text(tmem), column_text(tmem));
    if (mapping_tmem_load_is_split(move))
        print(&to, "; immHalfSplitoff = %u", move->columns / 2);
    return printer_string(&to);
}

char *tmem_address(const struct tmem_report *tmem) {
    const char *lane = lane_text(tmem), *column = column_text(tmem);
    const bool has_column = strcmp(column, "0") != 0;
    return memory_format(*lane ? "taddr + ((32 * w%s) << 16)%s%s" : "taddr + (32 * w%s << 16)%s%s",
                         lane, has_column ? " + " : "", has_column ? column : "");
}

/* Prints "rows 0 to 15, 32 to 47" of the `size` rows or columns; nothing if the load has all. */
static void print_extent(struct printer *to, const char *word, const uint32_t *numbers,
                         uint32_t count, uint32_t size) {
    if (count == size)
        return;
    print(to, "%s%s%s ", to->size > 0 ? "; " : "", word, mapping_plural(count));
    for (uint32_t n = 0, last; n < count; n = last + 1) {
        for (last = n; last + 1 < count && numbers[last + 1] == numbers[last] + 1; last++)
            ;
        print(to, "%s%u", n ? ", " : "", numbers[n]);
        if (last > n)
            print(to, " to %u", numbers[last]);
    }
}

char *tmem_describe_extent(const struct report *report) {
    const struct tmem_report *tmem = report->tmem;
    const struct mapping_axis *axes = report->forward.layout.to.axis;
    struct printer to = {.text = NULL};
    print_extent(&to, "row", tmem->rows, tmem->row_count, axes[0].size);
    print_extent(&to, "column", tmem->cols, tmem->col_count, axes[1].size);
    return printer_string(&to);
}

/* ---- The loads that fit an operand ---- */

enum { ROW_BITS = 16, HALF_LANES = 16, REPEATS_MAX = 128, WARPS = MAPPING_LANES / WARP_LANES };

/* All loads, or stores, of an operand, ordered by column. If an instruction accesses only 16 lanes
 * of a warp, the lower lanes come before the upper ones of the same columns. */
struct tmem_load_plan {
    struct mapping_tmem_load tmem_load;
    struct mapping_layout placed;   /* the layout of the operand in Tensor Memory */
    struct mapping_layout moved;    /* owned; the layout of the instruction for one warp: (tid, i)
                                       -> (lane, column) */
    uint32_t *held;                 /* held[cta][lane][column][n] is row << 16 | col of element n in
                                       the column, counted from the lowest bits; UINT32_MAX if there
                                       is no element */
    uint32_t ctas, columns, packed; /* sizes of `held` */
    uint32_t halves, half[2];       /* the number of halves of a warp's lanes that hold elements,
                                       and these halves */
    uint32_t count;                 /* number of loads per CTA */
    uint32_t elements;              /* number of elements per thread and load */
};

/* Finds the halves of a warp's lanes that hold elements. False if a half is only partly occupied,
 * or if both are empty. */
static bool find_halves(struct tmem_load_plan *plan, const struct mapping_fragment *move) {
    uint32_t lanes = move->shape.m;
    const size_t each = (size_t)plan->columns * plan->packed,
                 all = each * plan->ctas * WARPS * lanes;
    plan->halves = 0;
    for (uint32_t h = 0; h < WARP_LANES / lanes; h++) {
        const uint32_t first = h * HALF_LANES;
        size_t count = 0;
        for (uint32_t lane = 0; lane < plan->ctas * MAPPING_LANES; lane++)
            if (lane % WARP_LANES >= first && lane % WARP_LANES < first + lanes)
                for (size_t n = 0; n < each; n++)
                    count += plan->held[lane * each + n] != UINT32_MAX;
        if (count == all)
            plan->half[plan->halves++] = h;
        else if (count > 0)
            return false;
    }
    return plan->halves > 0;
}

/* True if the instruction with this number of repeats divides the columns. *move becomes that
 * instruction. */
static bool divides(const struct tmem_load_plan *plan, const struct mapping_fragment *like,
                    uint32_t repeats, struct mapping_fragment *move) {
    struct mapping_fragment wanted = *like;
    wanted.shape.k = (uint16_t)repeats;
    return mapping_fragment_find(&wanted, 0, move) && plan->columns % move->columns == 0;
}

/* A list of alternatives: "64, 128 or 256"; "none" if it is empty. */
static const char *alternatives(const struct strings *names) {
    struct printer to = {.text = NULL};
    print_text(&to, names->count == 0 ? "none" : names->text[0]);
    for (size_t n = 1; n < names->count; n++)
        print(&to, "%s%s", n + 1 < names->count ? ", " : " or ", names->text[n]);
    return printer_string(&to);
}

/* The shapes that fit with some number of repeats. */
static const char *fitting_shapes(const struct tmem_load_plan *plan) {
    static const struct {
        struct mapping_shape shape;
        const char *name;
    } shapes[] = {{{32, 32, 0}, ".32x32b"},
                  {{16, 64, 0}, ".16x64b"},
                  {{16, 128, 0}, ".16x128b"},
                  {{16, 256, 0}, ".16x256b"},
                  {{16, 32, 0}, ".16x32bx2"}};
    struct strings fitting = {.count = 0};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct tmem_load_plan tried = *plan;
        struct mapping_fragment wanted = plan->tmem_load.move, move;
        wanted.shape = shapes[s].shape;
        if (find_halves(&tried, &wanted) && divides(plan, &wanted, 1, &move))
            strings_add(&fitting, shapes[s].name);
    }
    return alternatives(&fitting);
}

/* Fails because the instruction does not divide the columns. The message lists instructions that
 * do. */
static enum mapping_status fail_columns(const struct tmem_load_plan *plan, const char *name,
                                        const char *operand, struct mapping_error *error) {
    const struct mapping_fragment *move = &plan->tmem_load.move;
    struct mapping_fragment found;
    struct strings fitting = {.count = 0};
    for (uint32_t repeats = 1; repeats <= REPEATS_MAX; repeats *= 2)
        if (divides(plan, move, repeats, &found))
            strings_add(&fitting, memory_format(".x%u", repeats));
    if (fitting.count > 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s moves %u columns at a time, which does not divide the %u columns of %s; use %s",
            name, move->columns, plan->columns, operand, alternatives(&fitting));
    return mapping_fail(error, MAPPING_INVALID,
                        "%s needs more than the %u columns of %s, even with the fewest repeats; "
                        "shapes that fit: %s",
                        name, plan->columns, operand, fitting_shapes(plan));
}

/* Chooses the largest number of repeats that fits, if none was given, and sets the number of loads.
 * MAPPING_INVALID, with a message, if the instruction does not fit the operand. */
static enum mapping_status choose(struct tmem_load_plan *plan, const char *operand,
                                  struct mapping_error *error) {
    struct mapping_fragment *move = &plan->tmem_load.move;
    char name[TMEM_LOAD_NAME_SIZE];
    mapping_tmem_load_name(&plan->tmem_load, name);
    if (!find_halves(plan, move))
        return mapping_fail(error, MAPPING_INVALID,
                            "%s accesses all 32 Tensor Memory lanes of a warp, but %s uses only 16 "
                            "of these lanes; use %s",
                            name, operand, fitting_shapes(plan));
    bool is_found = false;
    uint32_t said = move->shape.k;
    for (uint32_t repeats = said ? said : REPEATS_MAX; repeats > 0 && !is_found; repeats /= 2) {
        is_found = divides(plan, move, repeats, move);
        if (said)
            break;
    }
    if (!is_found)
        return fail_columns(plan, name, operand, error);
    plan->count = plan->columns / move->columns * plan->halves;
    plan->elements = move->elements * plan->packed;
    return MAPPING_OK;
}

/* ---- The positions of elements ---- */

static void find_elements(struct tmem_load_plan *plan, uint32_t bits) {
    const struct mapping_layout *placed = &plan->placed;
    int bit = mapping_space_find(&placed->to, MAPPING_AXIS_BIT);
    uint32_t lane = (uint32_t)mapping_space_find(&placed->to, MAPPING_AXIS_LANE);
    plan->ctas = lane > 0 ? placed->to.axis[0].size : 1;
    plan->columns = placed->to.axis[lane + 1].size;
    plan->packed = bit >= 0 ? MAPPING_COLUMN_BITS / bits : 1;
    size_t places = (size_t)plan->ctas * MAPPING_LANES * plan->columns * plan->packed;
    plan->held = memory_get(places, sizeof *plan->held);
    memset(plan->held, 0xff, places * sizeof *plan->held);
    uint32_t point[MAPPING_AXES_MAX] = {0};
    size_t entries = mapping_layout_entries(placed);
    for (size_t n = 0; n < entries; n++, mapping_space_step(&placed->from, point)) {
        size_t at = lane > 0 ? placed->coordinate[0][n] : 0;
        at = at * MAPPING_LANES + placed->coordinate[lane][n];
        at = at * plan->columns + placed->coordinate[lane + 1][n];
        at = at * plan->packed + (bit >= 0 ? placed->coordinate[bit][n] / bits : 0);
        plan->held[at] = point[0] << ROW_BITS | point[1];
    }
}

/* Checks that each column has one 16-bit element, if .pack::16b or .unpack::16b is used. Otherwise
 * MAPPING_INVALID, with a message. */
static enum mapping_status check_width(const struct mapping_fragment *operand,
                                       const struct mapping_tmem_load *tmem_load, const char *name,
                                       struct mapping_error *error) {
    char with[TMEM_LOAD_NAME_SIZE];
    struct mapping_tmem_load plain = *tmem_load;
    bool is_alone = operand->bits == 16 && !operand->has_bit;
    if (!tmem_load->move.form || is_alone)
        return MAPPING_OK;
    plain.move.form = NULL;
    mapping_tmem_load_name(&plain, with);
    return mapping_fail(
        error, MAPPING_INVALID,
        ".%s::16b needs one 16-bit element in each column, but elements of %s %s; use %s",
        tmem_load->move.form, name, operand->has_bit ? "share a column" : "take all 32 bits", with);
}

/* Plans the loads of an operand. MAPPING_INVALID, with a message that names instructions that fit,
 * if this one does not. */
static enum mapping_status make_series(const struct observation *operand,
                                       const struct mapping_tmem_load *tmem_load,
                                       struct tmem_load_plan *plan, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    *plan = (struct tmem_load_plan){.tmem_load = *tmem_load, .placed = operand->layout};
    mapping_fragment_name(&operand->fragment, name);
    enum mapping_status status = check_width(&operand->fragment, tmem_load, name, error);
    if (status != MAPPING_OK)
        return status;
    find_elements(plan, operand->fragment.bits);
    status = choose(plan, name, error);
    if (status != MAPPING_OK)
        return status;
    return mapping_fragment_state(&plan->tmem_load.move, &plan->moved, error);
}

/* ---- The elements of threads ---- */

/* lane_of returns the first lane, within a warp, of load `number`; column_of, its first column. */
static uint32_t lane_of(const struct tmem_load_plan *plan, uint32_t number) {
    return plan->half[number % plan->halves] * HALF_LANES;
}

static uint32_t column_of(const struct tmem_load_plan *plan, uint32_t number) {
    return number / plan->halves * plan->tmem_load.move.columns;
}

static void add_axis(struct mapping_space *space, const char *name, uint32_t size) {
    space->axis[space->count++] = (struct mapping_axis){name, size};
}

/* Sets the elements that a thread gets from one load, from entry `n` of the layout on. Returns the
 * next entry. */
static size_t fill(const struct tmem_load_plan *plan, uint32_t cta, uint32_t number, uint32_t tid,
                   struct mapping_layout *layout, size_t n) {
    const struct mapping_layout *moved = &plan->moved;
    uint32_t registers = moved->from.axis[1].size;
    size_t warp = tid / WARP_LANES, first = (size_t)(tid % WARP_LANES) * registers;
    size_t lane = (size_t)cta * MAPPING_LANES + warp * WARP_LANES + lane_of(plan, number);
    uint32_t column = column_of(plan, number);
    const uint32_t *lanes = moved->coordinate[0] + first;
    const uint32_t *columns = moved->coordinate[1] + first;
    for (uint32_t r = 0; r < registers; r++) {
        size_t place = (lane + lanes[r]) * plan->columns + column + columns[r];
        const uint32_t *held = plan->held + place * plan->packed;
        for (uint32_t p = 0; p < plan->packed; p++, n++) {
            layout->coordinate[0][n] = held[p] >> ROW_BITS;
            layout->coordinate[1][n] = held[p] & ((1U << ROW_BITS) - 1);
        }
    }
    return n;
}

/* Makes the layout of all loads. If `is_joined`, each thread has its elements of all loads, one
 * load after another; otherwise the axis `axis` numbers the loads. */
static void make_layout(const struct tmem_load_plan *plan, bool is_joined, const char *axis,
                        struct mapping_layout *layout) {
    struct mapping_error ignored;
    struct mapping_space from = {.count = 0}, to = plan->placed.from;
    const uint32_t outer = is_joined ? 1 : plan->count, inner = plan->count / outer;
    size_t n = 0;
    if (plan->ctas > 1)
        add_axis(&from, MAPPING_AXIS_CTA, plan->ctas);
    if (outer > 1)
        add_axis(&from, axis, outer);
    add_axis(&from, MAPPING_AXIS_TID, TMEM_LOAD_THREADS);
    add_axis(&from, MAPPING_AXIS_I, plan->elements * inner);
    to.count = 2;
    mapping_layout_init(layout, &from, &to, &ignored);
    for (uint32_t cta = 0; cta < plan->ctas; cta++)
        for (uint32_t first = 0; first < plan->count; first += inner)
            for (uint32_t tid = 0; tid < TMEM_LOAD_THREADS; tid++)
                for (uint32_t number = first; number < first + inner; number++)
                    n = fill(plan, cta, number, tid, layout, n);
}

/* ---- The rows and columns of a load ---- */

/* Returns the values that a coordinate takes, in ascending order. */
static uint32_t *list_values(const struct mapping_layout *layout, uint32_t axis, uint32_t *count) {
    const uint32_t size = layout->to.axis[axis].size;
    uint32_t *listed = memory_get(size, sizeof *listed);
    *count = 0;
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        listed[layout->coordinate[axis][n]] = 1;
    for (uint32_t value = 0; value < size; value++)
        if (listed[value])
            listed[(*count)++] = value; /* the writes never pass the reads */
    return listed;
}

/* ---- Reports of loads ---- */

/* Makes the layout of load `number` from that of all loads; of all loads, if `form` is not
 * TMEM_LOADS_EACH. */
static void cut(const struct mapping_layout *all, enum tmem_load_form form, size_t number,
                struct mapping_layout *layout) {
    struct mapping_space from = all->from;
    struct mapping_error ignored;
    if (form == TMEM_LOADS_EACH) {
        memmove(from.axis, from.axis + from.count - 2, 2 * sizeof *from.axis);
        from.count = 2;
    }
    mapping_layout_init(layout, &from, &all->to, &ignored);
    size_t entries = mapping_space_size(&from);
    for (uint32_t c = 0; c < all->to.count; c++)
        memcpy(layout->coordinate[c], all->coordinate[c] + number * entries,
               entries * sizeof *layout->coordinate[c]);
}

/* Inverts the layout of all loads: maps row, col and copy to the thread and element. If loads are
 * shown one by one, drops the number of the load and of the CTA. */
static enum mapping_status invert(const struct mapping_layout *all, enum tmem_load_form form,
                                  struct derived *inverse, struct mapping_error *error) {
    struct mapping_layout *layout = &inverse->layout;
    enum mapping_status status = layout_invert(all, MAPPING_AXIS_COPY, layout, error);
    if (status != MAPPING_OK)
        return status;
    const uint32_t outer = form == TMEM_LOADS_EACH ? layout->to.count - 2 : 0;
    layout->to.count -= outer;
    for (uint32_t c = 0; c < layout->to.count && outer > 0; c++) {
        layout->to.axis[c] = layout->to.axis[outer + c];
        memcpy(layout->coordinate[c], layout->coordinate[outer + c],
               mapping_layout_entries(layout) * sizeof(uint32_t));
    }
    derive_formulae(inverse);
    return MAPPING_OK;
}

/* Changes the fragment to the elements that threads hold in registers. */
static void set_fragment(struct mapping_fragment *fragment, const struct tmem_load_plan *plan,
                         const struct mapping_layout *layout) {
    const struct mapping_fragment *move = &plan->tmem_load.move;
    const struct mapping_space *from = &layout->from;
    fragment->place = MAPPING_IN_REGISTERS;
    fragment->threads = TMEM_LOAD_THREADS;
    fragment->elements = from->axis[from->count - 1].size;
    if (!move->form && plan->packed == 1) /* each column, and so each register, has one element */
        fragment->bits = MAPPING_COLUMN_BITS;
    fragment->registers = fragment->elements * fragment->bits / MAPPING_COLUMN_BITS;
}

/* Makes the report of one load, or of all. It has no opcodes, because M and N of tcgen05.mma are in
 * its instruction descriptor. */
static void make_part(const struct report *whole, const struct tmem_load_plan *plan,
                      const struct mapping_layout *all, enum tmem_load_form form, size_t number,
                      struct report *report) {
    struct tmem_report *tmem = report->tmem = memory_get(1, sizeof *tmem);
    report->observed = whole->observed;
    report->observed.layout = (struct mapping_layout){.from.count = 0};
    *tmem = (struct tmem_report){.tmem_load = plan->tmem_load,
                                 .form = form,
                                 .number = (uint32_t)(number % plan->count),
                                 .count = plan->count,
                                 .cta = (uint32_t)(number / plan->count),
                                 .ctas = plan->ctas,
                                 .halves = plan->halves};
    tmem->lane = lane_of(plan, tmem->number);
    tmem->column = column_of(plan, tmem->number);
    struct mapping_layout *layout = &report->observed.layout;
    cut(all, form, number, layout);
    set_fragment(&report->observed.fragment, plan, layout);
    for (unsigned e = 0; e < report->observed.provenance.count; e++) {
        struct evidence *evidence = &report->observed.provenance.evidence[e];
        if (strcmp(evidence->kind, "isa") == 0)
            evidence->with =
                memory_format("%s and %s", evidence->with, plan->tmem_load.move.section);
    }
    tmem->rows = list_values(layout, 0, &tmem->row_count);
    tmem->cols = list_values(layout, 1, &tmem->col_count);
}

/* Makes the `count` reports of the loads of one operand. Frees plan->held. */
static enum mapping_status make_parts(const struct report *whole, const struct tmem_load_plan *plan,
                                      enum tmem_load_form form, struct report *parts, size_t count,
                                      struct mapping_error *error) {
    struct mapping_layout all;
    make_layout(plan, form == TMEM_LOADS_JOINED, word_of(&plan->tmem_load), &all);
    mapping_free(plan->held);
    enum mapping_status status = invert(&all, form, &parts[0].inverse, error);
    for (size_t p = 0; p < count && status == MAPPING_OK; p++) {
        make_part(whole, plan, &all, form, p, &parts[p]);
        if (p > 0) { /* shares the layout; --style replaces the formulae */
            const struct derived *inverse = &parts[0].inverse;
            size_t size = inverse->layout.to.count * sizeof *inverse->formulae;
            parts[p].inverse = *inverse;
            parts[p].inverse.formulae = memcpy(memory_get(1, size), inverse->formulae, size);
        }
    }
    mapping_layout_free(&all);
    return status;
}

/* ---- All operands ---- */

/* Appends the reports of the loads of one operand to an array. Frees the observed layout of the
 * operand. */
static enum mapping_status add_parts(struct report *whole,
                                     const struct mapping_tmem_load *tmem_load,
                                     enum tmem_load_form form, struct report **parts, size_t *count,
                                     struct mapping_error *error) {
    struct tmem_load_plan plan;
    enum mapping_status status = make_series(&whole->observed, tmem_load, &plan, error);
    if (status == MAPPING_OK) {
        const size_t more = form == TMEM_LOADS_EACH ? (size_t)plan.ctas * plan.count : 1;
        *parts = memory_resize(*parts, *count + more, sizeof **parts);
        struct report *added = memset(*parts + *count, 0, more * sizeof *added);
        *count += more;
        status = make_parts(whole, &plan, form, added, more, error);
    }
    mapping_layout_free(&plan.moved);
    mapping_free(whole->observed.layout.coordinate[0]);
    whole->observed.layout = (struct mapping_layout){.from.count = 0};
    return status;
}

enum mapping_status split_reports(struct report **reports, size_t *count,
                                  const struct mapping_tmem_load *tmem_load,
                                  enum tmem_load_form form, struct mapping_error *error) {
    struct report *parts = NULL;
    size_t made = 0;
    bool has_d = false;
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < *count; r++)
        has_d |= mapping_tmem_load_takes(&(*reports)[r].observed.fragment) &&
                 (*reports)[r].observed.fragment.operand == MAPPING_D;
    for (size_t r = 0; r < *count && status == MAPPING_OK; r++) {
        const struct mapping_fragment *fragment = &(*reports)[r].observed.fragment;
        if (has_d && fragment->operand != MAPPING_D)
            continue;
        if (mapping_tmem_load_takes(fragment)) {
            status = add_parts(&(*reports)[r], tmem_load, form, &parts, &made, error);
            continue;
        }
        char name[MAPPING_NAME_SIZE], with[TMEM_LOAD_NAME_SIZE];
        mapping_fragment_name(fragment, name);
        mapping_tmem_load_name(tmem_load, with);
        status = mapping_fail(
            error, MAPPING_INVALID,
            "--with=%s supports only operand A or D of tcgen05.mma in Tensor Memory, not %s", with,
            name);
    }
    *reports = parts;
    *count = made;
    return status;
}
