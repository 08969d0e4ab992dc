/* triton_layout.c - makes tables from the layouts of Triton; see triton_layout.h.
 *
 * Each layout is linear: each bit of the register, the lane, the warp or the block (a CTA of a
 * cluster), or of the offset in shared memory, contributes one vector of coordinates, and the
 * vectors are combined by exclusive or. For example, D of mma.m16n8k16 has
 *
 *     register (0,1) (8,0)    lane (0,2) (0,4) (1,0) (2,0) (4,0)
 *
 * Layouts are built by repeating. For example, if a layout covers 8 columns, repeating it over 2
 * registers covers 16: register 1 holds column c + 8 where register 0 holds column c. In the end,
 * if the layout is smaller than the tensor, it is repeated over registers. If it is larger, the
 * bits that lead out of the tensor hold copies (Triton, LinearLayoutConversions.cpp,
 * combineCtaCgaWithShape). */
#include "layout/triton_layout.h"

#include "layout/triton_bases.h"
#include <string.h>

/* Removes registers that hold copies, or those of them from bit `first` on. */
static void drop_copies(struct triton_bases *bases) {
    static const uint32_t zero[TRITON_DIMS];
    uint32_t kept = 0;
    for (uint32_t b = 0; b < bases->count[REGISTER]; b++)
        if (memcmp(bases->at[REGISTER][b], zero, sizeof zero) != 0)
            memcpy(bases->at[REGISTER][kept++], bases->at[REGISTER][b], sizeof zero);
    bases->count[REGISTER] = kept;
}

/* ---- Registers ---- */

/* The dimensions in descending order, and in ascending order. */
static const uint32_t last_first[][TRITON_DIMS] = {{0}, {0}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}};
static const uint32_t first_first[TRITON_DIMS] = {0, 1, 2, 3, 4};

static enum mapping_status make_blocked(const struct triton_attribute *attribute,
                                        const uint32_t *shape, struct triton_bases *bases,
                                        struct mapping_error *error) {
    static const char *const names[] = {"sizePerThread size_per_thread",
                                        "threadsPerWarp threads_per_warp",
                                        "warpsPerCTA warps_per_cta"};
    struct triton_bases cga;
    const uint32_t *list = first_first, *order = first_first;
    enum mapping_status status = triton_list(attribute, "order", bases->rank, true, &order, error);
    for (int input = REGISTER; input < BLOCK && status == MAPPING_OK; input++) {
        status = triton_list(attribute, names[input], bases->rank, false, &list, error);
        for (uint32_t o = 0; o < bases->rank && status == MAPPING_OK; o++)
            triton_repeat(bases, (enum triton_input)input, order[o], list[order[o]]);
    }
    if (status == MAPPING_OK)
        status = triton_cga(attribute, bases->rank, &cga, error);
    if (status == MAPPING_OK)
        triton_combine(bases, &cga, shape, order);
    drop_copies(bases); /* as in Triton from 3.7 on */
    return status;
}

/* A linear layout covers the numbers that its bases generate. A smaller tensor needs fewer
 * registers; over a larger one, the layout is repeated along dimensions in the order of the
 * registers. */
static enum mapping_status make_linear(const struct triton_attribute *attribute,
                                       const uint32_t *shape, struct triton_bases *bases,
                                       struct mapping_error *error) {
    static const char *const names[INPUTS] = {"register", "lane", "warp", "block"};
    uint32_t order[TRITON_DIMS], count = 0;
    bool seen[TRITON_DIMS] = {false};
    for (int input = 0; input < INPUTS; input++) {
        const enum mapping_status status =
            triton_add(attribute, names[input], (enum triton_input)input, bases, error);
        if (status != MAPPING_OK)
            return status;
    }
    for (uint32_t b = 0; b < bases->count[REGISTER]; b++)
        for (uint32_t d = 0; d < bases->rank; d++)
            if (bases->at[REGISTER][b][d] && !seen[d]) {
                seen[d] = true;
                order[count++] = d;
                break;
            }
    for (uint32_t d = bases->rank; d-- > 0;)
        if (!seen[d])
            order[count++] = d;
    if (!shape)
        return MAPPING_OK;
    bool is_smaller = false;
    for (uint32_t o = 0; o < bases->rank; o++) {
        is_smaller |= bases->size[o] > shape[o];
        if (bases->size[order[o]] < shape[order[o]])
            triton_repeat(bases, REGISTER, order[o], shape[order[o]] / bases->size[order[o]]);
    }
    triton_shrink(bases, shape);
    if (is_smaller)
        drop_copies(bases);
    return MAPPING_OK;
}

