/* equals.c - --equals: compares two layouts, for example those of the writer and the reader of a
 * buffer. */
#include "command/brought.h"
#include "command/select.h"
#include "command/show.h"
#include "command/smem_matrix.h"
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "layout/tv_layout.h"
#include "report/derive.h"
#include "report/equality.h"
#include "report/smem_report.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* True if the argument is the name of a table. */
static bool is_file(const char *text) {
    return strcmp(text, "-") == 0 || access(text, R_OK) == 0 || ascii_ends_alike(text, ".csv");
}

/* True if the text is a tensor type of Triton, which contains the shape: "tensor<64x64xf16,
 * #ttg...>". */
static bool is_type_of_triton(const char *text) {
    return (strncmp(text, "tensor<", 7) == 0 || *text == '!') && strstr(text, "#tt");
}

/* Makes the report of one subject, unless *report is already set. `bits` is the size of an element
 * for a matrix in memory without a type, or 0. */
static enum mapping_status make_side(const struct request *request, const char *subject,
                                     uint32_t bits, struct report **report,
                                     struct mapping_error *error) {
    struct request one = request_about(request, &subject);
    size_t count = 0;
    one.usual_bits = bits;
    const bool is_matrix = subject_name(request, subject, 0)->kind == NAME_MATRIX;
    if (!is_matrix && is_file(subject)) {
        if (*report && strcmp(subject, "-") == 0)
            return MAPPING_OK; /* standard input can be read only once */
        *report = memory_get(1, sizeof **report);
        const enum mapping_status found = brought_table(subject, one.outputs, *report, error);
        return has_reports(found) ? MAPPING_OK : found;
    }
    if (!is_matrix ||
        is_type_of_triton(subject)) { /* --extent and --type apply to the other side */
        one.extent[0] = one.extent[1] = 0;
        one.block = 0;
    }
    enum mapping_status status = make_all_reports(&one, report, &count, error);
    if (has_reports(status) && count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.100s' is %zu layouts, such as %.100s and %.100s; --equals compares "
                            "one with one",
                            subject, count, (*report)[0].name, (*report)[1].name);
    return has_reports(status) ? MAPPING_OK : status;
}

/* True for matrices in memory, and for TV layouts without a size. */
static bool is_notation(const struct request *request, const char *subject) {
    return subject_name(request, subject, 0)->kind == NAME_MATRIX ||
           (mapping_tv_is_meant(subject) && !mapping_tv_is_sized(subject));
}

/* Reads CuTe's notation as a TV layout if the other side is a fragment: (thread, value) to m + M *
 * k for A, n + N * k for B, and m + M * n for C and D. If the text is not such a notation, or the
 * other side is not a fragment, *report stays NULL. MAPPING_INVALID if the number of elements
 * differs. */
static enum mapping_status make_tv(const struct request *request, const char *subject,
                                   const struct report *fragment, struct report **report,
                                   struct mapping_error *error) {
    const struct mapping_layout *held = &fragment->forward.layout;
    const enum mapping_operand operand = fragment->observed.fragment.operand;
    const int minor = fragment->has_fragment && operand == MAPPING_B ? 1 : 0;
    struct mapping_modes modes[2];
    struct mapping_modes_fault fault;
    unsigned count;
    const char *rest = mapping_modes_read(mapping_behind_label(subject), modes, 2, &count, &fault);
    if (!rest || *rest || count != 2 || !is_of_threads(&held->from) || held->to.count != 2 ||
        operand == MAPPING_SFA || operand == MAPPING_SFB)
        return MAPPING_OK;
    const uint32_t tile[2] = {held->to.axis[minor].size, held->to.axis[!minor].size};
    if (request->extent[0] && (request->extent[0] != tile[0] || request->extent[1] != tile[1]))
        return mapping_fail(error, MAPPING_INVALID,
                            "--extent=%u,%u is not the size of %.100s, %u,%u; drop --extent",
                            request->extent[0], request->extent[1], fragment->name, tile[0],
                            tile[1]);
    struct mapping_space from = held->from;
    for (int a = 0; a < 2; a++)
        from.axis[a].size = mapping_modes_size(&modes[a]);
    *report = memory_get(1, sizeof **report);
    snprintf((*report)->name, sizeof(*report)->name, "%.150s", subject);
    struct mapping_layout *layout = &(*report)->forward.layout;
    const enum mapping_status status = mapping_layout_init(layout, &from, &held->to, error);
    const bool is_same = mapping_space_equal(&from, &held->from); /* otherwise the comparison
                                                                     refuses it later */
    for (size_t n = 0; status == MAPPING_OK && is_same && n < mapping_layout_entries(layout); n++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(&from, n, point);
        const uint32_t tv =
            mapping_modes_at(&modes[0], point[0]) + mapping_modes_at(&modes[1], point[1]);
        if (tv >= mapping_space_size(&held->to))
            return mapping_fail(error, MAPPING_INVALID,
                                "thread %u, value %u of %.100s is element %u, but %.100s has only "
                                "%zu elements",
                                point[0], point[1], subject, tv, fragment->name,
                                mapping_space_size(&held->to));
        layout->coordinate[minor][n] = tv % held->to.axis[minor].size;
        layout->coordinate[!minor][n] = tv / held->to.axis[minor].size;
    }
    return status;
}

