/* loading.c - from matrices in memory to fragments, and back; see loading.h. */
#include "report/loading.h"

#include "catalogue/catalogue.h"
#include "report/derive.h"
#include "system/system.h"

#include <stdlib.h>

/* The first matrix of a layout, if that has several stages: they come last in its table. */
static struct mapping_layout first_stage(const struct report *matrix) {
    struct mapping_layout layout = matrix->forward.layout;
    if (layout.from.count > 2)
        layout.from = (struct mapping_space){2, {layout.from.axis[1], layout.from.axis[2]}};
    return layout;
}

/* Checks that the fragment is one matrix of elements as the matrix in memory has them. */
static enum mapping_status check_fragment(const struct report *matrix,
                                          const struct report *fragment,
                                          struct mapping_error *error) {
    const struct mapping_fragment *held = &fragment->observed.fragment;
    const struct mapping_space *to = &fragment->forward.layout.to;
    uint32_t bits = matrix->placement->bits;
    if (held->lanes != MAPPING_WARP)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s has warps of %u threads, but ld, st and ldmatrix need warps of %d",
                            fragment->name, held->lanes, MAPPING_WARP);
    if (is_in_lanes(&fragment->forward.layout.from, to))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s is in Tensor Memory, so --load and --store do not apply; tcgen05.cp copies it from "
            "shared memory, and --with=tcgen05.ld.32x32b shows its registers",
            fragment->name);
    if (mapping_space_find(to, MAPPING_AXIS_LANE) >= 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s maps registers to lanes of Tensor Memory, not to rows and columns of a matrix",
            fragment->name);
    if (held->operand == MAPPING_E || held->operand == MAPPING_P)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s holds %s, not elements of a matrix; use operand %s", fragment->name,
                            held->operand == MAPPING_E ? "sparsity metadata" : "row addresses",
                            held->operand == MAPPING_E ? "a, b, c or d" : "r, the registers");
    if (to->count != 2)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s has %u matrices, whose positions relative to each other are not fixed%s",
            fragment->name, to->axis[0].size,
            can_be_tiled(held) ? "; place them with --atom-layout and "
                                 "--permutation, as in --atom-layout='(2,2,1)'"
                               : "; use .x1, which has one matrix");
    if (held->bits != bits)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s has %u-bit elements, but %.100s has %u-bit elements; use a matrix, "
                            "or a --type, with %u-bit elements",
                            fragment->name, held->bits, matrix->name, bits, held->bits);
    return MAPPING_OK;
}

/* What the rows and columns of an operand are; 0 for what is none of a product. */
static struct matrix_axes axes_of(enum mapping_operand operand) {
    switch (operand) {
    case MAPPING_A:
        return (struct matrix_axes){'m', 'k'};
    case MAPPING_B:
        return (struct matrix_axes){'k', 'n'};
    case MAPPING_C:
    case MAPPING_D:
        return (struct matrix_axes){'m', 'n'};
    default:
        return (struct matrix_axes){0, 0};
    }
}

/* Finds what the rows and columns of the matrix are. */
static enum mapping_status find_axes(struct loading *loading, const struct matrix_axes *asked,
                                     struct mapping_error *error) {
    const struct matrix_axes own = axes_of(loading->fragment->observed.fragment.operand);
    bool is_named = loading->matrix->placement->is_mn_by_k && own.rows == 'k';
    loading->axes = is_named ? (struct matrix_axes){own.cols, own.rows} : own;
    loading->has_axes = asked->rows != 0;
    if (!loading->has_axes) {
        loading->is_turned = is_named;
        return MAPPING_OK;
    }
    if (!own.rows)
        return mapping_fail(error, MAPPING_INVALID,
                            "--axes works only for operands a, b, c and d, not for %s",
                            loading->name);
    bool is_same = asked->rows == own.rows && asked->cols == own.cols;
    if (!is_same && (asked->rows != own.cols || asked->cols != own.rows))
        return mapping_fail(error, MAPPING_INVALID,
                            "the axes of %s are %c and %c; --axes=%c,%c is wrong", loading->name,
                            own.rows, own.cols, asked->rows, asked->cols);
    if (loading->matrix->placement->is_mn_by_k && asked->rows == 'k')
        return mapping_fail(
            error, MAPPING_INVALID,
            "the rows of %.100s run along %c and its columns along k; --axes=%c,%c is wrong",
            loading->matrix->name, asked->cols, asked->rows, asked->cols);
    loading->axes = *asked;
    loading->is_turned = !is_same;
    return MAPPING_OK;
}

/* Finds to how many bytes the matrix has to be aligned. */
static void find_alignment(struct loading *loading) {
    const struct mapping_layout *layout = &loading->matrix->forward.layout;
    struct mapping_cute cute;
    loading->alignment = (uint32_t)BANKS * BANK_BYTES;
    if (!mapping_cute_find(&layout->from, layout->coordinate[0], &cute) || cute.swizzle.bits == 0)
        return;
    const int bits = cute.swizzle.bits + cute.swizzle.base + cute.swizzle.shift;
    uint64_t bytes = ((uint64_t)loading->matrix->placement->bits << bits) / 8;
    if (bytes > loading->alignment)
        loading->alignment = (uint32_t)bytes;
}

