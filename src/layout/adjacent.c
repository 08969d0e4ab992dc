/* adjacent.c - the order of K in which what a thread holds of a row lies side by side; see
 * adjacent.h. */
#include "layout/adjacent.h"

#include <stdlib.h>
#include <string.h>

/* A layout seen as lines, which are rows of A or columns of B, along K. */
struct lines {
    const uint32_t *line, *along; /* of each entry: the number of its line, and k */
    uint32_t threads, elements, depth;
    uint32_t *holder; /* holder[k]: the lowest k of the line that the same thread holds */
};

/* Notes, for one thread and one of its lines, that what it holds belongs together; false if some of
 * it belongs to something else already, or if it is only a part of that. */
static bool note_line(const struct lines *lines, uint32_t tid, uint32_t line) {
    uint32_t lowest = UINT32_MAX, held = 0, together = 0;
    const size_t first = (size_t)tid * lines->elements;
    for (size_t n = first; n < first + lines->elements; n++)
        if (lines->line[n] == line && lines->along[n] < lowest)
            lowest = lines->along[n];
    for (size_t n = first; n < first + lines->elements; n++) {
        if (lines->line[n] != line)
            continue;
        uint32_t *holder = &lines->holder[lines->along[n]];
        if (*holder != UINT32_MAX && *holder != lowest)
            return false;
        *holder = lowest;
        size_t before = first; /* what it holds twice counts once */
        while (before < n &&
               (lines->line[before] != line || lines->along[before] != lines->along[n]))
            before++;
        held += before == n;
    }
    for (uint32_t k = 0; k < lines->depth; k++)
        together += lines->holder[k] == lowest;
    return held == together;
}

/* True if threads divide K alike in every line, as `holder` says then. */
static bool divide(const struct lines *lines) {
    for (uint32_t k = 0; k < lines->depth; k++)
        lines->holder[k] = UINT32_MAX;
    for (uint32_t tid = 0; tid < lines->threads; tid++) {
        const uint32_t *line = lines->line + (size_t)tid * lines->elements;
        for (uint32_t i = 0; i < lines->elements; i++) {
            uint32_t before = 0;
            while (before < i && line[before] != line[i])
                before++;
            if (before == i && !note_line(lines, tid, line[i]))
                return false;
        }
    }
    return true;
}

/* Puts what belongs together side by side; false if not all have the same number. */
static bool order(const struct lines *lines, struct mapping_adjacency *adjacency) {
    uint32_t place = 0;
    adjacency->run = 0;
    for (uint32_t lowest = 0; lowest < lines->depth; lowest++) {
        uint32_t start = place;
        if (lines->holder[lowest] != lowest)
            continue;
        for (uint32_t k = lowest; k < lines->depth; k++)
            if (lines->holder[k] == lowest)
                adjacency->table[place++] = k;
        if (adjacency->run == 0)
            adjacency->run = place - start;
        if (place - start != adjacency->run)
            return false;
    }
    return place == lines->depth;
}

static void describe(struct mapping_adjacency *adjacency) {
    const struct mapping_space space = mapping_adjacency_space(adjacency);
    adjacency->is_identity = true;
    for (uint32_t place = 0; place < adjacency->count; place++)
        adjacency->is_identity &= adjacency->table[place] == place;
    adjacency->has_formula = mapping_deduce(&space, adjacency->table, &adjacency->formula);
}

enum mapping_status mapping_adjacency_find(const struct mapping_layout *layout, bool is_columns,
                                           struct mapping_adjacency *adjacency, bool *found,
                                           struct mapping_error *error) {
    *adjacency = (struct mapping_adjacency){.run = 0};
    *found = false;
    if (layout->from.count != 2 || layout->to.count != 2)
        return MAPPING_OK;
    struct lines lines = {
        .line = layout->coordinate[is_columns ? 0 : 1],
        .along = layout->coordinate[is_columns ? 1 : 0],
        .threads = layout->from.axis[0].size,
        .elements = layout->from.axis[1].size,
        .depth = layout->to.axis[is_columns ? 1 : 0].size,
    };
    adjacency->count = lines.depth;
    adjacency->table = malloc(lines.depth * sizeof *adjacency->table);
    lines.holder = calloc(lines.depth, sizeof *lines.holder);
    if (adjacency->table && lines.holder) {
        *found = divide(&lines) && order(&lines, adjacency);
        if (*found)
            describe(adjacency);
    }
    bool failed = !adjacency->table || !lines.holder;
    free(lines.holder);
    return failed ? mapping_out_of_memory(error) : MAPPING_OK;
}

void mapping_adjacency_free(struct mapping_adjacency *adjacency) {
    free(adjacency->table);
    *adjacency = (struct mapping_adjacency){.run = 0};
}

bool mapping_adjacency_equal(const struct mapping_adjacency *a, const struct mapping_adjacency *b) {
    return a->count == b->count && memcmp(a->table, b->table, a->count * sizeof *a->table) == 0;
}

struct mapping_space mapping_adjacency_space(const struct mapping_adjacency *adjacency) {
    return (struct mapping_space){.count = 1, .axis = {{"place", adjacency->count}}};
}
