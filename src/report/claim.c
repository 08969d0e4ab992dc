/* claim.c - what somebody says of a layout, and whether it is so; see claim.h. */
#include "report/claim.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "report/part.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

static bool is_defined(const char *const *texts, size_t count, const struct mapping_space *space) {
    for (size_t t = 0; t < count; t++)
        for (uint32_t a = 0; a < space->count; a++)
            if (mapping_text_defines(texts[t], space->axis[a].name))
                return true;
    return false;
}

/* Finds what is defined under any name of an axis, the last of them; -1 if there is nothing. */
static int find_axis(const struct mapping_program *program, const char *axis) {
    int found = mapping_program_find(program, axis);
    const char *names = mapping_axis_names(axis);
    for (; found < 0 && *names; names += strspn(names, " ")) {
        char name[64];
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        found = mapping_program_find(program, name);
        names += length;
    }
    return found;
}

/* Notes what is said of each axis. */
static void find_axes(struct claim *claim, const struct mapping_space *to) {
    for (uint32_t a = 0; a < to->count; a++) {
        int name = find_axis(claim->program, to->axis[a].name);
        if (name < 0 && to->count == 1)
            name = mapping_program_find(claim->program, MAPPING_RESULT);
        if (name >= 0)
            claim->axes[claim->count++] =
                (struct axis_claim){.axis = to->axis[a].name, .name = name};
    }
}

/* Says what could have been said. */
static enum mapping_status nothing_said(const struct claim *claim, const struct mapping_space *to,
                                        struct mapping_error *error) {
    char axes[128] = "";
    for (uint32_t a = 0; a < to->count; a++)
        mapping_append(axes, sizeof axes, "%s%s",
                       a == 0              ? ""
                       : a + 1 < to->count ? ", "
                                           : " or ",
                       to->axis[a].name);
    bool is_bare = mapping_program_find(claim->program, MAPPING_RESULT) >= 0;
    return mapping_fail(error, MAPPING_INVALID, "%s %s; write --verify='%s = EXPRESSION'",
                        is_bare ? "the expression does not name its axis:" : "no formula defines",
                        axes, to->axis[0].name);
}

/* Refuses formulae of the inverse for a layout without one. */
static enum mapping_status no_inverse(const struct report *report, struct mapping_error *error) {
    const struct mapping_layout *forward = &report->forward.layout;
    return mapping_fail(
        error, MAPPING_INVALID,
        "%.100s has no inverse, so %s cannot be checked; write --verify='%s = EXPRESSION'",
        report->name, forward->from.axis[0].name, forward->to.axis[0].name);
}

enum mapping_status claim_parse(const char *const *texts, size_t count, const struct report *report,
                                struct claim *claim, struct mapping_error *error) {
    const struct mapping_layout *forward = &report->forward.layout;
    *claim = (struct claim){.program = NULL};
    claim->is_inverse =
        !is_defined(texts, count, &forward->to) && is_defined(texts, count, &forward->from);
    if (claim->is_inverse && !report_has_inverse(report))
        return no_inverse(report, error);
    const struct mapping_layout *layout = claim_subject(claim, report);
    enum mapping_status status = MAPPING_OK;
    claim->program = mapping_program_make(report_lanes(report));
    if (!claim->program)
        return mapping_out_of_memory(error);
    if (report->part) {
        snprintf(claim->given, sizeof claim->given, "%s = %u; cta = %u", part_word(report->part),
                 report->part->number, report->part->cta);
        status = mapping_program_parse(claim->given, &layout->from, &claim->program, error);
    }
    for (size_t t = 0; t < count && status == MAPPING_OK; t++)
        status = mapping_program_parse(texts[t], &layout->from, &claim->program, error);
    if (status != MAPPING_OK)
        return status;
    find_axes(claim, &layout->to);
    return claim->count > 0 ? MAPPING_OK : nothing_said(claim, &layout->to, error);
}

void claim_free(struct claim *claim) {
    mapping_program_free(claim->program);
    claim->program = NULL;
}

const struct mapping_layout *claim_subject(const struct claim *claim, const struct report *report) {
    return claim->is_inverse ? &report->inverse.layout : &report->forward.layout;
}

/* ---- Judging ---- */

