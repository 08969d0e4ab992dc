/* recorded.c - the source that is always there: results/ as they were when the program was built.
 */
#include "recorded.h"

#include "results.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

const char *recorded_file(unsigned arch) {
    char end[32];
    size_t length = (size_t)snprintf(end, sizeof end, " on sm_%u", arch);
    for (const char *const *file = recorded_files; *file; file++) {
        size_t first_line = strcspn(*file, "\n");
        if (first_line > length && strncmp(*file + first_line - length, end, length) == 0)
            return *file;
    }
    return NULL;
}

/* Where the section with this header starts from `text` on, or NULL. */
static const char *find_section(const char *text, const char *header) {
    for (const char *place = text; place && (place = strstr(place, header)); place++)
        if (place == text || place[-1] == '\n')
            return place;
    return NULL;
}

/* Makes the map of one fragment. *place is where the one before was found, or where the file
 * starts: fragments come mostly in the order of the file. */
static enum mapping_status observe_one(unsigned arch, const struct mapping_fragment *fragment,
                                       const char **place, struct mapping_map *map,
                                       struct provenance *provenance, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE], header[MAPPING_NAME_SIZE + 32];
    mapping_fragment_name(fragment, name);
    snprintf(header, sizeof header, "# %s on sm_%u\n", name, arch);
    const char *found = find_section(*place, header);
    if (!found)
        found = find_section(recorded_file(arch), header);
    if (!found)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s on sm_%u is not recorded", name, arch);
    *place = found;
    struct results_reader reader = results_read(found);
    struct section section;
    struct mapping_error cause;
    bool more;
    enum mapping_status status = results_next(&reader, &section, &more, &cause);
    if (status == MAPPING_OK)
        status = section_map(&section, map, &cause);
    if (status != MAPPING_OK) {
        section_free(&section);
        return mapping_fail(error, MAPPING_FAILED,
                            "what was built in for %s on sm_%u is damaged: %.400s", name, arch,
                            cause.message);
    }
    *provenance = section.provenance;
    for (unsigned e = 0; e < provenance->count; e++)
        provenance->evidence[e].recorded = true;
    section_free(&section);
    return status;
}

enum mapping_status recorded_observe(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct mapping_map *maps, struct provenance *provenances,
                                     struct mapping_error *error) {
    (void)options;
    const char *place = recorded_file(arch);
    for (size_t f = 0; f < count; f++) {
        enum mapping_status status =
            observe_one(arch, &fragments[f], &place, &maps[f], &provenances[f], error);
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}
