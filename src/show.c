/* show.c - from a request to reports: which architecture, which fragments, which source. */
#include "show.h"

#include "nearest.h"

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

/* Collects the fragments that an architecture has, all if it is 0; those of one type if it is
 * given. */
static struct mapping_fragment *collect_fragments(unsigned arch, const enum mapping_type *type,
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

/* Fails with the names that are nearest to one that does not exist. */
static enum mapping_status unknown_fragment(const char *name, struct mapping_error *error) {
    char candidate[MAPPING_NAME_SIZE], hint[256];
    struct mapping_fragment fragment;
    struct nearest nearest = nearest_to(name);
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, candidate);
        nearest_offer(&nearest, candidate);
    }
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown fragment '%.100s'%s", name,
                        *hint ? hint : "; --list shows all that there are");
}

/* Finds the fragments that are named. `fragments` has room for all operands of each. */
static enum mapping_status find_named(const struct options *options,
                                      struct mapping_fragment *fragments, size_t *count,
                                      struct mapping_error *error) {
    *count = 0;
    for (size_t n = 0; n < options->name_count; n++) {
        size_t found = mapping_catalogue_find(options->names[n], fragments + *count);
        if (found == 0)
            return unknown_fragment(options->names[n], error);
        for (size_t f = 0; f < found; f++)
            if (options->type_given && options->type != fragments[*count + f].type)
                return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s",
                                    mapping_type_name(options->type), options->names[n]);
        *count += found;
    }
    return MAPPING_OK;
}

/* The first accumulator of a type: the 16x16 one, where there is one. */
static enum mapping_status find_default(const struct options *options,
                                        struct mapping_fragment *fragment,
                                        struct mapping_error *error) {
    enum mapping_type type = options->type_given ? options->type : MAPPING_F32;
    for (size_t index = 0; mapping_catalogue_at(index, fragment); index++)
        if (fragment->operand == 'd' && fragment->type == type)
            return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID,
        "there is no accumulator of %s; --list --type=%s shows the fragments that are",
        mapping_type_name(type), mapping_type_name(type));
}

enum mapping_status choose_fragments(const struct options *options, unsigned arch,
                                     struct mapping_fragment **fragments, size_t *count,
                                     struct mapping_error *error) {
    if (options->all) {
        *fragments = collect_fragments(arch, options->type_given ? &options->type : NULL, count);
        if (*fragments && *count == 0)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no fragment%s%s", arch,
                                options->type_given ? " of " : "",
                                options->type_given ? mapping_type_name(options->type) : "");
        return *fragments ? MAPPING_OK : mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    *fragments = calloc(options->name_count + 1, MAPPING_OPERANDS * sizeof **fragments);
    if (!*fragments)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    *count = 1;
    enum mapping_status status = options->name_count > 0
                                     ? find_named(options, *fragments, count, error)
                                     : find_default(options, *fragments, error);
    for (size_t f = 0; f < *count && status == MAPPING_OK && arch != 0; f++) {
        const struct mapping_fragment *fragment = &(*fragments)[f];
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(fragment, name);
        if (fragment->since > arch)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; sm_%u and later have",
                                arch, name, fragment->since);
        status = question_check(&options->style.question, fragment, error);
    }
    return status;
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
    for (size_t r = 0; r < count; r++) {
        report_free(&reports[r]);
        reports[r] = (struct report){0};
    }
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
            mapping_fail(error, status, "%.700s%s", cause.message,
                         source->observe == sass_observe ? "; --source=recorded needs no tools"
                                                         : "");
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
                                   const char *first, const char *source,
                                   struct mapping_error *error) {
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
                    first, other->map.plane[MAPPING_ROW][entry],
                    other->map.plane[MAPPING_COL][entry], source);
    provenance_append(&report->provenance, &other->provenance);
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
            agreed = confirm(&reports[r], &others[r], options->sources[0]->name,
                             options->sources[s]->name, error);
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
