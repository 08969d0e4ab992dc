/* recorded.c - the source that is always there: results/ as they were when the program was built.
 */
#include "recorded.h"

#include "results.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

/* Where the section with this header starts, or NULL. */
static const char *find_section(const char *header) {
    for (const char *place = recorded_text; (place = strstr(place, header)); place++)
        if (place == recorded_text || place[-1] == '\n')
            return place;
    return NULL;
}

static enum mapping_status observe_one(unsigned arch, const struct mapping_fragment *fragment,
                                       struct mapping_map *map, struct provenance *provenance,
                                       struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE], header[MAPPING_NAME_SIZE + 32];
    mapping_fragment_name(fragment, name);
    snprintf(header, sizeof header, "# %s on sm_%u\n", name, arch);
    const char *place = find_section(header);
    if (!place)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s on sm_%u is not recorded", name, arch);
    struct results_reader reader = results_read(place);
    struct section section;
    bool more;
    enum mapping_status status = results_next(&reader, &section, &more, error);
    if (status != MAPPING_OK)
        return status;
    status = section_map(&section, map, error);
    *provenance = section.provenance;
    provenance->recorded = true;
    section_free(&section);
    return status;
}

enum mapping_status recorded_observe(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct mapping_map *maps, struct provenance *provenances,
                                     struct mapping_error *error) {
    (void)options;
    for (size_t f = 0; f < count; f++) {
        enum mapping_status status =
            observe_one(arch, &fragments[f], &maps[f], &provenances[f], error);
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}
