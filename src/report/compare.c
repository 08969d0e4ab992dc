/* compare.c - compares layouts with formulae and tables of the user; see compare.h. */
#include "report/compare.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/part.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* ---- Tables ---- */

int find_axis_called(const struct mapping_space *space, const char *name) {
    for (uint32_t a = 0; a < space->count; a++)
        if (mapping_axis_is_called(name, space->axis[a].name, strlen(space->axis[a].name)))
            return (int)a;
    return -1;
}

/* Writes, for each axis of one space, the axis of another that has its name; the others belong
 * together in their order. */
static bool match_spaces(const struct mapping_space *space, const struct mapping_space *brought,
                         uint8_t match[MAPPING_AXES_MAX]) {
    bool taken[MAPPING_AXES_MAX] = {false};
    uint32_t next = 0;
    if (space->count != brought->count)
        return false;
    for (uint32_t a = 0; a < space->count; a++) {
        const int axis = find_axis_called(brought, space->axis[a].name);
        match[a] = (uint8_t)(axis >= 0 ? axis : MAPPING_AXES_MAX);
        if (axis >= 0)
            taken[axis] = true;
    }
    for (uint32_t a = 0; a < space->count; a++) {
        while (match[a] == MAPPING_AXES_MAX && taken[next])
            next++;
        if (match[a] == MAPPING_AXES_MAX)
            match[a] = (uint8_t)next++;
    }
    return true;
}

/* Writes, for each output of the user, which one of the layout it is: all by name, or else as
 * match_spaces does. */
static bool match_outputs(const struct mapping_space *space, const struct mapping_space *brought,
                          uint8_t match[MAPPING_AXES_MAX]) {
    uint8_t order[MAPPING_AXES_MAX] = {0};
    uint32_t named = 0;
    for (uint32_t c = 0; c < brought->count; c++)
        for (uint32_t a = space->count; a-- > 0;)
            if (mapping_axis_is_called(space->axis[a].name, brought->axis[c].name,
                                       strlen(brought->axis[c].name))) {
                match[c] = (uint8_t)a;
                named++;
                break;
            }
    if (named == brought->count)
        return true;
    if (!match_spaces(space, brought, order))
        return false;
    for (uint32_t a = 0; a < space->count; a++)
        match[order[a]] = (uint8_t)a;
    return true;
}

bool match_axes(const struct mapping_layout *layout, const struct mapping_layout *brought,
                struct axis_match *match) {
    *match = (struct axis_match){.from = {0}};
    if (!match_spaces(&layout->from, &brought->from, match->from) ||
        !match_outputs(&layout->to, &brought->to, match->to))
        return false;
    for (uint32_t a = 0; a < layout->from.count; a++)
        if (layout->from.axis[a].size != brought->from.axis[match->from[a]].size)
            return false;
    return true;
}

size_t count_differing(const struct mapping_layout *layout, const struct mapping_layout *brought,
                       const struct axis_match *match, int64_t copy, size_t limit, size_t *first) {
    size_t differing = 0;
    uint32_t point[MAPPING_AXES_MAX] = {0}, other[MAPPING_AXES_MAX] = {0};
    for (size_t n = 0; n < mapping_layout_entries(layout) && differing <= limit;
         n++, mapping_space_step(&layout->from, point)) {
        bool differs = false;
        if (copy >= 0 && point[layout->from.count - 1] != copy)
            continue;
        for (uint32_t a = 0; a < layout->from.count; a++)
            other[match->from[a]] = point[a];
        const size_t entry = mapping_space_number(&brought->from, other);
        for (uint32_t c = 0; c < brought->to.count; c++)
            differs |= layout->coordinate[match->to[c]][n] != brought->coordinate[c][entry];
        if (differs && differing++ == 0)
            *first = entry;
    }
    return differing;
}

/* ---- Parsing formulae ---- */

static bool is_defined(const char *const *texts, size_t count, const struct mapping_space *space) {
    for (size_t t = 0; t < count; t++)
        for (uint32_t a = 0; a < space->count; a++)
            if (mapping_text_defines(texts[t], space->axis[a].name))
                return true;
    return false;
}

/* Names that the formulae of the PTX ISA use: 9.0, section 9.7.14.5. */
static const struct {
    const char *name, *code;
} isa_names[] = {
    {"groupID", "groupID = lane >> 2;"},
    {"threadID_in_group", "threadID_in_group = lane % 4;"},
};

