/* equality.h - compares two layouts at every element, for example those of the writer and the
 * reader of one buffer. */
#ifndef EQUALITY_H
#define EQUALITY_H

#include "report/report.h"

/* An element with different places in the two layouts. */
struct equality_difference {
    uint32_t source[MAPPING_AXES_MAX];
    uint64_t target[2][MAPPING_AXES_MAX];
};

enum { EQUALITY_SHOWN = 3 };

struct equality {
    const struct report *sides[2]; /* both layouts have this space as input, and axes of the same
                                      names as output */
    bool is_in_bytes;              /* offsets are in bytes, because the elements of both have
                                      different sizes */
    size_t entries, different;
    struct equality_difference first[EQUALITY_SHOWN];
    uint64_t bytes[2];    /* for matrices in memory, the sizes of their buffers; otherwise 0 */
    struct strings moves; /* the permutation from one layout to the other: a formula for each axis,
                             if there is a simple one: "offset = ..." */
    char *condition;      /* the sizes for which both layouts are equal; or NULL */
    uint32_t extents, largest[2]; /* number of sizes for which this was checked, and the largest of
                                     them */
};

/* Compares two layouts. MAPPING_INVALID with a message if they do not have the same elements. */
enum mapping_status equality_find(const struct report *one, const struct report *other,
                                  struct equality *equality, struct mapping_error *error);

#endif
