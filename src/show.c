/* show.c - from a request to reports: which architecture, which fragments, which source. */
#include "show.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is wanted ---- */

/* True if only these sources may serve and the GPU is one of them. */
static bool needs_gpu(const struct options *options) {
    for (size_t s = 0; s < options->source_count; s++)
        if (strcmp(options->sources[s]->name, "gpu") == 0)
            return true;
    return false;
}

/* Chooses the architecture: the one given, that of the GPU, or the default. */
static enum mapping_status choose_arch(const struct options *options, unsigned *arch,
                                       bool *is_default, struct mapping_error *error) {
    *is_default = false;
    *arch = options->arch ? options->arch->number : DEFAULT_ARCH;
    if (options->arch && !options->device_given)
        return MAPPING_OK;
    unsigned device_arch = 0;
    enum mapping_status status = gpu_arch(options->machinery.device, &device_arch, error);
    if (status == MAPPING_UNAVAILABLE && !options->device_given && !needs_gpu(options)) {
        *is_default = true;
        return MAPPING_OK;
    }
    if (!options->arch)
        *arch = device_arch;
    return status;
}

struct mapping_fragment *collect_fragments(unsigned arch, const enum mapping_type *type,
                                           size_t *count) {
    struct mapping_fragment fragment, *fragments = NULL;
    size_t room = 0;
    while (mapping_catalogue_at(room, &fragment))
        room++;
    *count = 0;
    fragments = malloc((room + 1) * sizeof *fragments); /* never of size 0 */
    for (size_t index = 0; fragments && mapping_catalogue_at(index, &fragment); index++)
        if ((arch == 0 || fragment.since <= arch) && (!type || fragment.type == *type))
            fragments[(*count)++] = fragment;
    return fragments;
}

/* Finds the fragments that are named; the 16x16 accumulator if none is. */
static enum mapping_status find_named(const struct options *options, unsigned arch,
                                      struct mapping_fragment *fragments,
                                      struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    if (options->name_count == 0) {
        snprintf(name, sizeof name, "wmma.m16n16k16.d.%s",
                 mapping_type_name(options->type_given ? options->type : MAPPING_F32));
        mapping_catalogue_find(name, &fragments[0]);
    }
    for (size_t n = 0; n < options->name_count; n++) {
        if (!mapping_catalogue_find(options->names[n], &fragments[n]))
            return mapping_fail(error, MAPPING_INVALID,
                                "unknown fragment '%.60s'; --list shows all that there are",
                                options->names[n]);
        if (options->type_given && options->type != fragments[n].type)
            return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.60s",
                                mapping_type_name(options->type), options->names[n]);
    }
    for (size_t n = 0; n == 0 || n < options->name_count; n++) {
        mapping_fragment_name(&fragments[n], name);
        if (fragments[n].since > arch)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; sm_%u and later have",
                                arch, name, fragments[n].since);
    }
    return MAPPING_OK;
}

/* Chooses the fragments. *fragments is for the caller to free. */
static enum mapping_status choose_fragments(const struct options *options, unsigned arch,
                                            struct mapping_fragment **fragments, size_t *count,
                                            struct mapping_error *error) {
    if (options->all) {
        *fragments = collect_fragments(arch, options->type_given ? &options->type : NULL, count);
        if (*fragments && *count == 0)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no such fragment", arch);
    } else {
        *count = options->name_count ? options->name_count : 1;
        *fragments = calloc(*count, sizeof **fragments);
        if (*fragments)
            return find_named(options, arch, *fragments, error);
    }
    return *fragments ? MAPPING_OK : mapping_fail(error, MAPPING_FAILED, "out of memory");
}

/* ---- Where it comes from ---- */

enum mapping_status show_from(const struct source *source, unsigned arch,
                              const struct mapping_fragment *fragments, size_t count,
                              const struct source_options *options, struct report *reports,
                              struct mapping_error *error) {
    struct mapping_map *maps = calloc(count, sizeof *maps);
    struct provenance *provenances = calloc(count, sizeof *provenances);
    struct mapping_error cause;
    enum mapping_status status = MAPPING_FAILED, worst = MAPPING_OK;
    if (!maps || !provenances)
        mapping_fail(&cause, MAPPING_FAILED, "out of memory");
    else
        status = source->observe(arch, fragments, count, options, maps, provenances, &cause);
    for (size_t f = 0; f < count && maps && provenances; f++) {
        reports[f].arch = arch;
        reports[f].fragment = fragments[f];
        reports[f].map = maps[f];
        reports[f].provenance = provenances[f];
        if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
            status = report_deduce(&reports[f], &cause);
        if (status == MAPPING_NO_FORMULA)
            worst = status;
    }
    free(maps);
    free(provenances);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
        return worst;
    return mapping_fail(error, status, "%s: %.700s", source->name, cause.message);
}

