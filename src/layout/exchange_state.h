/* exchange_state.h - what the files that plan exchanges share: exchange.c, exchange_choose.c,
 * exchange_lanes.c, exchange_rounds.c, exchange_steps.c and exchange_check.c. */
#ifndef EXCHANGE_STATE_H
#define EXCHANGE_STATE_H

#include "layout/exchange.h"

enum { EXCHANGE_WARP = 32, EXCHANGE_THREADS = 128, EXCHANGE_LANE_BITS = 5 };

/* An unused slot. */
#define EXCHANGE_NONE UINT32_MAX

/* A plan in the making. An item is an element of the target, tid * target.total + e. At first items
 * are in the registers of the source; each stage moves them to other lanes, as parts of values that
 * it makes; at the end each is in the thread of its own. */
struct exchange {
    struct mapping_exchange *plan;
    uint32_t items;
    uint32_t *lane;  /* of an item: the thread that has it now */
    uint32_t *place; /* and where: value * per + slot */
    uint32_t *twin;  /* the first item of the same thread that is the same element; mostly itself */
    unsigned shift;  /* per is 1 << shift */
    bool moves;      /* not all items are in their threads at first */
    uint32_t step_room, pick_room, lanes_room;
    uint32_t copy_bits; /* bits of the source's tid on which its elements do not depend */
    uint32_t distinct;  /* different elements that a thread of the target holds */
    uint32_t
        representative[EXCHANGE_THREADS]; /* the first thread that gets just what this one gets */
};

/* How items travel: in each stage by the xor of some of the vectors in its part of basis[]. */
struct exchange_route {
    uint32_t start[EXCHANGE_THREADS];  /* the lane of element 0 of a thread */
    uint32_t detour[EXCHANGE_THREADS]; /* what is added to get all to different lanes */
    uint32_t *element; /* of an element: the coordinates of its offset beside element 0; owned */
    uint32_t basis[EXCHANGE_LANE_BITS];     /* vectors whose xors are all offsets */
    uint32_t coordinates[EXCHANGE_WARP];    /* of such a xor: which of the vectors; else NONE */
    uint32_t dimension;                     /* how many vectors */
    uint32_t sizes[EXCHANGE_LANE_BITS + 1]; /* how many of them each stage is about */
    uint32_t stages;                        /* 1 or more */
    bool arrives;                           /* all ends in its own lane without a permutation */
};

/* What became of a step in planning. */
enum exchange_result { EXCHANGE_DONE, EXCHANGE_IMPOSSIBLE, EXCHANGE_NO_MEMORY };

/* ---- exchange.c ---- */

/* Fills in all of a plan but its steps. As mapping_exchange_plan; it has to be freed in any case.
 */
enum mapping_status mapping_exchange_prepare(const struct mapping_layout *source,
                                             const struct mapping_layout *target, uint32_t bits,
                                             struct mapping_exchange *plan,
                                             struct mapping_error *error);

/* ---- exchange_choose.c ---- */

/* Chooses from which thread and element of the source each item comes. EXCHANGE_IMPOSSIBLE, and
 * plan->crosses_warps, if one comes from another warp. */
enum exchange_result mapping_exchange_choose(struct exchange *exchange);

/* ---- exchange_lanes.c ---- */

/* Finds a route. EXCHANGE_IMPOSSIBLE if lanes are no xor of what the thread and what the element
 * contributes. Free route->element in any case. */
enum exchange_result mapping_exchange_find_route(struct exchange *exchange,
                                                 struct exchange_route *route);

/* ---- exchange_check.c ---- */

/* Executes the steps. EXCHANGE_IMPOSSIBLE if they do not make the target. */
enum exchange_result mapping_exchange_check(const struct mapping_exchange *plan);

/* ---- exchange_rounds.c ---- */

/* Makes the steps of all stages. */
enum exchange_result mapping_exchange_follow(struct exchange *exchange,
                                             const struct exchange_route *route);

/* ---- exchange_steps.c ---- */

/* The value that has in slot s of thread t what is at the place table[t * per + s], or anything if
 * that is EXCHANGE_NONE; makes a step for it if there has to be one. MAPPING_NO_VALUE if out of
 * memory. */
uint32_t mapping_exchange_compose(struct exchange *exchange, const uint32_t *table);

/* The value that each thread gets by reading `value` from those lanes. MAPPING_NO_VALUE if out of
 * memory. */
uint32_t mapping_exchange_shuffle(struct exchange *exchange, uint32_t value, uint32_t lanes);

/* Adds what says from which lane, 0 to 31, each thread reads. *index is its number. */
enum exchange_result mapping_exchange_add_lanes(struct exchange *exchange, const uint32_t *source,
                                                uint32_t *index);

#endif
