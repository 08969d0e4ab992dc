/* conversion.h - converts the registers of one fragment to those of another. */
#ifndef CONVERSION_H
#define CONVERSION_H

#include "convert/shuffles.h"
#include "report/report.h"

/* The scale factors that each thread needs to quantize or scale the elements of its accumulator, C
 * or D, for use as A or B of the next product. */
struct line_scales {
    const struct report *of; /* the accumulator */
    bool is_columns;         /* for B, elements of a column share a factor; otherwise elements of a
                                row */
    uint32_t block;          /* number of elements that share a factor */
    uint32_t tiles;          /* number of accumulators side by side, or one below the other */
    bool has_sharing;        /* `sharing` is set: the threads with elements of the same block */
    struct mapping_sharing sharing;
    struct report report; /* from (tid, i) to the row and column of the factor */
};

struct conversion {
    const struct report *source, *target;
    struct line_scales *scales; /* if their report is the source or the target; or NULL */
    struct shuffle_plan plan;
    /* If the plan needs shuffles or memory: whether a permutation of the columns, or rows, makes
     * this unnecessary, and the plan with this permutation. */
    bool is_permutable;
    struct mapping_permutation permutation;
    struct shuffle_plan permuted;
};

/* Checks that one fragment can be converted to the other: both have numbers that can be rounded to
 * each other, and the same number of threads, and their matrices can be tiled to the same size.
 * MAPPING_INVALID with a message that contains the names `from` and `to`. */
enum mapping_status conversion_check(const struct mapping_fragment *source, const char *from,
                                     const struct mapping_fragment *target, const char *to,
                                     struct mapping_error *error);

/* True if one is C or D, and the other SFA or SFB in registers. Then the conversion is between the
 * factors in registers and those that the threads of the accumulator need. */
bool conversion_is_of_scales(const struct mapping_fragment *source,
                             const struct mapping_fragment *target);

/* Makes the plan of a conversion. The reports must outlive it. Fails like conversion_check. */
enum mapping_status conversion_make(const struct report *source, const struct report *target,
                                    struct conversion *conversion, struct mapping_error *error);

/* Describes the factors in sentences: their use, which factor element i is, and how to find the
 * largest element of a block. */
struct strings line_scales_describe(const struct line_scales *scales);

/* True if the elements must be converted to another type first. Untyped elements of 16 bits may
 * have any type. */
bool conversion_rounds(const struct conversion *conversion);

#endif
