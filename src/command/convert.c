/* convert.c - --convert: plans that convert the registers of fragments to those of another
 * fragment. */
#include "command/brought.h"
#include "command/select.h"
#include "command/show.h"
#include "command/smem_matrix.h"
#include "layout/nearest.h"
#include "layout/tv_layout.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct request without_filters(const struct request *request) {
    struct request wanted = *request;
    wanted.has_operand = false;
    wanted.types = 0;
    return wanted;
}

/* A copy of the request that selects only the target, whose name is `*name`. */
static struct request about_target(const struct request *request, const char **name) {
    struct request wanted = request_about(request, name);
    wanted.all = false;
    wanted.tile.is_given = false; /* until the number of threads of the target is known */
    return wanted;
}

/* True if the selection has one fragment, or only A of wgmma in several widths, which does not
 * depend on N. *fragment becomes the one with this N, or the first. */
static bool is_for_any_n(const struct selection *selection, uint16_t n,
                         struct mapping_fragment *fragment) {
    const struct mapping_fragment *first = &selection->items[0].fragment;
    *fragment = *first;
    for (size_t s = 1; s < selection->count; s++) {
        const struct mapping_fragment *one = &selection->items[s].fragment;
        struct mapping_fragment alike = *one;
        alike.shape.n = first->shape.n;
        if (one->operand != MAPPING_A || !mapping_fragment_equal(&alike, first))
            return false;
        if (one->shape.n == n)
            *fragment = *one;
    }
    return true;
}

/* Finds the fragment that the target's name selects. If the name selects several, --operand and
 * --type filter the targets, and stay in *wanted; otherwise they only filter the sources. */
static enum mapping_status find_target(struct request *wanted, unsigned arch, uint16_t n,
                                       struct mapping_fragment *target,
                                       struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    struct selection selection;
    const struct request every = without_filters(wanted);
    enum mapping_status status = select_fragments(&every, arch, &selection, error);
    if (status == MAPPING_OK && selection.count > 1)
        status = select_fragments(wanted, arch, &selection, error);
    else
        *wanted = every;
    if (status != MAPPING_OK || is_for_any_n(&selection, n, target))
        return status;
    mapping_fragment_name(target, name);
    return mapping_fail(error, MAPPING_INVALID,
                        "--convert takes one fragment, but '%.100s' matches %zu; give a full "
                        "name, such as %s, or a shape with --operand and --type",
                        wanted->subjects[0], selection.count, name);
}

/* Checks that the source can be converted to the target. If not, the message names the nearest
 * possible target. */
static enum mapping_status check(const struct report *of, const struct mapping_fragment *target,
                                 unsigned arch, struct mapping_error *error) {
    const struct mapping_fragment *source = &of->observed.fragment;
    char name[MAPPING_NAME_SIZE], hint[256];
    struct mapping_fragment other;
    struct mapping_error cause, ignored;
    mapping_fragment_name(target, name);
    if ((of->has_fragment && conversion_is_of_scales(source, target)) ||
        conversion_check(source, of->name, target, name, &cause) == MAPPING_OK)
        return MAPPING_OK;
    if (!of->has_fragment || source->place != MAPPING_IN_REGISTERS ||
        target->place != MAPPING_IN_REGISTERS) {
        *error = cause;
        return MAPPING_INVALID;
    }
    struct nearest nearest = nearest_to(name);
    nearest.lead = "; did you mean --convert=";
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &other);) {
        char candidate[MAPPING_NAME_SIZE];
        mapping_fragment_name(&other, candidate);
        if (other.operand == target->operand && mapping_fragment_on(&other, arch) &&
            !mapping_fragment_equal(&other, source) &&
            conversion_check(source, of->name, &other, candidate, &ignored) == MAPPING_OK)
            nearest_offer(&nearest, candidate);
    }
    nearest_print(&nearest, hint, sizeof hint);
    if (source->threads != target->threads)
        *hint = '\0'; /* fragments with the same number of threads belong to another instruction */
    /* Operands of ldmatrix and stmatrix have the order of memory, so they need --load or --store.
     */
    const bool is_loaded = source->instruction == MAPPING_LDMATRIX && target->blocks <= 1;
    const bool is_stored = target->instruction == MAPPING_STMATRIX && source->blocks <= 1;
    const struct mapping_fragment *moved = is_stored ? source : target;
    mapping_fragment_name(moved, name);
    if (is_loaded || is_stored)
        snprintf(hint, sizeof hint, "; to see how to %s %s, use mapping '(%u,%u):(%u,1)' --%s=%s",
                 is_stored ? "store" : "load", name, moved->rows, moved->cols, moved->cols,
                 is_stored ? "store" : "load", name);
    return mapping_fail(error, MAPPING_INVALID, "%-s%s", cause.message, hint);
}

