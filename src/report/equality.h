/* equality.h - compares two layouts at every element, for example those of the writer and the
 * reader of one buffer. */
#ifndef EQUALITY_H
#define EQUALITY_H

#include "report/report.h"

/* An element that is not at the same place in both. */
struct equality_difference {
    uint32_t source[MAPPING_AXES_MAX];
    uint64_t target[2][MAPPING_AXES_MAX];
};

enum { EQUALITY_SHOWN = 3 };

struct equality {
    const struct report *sides[2]; /* from the same space to axes of the same names */
    bool is_in_bytes;              /* offsets are bytes, because elements differ in size */
    size_t entries, different;
    struct equality_difference first[EQUALITY_SHOWN];
    uint64_t bytes[2];    /* of matrices in memory, their buffers; else 0 */
    struct strings moves; /* the permutation from one to the other, a formula for each axis, if
                             there is a simple one: "offset = ..." */
    char *condition;      /* for which sizes elements are at the same places; or NULL */
    uint32_t extents, largest[2]; /* sizes with which that was checked, and the largest of these */
};

/* Compares two layouts. MAPPING_INVALID with a sentence if they are not of the same elements. */
enum mapping_status equality_find(const struct report *one, const struct report *other,
                                  struct equality *equality, struct mapping_error *error);

#endif
