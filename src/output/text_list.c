/* text_list.c - lists of fragments as text, one line each. On a terminal, if the list does not fit
 * the screen, fragments that differ only in their names share a line, with braces as in bash. */
#include "layout/sentence.h"
#include "output/output.h"
#include "report/braces.h"

#include <stdio.h>
#include <string.h>

/* ---- A line for each ---- */

static bool is_of_tensor_memory(const struct list_entry *entry) {
    return entry->fragment.place != MAPPING_IN_REGISTERS;
}

/* Pads the text that begins at `start` with blanks to `width`. With printf, that would take a
 * third of the time of a list, which has thousands of words. */
static void pad(struct printer *to, size_t start, size_t width) {
    while (to->size < start + width)
        print_char(to, ' ');
}

/* Writes the first architecture with the fragment, "sm_120a|f+", with the suffixes that ptxas
 * requires, and '+' if later architectures also have the fragment. If the user asked for one
 * architecture, and a suffix makes it a separate target, writes this target. */
static void since_text(const struct list_entry *entry, char text[24]) {
    const struct mapping_fragment *fragment = &entry->fragment;
    const uint32_t archs = entry->archs;
    const bool is_one = archs != 0 && (archs & (archs - 1)) == 0;
    const unsigned arch = is_one && fragment->suffix
                              ? mapping_arch_at((size_t)__builtin_ctz(archs))->number
                              : fragment->since;
    const char *letters = mapping_target_letters(fragment->suffix, arch);
    snprintf(text, 24, "sm_%u%s%s", arch, strlen(letters) > 1 ? "a|f" : letters,
             !fragment->until ? "+"
             : *letters       ? ""
                              : " ");
}

/* Finds the widths of the columns for names and architectures, for the entries from `first` on that
 * are all in registers, or all in Tensor Memory. */
static void find_widths(const struct list_entry *entries, size_t first, size_t count,
                        size_t *name_width, size_t *since_width) {
    enum { USUAL = 29 };
    const bool is_placed = is_of_tensor_memory(&entries[first]);
    *name_width = USUAL;
    *since_width = 0;
    for (size_t e = first; e < count && is_of_tensor_memory(&entries[e]) == is_placed; e++) {
        char name[MAPPING_NAME_SIZE], since[24];
        mapping_fragment_name(&entries[e].fragment, name);
        since_text(&entries[e], since);
        *name_width = strlen(name) > *name_width ? strlen(name) : *name_width;
        *since_width = strlen(since) > *since_width ? strlen(since) : *since_width;
    }
}

/* Prints a remark after others on the same line, which begins at `start`. On a terminal, it is on
 * its own line if it does not fit. */
static void print_remark(struct printer *to, const char *remark, size_t *start, bool is_terminal) {
    enum { WIDTH = 79 };
    if (is_terminal && to->size + 2 + strlen(remark) > *start + WIDTH) {
        print_text(to, "\n    ");
        *start = to->size - 4;
    } else {
        print_text(to, "; ");
    }
    print_text(to, remark);
}

/* Prints the remarks on a fragment: the architectures where it is emulated, or that this is
 * unknown; all widths, if the list has only one of several; its columns of Tensor Memory. */
static void print_remarks(struct printer *to, const struct list_entry *entry, size_t start,
                          bool is_terminal) {
    char text[ARCHS_TEXT + WIDTHS_TEXT + 64], words[ARCHS_TEXT + WIDTHS_TEXT];
    if (entry->emulated != 0) {
        mapping_archs_text(entry->emulated, words);
        snprintf(text, sizeof text, "emulated%s%s", entry->native == 0 ? "" : " on ",
                 entry->native == 0 ? "" : words);
        print_remark(to, text, &start, is_terminal);
    } else if (entry->native == 0 && mapping_instruction_multiplies(entry->fragment.instruction)) {
        print_remark(to, "not known if emulated", &start, is_terminal);
    }
    widths_text(&entry->fragment, words);
    if (*words) {
        snprintf(text, sizeof text, "n = %s", words);
        print_remark(to, text, &start, is_terminal);
    }
    if (is_of_tensor_memory(entry)) {
        snprintf(text, sizeof text, "%u Tensor Memory column%s", entry->fragment.columns,
                 mapping_plural(entry->fragment.columns));
        print_remark(to, text, &start, is_terminal);
    }
}

