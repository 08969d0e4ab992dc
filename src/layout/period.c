/* period.c - finds the periods of a grid; see period.h. */
#include "layout/period.h"

#include "layout/space.h"
#include "system/arena.h"

/* One direction of a grid: `size` cells in each of its lines. */
struct lines {
    const struct mapping_grid *grid;
    uint32_t direction, size;
    size_t *start; /* the first entry of each line */
    size_t count;
};

/* The number of cell x along a direction: x itself, or the entry of the grid's table. */
static uint32_t number_of(const struct mapping_grid *grid, uint32_t direction, uint32_t x) {
    return grid->number[direction] ? grid->number[direction][x] : x;
}

static struct lines make_lines(const struct mapping_grid *grid, uint32_t direction) {
    size_t count = 1, made = 1;
    for (uint32_t d = 0; d < grid->count; d++)
        count *= d == direction ? 1 : grid->size[d];
    struct lines lines = {grid, direction, grid->size[direction],
                          memory_get(count, sizeof *lines.start), count};
    lines.start[0] = grid->start;
    for (uint32_t d = 0; d < grid->count; d++) {
        if (d == direction)
            continue;
        for (size_t n = made * grid->size[d]; n-- > 0;)
            lines.start[n] =
                lines.start[n % made] + number_of(grid, d, (uint32_t)(n / made)) * grid->stride[d];
        made *= grid->size[d];
    }
    return lines;
}

/* Compares cell x of each line with cell x - period. The first difference between two cells that
 * are not gaps becomes the growth; all later differences must equal it. */
static bool follows(const struct lines *lines, uint32_t x, struct mapping_repeat *repeat,
                    bool *has_growth) {
    bool is_known = *has_growth;
    const struct mapping_grid *grid = lines->grid;
    const struct mapping_layout *layout = grid->layout;
    const uint32_t d = lines->direction, axes = layout->to.count, wraps = grid->wraps;
    const uint32_t *const first = layout->coordinate[0];
    const size_t here = number_of(grid, d, x) * grid->stride[d],
                 there = number_of(grid, d, x - repeat->period) * grid->stride[d];
    for (size_t line = 0; line < lines->count; line++) {
        const size_t entry = lines->start[line] + here, before = lines->start[line] + there;
        const bool is_gap = first[entry] == UINT32_MAX, was_gap = first[before] == UINT32_MAX;
        if (is_gap != was_gap)
            return false;
        for (uint32_t c = 0; c < axes && !is_gap; c++) {
            int64_t growth = (int64_t)layout->coordinate[c][entry] - layout->coordinate[c][before];
            if (wraps >> c & 1)
                growth = (growth + layout->to.axis[c].size) % layout->to.axis[c].size;
            if (!is_known)
                repeat->growth[c] = growth;
            else if (growth != repeat->growth[c])
                return false;
        }
        is_known |= !is_gap;
    }
    *has_growth = is_known;
    return true;
}

/* Finds the end of the range of cells that repeat the cells `period` before them. */
static struct mapping_repeat follow(const struct lines *lines, uint32_t period) {
    struct mapping_repeat repeat = {.period = period, .end = period};
    bool is_known = false;
    const uint32_t d = lines->direction,
                   step = number_of(lines->grid, d, period) - number_of(lines->grid, d, 0);
    while (repeat.end < lines->size &&
           number_of(lines->grid, d, repeat.end) ==
               number_of(lines->grid, d, repeat.end - period) + step &&
           follows(lines, repeat.end, &repeat, &is_known))
        repeat.end++;
    return repeat;
}

/* Adds levels until they reach the last cell. False if PERIOD_LEVELS are not enough. The period of
 * each level is a multiple of that of the level before. */
static bool add_levels(const struct lines *lines, uint32_t size, struct mapping_period *period) {
    if (period->levels == PERIOD_LEVELS)
        return false;
    const uint32_t level = period->levels++;
    struct mapping_repeat repeat = follow(lines, size);
    period->level[level] = repeat;
    if (repeat.end == lines->size)
        return true;
    for (uint32_t next = repeat.end - repeat.end % size; next >= 2 * size; next -= size) {
        period->level[level].end = next;
        if (add_levels(lines, next, period))
            return true;
        period->levels = level + 1;
    }
    return false;
}

struct mapping_period mapping_period_find(const struct mapping_grid *grid, uint32_t direction,
                                          uint32_t least, uint32_t most) {
    const struct lines lines = make_lines(grid, direction);
    struct mapping_period shortest = {.size = grid->size[direction]};
    struct lines first = lines; /* most sizes already fail in the first line */
    uint32_t end = lines.size / 2 + 1;
    first.count = 1;
    for (uint32_t size = least; size < end; size++) {
        if (follow(&first, size).end < lines.size)
            continue;
        const struct mapping_repeat repeat = follow(&lines, size);
        if (repeat.end == lines.size) {
            shortest = (struct mapping_period){.size = size, .levels = 1, .level[0] = repeat};
            end = size;
        }
    }
    for (uint32_t size = least; size < end && shortest.size > most; size++) {
        struct mapping_period found = {.size = size};
        if (add_levels(&lines, size, &found)) {
            shortest = found;
            end = size;
        }
    }
    mapping_free(lines.start);
    return shortest;
}