/* Adds the tile of an mma: `width` elements in each of 4 lanes along the inner dimension, 8 lanes
 * along the outer one; then registers. */
static void add_tile(struct triton_bases *bases, uint32_t inner, uint32_t outer, uint32_t width,
                     uint32_t inner_size, uint32_t outer_size) {
    triton_repeat(bases, REGISTER, inner, width);
    triton_repeat(bases, LANE, inner, 4);
    triton_repeat(bases, LANE, outer, 8);
    triton_repeat(bases, REGISTER, outer, outer_size / 8);
    triton_repeat(bases, REGISTER, inner, inner_size / (4 * width));
}

/* Checks the version of an mma, and finds its warps. */
static enum mapping_status check_mma(const struct triton_attribute *attribute, uint32_t rank,
                                     uint32_t *version, const uint32_t **warps,
                                     struct mapping_error *error) {
    const struct triton_value *both = mapping_triton_value(attribute, "version");
    *version =
        both && both->count > 0 ? both->number[0] : triton_number(attribute, "versionMajor", 0);
    if (*version != 2 && *version != 3)
        return mapping_fail(
            error, MAPPING_INVALID,
            *version == 1   ? "nvidia_mma of version 1, mma.m8n8k4 of Volta, is not supported; its "
                              "fragments are those of ./mapping mma.m8n8k4.d.f32"
            : *version == 5 ? "version 5 is tcgen05.mma, whose D is in Tensor Memory; give its "
                              "#ttng.tensor_memory_encoding"
                            : "#ttg.nvidia_mma needs versionMajor = 2, of mma, or 3, of wgmma");
    return triton_list(attribute, "warpsPerCTA warps_per_cta", rank, false, warps, error);
}

static enum mapping_status make_mma(const struct triton_attribute *attribute, const uint32_t *shape,
                                    struct triton_bases *bases, struct mapping_error *error) {
    const uint32_t rank = bases->rank, *warps = first_first;
    uint32_t version;
    struct triton_bases cga;
    const struct triton_value *instruction =
        mapping_triton_value(attribute, "instrShape instr_shape");
    if (rank < 2)
        return mapping_fail(error, MAPPING_INVALID, "#ttg.nvidia_mma needs a matrix, or several");
    enum mapping_status status = check_mma(attribute, rank, &version, &warps, error);
    if (status == MAPPING_OK)
        status = triton_cga(attribute, rank, &cga, error);
    if (status != MAPPING_OK)
        return status;
    const bool is_wgmma = version == 3;
    if (!instruction || instruction->count < 2 || (!is_wgmma && instruction->count != rank))
        return triton_fail(attribute, "instrShape", is_wgmma ? "[M, N, K]" : "[M, N]", error);
    const uint32_t *sizes = instruction->number + (is_wgmma ? 0 : rank - 2);
    if (sizes[0] < 8 || sizes[1] < 8 || !triton_is_power(sizes[0]) || !triton_is_power(sizes[1]))
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.nvidia_mma: instrShape has M = %u and N = %u; both need to be "
                            "powers of two of at least 8",
                            sizes[0], sizes[1]);
    add_tile(bases, rank - 1, rank - 2, 2, sizes[1], sizes[0]);
    for (uint32_t o = 0; o < rank; o++) {
        const uint32_t dim = is_wgmma ? first_first[o] : last_first[rank][o];
        triton_repeat(bases, WARP, dim, warps[dim]);
    }
    triton_combine(bases, &cga, shape, last_first[rank]);
    return MAPPING_OK;
}

/* Makes an operand of tl.dot: A (0) or B (1). Along K, each warp, or each lane of a blocked parent,
 * holds all elements. */
