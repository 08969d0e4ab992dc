/* scales.h - layouts of block scale factors in memory, by the names that libraries use.
 *
 * A block of 16, 32 or 128 elements of a row shares one scale factor. Row r of the matrix of
 * factors belongs to a row of A or a column of B, column k to a block along K. For example,
 * SWIZZLE_32_4_4 of PyTorch, F8_128x4 of cuDNN and to_blocked of torchao are one layout, 128x4:
 *
 *     offset = r / 128 * (128 * C) + r % 32 * 16 + r % 128 / 32 * 4 + k / 4 * 512 + k % 4
 *
 * where C is the number of columns, rounded up to 4. A buffer must have all elements of the padded
 * size. */
#ifndef SMEM_SCALES_H
#define SMEM_SCALES_H

#include "layout/cute_layout.h"

/* A layout of scale factors. */
struct mapping_scale_kind {
    const char *name;       /* "128x4" */
    const char *layout;     /* in CuTe's notation; R and C are the padded numbers of rows and
                               columns, W is the argument of the name: (R,C):(C,1) */
    uint32_t pad[2];        /* rows, times W, and columns are padded to multiples of these */
    uint32_t multiple;      /* the number of columns must be a multiple of this */
    uint32_t usual[2];      /* rows and columns that are shown without --extent */
    uint32_t argument;      /* W if the name does not state it; 0 if the name takes no argument */
    uint32_t bits;          /* the size of a factor; 0: any type of 8 or 32 bits */
    uint32_t rows_of_block; /* rows of the matrix that share a factor: 1 or 128 */
    uint32_t blocks;        /* the sum of its block sizes along K: 16, 32, 128 elements */
    bool is_of_row;         /* one factor for each row */
    const char *padding;    /* what padding must contain, and the source of this; or "" */
    const char *source;     /* the documents or sources that define the layout, with versions */
    const char *differs;    /* differences between projects; or "" */
};

/* The n-th of all names and aliases; NULL after the last one. */
const char *mapping_scale_name_at(size_t n);

/* A layout of a kind, with a size. */
struct mapping_scales {
    const struct mapping_scale_kind *kind; /* NULL: not scale factors */
    uint32_t argument;                     /* W, see above */
    bool is_turned;           /* rows run along K, columns along M or N; set it before the size */
    uint32_t block;           /* elements along K that share a factor; 0 if not stated */
    uint32_t extent[2];       /* rows and columns of factors, exchanged if is_turned */
    uint32_t padded[2];       /* the extent with padding */
    char name[32];            /* "hopper-mx<4>" */
    char notation[200];       /* of the padded matrix, in CuTe's notation */
    const char *remark;       /* what an alias states in addition to the layout; or "" */
    struct mapping_cute cute; /* the same as `notation` */
};

/* True if the text is one of the names, with or without the prefix of a library, in any case:
 * "SwizzleType.SWIZZLE_32_4_4", "Sm1xxBlockScaledConfig<16>". */
bool mapping_scales_is_meant(const char *text);

/* Reads the name, without sizes. MAPPING_INVALID with a message if an argument is wrong. */
enum mapping_status mapping_scales_read(const char *text, struct mapping_scales *scales,
                                        struct mapping_error *error);

/* Sets the size, in factors, or in elements of the matrix if `block` is not 0; {0, 0} for the usual
 * size. MAPPING_INVALID with a message if the layout has no such size, or is too large. */
enum mapping_status mapping_scales_resize(struct mapping_scales *scales, const uint32_t extent[2],
                                          uint32_t block, struct mapping_error *error);

/* The offset of a factor, in factors; and the number of factors in the buffer, with padding. */
uint32_t mapping_scales_offset(const struct mapping_scales *scales, uint32_t row, uint32_t col);
uint32_t mapping_scales_size(const struct mapping_scales *scales);

/* The usual type of a factor: "ue8m0", "ue4m3" for blocks of 16, "f32". */
const char *mapping_scales_type(const struct mapping_scales *scales);

/* Writes the offset as an expression of row and col. If `is_general`, R and C represent the padded
 * numbers of rows and columns, "row % 8 * 4 + row / 8 * (8 * C)"; otherwise they are numbers. */
enum { MAPPING_SCALES_TEXT = 512 };
void mapping_scales_formula(const struct mapping_scales *scales, bool is_general,
                            char text[MAPPING_SCALES_TEXT]);

/* Writes the number of rows (axis 0) or columns that are allocated for `name` of them, as an
 * expression: "(rows + 127) / 128 * 128". */
void mapping_scales_rounded(const struct mapping_scales *scales, int axis, const char *name,
                            char text[64]);

#endif
