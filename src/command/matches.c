/* matches.c - --verify and --map: checks formulae and tables of the user, and finds the known
 * layouts that match.
 *
 * If formulae are wrong for a fragment, they are compared with all layouts of the catalogue,
 * because the user may have confused two fragments. same.c finds the layouts that equal a table. */
#include "command/brought.h"
#include "command/descriptor.h"
#include "command/same.h"
#include "command/show.h"
#include "layout/sentence.h"
#include "report/compare.h"
#include "source/known.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fragments that match formulae ---- */

/* The known layouts, and which of them the formulae match. */
struct formula_matches {
    const struct check *check;
    const struct report *report; /* of the layouts that were searched last; NULL before the first
                                    search */
    struct known_list list;
    bool *found; /* for each layout of the list */
};

static void check_known(void *context, size_t index) {
    struct formula_matches *matches = context;
    const struct check *check = matches->check;
    const struct known_layout *known = &matches->list.known[index];
    struct mapping_space from, to;
    struct mapping_layout layout = {.from.count = 0};
    mapping_fragment_spaces(&known->holders[0].fragment, &from, &to);
    matches->found[index] = (check->is_inverse || check_fits(check, &from, &to)) &&
                            known_make(known, check->is_inverse, &layout) &&
                            (!check->is_inverse || check_fits(check, &layout.from, &layout.to)) &&
                            check_holds(check, &layout, false);
    mapping_layout_free(&layout);
}

/* A fragment for which the formulae are right, and its sort key. */
struct match {
    const struct holder *holder;
    uint64_t key;
};

static int compare_matches(const void *a, const void *b) {
    const struct match *one = a, *other = b;
    return one->key < other->key ? -1 : one->key > other->key;
}

/* The sort key of a match; the fragment nearest to the report's fragment has the smallest key.
 * Fragments with fewer entries come last, the largest of them first, because many formulae are
 * right for a few entries. Fragments with equal distance keep the order of the catalogue; `place`
 * is the index of the match. */
static uint64_t key_of(const struct mapping_fragment *other, const struct mapping_fragment *asked,
                       size_t place) {
    enum { SAME_FRAGMENT, SAME_INSTRUCTION, SAME_SIZE, OTHER_SHAPE, LARGER, SMALLER };
    const uint32_t entries = other->threads * other->elements,
                   wanted = asked->threads * asked->elements;
    uint64_t rank = entries > wanted ? LARGER : SMALLER, size = 0;
    if (mapping_fragment_equal(other, asked))
        rank = SAME_FRAGMENT;
    else if (entries == wanted)
        rank = other->instruction == asked->instruction ? SAME_INSTRUCTION : SAME_SIZE;
    else if (other->instruction == asked->instruction && other->operand == asked->operand)
        rank = OTHER_SHAPE;
    if (rank == SMALLER)
        size = UINT32_MAX - entries;
    return rank << 60 | size << 28 | place;
}

/* Adds the names of all fragments for which the formulae of a report, which are wrong for its own
 * fragment, are right; the nearest fragments come first. *all is NULL at the first call, and keeps
 * the matches for the next report of the same series. */
static void add_matches(struct formula_matches **all, const struct check *check,
                        const struct report *report, struct strings *names) {
    const struct mapping_fragment *asked = &report->observed.fragment;
    struct match *found = NULL;
    size_t count = 0, capacity = 0;
    char name[KNOWN_NAME];
    struct formula_matches *matches = *all;
    if (!matches) {
        matches = *all = memory_get(1, sizeof *matches);
        matches->list = known_all(0);
        matches->found = memory_get(matches->list.count, sizeof *matches->found);
    }
    const struct report *last = matches->report;
    /* The loads of one operand have the same name and the same matches. */
    if (!last || !last->tmem || !report->tmem || strcmp(last->name, report->name) != 0) {
        matches->check = check;
        matches->report = report;
        parallel_for(matches->list.count, check_known, matches);
    }
    for (size_t index = 0; index < matches->list.count; index++)
        for (size_t n = 0; matches->found[index] && n < matches->list.known[index].count; n++) {
            const struct holder *holder = &matches->list.known[index].holders[n];
            found = array_grow(found, count, 1, &capacity, sizeof *found);
            found[count] = (struct match){holder, key_of(&holder->fragment, asked, count)};
            count++;
        }
    if (count > 0)
        qsort(found, count, sizeof *found, compare_matches);
    for (size_t m = 0; m < count; m++) {
        known_name(found[m].holder, name);
        strings_add(names, name);
    }
    mapping_free(found);
}

/* True if the formulae are right after adding parentheses around & ^ | << >>, which C requires next
 * to + and -. */
static bool lacks_parentheses(const struct request *request, const struct report *report) {
    struct check check;
    struct mapping_error ignored;
    const bool is_right = check_parse(request->formulae, request->formula_count, report,
                                      MAPPING_BITS_FIRST, &check, &ignored) == MAPPING_OK &&
                          check_compare(&check, NULL, &ignored) == MAPPING_OK &&
                          !check_is_wrong(&check);
    mapping_free(check.program);
    return is_right;
}

/* Checks the formulae for one report. If they are wrong, finds the conditions or the fragments for
 * which they are right. */
