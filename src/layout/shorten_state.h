/* shorten_state.h - what the files that shorten share: shorten.c, shorten_plan.c, shorten_task.c
 * and shorten_notation.c. */
#ifndef SHORTEN_STATE_H
#define SHORTEN_STATE_H

#include "layout/search.h"
#include "layout/shorten.h"

#define SHORTEN_TOKENS 160
#define SHORTEN_TEXT 1024

/* An operand, the constant or number of an axis, or an operator over those before it. */
struct token {
    int32_t value;
    uint8_t operation;
};

/* In the order of a stack machine. */
struct expression {
    unsigned count;
    struct token token[SHORTEN_TOKENS];
};

/* A table that is to be expressed. */
struct task {
    struct mapping_space from; /* of those axes on which the values depend; of the others size 1 */
    uint32_t *values;
    size_t entries;
    unsigned level; /* how many operators are searched */
    /* The best that has been found. */
    struct expression best;
    unsigned operators, effort;
    char text[SHORTEN_TEXT];
    bool has_best;
    /* The entries that are compared, and those at which what was found is wrong. */
    size_t lane[SEARCH_LANES];
    unsigned lanes, new_lanes;
    bool failed;     /* out of memory */
    bool unresolved; /* something was found of which it cannot be said whether it is right */
};

enum offer { OFFER_TAKEN, OFFER_NOT_BETTER, OFFER_WRONG, OFFER_UNCLEAR };

static inline bool shorten_is_leaf(unsigned operation) {
    return operation <= SEARCH_VARIABLE;
}

static inline bool shorten_is_unary(unsigned operation) {
    return operation >= SEARCH_NEGATE && operation <= SEARCH_NOT;
}

static inline bool shorten_compares(unsigned operation) {
    return operation >= SEARCH_LESS && operation <= SEARCH_NOT_EQUAL;
}

static inline void shorten_push(struct expression *e, enum search_operator operation,
                                int32_t value) {
    if (e->count < SHORTEN_TOKENS)
        e->token[e->count] = (struct token){value, (uint8_t)operation};
    e->count++; /* beyond SHORTEN_TOKENS if there is too much */
}

/* ---- shorten_notation.c ---- */

/* How many operators there are, of at most SHORTEN_TOKENS tokens. */
unsigned mapping_shorten_count(const struct expression *e);

/* Any constant, made of those up to SEARCH_CONSTANT_MAX: by one operator wherever that can be. */
void mapping_shorten_push_constant(struct expression *e, int64_t c);

/* How hard an operator is to read. */
unsigned mapping_shorten_difficulty(unsigned operation);

/* Puts sums, products and the like in order, and writes the text, or none if it is too long.
 * Returns how hard it is to read. */
unsigned mapping_shorten_express(const struct mapping_space *from, struct expression *e,
                                 char text[SHORTEN_TEXT]);

/* ---- shorten_task.c ---- */

/* Makes a task of the formula, over those of its axes that matter. The caller frees task->values.
 * False if out of memory. */
bool mapping_shorten_task_init(struct task *task, const struct mapping_space *from,
                               const struct mapping_formula *formula);

bool mapping_shorten_has_negative(const struct task *task);

/* Takes the expression if it is right everywhere and better than the best. */
enum offer mapping_shorten_offer(struct task *task, struct expression *e, size_t *wrong);

/* Searches with up to `most` operators; task->failed if out of memory. Returns true if there are no
 * expressions with fewer than the best has. */
bool mapping_shorten_search_levels(struct task *task, unsigned most);

/* ---- shorten_plan.c ---- */

/* Offers an expression made of the terms; task->failed if out of memory. */
void mapping_shorten_offer_terms(struct task *task, const struct mapping_formula *formula,
                                 enum shorten_effort effort);

#endif
