/* verify.c - checks formulae of the user, and finds the fragments for which wrong ones are right.
 */
#include "command/matches.h"
#include "command/show.h"
#include "system/system.h"

#include <stdlib.h>

/* Checks the formulae for one report, and finds what they would be right for. */
static enum mapping_status verify(const struct request *request, const struct report *report,
                                  struct formula_matches **matches, struct verified *verified,
                                  struct mapping_error *error) {
    struct check *check = &verified->check;
    struct mapping_fragment fragment;
    struct mapping_cursor at = {0};
    verified->report = report;
    enum mapping_status status =
        check_parse(request->formulae, request->formula_count, report, check, error);
    if (status == MAPPING_OK)
        status = check_compare(check, report->has_fragment ? &verified->right_for : NULL, error);
    if (status != MAPPING_OK || !check_is_wrong(check))
        return status;
    if (!report->has_fragment)
        return MAPPING_DIFFERS; /* there are too many shared-memory layouts to try */
    verified->conditions = verified->right_for.count;
    if (*check->tv)
        return MAPPING_DIFFERS; /* its rows and columns are those of this fragment alone */
    formula_matches_add(matches, check, report, &verified->right_for);
    while (mapping_catalogue_next(&at, &fragment))
        verified->searched++;
    return MAPPING_DIFFERS;
}

/* Checks the formulae for all reports, and prints the results. */
static enum mapping_status verify_all(const struct request *request, const struct report *reports,
                                      size_t count, struct pages *pages,
                                      struct mapping_error *error) {
    struct verified *verified = memory_get(count, sizeof *verified);
    struct formula_matches *matches = NULL;
    enum mapping_status status = MAPPING_OK, one = MAPPING_OK;
    pages_init(pages, 1);
    for (size_t r = 0; r < count && (one == MAPPING_OK || one == MAPPING_DIFFERS); r++) {
        one = verify(request, &reports[r], &matches, &verified[r], error);
        status = one == MAPPING_OK ? status : one;
    }
    if (status == MAPPING_OK || status == MAPPING_DIFFERS)
        request->output->verified(pages->page, verified, count, &request->style);
    return status;
}

enum mapping_status command_verify(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct report *reports = NULL;
    size_t count = 0;
    bool is_offset = false, is_address = false;
    for (size_t f = 0; f < request->formula_count; f++) {
        is_offset |= mapping_text_defines(request->formulae[f], MAPPING_AXIS_OFFSET);
        is_address |= mapping_text_defines(request->formulae[f], "address");
    }
    enum mapping_status status =
        request->use_count > 0
            ? load_addresses(request, is_offset && !is_address, &reports, &count, error)
            : make_all_reports(request, &reports, &count, error);
    return status == MAPPING_OK || status == MAPPING_NO_FORMULA
               ? verify_all(request, reports, count, pages, error)
               : status;
}