static enum mapping_status make_dot(const struct triton_text *text, uint32_t level,
                                    const uint32_t *shape, struct triton_bases *bases,
                                    struct mapping_error *error) {
    const struct triton_attribute *attribute = &text->attribute[level], *parent = attribute + 1;
    const uint32_t rank = bases->rank, operand = triton_number(attribute, "opIdx operand_index", 2);
    const uint32_t k = rank - 1 - operand, other = rank - 2 + operand;
    struct triton_bases cga;
    const uint32_t *warps = first_first, *order = last_first[rank < 2 ? 2 : rank];
    uint32_t version;
    if (operand > 1)
        return triton_fail(attribute, "opIdx", "0, for A, or 1, for B", error);
    if (rank < 2 || level + 1 >= text->depth)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.dot_op needs a parent and a matrix, or several");
    enum mapping_status status = triton_cga(parent, rank, &cga, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t d = 0; d < rank; d++)
        if (cga.count[BLOCK] > 0 && d == k) { /* CTAs that differ only in K hold the same
                                                 elements */
            for (uint32_t b = 0; b < cga.count[BLOCK]; b++)
                cga.at[BLOCK][b][d] = 0;
            cga.size[d] = 1;
        }
    uint32_t rows_first[TRITON_DIMS]; /* K is the fastest dimension */
    memcpy(rows_first, order, sizeof rows_first);
    rows_first[0] = k;
    rows_first[1] = other;
    if (parent->kind == TRITON_BLOCKED) {
        static const char *const names[] = {"sizePerThread", "threadsPerWarp", "warpsPerCTA"};
        const uint32_t *list = first_first, *fast = first_first;
        status = triton_list(parent, "order", rank, true, &fast, error);
        for (int input = REGISTER; input < BLOCK && status == MAPPING_OK; input++) {
            status = triton_list(parent, names[input], rank, false, &list, error);
            for (uint32_t o = 0; o < rank && status == MAPPING_OK; o++) {
                const uint32_t dim = fast[o];
                if (dim == k && input == REGISTER)
                    triton_repeat(bases, REGISTER, dim, shape ? shape[dim] : 1);
                else if (dim == k)
                    triton_copy(bases, (enum triton_input)input, list[dim]);
                else
                    triton_repeat(bases, (enum triton_input)input, dim, list[dim]);
            }
        }
        if (status == MAPPING_OK)
            triton_combine(bases, &cga, shape, fast);
        return status;
    }
    if (parent->kind != TRITON_MMA)
        return mapping_fail(
            error, MAPPING_INVALID,
            "#ttg.dot_op of #ttg.%.32s is not supported; its parent must be nvidia_mma or "
            "blocked",
            parent->name);
    status = check_mma(parent, rank, &version, &warps, error);
    const uint32_t width = triton_number(attribute, "kWidth k_width", 0);
    if (status == MAPPING_OK && (!triton_is_power(width) || width > 16))
        return triton_fail(attribute, "kWidth", "a power of two of at most 16", error);
    if (status == MAPPING_OK && version == 3 && operand == 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "wgmma reads B from shared memory, so no registers hold it");
    if (status != MAPPING_OK)
        return status;
    add_tile(bases, k, other, width, 8 * width, operand == 0 ? 16 : 8);
    for (uint32_t o = 0; o < rank; o++) {
        const uint32_t dim = version == 3 ? first_first[o] : order[o];
        if (dim == k)
            triton_copy(bases, WARP, warps[dim]);
        else
            triton_repeat(bases, WARP, dim, warps[dim]);
    }
    triton_combine(bases, &cga, shape, rows_first);
    return MAPPING_OK;
}

static enum mapping_status make_registers(const struct triton_text *text, uint32_t level,
                                          const uint32_t *shape, struct triton_bases *bases,
                                          struct mapping_error *error);

/* Makes the layout of the parent with a dimension of size 1, then removes this dimension and the
 * registers that hold copies. */
static enum mapping_status make_slice(const struct triton_text *text, uint32_t level,
                                      const uint32_t *shape, struct triton_bases *bases,
                                      struct mapping_error *error) {
    const struct triton_attribute *attribute = &text->attribute[level];
    const uint32_t removed = triton_number(attribute, "dim", TRITON_DIMS), rank = bases->rank + 1;
    uint32_t wide[TRITON_DIMS] = {0};
    if (removed >= rank || rank > TRITON_DIMS)
        return triton_fail(attribute, "dim", "a dimension of its parent", error);
    if (level + 1 >= text->depth)
        return triton_fail(attribute, "parent", "a layout", error);
    for (uint32_t d = 0; d < rank; d++)
        wide[d] = d == removed ? 1 : shape ? shape[d - (d > removed)] : 0;
    *bases = (struct triton_bases){.rank = rank, .size = {1, 1, 1, 1, 1}};
    const enum mapping_status status =
        make_registers(text, level + 1, shape ? wide : NULL, bases, error);
    if (status != MAPPING_OK)
        return status;
    bases->rank--;
    memmove(&bases->size[removed], &bases->size[removed + 1],
            (rank - 1 - removed) * sizeof *bases->size);
    for (int input = 0; input < INPUTS; input++)
        for (uint32_t b = 0; b < bases->count[input]; b++) {
            uint32_t *basis = bases->at[input][b];
            memmove(basis + removed, basis + removed + 1, (rank - 1 - removed) * sizeof *basis);
            basis[rank - 1] = 0;
        }
    drop_copies(bases);
    return MAPPING_OK;
}

