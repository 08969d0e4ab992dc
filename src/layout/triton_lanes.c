/* triton_lanes.c - Triton's layouts of Tensor Memory; see triton_layout.h. Each bit of the lane,
 * and of the column counted in elements, contributes one vector (row, col), as in triton_layout.c.
 * An accumulator of 64 rows occupies half of the lanes of each warp:
 *
 *     lane (1,0) (2,0) (4,0) (8,0) (0,0) (16,0) (32,0)    column (0,1) (0,2) (0,4) ... */
#include "layout/triton_bases.h"

#include <string.h>

/* The size of a column in bits and the number of columns of Tensor Memory; warps, each with a copy
 * of scale factors. */
enum { COLUMN_BITS = 32, COLUMNS_MAX = 512, WARPS = 4, WARP_LANES = 32 };

#define COLUMN REGISTER /* columns are counted in elements */

/* Reads how a tensor is divided among CTAs: CGALayout, or CTASplitM and CTASplitN in older
 * versions. */
static enum mapping_status find_ctas(const struct triton_attribute *attribute,
                                     struct triton_bases *cga, struct mapping_error *error) {
    const enum mapping_status status = triton_cga(attribute, 2, cga, error);
    if (status == MAPPING_OK && cga->count[BLOCK] == 0) {
        triton_repeat(cga, BLOCK, 0, triton_number(attribute, "CTASplitM", 1));
        triton_repeat(cga, BLOCK, 1, triton_number(attribute, "CTASplitN", 1));
    }
    return status;
}

/* Makes the bases of an operand of tcgen05.mma; `part` is its size in one CTA. Blocks of blockM x
 * blockN are side by side in the columns. */
static enum mapping_status make_operand(const struct triton_attribute *attribute, uint32_t bits,
                                        const uint32_t *part, struct triton_bases *bases,
                                        struct mapping_error *error) {
    const uint32_t rows = triton_number(attribute, "blockM", 0),
                   wide = triton_number(attribute, "blockN", 0);
    const uint32_t cols = wide < part[1] ? wide : part[1];
    const bool is_unpacked = triton_number(attribute, "unpacked", 0) == 1,
               is_padded = triton_number(attribute, "fp4Padded", 0) == 1,
               is_pair = triton_number(attribute, "twoCTAs", 0) == 1;
    const uint32_t stride =
        triton_number(attribute, "colStride", is_unpacked ? COLUMN_BITS / bits : 1);
    if (rows != 64 && rows != 128)
        return triton_fail(attribute, "blockM", "64 or 128", error);
    if (!triton_is_power(wide) || !triton_is_power(stride))
        return triton_fail(attribute, wide ? "colStride" : "blockN", "a power of two", error);
    if (part[0] < rows || (rows == 64 && is_pair && cols < 2))
        return mapping_fail(
            error, MAPPING_INVALID,
            "#ttng.%.32s has blocks of %u x %u, but the tensor has %u x %u in a CTA",
            attribute->name, rows, wide, part[0], part[1]);
    triton_copy(bases, COLUMN, stride);
    if (is_padded) /* every second byte is empty */
        triton_copy(bases, COLUMN, 2);
    const bool is_half = rows == 64 && is_pair; /* lanes from 64 on hold half of the columns */
    triton_repeat(bases, COLUMN, 1, is_half ? cols / 2 : cols);
    if (rows == 64 && !is_pair) {
        triton_repeat(bases, LANE, 0, 16);
        uint32_t *upper = triton_basis(bases, LANE); /* lanes 16 to 31 hold the second block */
        triton_repeat(bases, LANE, 0, 4);
        if (part[0] > rows) {
            upper[0] = 64;
            bases->size[0] *= 2;
        } else if (part[1] > cols) {
            upper[1] = cols;
            bases->size[1] *= 2;
        }
    } else {
        triton_repeat(bases, LANE, 0, rows);
        triton_repeat(bases, LANE, 1, is_half ? 2 : 1);
    }
    for (uint32_t d = 0; d < 2; d++)
        if (bases->size[d] < part[d])
            triton_repeat(bases, COLUMN, d, part[d] / bases->size[d]);
    return MAPPING_OK;
}

