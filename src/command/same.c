/* same.c - what else has a layout that somebody brings; see same.h. */
#include "command/same.h"

#include "layout/cute.h"
#include "layout/space.h"
#include "report/derive.h"
#include "source/known.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is found. */
struct search {
    const struct mapping_layout *layout;
    struct report *report;
};

/* True if the library could do it. */
static bool succeeds(enum mapping_status status) {
    if (status == MAPPING_FAILED)
        memory_exhausted();
    return status == MAPPING_OK;
}

/* ---- Axes ---- */

/* For each axis of one space, which of another it is. */
typedef uint8_t axis_match[MAPPING_AXES_MAX];

static int find_called(const struct mapping_space *space, const char *name) {
    for (uint32_t a = 0; a < space->count; a++)
        if (mapping_axis_is_called(name, space->axis[a].name, strlen(space->axis[a].name)))
            return (int)a;
    return -1;
}

/* Matches the axes of what is known with those that were brought: by name, and those that are
 * called otherwise by their order. */
static bool match_axes(const struct mapping_space *known, const struct mapping_space *brought,
                       axis_match match) {
    bool taken[MAPPING_AXES_MAX] = {false};
    uint32_t next = 0;
    if (known->count != brought->count)
        return false;
    for (uint32_t a = 0; a < known->count; a++) {
        int axis = find_called(brought, known->axis[a].name);
        match[a] = (uint8_t)(axis >= 0 ? axis : MAPPING_AXES_MAX);
        if (axis >= 0)
            taken[axis] = true;
    }
    for (uint32_t a = 0; a < known->count; a++) {
        while (match[a] == MAPPING_AXES_MAX && taken[next])
            next++;
        if (match[a] == MAPPING_AXES_MAX)
            match[a] = (uint8_t)next++;
    }
    return true;
}

static bool same_sizes(const struct mapping_space *known, const struct mapping_space *brought,
                       const axis_match match) {
    for (uint32_t a = 0; a < known->count; a++)
        if (known->axis[a].size != brought->axis[match[a]].size)
            return false;
    return true;
}

/* For each axis that was brought, which of a fragment's it is: some of these by name, or all. */
static bool match_targets(const struct mapping_space *known, const struct mapping_space *brought,
                          axis_match match) {
    axis_match all = {0};
    for (uint32_t c = 0; c < brought->count; c++) {
        int axis = -1;
        for (uint32_t a = 0; a < known->count; a++)
            if (mapping_axis_is_called(known->axis[a].name, brought->axis[c].name,
                                       strlen(brought->axis[c].name)))
                axis = (int)a;
        if (axis < 0 && !match_axes(known, brought, all))
            return false;
        for (uint32_t a = 0; a < known->count && axis < 0; a++)
            match[all[a]] = (uint8_t)a;
        if (axis < 0)
            return true;
        match[c] = (uint8_t)axis;
    }
    return true;
}

/* ---- Comparing ---- */

/* How many entries differ, up to a limit, and which is the first. */
static size_t count_differing(const struct mapping_layout *known, const axis_match sources,
                              const struct mapping_layout *brought, const axis_match targets,
                              size_t limit, size_t *first) {
    size_t differing = 0;
    uint32_t point[MAPPING_AXES_MAX] = {0}, place[MAPPING_AXES_MAX];
    for (size_t n = 0; n < mapping_layout_entries(known) && differing <= limit;
         n++, mapping_space_step(&known->from, point)) {
        for (uint32_t a = 0; a < known->from.count; a++)
            place[sources[a]] = point[a];
        size_t entry = mapping_space_number(&brought->from, place);
        bool differs = false;
        for (uint32_t c = 0; c < brought->to.count; c++)
            differs |= known->coordinate[targets[c]][n] != brought->coordinate[c][entry];
        if (differs && differing++ == 0)
            *first = entry;
    }
    return differing;
}

/* Compares with one direction of what is known; SIZE_MAX if it is nothing of the kind. */
static size_t compare(const struct search *search, const struct mapping_layout *known, size_t limit,
                      size_t *first) {
    axis_match sources = {0}, targets = {0};
    const struct mapping_layout *brought = search->layout;
    if (!match_axes(&known->from, &brought->from, sources) ||
        !same_sizes(&known->from, &brought->from, sources) ||
        !match_targets(&known->to, &brought->to, targets))
        return SIZE_MAX;
    return count_differing(known, sources, brought, targets, limit, first);
}

/* ---- Fragments ---- */

/* The inverse without the number of the copy where there is but one. */
static enum mapping_status invert(const struct mapping_layout *layout, const char *copy,
                                  struct mapping_layout *inverse) {
    struct mapping_error ignored;
    enum mapping_status status = mapping_layout_invert(layout, copy, inverse, &ignored);
    if (status == MAPPING_OK)
        inverse->from.count -= inverse->from.axis[inverse->from.count - 1].size == 1;
    return status;
}

