/* load_scales.c - --load of scale factors in Tensor Memory: tcgen05.cp copies them from shared
 * memory. */
#include "command/load_scales.h"

#include "command/show.h"
#include "command/smem_matrix.h"
#include "report/placement.h"
#include "report/scale_copy.h"
#include "system/system.h"

#include <string.h>

bool is_scale_copy(const struct request *request) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    bool is_any = false;
    for (size_t u = 0; u < request->use_count; u++)
        is_any = is_any || (mapping_catalogue_find(request->uses[u].name, found) == 1 &&
                            is_scale_operand(&found[0]));
    return is_any && is_about_memory(request);
}

/* Checks that the request asks for one copy, and nothing that one has not. */
static enum mapping_status check(const struct request *request, struct mapping_error *error) {
    const struct asked_use *use = &request->uses[0];
    const char axis = strstr(use->name, ".sfb.") ? 'n' : 'm';
    const char *too_many = request->tile.is_given ? "a tile" : use->with ? "--with" : NULL;
    if (request->use_count > 1 || request->subject_count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a copy to Tensor Memory is one matrix and one --load");
    if (use->is_store)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s is in Tensor Memory; tcgen05.cp only copies to it: use --load",
                            use->name);
    if (too_many)
        return mapping_fail(error, MAPPING_INVALID, "%s: tcgen05.cp takes no %s", use->name,
                            too_many);
    if (use->takes_origin)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s: tcgen05.cp copies from one place; use numbers: --origin=128,0",
                            use->name);
    const bool is_named = request->axes.rows == axis && request->axes.cols == 'k';
    const bool is_turned = request->axes.rows == 'k' && request->axes.cols == axis;
    if (request->axes.rows && !is_named && !is_turned)
        return mapping_fail(error, MAPPING_INVALID,
                            "the axes of scale factors for %s are %c and k; --axes=%c,%c is wrong",
                            use->name, axis, request->axes.rows, request->axes.cols);
    if (is_turned && !mapping_scales_is_meant(request->subjects[0]))
        return mapping_fail(error, MAPPING_INVALID,
                            "--axes=k,%c needs scale factors by name, such as 128x4; write "
                            "%.100s with rows along %c",
                            axis, request->subjects[0], axis);
    if (!request->output->scale_copy)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--format=%s cannot show a copy to Tensor Memory; use text, json or cuda",
            request->output->name);
    return MAPPING_OK;
}

static void exchange(uint32_t pair[2]) {
    const uint32_t first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}

/* The same request with rows along M or N and columns along K, as the names of scale factors mean
 * it. */
static struct request along_mn(const struct request *request, struct asked_use *use) {
    struct request turned = *request;
    *use = request->uses[0];
    if (request->axes.rows != 'k')
        return turned;
    exchange(turned.extent);
    exchange(use->origin);
    turned.axes = (struct matrix_axes){request->axes.cols, 'k'};
    return turned;
}

enum mapping_status command_scale_copy(const struct request *asked, struct pages *pages,
                                       struct mapping_error *error) {
    struct asked_use use;
    const struct request turned = along_mn(asked, &use), *request = &turned;
    struct request wanted = turned;
    struct report *fragment = NULL, *matrix = NULL;
    struct scale_copy copy;
    size_t count;
    enum mapping_status status = check(asked, error);
    if (status != MAPPING_OK)
        return status;
    wanted.subjects = &request->uses[0].name;
    wanted.subject_count = 1;
    wanted.types = 0;
    wanted.extent[0] = wanted.extent[1] = wanted.block = 0;
    wanted.use_count = 0;
    wanted.axes = (struct matrix_axes){0, 0};
    status = make_all_reports(&wanted, &fragment, &count, error);
    if (status != MAPPING_OK && status != MAPPING_NO_FORMULA)
        return status;
    status = make_memory_reports(request, &fragment->observed.fragment, &matrix, &count, error);
    if (status != MAPPING_OK && status != MAPPING_NO_FORMULA)
        return status;
    status = scale_copy_find(matrix, fragment, use.origin, &copy, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    request->output->scale_copy(pages->page, &copy, &request->style);
    return MAPPING_OK;
}