/* True if a text mentions a name that none of them defines. */
static bool is_used(const char *const *texts, size_t count, const char *name) {
    bool is_mentioned = false;
    for (size_t t = 0; t < count; t++) {
        is_mentioned |= strstr(texts[t], name) != NULL;
        if (mapping_text_defines(texts[t], name))
            return false;
    }
    return is_mentioned;
}

/* The axis of a product, m, n or k, that runs along the rows or columns of an operand. */
static const char *product_axis(const struct report *report, const char *axis) {
    static const char *const axes[][2] = {[MAPPING_A] = {"m", "k"},
                                          [MAPPING_B] = {"k", "n"},
                                          [MAPPING_C] = {"m", "n"},
                                          [MAPPING_D] = {"m", "n"}};
    const enum mapping_operand operand = report->observed.fragment.operand;
    const bool is_row = strcmp(axis, MAPPING_AXIS_ROW) == 0;
    if (!report->has_fragment || operand > MAPPING_D ||
        (!is_row && strcmp(axis, MAPPING_AXIS_COL) != 0))
        return axis;
    return axes[operand][is_row ? 0 : 1];
}

/* Finds the variable with the name of an axis, or with an alias of it; -1 if there is none. */
static int find_variable(const struct mapping_program *program, const struct report *report,
                         const char *axis) {
    int found = mapping_program_find(program, axis);
    if (found < 0)
        found = mapping_program_find(program, product_axis(report, axis));
    const char *names = mapping_axis_names(axis);
    for (; found < 0 && *names; names += strspn(names, " ")) {
        char name[64];
        const size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        found = mapping_program_find(program, name);
        names += length;
    }
    return found;
}

/* Records which axes the formulae define. */
static void find_axes(struct check *check, const struct report *report,
                      const struct mapping_space *to) {
    for (uint32_t a = 0; a < to->count; a++) {
        int variable = find_variable(check->program, report, to->axis[a].name);
        if (variable < 0 && to->count == 1)
            variable = mapping_program_find(check->program, MAPPING_RESULT);
        if (variable >= 0)
            check->axes[check->count++] =
                (struct axis_check){.axis = to->axis[a].name, .variable = variable};
    }
}

static enum mapping_status no_axis(const struct check *check, const struct mapping_space *to,
                                   struct mapping_error *error) {
    char axes[128] = "";
    for (uint32_t a = 0; a < to->count; a++)
        mapping_append(axes, sizeof axes, "%s%s",
                       a == 0              ? ""
                       : a + 1 < to->count ? ", "
                                           : " or ",
                       to->axis[a].name);
    const bool is_bare = mapping_program_find(check->program, MAPPING_RESULT) >= 0;
    return mapping_fail(error, MAPPING_INVALID, "%s %s; write --verify='%s = EXPRESSION'",
                        is_bare ? "the expression does not name its axis:" : "no formula defines",
                        axes, to->axis[0].name);
}

enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                struct check *check, struct mapping_error *error) {
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    *check = (struct check){.is_inverse =
                                !is_defined(texts, count, to) && is_defined(texts, count, from)};
    if (check->is_inverse && !report_has_inverse(report))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s has no inverse (some positions hold no element, or several), "
                            "so %s cannot be checked; write --verify='%s = EXPRESSION'",
                            report->name, from->axis[0].name, to->axis[0].name);
    const struct mapping_layout *layout = check_layout(check, report);
    enum mapping_status status = MAPPING_OK;
    const uint32_t bits = report->has_fragment ? report->observed.fragment.bits : 0;
    check->per = bits > 0 && bits < 32 ? 32 / bits : 1;
    check->program = mapping_program_make(report_lanes(report));
    if (!check->program)
        return mapping_out_of_memory(error);
    if (report->part) {
        snprintf(check->part, sizeof check->part, "%s = %u; cta = %u", part_word(report->part),
                 report->part->number, report->part->cta);
        status = mapping_program_parse(check->part, &layout->from, &check->program, error);
    }
    for (size_t n = 0; n < sizeof isa_names / sizeof *isa_names && status == MAPPING_OK; n++)
        if (mapping_space_find(&layout->from, MAPPING_AXIS_TID) >= 0 &&
            is_used(texts, count, isa_names[n].name))
            status =
                mapping_program_parse(isa_names[n].code, &layout->from, &check->program, error);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++)
        status = mapping_program_parse(texts[t], &layout->from, &check->program, error);
    if (status != MAPPING_OK)
        return status;
    find_axes(check, report, &layout->to);
    return check->count > 0 ? MAPPING_OK : no_axis(check, &layout->to, error);
}

