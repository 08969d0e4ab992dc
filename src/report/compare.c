/* compare.c - compares layouts with formulae of the user; see compare.h. */
#include "report/compare.h"

#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "report/tmem_report.h"
#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Parsing formulae ---- */

static bool is_defined(const char *const *texts, size_t count, const char *name) {
    for (size_t t = 0; t < count; t++)
        if (mapping_text_defines(texts[t], name))
            return true;
    return false;
}

static bool has_defined_axis(const char *const *texts, size_t count,
                             const struct mapping_space *space) {
    for (uint32_t a = 0; a < space->count; a++)
        if (is_defined(texts, count, space->axis[a].name))
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

/* True if a text uses a name that no text defines. */
static bool is_used(const char *const *texts, size_t count, const char *name) {
    size_t t = 0;
    while (t < count && !strstr(texts[t], name))
        t++;
    return t < count && !is_defined(texts, count, name);
}

/* The axis of a product, m, n or k, that is the rows or columns of an operand; otherwise a blank.
 */
static char product_axis(const struct report *report, const char *axis) {
    static const char *const axes[] = {
        [MAPPING_A] = "mk", [MAPPING_B] = "kn", [MAPPING_C] = "mn", [MAPPING_D] = "mn"};
    const enum mapping_operand operand = report->observed.fragment.operand;
    const bool is_row = strcmp(axis, MAPPING_AXIS_ROW) == 0;
    if (!report->has_fragment || operand > MAPPING_D ||
        (!is_row && strcmp(axis, MAPPING_AXIS_COL) != 0))
        return ' ';
    return axes[operand][is_row ? 0 : 1];
}

/* Records which axes the formulae define, by name or alias. */
static void find_axes(struct check *check, const struct report *report,
                      const struct mapping_space *to) {
    for (uint32_t a = 0; a < to->count; a++) {
        const char *axis = to->axis[a].name;
        char names[192], *rest;
        int found = -1;
        snprintf(names, sizeof names, "%s %c %s", axis, product_axis(report, axis),
                 mapping_axis_names(axis));
        for (const char *name = strtok_r(names, " ", &rest); name && found < 0;
             name = strtok_r(NULL, " ", &rest))
            found = mapping_program_find(check->program, name);
        if (found < 0 && to->count == 1)
            found = mapping_program_find(check->program, MAPPING_RESULT);
        if (found >= 0) {
            check->variables[check->count] = found;
            check->axes[check->count++].axis = axis;
        }
    }
}

/* Fails, and lists the axes that a formula can define: those of the layout, and of its inverse if
 * it has one. */
static enum mapping_status no_axis(const struct check *check, const struct report *report,
                                   struct mapping_error *error) {
    const struct mapping_layout *layout = &report->forward.layout;
    const struct mapping_space *spaces[] = {&layout->to, &layout->from};
    const size_t used = report_has_inverse(report) ? 2 : 1;
    const uint32_t count = layout->to.count + (used == 2 ? layout->from.count : 0);
    uint32_t shown = 0;
    char axes[128] = "";
    for (size_t s = 0; s < used; s++)
        for (uint32_t a = 0; a < spaces[s]->count; a++, shown++)
            mapping_append(axes, sizeof axes, "%s%s", mapping_separator(shown, count, " or "),
                           spaces[s]->axis[a].name);
    const bool is_bare = mapping_program_find(check->program, MAPPING_RESULT) >= 0;
    return mapping_fail(error, MAPPING_INVALID, "%s %s; write --verify='%s = EXPRESSION'",
                        is_bare ? "the formula does not say what it computes:"
                                : "--verify needs a formula for",
                        axes, layout->to.axis[0].name);
}

/* Refuses formulae with an unused result: `name` is not an axis of the output, and no formula reads
 * it. */
static enum mapping_status fail_unused(const struct check *check, const char *name,
                                       struct mapping_error *error) {
    const struct mapping_space *from = &check->layout->from, *to = &check->layout->to;
    const size_t length = strlen(name);
    char lower[64] = "";
    for (size_t n = 0; n < length; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    if (length == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "an expression that is assigned to nothing is not compared; write "
                            "'%s = EXPRESSION'",
                            to->axis[0].name);
    for (uint32_t a = 0; a < from->count; a++)
        if (mapping_axis_is_called(from->axis[a].name, name, length))
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.60s' is an input of the formula for %s; check it in another "
                                "command, without %s",
                                name, check->axes[0].axis, check->axes[0].axis);
    for (uint32_t a = 0; a < to->count; a++)
        if (mapping_axis_is_called(to->axis[a].name, lower, length) && strcmp(lower, name) != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.60s' is not the name of an axis; did you mean '%.60s'?", name,
                                lower);
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.60s' is computed, but it is not compared, and nothing after it reads "
                        "it; remove it",
                        name);
}