/* Sets the extent to the rows and columns of a layout; false if it has none. */
static bool take_extent(struct request *request, const struct report *side) {
    const struct mapping_space *from = &side->forward.layout.from;
    const int row = mapping_space_find(from, MAPPING_AXIS_ROW),
              col = mapping_space_find(from, MAPPING_AXIS_COL);
    if (row < 0 || col < 0)
        return false;
    request->extent[0] = from->axis[row].size;
    request->extent[1] = from->axis[col].size;
    return true;
}

/* Sets the extent to the size of one side if the other side needs an extent: RowMajor, an atom, or
 * a layout of Triton. */
static void borrow_extent(struct request *request, const char *const subjects[2],
                          struct report *sides[2]) {
    struct report *resized = NULL;
    struct mapping_error ignored;
    for (int s = 0; s < 2; s++)
        if (make_side(request, subjects[s], 0, &sides[s], &ignored) != MAPPING_OK)
            sides[s] = NULL;
    if (sides[0] && sides[1] &&
        mapping_space_equal(&sides[0]->forward.layout.from, &sides[1]->forward.layout.from))
        return;
    for (int s = 0; s < 2; s++) {
        struct request sized = *request;
        if (sides[!s] && subject_name(request, subjects[s], 0)->kind == NAME_MATRIX &&
            take_extent(&sized, sides[!s]) &&
            make_side(&sized, subjects[s], 0, &resized, &ignored) == MAPPING_OK &&
            mapping_space_equal(&resized->forward.layout.from, &sides[!s]->forward.layout.from)) {
            take_extent(request, sides[!s]);
            return;
        }
    }
}

/* The size for comparing scale factors if --extent is not given: the size of the other side, or the
 * least size that contains the usual sizes of both. */
static enum mapping_status choose_extent(struct request *request, const char *const subjects[2],
                                         struct report *sides[2], struct mapping_error *error) {
    struct mapping_scales scales[2] = {{.kind = NULL}, {.kind = NULL}};
    const uint32_t none[2] = {0, 0};
    enum mapping_status status = MAPPING_OK;
    if (request->extent[0] > 0)
        return MAPPING_OK;
    for (int side = 0; side < 2 && status == MAPPING_OK; side++)
        if (mapping_scales_is_meant(subjects[side])) {
            status = mapping_scales_read(subjects[side], &scales[side], error);
            scales[side].is_turned = request->axes.rows == 'k';
            if (status == MAPPING_OK)
                status = mapping_scales_resize(&scales[side], none, 0, error);
        }
    if (status == MAPPING_OK && !scales[0].kind && !scales[1].kind)
        borrow_extent(request, subjects, sides);
    if (status != MAPPING_OK || (!scales[0].kind && !scales[1].kind))
        return status;
    for (int side = 0; side < 2 && status == MAPPING_OK; side++) {
        if (scales[side].kind) {
            for (int axis = 0; axis < 2; axis++)
                if (scales[side].extent[axis] > request->extent[axis])
                    request->extent[axis] = scales[side].extent[axis];
            continue;
        }
        struct request other = *request;
        other.extent[0] = other.extent[1] = other.block = 0;
        status = make_side(&other, subjects[side], 0, &sides[side], error);
        if (status != MAPPING_OK)
            return status;
        if (take_extent(request, sides[side])) {
            request->block = 0;
            return MAPPING_OK;
        }
    }
    request->block = 0; /* it would divide the extent again */
    return status;
}

static enum mapping_status compare(const struct request *request, struct report *const sides[2],
                                   struct pages *pages, struct mapping_error *error) {
    struct equality equality;
    const enum mapping_status status = equality_find(sides[0], sides[1], &equality, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    request->output->equality(pages->page, &equality);
    return equality.different > 0 ? MAPPING_DIFFERS : MAPPING_OK;
}

enum mapping_status command_equals(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct request wanted = *request;
    struct report *sides[2] = {NULL, NULL}, *of_tv = NULL;
    if (request->subject_count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "--equals compares one layout with another, as in 8x4 --extent=64,8 "
                            "--equals=128x4");
    const char *const subjects[2] = {request->subjects[0], request->equals};
    const bool is_memory[2] = {is_notation(request, subjects[0]),
                               is_notation(request, subjects[1])};
    if ((request->extent[0] > 0 || request->block) && !is_memory[0] && !is_memory[1])
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s needs a matrix in memory, such as 128x4, not '%.80s'",
                            request->block ? "block" : "extent", subjects[0]);
    const int tv = is_memory[0] && !is_memory[1] ? 0 : 1; /* it may be a TV layout */
    enum mapping_status status = choose_extent(&wanted, subjects, sides, error);
    if (status == MAPPING_OK && is_memory[0] != is_memory[1]) {
        status = make_side(&wanted, subjects[!tv], 0, &sides[!tv], error);
        if (status == MAPPING_OK)
            status = make_tv(&wanted, subjects[tv], sides[!tv], &of_tv, error);
        if (status == MAPPING_OK && of_tv) {
            sides[tv] = of_tv;
            return compare(request, sides, pages, error);
        }
    }
    if (status == MAPPING_OK)
        status = make_side(&wanted, subjects[0], 0, &sides[0], error);
    const uint32_t bits = status == MAPPING_OK && sides[0]->smem ? sides[0]->smem->bits : 0;
    if (status == MAPPING_OK)
        status = make_side(&wanted, subjects[1], bits, &sides[1], error);
    if (status == MAPPING_OK && sides[1]->smem && sides[1]->smem->bits != bits && bits)
        status = make_side(&wanted, subjects[0], sides[1]->smem->bits, &sides[0], error);
    return status == MAPPING_OK ? compare(request, sides, pages, error) : status;
}
