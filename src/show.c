/* show.c - from a request to reports: which architecture, which fragments, which source. */
#include "show.h"

#include "confirm.h"
#include "nearest.h"
#include "parallel.h"

#include <fnmatch.h>
#include <stdio.h>
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

/* Fragments as they are collected. */
struct collection {
    struct mapping_fragment *fragments;
    size_t count, room;
};

/* Adds one. False if out of memory. */
static bool collect(struct collection *collection, const struct mapping_fragment *fragment) {
    if (collection->count == collection->room) {
        size_t room = collection->room ? 2 * collection->room : 64;
        struct mapping_fragment *bigger =
            realloc(collection->fragments, room * sizeof *collection->fragments);
        if (!bigger)
            return false;
        collection->fragments = bigger;
        collection->room = room;
    }
    collection->fragments[collection->count++] = *fragment;
    return true;
}

/* True if the fragment is of the type and operand that are asked for, if any. */
static bool is_asked_for(const struct options *options, const struct mapping_fragment *fragment) {
    return (!options->type_given || fragment->type == options->type) &&
           (!options->operand || fragment->operand == options->operand);
}

/* True if every source that is named has the fragment. */
static bool is_covered(const struct options *options, unsigned arch,
                       const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < options->source_count && arch != 0; s++)
        if (!options->sources[s]->covers(arch, fragment))
            return false;
    return true;
}

/* Collects what the architecture, or any if it is 0, and the named sources have of the fragments
 * whose names match the pattern, all if it is NULL. */
static enum mapping_status find_matching(const struct options *options, unsigned arch,
                                         const char *pattern, struct collection *collection,
                                         struct mapping_error *error) {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    size_t before = collection->count;
    bool exists = false;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, name);
        if ((pattern && fnmatch(pattern, name, 0) != 0) || !is_asked_for(options, &fragment))
            continue;
        exists = true;
        if ((arch == 0 || mapping_fragment_on(&fragment, arch)) &&
            is_covered(options, arch, &fragment) && !collect(collection, &fragment))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    if (!exists)
        return mapping_fail(error, MAPPING_INVALID, "no fragment%s%.60s is so; --list shows all",
                            pattern ? " " : "", pattern ? pattern : "");
    if (collection->count == before)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no such fragment%s", arch,
                            options->source_count ? " that the source covers" : "");
    return MAPPING_OK;
}

/* Fails with the names that are nearest to one that does not exist. */
static enum mapping_status unknown_fragment(const char *name, struct mapping_error *error) {
    char candidate[MAPPING_NAME_SIZE], hint[448];
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    struct nearest nearest = nearest_to(name);
    for (size_t index = 0; strstr(name, ".sync.") && mapping_opcode_at(index, &opcode); index++)
        nearest_offer(&nearest, opcode.text);
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, candidate);
        nearest_offer(&nearest, candidate);
    }
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown fragment '%.100s'%s", name,
                        *hint ? hint : "; --list shows all that there are");
}

/* Finds the fragments that one name stands for. */
static enum mapping_status find_one(const struct options *options, const char *name,
                                    struct collection *collection, struct mapping_error *error) {
    struct mapping_fragment found[MAPPING_OPERANDS];
    size_t count = mapping_catalogue_find(name, found), taken = 0;
    if (count == 0)
        return unknown_fragment(name, error);
    for (size_t f = 0; f < count; f++) {
        if (!is_asked_for(options, &found[f]))
            continue;
        taken++;
        if (!collect(collection, &found[f]))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    if (taken == 0 && options->type_given)
        return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s",
                            mapping_type_name(options->type), name);
    if (taken == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.100s has no operand %s in registers", name,
                            mapping_operand_name(options->operand));
    return MAPPING_OK;
}

/* Finds the fragments that are named. */
static enum mapping_status find_named(const struct options *options, unsigned arch,
                                      struct collection *collection, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < options->name_count && status == MAPPING_OK; n++) {
        const char *name = options->names[n];
        status = strpbrk(name, "*?") && !strchr(name, '<')
                     ? find_matching(options, arch, name, collection, error)
                     : find_one(options, name, collection, error);
    }
    return status;
}

/* The first accumulator of a type: the 16x16 one, where there is one; or the first of another
 * operand. */
static enum mapping_status find_default(const struct options *options,
                                        struct collection *collection,
                                        struct mapping_error *error) {
    struct mapping_fragment fragment;
    struct options wanted = *options;
    if (!wanted.operand)
        wanted.operand = 'd';
    if (!wanted.type_given && (wanted.operand == 'c' || wanted.operand == 'd')) {
        wanted.type_given = true;
        wanted.type = MAPPING_F32;
    }
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        if (is_asked_for(&wanted, &fragment))
            return collect(collection, &fragment)
                       ? MAPPING_OK
                       : mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (options->operand)
        return mapping_fail(error, MAPPING_INVALID,
                            "there is no operand %s of %s; --list shows the fragments that are",
                            mapping_operand_name(wanted.operand), mapping_type_name(wanted.type));
    return mapping_fail(
        error, MAPPING_INVALID,
        "there is no accumulator of %s; --list --type=%s shows the fragments that are",
        mapping_type_name(wanted.type), mapping_type_name(wanted.type));
}

