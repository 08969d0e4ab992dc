/* sharing.c - which threads hold elements of the same row; see convert.h. */
#include "convert/convert.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 128 };

/* What is counted. A line is a row, or a column, of one block. */
struct count {
    const struct mapping_layout *layout;
    uint32_t threads, elements, lines, across; /* sizes */
    uint32_t *line_of;                         /* of an entry */
    uint32_t *held; /* [line * threads + tid]: how many elements of the line thread tid has */
    uint32_t *last_holder; /* of a point: the last thread that was seen with it, + 1 */
};

static bool allocate(struct count *count) {
    size_t entries = (size_t)count->threads * count->elements;
    size_t points = (size_t)count->lines * count->across;
    count->line_of = calloc(entries, sizeof *count->line_of);
    count->held = calloc((size_t)count->lines * count->threads, sizeof *count->held);
    count->last_holder = calloc(points, sizeof *count->last_holder);
    return count->line_of && count->held && count->last_holder;
}

/* Counts the different elements of each line in each thread. False if one lies outside. */
static bool fill(const struct count *count, bool is_columns) {
    const struct mapping_layout *layout = count->layout;
    uint32_t rank = layout->to.count, across = layout->to.axis[rank - 1 - is_columns].size;
    const uint32_t *along = layout->coordinate[rank - 2 + is_columns];
    const uint32_t *beside = layout->coordinate[rank - 1 - is_columns];
    for (uint32_t t = 0, n = 0; t < count->threads; t++)
        for (uint32_t i = 0; i < count->elements; i++, n++) {
            uint32_t block = rank == 3 ? layout->coordinate[0][n] : 0;
            uint32_t line = block * layout->to.axis[rank - 2 + is_columns].size + along[n];
            if (line >= count->lines || beside[n] >= across)
                return false;
            uint32_t *last = &count->last_holder[(size_t)line * across + beside[n]];
            count->line_of[n] = line;
            count->held[(size_t)line * count->threads + t] += *last != t + 1;
            *last = t + 1;
        }
    return true;
}

/* Reads the masks off the threads that share the first element's line with thread 0. False if the
 * xor of two masks is none. */
static bool find_generators(const struct count *count, bool is_mask[THREADS_MAX],
                            struct mapping_sharing *sharing) {
    const uint32_t *held = count->held + (size_t)count->line_of[0] * count->threads;
    bool made[THREADS_MAX] = {true};
    for (uint32_t mask = 0; mask < count->threads; mask++) {
        is_mask[mask] = held[mask] > 0;
        sharing->threads += is_mask[mask];
        if (!is_mask[mask] || made[mask])
            continue;
        sharing->generators[sharing->generator_count++] = mask;
        for (uint32_t m = 0; m < count->threads; m++)
            made[m] = made[m] || made[m ^ mask];
    }
    return memcmp(made, is_mask, count->threads * sizeof *made) == 0;
}

/* True if the line, if it is there, is held by the first thread that has any of it and those that
 * the masks say, with the same number of elements each. As xors of masks are masks, that holds for
 * all of them then. */
static bool is_shared(const struct count *count, const bool is_mask[THREADS_MAX], uint32_t line,
                      uint32_t elements) {
    const uint32_t *held = count->held + (size_t)line * count->threads;
    uint32_t tid = 0;
    while (tid < count->threads && held[tid] == 0)
        tid++;
    if (tid == count->threads) /* nothing of the line is there at all */
        return true;
    for (uint32_t mask = 0; mask < count->threads; mask++)
        if (held[tid ^ mask] != (is_mask[mask] ? elements : 0))
            return false;
    return true;
}

/* True if it is so for all lines, and all threads have as many of them. */
static bool is_regular(const struct count *count, const bool is_mask[THREADS_MAX],
                       struct mapping_sharing *sharing) {
    uint32_t lines[THREADS_MAX] = {0};
    for (uint32_t line = 0; line < count->lines; line++) {
        if (!is_shared(count, is_mask, line, sharing->elements))
            return false;
        for (uint32_t t = 0; t < count->threads; t++)
            lines[t] += count->held[(size_t)line * count->threads + t] > 0;
    }
    sharing->lines = lines[0];
    for (uint32_t t = 0; t < count->threads; t++)
        if (lines[t] != lines[0])
            return false;
    return true;
}

static bool find(const struct count *count, bool is_columns, uint32_t lanes,
                 struct mapping_sharing *sharing) {
    bool is_mask[THREADS_MAX];
    if (!fill(count, is_columns))
        return false;
    sharing->elements = count->held[(size_t)count->line_of[0] * count->threads];
    if (!find_generators(count, is_mask, sharing) || !is_regular(count, is_mask, sharing))
        return false;
    for (uint32_t g = 0; g < sharing->generator_count; g++)
        sharing->crosses_warps = sharing->crosses_warps || sharing->generators[g] >= lanes;
    return true;
}

enum mapping_status mapping_sharing_find(const struct mapping_layout *layout, bool is_columns,
                                         uint32_t lanes, struct mapping_sharing *sharing) {
    const struct mapping_space *to = &layout->to;
    *sharing = (struct mapping_sharing){.threads = 0};
    uint32_t threads = layout->from.axis[0].size;
    if (!mapping_convert_takes(layout) || threads > THREADS_MAX || (threads & (threads - 1)) != 0)
        return MAPPING_NO_FORMULA;
    uint32_t blocks = to->count == 3 ? to->axis[0].size : 1;
    struct count count = {
        .layout = layout,
        .threads = threads,
        .elements = layout->from.axis[1].size,
        .lines = blocks * to->axis[to->count - 2 + is_columns].size,
        .across = to->axis[to->count - 1 - is_columns].size,
    };
    enum mapping_status status = MAPPING_FAILED;
    if (allocate(&count))
        status = find(&count, is_columns, lanes, sharing) ? MAPPING_OK : MAPPING_NO_FORMULA;
    free(count.line_of);
    free(count.held);
    free(count.last_holder);
    return status;
}
