/* verify.c - whether what is said of fragments holds, and of which others it would. */
#include "command/show.h"
#include "source/known.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* Adds what would make the claim right of the same fragment. */
static void add_conditions(struct verified *verified) {
    const struct mapping_layout *layout = claim_subject(&verified->claim, verified->report);
    char text[RIGHT_IF_SIZE];
    for (unsigned n = 0; claim_right_if(&verified->claim, layout, n, text); n++)
        strings_add(&verified->right_for, text);
    verified->conditions = verified->right_for.count;
}

/* True if the claim holds of a layout that is known. */
static bool judge(const struct claim *claim, const struct known_list *list, size_t index) {
    struct mapping_space from, to;
    struct mapping_layout layout, inverse = {.from.count = 0};
    struct mapping_error ignored;
    known_spaces(list, index, &from, &to);
    if (!claim->is_inverse && !claim_fits(claim, &from, &to))
        return false;
    const char *copy = mapping_fragment_copy_axis(known_fragment(list, index, 0));
    enum mapping_status status = known_layout(list, index, &layout, &ignored);
    if (status == MAPPING_OK && claim->is_inverse)
        status = mapping_layout_invert(&layout, copy, &inverse, &ignored);
    bool holds = status == MAPPING_OK &&
                 (!claim->is_inverse || claim_fits(claim, &inverse.from, &inverse.to)) &&
                 claim_holds(claim, claim->is_inverse ? &inverse : &layout);
    mapping_layout_free(&layout);
    mapping_layout_free(&inverse);
    if (status == MAPPING_FAILED)
        memory_exhausted();
    return holds;
}

/* How near a fragment is to the one that was asked for, the nearest first. Smaller ones come last:
 * much is true of a few entries. */
enum { SAME_FRAGMENT, SAME_INSTRUCTION, SAME_SIZE, OTHER_SHAPE, LARGER, SMALLER, RANKS };

static int rank_of(const struct mapping_fragment *other, const struct mapping_fragment *asked) {
    uint32_t entries = other->threads * other->elements, wanted = asked->threads * asked->elements;
    if (mapping_fragment_equal(other, asked))
        return SAME_FRAGMENT;
    if (entries == wanted)
        return other->instruction == asked->instruction ? SAME_INSTRUCTION : SAME_SIZE;
    if (other->instruction == asked->instruction && other->operand == asked->operand)
        return OTHER_SHAPE;
    return entries > wanted ? LARGER : SMALLER;
}

/* A claim, and of which layouts it holds. The same is true of all loads of a series, which are
 * told apart by what they read alone. */
struct trial {
    const struct claim *claim;
    const struct report *report; /* that it was made of; NULL before the first */
    struct known_list *list;     /* owned; NULL until it is asked for */
    bool *found;                 /* owned; one for each of the list */
};

static void try_one(void *context, size_t index) {
    struct trial *trial = context;
    trial->found[index] = judge(trial->claim, trial->list, index);
}

static bool is_of_one_series(const struct report *one, const struct report *other) {
    return one && one->part && other->part && strcmp(one->name, other->name) == 0;
}

/* Tries the claim on all that is known. */
static void try_all(struct trial *trial, const struct verified *verified) {
    if (!trial->list)
        trial->list = known_all(0);
    if (!trial->found)
        trial->found = memory_get(known_count(trial->list), sizeof *trial->found);
    if (is_of_one_series(trial->report, verified->report))
        return;
    trial->claim = &verified->claim;
    trial->report = verified->report;
    parallel_for(known_count(trial->list), try_one, trial);
}

/* A fragment that the claim is right for, the nth of a layout. */
struct match {
    size_t index, n;
    int rank;
    uint32_t entries;
};