/* Appends the C code for a mode of CuTe: "tid / 1 % 4 * 32u + tid / 4 % 8 * 1u". */
static void append_mode(char *code, size_t size, const char *axis,
                        const struct mapping_modes *mode) {
    uint32_t before = 1;
    for (uint32_t m = 0; m < mode->count; before *= mode->shape[m++])
        if (mode->shape[m] > 1)
            mapping_append(code, size, " + %s / %u %% %u * %uu", axis, before, mode->shape[m],
                           mode->stride[m]);
}

/* True if a text is a layout of CuTe instead of C: "Layout<...>", "(...):(...)", "tv: (...):(...)".
 */
static bool is_layout(const char *text) {
    text = mapping_behind_label(text);
    const char *behind = *text == '(' ? mapping_behind_parentheses(text) : NULL;
    return mapping_behind_word(text, MAPPING_LAYOUTS) ||
           (behind && mapping_behind_word(behind, ":"));
}

/* Translates a TV layout of CuTe, "((4,8),(2,2)):((32,1),(16,8))", to statements for row and col.
 * The layout maps thread and value to m + M * k for A and its scale factors, n + N * k for B and
 * its scale factors, and m + M * n for C and D. MAPPING_INVALID if it is malformed, or if its sizes
 * are not those of the fragment. */
static enum mapping_status translate_tv(const char *text, const struct report *report,
                                        char code[1024], struct mapping_error *error) {
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    struct mapping_modes modes[3];
    struct mapping_modes_fault fault;
    unsigned count;
    const char *rest = mapping_modes_read(mapping_behind_label(text), modes, 3, &count, &fault);
    if (!rest)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is not a valid TV layout, which has a mode for threads and one for values: %s",
            text, fault.reason);
    if (*rest || count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' is not a valid TV layout, which has a mode for threads and "
                            "one for values, such as ((4,8),(2,2)):((32,1),(16,8))",
                            text);
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const bool is_multiplied = report->has_fragment && fragment->operand <= MAPPING_D;
    const bool is_scale = report->has_fragment &&
                          (fragment->operand == MAPPING_SFA || fragment->operand == MAPPING_SFB);
    /* mma.m8n8k4 is four products of quad pairs; the first is threads 0 to 3 and 16 to 19. */
    const bool is_quad_pair =
        is_multiplied && to->count == 3 && strcmp(to->axis[0].name, MAPPING_AXIS_BLOCK) == 0;
    if (!is_of_threads(from) || to->count != 2U + is_quad_pair || !has_matrix(to))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot be compared with a TV layout: it does not map a thread "
                            "and a value to one row and column",
                            report->name);
    const struct mapping_axis *axis = to->axis + is_quad_pair;
    const uint32_t wanted[] = {is_quad_pair ? 8 : from->axis[0].size,
                               is_scale ? fragment->shape.k : from->axis[1].size};
    for (int a = 0; a < 2; a++) {
        const uint32_t size = mapping_modes_size(&modes[a]);
        if (size != wanted[a])
            return mapping_fail(
                error, MAPPING_INVALID, "this TV layout has %u %s%s, but %.100s has %u", size,
                a ? "value" : "thread", mapping_plural(size), report->name, wanted[a]);
    }
    const bool is_b = report->has_fragment &&
                      (fragment->operand == MAPPING_B || fragment->operand == MAPPING_SFB);
    const uint32_t size = axis[is_b].size, scales = axis[!is_b].size;
    /* CuTe has a value for each element along K; a scale factor is shared by several. */
    const uint32_t per_scale = is_scale ? wanted[1] / scales : 1;
    if (is_quad_pair)
        mapping_append(code, 1024, "tv_thread = tid %% 4 + tid / 16 * 4; ");
    if (is_scale)
        mapping_append(code, 1024, "tv_value = i %% %u * %u; ", scales, per_scale);
    mapping_append(code, 1024, "tv = 0u");
    append_mode(code, 1024, is_quad_pair ? "tv_thread" : from->axis[0].name, &modes[0]);
    append_mode(code, 1024, is_scale ? "tv_value" : from->axis[1].name, &modes[1]);
    mapping_append(code, 1024, "; %s = tv %% %u; %s = tv / %u", axis[is_b].name, size,
                   axis[!is_b].name, size * per_scale);
    return MAPPING_OK;
}