static void print_lines(struct printer *to, const struct list_entry *entries, size_t count,
                        const struct style *style) {
    enum { USUAL_SIZE = sizeof "128x256" - 1 };
    size_t name_width = 0, since_width = 0;
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *fragment = &entries[e].fragment;
        const size_t start = to->size;
        char name[MAPPING_NAME_SIZE], since[24];
        if (e == 0 || is_of_tensor_memory(&entries[e]) != is_of_tensor_memory(&entries[e - 1]))
            find_widths(entries, e, count, &name_width, &since_width);
        mapping_fragment_name(fragment, name);
        since_text(&entries[e], since);
        print_text(to, name);
        pad(to, start, name_width);
        print_char(to, ' ');
        const size_t size = to->size;
        print_number(to, fragment->rows);
        print_char(to, 'x');
        print_number(to, fragment->cols);
        pad(to, size, USUAL_SIZE);
        print_char(to, ' ');
        print_text(to, since);
        pad(to, to->size - strlen(since), since_width);
        print_text(to, "  ");
        print_text(to, entries[e].sources);
        print_remarks(to, &entries[e], start, style->grid.is_framed);
        print_char(to, '\n');
    }
}

/* ---- Groups ---- */

enum { GROUP_TEXT = ARCHS_TEXT + 128 };

/* Adds the names of a fragment in all its widths. */
static void add_names(const struct list_entry *entry, struct strings *names) {
    struct mapping_fragment fragment = entry->fragment;
    const struct mapping_widths *widths = fragment.shape.n > 0 ? fragment.widths : NULL;
    char name[MAPPING_NAME_SIZE];
    for (size_t w = 0; w < (widths ? widths->count : 1); w++) {
        if (widths)
            fragment.shape.n = widths->n[w];
        mapping_fragment_name(&fragment, name);
        strings_add(names, name);
    }
}

/* Writes what all fragments of a group share: "wgmma, sm_90a, isa, gpu (sm_90)". */
static void write_group(const struct list_entry *entry, char text[GROUP_TEXT]) {
    char since[24], archs[ARCHS_TEXT];
    since_text(entry, since);
    since[strcspn(since, " ")] = '\0';
    snprintf(text, GROUP_TEXT, "%s, %s, %s", mapping_instruction_name(entry->fragment.instruction),
             since, entry->sources);
    if (entry->emulated == 0)
        return;
    mapping_archs_text(entry->emulated, archs);
    mapping_append(text, GROUP_TEXT, "; emulated%s%s", entry->native == 0 ? "" : " on ",
                   entry->native == 0 ? "" : archs);
}

/* Prints patterns, separated by ", ", in lines that fit a terminal. A pattern that does not fit is
 * broken after one of its own commas. */
static void print_patterns(struct printer *to, const char *text) {
    enum { WIDTH = 79, INDENT = 4 };
    while (*text) {
        const size_t length = strlen(text), capacity = WIDTH - INDENT;
        size_t end = length <= capacity ? length : 0;
        for (size_t n = capacity; n > 0 && !end; n--)
            end = text[n - 1] == ',' && text[n] == ' ' ? n : 0;
        for (size_t n = capacity; n > 0 && !end; n--)
            end = text[n - 1] == ',' ? n : 0;
        end = end ? end : length;
        print(to, "%*s%.*s\n", INDENT, "", (int)end, text);
        text += end;
        text += strspn(text, " ");
    }
}

/* True if two names differ only in N, or in the text after the shape. */
static bool same_but_n(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->instruction == b->instruction && a->shape.m == b->shape.m &&
           a->shape.k == b->shape.k && (a->shape.n == 0) == (b->shape.n == 0);
}

