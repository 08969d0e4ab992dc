/* triton_shared.c - Triton's layouts of shared memory as matrices in memory.
 *
 * Bit b of the offset, in elements, contributes a vector of coordinates, as in triton_layout.c; the
 * table of the matrix is the inverse. All CTAs have the same layout, so the matrix is that of one
 * CTA. */
#include "layout/triton_bases.h"
#include "smem/matrix_table.h"

#include <stdio.h>
#include <string.h>

/* Adds the bases of a matrix with a swizzle. The first one of `dims` is contiguous. In line r, the
 * number of each piece of `vec` elements is exclusive-ored with r / per % phases. */
static void add_swizzled(struct triton_bases *bases, const uint32_t dims[2],
                         const uint32_t sizes[2], uint32_t vec, uint32_t per, uint32_t phases) {
    triton_repeat(bases, OFFSET, dims[0], sizes[0]);
    for (uint32_t r = 1; r < sizes[1] && !bases->is_invalid; r *= 2) {
        uint32_t *basis = triton_basis(bases, OFFSET);
        basis[dims[1]] = r;
        basis[dims[0]] = vec * (r / per % phases) % sizes[0];
        bases->size[dims[1]] = 2 * r;
    }
}

static enum mapping_status make_swizzled(const struct triton_attribute *attribute,
                                         const uint32_t *part, struct triton_bases *bases,
                                         const uint32_t **order, struct mapping_error *error) {
    const uint32_t vec = triton_number(attribute, "vec", 0),
                   per = triton_number(attribute, "perPhase per_phase", 0),
                   phases = triton_number(attribute, "maxPhase max_phase", 0);
    const enum mapping_status status =
        triton_list(attribute, "order", bases->rank, true, order, error);
    if (status != MAPPING_OK)
        return status;
    if (!triton_is_power(vec) || !triton_is_power(per) || !triton_is_power(phases))
        return triton_fail(attribute, "vec", "a power of two, and so do perPhase and maxPhase",
                           error);
    if (bases->rank > 1) {
        const uint32_t sizes[] = {part[(*order)[0]], part[(*order)[1]]};
        add_swizzled(bases, *order, sizes, vec, per, phases);
    }
    return MAPPING_OK;
}

/* The swizzle of TMA and wgmma: tiles of 8 lines of `bytes` bytes, repeated up to the 256 lines
 * that TMA copies at once; the next such blocks follow in memory. If it is transposed, the first
 * dimension is contiguous. With fp4_padded, every second group of 8 bytes is empty. */
static enum mapping_status make_nvmma(const struct triton_attribute *attribute, uint32_t bytes,
                                      uint32_t bits, bool is_transposed, bool is_padded,
                                      const uint32_t *part, struct triton_bases *bases,
                                      struct mapping_error *error) {
    enum { TMA_MAX = 256, LINES = 8, PIECE_BITS = 128 };
    const uint32_t rank = bases->rank, fast = is_transposed ? 0 : rank - 1;
    uint32_t block[TRITON_DIMS] = {0}, dims[TRITON_DIMS] = {0}, lines = 1;
    if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
        return triton_fail(attribute, "swizzlingByteWidth", "0, 32, 64 or 128", error);
    if (!triton_is_power(bits) || bits < 8 || bits > 32)
        return triton_fail(attribute, "elementBitWidth", "8, 16 or 32", error);
    if (is_transposed && rank > 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.%.32s with transposed = true must have 2 dimensions, not %u",
                            attribute->name, rank);
    /* from the fastest to the slowest */
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = d == 0 ? fast : is_transposed ? d : rank - 1 - d;
    for (uint32_t d = 0; d < rank; d++)
        block[d] = part[d] < TMA_MAX ? part[d] : TMA_MAX;
    const uint32_t width = 8 * bytes / bits, held = is_padded ? width / 2 : width;
    if (bytes && block[fast] > held)
        block[fast] = held;
    for (uint32_t d = 1; d < rank; d++)
        lines *= block[dims[d]];
    if (bytes == 0) {
        for (uint32_t d = 0; d < rank; d++)
            triton_repeat(bases, OFFSET, dims[d], block[dims[d]]);
        return MAPPING_OK;
    }
    if (rank < 2 || block[fast] < held || lines < LINES)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.%.32s: a swizzle of %u bytes needs at least %d lines of %u "
                            "elements",
                            attribute->name, bytes, LINES, held);
    const uint32_t phases = bytes / 16, per = LINES / phases, vec = PIECE_BITS / bits;
    for (uint32_t c = 1; c < width; c *= 2)
        triton_basis(bases, OFFSET)[fast] = is_padded ? c / 16 * 8 + c % 8 : c;
    bases->size[fast] = held;
    uint32_t line = 1; /* the number of the line in the tile, counted over all dimensions */
    for (uint32_t d = 1; d < rank; d++)
        for (uint32_t r = 1; r < block[dims[d]]; r *= 2, line *= 2) {
            const uint32_t piece = line < LINES ? vec * (line / per % phases) : 0;
            uint32_t *basis = triton_basis(bases, OFFSET);
            basis[dims[d]] = r;
            basis[fast] = is_padded ? piece / 16 * 8 + piece % 8 : piece;
            bases->size[dims[d]] = 2 * r;
        }
    return MAPPING_OK;
}

