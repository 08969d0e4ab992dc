/* load.c - what loads fragments from matrices in memory, or stores them there; and in which order
 * these would better lie. */
#include "command/memory.h"
#include "command/show.h"

#include "layout/sentence.h"
#include "report/loading.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if it stands for a copy of the whole matrix. */
static bool is_copy(const char *name) {
    return strcmp(name, "cp.async") == 0 || strcmp(name, "tma") == 0;
}

/* Makes the report of the fragment of one load or store. */
static enum mapping_status find_fragment(const struct request *request, const char **name,
                                         struct report **report, struct mapping_error *error) {
    struct request wanted = *request;
    size_t count;
    wanted.subjects = name;
    wanted.subject_count = 1;
    wanted.types = 0; /* that is the type of the matrix; but it chooses among several fragments */
    wanted.extent[0] = wanted.extent[1] = 0;
    if (mapping_memory_is_meant(*name))
        return mapping_fail(
            error, MAPPING_INVALID,
            "--load and --store take a fragment, but '%.60s' is a matrix in memory; write, for "
            "example, mapping '%.60s' --load=mma.m16n8k16.a.f16",
            *name, *name);
    if (mapping_access_find(*name))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is an operation; give it to --with; --load and --store take a "
                            "fragment, such as mma.m16n8k16.a.f16",
                            *name);
    enum mapping_status status = make_all_reports(&wanted, report, &count, error);
    if ((status == MAPPING_OK || status == MAPPING_NO_FORMULA) && count > 1 && request->types) {
        wanted.types = request->types;
        status = make_all_reports(&wanted, report, &count, error);
    }
    for (size_t r = 0; r < count && *report && request->tile.is_given; r++)
        (*report)[r].tiling = request->tile.text; /* that of `wanted` does not last */
    if (status == MAPPING_NO_FORMULA)
        status = MAPPING_OK;
    if (status == MAPPING_OK && count != 1)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--load and --store take one fragment, but '%.100s' matches %zu; select one with "
            "--operand and --type, or give a full name such as mma.m16n8k16.a.f16",
            *name, count);
    return status;
}

/* Makes those of all loads and stores, NULL for a copy. */
static enum mapping_status find_fragments(const struct request *request, struct report **fragments,
                                          struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t u = 0; u < request->use_count && status == MAPPING_OK; u++) {
        const char *name = request->uses[u].name;
        if (is_copy(name) && !request->uses[u].is_store)
            status = mapping_fail(error, MAPPING_INVALID,
                                  "%s writes to shared memory; use --store=%s", name, name);
        else if (!is_copy(name))
            status = find_fragment(request, &name, &fragments[u], error);
    }
    return status;
}

/* Makes the reports of the matrices. Elements are those of the fragments, where nothing else says
 * what they are. */
static enum mapping_status find_matrices(const struct request *request,
                                         struct report *const *fragments, struct report **reports,
                                         size_t *count, struct mapping_error *error) {
    const struct mapping_fragment *fragment = NULL;
    if (request->subject_count == 0 || !is_about_memory(request))
        return mapping_fail(error, MAPPING_INVALID,
                            "--load and --store need a matrix in memory, such as '(64,64):(64,1)'");
    for (size_t u = 0; u < request->use_count && !fragment; u++)
        if (fragments[u])
            fragment = &fragments[u]->observed.fragment;
    enum mapping_status status = make_memory_reports(request, fragment, reports, count, error);
    return status == MAPPING_NO_FORMULA ? MAPPING_OK : status;
}

/* Makes all loads and stores of all matrices, without plans: those of one behind those of another.
 */
static enum mapping_status make_loadings(const struct request *request,
                                         struct report *const *fragments,
                                         const struct report *matrices, size_t count,
                                         struct loading *loadings, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t m = 0; m < count; m++)
        for (size_t u = 0; u < request->use_count && status == MAPPING_OK; u++) {
            const struct asked_use *use = &request->uses[u];
            const struct report *fragment = fragments[u];
            loadings[m * request->use_count + u] =
                (struct loading){.matrix = &matrices[m],
                                 .fragment = fragment,
                                 .name = fragment ? fragment->name : use->name,
                                 .is_store = use->is_store,
                                 .is_tma = strcmp(use->name, "tma") == 0,
                                 .origin = {use->origin[0], use->origin[1]}};
            if (fragment)
                status = load_prepare(&loadings[m * request->use_count + u], &request->axes, error);
            else if (use->with || use->has_origin)
                status = mapping_fail(error, MAPPING_INVALID,
                                      "%s copies the whole matrix and takes no --%s", use->name,
                                      use->with ? "with" : "origin");
        }
    return status;
}

/* All loads and stores of a request: of each matrix, in the order of the options. */
struct uses {
    struct report *matrices;
    size_t matrix_count;
    struct loading *loadings;
    size_t count;
};