/* Makes the bases of scale factors. A column holds four factors for each of 32 rows. The next
 * columns hold either all rows and then the next four factors, or all factors of 128 rows and then
 * the next rows. Each warp has a copy. */
static void make_scales(const struct triton_attribute *attribute, const uint32_t *part,
                        struct triton_bases *bases) {
    const uint32_t first = triton_number(attribute, "blockRepOrder", 0);
    const uint32_t rows = part[0] < 128 ? part[0] : 128;
    triton_repeat(bases, LANE, 0, part[0] < WARP_LANES ? part[0] : WARP_LANES);
    triton_copy(bases, LANE, WARP_LANES / bases->size[0]);
    triton_repeat(bases, COLUMN, 1, part[1] < 4 ? part[1] : 4);
    triton_copy(bases, COLUMN, 4 / bases->size[1]);
    if (rows <= WARP_LANES)
        triton_copy(bases, COLUMN, 2);
    else
        triton_repeat(bases, COLUMN, 0, rows / WARP_LANES);
    for (uint32_t n = 0; n < 2; n++) {
        const uint32_t d = n ^ first;
        if (bases->size[d] < part[d])
            triton_repeat(bases, COLUMN, d, part[d] / bases->size[d]);
    }
}

/* The number of lowest bits of the column that have the basis (0, 0). */
static uint32_t find_gap(const struct triton_bases *bases) {
    uint32_t b = 0;
    while (b < bases->count[COLUMN] && !bases->at[COLUMN][b][0] && !bases->at[COLUMN][b][1])
        b++;
    return b;
}

/* Fills the table with the lowest place of each element, for each copy. */
static enum mapping_status fill(const struct triton_bases *bases, uint32_t bits, uint32_t copies,
                                struct mapping_layout *layout, struct mapping_error *error) {
    const uint32_t first = mapping_space_find(&layout->to, MAPPING_AXIS_CTA) >= 0;
    const uint32_t columns = UINT32_C(1) << bases->count[COLUMN];
    const size_t places = (size_t)1
                          << (bases->count[COLUMN] + bases->count[LANE] + bases->count[BLOCK]);
    const size_t entries = (size_t)bases->size[0] * bases->size[1] * copies;
    for (size_t n = 0; n < entries; n++)
        layout->coordinate[0][n] = UINT32_MAX;
    for (size_t place = 0; place < places; place++) {
        uint32_t point[2] = {0};
        size_t left = place;
        for (int input = 0; input < INPUTS; left >>= bases->count[input++])
            for (uint32_t b = 0; b < bases->count[input]; b++)
                for (uint32_t d = 0; d < 2 && left >> b & 1; d++)
                    point[d] ^= bases->at[input][b][d];
        const size_t entry = ((size_t)point[0] * bases->size[1] + point[1]) * copies;
        if (layout->coordinate[0][entry] != UINT32_MAX)
            continue;
        const uint32_t bit = (uint32_t)(place % columns) * bits;
        for (uint32_t c = 0; c < copies; c++) {
            if (first)
                layout->coordinate[0][entry + c] =
                    (uint32_t)(place >> (bases->count[COLUMN] + bases->count[LANE]));
            layout->coordinate[first][entry + c] =
                (uint32_t)(place / columns % (UINT32_C(1) << bases->count[LANE])) + c * WARP_LANES;
            layout->coordinate[first + 1][entry + c] = bit / COLUMN_BITS;
            if (layout->to.count > first + 2)
                layout->coordinate[first + 2][entry + c] = bit % COLUMN_BITS;
        }
    }
    for (size_t n = 0; n < entries; n++)
        if (layout->coordinate[0][n] == UINT32_MAX)
            return mapping_fail(error, MAPPING_INVALID,
                                "this layout of Triton does not place all elements");
    return MAPPING_OK;
}

