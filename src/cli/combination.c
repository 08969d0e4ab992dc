/* combination.c - options that make no sense together; see combination.h. */
#include "cli/combination.h"

#include "layout/banks.h"

const char *action_name(enum action action) {
    static const char *const names[] = {
        [ACTION_SHOW] = "all",        [ACTION_LIST] = "list",       [ACTION_DIFF] = "diff",
        [ACTION_CHECK] = "check",     [ACTION_CONFIRM] = "confirm", [ACTION_VERIFY] = "verify",
        [ACTION_MAP] = "map",         [ACTION_CONVERT] = "convert", [ACTION_LOAD] = "load",
        [ACTION_SUGGEST] = "suggest", [ACTION_ACCESS] = "access"};
    return names[action];
}

/* What makes no sense together with --check and --confirm. */
static enum mapping_status check_checking(const struct request *request,
                                          struct mapping_error *error) {
    const char *action = action_name(request->action);
    if (request->all || request->types || request->has_operand)
        return mapping_fail(error, MAPPING_INVALID, "--%s always checks all, without %s", action,
                            request->all     ? "--all"
                            : request->types ? "--type"
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

/* What makes no sense together with --map, which is about no fragment. */
static enum mapping_status check_map(const struct request *request, bool has_arch,
                                     struct mapping_error *error) {
    const char *too_many = request->all                ? "--all"
                           : request->types            ? "--type"
                           : request->has_operand      ? "--operand"
                           : has_arch                  ? "--arch"
                           : request->source_count > 0 ? "--source"
                           : request->has_device       ? "--device"
                                                       : NULL;
    if (too_many)
        return mapping_fail(error, MAPPING_INVALID,
                            "--map reads a map of your own, so %s is too many", too_many);
    if (request->subject_count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "--map reads one file, but '%.60s' is given too",
                            request->subjects[request->subject_count - 1]);
    return MAPPING_OK;
}

/* What makes no sense together with --access, which is about no fragment. */
static enum mapping_status check_access(const struct request *request, bool has_arch,
                                        struct mapping_error *error) {
    const char *too_many = request->all                ? "--all"
                           : request->types            ? "--type"
                           : request->has_operand      ? "--operand"
                           : request->source_count > 0 ? "--source"
                           : request->has_device       ? "--device"
                           : request->has_style        ? "--style"
                                                       : NULL;
    if (has_arch)
        return mapping_fail(error, MAPPING_INVALID,
                            "--access has one rule, counted on sm_90, so --arch is too many");
    if (too_many)
        return mapping_fail(error, MAPPING_INVALID,
                            "--access is about addresses in shared memory, so %s is too many",
                            too_many);
    if (request->subject_count > 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--access is about addresses in shared memory, but '%.60s' is given too",
            request->subjects[0]);
    if (!request->address)
        return mapping_fail(error, MAPPING_INVALID,
                            "--access needs the address of each lane: --address='tid * %u'",
                            request->access->bytes);
    return MAPPING_OK;
}

/* The formats that print what an action comes to. */
static const char *kinds_of(enum action action) {
    switch (action) {
    case ACTION_VERIFY:
    case ACTION_SUGGEST:
    case ACTION_ACCESS:
        return "text and json";
    case ACTION_CONVERT:
    case ACTION_LOAD:
        return "text, json and cuda";
    default:
        return "text, json, csv and markdown";
    }
}

/* What the format that was chosen cannot print. */
static enum mapping_status check_format(const struct request *request,
                                        struct mapping_error *error) {
    const struct output *output = request->output;
    bool cannot = (request->action == ACTION_LIST && !output->list) ||
                  (request->action == ACTION_DIFF && !output->comparison) ||
                  (request->action == ACTION_VERIFY && !output->verified) ||
                  (request->action == ACTION_CONVERT && !output->conversions) ||
                  (request->action == ACTION_LOAD && !output->loadings) ||
                  (request->action == ACTION_SUGGEST && !output->suggestions) ||
                  (request->action == ACTION_ACCESS && !output->access);
    if (cannot)
        return mapping_fail(error, MAPPING_INVALID, "--%s cannot be printed as %s, only as %s",
                            action_name(request->action), output->name, kinds_of(request->action));
    if (request->style.question.kind != ASK_NOTHING && !output->has_answers)
        return mapping_fail(error, MAPPING_INVALID,
                            "the answer to a question cannot be printed as %s, only as text, "
                            "json, csv and markdown",
                            output->name);
    if (request->style.order && !output->has_order)
        return mapping_fail(error, MAPPING_INVALID, "--order is about --format=cuda alone");
    if (request->action == ACTION_CONVERT && (request->has_style || request->style.order))
        return mapping_fail(error, MAPPING_INVALID, "--%s is not about --convert",
                            request->has_style ? "style" : "order");
    if (request->has_style && !output->has_formulae)
        return mapping_fail(error, MAPPING_INVALID,
                            "--style is about formulae, of which %s has none", output->name);
    return MAPPING_OK;
}

enum mapping_status check_combination(const struct request *request, bool has_arch,
                                      struct mapping_error *error) {
    const struct style *style = &request->style;
    bool asks = style->question.kind != ASK_NOTHING;
    bool is_map = request->action == ACTION_MAP;
    if (is_map && asks)
        return mapping_fail(error, MAPPING_INVALID,
                            "--at and --thread are about fragments, so not with --map");
    if (request->action != ACTION_SHOW && (asks || (!is_map && (style->detail || style->brief))))
        return mapping_fail(error, MAPPING_INVALID,
                            "--at, --thread, --detail and --brief are about fragments that "
                            "are shown, so not with --%s",
                            action_name(request->action));
    if (style->brief && (asks || !request->output->has_formulae))
        return mapping_fail(error, MAPPING_INVALID,
                            "--brief leaves formulae alone, of which %s has none",
                            asks ? "the answer to a question" : request->output->name);
    if (style->verbose && request->action != ACTION_DIFF && request->action != ACTION_VERIFY &&
        request->action != ACTION_SUGGEST && !is_map)
        return mapping_fail(error, MAPPING_INVALID,
                            "--verbose is about --diff, --verify, --map and --suggest alone");
    if (request->action == ACTION_SUGGEST && request->use_count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--suggest needs to know what for: --load=FRAGMENT, --store=FRAGMENT");
    if (request->use_count == 0 && (request->use_default.with || request->use_default.has_origin))
        return mapping_fail(error, MAPPING_INVALID, "--%s is about --load and --store",
                            request->use_default.with ? "with" : "origin");
    if (request->outputs && !is_map)
        return mapping_fail(error, MAPPING_INVALID, "--outputs is about --map alone");
    if (request->address && request->action != ACTION_ACCESS)
        return mapping_fail(error, MAPPING_INVALID, "--address is about --access alone");
    if (request->action == ACTION_LIST && request->arch_count > 1 && !request->every_arch)
        return mapping_fail(error, MAPPING_INVALID, "--list takes one architecture, or all");
    if ((request->action == ACTION_CONVERT || request->action == ACTION_LOAD ||
         request->action == ACTION_SUGGEST) &&
        request->arch_count > 1)
        return mapping_fail(error, MAPPING_INVALID, "--%s takes one architecture",
                            action_name(request->action));
    if (request->action == ACTION_DIFF && has_arch)
        return mapping_fail(error, MAPPING_INVALID,
                            "--diff names both architectures, so --arch is too many");
    if (request->action == ACTION_SHOW && request->all && request->subject_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--all means every fragment, but '%.60s' is given too",
                            request->subjects[0]);
    if (request->action == ACTION_CHECK || request->action == ACTION_CONFIRM)
        return check_checking(request, error);
    enum mapping_status status = is_map ? check_map(request, has_arch, error)
                                 : request->action == ACTION_ACCESS
                                     ? check_access(request, has_arch, error)
                                     : MAPPING_OK;
    return status == MAPPING_OK ? check_format(request, error) : status;
}
