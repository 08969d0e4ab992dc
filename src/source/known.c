/* known.c - every layout that is known without a GPU or tools; see known.h. */
#include "source/known.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fragment, and on which architectures it has the layout. */
struct holder {
    struct mapping_fragment fragment; /* with the bases of that layout */
    uint32_t archs, all;              /* bit n: mapping_arch_at(n); of the layout, and in all */
    size_t next;                      /* the next holder of the same layout; itself at the end */
};

/* One layout, by its first and last holder. */
struct entry {
    size_t first, last;
    uint32_t hash;
};

struct known_list {
    struct holder *holders;
    size_t holder_count, holder_room;
    struct entry *entries;
    size_t entry_count, entry_room;
};

/* ---- Collecting ---- */

/* Adds a holder as the first of a layout of its own. */
static void add_entry(struct known_list *list, const struct holder *holder, uint32_t hash) {
    list->holders =
        array_grow(list->holders, list->holder_count, 1, &list->holder_room, sizeof *list->holders);
    list->holders[list->holder_count] = *holder;
    list->holders[list->holder_count].next = list->holder_count;
    list->entries =
        array_grow(list->entries, list->entry_count, 1, &list->entry_room, sizeof *list->entries);
    list->entries[list->entry_count++] =
        (struct entry){list->holder_count, list->holder_count, hash};
    list->holder_count++;
}

/* What a statement consists of, as a number. */
static uint32_t hash_statement(const struct mapping_fragment *fragment) {
    uint32_t hash = fragment->rows * 31 + fragment->cols;
    hash = (hash * 31 + fragment->threads) * 31 + fragment->elements;
    for (const char *text = fragment->bases; *text; text++)
        hash = hash * 31 + (unsigned char)*text;
    return hash;
}

static bool same_statement(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    const uint32_t sizes[][5] = {{a->rows, a->cols, a->blocks, a->threads, a->elements},
                                 {b->rows, b->cols, b->blocks, b->threads, b->elements}};
    return memcmp(sizes[0], sizes[1], sizeof *sizes) == 0 && strcmp(a->bases, b->bases) == 0 &&
           strcmp(mapping_fragment_copy_axis(a), mapping_fragment_copy_axis(b)) == 0;
}

/* Adds a holder to those with the same layout if there are any. */
static void add_holder(struct known_list *list, const struct holder *holder) {
    const uint32_t hash = hash_statement(&holder->fragment);
    for (size_t e = 0; e < list->entry_count; e++) {
        struct entry *entry = &list->entries[e];
        if (entry->hash != hash ||
            !same_statement(&list->holders[entry->first].fragment, &holder->fragment))
            continue;
        size_t added = list->holder_count;
        add_entry(list, holder, hash);
        list->entry_count--; /* it is none of its own */
        entry = &list->entries[e];
        list->holders[entry->last].next = added;
        entry->last = added;
        return;
    }
    add_entry(list, holder, hash);
}

/* Adds a fragment: layouts that the PTX ISA specifies are the same on all architectures, others may
 * differ. */
static void add_fragment(struct known_list *list, const struct mapping_fragment *fragment) {
    struct holder holders[MAPPING_ARCHS_MAX];
    size_t count = 0;
    uint32_t all = 0;
    const struct mapping_arch *arch;
    if (fragment->section) {
        add_holder(list, &(struct holder){.fragment = *fragment});
        return;
    }
    for (uint32_t a = 0; (arch = mapping_arch_at(a)); a++) {
        struct mapping_fragment found;
        size_t h = 0;
        if (!mapping_fragment_find(fragment, arch->number, &found))
            continue;
        while (h < count && strcmp(holders[h].fragment.bases, found.bases) != 0)
            h++;
        if (h == count)
            holders[count++] = (struct holder){.fragment = found};
        holders[h].archs |= UINT32_C(1) << a;
        all |= UINT32_C(1) << a;
    }
    for (size_t h = 0; h < count; h++) {
        holders[h].all = all;
        add_holder(list, &holders[h]);
    }
}

/* Of a fragment in many widths, takes the one that has so many entries, if there is one. */
static void choose_width(struct mapping_fragment *fragment, size_t entries) {
    for (size_t w = 0; fragment->widths && w < fragment->widths->count; w++) {
        const struct mapping_partial narrow = {.shape.n = fragment->widths->n[w]};
        struct mapping_fragment other = *fragment;
        struct mapping_space from, to;
        mapping_partial_narrow(&narrow, &other);
        mapping_fragment_spaces(&other, &from, &to);
        if (mapping_space_size(&from) == entries) {
            *fragment = other;
            return;
        }
    }
}

struct known_list *known_all(size_t entries) {
    struct known_list *list = memory_get(1, sizeof *list);
    struct mapping_fragment fragment;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        if (entries > 0)
            choose_width(&fragment, entries);
        add_fragment(list, &fragment);
    }
    return list;
}

/* ---- Asking ---- */

size_t known_count(const struct known_list *list) {
    return list->entry_count;
}

/* The nth holder of a layout; NULL from the end on. */
static const struct holder *find_holder(const struct known_list *list, size_t index, size_t n) {
    size_t place = list->entries[index].first;
    for (; n > 0 && list->holders[place].next != place; n--)
        place = list->holders[place].next;
    return n == 0 ? &list->holders[place] : NULL;
}

const struct mapping_fragment *known_fragment(const struct known_list *list, size_t index,
                                              size_t n) {
    const struct holder *holder = find_holder(list, index, n);
    return holder ? &holder->fragment : NULL;
}

void known_spaces(const struct known_list *list, size_t index, struct mapping_space *from,
                  struct mapping_space *to) {
    mapping_fragment_spaces(known_fragment(list, index, 0), from, to);
}

enum mapping_status known_layout(const struct known_list *list, size_t index,
                                 struct mapping_layout *layout, struct mapping_error *error) {
    const struct holder *holder = find_holder(list, index, 0);
    return mapping_fragment_state(&holder->fragment, layout, error);
}

void known_name(const struct known_list *list, size_t index, size_t n, char name[KNOWN_NAME]) {
    const struct holder *holder = find_holder(list, index, n);
    const char *separator = " on ";
    const struct mapping_arch *arch;
    *name = '\0';
    if (!holder)
        return;
    mapping_fragment_name(&holder->fragment, name);
    if (holder->archs == holder->all)
        return;
    for (uint32_t a = 0; (arch = mapping_arch_at(a)); a++) {
        const struct mapping_arch *last = NULL; /* of those that follow each other */
        if (!(holder->archs >> a & 1))
            continue;
        for (; mapping_arch_at(a + 1) && holder->archs >> (a + 1) & 1; a++)
            last = mapping_arch_at(a + 1);
        mapping_append(name, KNOWN_NAME, "%ssm_%u", separator, arch->number);
        if (last)
            mapping_append(name, KNOWN_NAME, " to sm_%u", last->number);
        separator = " and ";
    }
}
