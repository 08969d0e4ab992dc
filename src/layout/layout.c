/* layout.c - layouts: functions from one space to another, stored as tables. */
#include "layout/space.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

size_t mapping_layout_entries(const struct mapping_layout *layout) {
    return mapping_space_size(&layout->from);
}

/* The size of all coordinates in bytes. */
static size_t table_size(const struct mapping_layout *layout) {
    return mapping_layout_entries(layout) * layout->to.count * sizeof(uint32_t);
}

enum mapping_status layout_allocate(struct mapping_layout *layout, const struct mapping_space *from,
                                    const struct mapping_space *to, struct mapping_error *error) {
    *layout = (struct mapping_layout){.from.count = 0};
    if (from->count > MAPPING_AXES_MAX || to->count > MAPPING_AXES_MAX)
        return mapping_fail(error, MAPPING_INVALID, "too many axes: the limit is %d",
                            MAPPING_AXES_MAX);
    size_t entries = mapping_space_size(from);
    if (entries == 0 || mapping_space_size(to) == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "an axis of a layout must have at least one value");
    if (entries > UINT32_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "layout too large: the limit is 2^32 - 1 entries");
    /* At least one coordinate of each entry, because inversion writes numbers of points there. */
    uint32_t *table = memory_resize(NULL, (entries + 1) * (to->count + !to->count), sizeof *table);
    *layout = (struct mapping_layout){.from = *from, .to = *to};
    layout->coordinate[0] = table;
    for (uint32_t c = 1; c < to->count; c++)
        layout->coordinate[c] = table + c * entries;
    return MAPPING_OK;
}

enum mapping_status mapping_layout_init(struct mapping_layout *layout,
                                        const struct mapping_space *from,
                                        const struct mapping_space *to,
                                        struct mapping_error *error) {
    enum mapping_status status = layout_allocate(layout, from, to, error);
    if (status == MAPPING_OK)
        memset(layout->coordinate[0], 0xff, table_size(layout));
    return status;
}

void mapping_layout_free(struct mapping_layout *layout) {
    mapping_free(layout->coordinate[0]);
    *layout = (struct mapping_layout){0};
}

size_t mapping_layout_target(const struct mapping_layout *layout, size_t n) {
    size_t number = 0;
    for (uint32_t c = 0; c < layout->to.count; c++)
        number = number * layout->to.axis[c].size + layout->coordinate[c][n];
    return number;
}

uint32_t mapping_layout_copies(const struct mapping_layout *layout) {
    size_t places = mapping_space_size(&layout->to);
    return places > 0 ? (uint32_t)(mapping_layout_entries(layout) / places) : 0;
}

bool layout_equal(const struct mapping_layout *a, const struct mapping_layout *b) {
    const size_t size = mapping_layout_entries(a) * sizeof(uint32_t);
    bool is_equal = mapping_space_equal(&a->from, &b->from) && mapping_space_equal(&a->to, &b->to);
    for (uint32_t c = 0; c < a->to.count && is_equal; c++) /* --axes may exchange the tables */
        is_equal = memcmp(a->coordinate[c], b->coordinate[c], size) == 0;
    return is_equal;
}

/* ---- Inversion ---- */

static enum mapping_status met_too_often(const struct mapping_layout *layout, size_t entry,
                                         struct mapping_error *error) {
    char holder[128], held[128];
    mapping_space_describe(&layout->to, mapping_layout_target(layout, entry), held, sizeof held);
    mapping_space_describe(&layout->from, entry, holder, sizeof holder);
    return mapping_fail(error, MAPPING_INVALID, "%s occurs too often; its last occurrence is in %s",
                        held, holder);
}

/* Checks that each entry is inside the target. */
static enum mapping_status check_limits(const struct mapping_layout *layout,
                                        struct mapping_error *error) {
    const size_t entries = mapping_layout_entries(layout);
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const struct mapping_axis *axis = &layout->to.axis[c];
        size_t entry = 0;
        char holder[128];
        while (entry < entries && layout->coordinate[c][entry] < axis->size)
            entry++;
        if (entry == entries)
            continue;
        mapping_space_describe(&layout->from, entry, holder, sizeof holder);
        return mapping_fail(error, MAPPING_INVALID, "%s has %s %u, but it must be less than %u",
                            holder, axis->name, layout->coordinate[c][entry], axis->size);
    }
    return MAPPING_OK;
}