/* The inverse with gaps for all copies except the one that a line of PTX or SASS selects. */
static const struct mapping_layout *chosen_entries(const struct report *report) {
    struct mapping_layout *chosen = memory_get(1, sizeof *chosen);
    const size_t entries = mapping_layout_entries(&report->inverse.layout);
    const uint32_t copies = report_copies(report);
    *chosen = report->inverse.layout;
    chosen->coordinate[0] = memory_get(entries, sizeof(uint32_t));
    for (size_t n = 0; n < entries; n++)
        chosen->coordinate[0][n] = n % copies == report->choice
                                       ? report->inverse.layout.coordinate[0][n]
                                       : UINT32_MAX; /* see is_gap */
    return chosen;
}

enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                unsigned dialect, struct check *check,
                                struct mapping_error *error) {
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    *check = (struct check){.is_inverse = !has_defined_axis(texts, count, to) &&
                                          has_defined_axis(texts, count, from)};
    if (check->is_inverse && !report_has_inverse(report))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s has no inverse (a position holds no element, or more than one), "
            "so %s cannot be checked; write --verify='%s = EXPRESSION'",
            report->name, from->axis[0].name, to->axis[0].name);
    const struct mapping_layout *layout = !check->is_inverse   ? &report->forward.layout
                                          : report->has_choice ? chosen_entries(report)
                                                               : &report->inverse.layout;
    enum mapping_status status = MAPPING_OK;
    const uint32_t bits = report->has_fragment ? report->observed.fragment.bits : 0;
    check->layout = layout;
    check->per = bits > 0 && bits < 32 ? 32 / bits : 1;
    check->program = mapping_program_make(&layout->from, dialect);
    if (report->tmem) {
        snprintf(check->part, sizeof check->part, "%s = %u; cta = %u", tmem_word(report->tmem),
                 report->tmem->number, report->tmem->cta);
        status = mapping_program_parse(check->program, check->part, error);
    }
    for (size_t n = 0; n < sizeof isa_names / sizeof *isa_names && status == MAPPING_OK; n++)
        if (mapping_space_find(&layout->from, MAPPING_AXIS_TID) >= 0 &&
            is_used(texts, count, isa_names[n].name))
            status = mapping_program_parse(check->program, isa_names[n].code, error);
    const uint32_t first = mapping_program_variables(check->program);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        const char *text = texts[t] + strspn(texts[t], " ");
        if (is_layout(text)) {
            status = count == 1 ? translate_tv(text, report, check->tv, error)
                                : mapping_fail(error, MAPPING_INVALID,
                                               "a TV layout must be the only --verify; drop the "
                                               "others");
            text = check->tv;
        }
        if (status == MAPPING_OK)
            status = mapping_program_parse(check->program, text, error);
    }
    if (status != MAPPING_OK)
        return status;
    const char *comment = check->program->comment;
    if (comment)
        mapping_printable(comment, strcspn(comment, "\r\n"), check->comment, 28);
    find_axes(check, report, &layout->to);
    if (check->count == 0)
        return no_axis(check, report, error);
    int used[MAPPING_AXES_MAX + sizeof isa_names / sizeof *isa_names];
    size_t used_count = 0;
    for (uint32_t a = 0; a < check->count; a++)
        used[used_count++] = check->variables[a];
    for (size_t n = 0; n < sizeof isa_names / sizeof *isa_names; n++)
        used[used_count++] = mapping_program_find(check->program, isa_names[n].name);
    const char *unused = mapping_program_unused(check->program, first, used, used_count);
    return unused ? fail_unused(check, unused, error) : MAPPING_OK;
}

/* ---- Evaluating formulae ---- */

