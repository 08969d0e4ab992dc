/* same.c - finds the known layouts that equal a layout; see same.h. */
#include "command/same.h"

#include "catalogue/catalogue.h"
#include "layout/cute_layout.h"
#include "layout/space.h"
#include "report/braces.h"
#include "report/derive.h"
#include "source/known.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* ---- Comparing tables ---- */

/* The axis of a space with this name, or with this name in formulae; -1 if there is none. */
static int find_axis_called(const struct mapping_space *space, const char *name) {
    for (uint32_t a = 0; a < space->count; a++)
        if (mapping_axis_is_called(name, space->axis[a].name, strlen(space->axis[a].name)))
            return (int)a;
    return -1;
}

/* For each axis of a space, writes the index of the user's axis with the same name. The remaining
 * axes are matched in order. */
static bool match_spaces(const struct mapping_space *space, const struct mapping_space *brought,
                         uint8_t match[MAPPING_AXES_MAX]) {
    bool taken[MAPPING_AXES_MAX] = {false};
    uint32_t next = 0;
    if (space->count != brought->count)
        return false;
    for (uint32_t a = 0; a < space->count; a++) {
        const int axis = find_axis_called(brought, space->axis[a].name);
        match[a] = (uint8_t)(axis >= 0 ? axis : MAPPING_AXES_MAX);
        if (axis >= 0)
            taken[axis] = true;
    }
    for (uint32_t a = 0; a < space->count; a++)
        if (match[a] == MAPPING_AXES_MAX) {
            while (taken[next])
                next++;
            match[a] = (uint8_t)next++;
        }
    return true;
}

/* For each output of the user, writes the index of the layout's output. The user may have fewer
 * outputs if the layout has outputs with all their names. Otherwise, outputs are matched like
 * inputs. */
static bool match_outputs(const struct mapping_space *space, const struct mapping_space *brought,
                          uint8_t match[MAPPING_AXES_MAX]) {
    uint8_t order[MAPPING_AXES_MAX] = {0};
    uint32_t named = 0;
    for (uint32_t c = 0; c < brought->count; c++) {
        const char *name = brought->axis[c].name;
        uint32_t a = space->count;
        while (a > 0 && !mapping_axis_is_called(space->axis[a - 1].name, name, strlen(name)))
            a--;
        match[c] = (uint8_t)(a > 0 ? a - 1 : 0);
        named += a > 0;
    }
    if (named == brought->count)
        return true;
    if (!match_spaces(space, brought, order))
        return false;
    for (uint32_t a = 0; a < space->count; a++)
        match[order[a]] = (uint8_t)a;
    return true;
}

/* Counts the entries at which a layout and the user's table differ, up to limit + 1. SIZE_MAX if
 * their axes or the sizes of their inputs differ. *first becomes the first differing entry of the
 * table. */
static size_t count_differing(const struct mapping_layout *layout,
                              const struct mapping_layout *brought, size_t limit, size_t *first) {
    uint8_t from[MAPPING_AXES_MAX] = {0}, to[MAPPING_AXES_MAX] = {0};
    uint32_t point[MAPPING_AXES_MAX] = {0}, other[MAPPING_AXES_MAX] = {0};
    size_t differing = 0;
    if (!match_spaces(&layout->from, &brought->from, from) ||
        !match_outputs(&layout->to, &brought->to, to))
        return SIZE_MAX;
    for (uint32_t a = 0; a < layout->from.count; a++)
        if (layout->from.axis[a].size != brought->from.axis[from[a]].size)
            return SIZE_MAX;
    for (size_t n = 0; n < mapping_layout_entries(layout) && differing <= limit; n++) {
        bool differs = false;
        for (uint32_t a = 0; a < layout->from.count; a++)
            other[from[a]] = point[a];
        const size_t entry = mapping_space_number(&brought->from, other);
        for (uint32_t c = 0; c < brought->to.count; c++)
            differs |= layout->coordinate[to[c]][n] != brought->coordinate[c][entry];
        if (differs && differing++ == 0)
            *first = entry;
        mapping_space_step(&layout->from, point);
    }
    return differing;
}

/* ---- Fragments that match a table ---- */

/* True if the user's table maps rows and columns to threads and elements. The name "lane" means a
 * thread, except together with "column", where it is a lane of Tensor Memory. */
