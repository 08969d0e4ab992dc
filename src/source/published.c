/* published.c - the source of what others have printed on hardware: results/published.txt,
 * embedded when the program is built. Above each of its tables stand the fragments that it shows,
 * and on what: "# wmma.m16n16k16.d.f32 on sm_80: A100". */
#include "source/published.h"

#include "report/reader.h"
#include "report/section.h"

#include <stdio.h>
#include <string.h>

/* Whose program printed them all. */
#define BY ", cuda-tensorcores-register-mapping"

/* Finds the line of a fragment, and writes where the hardware is named; NULL if there is none. */
static const char *find_line(unsigned arch, const struct mapping_fragment *fragment,
                             const char **hardware) {
    char name[MAPPING_NAME_SIZE], start[MAPPING_NAME_SIZE + 24];
    mapping_fragment_name(fragment, name);
    size_t length = (size_t)snprintf(start, sizeof start, "\n# %s on sm_%u: ", name, arch);
    const char *line = strstr(recorded_published, start);
    if (!line)
        return NULL;
    *hardware = line + length;
    return line + 1;
}

bool published_covers(unsigned arch, const struct mapping_fragment *fragment) {
    const char *hardware;
    return find_line(arch, fragment, &hardware) != NULL;
}

/* Reads the table behind a line. */
static enum mapping_status read_table(const char *line, struct observation *observed,
                                      struct mapping_error *error) {
    struct section_reader reader = section_reader_of(line);
    struct section section = {.fragment = observed->fragment, .arch = observed->arch};
    struct mapping_error cause;
    mapping_fragment_spaces(&section.fragment, &section.from, &section.to);
    while (*reader.next == '#')
        reader_skip_line(&reader);
    enum mapping_status status =
        section_read_grids(&reader, &section.from, &section.to,
                           mapping_fragment_copy_axis(&section.fragment), &section.grids, &cause);
    if (status == MAPPING_OK)
        status = section_layout(&section, &observed->layout, &cause);
    section_free(&section);
    return status == MAPPING_OK ? MAPPING_OK
                                : mapping_fail(error, MAPPING_FAILED,
                                               "a table that was built in: %-s", cause.message);
}

static enum mapping_status read_published(struct observation *observed,
                                          struct mapping_error *error) {
    const char *hardware = "", *line = find_line(observed->arch, &observed->fragment, &hardware);
    char name[MAPPING_NAME_SIZE], with[sizeof observed->provenance.evidence->with];
    mapping_fragment_name(&observed->fragment, name);
    if (!line)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "nobody printed %s on sm_%u", name,
                            observed->arch);
    snprintf(with, sizeof with, "%.*s" BY, (int)strcspn(hardware, "\n"), hardware);
    provenance_add(&observed->provenance, "published", with);
    return read_table(line, observed, error);
}

enum mapping_status published_observe(unsigned arch, struct observation *const *observations,
                                      size_t count, const struct machinery *machinery,
                                      struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, read_published, error);
}