/* Plans and prints all conversions. */
static enum mapping_status convert_all(const struct request *request, const struct report *sources,
                                       size_t count, const struct report *target,
                                       struct pages *pages, struct mapping_error *error) {
    struct conversion *conversions = memory_get(count, sizeof *conversions);
    enum mapping_status status = MAPPING_OK;
    pages_init(pages, 1);
    for (size_t c = 0; c < count && status == MAPPING_OK; c++)
        status = conversion_make(&sources[c], target, &conversions[c], error);
    if (status == MAPPING_OK &&
        !request->output->conversions(pages->page, conversions, count, &request->style))
        return mapping_fail(error, MAPPING_INVALID,
                            "the conversion to %s is too long for a function; --format=text and "
                            "--format=json describe it",
                            target->name);
    return status;
}

/* A conversion needs layouts, not formulae. */
static enum mapping_status without_formulae(enum mapping_status status) {
    return status == MAPPING_NO_FORMULA ? MAPPING_OK : status;
}

/* Sets the architecture of reports that have none. */
static void set_arch(struct report *reports, size_t count, unsigned arch, bool is_default) {
    for (size_t r = 0; r < count; r++)
        if (reports[r].arch == 0) {
            reports[r].arch = arch;
            reports[r].is_default_arch = is_default && r == 0;
        }
}

/* True if a source is a TV layout. */
static bool has_tv(const struct request *request) {
    bool has = false;
    for (size_t s = 0; s < request->subject_count; s++)
        has |= mapping_tv_is_meant(request->subjects[s]);
    return has;
}

/* Converts where one side, or both, was brought by somebody. */
static enum mapping_status convert_brought(const struct request *request, struct pages *pages,
                                           struct mapping_error *error) {
    const char *name = request->convert;
    struct request sources_wanted = *request, nothing = *request,
                   wanted = about_target(request, &name);
    struct report *sources = NULL, *target = NULL;
    size_t count = 0, targets = 1;
    unsigned arch;
    bool is_default;
    sources_wanted.action = ACTION_CONVERT;
    if (!has_tv(request)) /* --extent is that of the target */
        sources_wanted.extent[0] = sources_wanted.extent[1] = 0;
    nothing.subject_count = 0;
    enum mapping_status status = select_arch(&nothing, &arch, &is_default, error);
    if (status == MAPPING_OK)
        status = without_formulae(make_all_reports(&sources_wanted, &sources, &count, error));
    if (status != MAPPING_OK)
        return status;
    arch = sources[0].arch ? sources[0].arch : arch;
    if (is_brought(name)) {
        target = memory_get(1, sizeof *target);
        status = without_formulae(make_brought(&wanted, name, target, error));
    } else {
        struct mapping_fragment fragment;
        char full_name[MAPPING_NAME_SIZE];
        status = find_target(&wanted, arch, 0, &fragment, error);
        if (status == MAPPING_OK) {
            mapping_fragment_name(&fragment, full_name);
            name = full_name;
            status = without_formulae(make_reports(&wanted, arch, &target, &targets, error));
        }
    }
    if (status != MAPPING_OK)
        return status;
    for (size_t s = 0; s <= count; s++) {
        struct report *one = s < count ? &sources[s] : target;
        if (!one->has_fragment && one->observed.fragment.threads == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "--convert takes what the threads of one CTA hold, from tid and i "
                                "to row and col, but %.100s is something else",
                                one->name);
        if (s < count)
            brought_type(one, target);
    }
    brought_type(target, sources);
    set_arch(sources, count, arch, is_default);
    set_arch(target, 1, arch, is_default);
    return convert_all(request, sources, count, target, pages, error);
}

