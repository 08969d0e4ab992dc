/* caller_layouts.c - the layout functions of mapping.h: make layouts from tables, bases, CuTe's
 * notation and formulae, combine them, and write them as formulae. */
#include "cli/context.h"

#include "command/show.h"
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/expr.h"
#include "layout/space.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* The maximum number of points of a caller's layout. */
enum { POINTS_MAX = 1 << 24 };

/* ---- Making ---- */

/* The input for a layout: one of the texts or tables. */
struct making {
    const struct mapping_axis *from, *to;
    size_t from_count, to_count;
    const uint32_t *const *values;
    const char *bases, *notation, *statements;
    const mapping_layout **result;
};

enum { NAME_MAX_LENGTH = 63 };

/* True if an axis may have this name, so that formulae and code can use it. */
static bool is_name(const char *name) {
    const size_t length = ascii_identifier_length(name);
    return length > 0 && length <= NAME_MAX_LENGTH && !name[length] && !ascii_is_digit(*name) &&
           !mapping_is_keyword(name);
}

static enum mapping_status read_space(const struct mapping_axis *axes, size_t count,
                                      const char *which, struct mapping_space *space,
                                      struct mapping_error *error) {
    *space = (struct mapping_space){.count = 0};
    if (count > 0 && !axes)
        return mapping_fail(error, MAPPING_INVALID, "'%s' is NULL, but has %zu axes", which, count);
    if (count > MAPPING_AXES_MAX)
        return mapping_fail(error, MAPPING_INVALID, "'%s' has %zu axes; there can be %d", which,
                            count, MAPPING_AXES_MAX);
    for (size_t a = 0; a < count; a++) {
        const char *name = axes[a].name;
        if (!name || !is_name(name))
            return mapping_fail(error, MAPPING_INVALID,
                                "axis %zu of '%s' has the name '%.70s'; a name is a word of C with "
                                "at most %d letters",
                                a, which, name ? name : "", NAME_MAX_LENGTH);
        if (mapping_space_find(space, name) >= 0)
            return mapping_fail(error, MAPPING_INVALID, "'%s' has two axes '%.40s'", which, name);
        if (axes[a].size == 0 || axes[a].size == UINT32_MAX)
            return mapping_fail(error, MAPPING_INVALID, "axis '%.40s' cannot have %u values", name,
                                axes[a].size);
        space->axis[space->count++] = (struct mapping_axis){memory_text(name), axes[a].size};
    }
    return MAPPING_OK;
}

/* Checks that each value is inside its axis. */
static enum mapping_status check_values(const struct mapping_layout *layout,
                                        struct mapping_error *error) {
    for (uint32_t c = 0; c < layout->to.count; c++)
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            if (layout->coordinate[c][n] >= layout->to.axis[c].size) {
                char point[128];
                mapping_space_describe(&layout->from, n, point, sizeof point);
                return mapping_fail(
                    error, MAPPING_INVALID, "%s has %s %u, but it must be less than %u", point,
                    layout->to.axis[c].name, layout->coordinate[c][n], layout->to.axis[c].size);
            }
    return MAPPING_OK;
}

/* The index of a point if the first axis changes fastest, as in CuTe. */
static size_t number_first_fastest(const struct mapping_space *space, const uint32_t *point) {
    size_t number = 0;
    for (uint32_t a = space->count; a-- > 0;)
        number = number * space->axis[a].size + point[a];
    return number;
}

static enum mapping_status fill_from_cute(const char *notation, struct mapping_layout *layout,
                                          struct mapping_error *error) {
    struct mapping_modes modes;
    struct mapping_modes_fault fault = {.reason = "it is empty"};
    unsigned count;
    uint32_t point[MAPPING_AXES_MAX] = {0};
    const size_t entries = mapping_layout_entries(layout), places = mapping_space_size(&layout->to);
    const char *rest = mapping_modes_read(notation, &modes, 0, &count, &fault);
    if (!rest && strstr(notation, "Sw<"))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' has a swizzle, which mapping_layout_from_cute cannot read",
                            notation);
    if (!rest || *rest)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' is not a layout of CuTe%s%s", notation,
                            rest ? "" : ": ", rest ? "" : fault.reason);
    if (mapping_modes_size(&modes) != entries)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' has %u values, but the space has %zu points", notation,
                            mapping_modes_size(&modes), entries);
    for (size_t n = 0; n < entries; n++, mapping_space_step(&layout->from, point)) {
        size_t value =
            mapping_modes_at(&modes, (uint32_t)number_first_fastest(&layout->from, point));
        if (value >= places)
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.80s' has the value %zu, but there are %zu places", notation,
                                value, places);
        for (uint32_t c = 0; c < layout->to.count; value /= layout->to.axis[c++].size)
            layout->coordinate[c][n] = (uint32_t)(value % layout->to.axis[c].size);
    }
    return MAPPING_OK;
}