static const char *exchanged_axis(const char *axis) {
    return strcmp(axis, MAPPING_AXIS_ROW) == 0   ? MAPPING_AXIS_COL
           : strcmp(axis, MAPPING_AXIS_COL) == 0 ? MAPPING_AXIS_ROW
                                                 : axis;
}

bool check_is_wrong(const struct check *check) {
    for (uint32_t a = 0; a < check->count; a++)
        if (check->axes[a].wrong > 0)
            return true;
    return false;
}

/* Compares the formulae with all entries of a layout that are not gaps. If `is_exchanged`, row and
 * column are exchanged in inputs and outputs. Stores the results in axes[].says; if that is NULL,
 * stops after the first wrong entries. MAPPING_INVALID if a result is undefined in C, with the
 * entry in the message, or if the layout lacks an axis. */
static enum mapping_status compare(struct check *check, const struct mapping_layout *layout,
                                   bool is_exchanged, struct mapping_error *error) {
    const struct mapping_space *from = &layout->from;
    for (uint32_t a = 0; a < check->count; a++) {
        struct axis_check *axis = &check->axes[a];
        const int is =
            mapping_space_find(&layout->to, is_exchanged ? exchanged_axis(axis->axis) : axis->axis);
        if (is < 0)
            return MAPPING_INVALID;
        axis->is = layout->coordinate[is];
        axis->wrong = 0;
    }
    check->entries = 0;
    for (size_t first = 0; first < mapping_layout_entries(layout); first += MAPPING_POINTS) {
        struct mapping_points points, given;
        struct mapping_error cause;
        int64_t says[MAPPING_AXES_MAX][MAPPING_POINTS];
        unsigned undefined;
        mapping_points_from(from, first, &points);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            if (points.mask >> n & 1 && is_gap(layout, first + n))
                points.mask &= ~(UINT64_C(1) << n);
        given = points;
        for (uint32_t a = 0; a < from->count && is_exchanged; a++) {
            const int other = mapping_space_find(from, exchanged_axis(from->axis[a].name));
            memcpy(given.coordinate[a], points.coordinate[other >= 0 ? (uint32_t)other : a],
                   sizeof *points.coordinate);
        }
        if (mapping_program_evaluate(check->program, &given, check->variables, check->count, says,
                                     &undefined, &cause) != MAPPING_OK) {
            char where[128];
            mapping_space_describe(from, first + undefined, where, sizeof where);
            return mapping_fail(error, MAPPING_INVALID, "at %s, %-s", where, cause.message);
        }
        check->entries += (size_t)__builtin_popcountll(points.mask);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            for (uint32_t a = 0; a < check->count && points.mask >> n & 1; a++) {
                struct axis_check *axis = &check->axes[a];
                const struct wrong_entry entry = {first + n, says[a][n], axis->is[first + n]};
                if (axis->says)
                    axis->says[entry.entry] = entry.says;
                if (entry.says != entry.is && axis->wrong++ < WRONG_SHOWN)
                    axis->first[axis->wrong - 1] = entry;
            }
        if (!check->axes[0].says && check_is_wrong(check))
            break;
    }
    return MAPPING_OK;
}

bool check_holds(const struct check *check, const struct mapping_layout *layout,
                 bool is_exchanged) {
    struct check copy = *check;
    struct mapping_error ignored;
    for (uint32_t a = 0; a < copy.count; a++)
        copy.axes[a].says = NULL;
    return compare(&copy, layout, is_exchanged, &ignored) == MAPPING_OK && !check_is_wrong(&copy);
}