/* True if what was brought tells threads and elements from rows and columns. A lane is a thread
 * unless there is a column of Tensor Memory beside it. */
static bool is_inverse(const struct mapping_layout *layout) {
    if (mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN) >= 0)
        return false;
    return find_called(&layout->to, MAPPING_AXIS_TID) >= 0 ||
           find_called(&layout->to, MAPPING_AXIS_I) >= 0;
}

/* How many entries differ from one layout that is known. */
static size_t compare_known(struct search *search, const struct known_list *list, size_t index,
                            size_t limit, size_t *first) {
    struct mapping_space from, to;
    struct mapping_layout layout = {.from.count = 0}, inverse = {.from.count = 0};
    struct mapping_error ignored;
    size_t differing = SIZE_MAX;
    known_spaces(list, index, &from, &to);
    if (mapping_space_size(&from) != mapping_layout_entries(search->layout))
        return differing;
    const char *copy = mapping_fragment_copy_axis(known_fragment(list, index, 0));
    bool is_turned = is_inverse(search->layout);
    if (succeeds(known_layout(list, index, &layout, &ignored)) &&
        (!is_turned || succeeds(invert(&layout, copy, &inverse))))
        differing = compare(search, is_turned ? &inverse : &layout, limit, first);
    mapping_layout_free(&layout);
    mapping_layout_free(&inverse);
    return differing;
}

static void find_fragments(struct search *search, const struct known_list *list) {
    struct report *report = search->report;
    size_t limit = mapping_layout_entries(search->layout) / 8;
    char name[KNOWN_NAME], nearest[KNOWN_NAME] = "";
    for (size_t index = 0; index < known_count(list); index++) {
        size_t first = 0, differing = compare_known(search, list, index, limit, &first);
        for (size_t n = 0; differing == 0 && known_fragment(list, index, n); n++) {
            known_name(list, index, n, name);
            strings_add(&search->report->same, name);
        }
        if (differing > limit || differing == 0)
            continue;
        limit = differing - 1;
        report->differing = differing;
        report->first_differing = first;
        known_name(list, index, 0, nearest);
    }
    if (report->same.count == 0 && *nearest)
        report->nearly = memory_text(nearest);
}

/* ---- Tiles ---- */

/* Writes the atom layout with `counts` atoms along M, N and K, whose threads run along order[0]
 * first. */
static void write_atoms(const uint32_t counts[3], const uint8_t order[3], char text[64]) {
    uint32_t stride[3], step = 1;
    for (int o = 0; o < 3; o++) {
        stride[order[o]] = counts[order[o]] > 1 ? step : 0;
        step *= counts[order[o]];
    }
    if (order[0] == 0) /* and 1, and 2 */
        snprintf(text, 64, "(%u,%u,%u)", counts[0], counts[1], counts[2]);
    else
        snprintf(text, 64, "(%u,%u,%u):(%u,%u,%u)", counts[0], counts[1], counts[2], stride[0],
                 stride[1], stride[2]);
}

/* Compares with one tiling of a fragment, and notes it if it is the same. */
static bool try_tiling(struct search *search, const struct mapping_fragment *fragment,
                       const struct mapping_layout *atom_layout, const struct mapping_atom *atom,
                       const char *atoms, const char *permutation) {
    struct mapping_tiling tiling;
    struct mapping_layout tiled;
    struct mapping_space from, to;
    struct mapping_error ignored;
    char name[MAPPING_NAME_SIZE], text[256];
    size_t first;
    if (mapping_tiling_parse(atoms, permutation, &tiling, &ignored) != MAPPING_OK ||
        mapping_tile_spaces(&tiling, atom, &from, &to, &ignored) != MAPPING_OK ||
        mapping_space_size(&from) != mapping_layout_entries(search->layout) ||
        !succeeds(mapping_tile(&tiling, atom, atom_layout, &tiled, &ignored)))
        return false;
    bool is_same = compare(search, &tiled, 0, &first) == 0;
    mapping_layout_free(&tiled);
    if (!is_same)
        return false;
    mapping_fragment_name(fragment, name);
    snprintf(text, sizeof text, "%s --atom-layout='%s' --permutation='%s'", name, atoms,
             permutation);
    strings_add(&search->report->same, text);
    return true;
}

/* Tries the orders that so many atoms may have: threads run along M, N and K in turn. */
static bool try_orders(struct search *search, const struct mapping_fragment *fragment,
                       const struct mapping_layout *layout, const struct mapping_atom *atom,
                       const uint32_t counts[3]) {
    static const uint8_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    const struct mapping_space *to = &search->layout->to;
    char sizes[3][16] = {"_", "_", "_"}, permutation[64], atoms[64];
    for (int a = 0; a < 2; a++)
        snprintf(sizes[atom->mode[a]], sizeof sizes[0], "%u", to->axis[a].size);
    snprintf(permutation, sizeof permutation, "%s,%s,%s", sizes[0], sizes[1], sizes[2]);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        write_atoms(counts, orders[o], atoms);
        if (try_tiling(search, fragment, layout, atom, atoms, permutation))
            return true;
    }
    return false;
}

