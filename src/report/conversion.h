/* conversion.h - converts the registers of one fragment to those of another. */
#ifndef CONVERSION_H
#define CONVERSION_H

#include "convert/shuffles.h"
#include "report/report.h"

struct conversion {
    const struct report *source, *target;
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

/* Plans it; the reports have to outlive it. Errors as above. */
enum mapping_status conversion_make(const struct report *source, const struct report *target,
                                    struct conversion *conversion, struct mapping_error *error);

/* True if the elements have to be converted to another type before the registers are. Untyped
 * elements of 16 bits stand for any type. */
bool conversion_rounds(const struct conversion *conversion);

#endif