/* Evaluates the values of MAPPING_POINTS points, from `first` on. */
static enum mapping_status evaluate(const struct mapping_program *program, const int *names,
                                    size_t first, struct mapping_layout *layout,
                                    struct mapping_error *error) {
    int64_t values[MAPPING_AXES_MAX][MAPPING_POINTS];
    struct mapping_points points;
    struct mapping_error cause;
    char point[128];
    unsigned undefined;
    const size_t left = mapping_layout_entries(layout) - first;
    mapping_points_from(&layout->from, first, &points);
    const enum mapping_status status = mapping_program_evaluate(
        program, &points, names, layout->to.count, values, &undefined, &cause);
    if (status != MAPPING_OK) {
        mapping_space_describe(&layout->from, first + undefined, point, sizeof point);
        return mapping_fail(error, status, "%s: %-s", point, cause.message);
    }
    for (size_t p = 0; p < left && p < MAPPING_POINTS; p++)
        for (uint32_t c = 0; c < layout->to.count; c++) {
            const int64_t value = values[c][p];
            if (value < 0 || value >= layout->to.axis[c].size) {
                char number[32];
                snprintf(number, sizeof number, "%lld", (long long)value);
                mapping_space_describe(&layout->from, first + p, point, sizeof point);
                return mapping_fail(error, MAPPING_INVALID,
                                    "%s has %s %s, but it must be from 0 to %u", point,
                                    layout->to.axis[c].name, number, layout->to.axis[c].size - 1);
            }
            layout->coordinate[c][first + p] = (uint32_t)value;
        }
    return MAPPING_OK;
}

static enum mapping_status fill_from_formulas(const char *statements, struct mapping_layout *layout,
                                              struct mapping_error *error) {
    int names[MAPPING_AXES_MAX];
    struct mapping_program *program = mapping_program_make(&layout->from, 0);
    enum mapping_status status = mapping_program_parse(program, statements, error);
    for (uint32_t c = 0; c < layout->to.count && status == MAPPING_OK; c++) {
        names[c] = mapping_program_find(program, layout->to.axis[c].name);
        if (names[c] < 0)
            status = mapping_fail(error, MAPPING_INVALID, "there is no formula for %s",
                                  layout->to.axis[c].name);
    }
    for (size_t n = 0; n < mapping_layout_entries(layout) && status == MAPPING_OK;
         n += MAPPING_POINTS)
        status = evaluate(program, names, n, layout, error);
    mapping_free(program);
    return status;
}

static enum mapping_status make(void *arguments, struct mapping_error *error) {
    const struct making *making = arguments;
    struct mapping_space from = {.count = 0}, to = {.count = 0};
    struct mapping_layout *layout = memory_get(1, sizeof *layout);
    enum mapping_status status = read_space(making->from, making->from_count, "from", &from, error);
    if (status == MAPPING_OK)
        status = read_space(making->to, making->to_count, "to", &to, error);
    if (status == MAPPING_OK && (to.count == 0 || mapping_space_size(&from) > POINTS_MAX))
        status = to.count == 0
                     ? mapping_fail(error, MAPPING_INVALID, "'to' has no axes")
                     : mapping_fail(error, MAPPING_INVALID, "'from' has more than 2^24 points");
    if (status != MAPPING_OK)
        return status;
    if (making->bases) {
        status = mapping_layout_state(layout, &from, &to, making->bases, error);
    } else {
        status = mapping_layout_init(layout, &from, &to, error);
        if (status != MAPPING_OK)
            return status;
        if (making->notation)
            status = fill_from_cute(making->notation, layout, error);
        else if (making->statements)
            status = fill_from_formulas(making->statements, layout, error);
        else
            for (uint32_t c = 0; c < to.count; c++)
                memcpy(layout->coordinate[c], making->values[c],
                       mapping_layout_entries(layout) * sizeof **layout->coordinate);
    }
    if (status == MAPPING_OK)
        status = check_values(layout, error);
    if (status == MAPPING_OK)
        *making->result = layout;
    return status;
}