enum mapping_status triton_make_lanes(const struct triton_text *text, const uint32_t *shape,
                                      uint32_t stages, struct mapping_layout *layout,
                                      struct mapping_error *error) {
    const struct triton_attribute *attribute = text->attribute;
    const bool is_scales = attribute->kind == TRITON_SCALES;
    const uint32_t bits = *text->type ? mapping_triton_bits(text->type) : is_scales ? 8 : 32;
    struct triton_bases bases = {.rank = 2, .size = {1, 1, 1, 1, 1}}, cga;
    uint32_t part[TRITON_DIMS] = {0};
    if (!shape)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttng.%.32s does not say how large the tensor is; give "
                            "--shape=ROWS,COLUMNS, or write '!ttg.memdesc<128x64xf32, #ttng...>'",
                            attribute->name);
    if (bits == 0 || bits > COLUMN_BITS || !triton_is_power(bits))
        return mapping_fail(error, MAPPING_INVALID,
                            "elements in Tensor Memory have 4, 8, 16 or 32 bits, not %u", bits);
    enum mapping_status status = find_ctas(attribute, &cga, error);
    if (status != MAPPING_OK)
        return status;
    triton_shrink(&cga, shape);
    triton_part(&cga, shape, part);
    if (is_scales)
        make_scales(attribute, part, &bases);
    else
        status = make_operand(attribute, bits, part, &bases, error);
    for (uint32_t b = 0; b < cga.count[BLOCK]; b++) {
        uint32_t *basis = triton_basis(&bases, BLOCK);
        for (uint32_t d = 0; d < 2; d++)
            basis[d] = cga.at[BLOCK][b][d] * part[d];
    }
    if (cga.size[0] * cga.size[1] == 1) /* all CTAs have the same elements */
        bases.count[BLOCK] = 0;
    for (uint32_t d = 0; d < 2; d++)
        bases.size[d] *= cga.size[d];
    if (status != MAPPING_OK)
        return status;
    if (bases.is_invalid || cga.is_invalid ||
        bases.count[COLUMN] + bases.count[LANE] + bases.count[BLOCK] > 20)
        return triton_fail_size(error);
    const uint32_t copies = is_scales ? WARPS : 1;
    const uint32_t wide = (UINT32_C(1) << bases.count[COLUMN]) * bits,
                   columns = (wide + COLUMN_BITS - 1) / COLUMN_BITS;
    struct mapping_space from = {.count = 0}, to = {.count = 0};
    stages = stages ? stages : 1;
    if (stages > 1)
        from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_STAGE, stages};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_ROW, bases.size[0]};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_COL, bases.size[1]};
    if (copies > 1)
        from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_COPY, copies};
    if (bases.count[BLOCK] > 0)
        to.axis[to.count++] =
            (struct mapping_axis){MAPPING_AXIS_CTA, UINT32_C(1) << bases.count[BLOCK]};
    to.axis[to.count++] = (struct mapping_axis){MAPPING_AXIS_LANE, WARPS * WARP_LANES};
    to.axis[to.count++] = (struct mapping_axis){MAPPING_AXIS_COLUMN, stages * columns};
    /* if a column holds one element, there is no axis of bits */
    if (is_scales || bits << find_gap(&bases) < COLUMN_BITS)
        to.axis[to.count++] = (struct mapping_axis){MAPPING_AXIS_BIT, COLUMN_BITS};
    if ((uint64_t)stages * columns > COLUMNS_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "this tensor takes %llu columns of Tensor Memory, which has %d",
                            (unsigned long long)stages * columns, COLUMNS_MAX);
    status = mapping_layout_init(layout, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    status = fill(&bases, bits, copies, layout, error);
    const size_t entries = mapping_layout_entries(layout) / stages;
    for (uint32_t s = 1; s < stages; s++) /* the buffers follow one another */
        for (uint32_t c = 0; c < to.count; c++)
            for (size_t n = 0; n < entries; n++)
                layout->coordinate[c][s * entries + n] =
                    layout->coordinate[c][n] +
                    (strcmp(to.axis[c].name, MAPPING_AXIS_COLUMN) == 0 ? s * columns : 0);
    return status;
}
