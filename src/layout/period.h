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

/* Some entries of a layout, as a grid: rows, columns, and further directions. Cell (x, y, ...) is
 * entry start + x * stride[0] + y * stride[1] + ... If number[0] is not NULL, number[0][x] takes
 * the place of x: rows 0 to 15 and 32 to 47. A cell whose coordinate is UINT32_MAX is a gap, and so
 * is each cell that follows it. */
struct mapping_grid {
    const struct mapping_layout *layout;
    size_t start;
    uint32_t count; /* directions */
    uint32_t size[PERIOD_DIRECTIONS];
    size_t stride[PERIOD_DIRECTIONS];
    const uint32_t *number[PERIOD_DIRECTIONS];
    uint32_t wraps; /* bit c: coordinate c counts modulo the size of its axis, as banks do */
};

/* Cells from `period` to `end` - 1 along a direction: each equals the cell `period` before it, with
 * growth[c] added to coordinate c. The difference of their numbers is always the same, too. */
struct mapping_repeat {
    uint32_t period, end;
    int64_t growth[MAPPING_AXES_MAX];
};

/* The first `size` cells along a direction, and how the others follow: level 0 gives the cells up
 * to its end, level 1 those up to its own, and so on. No levels: the direction does not repeat. */
struct mapping_period {
    uint32_t size, levels;
    struct mapping_repeat level[PERIOD_LEVELS];
};

/* Finds the period of one direction, and checks it at every cell. The period has at least `least`
 * cells. It is the shortest that one level describes; if that has more than `most` cells, the
 * shortest that several levels describe. */
struct mapping_period mapping_period_find(const struct mapping_grid *grid, uint32_t direction,
                                          uint32_t least, uint32_t most);

#endif
