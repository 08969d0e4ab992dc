/* map.c - the function (tid, i) -> (block, row, col) as a table. */
#include "mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t mapping_map_entries(const struct mapping_map *map) {
    return (size_t)map->threads * map->elements;
}

int mapping_map_coordinates(const struct mapping_map *map) {
    return map->blocks > 1 ? 3 : 2;
}

uint32_t mapping_map_cells(const struct mapping_map *map) {
    return map->blocks * map->rows * map->cols;
}

uint32_t mapping_map_cell(const struct mapping_map *map, uint32_t entry) {
    uint32_t block = map->plane[MAPPING_BLOCK] ? map->plane[MAPPING_BLOCK][entry] : 0;
    return (block * map->rows + map->plane[MAPPING_ROW][entry]) * map->cols +
           map->plane[MAPPING_COL][entry];
}

/* The bytes of all planes. */
static size_t planes_size(const struct mapping_map *map) {
    return mapping_map_entries(map) * (size_t)mapping_map_coordinates(map) * sizeof(uint32_t);
}

bool mapping_map_init(struct mapping_map *map, const struct mapping_fragment *fragment) {
    *map = (struct mapping_map){.threads = fragment->threads,
                                .elements = fragment->elements,
                                .blocks = fragment->blocks,
                                .rows = fragment->rows,
                                .cols = fragment->cols};
    uint32_t *planes = malloc(planes_size(map));
    if (!planes)
        return false;
    memset(planes, 0xff, planes_size(map));
    for (int c = 0; c < mapping_map_coordinates(map); c++)
        map->plane[c] = planes + (size_t)c * mapping_map_entries(map);
    return true;
}

void mapping_map_free(struct mapping_map *map) {
    free(map->plane[0]);
    *map = (struct mapping_map){0};
}

uint32_t mapping_map_copies(const struct mapping_map *map) {
    return map->threads * map->elements / mapping_map_cells(map);
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
    return a->threads == b->threads && a->elements == b->elements && a->blocks == b->blocks &&
           a->rows == b->rows && a->cols == b->cols &&
           memcmp(a->plane[0], b->plane[0], planes_size(a)) == 0;
}

/* Says that an element is held too often. */
static enum mapping_status held_too_often(const struct mapping_map *map, uint32_t entry,
                                          struct mapping_error *error) {
    char block[32] = "";
    if (map->blocks > 1)
        snprintf(block, sizeof block, "block %u, ", map->plane[MAPPING_BLOCK][entry]);
    return mapping_fail(error, MAPPING_INVALID,
                        "%srow %u, column %u is held too often, last by thread %u as element %u",
                        block, map->plane[MAPPING_ROW][entry], map->plane[MAPPING_COL][entry],
                        entry / map->elements, entry % map->elements);
}

/* Checks that each coordinate is below its limit. */
static enum mapping_status check_limits(const struct mapping_map *map,
                                        struct mapping_error *error) {
    const uint32_t limits[] = {map->rows, map->cols, map->blocks};
    uint32_t entries = (uint32_t)mapping_map_entries(map);
    for (int c = 0; c < mapping_map_coordinates(map); c++) {
        uint32_t largest = 0, entry = 0;
        for (uint32_t n = 0; n < entries; n++)
            largest = map->plane[c][n] > largest ? map->plane[c][n] : largest;
        if (largest < limits[c])
            continue;
        while (map->plane[c][entry] < limits[c])
            entry++;
        return mapping_fail(error, MAPPING_INVALID, "thread %u has no element %u",
                            entry / map->elements, entry % map->elements);
    }
    return MAPPING_OK;
}