void check_free(struct check *check) {
    mapping_program_free(check->program);
    check->program = NULL;
}

const struct mapping_layout *check_layout(const struct check *check, const struct report *report) {
    return check->is_inverse ? &report->inverse.layout : &report->forward.layout;
}

/* ---- Evaluating formulae ---- */

/* Evaluates the axes at some points. MAPPING_INVALID, with the first such point, if one is
 * undefined. */
static enum mapping_status evaluate(const struct check *check, const struct mapping_points *points,
                                    int64_t (*says)[MAPPING_POINTS], unsigned *undefined,
                                    struct mapping_error *error) {
    int variables[MAPPING_AXES_MAX];
    for (uint32_t a = 0; a < check->count; a++)
        variables[a] = check->axes[a].variable;
    const enum mapping_status status = mapping_program_evaluate(
        check->program, points, variables, check->count, says, undefined, error);
    if (status == MAPPING_FAILED)
        memory_exhausted();
    return status;
}

bool check_is_wrong(const struct check *check) {
    for (uint32_t a = 0; a < check->count; a++)
        if (check->axes[a].wrong > 0)
            return true;
    return false;
}

/* check_compare, up to the first block with a wrong entry or to the end. */
static enum mapping_status compare(struct check *check, const struct mapping_layout *layout,
                                   bool to_end, struct mapping_error *error) {
    const uint32_t *is[MAPPING_AXES_MAX];
    const size_t entries = mapping_layout_entries(layout);
    for (uint32_t a = 0; a < check->count; a++) {
        is[a] = layout->coordinate[mapping_space_find(&layout->to, check->axes[a].axis)];
        check->axes[a].wrong = 0;
    }
    check->entries = 0;
    for (size_t first = 0; first < entries && (to_end || !check_is_wrong(check));
         first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t says[MAPPING_AXES_MAX][MAPPING_POINTS];
        struct mapping_error cause;
        unsigned undefined;
        mapping_points_from(&layout->from, first, &points);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            if (points.mask >> n & 1 && is_gap(layout, first + n))
                points.mask &= ~(UINT64_C(1) << n);
        if (evaluate(check, &points, says, &undefined, &cause) != MAPPING_OK) {
            uint32_t point[MAPPING_AXES_MAX];
            char where[128];
            mapping_space_point(&layout->from, first + undefined, point);
            mapping_space_describe(&layout->from, point, where, sizeof where);
            return mapping_fail(error, MAPPING_INVALID, "at %s, %-s", where, cause.message);
        }
        check->entries += (size_t)__builtin_popcountll(points.mask);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            for (uint32_t a = 0; a < check->count && points.mask >> n & 1; a++) {
                struct axis_check *axis = &check->axes[a];
                if (says[a][n] == is[a][first + n])
                    continue;
                if (axis->wrong < WRONG_SHOWN)
                    axis->first[axis->wrong] =
                        (struct wrong_entry){first + n, says[a][n], is[a][first + n]};
                axis->wrong++;
            }
    }
    return MAPPING_OK;
}

enum mapping_status check_compare(struct check *check, const struct mapping_layout *layout,
                                  struct mapping_error *error) {
    return compare(check, layout, true, error);
}

bool check_holds(const struct check *check, const struct mapping_layout *layout) {
    struct check copy = *check;
    struct mapping_error ignored;
    return compare(&copy, layout, false, &ignored) == MAPPING_OK && !check_is_wrong(&copy);
}

bool check_fits(const struct check *check, const struct mapping_space *from,
                const struct mapping_space *to) {
    const struct mapping_space *inputs = mapping_program_inputs(check->program);
    if (from->count != inputs->count)
        return false;
    for (uint32_t a = 0; a < from->count; a++)
        if (strcmp(from->axis[a].name, inputs->axis[a].name) != 0)
            return false;
    for (uint32_t a = 0; a < check->count; a++)
        if (mapping_space_find(to, check->axes[a].axis) < 0)
            return false;
    return true;
}

/* Evaluates the formulae at all points of a space: the coordinates of *says are the axes that they
 * define. A value outside of [0, 2^32-1) becomes UINT32_MAX. False if C leaves one undefined. Free
 * the layout in any case. */
