/* agree.c - from sources to observations; see agree.h. */
#include "source/agree.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "source/recorded.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One source ---- */

enum mapping_status observe_with(const struct source *source,
                                 struct observation *const *observations, size_t count,
                                 const struct machinery *machinery, struct mapping_error *error) {
    struct mapping_error cause;
    if (count == 0)
        return MAPPING_OK;
    enum mapping_status status =
        source->observe(observations[0]->arch, observations, count, machinery, &cause);
    if (status == MAPPING_OK && source->is_statement)
        status = observe_each(observations, count, recorded_confirm, &cause);
    if (status == MAPPING_OK)
        return status;
    return mapping_fail(error, status, "%s: %-s", source->name, cause.message);
}

/* ---- Any source ---- */

/* What is still to be observed, and what the sources lack that could not serve. */
struct waiting {
    struct observation *const *observations;
    size_t count;
    bool *is_served;              /* of all */
    struct observation **covered; /* room for those that one source covers */
    size_t *places;               /* of these among all */
    char reasons[1024];           /* of each source one */
};

/* Makes an observation ready for another attempt. */
static void reset(struct observation *observed) {
    mapping_layout_free(&observed->layout);
    observed->provenance.count = 0;
    observed->confirmation.arch = 0;
}

static void add_reason(struct waiting *waiting, const char *reason) {
    enum { MOST = 240 };
    char shown[MOST + 1];
    size_t length = strlen(waiting->reasons);
    mapping_printable(reason, strlen(reason), shown, MOST);
    snprintf(waiting->reasons + length, sizeof waiting->reasons - length, "%s%s",
             length ? "; " : "", shown);
}

/* Lets one source make what is missing and what it covers. Says nothing where it cannot serve. */
static enum mapping_status try_source(const struct source *source, struct waiting *waiting,
                                      const struct machinery *machinery,
                                      struct mapping_error *error) {
    size_t covered = 0;
    for (size_t n = 0; n < waiting->count; n++) {
        struct observation *observed = waiting->observations[n];
        if (waiting->is_served[n] || !source->covers(observed->arch, &observed->fragment))
            continue;
        waiting->covered[covered] = observed;
        waiting->places[covered++] = n;
    }
    if (covered == 0)
        return MAPPING_OK;
    struct mapping_error cause;
    enum mapping_status status = observe_with(source, waiting->covered, covered, machinery, &cause);
    if (status == MAPPING_UNAVAILABLE) {
        add_reason(waiting, cause.message);
        for (size_t n = 0; n < covered; n++)
            reset(waiting->covered[n]);
        return MAPPING_OK;
    }
    for (size_t n = 0; n < covered; n++)
        waiting->is_served[waiting->places[n]] = true;
    return status == MAPPING_OK
               ? status
               : mapping_fail(error, status, "%-s%s", cause.message, source->on_failure);
}

static enum mapping_status try_all(struct waiting *waiting, const struct machinery *machinery,
                                   struct mapping_error *error) {
    const struct source *source;
    enum mapping_status status = MAPPING_OK;
    for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++)
        status = try_source(source, waiting, machinery, error);
    for (size_t n = 0; n < waiting->count && status == MAPPING_OK; n++)
        if (!waiting->is_served[n])
            status = mapping_fail(error, MAPPING_UNAVAILABLE, "no source is available: %-s",
                                  waiting->reasons);
    return status;
}

enum mapping_status observe_with_any(struct observation *const *observations, size_t count,
                                     const struct machinery *machinery,
                                     struct mapping_error *error) {
    struct waiting waiting = {.observations = observations,
                              .count = count,
                              .is_served = memory_get(count, sizeof *waiting.is_served),
                              .covered = memory_get(count, sizeof *waiting.covered),
                              .places = memory_get(count, sizeof *waiting.places)};
    return try_all(&waiting, machinery, error);
}

/* ---- All sources ---- */

/* Fails if the source does not have one of the fragments at all. */
static enum mapping_status check_coverage(const struct source *source,
                                          struct observation *const *observations, size_t count,
                                          struct mapping_error *error) {
    for (size_t n = 0; n < count; n++) {
        const struct observation *observed = observations[n];
        char name[MAPPING_NAME_SIZE], others[SOURCES_TEXT];
        if (source->covers(observed->arch, &observed->fragment))
            continue;
        mapping_fragment_name(&observed->fragment, name);
        sources_covering(observed->arch, &observed->fragment, others);
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "--source=%s cannot show %s on sm_%u: %s%s%s", source->name, name,
                            observed->arch, source->lacks, *others ? "; use " : "", others);
    }
    return MAPPING_OK;
}

/* Writes where an entry is: "row 3, column 5". */
static void describe_target(const struct mapping_layout *layout, size_t entry, char text[128]) {
    uint32_t point[MAPPING_AXES_MAX];
    for (uint32_t c = 0; c < layout->to.count; c++)
        point[c] = layout->coordinate[c][entry];
    mapping_space_describe(&layout->to, point, text, 128);
}

void find_disagreement(const struct mapping_layout *one, const struct mapping_layout *other,
                       struct disagreement *found) {
    uint32_t point[MAPPING_AXES_MAX];
    size_t entry = 0;
    while (mapping_layout_target(one, entry) == mapping_layout_target(other, entry))
        entry++;
    mapping_space_point(&one->from, entry, point);
    mapping_space_describe(&one->from, point, found->entry, sizeof found->entry);
    describe_target(one, entry, found->one);
    describe_target(other, entry, found->other);
}

/* Says where two observations differ. */
static enum mapping_status disagree(const struct observation *first, const char *first_source,
                                    const struct observation *second, const char *second_source,
                                    struct mapping_error *error) {
    struct disagreement found;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&first->fragment, name);
    find_disagreement(&first->layout, &second->layout, &found);
    return mapping_fail(
        error, MAPPING_DIFFERS, "%s on sm_%u: the sources disagree on %s: %s says %s, %s says %s",
        name, first->arch, found.entry, first_source, found.one, second_source, found.other);
}

/* Lets a further source observe the same, and adds its evidence where it agrees. */
static enum mapping_status confirm_with(const struct source *first, const struct source *source,
                                        struct observation *const *observations, size_t count,
                                        const struct machinery *machinery,
                                        struct mapping_error *error) {
    struct observation *others = memory_get(count, sizeof *others);
    struct observation **pointers = memory_get(count, sizeof *pointers);
    for (size_t n = 0; n < count; n++) {
        others[n].arch = observations[n]->arch;
        others[n].fragment = observations[n]->fragment;
        pointers[n] = &others[n];
    }
    enum mapping_status status = observe_with(source, pointers, count, machinery, error);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        if (mapping_layout_equal(&observations[n]->layout, &others[n].layout))
            provenance_merge(&observations[n]->provenance, &others[n].provenance);
        else
            status = disagree(observations[n], first->name, &others[n], source->name, error);
    }
    for (size_t n = 0; n < count; n++)
        mapping_layout_free(&others[n].layout);
    memory_free(others);
    return status;
}

enum mapping_status observe_with_all(const struct source *const *sources, size_t source_count,
                                     struct observation *const *observations, size_t count,
                                     const struct machinery *machinery,
                                     struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t s = 0; s < source_count && status == MAPPING_OK; s++)
        status = check_coverage(sources[s], observations, count, error);
    if (status == MAPPING_OK)
        status = observe_with(sources[0], observations, count, machinery, error);
    for (size_t s = 1; s < source_count && status == MAPPING_OK; s++)
        status = confirm_with(sources[0], sources[s], observations, count, machinery, error);
    return status;
}
