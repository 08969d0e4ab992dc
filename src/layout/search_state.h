/* search_state.h - what the files of the search share: search.c, search_make.c, search_filters.c
 * and search_finish.c. */
#ifndef SEARCH_STATE_H
#define SEARCH_STATE_H

#include "layout/search.h"

/* What x op v or v op x with a variable v: pairs that can reach the target at all. */
struct ending {
    enum search_operator operation;
    bool variable_first;
    uint8_t variable;
};

#define ENDINGS (SEARCH_VARIABLES * 2 * SEARCH_OPERATORS)

/* Shifts by fewer bits multiply with or divide by a constant that there is. */
enum { SEARCH_SHIFT_MIN = 32 - __builtin_clz(SEARCH_CONSTANT_MAX) };

/* Expressions, one for each list of values, and a hash table of their numbers + 1. */
struct set {
    struct search_tree *tree;
    uint32_t *slot;
    size_t count, room, slots;
};

/* One search, from its beginning to its end. */
struct run {
    const struct search *search;
    const int32_t *target;
    struct search_tree constant[SEARCH_CONSTANT_MAX + 1];
    struct search_tree variable[SEARCH_VARIABLES];
    struct ending ending[ENDINGS];
    unsigned endings;
    bool is_boolean; /* the target */
    bool has_zero;   /* the target, somewhere */
    bool wide;       /* constants beyond SEARCH_CONSTANT_MAX are solved for, and no others */
    bool stopped, failed;
    struct set one;       /* expressions of one operator, with variables */
    struct set constants; /* and without */
    struct set two;       /* expressions of two operators, with variables */
    struct near *near;    /* these three are of search_filters.c, or NULL */
    struct divisors *divisors;
    bool is_far_decided; /* by is_far() */
    uint64_t *seen;      /* constants of two operators: a bit for each number */
};

static inline bool search_is_wide(int64_t constant) {
    return constant < 0 || constant > SEARCH_CONSTANT_MAX;
}

static inline bool search_is_comparison(enum search_operator operation) {
    return (operation >= SEARCH_LESS && operation <= SEARCH_NOT_EQUAL) || operation >= SEARCH_BOTH;
}

static inline bool search_is_symmetric(enum search_operator operation) {
    return operation == SEARCH_MULTIPLY || operation == SEARCH_ADD || operation >= SEARCH_EQUAL;
}

/* The two that are others with their operands exchanged. */
static inline bool search_is_mirrored(enum search_operator operation) {
    return operation == SEARCH_GREATER || operation == SEARCH_GREATER_EQUAL;
}

static inline bool search_is_constant(const struct search_tree *tree) {
    int32_t differs = 0;
    for (int k = 1; k < SEARCH_LANES; k++)
        differs |= tree->lane[k] ^ tree->lane[0];
    return differs == 0;
}

static inline bool search_has_negative(const int32_t *lane) {
    int32_t signs = 0;
    for (int k = 0; k < SEARCH_LANES; k++)
        signs |= lane[k];
    return signs < 0;
}

static inline bool search_has_zero(const int32_t *lane) {
    int zeros = 0;
    for (int k = 0; k < SEARCH_LANES; k++)
        zeros |= lane[k] == 0;
    return zeros;
}

/* ---- search_finish.c ---- */

/* Calls found() of the search. */
void mapping_search_report(struct run *run, enum search_operator operation,
                           const struct search_tree *left, const struct search_tree *right);

/* Reports all that leads from x to the target by one operator and, if run->wide, a constant beyond
 * SEARCH_CONSTANT_MAX, or else a smaller constant or a variable. */
void mapping_search_finish(struct run *run, const struct search_tree *x);

/* ---- search_filters.c ---- */

/* False if x op v = t, or v op x = t, has no solution x. True is always allowed. */
bool mapping_search_can_end(enum search_operator operation, bool variable_first, int32_t v,
                            int32_t t);

void mapping_search_find_endings(struct run *run);

/* Without, mapping_search_finish_filtered() leaves out only what is constant. False if out of
 * memory. */
bool mapping_search_make_filters(struct run *run);

/* Finishes x unless it is constant, or cannot lead to the target. */
void mapping_search_finish_filtered(struct run *run, const struct search_tree *x);

/* ---- search_make.c ---- */

/* What becomes of each expression that is made. */
typedef void search_action(struct run *run, const struct search_tree *tree);

/* Fills in the magnitude of its lanes. */
void mapping_search_measure(struct search_tree *tree);

void mapping_search_make_leaves(struct run *run);

/* An operator over one expression, if right is NULL, or two. */
void mapping_search_combine(struct run *run, enum search_operator operation,
                            const struct search_tree *left, const struct search_tree *right,
                            search_action *use);

/* All operators over two expressions, in both orders. */
void mapping_search_combine_pair(struct run *run, const struct search_tree *a,
                                 const struct search_tree *b, search_action *use);

/* All that is made of x by one operator: a unary one, or one with a constant or a variable. */
void mapping_search_extend(struct run *run, const struct search_tree *x, search_action *use);

/* The expression that has these values, or NULL. */
const struct search_tree *mapping_search_find(const struct set *set, const int32_t *lane);

void mapping_search_set_free(struct set *set);

/* All expressions of one operator: of variables, and of two constants. */
void mapping_search_make_one(struct run *run);

/* Adds one of two operators, if none with fewer has its values. */
void mapping_search_keep_two(struct run *run, const struct search_tree *tree);

#endif
