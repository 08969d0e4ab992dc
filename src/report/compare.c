/* compare.c - compares layouts with formulae and tables of the user; see compare.h. */
#include "report/compare.h"

#include "layout/cute.h"
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
    for (uint32_t a = 0; a < space->count; a++)
        if (match[a] == MAPPING_AXES_MAX) {
            while (taken[next])
                next++;
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
                       const struct axis_match *match, size_t limit, size_t *first) {
    size_t differing = 0;
    uint32_t point[MAPPING_AXES_MAX] = {0}, other[MAPPING_AXES_MAX] = {0};
    for (size_t n = 0; n < mapping_layout_entries(layout) && differing <= limit; n++) {
        bool differs = false;
        for (uint32_t a = 0; a < layout->from.count; a++)
            other[match->from[a]] = point[a];
        const size_t entry = mapping_space_number(&brought->from, other);
        for (uint32_t c = 0; c < brought->to.count; c++)
            differs |= layout->coordinate[match->to[c]][n] != brought->coordinate[c][entry];
        if (differs && differing++ == 0)
            *first = entry;
        mapping_space_step(&layout->from, point);
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
    char names[192], *rest;
    int found = -1;
    snprintf(names, sizeof names, "%s %s %s", axis, product_axis(report, axis),
             mapping_axis_names(axis));
    for (const char *name = strtok_r(names, " ", &rest); name && found < 0;
         name = strtok_r(NULL, " ", &rest))
        found = mapping_program_find(program, name);
    return found;
}

/* Records which axes the formulae define. */
static void find_axes(struct check *check, const struct report *report,
                      const struct mapping_space *to) {
    for (uint32_t a = 0; a < to->count; a++) {
        int variable = find_variable(check->program, report, to->axis[a].name);
        if (variable < 0 && to->count == 1)
            variable = mapping_program_find(check->program, MAPPING_RESULT);
        if (variable >= 0) {
            check->variables[check->count] = variable;
            check->axes[check->count++].axis = to->axis[a].name;
        }
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
                        is_bare ? "the expression does not name its axis:"
                                : "--verify needs a formula for",
                        axes, to->axis[0].name);
}

/* Appends a mode of CuTe as C: "tid / 1 % 4 * 32u + tid / 4 % 8 * 1u". */
static void append_mode(char *code, size_t size, const char *axis,
                        const struct mapping_modes *mode) {
    uint32_t before = 1;
    for (uint32_t m = 0; m < mode->count; before *= mode->shape[m++])
        if (mode->shape[m] > 1)
            mapping_append(code, size, " + %s / %u %% %u * %uu", axis, before, mode->shape[m],
                           mode->stride[m]);
}

/* True if a text is meant as a layout of CuTe, and not as C. */
static bool is_tv(const char *text) {
    text += strspn(text, " ");
    return strstr(text, "Layout<") || (*text == '(' && strstr(text, "):(") && !strpbrk(text, "=?"));
}

/* Translates a TV layout of CuTe, "((4,8),(2,2)):((32,1),(16,8))", to statements for row and col:
 * it maps thread and value to m + M * k of A, n + N * k of B, m + M * n of C and D.
 * MAPPING_INVALID if it is malformed, or if its sizes are not those of the fragment. */
static enum mapping_status translate_tv(const char *text, const struct report *report,
                                        char code[1024], struct mapping_error *error) {
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    struct mapping_modes modes[3];
    struct mapping_modes_fault ignored;
    unsigned count;
    char notation[NOTATION_SIZE];
    const char *read = mapping_notation_translate(text, notation);
    const char *rest = mapping_modes_read(read, modes, 3, &count, &ignored);
    if (!rest || *rest || count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' is not a valid TV layout, which has a mode for threads and "
                            "one for values, such as ((4,8),(2,2)):((32,1),(16,8))",
                            text);
    if (!is_of_threads(from) || to->count != 2 || !has_matrix(to))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot be compared with a TV layout: it does not map a thread "
                            "and a value to one row and column",
                            report->name);
    for (int a = 0; a < 2; a++) {
        const uint32_t size = mapping_modes_size(&modes[a]);
        if (size != from->axis[a].size)
            return mapping_fail(
                error, MAPPING_INVALID, "this TV layout has %u %s%s, but %.100s has %u", size,
                a ? "value" : "thread", mapping_plural(size), report->name, from->axis[a].size);
    }
    const bool is_b = report->has_fragment && report->observed.fragment.operand == MAPPING_B;
    const unsigned size = to->axis[is_b].size;
    mapping_append(code, 1024, "tv = 0u");
    for (int a = 0; a < 2; a++)
        append_mode(code, 1024, from->axis[a].name, &modes[a]);
    mapping_append(code, 1024, "; %s = tv %% %u; %s = tv / %u", to->axis[is_b].name, size,
                   to->axis[!is_b].name, size);
    return MAPPING_OK;
}

enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                struct check *check, struct mapping_error *error) {
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    *check = (struct check){.is_inverse =
                                !is_defined(texts, count, to) && is_defined(texts, count, from)};
    if (check->is_inverse && !report_has_inverse(report))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s has no inverse (a position holds no element, or more than one), "
            "so %s cannot be checked; write --verify='%s = EXPRESSION'",
            report->name, from->axis[0].name, to->axis[0].name);
    const struct mapping_layout *layout = check_layout(check, report);
    enum mapping_status status = MAPPING_OK;
    const uint32_t bits = report->has_fragment ? report->observed.fragment.bits : 0;
    check->per = bits > 0 && bits < 32 ? 32 / bits : 1;
    check->program = mapping_program_make(report_lanes(report));
    if (!check->program)
        memory_exhausted();
    memory_own(check->program);
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
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        const char *text = texts[t];
        if (is_tv(text)) {
            status = count == 1 ? translate_tv(text, report, check->tv, error)
                                : mapping_fail(error, MAPPING_INVALID,
                                               "a TV layout must be the only --verify; drop the "
                                               "others");
            text = check->tv;
        }
        if (status == MAPPING_OK)
            status = mapping_program_parse(text, &layout->from, &check->program, error);
    }
    if (status != MAPPING_OK)
        return status;
    find_axes(check, report, &layout->to);
    return check->count > 0 ? MAPPING_OK : no_axis(check, &layout->to, error);
}

const struct mapping_layout *check_layout(const struct check *check, const struct report *report) {
    return check->is_inverse ? &report->inverse.layout : &report->forward.layout;
}

/* ---- Evaluating formulae ---- */

/* Evaluates the formulae at points of a space, which stand there from `first` on. MAPPING_INVALID,
 * with the point, if C leaves one undefined. */
