/* show.c - from a request to reports: which source serves which fragment, and whether several
 * agree. */
#include "show.h"

#include "choose.h"
#include "confirm.h"
#include "memory.h"
#include "parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails if the source does not have one of the fragments at all. */
static enum mapping_status check_coverage(const struct source *source, unsigned arch,
                                          const struct mapping_fragment *fragments, size_t count,
                                          struct mapping_error *error) {
    for (size_t f = 0; f < count; f++)
        if (!source->covers(arch, &fragments[f])) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(&fragments[f], name);
            return mapping_fail(error, MAPPING_UNAVAILABLE, "%s: cannot show %s on sm_%u: %s",
                                source->name, name, arch, source->lacks);
        }
    return MAPPING_OK;
}

/* The reports whose formulae are deduced, and how that went. */
struct deductions {
    struct report *reports;
    const size_t *places;
    enum mapping_status *statuses;
    struct mapping_error *errors;
};

static void deduce_one(void *context, size_t n) {
    struct deductions *deductions = context;
    deductions->statuses[n] =
        report_deduce(&deductions->reports[deductions->places[n]], &deductions->errors[n]);
}

/* Deduces the formulae of the reports at these places. MAPPING_NO_FORMULA if one has none. */
static enum mapping_status deduce_all(struct report *reports, const size_t *places, size_t count,
                                      struct mapping_error *error) {
    struct deductions deductions = {reports, places, calloc(count, sizeof *deductions.statuses),
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

/* Makes the reports of some fragments from one source, each at its place. */
static enum mapping_status show_at(const struct source *source, unsigned arch,
                                   const struct mapping_fragment *fragments, const size_t *places,
                                   size_t count, const struct source_options *options,
                                   struct report *reports, struct mapping_error *error) {
    struct mapping_map *maps = calloc(count, sizeof *maps);
    struct provenance *provenances = calloc(count, sizeof *provenances);
    struct mapping_error cause;
    const char *place = NULL;
    enum mapping_status status =
        maps && provenances ? MAPPING_OK : mapping_fail(&cause, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        status = source->observe(arch, fragments, count, options, maps, provenances, &cause);
    for (size_t f = 0; f < count && maps && provenances; f++) {
        struct report *report = &reports[places[f]];
        report->arch = arch;
        report->fragment = fragments[f];
        report->map = maps[f];
        report->provenance = provenances[f];
    }
    if (status == MAPPING_OK)
        status = deduce_all(reports, places, count, &cause);
    for (size_t f = 0; f < count && status == MAPPING_OK && source->observe == isa_observe; f++)
        confirm_statement(&reports[places[f]], &place);
    free(maps);
    free(provenances);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
        return status;
    return mapping_fail(error, status, "%s: %.700s", source->name, cause.message);
}

enum mapping_status show_from(const struct source *source, unsigned arch,
                              const struct mapping_fragment *fragments, size_t count,
                              const struct source_options *options, struct report *reports,
                              struct mapping_error *error) {
    size_t *places = malloc(count * sizeof *places);
    if (!places)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t f = 0; f < count; f++)
        places[f] = f;
    enum mapping_status status =
        show_at(source, arch, fragments, places, count, options, reports, error);
    free(places);
    return status;
}

/* Empties a report for another attempt. */
static void clear(struct report *report) {
    report_free(report);
    *report = (struct report){0};
}

/* Fragments that are still without a report, out of all that are wanted, and what the sources lack
 * that could not serve. */
struct open_requests {
    struct mapping_fragment *fragments; /* those that one source covers */
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
        show_at(source, arch, open->fragments, open->places, covered, options, reports, &cause);
    if (status == MAPPING_UNAVAILABLE) {
        size_t length = strlen(open->reasons);
        snprintf(open->reasons + length, sizeof open->reasons - length, "%s%.200s",
                 length ? "; " : "", cause.message);
        for (size_t n = 0; n < covered; n++)
            clear(&reports[open->places[n]]);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK && status != MAPPING_NO_FORMULA)
        return mapping_fail(error, status, "%.700s%s", cause.message,
                            source->observe == sass_observe ? "; --source=recorded needs no tools"
                                                            : "");
    for (size_t n = 0; n < covered; n++)
        open->is_served[open->places[n]] = true;
    return status;
}

/* For each fragment the first source that can serve. What the others lack is said if none can. */
static enum mapping_status show_auto(unsigned arch, const struct mapping_fragment *fragments,
                                     size_t count, const struct source_options *options,
                                     struct report *reports, struct mapping_error *error) {
    struct open_requests open = {.fragments = calloc(count, sizeof *open.fragments),
                                 .places = calloc(count, sizeof *open.places),
                                 .is_served = calloc(count, sizeof *open.is_served)};
    enum mapping_status status = MAPPING_OK, worst = MAPPING_OK;
    if (!open.fragments || !open.places || !open.is_served)
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
    free(open.places);
    free(open.is_served);
    return status == MAPPING_OK ? worst : status;
}

/* Writes where an entry is: "row 3, column 5". */
static void print_place(const struct mapping_map *map, uint32_t entry, char *text, size_t size) {
    char block[24] = "";
    if (map->plane[MAPPING_BLOCK])
        snprintf(block, sizeof block, "block %u, ", map->plane[MAPPING_BLOCK][entry]);
    snprintf(text, size, "%srow %u, column %u", block, map->plane[MAPPING_ROW][entry],
             map->plane[MAPPING_COL][entry]);
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
    enum mapping_status status = MAPPING_OK;
    for (size_t s = 0; s < options->source_count && status == MAPPING_OK; s++)
        status = check_coverage(options->sources[s], arch, fragments, count, error);
    if (status == MAPPING_OK)
        status = show_from(options->sources[0], arch, fragments, count, &options->machinery,
                           reports, error);
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
        for (size_t r = 0; r < count; r++)
            clear(&others[r]);
    }
    free(others);
    return agreed == MAPPING_OK ? status : agreed;
}

/* Makes of the report of an atom that of the tile. MAPPING_NO_FORMULA if it has no formula. */
static enum mapping_status tile_report(const struct options *options, struct report *report,
                                       struct mapping_error *error) {
    struct mapping_map map;
    struct mapping_fragment tiled;
    enum mapping_status status =
        mapping_tile_map(&options->tiling, &report->fragment, &report->map, &map, error);
    if (status == MAPPING_OK)
        status = mapping_tile_fragment(&options->tiling, &report->fragment, &tiled, error);
    if (status != MAPPING_OK) {
        mapping_map_free(&map);
        return status;
    }
    report_free(report);
    report->map = map;
    report->fragment = tiled;
    report->tiling = options->tiling_text;
    return report_deduce(report, error);
}

/* Does so for all, if that is asked for. */
static enum mapping_status tile_reports(const struct options *options, struct report *reports,
                                        size_t count, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK, worst = MAPPING_OK;
    for (size_t r = 0; r < count && (status == MAPPING_OK || status == MAPPING_NO_FORMULA); r++) {
        status = tile_report(options, &reports[r], error);
        if (status == MAPPING_NO_FORMULA)
            worst = status;
    }
    return status == MAPPING_OK ? worst : status;
}

/* Bytes that the reports take, about: for each entry its map, its holder, its text, and as much
 * again to make them. */
static size_t estimate_memory(const struct mapping_fragment *fragments, size_t count) {
    size_t entries = 0;
    for (size_t f = 0; f < count; f++)
        entries += (size_t)fragments[f].threads * fragments[f].elements;
    return entries * 40 + count * sizeof(struct report);
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
    if (status == MAPPING_OK)
        memory_expect(estimate_memory(fragments, *count));
    if (status == MAPPING_OK && !(*reports = calloc(*count, sizeof **reports)))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        status = options->source_count == 0
                     ? show_auto(arch, fragments, *count, &options->machinery, *reports, error)
                     : show_named(options, arch, fragments, *count, *reports, error);
    if ((status == MAPPING_OK || status == MAPPING_NO_FORMULA) && *options->tiling_text)
        status = tile_reports(options, *reports, *count, error);
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
