/* source.c - the table of sources. */
#include "source/source.h"

#include "layout/sentence.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

static const struct source sources[] = {
    {
        .name = "gpu",
        .observe = gpu_observe,
        .covers = gpu_covers,
        .lacks = "there is no probe for it",
        .help = "a kernel that runs on the installed GPU",
        .on_failure = "",
        .needs_device = true,
    },
    {
        .name = "sass",
        .observe = sass_observe,
        .covers = sass_covers,
        .lacks = "SASS reveals only the layouts of wmma",
        .help = "the SASS that ptxas generates, interpreted on the CPU: needs ptxas and nvdisasm, "
                "but no GPU",
        .on_failure = "; --source=recorded needs no tools",
        .needs_toolkit = true,
    },
    {
        .name = "recorded",
        .observe = recorded_observe,
        .covers = recorded_covers,
        .lacks = "it is not recorded",
        .help = "earlier results of gpu and sass, which are built into this program",
        .on_failure = "",
        .is_recorded = true,
    },
    {
        .name = "published",
        .observe = published_observe,
        .covers = published_covers,
        .lacks = "no layout of it was published",
        .help = "layouts that others measured and published",
        .on_failure = "",
    },
    {
        .name = "isa",
        .observe = isa_observe,
        .covers = isa_covers,
        .lacks = "the PTX ISA does not specify it",
        .help = "the text of the PTX ISA, for all instructions except wmma",
        .on_failure = "",
        .is_statement = true,
    },
};

_Static_assert(sizeof sources / sizeof *sources <= SOURCES_MAX, "more than source.h says");

const struct source *source_at(size_t index) {
    return index < sizeof sources / sizeof *sources ? &sources[index] : NULL;
}

void sources_covering(unsigned arch, const struct mapping_fragment *fragment,
                      char text[SOURCES_TEXT]) {
    const char *names[SOURCES_MAX];
    size_t count = 0;
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        if (sources[s].covers(arch, fragment))
            names[count++] = sources[s].name;
    *text = '\0';
    for (size_t n = 0; n < count; n++)
        mapping_append(text, SOURCES_TEXT, "%s--source=%s",
                       n == 0          ? ""
                       : n + 1 < count ? ", "
                                       : " or ",
                       names[n]);
}

const struct source *source_find(const char *name) {
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        if (strcmp(name, sources[s].name) == 0)
            return &sources[s];
    return NULL;
}

/* ---- Observations that do not need each other ---- */

struct each {
    struct observation *const *observations;
    observe_one_function *observe;
    enum mapping_status *statuses;
    struct mapping_error *errors;
};

static void observe_nth(void *context, size_t n) {
    struct each *each = context;
    each->statuses[n] = each->observe(each->observations[n], &each->errors[n]);
}

enum mapping_status observe_each(struct observation *const *observations, size_t count,
                                 observe_one_function *observe, struct mapping_error *error) {
    struct each each = {observations, observe, memory_get(count, sizeof *each.statuses),
                        memory_get(count, sizeof *each.errors)};
    enum mapping_status status = MAPPING_OK;
    parallel_for(count, observe_nth, &each);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        if ((status = each.statuses[n]) != MAPPING_OK)
            *error = each.errors[n];
    memory_free(each.errors);
    return status;
}