static bool is_of_inverse(const struct mapping_layout *layout) {
    return mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN) < 0 &&
           (find_axis_called(&layout->to, MAPPING_AXIS_TID) >= 0 ||
            find_axis_called(&layout->to, MAPPING_AXIS_I) >= 0);
}

/* Counts the entries at which a known layout differs, up to limit + 1; SIZE_MAX if its axes are
 * different. */
static size_t compare_known(const struct report *report, const struct known_layout *known,
                            size_t limit, size_t *first) {
    struct mapping_space from, to;
    struct mapping_layout layout = {.from.count = 0};
    size_t differing = SIZE_MAX;
    mapping_fragment_spaces(&known->holders[0].fragment, &from, &to);
    if (mapping_space_size(&from) != mapping_layout_entries(&report->forward.layout))
        return SIZE_MAX;
    if (known_make(known, is_of_inverse(&report->forward.layout), &layout)) {
        const uint32_t last = layout.from.count - 1;
        if (is_of_inverse(&report->forward.layout) && layout.from.axis[last].size == 1)
            layout.from.count = last; /* with one copy, the number of the copy is omitted */
        differing = count_differing(&layout, &report->forward.layout, limit, first);
    }
    mapping_layout_free(&layout);
    return differing;
}

static void find_fragments(struct report *report, const struct known_list *list) {
    size_t limit = mapping_layout_entries(&report->forward.layout) / 8;
    char name[KNOWN_NAME], nearest[KNOWN_NAME] = "";
    for (const struct known_layout *known = list->known; known < list->known + list->count;
         known++) {
        size_t first = 0, differing = compare_known(report, known, limit, &first);
        for (size_t n = 0; differing == 0 && n < known->count; n++) {
            known_name(&known->holders[n], name);
            strings_add(&report->same, name);
        }
        if (differing > limit || differing == 0)
            continue;
        limit = differing - 1;
        report->differing = differing;
        report->first_differing = first;
        known_name(&known->holders[0], nearest);
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
    if (order[0] == 0) /* the default order: M, N, K */
        snprintf(text, 64, "(%u,%u,%u)", counts[0], counts[1], counts[2]);
    else
        snprintf(text, 64, "(%u,%u,%u):(%u,%u,%u)", counts[0], counts[1], counts[2], stride[0],
                 stride[1], stride[2]);
}

/* Compares with one tiling of a fragment, and records it if it is equal. */
static bool try_tiling(struct report *report, const struct mapping_fragment *fragment,
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
        mapping_space_size(&from) != mapping_layout_entries(&report->forward.layout) ||
        mapping_tile(&tiling, atom, atom_layout, &tiled, &ignored) != MAPPING_OK)
        return false;
    bool is_same = count_differing(&tiled, &report->forward.layout, 0, &first) == 0;
    mapping_layout_free(&tiled);
    if (!is_same)
        return false;
    mapping_fragment_name(fragment, name);
    snprintf(text, sizeof text, "%s --atom-layout='%s' --permutation='%s'", name, atoms,
             permutation);
    strings_add(&report->same, text);
    return true;
}

/* Tries the orders of these numbers of atoms: threads run first along M, N or K. */
static bool try_orders(struct report *report, const struct mapping_fragment *fragment,
                       const struct mapping_layout *layout, const struct mapping_atom *atom,
                       const uint32_t counts[3]) {
    static const uint8_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    const struct mapping_space *to = &report->forward.layout.to;
    char sizes[3][16] = {"_", "_", "_"}, permutation[64], atoms[64];
    for (int a = 0; a < 2; a++)
        snprintf(sizes[atom->mode[a]], sizeof sizes[0], "%u", to->axis[a].size);
    snprintf(permutation, sizeof permutation, "%s,%s,%s", sizes[0], sizes[1], sizes[2]);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        write_atoms(counts, orders[o], atoms);
        if (try_tiling(report, fragment, layout, atom, atoms, permutation))
            return true;
    }
    return false;
}

/* True if the first threads and elements hold what the fragment holds without a tile, as in every
 * tile. A quad pair is threads 0 to 3 and 16 to 19; only the first four are compared. */
