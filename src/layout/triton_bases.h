/* triton_bases.h - builds linear layouts of Triton by repeating smaller ones; see triton_layout.c.
 */
#ifndef TRITON_BASES_H
#define TRITON_BASES_H

#include "layout/triton_text.h"

enum triton_input { REGISTER, LANE, WARP, BLOCK, INPUTS };
#define OFFSET REGISTER /* the offset in shared memory takes the place of registers */

enum { BITS = 24, ENTRIES_MAX = 1 << 20 };

struct triton_bases {
    uint32_t rank, size[TRITON_DIMS]; /* the size that the bases cover */
    uint32_t count[INPUTS];
    uint32_t at[INPUTS][BITS][TRITON_DIMS];
    bool is_invalid; /* a size is no power of two, or there are too many bits */
};

bool triton_is_power(uint32_t n);

/* ---- Bases ---- */

/* Adds a basis of zeros, which the caller fills. */
uint32_t *triton_basis(struct triton_bases *bases, enum triton_input input);

/* Repeats the layout along a dimension over `n` registers, lanes, warps or CTAs; or copies it to
 * them. */
void triton_repeat(struct triton_bases *bases, enum triton_input input, uint32_t dim, uint32_t n);
void triton_copy(struct triton_bases *bases, enum triton_input input, uint32_t n);

/* Makes the bits that lead beyond `shape` hold copies. */
void triton_shrink(struct triton_bases *bases, const uint32_t *shape);

/* Computes the size of the part of a tensor in one CTA. */
void triton_part(const struct triton_bases *cga, const uint32_t *shape, uint32_t *part);

/* Repeats the layout of a CTA over the part of the tensor in a CTA, with dimensions in that order,
 * and then over CTAs. Without a shape, the tensor has the size that the layout covers. */
void triton_combine(struct triton_bases *bases, struct triton_bases *cga, const uint32_t *shape,
                    const uint32_t *order);

/* ---- Values of attributes; `names` as in mapping_triton_value ---- */

/* Fail because a value is missing or wrong; because there are too many elements. */
enum mapping_status triton_fail(const struct triton_attribute *attribute, const char *names,
                                const char *what, struct mapping_error *error);
enum mapping_status triton_fail_size(struct mapping_error *error);

/* Makes the layout of an attribute of Tensor Memory: ([stage,] row, col[, copy]) -> ([cta,] lane,
 * column[, bit]), where a column has 32 bits. Scale factors have a copy in each warp. `shape` may
 * be NULL, and `stages` may be 0. */
enum mapping_status triton_make_lanes(const struct triton_text *text, const uint32_t *shape,
                                      uint32_t stages, struct mapping_layout *layout,
                                      struct mapping_error *error);

/* Finds a number; returns `otherwise` if there is none. */
uint32_t triton_number(const struct triton_attribute *attribute, const char *names,
                       uint32_t otherwise);

/* Finds a list of `rank` powers of two, or of the numbers of dimensions if it is an order. */
enum mapping_status triton_list(const struct triton_attribute *attribute, const char *names,
                                uint32_t rank, bool is_order, const uint32_t **list,
                                struct mapping_error *error);

/* Adds a list of vectors as bases; the sizes of dimensions grow to cover them. */
enum mapping_status triton_add(const struct triton_attribute *attribute, const char *names,
                               enum triton_input input, struct triton_bases *bases,
                               struct mapping_error *error);

/* Finds how CTAs divide a tensor. */
enum mapping_status triton_cga(const struct triton_attribute *attribute, uint32_t rank,
                               struct triton_bases *cga, struct mapping_error *error);

/* Finds the shape of a tensor, in its type or in an extent; *shape is NULL if neither states it. A
 * matrix in memory may have stages, as one more dimension than its layout; otherwise *stages is 0.
 */
enum mapping_status mapping_triton_shape(const struct triton_text *text, const uint32_t extent[2],
                                         uint32_t sizes[TRITON_DIMS], uint32_t *rank,
                                         uint32_t *stages, const uint32_t **shape,
                                         struct mapping_error *error);

#endif