/* The axes of a layout that the claim is about, in its order. */
static void find_targets(const struct claim *claim, const struct mapping_layout *layout,
                         const uint32_t *targets[MAPPING_AXES_MAX]) {
    for (uint32_t a = 0; a < claim->count; a++)
        targets[a] = layout->coordinate[mapping_space_find(&layout->to, claim->axes[a].axis)];
}

/* Evaluates all axes at some points. False, and the first point, if that is undefined. */
static bool evaluate(const struct claim *claim, const struct mapping_points *points,
                     int64_t (*says)[MAPPING_POINTS], unsigned *undefined,
                     struct mapping_error *error) {
    int names[MAPPING_AXES_MAX];
    for (uint32_t a = 0; a < claim->count; a++)
        names[a] = claim->axes[a].name;
    const enum mapping_status status = mapping_program_evaluate(
        claim->program, points, names, claim->count, says, undefined, error);
    if (status == MAPPING_FAILED)
        memory_exhausted();
    return status == MAPPING_OK;
}

/* The entries of a layout from `first` on at which an element lies. */
static void entries_from(const struct mapping_layout *layout, size_t first,
                         struct mapping_points *points) {
    mapping_points_from(&layout->from, first, points);
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        if (points->mask >> n & 1 && is_gap(layout, first + n))
            points->mask &= ~(UINT64_C(1) << n);
}

static void note_wrong(struct axis_claim *axis, size_t entry, int64_t says, uint32_t is) {
    if (axis->wrong < WRONG_SHOWN)
        axis->first[axis->wrong] = (struct wrong_entry){entry, says, is};
    axis->wrong++;
}

enum mapping_status claim_judge(struct claim *claim, const struct mapping_layout *layout,
                                struct mapping_error *error) {
    const uint32_t *targets[MAPPING_AXES_MAX];
    find_targets(claim, layout, targets);
    for (uint32_t a = 0; a < claim->count; a++)
        claim->axes[a].wrong = 0;
    claim->entries = 0;
    for (size_t first = 0; first < mapping_layout_entries(layout); first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t says[MAPPING_AXES_MAX][MAPPING_POINTS];
        struct mapping_error cause;
        unsigned undefined;
        entries_from(layout, first, &points);
        if (!evaluate(claim, &points, says, &undefined, &cause)) {
            uint32_t point[MAPPING_AXES_MAX];
            char where[128];
            mapping_space_point(&layout->from, first + undefined, point);
            mapping_space_describe(&layout->from, point, where, sizeof where);
            return mapping_fail(error, MAPPING_INVALID, "at %s %-s", where, cause.message);
        }
        claim->entries += (size_t)__builtin_popcountll(points.mask);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            for (uint32_t a = 0; a < claim->count && points.mask >> n & 1; a++)
                if (says[a][n] != targets[a][first + n])
                    note_wrong(&claim->axes[a], first + n, says[a][n], targets[a][first + n]);
    }
    return MAPPING_OK;
}

bool claim_is_wrong(const struct claim *claim) {
    for (uint32_t a = 0; a < claim->count; a++)
        if (claim->axes[a].wrong > 0)
            return true;
    return false;
}

bool claim_fits(const struct claim *claim, const struct mapping_space *from,
                const struct mapping_space *to) {
    const struct mapping_space *inputs = mapping_program_inputs(claim->program);
    if (from->count != inputs->count)
        return false;
    for (uint32_t a = 0; a < from->count; a++)
        if (strcmp(from->axis[a].name, inputs->axis[a].name) != 0)
            return false;
    for (uint32_t a = 0; a < claim->count; a++)
        if (mapping_space_find(to, claim->axes[a].axis) < 0)
            return false;
    return true;
}

/* ---- Holding, perhaps of something else ---- */

/* How a claim is read: with two coordinates exchanged in what comes out or goes in, and of one copy
 * alone. */
struct reading {
    const char *exchanged[2]; /* NULL for none */
    int copy;                 /* -1 for all */
};

/* The axis that is meant where one is named. */
static const char *meant(const struct reading *reading, const char *axis) {
    for (int e = 0; e < 2; e++)
        if (reading->exchanged[0] && strcmp(axis, reading->exchanged[e]) == 0)
            return reading->exchanged[1 - e];
    return axis;
}