static enum mapping_status evaluate(const struct check *check, const struct mapping_space *space,
                                    size_t first, const struct mapping_points *points,
                                    int64_t (*says)[MAPPING_POINTS], struct mapping_error *error) {
    struct mapping_error cause;
    unsigned undefined;
    uint32_t point[MAPPING_AXES_MAX];
    char where[128];
    const enum mapping_status status = memory_enough(mapping_program_evaluate(
        check->program, points, check->variables, check->count, says, &undefined, &cause));
    if (status == MAPPING_OK)
        return status;
    mapping_space_point(space, first + undefined, point);
    mapping_space_describe(space, point, where, sizeof where);
    return mapping_fail(error, status, "at %s, %-s", where, cause.message);
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
        mapping_points_from(&layout->from, first, &points);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            if (points.mask >> n & 1 && is_gap(layout, first + n))
                points.mask &= ~(UINT64_C(1) << n);
        if (evaluate(check, &layout->from, first, &points, says, error) != MAPPING_OK)
            return MAPPING_INVALID;
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

/* ---- What would make formulae right ---- */

/* What formulae say at each entry of a layout, and what is there. */
struct claim {
    struct mapping_layout says; /* the axes that they define; UINT32_MAX is outside of 32 bits */
    const uint32_t *is[MAPPING_AXES_MAX];
};

static const char *exchanged_axis(const char *axis) {
    return strcmp(axis, MAPPING_AXIS_ROW) == 0   ? MAPPING_AXIS_COL
           : strcmp(axis, MAPPING_AXIS_COL) == 0 ? MAPPING_AXIS_ROW
                                                 : axis;
}

/* Evaluates the formulae at all entries of a layout, with row and column exchanged or not, in the
 * inputs and in the outputs. False if the layout does not have an axis, or if C leaves a value
 * undefined. Free claim->says in any case. */
static bool tabulate(const struct check *check, const struct mapping_layout *layout,
                     bool is_exchanged, struct claim *claim) {
    struct mapping_error ignored;
    struct mapping_space to = {.count = check->count};
    const struct mapping_space *from = &layout->from;
    *claim = (struct claim){.says.from.count = 0};
    for (uint32_t a = 0; a < check->count; a++) {
        const char *axis = check->axes[a].axis;
        const int is = mapping_space_find(&layout->to, is_exchanged ? exchanged_axis(axis) : axis);
        if (is < 0)
            return false;
        claim->is[a] = layout->coordinate[is];
        to.axis[a] = (struct mapping_axis){axis, UINT32_MAX};
    }
    enum mapping_status status =
        memory_enough(mapping_layout_init(&claim->says, from, &to, &ignored));
    const size_t entries = mapping_layout_entries(layout);
    for (size_t first = 0; first < entries && status == MAPPING_OK; first += MAPPING_POINTS) {
        struct mapping_points points, given;
        int64_t values[MAPPING_AXES_MAX][MAPPING_POINTS];
        mapping_points_from(from, first, &points);
        given = points;
        for (uint32_t a = 0; a < from->count && is_exchanged; a++) {
            const int other = mapping_space_find(from, exchanged_axis(from->axis[a].name));
            memcpy(given.coordinate[a], points.coordinate[other >= 0 ? (uint32_t)other : a],
                   sizeof *points.coordinate);
        }
        status = evaluate(check, from, first, &given, values, &ignored);
        for (uint32_t a = 0; a < check->count && status == MAPPING_OK; a++)
            for (unsigned n = 0; n < MAPPING_POINTS && first + n < entries; n++)
                if (values[a][n] >= 0 && values[a][n] < UINT32_MAX)
                    claim->says.coordinate[a][first + n] = (uint32_t)values[a][n];
    }
    return status == MAPPING_OK;
}

/* Whether what the formulae say at entries said, said + step, ... is so at is, is + step, ... */
static bool agrees(const struct claim *claim, size_t said, size_t is, size_t step) {
    for (size_t n = 0; n < mapping_layout_entries(&claim->says); n += step)
        for (uint32_t c = 0; c < claim->says.to.count; c++)
            if (claim->says.coordinate[c][n + said] != claim->is[c][n + is])
                return false;
    return true;
}

enum { ORDER_MAX = 256, CHANGE_SIZE = 160 };

/* Finds the order of elements for which the formulae are right in all threads: what they give for
 * order[i] is so for i. Elements that need not move stay; others are exchanged in pairs if
 * possible. */
static bool find_order(const struct claim *claim, uint32_t elements, uint32_t order[ORDER_MAX]) {
    bool taken[ORDER_MAX] = {false};
    for (uint32_t i = 0; i < elements; i++) {
        taken[i] = agrees(claim, i, i, elements);
        order[i] = taken[i] ? i : elements;
    }
    for (uint32_t i = 0; i < elements; i++) {
        for (uint32_t j = 0; j < elements && order[i] == elements; j++)
            if (!taken[j] && agrees(claim, j, i, elements)) {
                order[i] = j;
                taken[j] = true;
                if (order[j] == elements && !taken[i] && agrees(claim, i, j, elements)) {
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
static void if_reordered(const struct claim *claim, struct strings *changes) {
    enum { LISTED = 32 };
    const uint32_t elements = claim->says.from.axis[1].size;
    uint32_t order[ORDER_MAX] = {0}, moved = 0, last = 0;
    unsigned a, b;
    char text[CHANGE_SIZE] = "i is replaced by p[i], p =";
    if (elements > ORDER_MAX || !find_order(claim, elements, order))
        return;
    for (uint32_t i = 0; i < elements; i++)
        if (order[i] != i) {
            moved++;
            last = i;
        }
    if (moved == 2) {
        snprintf(text, sizeof text, "elements %u and %u are exchanged", order[last], last);
    } else if (find_bits(order, elements, &a, &b)) {
        snprintf(text, sizeof text, "bits %u and %u of i are exchanged", a, b);
    } else {
        for (uint32_t i = 0; i < elements && i < LISTED; i++)
            mapping_append(text, sizeof text, " %u", order[i]);
        if (elements > LISTED)
            mapping_append(text, sizeof text, " ...");
    }
    strings_add(changes, text);
}

/* The formulae of an inverse are about one copy of each element. */
static void if_one_copy(const struct claim *claim, struct strings *changes) {
    const struct mapping_space *from = &claim->says.from;
    const struct mapping_axis *copy = &from->axis[from->count - 1];
    char text[CHANGE_SIZE];
    uint32_t c = 0;
    while (c < copy->size && !agrees(claim, c, c, copy->size))
        c++;
    snprintf(text, sizeof text, "only %s %u is meant", copy->name, c);
    if (copy->size > 1 && c < copy->size)
        strings_add(changes, text);
}

/* i is the number of a register, and its first element is meant: a[0] to a[3] of a kernel. */
static void if_registers(const struct claim *claim, uint32_t per, struct strings *changes) {
    const uint32_t elements = claim->says.from.axis[1].size;
    char text[CHANGE_SIZE];
    uint32_t r = 0;
    while (r < elements / per && agrees(claim, r, (size_t)r * per, elements))
        r++;
    snprintf(text, sizeof text,
             "i is a register and its first element is meant; use i / %u for the register", per);
    if (per > 1 && elements % per == 0 && r == elements / per)
        strings_add(changes, text);
}

void check_right_if(const struct check *check, const struct mapping_layout *layout,
                    struct strings *changes) {
    struct claim claim;
    if (tabulate(check, layout, true, &claim) && agrees(&claim, 0, 0, 1))
        strings_add(changes, "row and column are exchanged");
    mapping_layout_free(&claim.says);
    if (tabulate(check, layout, false, &claim)) {
        if (check->is_inverse) {
            if_one_copy(&claim, changes);
        } else if (is_of_threads(&layout->from)) {
            if_reordered(&claim, changes);
            if_registers(&claim, check->per, changes);
        }
    }
    mapping_layout_free(&claim.says);
}