static bool tabulate(const struct check *check, const struct mapping_space *from,
                     struct mapping_layout *says) {
    struct mapping_error ignored;
    struct mapping_space to = {.count = check->count};
    for (uint32_t a = 0; a < check->count; a++)
        to.axis[a] = (struct mapping_axis){check->axes[a].axis, UINT32_MAX};
    enum mapping_status status = mapping_layout_init(says, from, &to, &ignored);
    if (status == MAPPING_FAILED)
        memory_exhausted();
    const size_t entries = mapping_space_size(from);
    for (size_t first = 0; first < entries && status == MAPPING_OK; first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t values[MAPPING_AXES_MAX][MAPPING_POINTS];
        unsigned undefined;
        mapping_points_from(from, first, &points);
        status = evaluate(check, &points, values, &undefined, &ignored);
        for (uint32_t a = 0; a < check->count && status == MAPPING_OK; a++)
            for (unsigned n = 0; n < MAPPING_POINTS && first + n < entries; n++)
                if (values[a][n] >= 0 && values[a][n] < UINT32_MAX)
                    says->coordinate[a][first + n] = (uint32_t)values[a][n];
    }
    return status == MAPPING_OK;
}

/* ---- What would make formulae right ---- */

/* Row and column are exchanged: in the outputs, and in the inputs of an inverse. */
static bool if_exchanged(const struct check *check, const struct mapping_layout *layout,
                         char text[RIGHT_IF_SIZE]) {
    struct mapping_space from = layout->from;
    struct axis_match match = {.from = {0, 1, 2, 3, 4, 5, 6, 7}};
    struct mapping_layout says = {.from.count = 0};
    size_t first;
    const int row = mapping_space_find(&from, MAPPING_AXIS_ROW),
              col = mapping_space_find(&from, MAPPING_AXIS_COL);
    if (row >= 0 && col >= 0) {
        from.axis[row].size = layout->from.axis[col].size;
        from.axis[col].size = layout->from.axis[row].size;
        match.from[row] = (uint8_t)col;
        match.from[col] = (uint8_t)row;
    }
    for (uint32_t a = 0; a < check->count; a++) {
        const char *axis = check->axes[a].axis;
        const int other =
            mapping_space_find(&layout->to, strcmp(axis, MAPPING_AXIS_ROW) == 0   ? MAPPING_AXIS_COL
                                            : strcmp(axis, MAPPING_AXIS_COL) == 0 ? MAPPING_AXIS_ROW
                                                                                  : axis);
        if (other < 0)
            return false;
        match.to[a] = (uint8_t)other;
    }
    const bool is_right =
        tabulate(check, &from, &says) && count_differing(layout, &says, &match, -1, 0, &first) == 0;
    mapping_layout_free(&says);
    snprintf(text, RIGHT_IF_SIZE, "row and column are exchanged");
    return is_right;
}

enum { ORDER_MAX = 256 };

/* Whether the formulae give for element `said` what the layout has for element `is`, in all
 * threads. */
static bool stands_for(const struct mapping_layout *layout, const struct mapping_layout *says,
                       const struct axis_match *match, uint32_t said, uint32_t is) {
    const size_t elements = layout->from.axis[1].size;
    for (size_t n = 0; n < mapping_layout_entries(layout); n += elements)
        for (uint32_t c = 0; c < says->to.count; c++)
            if (says->coordinate[c][n + said] != layout->coordinate[match->to[c]][n + is])
                return false;
    return true;
}

/* Finds the order of elements for which the formulae are right: what they give for order[i] is so
 * for i. Elements that need not move stay; others are exchanged in pairs if possible. */
static bool find_order(const struct mapping_layout *layout, const struct mapping_layout *says,
                       const struct axis_match *match, uint32_t order[ORDER_MAX]) {
    const uint32_t elements = layout->from.axis[1].size;
    bool taken[ORDER_MAX] = {false};
    for (uint32_t i = 0; i < elements; i++) {
        taken[i] = stands_for(layout, says, match, i, i);
        order[i] = taken[i] ? i : elements;
    }
    for (uint32_t i = 0; i < elements; i++) {
        for (uint32_t j = 0; j < elements && order[i] == elements; j++)
            if (!taken[j] && stands_for(layout, says, match, j, i)) {
                order[i] = j;
                taken[j] = true;
                if (order[j] == elements && !taken[i] && stands_for(layout, says, match, i, j)) {
                    order[j] = i;
                    taken[i] = true;
                }
            }
        if (order[i] == elements)
            return false;
    }
    return true;
}