/* True if a fragment has so many widths N that a name gives them as a range. */
static bool has_many_widths(const struct list_entry *entries, size_t count, size_t at) {
    enum { MANY = 4 };
    const struct mapping_fragment *fragment = &entries[at].fragment;
    uint16_t seen[MANY] = {0};
    size_t distinct = 0;
    if (fragment->widths)
        return true;
    for (size_t e = 0; e < count && distinct < MANY; e++) {
        bool is_new = same_but_n(&entries[e].fragment, fragment);
        for (size_t n = 0; n < distinct; n++)
            is_new = is_new && seen[n] != entries[e].fragment.shape.n;
        if (is_new)
            seen[distinct++] = entries[e].fragment.shape.n;
    }
    return distinct == MANY;
}

/* Prints the names of a group, and removes them from it. Names with many widths are grouped by
 * shape. */
static void print_group(struct printer *to, const struct list_entry *entries, size_t count,
                        size_t *group, size_t number) {
    struct printer patterns = {.text = NULL};
    for (size_t first = 0; first < count; first++) {
        if (group[first] != number)
            continue;
        const bool is_wide = has_many_widths(entries, count, first);
        struct strings names = {.count = 0};
        for (size_t e = first; e < count; e++)
            if (group[e] == number && has_many_widths(entries, count, e) == is_wide &&
                (!is_wide || same_but_n(&entries[e].fragment, &entries[first].fragment))) {
                add_names(&entries[e], &names);
                group[e] = SIZE_MAX;
            }
        print(&patterns, "%s%s", patterns.size > 0 ? ", " : "", braces_text(&names));
    }
    print_patterns(to, printer_string(&patterns));
}

/* Prints the number of fragments of each instruction, and its first architecture; false if there is
 * only one instruction. */
static bool print_instructions(struct printer *to, const struct list_entry *entries, size_t count) {
    size_t instructions = 0;
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *fragment = &entries[e].fragment;
        size_t fragments = 0;
        unsigned since = UINT32_MAX;
        bool is_new = true;
        for (size_t other = 0; other < count; other++) {
            const struct mapping_fragment *one = &entries[other].fragment;
            if (one->instruction != fragment->instruction)
                continue;
            is_new = is_new && other >= e;
            since = one->since < since ? one->since : since;
            fragments++;
        }
        if (!is_new)
            continue;
        print(to, "%-20s %5zu fragment%s from sm_%u on\n",
              mapping_instruction_name(fragment->instruction), fragments,
              fragments == 1 ? " " : "s", since);
        instructions++;
    }
    print(to,
          "--list %s names the fragments of one; --whole prints a line for each of\n"
          "the %zu fragments, with its size.\n",
          mapping_instruction_name(entries[0].fragment.instruction), count);
    return instructions > 1;
}

/* Prints the fragments in groups, ordered by the first fragment of each group. */
static void print_groups(struct printer *to, const struct list_entry *entries, size_t count) {
    char(*groups)[GROUP_TEXT] = memory_get(count + 1, sizeof *groups);
    size_t group_count = 0, *group = memory_get(count, sizeof *group);
    for (size_t e = 0; e < count; e++) {
        write_group(&entries[e], groups[group_count]);
        while (strcmp(groups[group[e]], groups[group_count]) != 0)
            group[e]++;
        group_count += group[e] == group_count;
    }
    for (size_t g = 0; g < group_count; g++) {
        print(to, "%s:\n", groups[g]);
        print_group(to, entries, count, group, g);
    }
    print(to, "--whole prints a line for each of the %zu fragments, with its size.\n", count);
}

void print_text_list(struct printer *to, const struct list_entry *entries, size_t count,
                     const struct style *style) {
    enum { SCREEN = 24 };
    const size_t start = to->size;
    if (style->width == 0 || style->excerpt.is_whole || count <= SCREEN) {
        print_lines(to, entries, count, style);
        return;
    }
    print_groups(to, entries, count);
    if (count_lines(to, start) <= SCREEN_LINES)
        return;
    to->size = start;
    if (!print_instructions(to, entries, count)) {
        to->size = start;
        print_groups(to, entries, count);
    }
}