/* Checks that the architecture has the fragment, and what is asked about it. */
static enum mapping_status check_fragment(const struct options *options, unsigned arch,
                                          const struct mapping_fragment *fragment,
                                          struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE], range[48];
    mapping_fragment_name(fragment, name);
    if (mapping_fragment_on(fragment, arch))
        return question_check(&options->style.question, fragment, error);
    snprintf(range, sizeof range, "sm_%u and later have", fragment->since);
    if (fragment->until == fragment->since)
        snprintf(range, sizeof range, "only sm_%u has", fragment->since);
    return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; %s", arch, name, range);
}

enum mapping_status choose_fragments(const struct options *options, unsigned arch,
                                     struct mapping_fragment **fragments, size_t *count,
                                     struct mapping_error *error) {
    struct collection collection = {NULL, 0, 0};
    enum mapping_status status =
        options->all              ? find_matching(options, arch, NULL, &collection, error)
        : options->name_count > 0 ? find_named(options, arch, &collection, error)
                                  : find_default(options, &collection, error);
    for (size_t f = 0; f < collection.count && status == MAPPING_OK && arch != 0; f++)
        status = check_fragment(options, arch, &collection.fragments[f], error);
    *fragments = collection.fragments;
    *count = collection.count;
    return status;
}

/* ---- Where it comes from ---- */

/* Fails if the source does not have one of the fragments at all. */
static enum mapping_status check_coverage(const struct source *source, unsigned arch,
                                          const struct mapping_fragment *fragments, size_t count,
                                          struct mapping_error *error) {
    for (size_t f = 0; f < count; f++)
        if (!source->covers(arch, &fragments[f])) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(&fragments[f], name);
            return mapping_fail(error, MAPPING_UNAVAILABLE, "cannot show %s on sm_%u: %s", name,
                                arch, source->lacks);
        }
    return MAPPING_OK;
}

/* The reports whose formulae are deduced, and how that went. */
struct deductions {
    struct report *reports;
    enum mapping_status *statuses;
    struct mapping_error *errors;
};

static void deduce_one(void *context, size_t r) {
    struct deductions *deductions = context;
    deductions->statuses[r] = report_deduce(&deductions->reports[r], &deductions->errors[r]);
}

/* Deduces the formulae of all reports. MAPPING_NO_FORMULA if one has none. */
static enum mapping_status deduce_all(struct report *reports, size_t count,
                                      struct mapping_error *error) {
    struct deductions deductions = {reports, calloc(count, sizeof *deductions.statuses),
                                    calloc(count, sizeof *deductions.errors)};
    enum mapping_status status = MAPPING_OK;
    if (!deductions.statuses || !deductions.errors)
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    else
        parallel_for(count, deduce_one, &deductions);
    for (size_t r = 0; r < count && (status == MAPPING_OK || status == MAPPING_NO_FORMULA); r++) {
        enum mapping_status one = deductions.statuses[r];
        if (one != MAPPING_OK)
            status = one;
        if (one != MAPPING_OK && one != MAPPING_NO_FORMULA)
            *error = deductions.errors[r];
    }
    free(deductions.statuses);
    free(deductions.errors);
    return status;
}

enum mapping_status show_from(const struct source *source, unsigned arch,
                              const struct mapping_fragment *fragments, size_t count,
                              const struct source_options *options, struct report *reports,
                              struct mapping_error *error) {
    struct mapping_map *maps = calloc(count, sizeof *maps);
    struct provenance *provenances = calloc(count, sizeof *provenances);
    struct mapping_error cause;
    enum mapping_status status = MAPPING_FAILED;
    const char *place = NULL;
    if (!maps || !provenances)
        mapping_fail(&cause, MAPPING_FAILED, "out of memory");
    else
        status = check_coverage(source, arch, fragments, count, &cause);
    if (status == MAPPING_OK)
        status = source->observe(arch, fragments, count, options, maps, provenances, &cause);
    for (size_t f = 0; f < count && maps && provenances; f++) {
        reports[f].arch = arch;
        reports[f].fragment = fragments[f];
        reports[f].map = maps[f];
        reports[f].provenance = provenances[f];
    }
    if (status == MAPPING_OK)
        status = deduce_all(reports, count, &cause);
    for (size_t f = 0; f < count && status == MAPPING_OK && source->observe == isa_observe; f++)
        confirm_statement(&reports[f], &place);
    free(maps);
    free(provenances);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
        return status;
    return mapping_fail(error, status, "%s: %.700s", source->name, cause.message);
}