static bool begins_like(const struct mapping_layout *map, const struct mapping_layout *fragment,
                        const struct mapping_atom *atom) {
    size_t elements = map->from.axis[1].size, own = fragment->from.axis[1].size;
    size_t threads = atom->is_quad_pair ? 4 : fragment->from.axis[0].size;
    uint32_t *const *place = fragment->coordinate + fragment->to.count - 2; /* fragments with blocks
                                                                               cannot be tiled */
    for (size_t tid = 0; tid < threads && tid < map->from.axis[0].size; tid++)
        for (size_t i = 0; i < own && i < elements; i++)
            for (uint32_t c = 0; c < 2; c++)
                if (map->coordinate[c][tid * elements + i] != place[c][tid * own + i])
                    return false;
    return true;
}

/* Tries all tiles of one fragment with the number of threads of the table. */
static void try_tiles(struct report *report, const struct mapping_fragment *fragment) {
    struct mapping_atom atom;
    struct mapping_layout layout;
    struct mapping_error ignored;
    uint32_t threads = report->forward.layout.from.axis[0].size;
    if (!can_be_tiled(fragment) || derive_atom(fragment, &atom, &ignored) != MAPPING_OK)
        return;
    uint32_t own = atom.is_quad_pair ? 8 : fragment->threads, all = threads / own;
    if (threads % own != 0 || mapping_fragment_state(fragment, &layout, &ignored) != MAPPING_OK)
        return;
    /* Stop at the first match; tiles along K are tried last. */
    bool found = !begins_like(&report->forward.layout, &layout, &atom);
    for (uint32_t k = 1; k <= all && !found; k++)
        for (uint32_t n = 1; all % k == 0 && n <= all / k && !found; n++) {
            const uint32_t counts[] = {all / k / n, n, k};
            found = all / k % n == 0 && try_orders(report, fragment, &layout, &atom, counts);
        }
    mapping_layout_free(&layout);
}

/* Tries tiles of one fragment for each layout and operand. The operand matters because A, B and D
 * are tiled along different modes. */
static void find_tiles(struct report *report, const struct known_list *list) {
    const struct mapping_layout *layout = &report->forward.layout;
    const struct mapping_space *from = &layout->from, *to = &layout->to;
    if (report->same.count > 0 || from->count != 2 || to->count != 2 ||
        find_axis_called(from, MAPPING_AXIS_TID) != 0 ||
        find_axis_called(to, MAPPING_AXIS_ROW) != 0 || from->axis[0].size > 1024)
        return;
    for (size_t k = 0; k < list->count; k++) {
        unsigned tried = 0;
        for (size_t n = 0; n < list->known[k].count; n++) {
            const struct mapping_fragment *fragment = &list->known[k].holders[n].fragment;
            enum mapping_operand operand =
                fragment->operand == MAPPING_C ? MAPPING_D : fragment->operand;
            if (!fragment->section || tried >> operand & 1 ||
                to->axis[0].size % fragment->rows != 0 || to->axis[1].size % fragment->cols != 0)
                continue;
            tried |= 1U << operand;
            try_tiles(report, fragment);
        }
    }
}

/* ---- Layouts of CuTe ---- */

/* If the table maps to offsets, finds its notation in CuTe as a layout of memory. */
static void find_cute(struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_cute cute;
    char text[512];
    const char *target = layout->to.axis[0].name;
    if (layout->to.count != 1 || is_of_inverse(layout) || strcmp(target, MAPPING_AXIS_ROW) == 0 ||
        strcmp(target, MAPPING_AXIS_COL) == 0 ||
        !mapping_cute_find(&layout->from, layout->coordinate[0], &cute))
        return;
    mapping_cute_put_stages_last(&layout->from, &cute);
    if (mapping_cute_print(&cute, text, sizeof text) < sizeof text)
        strings_add(&report->same, text);
}

/* ---- Instructions ---- */

/* True if elements of one type may have the other: f32 contains tf32, and untyped bits may have any
 * type. */
static bool may_be(enum mapping_type own, enum mapping_type type) {
    if (own == MAPPING_TYPES || own == type || (own == MAPPING_F32 && type == MAPPING_TF32))
        return true;
    const bool is_untyped = own == MAPPING_B32 || own == MAPPING_B16 || own == MAPPING_B8;
    return is_untyped && mapping_type_bits(own) == mapping_type_bits(type);
}

