/* suggest.h - suggests layouts of a tile in shared memory: the swizzles, paddings and other orders
 * with the fewest wavefronts for given accesses. */
#ifndef SMEM_SUGGEST_H
#define SMEM_SUGGEST_H

#include "layout/cute_layout.h"
#include "smem/copy_plan.h"

enum {
    SUGGEST_USES_MAX = 8,
    SUGGEST_PADDING_BYTES = 128 /* the largest padding of a row */
};

/* An access that the kernel makes everywhere in the tile, at multiples of its fragment's size. */
struct mapping_use {
    const struct mapping_layout *fragment; /* (tid, i) -> (row, col); NULL: a copy of 16 bytes by
                                              each lane, as with cp.async */
    bool is_store;
    bool is_tma;                       /* a copy by TMA, see mapping_tma_find */
    const struct mapping_access *with; /* NULL: the operation with the fewest wavefronts */
    uint32_t bits;                     /* the size of an element in registers; 0: as in memory */
};

/* The tile without swizzle and padding, and its uses. */
struct mapping_suggest_request {
    const struct mapping_layout *matrix; /* (row, col) -> offset, in elements */
    uint32_t bits;                       /* the size of an element in memory */
    bool is_signed;                      /* as in mapping_copy_request */
    uint32_t arch;                       /* its operations are tried; 0 for all */
    uint32_t use_count;
    struct mapping_use uses[SUGGEST_USES_MAX];
};

enum mapping_suggestion_kind {
    SUGGEST_PLAIN,   /* the tile unchanged */
    SUGGEST_SWIZZLE, /* with a swizzle */
    SUGGEST_PADDING, /* with longer rows, or columns */
    SUGGEST_ORDER    /* with its 16-byte pieces in another order, perhaps with a swizzle */
};

struct mapping_suggestion {
    enum mapping_suggestion_kind kind;
    struct mapping_cute layout; /* including the swizzle */
    uint32_t padding;           /* elements added to each row, or column */
    uint32_t wasted;            /* bytes that hold no element */
    uint32_t wavefronts;        /* of all uses everywhere in the tile */
    uint32_t minimum;           /* wavefronts of these accesses without bank conflicts */
    uint32_t each[SUGGEST_USES_MAX];
    const struct mapping_access *with[SUGGEST_USES_MAX];
};

struct mapping_suggestions {
    struct mapping_suggestion
        *items; /* owned; best first: by wavefronts, bytes wasted, simplicity */
    size_t count, capacity;
};

/* Tries every swizzle that is not wider than the tile, and every padding up to
 * SUGGEST_PADDING_BYTES a row. If all of them have bank conflicts, tries other orders until one has
 * none. If a use is a copy by TMA, tries what TMA can write instead: boxes as wide as its swizzles,
 * side by side. MAPPING_INVALID with the reason if no candidate can serve all uses, or if the size
 * of a fragment does not divide that of the tile. Free suggestions->items in any case. */
enum mapping_status mapping_suggest(const struct mapping_suggest_request *request,
                                    struct mapping_suggestions *suggestions,
                                    struct mapping_error *error);

#endif