static enum mapping_status uses_make(const struct request *request, struct uses *uses,
                                     struct mapping_error *error) {
    struct report **fragments = memory_get(request->use_count, sizeof *fragments);
    enum mapping_status status = find_fragments(request, fragments, error);
    if (status == MAPPING_OK)
        status = find_matrices(request, fragments, &uses->matrices, &uses->matrix_count, error);
    if (status != MAPPING_OK)
        return status;
    uses->count = uses->matrix_count * request->use_count;
    uses->loadings = memory_get(uses->count, sizeof *uses->loadings);
    return make_loadings(request, fragments, uses->matrices, uses->matrix_count, uses->loadings,
                         error);
}

/* Writes the --permutation of a tile that has `times` as many elements along an axis, m, n or k, as
 * the fragment has: "_,16,_". */
static void write_permutation(const struct mapping_shape *shape, char axis, unsigned times,
                              char text[32]) {
    const unsigned sizes[] = {shape->m, shape->n, shape->k};
    *text = '\0';
    for (int s = 0; s < 3; s++) {
        mapping_append(text, 32, s > 0 ? "," : "");
        if ("mnk"[s] == axis)
            mapping_append(text, 32, "%u", sizes[s] * times);
        else
            mapping_append(text, 32, "_");
    }
}

/* True if the operation can load or store the fragment of a failed one, tiled by a permutation. */
static bool can_tiled(const struct request *request, const struct loading *failed,
                      const struct mapping_access *with, const char *permutation) {
    struct request tiled = *request;
    struct mapping_error ignored;
    struct report *fragment = NULL;
    char text[64];
    const char *name = failed->name;
    snprintf(text, sizeof text, "%s", permutation);
    tiled.tile = (struct tile_request){.is_given = true, .text = text};
    struct loading loading = *failed;
    if (mapping_tiling_parse(NULL, permutation, &tiled.tile.tiling, &ignored) != MAPPING_OK ||
        find_fragment(&tiled, &name, &fragment, &ignored) != MAPPING_OK)
        return false;
    loading.fragment = fragment;
    return load_prepare(&loading, &request->axes, &ignored) == MAPPING_OK &&
           load_plan(&loading, with, &ignored) == MAPPING_OK;
}

/* Adds to the reason why an operation cannot load or store a fragment: another operation that can,
 * and a tile that this one can, if ldmatrix moves more registers than the fragment has. */
static enum mapping_status name_way_out(const struct request *request, struct loading *loading,
                                        const struct mapping_access *with,
                                        struct mapping_error *error) {
    const struct mapping_error cause = *error;
    struct mapping_error ignored;
    char other[48] = "", tiled[128] = "", permutation[32];
    if (load_plan(loading, NULL, &ignored) == MAPPING_OK)
        snprintf(other, sizeof other, "; use %s", loading->plans[0].access->name);
    const struct mapping_fragment *fragment = &loading->fragment->observed.fragment;
    const unsigned moved = with->matrices ? with->matrices : with->bytes / 4;
    const unsigned held = fragment->registers;
    const bool is_short = moved > held && moved % held == 0 && !request->tile.is_given;
    for (const char *axis = "nmk"; *axis && !*tiled && is_short; axis++) {
        if (*axis != loading->axes.rows && *axis != loading->axes.cols)
            continue;
        write_permutation(&fragment->shape, *axis, moved / held, permutation);
        if (can_tiled(request, loading, with, permutation))
            snprintf(tiled, sizeof tiled, "%s %s with a tile of %u fragments: add --permutation=%s",
                     *other ? ", or" : "; use", with->name, moved / held, permutation);
    }
    return mapping_fail(error, MAPPING_INVALID, "%-s%s%s", cause.message, other, tiled);
}

/* Plans loads and stores. */
static enum mapping_status plan_all(const struct request *request, struct loading *loadings,
                                    size_t count, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t l = 0; l < count && status == MAPPING_OK; l++) {
        const struct mapping_access *with = request->uses[l % request->use_count].with;
        status = load_plan(&loadings[l], with, error);
        if (status == MAPPING_INVALID && with && loadings[l].fragment)
            status = name_way_out(request, &loadings[l], with, error);
    }
    return status;
}

static enum mapping_status print_loadings(const struct request *request, struct loading *loadings,
                                          size_t count, struct pages *pages,
                                          struct mapping_error *error) {
    enum mapping_status status = plan_all(request, loadings, count, error);
    if (status == MAPPING_OK && request->output->check_loadings)
        status = request->output->check_loadings(loadings, count, error);
    if (status == MAPPING_OK)
        request->output->loadings(pages->page, loadings, count, &request->style);
    return status;
}