/* Makes a layout. Refuses NULL for a required argument. */
static enum mapping_status make_from(mapping *context, struct making *making, const void *needed) {
    if (making->result)
        *making->result = NULL;
    if (!context || !needed || !making->result)
        return context_refuse_null(context);
    return context_work(context, make, making);
}

enum mapping_status mapping_layout_from_table(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const uint32_t *const values[],
                                              const mapping_layout **layout) {
    struct making making = {from, to, from_count, to_count, .values = values, .result = layout};
    for (size_t c = 0; values && to_count <= MAPPING_AXES_MAX && c < to_count; c++)
        if (!values[c])
            values = NULL;
    return make_from(context, &making, values);
}

enum mapping_status mapping_layout_from_bases(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const char *bases,
                                              const mapping_layout **layout) {
    struct making making = {from, to, from_count, to_count, .bases = bases, .result = layout};
    return make_from(context, &making, bases);
}

enum mapping_status mapping_layout_from_cute(mapping *context, const struct mapping_axis *from,
                                             size_t from_count, const struct mapping_axis *to,
                                             size_t to_count, const char *notation,
                                             const mapping_layout **layout) {
    struct making making = {from, to, from_count, to_count, .notation = notation, .result = layout};
    return make_from(context, &making, notation);
}

enum mapping_status mapping_layout_from_formulas(mapping *context, const struct mapping_axis *from,
                                                 size_t from_count, const struct mapping_axis *to,
                                                 size_t to_count, const char *statements,
                                                 const mapping_layout **layout) {
    struct making making = {
        from, to, from_count, to_count, .statements = statements, .result = layout};
    return make_from(context, &making, statements);
}

/* ---- Reading ---- */

const char *mapping_layout_axis(const mapping_layout *layout, enum mapping_side side, size_t n,
                                uint32_t *size) {
    if (!layout || (side != MAPPING_FROM && side != MAPPING_TO))
        return NULL;
    const struct mapping_space *space = side == MAPPING_FROM ? &layout->from : &layout->to;
    if (n >= space->count)
        return NULL;
    if (size)
        *size = space->axis[n].size;
    return space->axis[n].name;
}

size_t mapping_layout_size(const mapping_layout *layout) {
    return layout ? mapping_layout_entries(layout) : 0;
}

const uint32_t *mapping_layout_values(const mapping_layout *layout, const char *axis) {
    const int c = layout && axis ? mapping_space_find(&layout->to, axis) : -1;
    return c < 0 ? NULL : layout->coordinate[c];
}

bool mapping_layout_equal(const mapping_layout *a, const mapping_layout *b) {
    return a && b && layout_equal(a, b);
}

/* ---- Combining ---- */

struct combining {
    enum { INVERT, COMPOSE, PRODUCT, RESTRICT } how;
    const mapping_layout *first, *second;
    const char *axis;
    uint32_t from, count;
    const mapping_layout **result;
};