/* Finds the width in bytes of the swizzle of an older version, `#ttg.shared` with hasLeadingOffset.
 */
static uint32_t leading_bytes(const struct triton_attribute *attribute) {
    const uint32_t phases = triton_number(attribute, "maxPhase", 0);
    return phases == 2 || phases == 4 || phases == 8 ? 16 * phases : 1;
}

/* Makes the bases of a matrix of size `shape` in all CTAs. */
static enum mapping_status make_bases(const struct triton_text *text, const uint32_t *shape,
                                      uint32_t *bits, struct triton_bases *bases, uint32_t *ctas,
                                      struct mapping_error *error) {
    static const uint32_t last_first[][TRITON_DIMS] = {{0}, {0}, {1, 0}, {2, 1, 0}};
    static const uint32_t first_first[TRITON_DIMS] = {0, 1, 2};
    const struct triton_attribute *attribute = text->attribute;
    const uint32_t *order = last_first[bases->rank];
    struct triton_bases cga = {.rank = bases->rank};
    uint32_t part[TRITON_DIMS] = {0};
    const uint32_t of_type = mapping_triton_bits(text->type);
    enum mapping_status status = triton_cga(attribute, bases->rank, &cga, error);
    if (status == MAPPING_OK && attribute->kind == TRITON_SHARED_LINEAR)
        status = triton_add(attribute, "block", BLOCK, &cga, error);
    if (status != MAPPING_OK)
        return status;
    *ctas = UINT32_C(1) << cga.count[BLOCK];
    if (attribute->kind == TRITON_SHARED_LINEAR ||
        (attribute->kind == TRITON_PADDED && mapping_triton_value(attribute, "offset"))) {
        *ctas = 1;
        cga = (struct triton_bases){.rank = bases->rank, .size = {1, 1, 1, 1, 1}};
        status = triton_add(attribute, "offset", OFFSET, bases, error);
        const struct triton_value *blocks = mapping_triton_value(attribute, "block");
        if (status == MAPPING_OK && blocks && blocks->count > 0)
            return mapping_fail(
                error, MAPPING_INVALID,
                "#ttg.%.32s with bases of block is not supported; without these bases, "
                "the layout of one CTA is shown",
                attribute->name);
        if (status == MAPPING_OK && shape)
            triton_combine(bases, &cga, shape, order);
        return status;
    }
    if (!shape)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.%.32s does not say how large the matrix is; give "
                            "--extent=ROWS,COLUMNS, or write '!ttg.memdesc<64x64xf16, #ttg...>'",
                            attribute->name);
    triton_shrink(&cga, shape);
    triton_part(&cga, shape, part);
    const bool is_leading = triton_number(attribute, "hasLeadingOffset", 0) == 1;
    if (attribute->kind == TRITON_PADDED) {
        if (mapping_triton_value(attribute, "order"))
            status = triton_list(attribute, "order", bases->rank, true, &order, error);
    } else if (attribute->kind == TRITON_NVMMA) {
        *bits = triton_number(attribute, "elementBitWidth element_bitwidth", of_type);
        status = make_nvmma(
            attribute, triton_number(attribute, "swizzlingByteWidth swizzle_byte_width", 1), *bits,
            triton_number(attribute, "transposed", 0) == 1,
            triton_number(attribute, "fp4Padded fp4_padded", 0) == 1, part, bases, error);
    } else if (is_leading) {
        const struct triton_value *dims = mapping_triton_value(attribute, "order");
        status = make_nvmma(attribute, leading_bytes(attribute), of_type ? of_type : *bits,
                            dims && dims->number[0] == 0, false, part, bases, error);
    } else {
        status = make_swizzled(attribute, part, bases, &order, error);
    }
    if (is_leading || attribute->kind == TRITON_NVMMA)
        order = first_first;  /* the next blocks of TMA follow along the first dimension first */
    if (status == MAPPING_OK) /* one CTA; the others have the same layout */
        triton_combine(bases, &(struct triton_bases){.rank = bases->rank, .size = {1, 1, 1, 1, 1}},
                       part, order);
    return status;
}

