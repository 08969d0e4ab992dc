/* loading_state.h - what the parts of planning a load hand on; see loading.h.
 *
 *     loading_units.c    request -> where the pieces of each width lie in memory
 *     loading_pieces.c   an access -> which pieces each step moves, and from which addresses; or
 *                        what is in its way
 *     loading_reason.c   what is in its way, as a sentence
 *     loading.c          steps, formulae, wavefronts
 */
#ifndef LOADING_STATE_H
#define LOADING_STATE_H

#include "layout/loading.h"

/* Where the pieces of one width lie, of all threads. Piece p of a thread is the p-th of that width
 * in its string of bits. */
struct loading_units {
    uint32_t count;    /* of a thread; 0 if its bits are no whole number of them */
    uint32_t *address; /* address[p * threads + tid], in bytes; LOADING_BROKEN if the elements of
                          the piece are not adjacent; NULL where elements are wider */
    bool is_whole;     /* none of them is LOADING_BROKEN */
};

#define LOADING_BROKEN UINT32_MAX

enum { LOADING_WIDTHS = 3 };

struct loading_table {
    const struct mapping_loading_request *request;
    uint32_t threads, elements;                 /* elements of a thread */
    struct loading_units units[LOADING_WIDTHS]; /* of 8, 16 and 32 bits */
    uint32_t *pieces; /* of step s pieces[s * n] ..., if a step moves n; room for all */
    uint32_t *memory; /* the one allocation; owned */
};

/* Reads the request. MAPPING_INVALID, MAPPING_FAILED. Free it with mapping_loading_table_free in
 * any case. */
enum mapping_status mapping_loading_build(const struct mapping_loading_request *request,
                                          struct loading_table *table, struct mapping_error *error);
void mapping_loading_table_free(struct loading_table *table);

/* The byte, or of less than 8 bits the bit, at which an element lies. */
uint32_t mapping_loading_element(const struct loading_table *table, uint32_t tid, uint32_t element);

/* What an access is hindered by. Pieces are of `bits` bits. */
enum loading_hindrance {
    LOADING_DIRECTION, /* it is a store, and a load is asked for, or the other way round */
    LOADING_NARROW,    /* it is narrower than an element */
    LOADING_RAGGED,    /* a thread's bits are no whole number of pieces */
    LOADING_REMAINDER, /* the number of pieces is no multiple of those that a step moves */
    LOADING_SPLIT,     /* elements of a piece are not adjacent */
    LOADING_UNALIGNED, /* piece[0] of tid[0] does not lie at a multiple of `distance` */
    LOADING_APART, /* piece[1] of tid[1] does not lie `distance` bytes behind piece[0] of tid[0] */
    LOADING_SHIFTED, /* piece[0] lies at different places of `distance` aligned bytes in tid[0]
                        and tid[1] */
    LOADING_ALONE    /* no piece is left that lies at `distance` of the aligned bytes in which
                        piece[0] of tid[0] is */
};

struct loading_obstacle {
    enum loading_hindrance hindrance;
    uint32_t bits, piece[2], tid[2], distance;
};

/* How many pieces a step moves, and of how many bits they are. */
uint32_t mapping_loading_pieces_of(const struct mapping_access *access);
uint32_t mapping_loading_bits_of(const struct mapping_access *access);
const struct loading_units *mapping_loading_units_of(const struct loading_table *table,
                                                     uint32_t bits);

/* Where a piece lies. */
uint32_t mapping_loading_address(const struct loading_table *table, uint32_t bits, uint32_t piece,
                                 uint32_t tid);

/* Chooses the pieces of all steps, table->pieces. False if the access cannot move the fragment. */
bool mapping_loading_choose(struct loading_table *table, const struct mapping_access *access,
                            struct loading_obstacle *obstacle);

/* How many steps there are once mapping_loading_choose has returned true. */
uint32_t mapping_loading_steps(const struct loading_table *table,
                               const struct mapping_access *access);

/* The n-th piece of a step. */
uint32_t mapping_loading_piece(const struct loading_table *table,
                               const struct mapping_access *access, uint32_t step, uint32_t n);

/* The addresses that the lanes of a warp bring in a step. */
void mapping_loading_addresses(const struct loading_table *table,
                               const struct mapping_access *access, uint32_t step, uint32_t warp,
                               uint32_t address[LANES]);

/* Says what is in the way of the access, and returns MAPPING_INVALID. */
enum mapping_status mapping_loading_explain(const struct loading_table *table,
                                            const struct mapping_access *access,
                                            const struct loading_obstacle *obstacle,
                                            struct mapping_error *error);

#endif
