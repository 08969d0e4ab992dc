/* f2.h - layouts over bits.
 *
 * In nearly every fragment, each bit of the thread and of the element number contributes to some
 * bits of the coordinates. The coordinates of a point are the exclusive or of the contributions of
 * its bits. Such a layout is a matrix over F2, the field of 0 and 1. So linear algebra inverts
 * layouts, converts between them and finds copies. f2.c has a worked example. */
#ifndef F2_H
#define F2_H

#include "layout/layouts.h"

/* ---- Maps and spans ---- */

/* A linear map: bit b of x contributes column[b] to map(x), for the `in` bits of x. */
struct f2 {
    uint32_t in;
    uint32_t column[32];
};

uint32_t mapping_f2_apply(const struct f2 *map, uint32_t x);

/* The span of some vectors: all their exclusive ors. reduced[b] is a vector whose highest bit is b,
 * for each bit b of `pivots`. A zeroed span contains only 0. */
struct f2_span {
    uint64_t pivots;
    uint64_t reduced[64];
};

/* The lowest number that is the vector exclusive-or a member of the span; 0 for members. */
uint64_t mapping_f2_reduce(const struct f2_span *span, uint64_t vector);

/* Adds a vector. False if it is already a member. */
bool mapping_f2_extend(struct f2_span *span, uint64_t vector);

/* The graph of a map: the span of map(x) << 32 | x for all x. Its rank and its kernel, and all
 * solutions of map(x) = y, can be read off it. */
struct f2_span mapping_f2_graph(const struct f2 *map);

/* The dimension of the image of the map that has this graph. */
uint32_t mapping_f2_rank(const struct f2_span *graph);

/* Finds the x with map(x) = y for which x ^ near is lowest. False if there is none. */
bool mapping_f2_solve(const struct f2_span *graph, uint32_t y, uint32_t near, uint32_t *x);

/* ---- Layouts ---- */

/* A layout over bits. Points of both spaces are numbers made of the bits of their coordinates, the
 * last axis in the lowest bits. One axis of the source may have a size that is an odd number times
 * a power of two, as the 12 elements of D of wgmma with N = 24: q counts the odd part, and
 *
 *     target(x, q) = (base ^ bits(x)) + q * step
 *
 * where x is the number of the source without q. */
struct bit_layout {
    struct f2 bits;
    uint32_t base;
    uint32_t outer, step;                 /* q is 0 to outer - 1; 1 if there is no odd part */
    uint32_t first_in[MAPPING_AXES_MAX];  /* the lowest bit of each axis of the source in x, */
    uint32_t first_out[MAPPING_AXES_MAX]; /* and of the target */
};

/* Derives the bits from the table, and compares every entry. False if the layout cannot be written
 * in this way. */
bool mapping_bits_of_layout(const struct mapping_layout *layout, struct bit_layout *bits);

#endif