/* The nearest first, of smaller ones the largest; else in the order of the catalogue. */
static int compare_matches(const void *a, const void *b) {
    const struct match *one = a, *other = b;
    const size_t keys[][2] = {
        {(size_t)one->rank, (size_t)other->rank},
        {one->rank == SMALLER ? other->entries : 0, one->rank == SMALLER ? one->entries : 0},
        {one->index, other->index},
        {one->n, other->n}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

/* Adds the fragments that have one of the layouts for which the claim is right. */
static void add_holders(struct verified *verified, const struct trial *trial, size_t index,
                        struct match **matches, size_t *count, size_t *room) {
    const struct mapping_fragment *fragment, *asked = &verified->report->observed.fragment;
    for (size_t n = 0; (fragment = known_fragment(trial->list, index, n)); n++) {
        *matches = array_grow(*matches, *count, 1, room, sizeof **matches);
        (*matches)[(*count)++] = (struct match){index, n, rank_of(fragment, asked),
                                                fragment->threads * fragment->elements};
    }
}

/* Adds the fragments of the catalogue that the claim is right for. */
static void add_others(struct verified *verified, struct trial *trial) {
    struct mapping_fragment fragment;
    struct match *matches = NULL;
    size_t count = 0, room = 0;
    char name[KNOWN_NAME];
    struct mapping_cursor at = {0};
    try_all(trial, verified);
    while (mapping_catalogue_next(&at, &fragment))
        verified->searched++;
    for (size_t index = 0; index < known_count(trial->list); index++)
        if (trial->found[index])
            add_holders(verified, trial, index, &matches, &count, &room);
    if (count > 0)
        qsort(matches, count, sizeof *matches, compare_matches);
    for (size_t m = 0; m < count; m++) {
        known_name(trial->list, matches[m].index, matches[m].n, name);
        strings_add(&verified->right_for, name);
    }
    free(matches);
}

/* Judges what is said of one report, and finds what it would be right for. */
static enum mapping_status verify(const struct request *request, const struct report *report,
                                  struct trial *trial, struct verified *verified,
                                  struct mapping_error *error) {
    verified->report = report;
    enum mapping_status status =
        claim_parse(request->claims, request->claim_count, report, &verified->claim, error);
    if (status == MAPPING_OK)
        status = claim_judge(&verified->claim, claim_subject(&verified->claim, report), error);
    if (status != MAPPING_OK || !claim_is_wrong(&verified->claim))
        return status;
    if (report->placement)
        return MAPPING_DIFFERS; /* all layouts of memory that there could be are too many */
    add_conditions(verified);
    add_others(verified, trial);
    return MAPPING_DIFFERS;
}

static void verified_free(struct verified *verified, size_t count) {
    for (size_t v = 0; v < count; v++) {
        claim_free(&verified[v].claim);
        strings_free(&verified[v].right_for);
    }
    free(verified);
}

/* Judges all reports, and prints what comes of it. */
static enum mapping_status verify_all(const struct request *request, const struct report *reports,
                                      size_t count, struct pages *pages,
                                      struct mapping_error *error) {
    struct verified *verified = memory_get(count, sizeof *verified);
    struct trial trial = {.report = NULL};
    enum mapping_status status = MAPPING_OK, one = MAPPING_OK;
    pages_init(pages, 1);
    for (size_t r = 0; r < count && (one == MAPPING_OK || one == MAPPING_DIFFERS); r++) {
        one = verify(request, &reports[r], &trial, &verified[r], error);
        status = one == MAPPING_OK ? status : one;
    }
    if (status == MAPPING_OK || status == MAPPING_DIFFERS)
        status = one == MAPPING_FAILED ? one : status;
    if (status == MAPPING_OK || status == MAPPING_DIFFERS)
        request->output->verified(pages->page, verified, count, &request->style);
    known_free(trial.list);
    free(trial.found);
    verified_free(verified, count);
    return status;
}

enum mapping_status command_verify(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct report *reports;
    size_t count;
    enum mapping_status status = make_all_reports(request, &reports, &count, error);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA)
        status = verify_all(request, reports, count, pages, error);
    reports_free(reports, count);
    return status;
}
