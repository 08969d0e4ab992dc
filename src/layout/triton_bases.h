/* triton_bases.h - builds linear layouts of Triton by repeating; see triton_layout.c. */
#ifndef TRITON_BASES_H
#define TRITON_BASES_H

#include "layout/triton_text.h"

enum triton_input { REGISTER, LANE, WARP, BLOCK, INPUTS };
#define OFFSET REGISTER /* of shared memory */

enum { BITS = 24, ENTRIES_MAX = 1 << 20 };

struct triton_bases {
    uint32_t rank, size[TRITON_DIMS]; /* that it covers */
    uint32_t count[INPUTS];
    uint32_t at[INPUTS][BITS][TRITON_DIMS];
    bool is_invalid; /* a size was no power of two, or there were too many bits */
};

bool triton_is_power(uint32_t n);

/* ---- Bases ---- */

/* Adds a basis of zeros, to be filled. */
uint32_t *triton_basis(struct triton_bases *bases, enum triton_input input);

/* Lets `n` registers, lanes or so repeat the layout along a dimension; or hold the same. */
void triton_repeat(struct triton_bases *bases, enum triton_input input, uint32_t dim, uint32_t n);
void triton_copy(struct triton_bases *bases, enum triton_input input, uint32_t n);

/* Lets bits that lead beyond `shape` hold copies. */
void triton_shrink(struct triton_bases *bases, const uint32_t *shape);

/* The part of a tensor that one CTA has. */
void triton_part(const struct triton_bases *cga, const uint32_t *shape, uint32_t *part);

/* Repeats the layout of a CTA over a tensor, dimensions in that order, and over CTAs. Without a
 * shape, the tensor is what the layout covers. */
void triton_combine(struct triton_bases *bases, struct triton_bases *cga, const uint32_t *shape,
                    const uint32_t *order);

/* ---- Values of attributes; `names` as of mapping_triton_value ---- */

/* Fails because a value is missing or wrong; because there are too many elements. */
enum mapping_status triton_fail(const struct triton_attribute *attribute, const char *names,
                                const char *what, struct mapping_error *error);
enum mapping_status triton_fail_size(struct mapping_error *error);

/* Makes the layout of an attribute of Tensor Memory: ([stage,] row, col[, copy]) -> ([cta,] lane,
 * column[, bit]), where a column has 32 bits. Each warp has a copy of scale factors. `shape` may be
 * NULL, and `stages` may be 0. */
enum mapping_status triton_make_lanes(const struct triton_text *text, const uint32_t *shape,
                                      uint32_t stages, struct mapping_layout *layout,
                                      struct mapping_error *error);

/* Finds a number; `otherwise` if there is none. */
uint32_t triton_number(const struct triton_attribute *attribute, const char *names,
                       uint32_t otherwise);

/* Finds a list of `rank` powers of two; of an order, numbers of dimensions. */
enum mapping_status triton_list(const struct triton_attribute *attribute, const char *names,
                                uint32_t rank, bool is_order, const uint32_t **list,
                                struct mapping_error *error);

/* Adds a list of vectors as bases; dimensions grow to cover them. */
enum mapping_status triton_add(const struct triton_attribute *attribute, const char *names,
                               enum triton_input input, struct triton_bases *bases,
                               struct mapping_error *error);

/* Finds how CTAs divide a tensor. */
enum mapping_status triton_cga(const struct triton_attribute *attribute, uint32_t rank,
                               struct triton_bases *cga, struct mapping_error *error);

/* Finds the shape of a tensor: of its type, or of an extent; *shape is NULL if nobody says. A
 * matrix in memory may have stages, one more dimension than its layout; else *stages is 0. */
enum mapping_status mapping_triton_shape(const struct triton_text *text, const uint32_t extent[2],
                                         uint32_t sizes[TRITON_DIMS], uint32_t *rank,
                                         uint32_t *stages, const uint32_t **shape,
                                         struct mapping_error *error);

#endif