/* Exchanges the coordinates of points, if they are among their own. */
static void exchange(const struct reading *reading, const struct mapping_space *from,
                     struct mapping_points *points) {
    int first = reading->exchanged[0] ? mapping_space_find(from, reading->exchanged[0]) : -1;
    int second = reading->exchanged[0] ? mapping_space_find(from, reading->exchanged[1]) : -1;
    if (first < 0 || second < 0)
        return;
    uint32_t kept[MAPPING_POINTS];
    memcpy(kept, points->coordinate[first], sizeof kept);
    memcpy(points->coordinate[first], points->coordinate[second], sizeof kept);
    memcpy(points->coordinate[second], kept, sizeof kept);
}

/* True if the claim, read so, holds at the entries from `first` on. */
static bool holds_from(const struct claim *claim, const struct mapping_layout *layout,
                       const uint32_t *const *targets, size_t first,
                       const struct reading *reading) {
    struct mapping_points points;
    struct mapping_error ignored;
    int64_t says[MAPPING_AXES_MAX][MAPPING_POINTS];
    unsigned undefined;
    uint64_t differ = 0;
    entries_from(layout, first, &points);
    for (unsigned n = 0; n < MAPPING_POINTS && reading->copy >= 0; n++)
        if (points.coordinate[layout->from.count - 1][n] != (uint32_t)reading->copy)
            points.mask &= ~(UINT64_C(1) << n);
    exchange(reading, &layout->from, &points);
    if (!evaluate(claim, &points, says, &undefined, &ignored))
        return false;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        for (uint32_t a = 0; a < claim->count && points.mask >> n & 1; a++)
            differ |= (uint64_t)(says[a][n] != targets[a][first + n]) << n;
    return differ == 0;
}

static bool holds(const struct claim *claim, const struct mapping_layout *layout,
                  const struct reading *reading) {
    const uint32_t *targets[MAPPING_AXES_MAX];
    for (uint32_t a = 0; a < claim->count; a++) {
        int axis = mapping_space_find(&layout->to, meant(reading, claim->axes[a].axis));
        if (axis < 0)
            return false;
        targets[a] = layout->coordinate[axis];
    }
    for (size_t first = 0; first < mapping_layout_entries(layout); first += MAPPING_POINTS)
        if (!holds_from(claim, layout, targets, first, reading))
            return false;
    return true;
}

bool claim_holds(const struct claim *claim, const struct mapping_layout *layout) {
    static const struct reading plain = {{NULL, NULL}, -1};
    return holds(claim, layout, &plain);
}

/* ---- Another order of elements ---- */

enum { ORDER_MAX = 256 };

/* What is said at all entries of a layout (tid, i), and what is so. */
struct element_table {
    uint32_t threads, elements, axes;
    int64_t *says[MAPPING_AXES_MAX];
    const uint32_t *is[MAPPING_AXES_MAX];
};

/* Makes the table of a claim that claim_judge could evaluate; says[0] is to be freed. */
static struct element_table make_table(const struct claim *claim,
                                       const struct mapping_layout *layout) {
    size_t entries = mapping_layout_entries(layout);
    struct element_table table = {.threads = layout->from.axis[0].size,
                                  .elements = layout->from.axis[1].size,
                                  .axes = claim->count};
    int64_t *says = memory_get(entries * claim->count, sizeof *says);
    find_targets(claim, layout, table.is);
    for (uint32_t a = 0; a < claim->count; a++)
        table.says[a] = says + a * entries;
    for (size_t first = 0; first < entries; first += MAPPING_POINTS) {
        struct mapping_points points;
        struct mapping_error ignored;
        int64_t block[MAPPING_AXES_MAX][MAPPING_POINTS];
        unsigned undefined;
        size_t count = entries - first < MAPPING_POINTS ? entries - first : MAPPING_POINTS;
        mapping_points_from(&layout->from, first, &points);
        evaluate(claim, &points, block, &undefined, &ignored);
        for (uint32_t a = 0; a < claim->count; a++)
            memcpy(table.says[a] + first, block[a], count * sizeof **block);
    }
    return table;
}

/* What is said for element `said` is so for element `is`, in all threads. */
static bool stands_for(const struct element_table *table, uint32_t said, uint32_t is) {
    for (size_t n = 0; n < (size_t)table->threads * table->elements; n += table->elements)
        for (uint32_t a = 0; a < table->axes; a++)
            if (table->says[a][n + said] != table->is[a][n + is])
                return false;
    return true;
}

/* Finds the order of elements that makes the claim right: what is said for order[i] is so for i.
 * Elements stay where they are, or else are exchanged, where there is a choice. */
