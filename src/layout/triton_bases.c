/* triton_bases.c - linear layouts of Triton, as bases; see triton_bases.h. */
#include "layout/triton_bases.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

/* ---- Bases ---- */

bool triton_is_power(uint32_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

uint32_t *triton_basis(struct triton_bases *bases, enum triton_input input) {
    static uint32_t ignored[TRITON_DIMS];
    if (bases->count[input] == BITS) {
        bases->is_invalid = true;
        return ignored;
    }
    return memset(bases->at[input][bases->count[input]++], 0, sizeof bases->at[0][0]);
}

/* Repeats the layout along a dimension over `n` registers, lanes, warps or CTAs. */
void triton_repeat(struct triton_bases *bases, enum triton_input input, uint32_t dim, uint32_t n) {
    bases->is_invalid |= !triton_is_power(n) || (uint64_t)bases->size[dim] * n > ENTRIES_MAX;
    for (uint32_t b = 1; b < n && !bases->is_invalid; b *= 2) {
        triton_basis(bases, input)[dim] = bases->size[dim];
        bases->size[dim] *= 2;
    }
}

/* Copies the layout to `n` registers, lanes, warps or CTAs. */
void triton_copy(struct triton_bases *bases, enum triton_input input, uint32_t n) {
    bases->is_invalid |= !triton_is_power(n);
    for (uint32_t b = 1; b < n && !bases->is_invalid; b *= 2)
        triton_basis(bases, input);
}

/* Makes the bits that lead beyond `shape` hold copies. */
void triton_shrink(struct triton_bases *bases, const uint32_t *shape) {
    for (uint32_t d = 0; d < bases->rank; d++) {
        if (bases->size[d] <= shape[d])
            continue;
        for (int input = 0; input < INPUTS; input++)
            for (uint32_t b = 0; b < bases->count[input]; b++)
                if (bases->at[input][b][d] >= shape[d])
                    bases->at[input][b][d] = 0;
        bases->size[d] = shape[d];
    }
}

/* ---- Values ---- */

/* Fails because a value is missing or wrong. */
enum mapping_status triton_fail(const struct triton_attribute *attribute, const char *names,
                                const char *what, struct mapping_error *error) {
    return mapping_fail(error, MAPPING_INVALID, "#%s.%.32s needs %.*s = %s",
                        attribute->kind > TRITON_SHARED_END ? "ttng" : "ttg", attribute->name,
                        (int)strcspn(names, " "), names, what);
}

/* Finds a number; returns `otherwise` if there is none. */
uint32_t triton_number(const struct triton_attribute *attribute, const char *names,
                       uint32_t otherwise) {
    const struct triton_value *value = mapping_triton_value(attribute, names);
    return value && value->count == 1 ? value->number[0] : otherwise;
}

/* Finds a list of `rank` powers of two, or of the numbers of dimensions if it is an order. */
enum mapping_status triton_list(const struct triton_attribute *attribute, const char *names,
                                uint32_t rank, bool is_order, const uint32_t **list,
                                struct mapping_error *error) {
    const struct triton_value *value = mapping_triton_value(attribute, names);
    char what[64];
    uint32_t seen = 0;
    snprintf(what, sizeof what, "a list of %u %s", rank,
             is_order ? "dimensions, the fastest first" : "powers of two");
    bool is_right = value && value->count == rank && value->width == 0;
    for (uint32_t d = 0; d < rank && is_right; d++) {
        const uint32_t number = value->number[d];
        is_right = is_order ? number < rank && !(seen >> number & 1) : triton_is_power(number);
        seen |= is_right && is_order ? UINT32_C(1) << number : 0;
    }
    if (is_right) {
        *list = value->number;
        return MAPPING_OK;
    }
    triton_fail(attribute, names, what, error);
    return MAPPING_INVALID;
}

/* Adds a list of vectors, each of `rank` numbers, as bases. The sizes of dimensions grow to cover
 * them. */
enum mapping_status triton_add(const struct triton_attribute *attribute, const char *names,
                               enum triton_input input, struct triton_bases *bases,
                               struct mapping_error *error) {
    const struct triton_value *value = mapping_triton_value(attribute, names);
    if (!value || value->count == 0)
        return MAPPING_OK;
    if (value->width != bases->rank)
        return mapping_fail(error, MAPPING_INVALID,
                            "#ttg.%.32s: each basis of %.*s needs a number for each dimension of "
                            "the tensor, %u",
                            attribute->name, (int)strcspn(names, " "), names, bases->rank);
    for (uint32_t n = 0; n < value->count; n += value->width) {
        uint32_t *basis = triton_basis(bases, input);
        for (uint32_t d = 0; d < bases->rank; d++) {
            basis[d] = value->number[n + d];
            while (bases->size[d] <= basis[d] && bases->size[d] <= ENTRIES_MAX)
                bases->size[d] *= 2;
        }
    }
    return MAPPING_OK;
}

/* ---- CTAs ---- */

/* Finds how CTAs divide a tensor: from bases in units of CTAs, or from CTAsPerCGA, CTASplitNum and
 * CTAOrder of older versions. */
enum mapping_status triton_cga(const struct triton_attribute *attribute, uint32_t rank,
                               struct triton_bases *cga, struct mapping_error *error) {
    static const char bases_names[] = "CGALayout CTALayout cga_layout cgaLayout";
    const uint32_t *per = NULL, *split = NULL, *order = NULL;
    *cga = (struct triton_bases){.rank = rank, .size = {1, 1, 1, 1, 1}};
    if (!mapping_triton_value(attribute, "CTAsPerCGA"))
        return triton_add(attribute, bases_names, BLOCK, cga, error);
    enum mapping_status status = triton_list(attribute, "CTAsPerCGA", rank, false, &per, error);
    if (status == MAPPING_OK)
        status = triton_list(attribute, "CTASplitNum", rank, false, &split, error);
    if (status == MAPPING_OK)
        status = triton_list(attribute, "CTAOrder", rank, true, &order, error);
    for (uint32_t o = 0; o < rank && status == MAPPING_OK; o++) {
        const uint32_t dim = order[o];
        if (split[dim] > per[dim])
            return triton_fail(attribute, "CTASplitNum", "at most CTAsPerCGA", error);
        triton_repeat(cga, BLOCK, dim, split[dim]);
        triton_copy(cga, BLOCK, per[dim] / split[dim]);
    }
    return status;
}

/* Computes the size of the part of a tensor in one CTA. */
void triton_part(const struct triton_bases *cga, const uint32_t *shape, uint32_t *part) {
    for (uint32_t d = 0; d < cga->rank; d++)
        part[d] = shape[d] > cga->size[d] ? shape[d] / cga->size[d] : 1;
}

/* Repeats the layout of a CTA over the part of the tensor in a CTA, with dimensions in that order,
 * and then over CTAs. Without a shape, the tensor has the size that the layout covers. */
void triton_combine(struct triton_bases *bases, struct triton_bases *cga, const uint32_t *shape,
                    const uint32_t *order) {
    uint32_t part[TRITON_DIMS] = {0};
    if (shape) {
        triton_shrink(cga, shape);
        triton_part(cga, shape, part);
        for (uint32_t o = 0; o < bases->rank; o++)
            if (bases->size[order[o]] < part[order[o]])
                triton_repeat(bases, REGISTER, order[o], part[order[o]] / bases->size[order[o]]);
        triton_shrink(bases, part);
    }
    for (uint32_t b = 0; b < cga->count[BLOCK]; b++) {
        uint32_t *basis = triton_basis(bases, BLOCK);
        for (uint32_t d = 0; d < bases->rank; d++)
            basis[d] = cga->at[BLOCK][b][d] * bases->size[d];
    }
    for (uint32_t d = 0; d < bases->rank; d++)
        bases->size[d] *= cga->size[d];
}

/* ---- Shapes ---- */

/* The number of dimensions of a layout, according to its lists; 2 if they do not state it. */
static uint32_t rank_of(const struct triton_text *text, uint32_t level) {
    static const char *const flat[] = {"order", "warpsPerCTA warps_per_cta", "CTAsPerCGA"};
    static const char *const nested[] = {
        "register", "lane", "warp", "offset", "block", "CGALayout CTALayout cga_layout cgaLayout"};
    const struct triton_attribute *attribute = &text->attribute[level];
    if (attribute->kind == TRITON_SLICE && level + 1 < text->depth)
        return rank_of(text, level + 1) - 1;
    if (attribute->kind == TRITON_DOT && level + 1 < text->depth)
        return rank_of(text, level + 1);
    for (size_t n = 0; n < sizeof flat / sizeof *flat; n++) {
        const struct triton_value *value = mapping_triton_value(attribute, flat[n]);
        if (value && value->width == 0 && value->count > 0)
            return value->count;
    }
    for (size_t n = 0; n < sizeof nested / sizeof *nested; n++) {
        const struct triton_value *value = mapping_triton_value(attribute, nested[n]);
        if (value && value->width > 0)
            return value->width;
    }
    return triton_number(attribute, "rank", 2);
}

enum mapping_status mapping_triton_shape(const struct triton_text *text, const uint32_t extent[2],
                                         uint32_t sizes[TRITON_DIMS], uint32_t *rank,
                                         uint32_t *stages, const uint32_t **shape,
                                         struct mapping_error *error) {
    const uint32_t own = rank_of(text, 0);
    const bool is_shared = text->attribute->kind > TRITON_REGISTERS_END;
    const struct triton_value *stated = mapping_triton_value(text->attribute, "shape");
    uint32_t first = 0;
    *rank = own;
    *stages = 0;
    *shape = NULL;
    memset(sizes, 0, TRITON_DIMS * sizeof *sizes);
    if (own < 1 || own > TRITON_RANK)
        return mapping_fail(error, MAPPING_INVALID,
                            "layouts of 1 to %d dimensions are supported, not of %u", TRITON_RANK,
                            own);
    if (extent[0] && text->rank)
        return mapping_fail(error, MAPPING_INVALID,
                            "the type of the tensor has its shape; drop --extent");
    if (is_shared && text->rank == own + 1 && own < TRITON_RANK) {
        *stages = text->shape[0]; /* the stages of a matrix, which its layout does not include */
        first = 1;
    } else if (text->rank && text->rank != own) {
        return mapping_fail(error, MAPPING_INVALID,
                            "the tensor has %u dimension%s, but its layout has %u; give %u sizes",
                            text->rank, mapping_plural(text->rank), own, own);
    }
    if (extent[0] && own > 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "this layout has %u dimensions, but --extent has 2; write "
                            "'tensor<4x64x64xf16, #ttg...>'",
                            own);
    if (extent[0] && own == 1 && extent[0] != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "this layout has one dimension; write --extent=1,%u", extent[1]);
    if (text->rank)
        memcpy(sizes, text->shape + first, own * sizeof *sizes);
    else if (extent[0])
        memcpy(sizes, own == 1 ? extent + 1 : extent, own * sizeof *sizes);
    else if (stated && stated->count == own) /* padded_shared<[16:+4] {..., shape = [4, 16]}> */
        memcpy(sizes, stated->number, own * sizeof *sizes);
    else
        return MAPPING_OK;
    for (uint32_t d = 0; d < own; d++)
        if (!triton_is_power(sizes[d]))
            return mapping_fail(error, MAPPING_INVALID,
                                "the sizes of a tensor of Triton are powers of two, not %u",
                                sizes[d]);
    *shape = sizes;
    return MAPPING_OK;
}

enum mapping_status triton_fail_size(struct mapping_error *error) {
    return mapping_fail(error, MAPPING_INVALID,
                        "this layout has numbers that are no powers of two, or more than 2^20 "
                        "elements");
}