/* Writes the entries that map to each point of the target, in ascending order, to holders[target *
 * copies + copy]. */
static enum mapping_status find_holders(const struct mapping_layout *layout, uint32_t *holders,
                                        struct mapping_error *error) {
    const size_t entries = mapping_layout_entries(layout), copies = mapping_layout_copies(layout);
    const size_t places = mapping_space_size(&layout->to);
    if (places > entries || copies * places != entries)
        return mapping_fail(
            error, MAPPING_INVALID,
            "the matrix has %zu elements, but all threads together hold %zu, which is "
            "not a multiple",
            places, entries);
    enum mapping_status status = check_limits(layout, error);
    if (status != MAPPING_OK)
        return status;
    memset(holders, 0xff, entries * sizeof *holders);
    for (size_t entry = 0; entry < entries; entry++) {
        size_t place = mapping_layout_target(layout, entry) * copies, end = place + copies;
        while (place < end && holders[place] != UINT32_MAX)
            place++;
        if (place == end)
            return met_too_often(layout, entry, error);
        holders[place] = (uint32_t)entry;
    }
    return MAPPING_OK;
}

enum mapping_status mapping_layout_check(const struct mapping_layout *layout,
                                         struct mapping_error *error) {
    uint32_t *holders = memory_resize(NULL, mapping_layout_entries(layout) + 1, sizeof *holders);
    enum mapping_status status = find_holders(layout, holders, error);
    mapping_free(holders);
    return status;
}

/* Replaces the numbers of points in coordinate[0] by their coordinates. */
static void split_numbers(struct mapping_layout *layout) {
    size_t entries = mapping_layout_entries(layout);
    for (uint32_t c = layout->to.count; c-- > 1;) {
        uint32_t size = layout->to.axis[c].size, *high = layout->coordinate[0];
        uint32_t *low = layout->coordinate[c];
        for (size_t n = 0; n < entries; n++) {
            low[n] = high[n] % size;
            high[n] /= size;
        }
    }
}

enum mapping_status layout_invert(const struct mapping_layout *layout, const char *copy,
                                  struct mapping_layout *inverse, struct mapping_error *error) {
    struct mapping_space from = layout->to;
    *inverse = (struct mapping_layout){.from.count = 0};
    if (from.count == MAPPING_AXES_MAX)
        return mapping_fail(error, MAPPING_INVALID, "too many axes: no room for axis '%.40s'",
                            copy);
    from.axis[from.count++] = (struct mapping_axis){copy, mapping_layout_copies(layout)};
    if (mapping_space_size(&from) != mapping_layout_entries(layout))
        return mapping_layout_check(layout, error);
    enum mapping_status status = layout_allocate(inverse, &from, &layout->from, error);
    if (status == MAPPING_OK)
        status = find_holders(layout, inverse->coordinate[0], error);
    if (status == MAPPING_OK)
        split_numbers(inverse);
    else
        mapping_layout_free(inverse);
    return status;
}

/* ---- Composition ---- */

enum mapping_status layout_compose(const struct mapping_layout *first,
                                   const struct mapping_layout *second,
                                   struct mapping_layout *composed, struct mapping_error *error) {
    *composed = (struct mapping_layout){.from.count = 0};
    if (!mapping_space_equal(&first->to, &second->from))
        return mapping_fail(
            error, MAPPING_INVALID,
            "the input axes of the second layout are not the output axes of the first");
    enum mapping_status status = check_limits(first, error);
    if (status == MAPPING_OK)
        status = layout_allocate(composed, &first->from, &second->to, error);
    for (size_t n = 0; n < mapping_layout_entries(first) && status == MAPPING_OK; n++) {
        size_t between = mapping_layout_target(first, n);
        for (uint32_t c = 0; c < second->to.count; c++)
            composed->coordinate[c][n] = second->coordinate[c][between];
    }
    return status;
}

/* ---- Products and parts ---- */

/* Joins two spaces: the axes of the inner one, then those of the outer one that the inner one
 * lacks. Writes the index of each axis of the outer one. False if there are too many axes, or if an
 * axis becomes too long. */