/* The padding before an offset: p elements after each i elements. */
static uint64_t padded(const struct triton_value *intervals, uint32_t offset) {
    uint64_t place = offset;
    for (uint32_t n = 0; intervals && n + 1 < intervals->count; n += 2)
        place += (uint64_t)(offset / intervals->number[n]) * intervals->number[n + 1];
    return place;
}

/* Fills the table: each element has the lowest offset that leads to it. */
static enum mapping_status fill(const struct triton_bases *bases,
                                const struct triton_value *intervals, uint32_t stages,
                                uint32_t stride, struct mapping_smem_matrix *memory,
                                struct mapping_error *error) {
    struct mapping_layout *layout = &memory->layout;
    const uint32_t rank = bases->rank, count = bases->count[OFFSET];
    const size_t entries = mapping_layout_entries(layout) / (stages ? stages : 1);
    uint64_t last = 0;
    for (uint32_t offset = 0; offset < UINT32_C(1) << count; offset++) {
        uint32_t point[TRITON_DIMS] = {0};
        size_t entry = 0;
        for (uint32_t left = offset; left; left &= left - 1)
            for (uint32_t d = 0; d < rank; d++)
                point[d] ^= bases->at[OFFSET][__builtin_ctz(left)][d];
        for (uint32_t d = 0; d < rank; d++)
            entry = entry * bases->size[d] + point[d];
        for (uint32_t s = 0; s < (stages ? stages : 1); s++) {
            uint32_t *place = &layout->coordinate[0][s * entries + entry];
            const uint64_t value = padded(intervals, offset + s * stride);
            if (*place != UINT32_MAX)
                continue;
            *place = (uint32_t)value;
            last = value > last ? value : last;
        }
    }
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        if (layout->coordinate[0][n] == UINT32_MAX)
            return mapping_fail(error, MAPPING_INVALID,
                                "this layout of Triton does not place all elements");
    layout->to.axis[0].size = (uint32_t)last + 1;
    return last < UINT32_MAX ? MAPPING_OK
                             : mapping_fail(error, MAPPING_INVALID, "an offset is too large");
}

static bool is_meant(const char *text) {
    const enum triton_kind kind =
        mapping_triton_is_meant(text) ? mapping_triton_kind(text) : TRITON_OTHER;
    return kind > TRITON_REGISTERS_END && kind < TRITON_SHARED_END;
}

static enum mapping_status make(const struct mapping_smem_matrix_request *request,
                                struct mapping_smem_matrix *memory, struct mapping_error *error) {
    struct triton_text text;
    struct triton_bases bases = {.size = {1, 1, 1, 1, 1}};
    uint32_t sizes[TRITON_DIMS] = {0}, stages = 0, ctas = 1;
    const uint32_t *shape;
    enum mapping_status status = mapping_triton_read(request->text, &text, error);
    if (status == MAPPING_OK)
        status = mapping_triton_shape(&text, request->extent, sizes, &bases.rank, &stages, &shape,
                                      error);
    if (status != MAPPING_OK)
        return status;
    memcpy(memory->type, text.type, sizeof memory->type);
    memory->bits = *text.type ? mapping_triton_bits(text.type) : memory->bits;
    status = make_bases(&text, shape, &memory->bits, &bases, &ctas, error);
    if (status != MAPPING_OK)
        return status;
    if (bases.is_invalid || bases.count[OFFSET] > 20)
        return triton_fail_size(error);
    const struct triton_value *intervals = text.attribute->kind == TRITON_PADDED
                                               ? mapping_triton_value(text.attribute, "intervals")
                                               : NULL;
    for (uint32_t n = 0; intervals && n < intervals->count; n += 2)
        if (intervals->width != 2 || intervals->number[n] == 0)
            return triton_fail(text.attribute, "intervals", "[INTERVAL:+PADDING, ...]", error);
    const uint32_t rank = bases.rank;
    if (rank == 3 && !stages)
        stages = bases.size[0];
    const bool is_inner = rank == 3; /* the layout states the offsets of the stages */
    status = mapping_smem_matrix_begin(memory, stages, rank > 1 ? bases.size[rank - 2] : 1,
                                       bases.size[rank - 1], error);
    if (status == MAPPING_OK && mapping_layout_entries(&memory->layout) > (size_t)1
                                                                              << ENTRIES_LOG2_MAX)
        status = triton_fail_size(error);
    if (status == MAPPING_OK)
        status = fill(&bases, intervals, is_inner ? 0 : stages, UINT32_C(1) << bases.count[OFFSET],
                      memory, error);
    if (status == MAPPING_OK && ctas > 1)
        snprintf(memory->note, sizeof memory->note,
                 "the part of one CTA; each of %u CTAs has a part with this layout", ctas);
    return status;
}

const struct mapping_smem_matrix_reader mapping_triton_reader = {is_meant, make};
