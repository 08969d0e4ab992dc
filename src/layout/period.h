/* period.h - finds the periods of a grid: "columns 8 to 127: i + 4 for each 8 columns".
 *
 * Rows or columns repeat with period 8 if each cell equals the cell 8 steps before it, after
 * constants are added to its coordinates. In this row of (tid, i), the period is 4 and i grows by
 * 2:
 *
 *     0:0 0:1 1:0 1:1   0:2 0:3 1:2 1:3   0:4 0:5 1:4 1:5 */
#ifndef PERIOD_H
#define PERIOD_H

#include "layout/layouts.h"

enum { PERIOD_DIRECTIONS = MAPPING_AXES_MAX, PERIOD_LEVELS = 4 };

/* Entries of a layout as a grid of rows, columns, and further directions. Cell (x, y, ...) is entry
 * start + x * stride[0] + y * stride[1] + ... If number[0] is not NULL, x is replaced by
 * number[0][x], for example for rows 0 to 15 and 32 to 47. A cell whose coordinate is UINT32_MAX is
 * a gap, and so must be each cell that repeats it. */
struct mapping_grid {
    const struct mapping_layout *layout;
    size_t start;
    uint32_t count; /* the number of directions */
    uint32_t size[PERIOD_DIRECTIONS];
    size_t stride[PERIOD_DIRECTIONS];
    const uint32_t *number[PERIOD_DIRECTIONS];
    uint32_t wraps; /* bit c: coordinate c is compared modulo the size of its axis, as for banks */
};

/* A repetition along a direction: each cell from `period` to `end` - 1 equals the cell `period`
 * before it, with growth[c] added to coordinate c. The difference of their numbers is constant,
 * too. */
struct mapping_repeat {
    uint32_t period, end;
    int64_t growth[MAPPING_AXES_MAX];
};

/* The first `size` cells along a direction, and the repetitions that give the others: level 0 gives
 * the cells up to its end, level 1 those up to its own end, and so on. Without levels, the
 * direction does not repeat. */
struct mapping_period {
    uint32_t size, levels;
    struct mapping_repeat level[PERIOD_LEVELS];
};

/* Finds the period of one direction, and checks it at every cell. The period has at least `least`
 * cells. It is the shortest period for which one level is enough; if that has more than `most`
 * cells, the shortest for which several levels are enough. */
struct mapping_period mapping_period_find(const struct mapping_grid *grid, uint32_t direction,
                                          uint32_t least, uint32_t most);

#endif