static bool join_spaces(const struct mapping_space *inner, const struct mapping_space *outer,
                        struct mapping_space *joined, uint32_t place[MAPPING_AXES_MAX]) {
    *joined = *inner;
    for (uint32_t a = 0; a < outer->count; a++) {
        const int same = mapping_space_find(inner, outer->axis[a].name);
        const uint64_t size =
            same < 0 ? outer->axis[a].size : (uint64_t)inner->axis[same].size * outer->axis[a].size;
        place[a] = same < 0 ? joined->count : (uint32_t)same;
        if (place[a] == MAPPING_AXES_MAX || size >= UINT32_MAX)
            return false;
        if (same < 0)
            joined->count++;
        joined->axis[place[a]] = (struct mapping_axis){outer->axis[a].name, (uint32_t)size};
    }
    return true;
}

enum mapping_status layout_product(const struct mapping_layout *inner,
                                   const struct mapping_layout *outer,
                                   struct mapping_layout *product, struct mapping_error *error) {
    struct mapping_space from, to;
    uint32_t from_place[MAPPING_AXES_MAX], to_place[MAPPING_AXES_MAX];
    uint32_t point[MAPPING_AXES_MAX] = {0};
    *product = (struct mapping_layout){.from.count = 0};
    if (!join_spaces(&inner->from, &outer->from, &from, from_place) ||
        !join_spaces(&inner->to, &outer->to, &to, to_place))
        return mapping_fail(error, MAPPING_INVALID,
                            "the product has more than %d axes, or an axis of 2^32 values",
                            MAPPING_AXES_MAX);
    enum mapping_status status = mapping_layout_init(product, &from, &to, error);
    for (size_t n = 0, entries = mapping_layout_entries(product);
         n < entries && status == MAPPING_OK; n++, mapping_space_step(&from, point)) {
        uint32_t low[MAPPING_AXES_MAX] = {0}, high[MAPPING_AXES_MAX] = {0};
        for (uint32_t a = 0; a < inner->from.count; a++)
            low[a] = point[a] % inner->from.axis[a].size;
        for (uint32_t a = 0; a < outer->from.count; a++) {
            const uint32_t place = from_place[a];
            high[a] = place < inner->from.count ? point[place] / inner->from.axis[place].size
                                                : point[place];
        }
        const size_t at = mapping_space_number(&inner->from, low),
                     above = mapping_space_number(&outer->from, high);
        for (uint32_t c = 0; c < inner->to.count; c++)
            product->coordinate[c][n] = inner->coordinate[c][at];
        for (uint32_t c = 0; c < outer->to.count; c++) {
            const uint32_t place = to_place[c], value = outer->coordinate[c][above];
            product->coordinate[place][n] =
                place < inner->to.count
                    ? product->coordinate[place][n] + inner->to.axis[place].size * value
                    : value;
        }
    }
    return status;
}

enum mapping_status layout_restrict(const struct mapping_layout *layout, const char *axis,
                                    uint32_t first, uint32_t count, struct mapping_layout *part,
                                    struct mapping_error *error) {
    const int place = mapping_space_find(&layout->from, axis);
    uint32_t point[MAPPING_AXES_MAX] = {0};
    *part = (struct mapping_layout){.from.count = 0};
    if (place < 0)
        return mapping_fail(error, MAPPING_INVALID, "the layout has no input axis '%.40s'", axis);
    const uint32_t size = layout->from.axis[place].size;
    if (count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a part needs at least one value of axis '%.40s'", axis);
    if (first >= size || count > size - first)
        return mapping_fail(
            error, MAPPING_INVALID,
            "axis '%.40s' has the values 0 to %u, so it has no %u values from %u on", axis,
            size - 1, count, first);
    struct mapping_space from = layout->from;
    from.axis[place].size = count;
    enum mapping_status status = mapping_layout_init(part, &from, &layout->to, error);
    for (size_t n = 0, entries = mapping_layout_entries(part); n < entries && status == MAPPING_OK;
         n++, mapping_space_step(&from, point)) {
        uint32_t at[MAPPING_AXES_MAX];
        memcpy(at, point, sizeof at);
        at[place] += first;
        const size_t entry = mapping_space_number(&layout->from, at);
        for (uint32_t c = 0; c < layout->to.count; c++)
            part->coordinate[c][n] = layout->coordinate[c][entry];
    }
    return status;
}
