/* matrix_table.c - the table of a matrix in memory, which the parsers fill; see matrix_table.h. */
#include "smem/matrix_table.h"

#include <string.h>

enum mapping_status mapping_smem_matrix_begin(struct mapping_smem_matrix *memory, uint32_t stages,
                                              uint32_t rows, uint32_t cols,
                                              struct mapping_error *error) {
    const struct mapping_space to = {1, {{MAPPING_AXIS_OFFSET, 1}}};
    struct mapping_space from = {0};
    uint64_t matrix = (uint64_t)rows * cols;
    const uint32_t log2_limit = memory->scales.kind ? SCALES_LOG2_MAX : ENTRIES_LOG2_MAX;
    if (matrix >> log2_limit > 0 && matrix != (uint64_t)1 << log2_limit)
        return mapping_fail(error, MAPPING_INVALID,
                            "a %u x %u matrix is too large: the limit is 2^%u elements", rows, cols,
                            log2_limit);
    if (stages)
        from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_STAGE, stages};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_ROW, rows};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_COL, cols};
    return mapping_layout_init(&memory->layout, &from, &to, error);
}

enum mapping_status mapping_smem_matrix_fill(struct mapping_smem_matrix *memory,
                                             const struct mapping_cute *cute, uint32_t start,
                                             struct mapping_error *error) {
    const struct mapping_modes *col = &cute->axis[cute->count - 1], *row = col - 1;
    const uint32_t stages = cute->count > 2 ? mapping_modes_size(&cute->axis[0]) : 0;
    enum mapping_status status = mapping_smem_matrix_begin(memory, stages, mapping_modes_size(row),
                                                           mapping_modes_size(col), error);
    if (status == MAPPING_OK)
        memory->layout.to.axis[0].size =
            mapping_cute_fill(cute, start, memory->layout.coordinate[0]) + 1;
    return status;
}
