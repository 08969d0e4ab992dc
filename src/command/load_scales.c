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
    if (request->axes.rows && (request->axes.rows != axis || request->axes.cols != 'k'))
        return mapping_fail(error, MAPPING_INVALID,
                            "the rows of scale factors for %s run along %c, the columns along k; "
                            "--axes=%c,%c is wrong",
                            use->name, axis, request->axes.rows, request->axes.cols);
    if (!request->output->scale_copy)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--format=%s cannot show a copy to Tensor Memory; use text, json or cuda",
            request->output->name);
    return MAPPING_OK;
}

enum mapping_status command_scale_copy(const struct request *request, struct pages *pages,
                                       struct mapping_error *error) {
    struct request wanted = *request;
    struct report *fragment = NULL, *matrix = NULL;
    struct scale_copy copy;
    size_t count;
    enum mapping_status status = check(request, error);
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
    status = scale_copy_find(matrix, fragment, request->uses[0].origin, &copy, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    request->output->scale_copy(pages->page, &copy, &request->style);
    return MAPPING_OK;
}
