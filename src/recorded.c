/* recorded.c - the source that is always there: results/ as they were when the program was built.
 */
#include "recorded.h"

#include "results.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

const char *recorded_file(unsigned arch, enum mapping_instruction instruction) {
    /* What lies together with others; wmma lies by architecture. */
    static const char *const names[MAPPING_INSTRUCTIONS] = {[MAPPING_MMA] = "mma",
                                                            [MAPPING_MMA_SP] = "mma.sp",
                                                            [MAPPING_LDMATRIX] = "ldmatrix",
                                                            [MAPPING_STMATRIX] = "ldmatrix",
                                                            [MAPPING_MOVMATRIX] = "ldmatrix",
                                                            [MAPPING_WGMMA] = "wgmma",
                                                            [MAPPING_WGMMA_SP] = "wgmma"};
    char own[16], mark[16];
    snprintf(own, sizeof own, "sm_%u", arch);
    snprintf(mark, sizeof mark, " %u ", arch);
    const char *wanted = names[instruction] ? names[instruction] : own;
    for (const struct recorded *file = recorded_files; file->name; file++)
        if (strcmp(file->name, wanted) == 0 && strstr(file->archs, mark))
            return file->text;
    return NULL;
}

/* Where the section with this header starts from `text` on, or NULL. */
static const char *find_section(const char *text, const char *header) {
    for (const char *place = text; place && (place = strstr(place, header)); place++)
        if (place == text || place[-1] == '\n')
            return place;
    return NULL;
}

const char *recorded_section(unsigned arch, const struct mapping_fragment *fragment,
                             const char **place) {
    char name[MAPPING_NAME_SIZE], header[MAPPING_NAME_SIZE + 32];
    const char *text = recorded_file(arch, fragment->instruction);
    if (!text)
        return NULL;
    mapping_fragment_name(fragment, name);
    snprintf(header, sizeof header, "# %s on sm_%u\n", name, arch);
    bool inside = *place && *place >= text && *place < text + strlen(text);
    const char *found = find_section(inside ? *place : text, header);
    if (!found && inside)
        found = find_section(text, header);
    if (found)
        *place = found;
    return found;
}

/* Makes the map of one fragment; *place as of recorded_section. */
static enum mapping_status observe_one(unsigned arch, const struct mapping_fragment *fragment,
                                       const char **place, struct mapping_map *map,
                                       struct provenance *provenance, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    const char *found = recorded_section(arch, fragment, place);
    if (!found)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s on sm_%u is not recorded", name, arch);
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

bool recorded_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return recorded_file(arch, fragment->instruction) != NULL;
}

enum mapping_status recorded_observe(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct mapping_map *maps, struct provenance *provenances,
                                     struct mapping_error *error) {
    (void)options;
    const char *place = NULL;
    for (size_t f = 0; f < count; f++) {
        enum mapping_status status =
            observe_one(arch, &fragments[f], &place, &maps[f], &provenances[f], error);
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}