static enum mapping_status combine(void *arguments, struct mapping_error *error) {
    const struct combining *work = arguments;
    struct mapping_layout *layout = memory_get(1, sizeof *layout), second;
    enum mapping_status status = MAPPING_INVALID;
    switch (work->how) {
    case INVERT:
        if (mapping_space_find(&work->first->to, work->axis) >= 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "the layout has an axis '%.40s'; copies need another name",
                                work->axis);
        if (!is_name(work->axis))
            return mapping_fail(error, MAPPING_INVALID,
                                "copies cannot have the name '%.70s'; a name is a word of C with "
                                "at most %d letters",
                                work->axis, NAME_MAX_LENGTH);
        status = layout_invert(work->first, memory_text(work->axis), layout, error);
        break;
    case COMPOSE:
        second = *work->second;
        while (second.from.count > work->first->to.count &&
               second.from.axis[second.from.count - 1].size == 1)
            second.from.count--; /* with a single copy, the inverse needs no coordinate for it */
        status = layout_compose(work->first, &second, layout, error);
        break;
    case PRODUCT:
        if (mapping_layout_entries(work->first) > POINTS_MAX / mapping_layout_entries(work->second))
            return mapping_fail(error, MAPPING_INVALID, "the product has more than 2^24 points");
        status = layout_product(work->first, work->second, layout, error);
        break;
    case RESTRICT:
        status = layout_restrict(work->first, work->axis, work->from, work->count, layout, error);
        break;
    }
    if (status == MAPPING_OK)
        *work->result = layout;
    return status;
}

static enum mapping_status combine_with(mapping *context, struct combining *work) {
    const bool needs_second = work->how == COMPOSE || work->how == PRODUCT;
    if (!context || !work->result || !work->first || (needs_second ? !work->second : !work->axis))
        return context_refuse_null(context);
    *work->result = NULL;
    return context_work(context, combine, work);
}

enum mapping_status mapping_layout_invert(mapping *context, const mapping_layout *layout,
                                          const char *copy, const mapping_layout **inverse) {
    return combine_with(
        context, &(struct combining){INVERT, .first = layout, .axis = copy, .result = inverse});
}

enum mapping_status mapping_layout_compose(mapping *context, const mapping_layout *first,
                                           const mapping_layout *second,
                                           const mapping_layout **composed) {
    return combine_with(context, &(struct combining){COMPOSE, first, second, .result = composed});
}

enum mapping_status mapping_layout_product(mapping *context, const mapping_layout *inner,
                                           const mapping_layout *outer,
                                           const mapping_layout **product) {
    return combine_with(context, &(struct combining){PRODUCT, inner, outer, .result = product});
}

enum mapping_status mapping_layout_restrict(mapping *context, const mapping_layout *layout,
                                            const char *axis, uint32_t first, uint32_t count,
                                            const mapping_layout **part) {
    return combine_with(
        context, &(struct combining){RESTRICT, layout, NULL, axis, first, count, .result = part});
}

/* ---- Formulae ---- */

struct writing {
    const mapping_layout *layout;
    const char *axis;
    enum mapping_style style;
    const char **text;
};

static enum mapping_status write_formula(void *arguments, struct mapping_error *error) {
    static const enum formula_style styles[] = {[MAPPING_BITS] = FORMULA_BITS,
                                                [MAPPING_SHORT] = FORMULA_SHORT,
                                                [MAPPING_DIVIDE] = FORMULA_DIVIDE};
    const struct writing *work = arguments;
    const int axis = mapping_space_find(&work->layout->to, work->axis);
    if (axis < 0)
        return mapping_fail(error, MAPPING_INVALID, "the layout has no output axis '%.40s'",
                            work->axis);
    if (work->style > MAPPING_DIVIDE)
        return mapping_fail(error, MAPPING_INVALID, "there is no style %d", (int)work->style);
    struct report report = {.kind = "file"};
    report.forward.layout = *work->layout;
    report.forward.layout.to = (struct mapping_space){1, {work->layout->to.axis[axis]}};
    report.forward.layout.coordinate[0] = work->layout->coordinate[axis];
    if (derive_formulae(&report.forward) != MAPPING_OK)
        return mapping_fail(error, MAPPING_NO_FORMULA,
                            "no formula of masks and shifts gives the values of %s", work->axis);
    restyle(&report, 1, styles[work->style]);
    *work->text = derived_formula(&report.forward, 0);
    return MAPPING_OK;
}

enum mapping_status mapping_layout_formula(mapping *context, const mapping_layout *layout,
                                           const char *axis, enum mapping_style style,
                                           const char **text) {
    struct writing work = {layout, axis, style, text};
    if (!context || !layout || !axis || !text)
        return context_refuse_null(context);
    *text = NULL;
    return context_work(context, write_formula, &work);
}
