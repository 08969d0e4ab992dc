/* combination.c - options that make no sense together; see combination.h. */
#include "cli/combination.h"

#include "layout/banks.h"

#include <stdio.h>

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
                                "are what it checks; there are gpu, sass, published and isa",
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

/* True if the format prints what an action comes to. */
static bool can_print(const struct output *output, enum action action) {
    switch (action) {
    case ACTION_LIST:
        return output->list;
    case ACTION_DIFF:
        return output->comparison;
    case ACTION_VERIFY:
        return output->verified;
    case ACTION_CONVERT:
        return output->conversions;
    case ACTION_LOAD:
        return output->loadings;
    case ACTION_SUGGEST:
        return output->suggestions;
    case ACTION_ACCESS:
        return output->access;
    default:
        return true;
    }
}

/* True if the format prints answers to questions; the action is always the same. */
static bool can_answer(const struct output *output, enum action action) {
    (void)action;
    return output->has_answers;
}

/* Writes the names of the formats that can: "text, json and svg". */
#define KINDS_TEXT 128
static void write_kinds(bool (*can)(const struct output *, enum action), enum action action,
                        char text[KINDS_TEXT]) {
    const struct output *output;
    size_t count = 0, written = 0, length = 0;
    for (size_t o = 0; (output = output_at(o)); o++)
        count += can(output, action);
    *text = '\0';
    for (size_t o = 0; (output = output_at(o)) && length < KINDS_TEXT; o++) {
        if (!can(output, action))
            continue;
        written++;
        length += (size_t)snprintf(text + length, KINDS_TEXT - length, "%s%s", output->name,
                                   written == count       ? ""
                                   : written + 1 == count ? " and "
                                                          : ", ");
    }
}

/* What leaves no grid for --cells. */
static enum mapping_status check_cells(const struct request *request, struct mapping_error *error) {
    bool is_shown = request->action == ACTION_SHOW;
    if (!request->style.cells)
        return MAPPING_OK;
    if (!request->output->has_cells)
        return mapping_fail(error, MAPPING_INVALID, "--cells is about grids of text, not about %s",
                            request->output->name);
    if (is_shown && request->style.question.kind != ASK_NOTHING)
        return mapping_fail(error, MAPPING_INVALID,
                            "--cells is about grids, of which the answer to a question has none");
    if (is_shown && !request->style.brief)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID, "--cells is about grids, of which --%s has none",
                        is_shown ? "brief" : action_name(request->action));
}

/* What the format that was chosen cannot print. */
static enum mapping_status check_format(const struct request *request,
                                        struct mapping_error *error) {
    const struct output *output = request->output;
    char kinds[KINDS_TEXT];
    if (!can_print(output, request->action)) {
        write_kinds(can_print, request->action, kinds);
        return mapping_fail(error, MAPPING_INVALID, "--%s cannot be printed as %s, only as %s",
                            action_name(request->action), output->name, kinds);
    }
    if (request->style.question.kind != ASK_NOTHING && !output->has_answers) {
        write_kinds(can_answer, request->action, kinds);
        return mapping_fail(error, MAPPING_INVALID,
                            "the answer to a question cannot be printed as %s, only as %s",
                            output->name, kinds);
    }
    if (request->style.color_by != COLOR_BY_USUAL && !output->has_colors)
        return mapping_fail(error, MAPPING_INVALID,
                            "--color-by is about grids and pictures, of which %s has none",
                            output->name);
    if ((request->action == ACTION_ACCESS || request->action == ACTION_LOAD) &&
        request->style.color_by != COLOR_BY_USUAL && request->style.color_by != COLOR_BY_BANK)
        return mapping_fail(error, MAPPING_INVALID,
                            "tints of accesses stand for banks, so --color-by=%s is not about --%s",
                            color_by_name(request->style.color_by), action_name(request->action));
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
    if (style->brief && (asks || !request->output->has_formulae || request->output->is_picture))
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
        return mapping_fail(error, MAPPING_INVALID, "--%s is about --load and --store%s",
                            request->use_default.with ? "with" : "origin",
                            request->use_default.with
                                ? "; of operands in Tensor Memory it takes tcgen05.ld or tcgen05.st"
                                : "");
    if (request->has_transfer && request->action != ACTION_SHOW && request->action != ACTION_VERIFY)
        return mapping_fail(error, MAPPING_INVALID,
                            "--with=tcgen05.%s is about operands in Tensor Memory that are shown, "
                            "so not with --%s",
                            request->transfer.move.instruction == MAPPING_TCGEN05_LD ? "ld" : "st",
                            action_name(request->action));
    if (request->has_transfer && style->question.is_of_lane)
        return mapping_fail(error, MAPPING_INVALID,
                            "--lane asks about Tensor Memory, and --with shows registers; "
                            "--thread=TID asks about those");
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
    if ((request->action == ACTION_SHOW || request->action == ACTION_VERIFY) && request->all &&
        request->subject_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--all means every fragment, but '%.60s' is given too",
                            request->subjects[0]);
    enum mapping_status status = check_cells(request, error);
    if (status != MAPPING_OK)
        return status;
    if (request->action == ACTION_CHECK || request->action == ACTION_CONFIRM)
        return check_checking(request, error);
    status = is_map                             ? check_map(request, has_arch, error)
             : request->action == ACTION_ACCESS ? check_access(request, has_arch, error)
                                                : MAPPING_OK;
    return status == MAPPING_OK ? check_format(request, error) : status;
}
