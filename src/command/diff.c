/* diff.c - --diff: the fragments whose layouts differ between two architectures. */
#include "command/select.h"
#include "command/show.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* The report of the fragment; NULL if there is none. */
static const struct report *find(const struct report *reports, size_t count,
                                 const struct mapping_fragment *fragment) {
    for (size_t r = 0; r < count; r++)
        if (mapping_fragment_equal(&reports[r].observed.fragment, fragment))
            return &reports[r];
    return NULL;
}

/* The reports of both architectures. */
struct sides {
    struct report *reports[2];
    size_t count[2];
};

/* Adds fragments that only one of the architectures has. Fragments that are only missing in a
 * source do not count. */
static void add_only(const struct sides *sides, int side, struct comparison *comparison) {
    int other = 1 - side;
    for (size_t r = 0; r < sides->count[side]; r++) {
        const struct report *report = &sides->reports[side][r];
        const struct mapping_fragment *fragment = &report->observed.fragment;
        if (find(sides->reports[other], sides->count[other], fragment) ||
            mapping_fragment_on(fragment, comparison->archs[other]))
            continue;
        comparison->only[side]++;
        comparison->items[comparison->count++] =
            side == 0 ? (struct difference){report, NULL} : (struct difference){NULL, report};
    }
}

/* Finds the instruction that reads its operands from shared memory on an architecture; "" if there
 * is none. */
static const char *find_reading(unsigned arch, bool *in_tensor_memory) {
    struct mapping_fragment fragment;
    *in_tensor_memory = false;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);)
        if (mapping_instruction_reads_shared(fragment.instruction) &&
            mapping_fragment_on(&fragment, arch)) {
            *in_tensor_memory = fragment.place == MAPPING_IN_TENSOR_MEMORY;
            return mapping_instruction_name(fragment.instruction);
        }
    return "";
}

/* If only one architecture has some instruction that reads its operands from shared memory, names
 * such an instruction of each architecture.
 */
static void find_replaced(struct comparison *comparison) {
    bool *place = comparison->in_tensor_memory, is_asked = false;
    for (size_t d = comparison->different; d < comparison->count && !is_asked; d++) {
        const struct difference *only = &comparison->items[d];
        const struct report *report = only->first ? only->first : only->second;
        is_asked =
            report && mapping_instruction_reads_shared(report->observed.fragment.instruction);
    }
    const char *names[2] = {find_reading(comparison->archs[0], &place[0]),
                            find_reading(comparison->archs[1], &place[1])};
    for (int side = 0; side < 2 && is_asked && strcmp(names[0], names[1]) != 0; side++)
        comparison->replaced[side] = names[side];
}

/* Makes the reports of one architecture; none if it has none of the fragments. */
static enum mapping_status make_side(const struct request *request, unsigned arch,
                                     struct report **reports, size_t *count,
                                     struct mapping_error *error) {
    struct request one = *request;
    one.all = request->subject_count == 0;
    struct selection selection;
    struct mapping_error cause;
    enum mapping_status status = select_fragments(&one, arch, &selection, &cause);
    *count = 0;
    if (status == MAPPING_OK)
        return make_reports(&one, arch, reports, count, error);
    if (status == MAPPING_UNAVAILABLE)
        return MAPPING_OK;
    *error = cause;
    return status;
}

/* Compares both architectures, and prints the differences. */
static enum mapping_status compare(const struct request *request, const struct sides *sides,
                                   struct pages *pages) {
    struct comparison comparison = {
        .archs = {request->archs[0]->number, request->archs[1]->number}};
    comparison.items = memory_get(sides->count[0] + sides->count[1], sizeof *comparison.items);
    pages_init(pages, 1);
    for (size_t r = 0; r < sides->count[0]; r++) {
        const struct report *first = &sides->reports[0][r];
        const struct report *second =
            find(sides->reports[1], sides->count[1], &first->observed.fragment);
        if (second && layout_equal(&first->forward.layout, &second->forward.layout))
            comparison.same++;
        else if (second)
            comparison.items[comparison.count++] = (struct difference){first, second};
    }
    comparison.different = comparison.count;
    add_only(sides, 0, &comparison);
    add_only(sides, 1, &comparison);
    find_replaced(&comparison);
    request->output->comparison(pages->page, &comparison, &request->style);
    return comparison.count > 0 ? MAPPING_DIFFERS : MAPPING_OK;
}

enum mapping_status command_diff(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    struct sides sides = {{NULL, NULL}, {0, 0}};
    enum mapping_status status = MAPPING_OK;
    for (int side = 0; side < 2 && has_reports(status); side++)
        status = make_side(request, request->archs[side]->number, &sides.reports[side],
                           &sides.count[side], error);
    if (status == MAPPING_OK && sides.count[0] + sides.count[1] == 0)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "neither sm_%u nor sm_%u has a fragment that matches the names and options",
            request->archs[0]->number, request->archs[1]->number);
    return has_reports(status) ? compare(request, &sides, pages) : status;
}
