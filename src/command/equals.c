/* equals.c - --equals: whether two layouts are the same, as writer and reader of a buffer have to
 * agree. */
#include "command/brought.h"
#include "command/memory.h"
#include "command/show.h"
#include "report/equality.h"
#include "report/placement.h"
#include "system/system.h"

#include <string.h>
#include <unistd.h>

static bool has_layout(enum mapping_status status) {
    return status == MAPPING_OK || status == MAPPING_NO_FORMULA;
}

/* True if the argument is a table in CSV. */
static bool is_file(const char *text) {
    return strcmp(text, "-") == 0 || access(text, R_OK) == 0;
}

/* Makes the only report of one subject. `bits` is the size of elements of a matrix in memory that
 * nothing states, or 0. */
static enum mapping_status make_side(const struct request *request, const char *subject,
                                     uint32_t bits, struct report **report,
                                     struct mapping_error *error) {
    struct request one = *request;
    size_t count = 0;
    one.subjects = &subject;
    one.subject_count = 1;
    one.usual_bits = bits;
    if (!mapping_memory_is_meant(subject) && is_file(subject)) {
        *report = memory_get(1, sizeof **report);
        return brought_table(subject, one.outputs, *report, error);
    }
    if (!mapping_memory_is_meant(subject)) { /* --extent and --type are for the other side */
        one.extent[0] = one.extent[1] = 0;
        one.block = 0;
    }
    enum mapping_status status = make_all_reports(&one, report, &count, error);
    if (has_layout(status) && count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.100s' is %zu layouts, such as %.100s and %.100s; --equals compares "
                            "one with one",
                            subject, count, (*report)[0].name, (*report)[1].name);
    return has_layout(status) ? MAPPING_OK : status;
}

/* The size with which scale factors are compared if --extent does not say it: that of the other
 * side, or what contains the usual sizes of both. */
static enum mapping_status choose_extent(struct request *request, const char *const subjects[2],
                                         struct mapping_error *error) {
    struct mapping_scales scales[2] = {{.kind = NULL}, {.kind = NULL}};
    const uint32_t none[2] = {0, 0};
    enum mapping_status status = MAPPING_OK;
    if (request->extent[0] > 0)
        return MAPPING_OK;
    for (int side = 0; side < 2 && status == MAPPING_OK; side++)
        if (mapping_scales_is_meant(subjects[side])) {
            status = mapping_scales_read(subjects[side], &scales[side], error);
            if (status == MAPPING_OK)
                status = mapping_scales_resize(&scales[side], none, 0, error);
        }
    if (status != MAPPING_OK || (!scales[0].kind && !scales[1].kind))
        return status;
    for (int side = 0; side < 2 && status == MAPPING_OK; side++) {
        struct report *fixed;
        if (scales[side].kind) {
            for (int axis = 0; axis < 2; axis++)
                if (scales[side].extent[axis] > request->extent[axis])
                    request->extent[axis] = scales[side].extent[axis];
            continue;
        }
        struct request other = *request;
        other.extent[0] = other.extent[1] = other.block = 0;
        status = make_side(&other, subjects[side], 0, &fixed, error);
        if (status != MAPPING_OK)
            return status;
        const struct mapping_space *from = &fixed->forward.layout.from;
        const int row = mapping_space_find(from, MAPPING_AXIS_ROW),
                  col = mapping_space_find(from, MAPPING_AXIS_COL);
        if (row >= 0 && col >= 0) {
            request->extent[0] = from->axis[row].size;
            request->extent[1] = from->axis[col].size;
            request->block = 0;
            return MAPPING_OK;
        }
    }
    request->block = 0; /* it would divide the extent again */
    return status;
}

enum mapping_status command_equals(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct request wanted = *request;
    struct report *sides[2] = {NULL, NULL};
    struct equality equality;
    if (request->subject_count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "--equals compares one layout with another, as in 8x4 --extent=64,8 "
                            "--equals=128x4");
    const char *const subjects[2] = {request->subjects[0], request->equals};
    if ((request->extent[0] > 0 || request->block) && !mapping_memory_is_meant(subjects[0]) &&
        !mapping_memory_is_meant(subjects[1]))
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s needs a matrix in memory, such as 128x4, not '%.80s'",
                            request->block ? "block" : "extent", subjects[0]);
    enum mapping_status status = choose_extent(&wanted, subjects, error);
    if (status == MAPPING_OK)
        status = make_side(&wanted, subjects[0], 0, &sides[0], error);
    const uint32_t bits =
        status == MAPPING_OK && sides[0]->placement ? sides[0]->placement->bits : 0;
    if (status == MAPPING_OK)
        status = make_side(&wanted, subjects[1], bits, &sides[1], error);
    if (status == MAPPING_OK && sides[1]->placement && sides[1]->placement->bits != bits && bits)
        status = make_side(&wanted, subjects[0], sides[1]->placement->bits, &sides[0], error);
    if (status == MAPPING_OK)
        status = equality_find(sides[0], sides[1], &equality, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    request->output->equality(pages->page, &equality, &request->style);
    return equality.different > 0 ? MAPPING_DIFFERS : MAPPING_OK;
}
