/* diff.c - which fragments differ between two architectures; see diff.h. */
#include "diff.h"

#include "choose.h"
#include "show.h"

#include <stdlib.h>

/* The report of the fragment, or NULL. */
static const struct report *find(const struct report *reports, size_t count,
                                 const struct mapping_fragment *fragment) {
    for (size_t r = 0; r < count; r++)
        if (mapping_fragment_equal(&reports[r].fragment, fragment))
            return &reports[r];
    return NULL;
}

/* True if the other architecture does not have the fragment; false if only the source lacks it. */
static bool is_missing(const struct report *report, unsigned other_arch) {
    return !mapping_fragment_on(&report->fragment, other_arch);
}

/* Compares all that could be shown; `comparison` has room for the differences. */
static void compare(const struct report *first, size_t first_count, const struct report *second,
                    size_t second_count, struct comparison *comparison) {
    for (size_t r = 0; r < first_count; r++) {
        const struct report *other = find(second, second_count, &first[r].fragment);
        if (other && mapping_map_equal(&first[r].map, &other->map))
            comparison->same++;
        else if (other || is_missing(&first[r], comparison->second))
            comparison->items[comparison->count++] = (struct difference){&first[r], other};
    }
    for (size_t r = 0; r < second_count; r++)
        if (!find(first, first_count, &second[r].fragment) &&
            is_missing(&second[r], comparison->first))
            comparison->items[comparison->count++] = (struct difference){NULL, &second[r]};
}

/* Makes the reports of one side: none if the architecture has none of the fragments. */
static enum mapping_status show_side(const struct options *options, const struct mapping_arch *arch,
                                     struct report **reports, size_t *count,
                                     struct mapping_error *error) {
    struct options one = *options;
    one.arch = arch;
    one.all = options->name_count == 0;
    struct mapping_fragment *fragments = NULL;
    struct mapping_error cause;
    enum mapping_status status = choose_fragments(&one, arch->number, &fragments, count, &cause);
    free(fragments);
    *count = 0;
    if (status == MAPPING_OK)
        return show(&one, reports, count, error);
    if (status == MAPPING_UNAVAILABLE)
        return MAPPING_OK;
    *error = cause;
    return status;
}

enum mapping_status diff(const struct options *options, FILE *file, struct mapping_error *error) {
    struct report *reports[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    enum mapping_status status = MAPPING_OK;
    for (int side = 0; side < 2 && (status == MAPPING_OK || status == MAPPING_NO_FORMULA); side++)
        status = show_side(options, options->diff[side], &reports[side], &counts[side], error);
    if (status == MAPPING_OK && counts[0] + counts[1] == 0)
        status = mapping_fail(error, MAPPING_UNAVAILABLE, "neither sm_%u nor sm_%u has it",
                              options->diff[0]->number, options->diff[1]->number);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA) {
        struct comparison comparison = {.first = options->diff[0]->number,
                                        .second = options->diff[1]->number};
        comparison.items = calloc(counts[0] + counts[1] + 1, sizeof *comparison.items);
        if (comparison.items) {
            compare(reports[0], counts[0], reports[1], counts[1], &comparison);
            options->output->comparison(file, &comparison);
            status = comparison.count > 0 ? MAPPING_DIFFERS : MAPPING_OK;
        } else {
            status = mapping_fail(error, MAPPING_FAILED, "out of memory");
        }
        free(comparison.items);
    }
    show_free(reports[0], counts[0]);
    show_free(reports[1], counts[1]);
    return status;
}
