/* known.c - every layout of the catalogue, each once; see known.h. */
#include "source/known.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_statement(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->rows == b->rows && a->cols == b->cols && a->blocks == b->blocks &&
           a->threads == b->threads && a->elements == b->elements &&
           strcmp(a->bases, b->bases) == 0 &&
           strcmp(mapping_fragment_copy_axis(a), mapping_fragment_copy_axis(b)) == 0;
}

/* Adds a fragment to the holders of its layout, if the layout is known. */
static void add_holder(struct known_list *list, const struct holder *holder) {
    size_t k = 0;
    while (k < list->count && !same_statement(&list->known[k].holders->fragment, &holder->fragment))
        k++;
    if (k == list->count) {
        list->known = array_grow(list->known, k, 1, &list->capacity, sizeof *list->known);
        list->known[list->count++] = (struct known_layout){.count = 0};
    }
    struct known_layout *known = &list->known[k];
    known->holders = array_grow(known->holders, known->count, 1, &known->capacity, sizeof *holder);
    known->holders[known->count++] = *holder;
}

/* Adds a fragment. Layouts of the PTX ISA are the same on all architectures; others may differ. */
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

/* If a fragment has many widths, chooses the one with this number of entries, if there is one. */
static void choose_width(struct mapping_fragment *fragment, size_t entries) {
    struct mapping_fragment other;
    for (size_t w = 0; mapping_fragment_at_width(fragment, w, &other); w++) {
        struct mapping_space from, to;
        mapping_fragment_spaces(&other, &from, &to);
        if (mapping_space_size(&from) == entries) {
            *fragment = other;
            return;
        }
    }
}

struct known_list known_all(size_t entries) {
    struct known_list list = {.count = 0};
    struct mapping_fragment fragment;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        if (entries > 0)
            choose_width(&fragment, entries);
        add_fragment(&list, &fragment);
    }
    return list;
}

void known_name(const struct holder *holder, char name[KNOWN_NAME]) {
    const char *separator = " on ";
    const struct mapping_arch *arch;
    mapping_fragment_name(&holder->fragment, name);
    if (holder->archs == holder->all)
        return;
    for (uint32_t a = 0; (arch = mapping_arch_at(a)); a++) {
        const struct mapping_arch *last = NULL; /* consecutive architectures */
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

bool known_make(const struct known_layout *known, bool is_inverse, struct mapping_layout *layout) {
    const struct mapping_fragment *fragment = &known->holders[0].fragment;
    struct mapping_layout forward;
    struct mapping_error ignored;
    if (mapping_fragment_state(fragment, is_inverse ? &forward : layout, &ignored) != MAPPING_OK)
        return false;
    if (!is_inverse)
        return true;
    const char *copy = mapping_fragment_copy_axis(fragment);
    const bool is_made = layout_invert(&forward, copy, layout, &ignored) == MAPPING_OK;
    mapping_layout_free(&forward);
    return is_made;
}