static enum mapping_status verify(const struct request *request, const struct report *report,
                                  struct formula_matches **matches, struct verified *verified,
                                  struct mapping_error *error) {
    struct check *check = &verified->check;
    struct mapping_fragment fragment;
    struct mapping_cursor at = {0};
    verified->report = report;
    enum mapping_status status =
        check_parse(request->formulae, request->formula_count, report, 0, check, error);
    if (status == MAPPING_OK)
        status = check_compare(check, report->has_fragment ? &verified->right_for : NULL, error);
    if (status != MAPPING_OK || !check_is_wrong(check))
        return status;
    if (lacks_parentheses(request, report))
        strings_add(&verified->right_for,
                    "& ^ | << >> are in parentheses: in C, a + b & c is (a + b) & c");
    verified->conditions = verified->right_for.count;
    if (!report->has_fragment)
        return MAPPING_DIFFERS; /* there are too many layouts in shared memory to try */
    if (*check->tv)
        return MAPPING_DIFFERS; /* its rows and columns only exist for this fragment */
    add_matches(matches, check, report, &verified->right_for);
    while (mapping_catalogue_next(&at, &fragment))
        verified->searched++;
    return MAPPING_DIFFERS;
}

enum mapping_status verify_reports(const struct request *request, const struct report *reports,
                                   size_t count, struct pages *pages, struct mapping_error *error) {
    struct verified *verified = memory_get(count, sizeof *verified);
    struct formula_matches *matches = NULL;
    enum mapping_status status = MAPPING_OK, one = MAPPING_OK;
    pages_init(pages, 1);
    for (size_t r = 0; r < count && (one == MAPPING_OK || one == MAPPING_DIFFERS); r++) {
        one = verify(request, &reports[r], &matches, &verified[r], error);
        mapping_free(verified[r].check.program); /* a program has about 60 KB, and there are up to
                                                    256 reports */
        verified[r].check.program = NULL;
        status = one == MAPPING_OK ? status : one;
    }
    if (status == MAPPING_OK || status == MAPPING_DIFFERS)
        request->output->verified(pages->page, verified, count, &request->style);
    return status;
}

/* True if a text is "@FILE". A decorator of Python, as in "@cute.jit", is followed by a line. */
static bool is_file(const char *text) {
    return *text == '@' && !strchr(text, '\n') && !strstr(text, " def ");
}

/* Replaces "@FILE" by the text of the file. */
static enum mapping_status read_formulae(const struct request *request,
                                         struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t f = 0; f < request->formula_count && status == MAPPING_OK; f++)
        if (is_file(request->formulae[f])) {
            struct printer content = {.text = NULL};
            status = file_read(request->formulae[f] + 1, "file of formulae", &content, error);
            request->formulae[f] = content.text;
        }
    return status;
}

/* Lets matrices in memory map to the byte address of each element, not to its offset. */
static enum mapping_status take_addresses(struct report *reports, size_t count,
                                          struct mapping_error *error) {
    for (size_t r = 0; r < count; r++) {
        struct mapping_layout *layout = &reports[r].forward.layout, addresses;
        const uint32_t bits = reports[r].smem ? reports[r].smem->bits : 0;
        if (bits == 0)
            continue;
        if (bits % 8 != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "elements of %u bits have no byte address of their own; write "
                                "--verify='offset = EXPRESSION'",
                                bits);
        const struct mapping_space to = {1, {{"address", UINT32_MAX}}};
        const enum mapping_status status =
            mapping_layout_init(&addresses, &layout->from, &to, error);
        if (status != MAPPING_OK)
            return status;
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            addresses.coordinate[0][n] = layout->coordinate[0][n] * (bits / 8);
        *layout = addresses;
    }
    return MAPPING_OK;
}

enum mapping_status command_verify(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct report *reports = NULL;
    size_t count = 0;
    bool is_offset = false, is_address = false;
    if (is_about_descriptor(request))
        return verify_descriptor(request, pages, error);
    enum mapping_status status = read_formulae(request, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t f = 0; f < request->formula_count; f++) {
        is_offset |= mapping_text_defines(request->formulae[f], MAPPING_AXIS_OFFSET);
        is_address |= mapping_text_defines(request->formulae[f], "address");
    }
    status = request->use_count > 0
                 ? load_addresses(request, is_offset && !is_address, &reports, &count, error)
                 : make_all_reports(request, &reports, &count, error);
    if (has_reports(status) && request->use_count == 0 && is_address) {
        const enum mapping_status taken = take_addresses(reports, count, error);
        status = taken == MAPPING_OK ? status : taken;
    }
    return has_reports(status) ? verify_reports(request, reports, count, pages, error) : status;
}

/* ---- Tables of the user ---- */

enum mapping_status command_map(const struct request *request, struct pages *pages,
                                struct mapping_error *error) {
    struct report report = {.kind = "file"};
    enum mapping_status status =
        brought_table(request->subjects[0], request->outputs, &report, error);
    if (has_reports(status)) {
        add_same(&report);
        restyle(&report, 1, request->style.formula);
        enum mapping_status other = print_reports(request, &report, 1, pages, error);
        if (other != MAPPING_OK || request->output->can_show)
            status = other;
    }
    return status;
}
