/* space.h - functions on spaces that are shared within this folder. */
#ifndef SPACE_H
#define SPACE_H

#include "layout/layouts.h"

/* Writes to order[] the axes in the order of formulae: that of the space, except that inner axes
 * precede outer ones: i is inside a thread, and a row inside a block. */
void mapping_space_order(const struct mapping_space *space, uint8_t order[MAPPING_AXES_MAX]);

/* Moves a point to the one with the next number; the last point is followed by the first. */
static inline void mapping_space_step(const struct mapping_space *space, uint32_t *point) {
    uint32_t a = space->count;
    while (a-- > 0 && ++point[a] == space->axis[a].size)
        point[a] = 0;
}

/* Names for the thread in its warp, and for the number of its warp. */
#define MAPPING_LANE_NAMES "lane lane_id laneid laneId lane_idx laneIdx"
#define MAPPING_WARP_NAMES "warp warp_id warpid warpId warp_idx warpIdx"

/* Names for the number of threads in a warp. */
#define MAPPING_WARP_SIZE_NAMES                                                                    \
    "warpSize WARP_SIZE kWarpSize warp_size WARPSIZE NumThreadsPerWarp THREADS_PER_WARP"

/* The number of bits of the numbers below `size`. */
static inline uint32_t mapping_bits_below(uint32_t size) {
    return size > 1 ? 32 - (uint32_t)__builtin_clz(size - 1) : 0;
}

/* True if the word of that length is in a list, which is separated by blanks or commas. */
bool mapping_word_is_in(const char *list, const char *word, size_t length);

/* Other names of an axis in expressions, separated by blanks: "lane laneId" for tid; and whether a
 * word of that length is its name or one of these. */
const char *mapping_axis_names(const char *name);
bool mapping_axis_is_called(const char *name, const char *word, size_t length);

/* Writes the coordinates of a point: "thread 3, element 5". */
void mapping_space_describe(const struct mapping_space *space, size_t number, char *text,
                            size_t size);

/* Evaluates a function to which each axis contributes independently, such as a formula or bases, at
 * all points, in their order. parts[] has, axis by axis, the contribution of each value of the
 * axis; the contributions are combined by `operation`, '+' or '^'. */
void mapping_space_combine(const struct mapping_space *space, const uint32_t *parts, char operation,
                           uint32_t *values);

/* The difference between the numbers of points with adjacent values of an axis. */
size_t mapping_space_stride(const struct mapping_space *space, uint32_t axis);

/* The length of parts[]: the sum of the sizes of the axes. */
size_t mapping_space_parts(const struct mapping_space *space);

#endif