/* Finds and prints what is suggested for one matrix. */
static enum mapping_status print_suggested(const struct request *request,
                                           const struct report *matrices, size_t count,
                                           const struct loading *uses, struct pages *pages,
                                           struct mapping_error *error) {
    const struct mapping_access *with[SUGGEST_USES_MAX] = {NULL};
    struct suggested suggested = {
        .matrix = matrices, .uses = uses, .use_count = request->use_count};
    if (count > 1)
        return mapping_fail(error, MAPPING_INVALID, "--suggest takes one matrix, but %zu are named",
                            count);
    for (size_t u = 0; u < request->use_count && u < SUGGEST_USES_MAX; u++) {
        with[u] = request->uses[u].with;
        if (request->uses[u].has_origin)
            return mapping_fail(error, MAPPING_INVALID,
                                "--suggest uses the whole matrix; drop --origin");
    }
    enum mapping_status status = load_suggest(&suggested, with, error);
    if (status == MAPPING_OK)
        request->output->suggestions(pages->page, &suggested, &request->style);
    return status;
}

/* ---- Addresses as a layout ---- */

/* Names an access: "ldmatrix.x4 of mma.m16n8k16.a.f16 from (64,64):(72,1) at 0,16". */
static void name_addresses(const struct loading *loading, const char *operation,
                           struct report *report) {
    report->kind = loading->is_store ? "store" : "load";
    if (loading->fragment)
        snprintf(report->name, sizeof report->name, "%s of ", operation);
    mapping_append(report->name, sizeof report->name, "%.80s %s %.100s", loading->name,
                   loading->is_store ? "to" : "from", loading->matrix->name);
    if (loading->origin[0] || loading->origin[1])
        mapping_append(report->name, sizeof report->name, " at %u,%u", loading->origin[0],
                       loading->origin[1]);
}

/* Makes the layout of the addresses of the best plan: from (tid), or (step, tid) if it takes
 * several instructions, to the byte address, or to the offset in elements. A lane without an
 * address is a gap. */
static enum mapping_status make_addresses(const struct loading *loading, bool is_offset,
                                          struct report *report, struct mapping_error *error) {
    if (loading->is_tma)
        return mapping_fail(error, MAPPING_INVALID,
                            "TMA takes no addresses from threads, so --verify cannot check them; "
                            "use --store=cp.async or a fragment");
    const struct mapping_loading *plan = &loading->plans[0];
    const uint32_t bits = loading->matrix->placement->bits;
    const struct mapping_space to = {1,
                                     {{is_offset ? MAPPING_AXIS_OFFSET : "address", UINT32_MAX}}};
    struct mapping_space from = {0};
    if (plan->step_count > 1)
        from.axis[from.count++] = (struct mapping_axis){"step", plan->step_count};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_TID, plan->threads};
    name_addresses(loading, plan->access->name, report);
    if (loading->fragment) {
        report->arch = loading->fragment->arch;
        report->is_default_arch = loading->fragment->is_default_arch;
    }
    enum mapping_status status = mapping_layout_init(&report->forward.layout, &from, &to, error);
    memory_own(report->forward.layout.coordinate[0]);
    for (uint32_t s = 0; s < plan->step_count && status == MAPPING_OK; s++)
        for (uint32_t t = 0; t < plan->threads; t++) {
            const uint32_t address = plan->steps[s].address[t];
            if (address != MAPPING_INACTIVE)
                report->forward.layout.coordinate[0][(size_t)s * plan->threads + t] =
                    is_offset ? (uint32_t)((uint64_t)address * 8 / bits) : address;
        }
    return status;
}

enum mapping_status load_addresses(const struct request *request, bool is_offset,
                                   struct report **reports, size_t *count,
                                   struct mapping_error *error) {
    struct uses uses = {.count = 0};
    *count = 0;
    enum mapping_status status = uses_make(request, &uses, error);
    if (status == MAPPING_OK)
        status = plan_all(request, uses.loadings, uses.count, error);
    if (status != MAPPING_OK)
        return status;
    *reports = memory_get(uses.count, sizeof **reports);
    for (; *count < uses.count && status == MAPPING_OK; ++*count)
        status = make_addresses(&uses.loadings[*count], is_offset, &(*reports)[*count], error);
    return status;
}

/* ---- Commands ---- */

enum mapping_status command_load(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    struct uses uses = {.count = 0};
    enum mapping_status status = uses_make(request, &uses, error);
    pages_init(pages, 1);
    return status == MAPPING_OK ? print_loadings(request, uses.loadings, uses.count, pages, error)
                                : status;
}

enum mapping_status command_suggest(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    struct uses uses = {.count = 0};
    enum mapping_status status = uses_make(request, &uses, error);
    pages_init(pages, 1);
    return status == MAPPING_OK ? print_suggested(request, uses.matrices, uses.matrix_count,
                                                  uses.loadings, pages, error)
                                : status;
}