static bool find_order(const struct element_table *table, uint32_t order[ORDER_MAX]) {
    const uint32_t elements = table->elements;
    bool taken[ORDER_MAX] = {false};
    for (uint32_t i = 0; i < elements; i++) {
        taken[i] = stands_for(table, i, i);
        order[i] = taken[i] ? i : elements;
    }
    for (uint32_t i = 0; i < elements; i++)
        for (uint32_t j = 0; j < elements && order[i] == elements; j++)
            if (!taken[j] && stands_for(table, j, i)) {
                order[i] = j;
                taken[j] = true;
                if (order[j] == elements && !taken[i] && stands_for(table, i, j)) {
                    order[j] = i;
                    taken[i] = true;
                }
            }
    for (uint32_t i = 0; i < elements; i++)
        if (order[i] == elements)
            return false;
    return true;
}

/* The number with two of its bits exchanged. */
static uint32_t exchange_bits(uint32_t number, unsigned a, unsigned b) {
    uint32_t differ = (number >> a ^ number >> b) & 1;
    return number ^ (differ << a | differ << b);
}

/* Two bits of i that were exchanged, if that is what the order is. */
static bool find_bits(const uint32_t *order, uint32_t elements, unsigned *a, unsigned *b) {
    for (*b = 1; UINT32_C(1) << *b < elements; ++*b)
        for (*a = 0; *a < *b; ++*a) {
            uint32_t i = 0;
            while (i < elements && exchange_bits(i, *a, *b) == order[i])
                i++;
            if (i == elements)
                return true;
        }
    return false;
}

/* Says what the order is. */
static void describe_order(const uint32_t *order, uint32_t elements, char text[RIGHT_IF_SIZE]) {
    enum { LISTED = 16 };
    uint32_t moved = 0, last = 0;
    unsigned a, b;
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
        snprintf(text, RIGHT_IF_SIZE, "the elements come in the order");
        for (uint32_t i = 0; i < elements && i < LISTED; i++)
            mapping_append(text, RIGHT_IF_SIZE, " %u", order[i]);
        if (elements > LISTED)
            mapping_append(text, RIGHT_IF_SIZE, " ...");
    }
}

static bool if_reordered(const struct claim *claim, const struct mapping_layout *layout,
                         char text[RIGHT_IF_SIZE]) {
    uint32_t order[ORDER_MAX];
    if (claim->is_inverse || layout->from.count != 2 ||
        strcmp(layout->from.axis[1].name, MAPPING_AXIS_I) != 0)
        return false;
    uint32_t elements = layout->from.axis[1].size;
    if (elements > ORDER_MAX)
        return false;
    struct element_table table = make_table(claim, layout);
    bool found = find_order(&table, order);
    free(table.says[0]);
    if (!found)
        return false;
    describe_order(order, elements, text);
    return true;
}

/* ---- Rows and columns, copies ---- */

static bool if_exchanged(const struct claim *claim, const struct mapping_layout *layout,
                         char text[RIGHT_IF_SIZE]) {
    static const struct reading exchanged = {{MAPPING_AXIS_ROW, MAPPING_AXIS_COL}, -1};
    snprintf(text, RIGHT_IF_SIZE, "row and column are exchanged");
    return holds(claim, layout, &exchanged);
}

static bool if_one_copy(const struct claim *claim, const struct mapping_layout *layout,
                        char text[RIGHT_IF_SIZE]) {
    const struct mapping_axis *copy = &layout->from.axis[layout->from.count - 1];
    if (!claim->is_inverse || copy->size < 2)
        return false;
    for (uint32_t c = 0; c < copy->size; c++) {
        const struct reading reading = {{NULL, NULL}, (int)c};
        if (!holds(claim, layout, &reading))
            continue;
        snprintf(text, RIGHT_IF_SIZE, "only %s %u is meant", copy->name, c);
        return true;
    }
    return false;
}

bool claim_right_if(const struct claim *claim, const struct mapping_layout *layout, unsigned n,
                    char text[RIGHT_IF_SIZE]) {
    static bool (*const conditions[])(const struct claim *, const struct mapping_layout *,
                                      char[RIGHT_IF_SIZE]) = {if_exchanged, if_reordered,
                                                              if_one_copy};
    for (size_t e = 0; e < sizeof conditions / sizeof *conditions; e++)
        if (conditions[e](claim, layout, text) && n-- == 0)
            return true;
    return false;
}
