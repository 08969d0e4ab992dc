/* permutation.c - whether the source is the target but for the order of columns, or of rows; see
 * convert.h.
 *
 * Here a line is a column, or a row where these are permuted, and the points of a line are numbered
 * across. Line c of the target may be line p of the source if each thread that holds a point of the
 * one holds the same point of the other. Without copies that says for each line which lines it may
 * be: those that have the same threads everywhere. With copies there is a choice, so lines are
 * matched along augmenting paths. */
#include "convert/convert.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 128 };

/* No line. */
#define NONE UINT32_MAX

/* The threads that hold a point: bit tid % 64 of word tid / 64. */
struct holders {
    uint64_t threads[THREADS_MAX / 64];
};

/* One side: who holds which point, and its lines in the order in which they are matched. */
struct side {
    struct holders *holders; /* [line * across + place] */
    uint32_t *first;         /* of a line: the lowest element number among those in it */
    uint32_t *order;         /* lines by that number */
};

/* What is matched. */
struct matching {
    const struct shuffle_plan *plan; /* without steps */
    bool is_rows;
    uint32_t lines, across; /* lines, and points of each */
    struct side source, target;
    uint32_t *line_of;  /* of a line of the target: that of the source; or NONE */
    uint32_t *taken_by; /* of a line of the source: that of the target; or NONE */
    bool *seen;         /* lines of the source, in the search for one path */
};

/* ---- Sides ---- */

/* The line of a point, and its place there. */
static void locate(const struct matching *matching, uint32_t point, uint32_t *line,
                   uint32_t *place) {
    const uint32_t *size = matching->plan->size;
    uint32_t col = point % size[2], block_row = point / size[2];
    *line = matching->is_rows ? block_row % size[1] : col;
    *place = matching->is_rows ? block_row / size[1] * size[2] + col : block_row;
}

static bool allocate(const struct matching *matching, struct side *side) {
    size_t points = (size_t)matching->lines * matching->across;
    side->holders = calloc(points, sizeof *side->holders);
    side->first = malloc(matching->lines * sizeof *side->first);
    side->order = malloc(matching->lines * sizeof *side->order);
    return side->holders && side->first && side->order;
}

static void release(struct side *side) {
    free(side->holders);
    free(side->first);
    free(side->order);
}

/* Sorts lines by their first elements, and those with the same by their numbers. Few lines have
 * different ones, and they come nearly in order. */
static void sort(struct side *side, uint32_t lines) {
    for (uint32_t n = 0; n < lines; n++) {
        uint32_t at = n;
        for (; at > 0 && side->first[side->order[at - 1]] > side->first[n]; at--)
            side->order[at] = side->order[at - 1];
        side->order[at] = n;
    }
}

static void fill(const struct matching *matching, const struct plan_side *points,
                 struct side *side) {
    memset(side->first, 0xff, matching->lines * sizeof *side->first);
    for (uint32_t t = 0, n = 0; t < matching->plan->threads; t++)
        for (uint32_t e = 0; e < points->total; e++, n++) {
            uint32_t line, place;
            locate(matching, points->points[n], &line, &place);
            side->holders[(size_t)line * matching->across + place].threads[t / 64] |= UINT64_C(1)
                                                                                      << t % 64;
            if (e < side->first[line])
                side->first[line] = e;
        }
    sort(side, matching->lines);
}

/* ---- Matching ---- */

/* True if line `target` of the target may be line `source` of the source. */
static bool may_be(const struct matching *matching, uint32_t target, uint32_t source) {
    const struct holders *needed = matching->target.holders + (size_t)target * matching->across;
    const struct holders *there = matching->source.holders + (size_t)source * matching->across;
    for (uint32_t n = 0; n < matching->across; n++)
        for (int w = 0; w < THREADS_MAX / 64; w++)
            if (needed[n].threads[w] & ~there[n].threads[w])
                return false;
    return true;
}

/* Finds a line of the source for a line of the target: one that nobody has, or that whoever has it
 * can exchange for another one. */
static bool match(struct matching *matching, uint32_t target) {
    for (uint32_t n = 0; n < matching->lines; n++) {
        uint32_t source = matching->source.order[n];
        if (matching->taken_by[source] != NONE || !may_be(matching, target, source))
            continue;
        matching->taken_by[source] = target;
        matching->line_of[target] = source;
        return true;
    }
    for (uint32_t source = 0; source < matching->lines; source++) {
        if (matching->seen[source] || !may_be(matching, target, source))
            continue;
        matching->seen[source] = true;
        if (!match(matching, matching->taken_by[source]))
            continue;
        matching->taken_by[source] = target;
        matching->line_of[target] = source;
        return true;
    }
    return false;
}

static bool match_all(struct matching *matching) {
    size_t size = matching->lines * sizeof *matching->line_of;
    memset(matching->line_of, 0xff, size);
    memset(matching->taken_by, 0xff, size);
    for (uint32_t n = 0; n < matching->lines; n++) {
        memset(matching->seen, 0, matching->lines * sizeof *matching->seen);
        if (!match(matching, matching->target.order[n]))
            return false;
    }
    return true;
}

/* Matches, with memory to work in. False if out of it. */
static bool search(struct matching *matching, bool *found) {
    bool is_there = allocate(matching, &matching->source) && allocate(matching, &matching->target);
    matching->taken_by = malloc(matching->lines * sizeof *matching->taken_by);
    matching->seen = malloc(matching->lines * sizeof *matching->seen);
    is_there = is_there && matching->taken_by && matching->seen;
    if (is_there) {
        fill(matching, &matching->plan->source, &matching->source);
        fill(matching, &matching->plan->target, &matching->target);
        *found = match_all(matching);
    }
    release(&matching->source);
    release(&matching->target);
    free(matching->taken_by);
    free(matching->seen);
    return is_there;
}

/* ---- Permutations ---- */

void mapping_permutation_free(struct mapping_permutation *permutation) {
    free(permutation->table);
    *permutation = (struct mapping_permutation){.table = NULL};
}

struct mapping_space mapping_permutation_space(const struct mapping_permutation *permutation) {
    return (struct mapping_space){
        1, {{permutation->is_rows ? MAPPING_AXIS_ROW : MAPPING_AXIS_COL, permutation->count}}};
}

enum mapping_status mapping_permutation_find(const struct mapping_layout *source,
                                             const struct mapping_layout *target, bool is_rows,
                                             struct mapping_permutation *permutation, bool *found,
                                             struct mapping_error *error) {
    struct shuffle_plan plan;
    *permutation = (struct mapping_permutation){.is_rows = is_rows};
    *found = false;
    enum mapping_status status = mapping_convert_sides(source, target, 32, &plan, error);
    if (status == MAPPING_OK) {
        struct matching matching = {.plan = &plan,
                                    .is_rows = is_rows,
                                    .lines = plan.size[is_rows ? 1 : 2],
                                    .across = plan.size[0] * plan.size[is_rows ? 2 : 1]};
        permutation->count = matching.lines;
        permutation->table = malloc(matching.lines * sizeof *permutation->table);
        matching.line_of = permutation->table;
        if (!permutation->table || !search(&matching, found))
            status = mapping_out_of_memory(error);
    }
    if (*found) {
        const struct mapping_space space = mapping_permutation_space(permutation);
        permutation->has_formula =
            mapping_deduce(&space, permutation->table, &permutation->formula);
    }
    mapping_convert_free(&plan);
    return status;
}
