/* loading.h - what loads a fragment from a matrix in memory, or stores it there, and in which order
 * that matrix would better lie. */
#ifndef LOADING_REPORT_H
#define LOADING_REPORT_H

#include "layout/suggest.h"
#include "report/placement.h"

/* What the rows and the columns of a matrix are: 'm', 'n' or 'k'; 0 if nothing is said. */
struct matrix_axes {
    char rows, cols;
};

/* All that can be done about one load or store. The reports have to outlive it. */
struct loading {
    const struct report *matrix;
    const struct report *fragment; /* NULL for a copy of the whole matrix */
    const char *name;              /* of the fragment; "cp.async" */
    bool is_store;
    bool is_tma; /* a copy by TMA */
    uint32_t origin[2];
    struct matrix_axes axes;      /* of the matrix; 0 for what is no operand, and for copies */
    bool has_axes;                /* they were asked for */
    bool is_turned;               /* they are those of the fragment, exchanged */
    uint32_t alignment;           /* of the matrix, in bytes, so that banks and swizzle are those of
                                     addresses: 128, or what its swizzle repeats after, 1024 of
                                     Layout_K_SW128_Atom */
    struct mapping_layout layout; /* of the fragment, (tid, i) -> (row, col) of the matrix; its
                                     tables are the fragment's */
    struct mapping_loading *plans; /* best first */
    size_t count;
};

/* Swizzles and paddings for several of them, whose plans stay empty. */
struct suggested {
    const struct report *matrix;
    const struct loading *uses;
    size_t use_count;
    struct mapping_suggestions suggestions;
};

/* Checks that the fragment is one matrix of elements as the matrix in memory has them, and finds
 * what the rows and columns of that are: as asked for; as its name says, of CuTe's atoms M or N by
 * K; else as of the operand, A is M x K, B is K x N, C and D are M x N. Sets `axes`, `is_turned`,
 * `alignment` and `layout`. MAPPING_INVALID with a sentence. */
enum mapping_status load_prepare(struct loading *loading, const struct matrix_axes *asked,
                                 struct mapping_error *error);

/* Plans it, with one operation, or with all that the architecture has and that can. MAPPING_INVALID
 * with the reason if none can; MAPPING_UNAVAILABLE if it does not have the one. */
enum mapping_status load_plan(struct loading *loading, const struct mapping_access *with,
                              struct mapping_error *error);

/* Finds what is suggested; `with` has an operation or NULL for each use. Errors as
 * mapping_suggest. */
enum mapping_status load_suggest(struct suggested *suggested,
                                 const struct mapping_access *const *with,
                                 struct mapping_error *error);

#endif