/* Empties reports for another attempt. */
static void clear(struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++) {
        report_free(&reports[r]);
        reports[r] = (struct report){0};
    }
}

/* Fragments that are still without a report, out of all that are wanted, and what the sources lack
 * that could not serve. */
struct open_requests {
    struct mapping_fragment *fragments; /* those that one source covers */
    struct report *reports;             /* of these */
    size_t *places;                     /* of these among all */
    bool *is_served;                    /* of all */
    char reasons[640];
};

/* Lets one source make the reports that are missing and that it covers. Says nothing where the
 * source cannot serve. */
static enum mapping_status try_source(const struct source *source, unsigned arch,
                                      const struct mapping_fragment *fragments, size_t count,
                                      const struct source_options *options,
                                      struct open_requests *open, struct report *reports,
                                      struct mapping_error *error) {
    size_t covered = 0;
    for (size_t f = 0; f < count; f++)
        if (!open->is_served[f] && source->covers(arch, &fragments[f])) {
            open->fragments[covered] = fragments[f];
            open->places[covered++] = f;
        }
    if (covered == 0)
        return MAPPING_OK;
    struct mapping_error cause;
    enum mapping_status status =
        show_from(source, arch, open->fragments, covered, options, open->reports, &cause);
    if (status == MAPPING_UNAVAILABLE) {
        size_t length = strlen(open->reasons);
        snprintf(open->reasons + length, sizeof open->reasons - length, "%s%.200s",
                 length ? "; " : "", cause.message);
        clear(open->reports, covered);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK && status != MAPPING_NO_FORMULA) {
        clear(open->reports, covered);
        return mapping_fail(error, status, "%.700s%s", cause.message,
                            source->observe == sass_observe ? "; --source=recorded needs no tools"
                                                            : "");
    }
    for (size_t n = 0; n < covered; n++) {
        reports[open->places[n]] = open->reports[n];
        open->reports[n] = (struct report){0};
        open->is_served[open->places[n]] = true;
    }
    return status;
}

/* For each fragment the first source that can serve. What the others lack is said if none can. */
static enum mapping_status show_auto(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct report *reports, struct mapping_error *error) {
    struct open_requests open = {.fragments = calloc(count, sizeof *open.fragments),
                                 .reports = calloc(count, sizeof *open.reports),
                                 .places = calloc(count, sizeof *open.places),
                                 .is_served = calloc(count, sizeof *open.is_served)};
    enum mapping_status status = MAPPING_OK, worst = MAPPING_OK;
    if (!open.fragments || !open.reports || !open.places || !open.is_served)
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    const struct source *source;
    for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++) {
        status = try_source(source, arch, fragments, count, options, &open, reports, error);
        if (status == MAPPING_NO_FORMULA) {
            worst = status;
            status = MAPPING_OK;
        }
    }
    for (size_t f = 0; f < count && status == MAPPING_OK; f++)
        if (!open.is_served[f])
            status = mapping_fail(error, MAPPING_UNAVAILABLE, "no source can serve: %.700s",
                                  open.reasons);
    free(open.fragments);
    free(open.reports);
    free(open.places);
    free(open.is_served);
    return status == MAPPING_OK ? worst : status;
}

/* Writes where an entry is: "row 3, column 5". */
static void print_place(const struct mapping_map *map, uint32_t entry, char *text, size_t size) {
    uint32_t cell = mapping_map_cell(map, entry);
    char block[24] = "";
    if (map->blocks > 1)
        snprintf(block, sizeof block, "block %u, ", cell / map->cols / map->rows);
    snprintf(text, size, "%srow %u, column %u", block, cell / map->cols % map->rows,
             cell % map->cols);
}

/* Adds the evidence of a further source if it agrees in every entry. */
static enum mapping_status confirm(struct report *report, const struct report *other,
                                   const char *first, const char *source,
                                   struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&report->fragment, name);
    const struct mapping_map *map = &report->map;
    for (uint32_t entry = 0; entry < mapping_map_entries(map); entry++)
        if (mapping_map_cell(map, entry) != mapping_map_cell(&other->map, entry)) {
            char place[64], other_place[64];
            print_place(map, entry, place, sizeof place);
            print_place(&other->map, entry, other_place, sizeof other_place);
            return mapping_fail(error, MAPPING_DIFFERS,
                                "%s on sm_%u: thread %u, element %u is at %s says %s, but %s says "
                                "%s",
                                name, report->arch, entry / map->elements, entry % map->elements,
                                place, first, other_place, source);
        }
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
