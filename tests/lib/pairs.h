/* pairs.h - for tests of conversions: all known layouts, and the places of the elements of several
 * matrices side by side, computed here without the code under test. */
#ifndef PAIRS_H
#define PAIRS_H

#include "source/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A layout of 32 or 128 threads by its bases. */
static inline struct mapping_layout state_layout(uint32_t threads, uint32_t elements, uint32_t rows,
                                                 uint32_t cols, const char *bases) {
    const struct mapping_space from = {2, {{"tid", threads}, {"i", elements}}};
    const struct mapping_space to = {2, {{"row", rows}, {"col", cols}}};
    struct mapping_layout layout;
    struct mapping_error error;
    if (mapping_layout_state(&layout, &from, &to, bases, &error) != MAPPING_OK)
        abort();
    return layout;
}

/* A layout and the fragment that it was taken from. */
struct known {
    struct mapping_layout layout;
    struct mapping_fragment fragment;
    char name[KNOWN_NAME];
};

/* All known layouts, each once for each width of elements. */
struct known_all {
    struct known *known;
    size_t count;
};

static inline uint32_t sides_of(const struct mapping_layout *layout, uint32_t size[3]) {
    uint32_t rank = layout->to.count;
    size[0] = rank == 3 ? layout->to.axis[0].size : 1;
    size[1] = layout->to.axis[rank - 2].size;
    size[2] = layout->to.axis[rank - 1].size;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        abort();
    return size[0] * size[1] * size[2];
}

/* The size of the whole, and how many matrices of a layout it takes. False if two do not fit. */
static inline bool whole_of(const struct mapping_layout *one, const struct mapping_layout *other,
                            uint32_t whole[3]) {
    uint32_t a[3], b[3];
    sides_of(one, a);
    sides_of(other, b);
    bool fit = one->from.axis[0].size == other->from.axis[0].size;
    for (int n = 0; n < 3; n++) {
        whole[n] = a[n] > b[n] ? a[n] : b[n];
        fit = fit && whole[n] % a[n] == 0 && whole[n] % b[n] == 0;
    }
    return fit && (one->from.axis[0].size == 32 || one->from.axis[0].size == 128);
}

static inline uint32_t elements_of(const struct mapping_layout *layout, const uint32_t whole[3]) {
    uint32_t size[3], points = sides_of(layout, size);
    return whole[0] * whole[1] * whole[2] / points * layout->from.axis[1].size;
}

/* Which element of the whole is element e of thread tid, the matrices in reading order. */
static inline uint32_t point_of(const struct mapping_layout *layout, const uint32_t whole[3],
                                uint32_t tid, uint32_t e) {
    uint32_t size[3], elements = layout->from.axis[1].size, rank = layout->to.count;
    sides_of(layout, size);
    uint32_t matrix = e / elements;
    size_t entry = (size_t)tid * elements + e % elements;
    uint32_t across = whole[2] / size[2], down = whole[1] / size[1];
    uint32_t block = matrix / (across * down) * size[0];
    uint32_t row = matrix / across % down * size[1] + layout->coordinate[rank - 2][entry];
    uint32_t col = matrix % across * size[2] + layout->coordinate[rank - 1][entry];
    block += rank == 3 ? layout->coordinate[0][entry] : 0;
    return (block * whole[1] + row) * whole[2] + col;
}

/* Adds one width of a layout, unless it is there, or of what is not between threads and a matrix.
 */
static inline void add_known(struct known_all *all, const struct holder *holder, size_t first) {
    struct mapping_error error;
    const struct mapping_fragment *fragment = &holder->fragment;
    if (fragment->place != MAPPING_IN_REGISTERS)
        return;
    for (size_t k = first; k < all->count; k++)
        if (all->known[k].fragment.bits == fragment->bits)
            return;
    struct known *known = realloc(all->known, (all->count + 1) * sizeof *known);
    if (!known)
        abort();
    all->known = known;
    known += all->count++;
    known->fragment = *fragment;
    known_name(holder, known->name);
    if (mapping_fragment_state(fragment, &known->layout, &error) != MAPPING_OK)
        abort();
}

static inline struct known_all load_known(void) {
    struct known_all all = {NULL, 0};
    const struct known_list list = known_all(0);
    for (size_t index = 0; index < list.count; index++) {
        const struct known_layout *layout = &list.known[index];
        size_t first = all.count;
        for (size_t n = 0; n < layout->count; n++)
            add_known(&all, &layout->holders[n], first);
    }
    return all;
}

static inline void free_known(struct known_all *all) {
    for (size_t k = 0; k < all->count; k++)
        mapping_layout_free(&all->known[k].layout);
    free(all->known);
    *all = (struct known_all){NULL, 0};
}

/* The layout that the catalogue states for the fragment, which is added to the list; ends the
 * program if there is none. Pointers into the list are invalid after that. */
static inline size_t find_known(struct known_all *all, const char *name) {
    for (size_t k = 0; k < all->count; k++)
        if (strcmp(all->known[k].name, name) == 0)
            return k;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_error error;
    struct known *known = realloc(all->known, (all->count + 1) * sizeof *known);
    if (!known || mapping_catalogue_find(name, found) != 1)
        abort();
    all->known = known;
    known += all->count++;
    known->fragment = found[0];
    snprintf(known->name, sizeof known->name, "%s", name);
    if (mapping_fragment_state(&found[0], &known->layout, &error) != MAPPING_OK)
        abort();
    return all->count - 1;
}

#endif