/* Whether the first threads hold in their first elements what the fragment alone holds, as in every
 * tile. A quad pair is threads 0 to 3 and 16 to 19; only the first four are compared. */
static bool begins_like(const struct mapping_layout *map, const struct mapping_layout *fragment,
                        const struct mapping_atom *atom) {
    size_t elements = map->from.axis[1].size, own = fragment->from.axis[1].size;
    size_t threads = atom->is_quad_pair ? 4 : fragment->from.axis[0].size;
    uint32_t *const *place = fragment->coordinate + fragment->to.count - 2; /* without blocks */
    for (size_t tid = 0; tid < threads && tid < map->from.axis[0].size; tid++)
        for (size_t i = 0; i < own && i < elements; i++)
            for (uint32_t c = 0; c < 2; c++)
                if (map->coordinate[c][tid * elements + i] != place[c][tid * own + i])
                    return false;
    return true;
}

/* Tries the tiles of one fragment: every way to have so many threads. */
static void try_tiles(struct search *search, const struct mapping_fragment *fragment) {
    struct mapping_atom atom;
    struct mapping_layout layout;
    struct mapping_error ignored;
    uint32_t threads = search->layout->from.axis[0].size;
    if (!can_be_tiled(fragment) || !succeeds(derive_atom(fragment, &atom, &ignored)))
        return;
    uint32_t own = atom.is_quad_pair ? 8 : fragment->threads, all = threads / own;
    if (threads % own != 0 || !succeeds(mapping_fragment_state(fragment, &layout, &ignored)))
        return;
    /* One way is enough, along K last. */
    bool found = !begins_like(search->layout, &layout, &atom);
    for (uint32_t k = 1; k <= all && !found; k++)
        for (uint32_t n = 1; all % k == 0 && n <= all / k && !found; n++) {
            const uint32_t counts[] = {all / k / n, n, k};
            found = all / k % n == 0 && try_orders(search, fragment, &layout, &atom, counts);
        }
    mapping_layout_free(&layout);
}

/* Tries the tiles of the fragments that have one layout: of A, B and D one each, for these run
 * along different modes. */
static void try_holders(struct search *search, const struct known_list *list, size_t index) {
    const struct mapping_space *to = &search->layout->to;
    const struct mapping_fragment *fragment;
    unsigned tried = 0;
    for (size_t n = 0; (fragment = known_fragment(list, index, n)); n++) {
        enum mapping_operand operand =
            fragment->operand == MAPPING_C ? MAPPING_D : fragment->operand;
        if (!fragment->section || tried >> operand & 1 || to->axis[0].size % fragment->rows != 0 ||
            to->axis[1].size % fragment->cols != 0)
            continue;
        tried |= 1U << operand;
        try_tiles(search, fragment);
    }
}

static void find_tiles(struct search *search, const struct known_list *list) {
    const struct mapping_layout *layout = search->layout;
    const struct mapping_space *from = &layout->from, *to = &layout->to;
    if (search->report->same.count > 0 || from->count != 2 || to->count != 2 ||
        find_called(from, MAPPING_AXIS_TID) != 0 || find_called(to, MAPPING_AXIS_ROW) != 0 ||
        from->axis[0].size > 1024)
        return;
    for (size_t index = 0; index < known_count(list); index++)
        try_holders(search, list, index);
}

/* ---- Layouts of CuTe ---- */

/* An offset is a layout of memory. */
static void find_cute(struct search *search) {
    const struct mapping_layout *layout = search->layout;
    struct mapping_cute cute;
    char text[512];
    const char *target = layout->to.axis[0].name;
    if (layout->to.count != 1 || is_inverse(layout) || strcmp(target, MAPPING_AXIS_ROW) == 0 ||
        strcmp(target, MAPPING_AXIS_COL) == 0 ||
        !succeeds(mapping_cute_find(&layout->from, layout->coordinate[0], &cute)))
        return;
    mapping_cute_put_stages_last(&layout->from, &cute);
    if (mapping_cute_print(&cute, text, sizeof text) < sizeof text)
        strings_add(&search->report->same, text);
}

void find_same(struct report *report) {
    struct search search = {.layout = &report->forward.layout, .report = report};
    struct known_list *list = known_all(mapping_layout_entries(search.layout));
    find_fragments(&search, list);
    find_tiles(&search, list);
    find_cute(&search);
    known_free(list);
}