/* Empties reports for another attempt. */
static void clear(struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++)
        report_free(&reports[r]);
    memset(reports, 0, count * sizeof *reports);
}

/* The first source that can serve. What the others lack is said if none can. */
static enum mapping_status show_auto(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct report *reports, struct mapping_error *error) {
    char reasons[sizeof error->message] = "";
    const struct source *source;
    for (size_t s = 0; (source = source_at(s)); s++) {
        struct mapping_error cause;
        enum mapping_status status =
            show_from(source, arch, fragments, count, options, reports, &cause);
        if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
            return status;
        if (status != MAPPING_UNAVAILABLE) {
            *error = cause;
            return status;
        }
        clear(reports, count);
        size_t length = strlen(reasons);
        snprintf(reasons + length, sizeof reasons - length, "%s%.220s", s ? "; " : "",
                 cause.message);
    }
    return mapping_fail(error, MAPPING_UNAVAILABLE, "no source can serve: %.740s", reasons);
}

/* Adds the evidence of a further source if it agrees in every entry. */
static enum mapping_status confirm(struct report *report, const struct report *other,
                                   const char *source, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&report->fragment, name);
    for (uint32_t entry = 0; entry < mapping_map_entries(&report->map); entry++)
        for (int c = 0; c < MAPPING_COORDINATES; c++)
            if (report->map.plane[c][entry] != other->map.plane[c][entry])
                return mapping_fail(
                    error, MAPPING_DIFFERS,
                    "%s on sm_%u: thread %u, element %u is at row %u, column %u says %s, but row "
                    "%u, "
                    "column %u says %s",
                    name, report->arch, entry / report->map.elements, entry % report->map.elements,
                    report->map.plane[MAPPING_ROW][entry], report->map.plane[MAPPING_COL][entry],
                    report->provenance.evidence[0].kind, other->map.plane[MAPPING_ROW][entry],
                    other->map.plane[MAPPING_COL][entry], source);
    for (unsigned e = 0; e < other->provenance.count; e++)
        provenance_add(&report->provenance, other->provenance.evidence[e].kind,
                       other->provenance.evidence[e].with);
    return MAPPING_OK;
}

/* The sources that are named, all of them; they have to agree. */
static enum mapping_status show_named(const struct options *options, unsigned arch,
                                      const struct mapping_fragment *fragments, size_t count,
                                      struct report *reports, struct mapping_error *error) {
    enum mapping_status status =
        show_from(options->sources[0], arch, fragments, count, &options->machinery, reports, error);
    if (options->source_count == 1 || (status != MAPPING_OK && status != MAPPING_NO_FORMULA))
        return status;
    struct report *others = calloc(count, sizeof *others);
    if (!others)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status agreed = MAPPING_OK;
    for (size_t s = 1; s < options->source_count && agreed == MAPPING_OK; s++) {
        agreed = show_from(options->sources[s], arch, fragments, count, &options->machinery, others,
                           error);
        if (agreed == MAPPING_NO_FORMULA)
            agreed = MAPPING_OK;
        for (size_t r = 0; r < count && agreed == MAPPING_OK; r++)
            agreed = confirm(&reports[r], &others[r], options->sources[s]->name, error);
        clear(others, count);
    }
    free(others);
    return agreed == MAPPING_OK ? status : agreed;
}

enum mapping_status show(const struct options *options, struct report **reports, size_t *count,
                         struct mapping_error *error) {
    unsigned arch;
    bool is_default;
    struct mapping_fragment *fragments = NULL;
    *reports = NULL;
    *count = 0;
    enum mapping_status status = choose_arch(options, &arch, &is_default, error);
    if (status == MAPPING_OK)
        status = choose_fragments(options, arch, &fragments, count, error);
    if (status == MAPPING_OK && !(*reports = calloc(*count, sizeof **reports)))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        status = options->source_count == 0
                     ? show_auto(arch, fragments, *count, &options->machinery, *reports, error)
                     : show_named(options, arch, fragments, *count, *reports, error);
    for (size_t r = 0; r < *count && *reports; r++)
        (*reports)[r].default_arch = is_default;
    free(fragments);
    return status;
}

void show_free(struct report *reports, size_t count) {
    for (size_t r = 0; r < count && reports; r++)
        report_free(&reports[r]);
    free(reports);
}
