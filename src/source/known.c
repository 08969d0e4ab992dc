/* known.c - every layout that is known without a GPU or tools; see known.h. */
#include "source/known.h"

#include "catalogue/catalogue.h"
#include "report/section.h"
#include "system/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fragment, and where it is recorded, if it is not stated. */
struct holder {
    struct mapping_fragment fragment;
    const struct recorded_section *sections; /* all of the fragment */
    size_t section_count;
    uint32_t having; /* bit n: sections[n] has this layout */
    size_t next;     /* the next holder of the same layout; itself at the end */
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

/* Adds a holder as the first of a layout of its own. False if out of memory. */
static bool add_entry(struct known_list *list, const struct holder *holder, uint32_t hash) {
    struct holder *holders =
        array_grow(list->holders, list->holder_count, 1, &list->holder_room, sizeof *holders);
    if (!holders)
        return false;
    list->holders = holders;
    holders[list->holder_count] = *holder;
    holders[list->holder_count].next = list->holder_count;
    struct entry *entries =
        array_grow(list->entries, list->entry_count, 1, &list->entry_room, sizeof *entries);
    if (!entries)
        return false;
    list->entries = entries;
    entries[list->entry_count++] = (struct entry){list->holder_count, list->holder_count, hash};
    list->holder_count++;
    return true;
}

/* What a statement consists of, as a number. */
static uint32_t hash_statement(const struct mapping_fragment *fragment) {
    uint32_t hash = fragment->rows * 31 + fragment->cols;
    hash = (hash * 31 + fragment->threads) * 31 + fragment->elements;
    for (const char *text = fragment->bases; *text; text++)
        hash = hash * 31 + (unsigned char)*text;
    return hash;
}

/* `b` is stated. */
static bool same_statement(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    const uint32_t sizes[][5] = {{a->rows, a->cols, a->blocks, a->threads, a->elements},
                                 {b->rows, b->cols, b->blocks, b->threads, b->elements}};
    return a->bases && memcmp(sizes[0], sizes[1], sizeof *sizes) == 0 &&
           strcmp(a->bases, b->bases) == 0 &&
           strcmp(mapping_fragment_copy_axis(a), mapping_fragment_copy_axis(b)) == 0;
}

/* Adds a fragment whose layout is stated, to those with the same if there are any. */
static bool add_stated(struct known_list *list, const struct mapping_fragment *fragment) {
    const struct holder holder = {.fragment = *fragment};
    uint32_t hash = hash_statement(fragment);
    for (size_t e = 0; e < list->entry_count; e++) {
        struct entry *entry = &list->entries[e];
        if (entry->hash != hash || !same_statement(&list->holders[entry->first].fragment, fragment))
            continue;
        size_t added = list->holder_count;
        if (!add_entry(list, &holder, hash))
            return false;
        list->entry_count--; /* it is none of its own */
        entry = &list->entries[e];
        list->holders[entry->last].next = added;
        entry->last = added;
        return true;
    }
    return add_entry(list, &holder, hash);
}

/* True if two sections of one fragment show the same: all behind the lines on top, up to where the
 * next section begins, or the text ends. */
static bool same_section(const struct recorded_section *a, const struct recorded_section *b) {
    enum { BLOCK = 256 }; /* compared at once: these are all of results/ */
    static const char parts[] = "# copy ";
    const char *texts[] = {recorded_text(a), recorded_text(b)};
    size_t n = 0;
    for (int t = 0; t < 2; t++)
        while (*texts[t] == '#')
            texts[t] = strchr(texts[t], '\n') + 1;
    while (strncmp(texts[0] + n, texts[1] + n, BLOCK) == 0 && strnlen(texts[0] + n, BLOCK) == BLOCK)
        n += BLOCK;
    while (texts[0][n] && texts[0][n] == texts[1][n])
        n++;
    size_t line = n;
    while (line > 0 && texts[0][line - 1] != '\n')
        line--;
    for (int t = 0; t < 2; t++)
        if (texts[t][line] && texts[t][line] != '\n' &&
            (texts[t][line] != '#' || strncmp(texts[t] + line, parts, sizeof parts - 1) == 0))
            return false;
    return true;
}

/* Adds a fragment whose layouts are recorded, architecture by architecture. */
static bool add_recorded(struct known_list *list, const struct mapping_fragment *fragment) {
    struct holder holder = {.fragment = *fragment};
    uint32_t done = 0;
    holder.sections = recorded_find(fragment, &holder.section_count);
    for (size_t s = 0; s < holder.section_count && s < 32; s++) {
        if (done >> s & 1)
            continue;
        holder.having = 0;
        for (size_t other = s; other < holder.section_count && other < 32; other++)
            if (!(done >> other & 1) && same_section(&holder.sections[s], &holder.sections[other]))
                holder.having |= UINT32_C(1) << other;
        done |= holder.having;
        if (!add_entry(list, &holder, 0))
            return false;
    }
    return true;
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
    struct known_list *list = calloc(1, sizeof *list);
    struct mapping_fragment fragment;
    for (size_t index = 0; list && mapping_catalogue_at(index, &fragment); index++) {
        if (entries > 0)
            choose_width(&fragment, entries);
        if ((fragment.bases || entries == 0 ||
             entries == (size_t)fragment.threads * fragment.elements) &&
            !(fragment.bases ? add_stated(list, &fragment) : add_recorded(list, &fragment))) {
            known_free(list);
            return NULL;
        }
    }
    return list;
}

void known_free(struct known_list *list) {
    if (!list)
        return;
    free(list->holders);
    free(list->entries);
    free(list);
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
    *layout = (struct mapping_layout){.from.count = 0};
    if (!holder->sections)
        return mapping_fragment_state(&holder->fragment, layout, error);
    return recorded_layout(&holder->sections[__builtin_ctz(holder->having)], layout, error);
}

void known_name(const struct known_list *list, size_t index, size_t n, char name[KNOWN_NAME]) {
    const struct holder *holder = find_holder(list, index, n);
    size_t count = holder ? holder->section_count : 0, length;
    const char *separator = " on ";
    *name = '\0';
    if (!holder)
        return;
    mapping_fragment_name(&holder->fragment, name);
    if (holder->having + 1 == UINT32_C(1) << count)
        return;
    for (size_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && holder->having >> end & 1;)
            end++;
        if (end == first)
            continue;
        length = strlen(name);
        snprintf(name + length, KNOWN_NAME - length, "%ssm_%u", separator,
                 holder->sections[first].arch);
        length = strlen(name);
        if (end - first > 1)
            snprintf(name + length, KNOWN_NAME - length, " to sm_%u",
                     holder->sections[end - 1].arch);
        separator = " and ";
    }
}
