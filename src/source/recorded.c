/* recorded.c - the source that is always there: results/ as they were when the program was built.
 */
#include "source/recorded.h"

#include "report/section.h"
#include "source/source.h"

#include <stdio.h>
#include <string.h>

/* ---- The index ---- */

const char *recorded_text(const struct recorded_section *section) {
    return recorded_files[section->file].text + section->offset;
}

/* Compares the name of the fragment that a section is of with `name`. */
static int compare_name(const struct recorded_section *section, const char *name) {
    return strcmp(recorded_names + section->name, name);
}

const struct recorded_section *recorded_find(const struct mapping_fragment *fragment,
                                             size_t *count) {
    char name[MAPPING_NAME_SIZE];
    size_t low = 0, high = recorded_index_count;
    mapping_fragment_name(fragment, name);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_name(&recorded_index[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < recorded_index_count; ++*count)
        if (compare_name(&recorded_index[low + *count], name) != 0)
            break;
    return &recorded_index[low];
}

/* The section of a fragment on an architecture, NULL if there is none. */
static const struct recorded_section *find_on(unsigned arch,
                                              const struct mapping_fragment *fragment) {
    size_t count;
    const struct recorded_section *section = recorded_find(fragment, &count);
    for (size_t n = 0; n < count; n++)
        if (section[n].arch == arch)
            return &section[n];
    return NULL;
}

bool recorded_provenance(const struct recorded_section *section, const char *kind,
                         struct provenance *provenance) {
    const char *source = recorded_sources + section->source;
    if (kind && !strstr(source, kind)) /* most have none, and parsing takes longer */
        return false;
    return provenance_parse(source, provenance) && (!kind || provenance_find(provenance, kind));
}

/* ---- The source ---- */

bool recorded_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return find_on(arch, fragment) != NULL;
}

/* Reads one section. The layout has to be freed in any case. */
static enum mapping_status read_section(const struct recorded_section *recorded,
                                        struct mapping_layout *layout,
                                        struct provenance *provenance,
                                        struct mapping_error *error) {
    struct section_reader reader = section_reader_of(recorded_text(recorded));
    struct section section;
    struct mapping_error cause;
    char name[MAPPING_NAME_SIZE];
    bool more;
    *layout = (struct mapping_layout){.from.count = 0};
    enum mapping_status status = section_read(&reader, &section, &more, &cause);
    if (status == MAPPING_OK)
        status = section_layout(&section, layout, &cause);
    *provenance = section.provenance;
    section_free(&section);
    if (status == MAPPING_FAILED)
        *error = cause;
    if (status == MAPPING_OK || status == MAPPING_FAILED)
        return status;
    mapping_fragment_name(&section.fragment, name);
    return mapping_fail(error, MAPPING_FAILED, "what was built in for %s on sm_%u is damaged: %-s",
                        name, recorded->arch, cause.message);
}

enum mapping_status recorded_layout(const struct recorded_section *section,
                                    struct mapping_layout *layout, struct mapping_error *error) {
    struct provenance provenance;
    return read_section(section, layout, &provenance, error);
}

static enum mapping_status read_back(struct observation *observed, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    const struct recorded_section *section = find_on(observed->arch, &observed->fragment);
    mapping_fragment_name(&observed->fragment, name);
    if (!section)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s on sm_%u is not recorded", name,
                            observed->arch);
    enum mapping_status status =
        read_section(section, &observed->layout, &observed->provenance, error);
    for (unsigned e = 0; e < observed->provenance.count && status == MAPPING_OK; e++)
        observed->provenance.evidence[e].is_recorded = true;
    return status;
}

enum mapping_status recorded_observe(unsigned arch, struct observation *const *observations,
                                     size_t count, const struct machinery *machinery,
                                     struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, read_back, error);
}

/* ---- Confirmation ---- */

enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error) {
    size_t count;
    enum mapping_status status = MAPPING_OK;
    const struct recorded_section *section = recorded_find(&observed->fragment, &count);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        struct provenance provenance;
        struct mapping_layout layout;
        if (!recorded_provenance(&section[n], "gpu", &provenance))
            continue;
        status = read_section(&section[n], &layout, &provenance, error);
        if (status == MAPPING_OK && mapping_layout_equal(&layout, &observed->layout)) {
            observed->confirmation.arch = section[n].arch;
            snprintf(observed->confirmation.with, sizeof observed->confirmation.with, "%s",
                     provenance_find(&provenance, "gpu")->with);
            n = count;
        }
        mapping_layout_free(&layout);
    }
    return status;
}
