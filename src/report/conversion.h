/* conversion.h - converts the registers of one fragment to those of another. */
#ifndef CONVERSION_H
#define CONVERSION_H

#include "convert/shuffles.h"
#include "report/report.h"

/* The scale factors that each thread needs to quantize, or to scale, the elements of its
 * accumulator, C or D, as A or B of a next product. */
struct line_scales {
    const struct report *of; /* the accumulator */
    bool is_columns;         /* for B: elements of a column share a factor; else of a row */
    uint32_t block;          /* elements that share one */
    uint32_t tiles;          /* accumulators that lie side by side, or one below the other */
    bool has_sharing;        /* `sharing` is known: who has elements of the same block */
    struct mapping_sharing sharing;
    struct report report; /* from (tid, i) to the row and column of factors */
};

struct conversion {
    const struct report *source, *target;
    struct line_scales *scales; /* if the source or the target is its report; else NULL */
    struct shuffle_plan plan;
    /* If the plan needs shuffles or memory: whether a permutation of the columns, or rows, makes
     * this unnecessary, and the plan with that permutation. */
    bool is_permutable;
    struct mapping_permutation permutation;
    struct shuffle_plan permuted;
};

/* Checks that one fragment can become the other: that their elements are of one kind, numbers that
 * can be rounded to each other, and that as many threads hold matrices of which whole numbers fill
 * each other. MAPPING_INVALID with a sentence that names both,
 * `from` and `to`. */
enum mapping_status conversion_check(const struct mapping_fragment *source, const char *from,
                                     const struct mapping_fragment *target, const char *to,
                                     struct mapping_error *error);

/* True if one is a C or D, and the other SFA or SFB in registers: then the factors are converted to
 * or from those that the threads of the accumulator need. */
bool conversion_is_of_scales(const struct mapping_fragment *source,
                             const struct mapping_fragment *target);

/* Plans it; the reports have to outlive it. Errors as above. */
enum mapping_status conversion_make(const struct report *source, const struct report *target,
                                    struct conversion *conversion, struct mapping_error *error);

/* Describes the factors in sentences: what they are for, which is element i, and how to find the
 * largest element of a block. */
struct strings line_scales_describe(const struct line_scales *scales);

/* True if the elements have to be converted to another type before the registers are. Untyped
 * elements of 16 bits stand for any type. */
bool conversion_rounds(const struct conversion *conversion);

#endif
