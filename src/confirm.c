/* confirm.c - what observation confirms a statement of the PTX ISA; see confirm.h. */
#include "confirm.h"

#include "recorded.h"
#include "results.h"

#include <stdio.h>
#include <string.h>

/* The evidence of a device, or NULL. */
static const struct evidence *find_gpu(const struct provenance *provenance) {
    for (unsigned e = 0; e < provenance->count; e++)
        if (strcmp(provenance->evidence[e].kind, "gpu") == 0)
            return &provenance->evidence[e];
    return NULL;
}

/* True if the section was observed on a device and shows the same map; notes with what. */
static bool confirms(const char *text, struct report *report) {
    struct results_reader reader = results_read(text);
    struct mapping_error error;
    struct mapping_map map = {0};
    struct section section;
    bool more, same = false;
    if (results_next(&reader, &section, &more, &error) != MAPPING_OK || !more)
        return false;
    const struct evidence *gpu = find_gpu(&section.provenance);
    if (gpu && section_map(&section, &map, &error) == MAPPING_OK)
        same = mapping_map_equal(&map, &report->map);
    if (same)
        snprintf(report->confirmation.with, sizeof report->confirmation.with, "%s", gpu->with);
    mapping_map_free(&map);
    section_free(&section);
    return same;
}

void confirm_statement(struct report *report, const char **place) {
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)) && report->confirmation.arch == 0; a++) {
        const char *text = recorded_section(arch->number, &report->fragment, place);
        if (text && confirms(text, report))
            report->confirmation.arch = arch->number;
    }
}