enum mapping_status load_prepare(struct loading *loading, const struct matrix_axes *asked,
                                 struct mapping_error *error) {
    enum mapping_status status = check_fragment(loading->matrix, loading->fragment, error);
    if (status == MAPPING_OK)
        status = find_axes(loading, asked, error);
    if (status != MAPPING_OK)
        return status;
    find_alignment(loading);
    struct mapping_layout *layout = &loading->layout;
    *layout = loading->fragment->forward.layout;
    if (!loading->is_turned)
        return MAPPING_OK;
    uint32_t *rows = layout->coordinate[0], size = layout->to.axis[0].size;
    layout->coordinate[0] = layout->coordinate[1];
    layout->coordinate[1] = rows;
    layout->to.axis[0].size = layout->to.axis[1].size;
    layout->to.axis[1].size = size;
    return MAPPING_OK;
}

/* Plans with one operation. */
static enum mapping_status plan_one(const struct mapping_loading_request *request,
                                    const struct mapping_access *with, struct loading *loading,
                                    struct mapping_error *error) {
    struct mapping_error cause;
    loading->plans = memory_get(1, sizeof *loading->plans);
    loading->count = 1;
    if (with->is_store != loading->is_store)
        return mapping_fail(error, MAPPING_INVALID, "%s is a %s, but --%s needs %s", with->name,
                            with->is_store ? "store" : "load", loading->is_store ? "store" : "load",
                            loading->is_store ? "st or stmatrix" : "ld or ldmatrix");
    if (mapping_access_since(with) > request->arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u or later",
                            request->arch, with->name, mapping_access_since(with));
    enum mapping_status status = mapping_loading_plan(request, with, loading->plans, &cause);
    memory_own(loading->plans->steps);
    if (status == MAPPING_OK)
        mapping_loading_deduce(loading->plans);
    if (status == MAPPING_INVALID)
        return mapping_fail(error, status, "%s cannot %s %s: %-s", with->name,
                            loading->is_store ? "store" : "load", loading->name, cause.message);
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

/* Plans the copy of the whole matrix. */
static enum mapping_status plan_copy(const struct mapping_layout *matrix, uint32_t bits,
                                     struct loading *loading, struct mapping_error *error) {
    loading->plans = memory_get(1, sizeof *loading->plans);
    loading->count = 1;
    enum mapping_status status =
        loading->is_tma ? mapping_tma_check(matrix, bits, error) : MAPPING_OK;
    if (status == MAPPING_OK)
        status = mapping_copy_plan(matrix, bits, loading->plans, error);
    memory_own(loading->plans->steps);
    if (status == MAPPING_OK)
        mapping_loading_deduce(loading->plans);
    return status;
}

enum mapping_status load_plan(struct loading *loading, const struct mapping_access *with,
                              struct mapping_error *error) {
    const struct mapping_layout matrix = first_stage(loading->matrix);
    uint32_t bits = loading->matrix->placement->bits;
    struct mapping_error cause;
    if (!loading->fragment)
        return plan_copy(&matrix, bits, loading, error);
    const struct mapping_loading_request request = {
        .memory = &matrix,
        .fragment = &loading->layout,
        .bits = bits,
        .origin = {loading->origin[0], loading->origin[1]},
        .is_store = loading->is_store,
        .arch = loading->fragment->arch};
    if (with)
        return plan_one(&request, with, loading, error);
    enum mapping_status status =
        mapping_loading_all(&request, &loading->plans, &loading->count, &cause);
    memory_own(loading->plans);
    for (size_t p = 0; p < loading->count; p++) {
        memory_own(loading->plans[p].steps);
        mapping_loading_deduce(&loading->plans[p]);
    }
    if (status == MAPPING_INVALID)
        return mapping_fail(error, status, "no operation can %s %s: %-s",
                            loading->is_store ? "store" : "load", loading->name, cause.message);
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

enum mapping_status load_suggest(struct suggested *suggested,
                                 const struct mapping_access *const *with,
                                 struct mapping_error *error) {
    const struct mapping_layout matrix = first_stage(suggested->matrix);
    struct mapping_suggest_request request = {.matrix = &matrix,
                                              .bits = suggested->matrix->placement->bits};
    if (suggested->matrix->forward.layout.from.count > 2)
        return mapping_fail(
            error, MAPPING_INVALID, "--suggest takes one matrix, but %.100s has %u stages",
            suggested->matrix->name, suggested->matrix->forward.layout.from.axis[0].size);
    if (suggested->use_count > SUGGEST_USES_MAX)
        return mapping_fail(error, MAPPING_INVALID, "--suggest takes at most %d loads and stores",
                            SUGGEST_USES_MAX);
    for (size_t u = 0; u < suggested->use_count; u++) {
        const struct loading *use = &suggested->uses[u];
        if (use->fragment)
            request.arch = use->fragment->arch;
        if (use->fragment && with[u] && mapping_access_since(with[u]) > request.arch)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u or later",
                                request.arch, with[u]->name, mapping_access_since(with[u]));
        request.uses[request.use_count++] = (struct mapping_use){
            use->fragment ? &use->layout : NULL, use->is_store, use->is_tma, with[u]};
    }
    enum mapping_status status = mapping_suggest(&request, &suggested->suggestions, error);
    memory_own(suggested->suggestions.items);
    return status;
}
