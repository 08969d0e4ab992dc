/* loading.h - what loads a fragment from a matrix in memory, or stores it there, and in which order
 * that matrix would better lie. */
#ifndef LOADING_REPORT_H
#define LOADING_REPORT_H

#include "layout/suggest.h"
#include "report/placement.h"

/* All that can be done about one load or store. The reports have to outlive it. */
struct loading {
    const struct report *matrix;
    const struct report *fragment; /* NULL for a copy of the whole matrix */
    const char *name;              /* of the fragment; "cp.async" */
    bool is_store;
    uint32_t origin[2];
    struct mapping_loading *plans; /* owned; best first */
    size_t count;
};

/* Swizzles and paddings for several of them, whose plans stay empty. */
struct suggested {
    const struct report *matrix;
    const struct loading *uses;
    size_t use_count;
    struct mapping_suggestions suggestions; /* owned */
};

/* Checks that the fragment is one matrix of elements as the matrix in memory has them.
 * MAPPING_INVALID with a sentence. */
enum mapping_status load_check(const struct report *matrix, const struct report *fragment,
                               struct mapping_error *error);

/* Plans it, with one operation, or with all that the architecture has and that can. MAPPING_INVALID
 * with the reason if none can; MAPPING_UNAVAILABLE if it does not have the one; MAPPING_FAILED if
 * out of memory. Free it with load_free in any case. */
enum mapping_status load_plan(struct loading *loading, const struct mapping_access *with,
                              struct mapping_error *error);

void load_free(struct loading *loading);

/* Finds what is suggested; `with` has an operation or NULL for each use. Errors as mapping_suggest;
 * free it with suggested_free in any case. */
enum mapping_status load_suggest(struct suggested *suggested,
                                 const struct mapping_access *const *with,
                                 struct mapping_error *error);

void suggested_free(struct suggested *suggested);

#endif
