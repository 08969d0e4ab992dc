/* map.c - the function (tid, i) -> (row, col) as a table. */
#include "mapping.h"

#include <stdlib.h>
#include <string.h>

size_t mapping_map_entries(const struct mapping_map *map) {
    return (size_t)map->threads * map->elements;
}

bool mapping_map_init(struct mapping_map *map, const struct mapping_fragment *fragment) {
    *map = (struct mapping_map){
        fragment->threads, fragment->elements, fragment->rows, fragment->cols, {NULL}};
    size_t entries = mapping_map_entries(map);
    size_t size = entries * MAPPING_COORDINATES * sizeof(uint32_t);
    uint32_t *planes = malloc(size);
    if (!planes)
        return false;
    memset(planes, 0xff, size);
    for (size_t c = 0; c < MAPPING_COORDINATES; c++)
        map->plane[c] = planes + c * entries;
    return true;
}

void mapping_map_free(struct mapping_map *map) {
    free(map->plane[0]);
    *map = (struct mapping_map){0};
}

uint32_t mapping_map_copies(const struct mapping_map *map) {
    return map->threads * map->elements / (map->rows * map->cols);
}

void mapping_map_trace(struct mapping_map *map, enum mapping_layout layout, bool is_store,
                       const uint32_t *origins) {
    uint32_t count = is_store ? map->rows * map->cols : (uint32_t)mapping_map_entries(map);
    for (uint32_t target = 0; target < count; target++) {
        uint32_t entry = is_store ? origins[target] : target;
        uint32_t place = is_store ? target : origins[target];
        bool by_row = layout == MAPPING_ROW_MAJOR;
        map->plane[MAPPING_ROW][entry] = by_row ? place / map->cols : place % map->rows;
        map->plane[MAPPING_COL][entry] = by_row ? place % map->cols : place / map->rows;
    }
}

bool mapping_map_equal(const struct mapping_map *a, const struct mapping_map *b) {
    size_t size = mapping_map_entries(a) * MAPPING_COORDINATES * sizeof(uint32_t);
    return a->threads == b->threads && a->elements == b->elements && a->rows == b->rows &&
           a->cols == b->cols && memcmp(a->plane[0], b->plane[0], size) == 0;
}

enum mapping_status mapping_map_check(const struct mapping_map *map, struct mapping_error *error) {
    uint32_t copies = mapping_map_copies(map);
    uint32_t *seen = calloc((size_t)map->rows * map->cols, sizeof *seen);
    if (!seen)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = MAPPING_OK;
    for (uint32_t entry = 0; entry < mapping_map_entries(map) && status == MAPPING_OK; entry++) {
        uint32_t row = map->plane[MAPPING_ROW][entry], col = map->plane[MAPPING_COL][entry];
        unsigned tid = entry / map->elements, i = entry % map->elements;
        if (row >= map->rows || col >= map->cols)
            status = mapping_fail(error, MAPPING_INVALID, "thread %u has no element %u", tid, i);
        else if (++seen[row * map->cols + col] > copies)
            status =
                mapping_fail(error, MAPPING_INVALID,
                             "row %u, column %u is held too often, last by thread %u as element "
                             "%u",
                             row, col, tid, i);
    }
    free(seen);
    return status;
}

void mapping_map_invert(const struct mapping_map *map, uint32_t *holders) {
    uint32_t cells = map->rows * map->cols;
    uint32_t entries = (uint32_t)mapping_map_entries(map);
    for (uint32_t place = 0; place < entries; place++)
        holders[place] = UINT32_MAX;
    for (uint32_t entry = 0; entry < entries; entry++) {
        uint32_t place =
            map->plane[MAPPING_ROW][entry] * map->cols + map->plane[MAPPING_COL][entry];
        while (holders[place] != UINT32_MAX)
            place += cells;
        holders[place] = entry;
    }
}