bool check_fits(const struct check *check, const struct mapping_space *from,
                const struct mapping_space *to) {
    const struct mapping_space *inputs = &check->layout->from;
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

/* ---- Changes that make formulae right ---- */

/* True if the results of the formulae at entries given, given + step, ... equal the values of the
 * layout at entries expected, expected + step, ... */
static bool agrees(const struct check *check, size_t given, size_t expected, size_t step) {
    for (size_t n = 0; n < mapping_layout_entries(check->layout); n += step)
        for (uint32_t a = 0; a < check->count; a++)
            if (check->axes[a].says[n + given] != check->axes[a].is[n + expected])
                return false;
    return true;
}

enum { ORDER_MAX = 256, CHANGE_SIZE = 160 };

/* Finds the order of elements for which the formulae are right in all threads: their results for
 * element order[i] are the values for element i. Elements stay if possible; others are exchanged in
 * pairs if possible. */
static bool find_order(const struct check *check, uint32_t elements, uint32_t order[ORDER_MAX]) {
    bool taken[ORDER_MAX] = {false};
    for (uint32_t i = 0; i < elements; i++) {
        taken[i] = agrees(check, i, i, elements);
        order[i] = taken[i] ? i : elements;
    }
    for (uint32_t i = 0; i < elements; i++) {
        for (uint32_t j = 0; j < elements && order[i] == elements; j++)
            if (!taken[j] && agrees(check, j, i, elements)) {
                order[i] = j;
                taken[j] = true;
                if (order[j] == elements && !taken[i] && agrees(check, i, j, elements)) {
                    order[j] = i;
                    taken[i] = true;
                }
            }
        if (order[i] == elements)
            return false;
    }
    return true;
}

/* Finds two bits of i whose exchange is this order: the lower one is the first element that moves.
 */
static bool find_bits(const uint32_t *order, uint32_t elements, unsigned *a, unsigned *b) {
    uint32_t i = 1;
    while (i < elements && order[i] == i)
        i *= 2;
    if (i >= elements || order[i] == 0)
        return false;
    *a = (unsigned)__builtin_ctz(i);
    *b = (unsigned)__builtin_ctz(order[i]);
    for (i = 0; i < elements; i++) {
        const uint32_t differ = (i >> *a ^ i >> *b) & 1;
        if ((i ^ (differ << *a | differ << *b)) != order[i])
            return false;
    }
    return true;
}

/* Checks if the formulae are right for another order of each thread's elements. */
static void if_reordered(const struct check *check, struct strings *changes) {
    enum { LISTED = 32 };
    const uint32_t elements = check->layout->from.axis[1].size;
    uint32_t order[ORDER_MAX] = {0}, moved = 0, last = 0;
    unsigned a, b;
    char text[CHANGE_SIZE] = "i is replaced by p[i], p =";
    if (elements > ORDER_MAX || !find_order(check, elements, order))
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

/* Checks if the formulae of an inverse are right for one copy of each element. */
static void if_one_copy(const struct check *check, struct strings *changes) {
    const struct mapping_space *from = &check->layout->from;
    const struct mapping_axis *copy = &from->axis[from->count - 1];
    char text[CHANGE_SIZE];
    uint32_t c = 0;
    while (c < copy->size && !agrees(check, c, c, copy->size))
        c++;
    snprintf(text, sizeof text, "only %s %u of each element is needed", copy->name, c);
    if (copy->size > 1 && c < copy->size)
        strings_add(changes, text);
}

/* Checks if the formulae are right if i is the number of a register, and its first element is
 * meant: a[0] to a[3] of a kernel. */
static void if_registers(const struct check *check, struct strings *changes) {
    const uint32_t elements = check->layout->from.axis[1].size, per = check->per;
    char text[CHANGE_SIZE];
    uint32_t r = 0;
    while (r < elements / per && agrees(check, r, (size_t)r * per, elements))
        r++;
    snprintf(
        text, sizeof text,
        "i counts registers, not elements, and stands for the first of the %u elements of each "
        "register",
        per);
    if (per > 1 && elements % per == 0 && r == elements / per)
        strings_add(changes, text);
}

enum mapping_status check_compare(struct check *check, struct strings *changes,
                                  struct mapping_error *error) {
    const struct mapping_layout *layout = check->layout;
    for (uint32_t a = 0; a < check->count; a++)
        check->axes[a].says = memory_get(mapping_layout_entries(layout), sizeof(int64_t));
    const enum mapping_status status = compare(check, layout, false, error);
    if (status == MAPPING_OK && changes && check_is_wrong(check)) {
        if (count_gaps(layout) == 0 && check_holds(check, layout, true))
            strings_add(changes, "row and column are exchanged");
        if (check->is_inverse) {
            if_one_copy(check, changes);
        } else if (is_of_threads(&layout->from)) {
            if_reordered(check, changes);
            if_registers(check, changes);
        }
    }
    for (uint32_t a = 0; a < check->count; a++) {
        mapping_free(check->axes[a].says);
        check->axes[a].says = NULL;
    }
    return status;
}