enum mapping_status mapping_map_invert(const struct mapping_map *map, uint32_t *holders,
                                       struct mapping_error *error) {
    uint32_t cells = mapping_map_cells(map), end = mapping_map_copies(map) * cells;
    uint32_t entries = (uint32_t)mapping_map_entries(map);
    enum mapping_status status = check_limits(map, error);
    memset(holders, 0xff, entries * sizeof *holders);
    for (uint32_t entry = 0; entry < entries && status == MAPPING_OK; entry++) {
        uint32_t place = mapping_map_cell(map, entry);
        while (place < end && holders[place] != UINT32_MAX)
            place += cells;
        if (place < end)
            holders[place] = entry;
        else
            status = held_too_often(map, entry, error);
    }
    return status;
}

enum mapping_status mapping_map_check(const struct mapping_map *map, struct mapping_error *error) {
    uint32_t *holders = malloc(mapping_map_entries(map) * sizeof *holders);
    enum mapping_status status = holders ? mapping_map_invert(map, holders, error)
                                         : mapping_fail(error, MAPPING_FAILED, "out of memory");
    free(holders);
    return status;
}

/* ---- From formulae and bases ---- */

/* Fills a plane from the values where tid is 0, which are there, and those where i is 0. A formula
 * combines what i gives with what tid gives; so do bases, bit by bit. */
static void combine(const struct mapping_map *map, uint32_t *plane, const uint32_t *of_tid,
                    char operation) {
    for (uint32_t tid = map->threads; tid-- > 0;)
        for (uint32_t i = 0; i < map->elements; i++)
            plane[tid * map->elements + i] =
                operation == '+' ? plane[i] + of_tid[tid] : plane[i] ^ of_tid[tid];
}

bool mapping_map_evaluate(struct mapping_map *map, const struct mapping_fragment *fragment,
                          const struct mapping_formula formulae[MAPPING_COORDINATES]) {
    uint32_t *of_tid = malloc(fragment->threads * sizeof *of_tid);
    bool made = of_tid && mapping_map_init(map, fragment);
    for (int c = 0; made && c < mapping_map_coordinates(map); c++) {
        for (uint32_t i = 0; i < map->elements; i++)
            map->plane[c][i] = mapping_formula_evaluate(&formulae[c], 2, (uint32_t[]){i, 0});
        for (uint32_t tid = 0; tid < map->threads; tid++)
            of_tid[tid] = mapping_formula_evaluate(&formulae[c], 2, (uint32_t[]){0, tid});
        combine(map, map->plane[c], of_tid, formulae[c].operation);
    }
    free(of_tid);
    return made;
}

/* The value of one coordinate, of the bits that its bases name, lowest first: "i0 t0 t1 i2.." has
 * bit 0 of i, bits 0 and 1 of tid, then bit 2 of i and all above it. */
static uint32_t stated_coordinate(const char *bases, uint32_t tid, uint32_t i) {
    uint32_t value = 0, place = 0;
    while (*bases && *bases != '|') {
        if (*bases == ' ') {
            bases++;
            continue;
        }
        uint32_t input = *bases == 't' ? tid : i, bit = 0;
        for (bases++; *bases >= '0' && *bases <= '9'; bases++)
            bit = 10 * bit + (uint32_t)(*bases - '0');
        input >>= bit;
        if (*bases == '.') {
            bases += 2;
            value |= input << place;
        } else {
            value |= (input & 1) << place++;
        }
    }
    return value;
}

bool mapping_map_state(struct mapping_map *map, const struct mapping_fragment *fragment) {
    uint32_t *of_tid = malloc(fragment->threads * sizeof *of_tid);
    bool made = of_tid && mapping_map_init(map, fragment);
    const char *bases = fragment->bases;
    for (int c = 0; made && c < mapping_map_coordinates(map); c++) {
        for (uint32_t i = 0; i < map->elements; i++)
            map->plane[c][i] = stated_coordinate(bases, 0, i);
        for (uint32_t tid = 0; tid < map->threads; tid++)
            of_tid[tid] = stated_coordinate(bases, tid, 0);
        combine(map, map->plane[c], of_tid, '+');
        const char *bar = strchr(bases, '|');
        bases = bar ? bar + 1 : "";
    }
    free(of_tid);
    return made;
}
