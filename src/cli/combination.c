/* combination.c - options that make no sense together; see combination.h. */
#include "cli/combination.h"

const char *action_name(enum action action) {
    static const char *const names[] = {[ACTION_SHOW] = "all",
                                        [ACTION_LIST] = "list",
                                        [ACTION_DIFF] = "diff",
                                        [ACTION_CHECK] = "check",
                                        [ACTION_CONFIRM] = "confirm"};
    return names[action];
}

/* What makes no sense together with --check and --confirm. */
static enum mapping_status check_checking(const struct request *request,
                                          struct mapping_error *error) {
    const char *action = action_name(request->action);
    if (request->all || request->has_type || request->has_operand)
        return mapping_fail(error, MAPPING_INVALID, "--%s always checks all, without %s", action,
                            request->all        ? "--all"
                            : request->has_type ? "--type"
                                                : "--operand");
    if (!request->output->can_check)
        return mapping_fail(error, MAPPING_INVALID, "--%s prints text, not %s", action,
                            request->output->name);
    if (request->action == ACTION_CONFIRM && request->subject_count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "--confirm prints one file, but '%.60s' is "
                            "given too",
                            request->subjects[1]);
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s]->is_recorded)
            return mapping_fail(error, MAPPING_INVALID,
                                "--%s cannot use recorded results, which "
                                "are what it checks; there are gpu, sass and isa",
                                action);
    return MAPPING_OK;
}

enum mapping_status check_combination(const struct request *request, bool has_arch,
                                      struct mapping_error *error) {
    const struct style *style = &request->style;
    bool asks = style->question.kind != ASK_NOTHING;
    if (request->action != ACTION_SHOW && (asks || style->detail || style->brief))
        return mapping_fail(error, MAPPING_INVALID,
                            "--at, --thread, --detail and --brief are about fragments that "
                            "are shown, so not with --list, --diff, --check or --confirm");
    if (style->brief && (asks || !request->output->has_formulae))
        return mapping_fail(error, MAPPING_INVALID,
                            "--brief leaves formulae alone, of which %s has none",
                            asks ? "the answer to a question" : request->output->name);
    if (style->verbose && request->action != ACTION_DIFF)
        return mapping_fail(error, MAPPING_INVALID, "--verbose is about --diff alone");
    if (request->action == ACTION_DIFF && has_arch)
        return mapping_fail(error, MAPPING_INVALID,
                            "--diff names both architectures, so --arch is too many");
    if (request->action == ACTION_SHOW && request->all && request->subject_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--all means every fragment, but '%.60s' is given too",
                            request->subjects[0]);
    return request->action == ACTION_CHECK || request->action == ACTION_CONFIRM
               ? check_checking(request, error)
               : MAPPING_OK;
}