/* Refuses a matrix in memory on either side, and a size that nothing needs. */
static enum mapping_status check_memory(const struct request *request, const char *target,
                                        struct mapping_error *error) {
    if (is_about_memory(request)) {
        const bool is_nested = strncmp(request->subjects[0], "((", 2) == 0;
        return mapping_fail(error, MAPPING_INVALID,
                            "--convert takes fragments; use --load and --store for a matrix in "
                            "memory%s",
                            is_nested ? "; a TV layout needs a label and the size of its tile: "
                                        "'LayoutC_TV: ((4,8),(2,2)):((32,1),(16,8))' --extent=16,8"
                                      : "");
    }
    if (!is_brought(target) && subject_name(request, target, 0)->kind == NAME_MATRIX)
        return mapping_fail(error, MAPPING_INVALID,
                            "--convert takes a fragment, but '%.100s' is a matrix in memory; to "
                            "store a fragment there, use mapping '%.100s' --store=FRAGMENT",
                            target, target);
    return request->extent[0] > 0 && !has_tv(request) && !mapping_tv_is_meant(target)
               ? mapping_fail(error, MAPPING_INVALID,
                              "with --convert, --extent is for a TV layout, such as 'LayoutC_TV: "
                              "((4,8),(2,2)):((32,1),(16,8))'")
               : MAPPING_OK;
}

enum mapping_status command_convert(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    const char *name = request->convert;
    char full_name[MAPPING_NAME_SIZE];
    struct request wanted = about_target(request, &name);
    struct mapping_fragment fragment = {.threads = 0};
    struct report *sources = NULL, *target = NULL;
    size_t count = 0, targets = 0;
    enum mapping_status status = check_memory(request, name, error);
    if (status != MAPPING_OK)
        return status;
    if (is_about_brought(request) || is_brought(request->convert))
        return convert_brought(request, pages, error);
    status = without_formulae(make_all_reports(request, &sources, &count, error));
    const struct mapping_error contradiction = *error;
    bool is_of_target = false; /* the filters: mma.m16n8k16.d.f32 --convert=mma.m16n8k16 -oa */
    if (status == MAPPING_INVALID && (request->has_operand || request->types)) {
        const struct request every = without_filters(request);
        status = without_formulae(make_all_reports(&every, &sources, &count, error));
        is_of_target = true;
    }
    unsigned arch = status == MAPPING_OK ? sources[0].arch : 0;
    if (status == MAPPING_OK)
        status = find_target(&wanted, arch, sources[0].observed.fragment.shape.n, &fragment, error);
    if (is_of_target && !wanted.has_operand && !wanted.types) {
        *error = contradiction;
        return MAPPING_INVALID;
    }
    if (status != MAPPING_OK)
        return status;
    mapping_fragment_name(&fragment, full_name); /* if the name selects several, the one that was
                                                    chosen */
    name = full_name;
    /* In a tile of four warps, each warp converts its fragment to that of the target. */
    wanted.tile.is_given = request->tile.is_given && fragment.threads == MAPPING_WARP &&
                           sources[0].observed.fragment.threads == 4 * MAPPING_WARP &&
                           fragment.instruction == sources[0].observed.fragment.instruction;
    if (wanted.tile.is_given) {
        status = without_formulae(make_reports(&wanted, arch, &target, &targets, error));
        fragment = status == MAPPING_OK ? target->observed.fragment : fragment;
    }
    for (size_t s = 0; s < count && status == MAPPING_OK; s++)
        status = check(&sources[s], &fragment, arch, error);
    if (status == MAPPING_OK && !wanted.tile.is_given)
        status = without_formulae(make_reports(&wanted, arch, &target, &targets, error));
    return status == MAPPING_OK ? convert_all(request, sources, count, target, pages, error)
                                : status;
}