static enum mapping_status make_registers(const struct triton_text *text, uint32_t level,
                                          const uint32_t *shape, struct triton_bases *bases,
                                          struct mapping_error *error) {
    const struct triton_attribute *attribute = &text->attribute[level];
    switch (attribute->kind) {
    case TRITON_LINEAR:
        return make_linear(attribute, shape, bases, error);
    case TRITON_BLOCKED:
        return make_blocked(attribute, shape, bases, error);
    case TRITON_MMA:
        return make_mma(attribute, shape, bases, error);
    case TRITON_DOT:
        return make_dot(text, level, shape, bases, error);
    case TRITON_SLICE:
        return make_slice(text, level, shape, bases, error);
    default:
        return mapping_fail(error, MAPPING_INVALID, "#ttg.%.32s is no layout of registers",
                            attribute->name);
    }
}

/* Fills the table. Its points are numbered by bits, those of the first input lowest. */
static void fill(const struct triton_bases *bases, const uint32_t *axis,
                 struct mapping_layout *layout) {
    const size_t entries = mapping_layout_entries(layout);
    for (uint32_t c = 0; c < layout->to.count; c++)
        layout->coordinate[c][0] = 0;
    size_t bit = 1;
    for (int input = 0; input < INPUTS; input++)
        for (uint32_t b = 0; b < bases->count[input] && bit < entries; b++, bit *= 2)
            for (uint32_t c = 0; c < layout->to.count; c++) {
                uint32_t *values = layout->coordinate[c];
                const uint32_t basis = axis[c] < bases->rank ? bases->at[input][b][axis[c]] : 0;
                for (size_t n = 0; n < bit; n++)
                    values[bit + n] = values[n] ^ basis;
            }
}

enum mapping_status mapping_triton_make(const char *text, const uint32_t extent[2],
                                        struct mapping_triton *triton,
                                        struct mapping_error *error) {
    struct triton_text read;
    struct triton_bases bases = {.size = {1, 1, 1, 1, 1}};
    uint32_t sizes[TRITON_DIMS] = {0}, rank = 0, total = 0, stages = 0;
    const uint32_t *shape;
    *triton = (struct mapping_triton){.lanes = 0};
    enum mapping_status status = mapping_triton_read(text, &read, error);
    if (status == MAPPING_OK)
        status = mapping_triton_shape(&read, extent, sizes, &rank, &stages, &shape, error);
    bases.rank = rank;
    memcpy(triton->type, read.type, sizeof triton->type);
    if (status == MAPPING_OK && read.attribute->kind > TRITON_SHARED_END)
        return triton_make_lanes(&read, shape, stages, &triton->layout, error);
    if (status == MAPPING_OK)
        status = make_registers(&read, 0, shape, &bases, error);
    if (status != MAPPING_OK)
        return status;
    for (int input = 0; input < INPUTS; input++)
        total += bases.count[input];
    if (bases.is_invalid || total > 20)
        return triton_fail_size(error);
    triton->lanes = UINT32_C(1) << bases.count[LANE];
    struct mapping_space from = {.count = 0}, to = {.count = 0};
    if (bases.count[BLOCK] > 0)
        from.axis[from.count++] =
            (struct mapping_axis){MAPPING_AXIS_CTA, UINT32_C(1) << bases.count[BLOCK]};
    from.axis[from.count++] = (struct mapping_axis){
        MAPPING_AXIS_TID, UINT32_C(1) << (bases.count[LANE] + bases.count[WARP])};
    from.axis[from.count++] =
        (struct mapping_axis){MAPPING_AXIS_I, UINT32_C(1) << bases.count[REGISTER]};
    static const char *const names[] = {MAPPING_AXIS_BLOCK, MAPPING_AXIS_ROW, MAPPING_AXIS_COL};
    uint32_t axis[TRITON_RANK];
    for (uint32_t d = rank == 3 ? 0 : 1; d < 3; d++) { /* a tensor of one dimension is one row */
        axis[to.count] = d + rank >= 3 ? d + rank - 3 : TRITON_DIMS;
        to.axis[to.count] =
            (struct mapping_axis){names[d], axis[to.count] < rank ? bases.size[axis[to.count]] : 1};
        to.count++;
    }
    status = mapping_layout_init(&triton->layout, &from, &to, error);
    if (status == MAPPING_OK)
        fill(&bases, axis, &triton->layout);
    return status;
}