/* True if the layout consists of whole fragments side by side: each group of threads and elements
 * that has the size of the fragment holds one. */
static bool repeats(const struct mapping_layout *map, const struct mapping_fragment *fragment) {
    const uint32_t elements = map->from.axis[1].size;
    const uint32_t *row = map->coordinate[0], *col = map->coordinate[1];
    struct mapping_layout layout;
    struct mapping_error ignored;
    if (map->from.axis[0].size % fragment->threads || elements % fragment->elements ||
        map->to.axis[0].size % fragment->rows || map->to.axis[1].size % fragment->cols ||
        mapping_fragment_state(fragment, &layout, &ignored) != MAPPING_OK)
        return false;
    bool is_so = true;
    for (uint32_t tid = 0; tid < map->from.axis[0].size && is_so; tid++)
        for (uint32_t i = 0; i < elements && is_so; i++) {
            const uint32_t thread = tid % fragment->threads, own = i % fragment->elements;
            const size_t n = (size_t)tid * elements + i,
                         first = (size_t)(tid - thread) * elements + i - own,
                         inner = (size_t)thread * fragment->elements + own;
            is_so = row[n] == row[first] / fragment->rows * fragment->rows +
                                  layout.coordinate[0][inner] &&
                    col[n] ==
                        col[first] / fragment->cols * fragment->cols + layout.coordinate[1][inner];
        }
    mapping_layout_free(&layout);
    return is_so;
}

/* The largest fragments of one operand of an instruction that make up a layout. */
struct whole {
    uint32_t rows, cols;
    struct strings names;
};

static void offer(struct report *report, const struct mapping_fragment *fragment,
                  struct whole *best) {
    char name[MAPPING_NAME_SIZE];
    const uint32_t size = fragment->rows * fragment->cols, last = best->rows * best->cols;
    if (size < last || !may_be(report->observed.fragment.type, fragment->type) ||
        !repeats(&report->forward.layout, fragment))
        return;
    if (size > last)
        *best = (struct whole){fragment->rows, fragment->cols, {.count = 0}};
    mapping_fragment_name(fragment, name);
    strings_add(&best->names, name);
}

void add_instructions(struct report *report) {
    static const enum mapping_instruction instructions[] = {MAPPING_MMA, MAPPING_WGMMA};
    static const enum mapping_operand operands[] = {MAPPING_D, MAPPING_A, MAPPING_B};
    const struct mapping_space *to = &report->forward.layout.to;
    struct whole best[2][3] = {{{0}}};
    struct mapping_fragment fragment;
    if (!is_of_threads(&report->forward.layout.from) || to->count != 2)
        return;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);)
        for (int i = 0; i < 2; i++)
            for (int o = 0; o < 3; o++) {
                if (fragment.instruction != instructions[i] || fragment.operand != operands[o] ||
                    !fragment.bases || fragment.blocks != 1)
                    continue;
                const bool has_n = fragment.widths && fragment.operand == MAPPING_D;
                for (uint16_t n = has_n ? 256 : 8; n >= 8; n /= 2) {
                    struct mapping_fragment narrow = fragment;
                    if (has_n)
                        mapping_partial_narrow(&(struct mapping_partial){.shape.n = n}, &narrow);
                    if (!has_n || narrow.shape.n == n)
                        offer(report, &narrow, &best[i][o]);
                }
            }
    for (int i = 0; i < 2; i++)
        for (int o = 0; o < 3; o++) {
            const struct whole *whole = &best[i][o];
            struct printer text = {.text = NULL};
            if (whole->names.count == 0)
                continue;
            print(&text, "%u x %u of %s", to->axis[0].size / whole->rows,
                  to->axis[1].size / whole->cols, braces_text(&whole->names));
            strings_add(&report->instructions, printer_string(&text));
        }
}

/* ---- All ---- */

void add_same(struct report *report) {
    const struct known_list list = known_all(mapping_layout_entries(&report->forward.layout));
    find_fragments(report, &list);
    find_tiles(report, &list);
    for (size_t k = 0; k < list.count; k++)
        mapping_free(list.known[k].holders); /* about 400 KB altogether */
    find_cute(report);
}
