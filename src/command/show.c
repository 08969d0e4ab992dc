/* show.c - from a request to reports, and to what is printed of them; see show.h. */
#include "command/show.h"

#include "command/select.h"
#include "system/memory.h"

#include <stdlib.h>

/* Bytes that the reports take, about: for each entry its layout, its inverse, its text, and as much
 * again to make them. */
static size_t estimate_memory(const struct mapping_fragment *fragments, size_t count) {
    size_t entries = 0;
    for (size_t f = 0; f < count; f++)
        entries += (size_t)fragments[f].threads * fragments[f].elements;
    return entries * 48 + count * sizeof(struct report);
}

/* Lets the sources that are asked for observe the fragments of all reports. */
static enum mapping_status observe(const struct request *request, unsigned arch,
                                   const struct mapping_fragment *fragments, struct report *reports,
                                   size_t count, struct mapping_error *error) {
    struct observation **observations = malloc(count * sizeof *observations);
    if (!observations)
        return mapping_out_of_memory(error);
    for (size_t r = 0; r < count; r++) {
        observations[r] = &reports[r].observed;
        observations[r]->arch = arch;
        observations[r]->fragment = fragments[r];
    }
    enum mapping_status status =
        request->source_count == 0
            ? observe_with_any(observations, count, &request->machinery, error)
            : observe_with_all(request->sources, request->source_count, observations, count,
                               &request->machinery, error);
    free(observations);
    return status;
}

enum mapping_status make_reports(const struct request *request, unsigned arch,
                                 struct report **reports, size_t *count,
                                 struct mapping_error *error) {
    struct mapping_fragment *fragments = NULL;
    *reports = NULL;
    *count = 0;
    enum mapping_status status = select_fragments(request, arch, &fragments, count, error);
    if (status == MAPPING_OK) {
        memory_expect(estimate_memory(fragments, *count));
        *reports = calloc(*count, sizeof **reports);
        status = *reports ? observe(request, arch, fragments, *reports, *count, error)
                          : mapping_out_of_memory(error);
    }
    if (status == MAPPING_OK)
        status = derive_all(*reports, *count, &request->tile, error);
    free(fragments);
    return status;
}

enum mapping_status command_show(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    unsigned arch;
    bool is_default;
    struct report *reports = NULL;
    size_t count = 0;
    enum mapping_status status = select_arch(request, &arch, &is_default, error);
    if (status == MAPPING_OK)
        status = make_reports(request, arch, &reports, &count, error);
    for (size_t r = 0; r < count && reports; r++)
        reports[r].is_default_arch = is_default;
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA) {
        if (pages_init(pages, count + 2))
            request->output->reports(pages, reports, count, &request->style);
        else
            status = mapping_out_of_memory(error);
    }
    reports_free(reports, count);
    if (status == MAPPING_NO_FORMULA && request->style.question.kind != ASK_NOTHING)
        status = MAPPING_OK; /* nobody has asked for one */
    return status;
}