/* Finds two bits of i whose exchange is the order. */
static bool find_bits(const uint32_t *order, uint32_t elements, unsigned *a, unsigned *b) {
    for (*b = 1; UINT32_C(1) << *b < elements; ++*b)
        for (*a = 0; *a < *b; ++*a) {
            uint32_t i = 0;
            while (i < elements) {
                const uint32_t differ = (i >> *a ^ i >> *b) & 1;
                if ((i ^ (differ << *a | differ << *b)) != order[i])
                    break;
                i++;
            }
            if (i == elements)
                return true;
        }
    return false;
}

/* The elements of each thread come in another order. */
static bool if_reordered(const struct check *check, const struct mapping_layout *layout,
                         char text[RIGHT_IF_SIZE]) {
    enum { LISTED = 32 };
    const uint32_t elements = layout->from.axis[layout->from.count - 1].size;
    uint32_t order[ORDER_MAX] = {0}, moved = 0, last = 0;
    unsigned a, b;
    struct mapping_layout says = {.from.count = 0};
    struct axis_match match;
    if (check->is_inverse || !is_of_threads(&layout->from) || elements > ORDER_MAX)
        return false;
    const bool found = tabulate(check, &layout->from, &says) && match_axes(layout, &says, &match) &&
                       find_order(layout, &says, &match, order);
    mapping_layout_free(&says);
    if (!found)
        return false;
    for (uint32_t i = 0; i < elements; i++)
        if (order[i] != i) {
            moved++;
            last = i;
        }
    if (moved == 2) {
        snprintf(text, RIGHT_IF_SIZE, "elements %u and %u are exchanged", order[last], last);
    } else if (find_bits(order, elements, &a, &b)) {
        snprintf(text, RIGHT_IF_SIZE, "bits %u and %u of i are exchanged", a, b);
    } else {
        snprintf(text, RIGHT_IF_SIZE, "i is replaced by p[i], p =");
        for (uint32_t i = 0; i < elements && i < LISTED; i++)
            mapping_append(text, RIGHT_IF_SIZE, " %u", order[i]);
        if (elements > LISTED)
            mapping_append(text, RIGHT_IF_SIZE, " ...");
    }
    return true;
}

/* The formulae of an inverse are about one copy of each element. */
static bool if_one_copy(const struct check *check, const struct mapping_layout *layout,
                        char text[RIGHT_IF_SIZE]) {
    const struct mapping_axis *copy = &layout->from.axis[layout->from.count - 1];
    struct mapping_layout says = {.from.count = 0};
    struct axis_match match;
    uint32_t c = copy->size;
    size_t first;
    if (!check->is_inverse || copy->size < 2)
        return false;
    if (tabulate(check, &layout->from, &says) && match_axes(layout, &says, &match))
        for (c = 0; c < copy->size; c++)
            if (count_differing(layout, &says, &match, c, 0, &first) == 0)
                break;
    mapping_layout_free(&says);
    snprintf(text, RIGHT_IF_SIZE, "only %s %u is meant", copy->name, c);
    return c < copy->size;
}

/* i is the number of a register, and its first element is meant: a[0] to a[3] of a kernel. */
static bool if_registers(const struct check *check, const struct mapping_layout *layout,
                         char text[RIGHT_IF_SIZE]) {
    struct mapping_layout says = {.from.count = 0};
    struct axis_match match = {.from = {0}};
    struct mapping_space from = layout->from;
    if (check->is_inverse || !is_of_threads(&from) || check->per < 2 ||
        from.axis[1].size % check->per != 0)
        return false;
    from.axis[1].size /= check->per;
    bool is_right = tabulate(check, &from, &says) && match_outputs(&layout->to, &says.to, match.to);
    for (size_t n = 0; is_right && n < mapping_layout_entries(&says); n++)
        for (uint32_t c = 0; c < says.to.count; c++)
            is_right &= says.coordinate[c][n] == layout->coordinate[match.to[c]][n * check->per];
    mapping_layout_free(&says);
    snprintf(text, RIGHT_IF_SIZE,
             "i is a register and its first element is meant; use i / %u for the register",
             check->per);
    return is_right;
}

bool check_right_if(const struct check *check, const struct mapping_layout *layout, unsigned n,
                    char text[RIGHT_IF_SIZE]) {
    static bool (*const changes[])(const struct check *, const struct mapping_layout *,
                                   char[RIGHT_IF_SIZE]) = {if_exchanged, if_reordered, if_one_copy,
                                                           if_registers};
    for (size_t e = 0; e < sizeof changes / sizeof *changes; e++)
        if (changes[e](check, layout, text) && n-- == 0)
            return true;
    return false;
}
