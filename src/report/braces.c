/* braces.c - shortens lists of names with braces; see braces.h. */
#include "report/braces.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The maximum number of names in a text. */
enum { NAMES_MAX = 1 << 16, NAME_MAX_SIZE = 512 };

/* ---- Merging and writing ---- */

/* Names that differ only in one word: its alternatives, and its index. */
enum { WORDS_MAX = 16 };
struct pattern {
    unsigned count;
    struct strings words[WORDS_MAX];
    uint64_t hashes[WORDS_MAX]; /* of the alternatives of each word, in their order */
};

struct patterns {
    struct pattern *pattern;
    size_t count, capacity;
};

/* Adds an alternative of a word. */
static void add_word(struct pattern *pattern, unsigned place, const char *word) {
    uint64_t hash = pattern->hashes[place] + 1;
    for (const char *c = word; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
    pattern->hashes[place] = hash;
    strings_add(&pattern->words[place], word);
}

static void add_pattern(struct patterns *patterns, const char *name) {
    patterns->pattern = array_grow(patterns->pattern, patterns->count, 1, &patterns->capacity,
                                   sizeof *patterns->pattern);
    struct pattern *pattern = &patterns->pattern[patterns->count++];
    *pattern = (struct pattern){.count = 0};
    for (size_t length; pattern->count < WORDS_MAX; name += length + 1) {
        char word[64] = "";
        length = strcspn(name, ".");
        memcpy(word, name, length < sizeof word ? length : sizeof word - 1);
        add_word(pattern, pattern->count++, word);
        if (!name[length])
            break;
    }
}

static void free_pattern(struct pattern *pattern) {
    for (unsigned w = 0; w < pattern->count; w++)
        mapping_free(pattern->words[w].text);
    pattern->count = 0;
}

static bool same_words(const struct strings *a, const struct strings *b) {
    bool is_same = a->count == b->count;
    for (size_t w = 0; w < a->count && is_same; w++)
        is_same = strcmp(a->text[w], b->text[w]) == 0;
    return is_same;
}

/* True if two patterns differ in exactly one word. */
static bool differ_only_at(const struct pattern *a, const struct pattern *b, unsigned place) {
    bool is_so = a->count == b->count;
    for (unsigned p = 0; p < a->count && is_so; p++)
        is_so = p == place || same_words(&a->words[p], &b->words[p]);
    return is_so;
}

/* A hash of all words but one. */
static uint64_t hash_others(const struct pattern *pattern, unsigned place) {
    uint64_t hash = pattern->count;
    for (unsigned p = 0; p < pattern->count; p++)
        hash = hash * 31 + (p == place ? 0 : pattern->hashes[p]);
    return hash ^ hash >> 32;
}

/* Merges each pattern with the first one that differs only in the word before the last `behind`
 * words. `slots` is memory for a hash table: each of its `size` slots holds 0, or the number of a
 * pattern plus 1. `size` is a power of two, and greater than the number of patterns. */
static void merge_at(struct patterns *patterns, unsigned behind, size_t *slots, size_t size) {
    struct pattern *const all = patterns->pattern;
    size_t kept = 0;
    memset(slots, 0, size * sizeof *slots);
    for (size_t n = 0; n < patterns->count; n++) {
        struct pattern *pattern = &all[n];
        const unsigned place = pattern->count - 1 - behind;
        size_t slot = hash_others(pattern, place) % size;
        if (behind >= pattern->count) {
            all[kept++] = *pattern;
            continue;
        }
        while (slots[slot] && !differ_only_at(&all[slots[slot] - 1], pattern, place))
            slot = (slot + 1) % size;
        if (slots[slot]) {
            for (size_t w = 0; w < pattern->words[place].count; w++)
                add_word(&all[slots[slot] - 1], place, pattern->words[place].text[w]);
            free_pattern(pattern);
        } else {
            all[kept++] = *pattern;
            slots[slot] = kept;
        }
    }
    patterns->count = kept;
}

/* Merges patterns that differ in one word, the last words first, until no more can be merged. */
static void merge_patterns(struct patterns *patterns) {
    size_t before, size = 2;
    while (size <= patterns->count)
        size *= 2;
    size *= 2;
    size_t *slots = memory_get(size, sizeof *slots);
    do {
        before = patterns->count;
        for (unsigned behind = 0; behind < WORDS_MAX; behind++)
            merge_at(patterns, behind, slots, size);
    } while (patterns->count < before);
    mapping_free(slots);
}

/* True if the words differ only in one number, after `before` characters. */
static bool find_number(const struct strings *words, size_t *before) {
    static const char digits[] = "0123456789";
    const char *first = words->text[0], *second = words->text[1];
    size_t start = 0;
    while (first[start] && first[start] == second[start])
        start++;
    while (start > 0 && strchr(digits, first[start - 1]))
        start--;
    const char *behind = first + start + strspn(first + start, digits);
    *before = start;
    for (size_t w = 0; w < words->count; w++) {
        const char *word = words->text[w];
        const size_t length = strlen(word) < start ? 0 : strspn(word + start, digits);
        if (length == 0 || strncmp(word, first, start) != 0 ||
            strcmp(word + start + length, behind) != 0)
            return false;
    }
    return true;
}

static long number_at(const struct strings *words, size_t w, size_t before) {
    return strtol(words->text[w] + before, NULL, 10);
}

/* A range has at least this many numbers; fewer are printed one by one. */
enum { WORTH_A_RUN = 4 };

/* Prints "8..256..8"; each of several ranges in its own braces. */
static void print_numbers(struct printer *to, const struct strings *words, size_t before) {
    const size_t all = words->count;
    for (size_t w = 0, end; w < all; w = end) {
        const long first = number_at(words, w, before),
                   step = w + 1 < all ? number_at(words, w + 1, before) - first : 0;
        for (end = w + 1; end < all && step > 0; end++)
            if (number_at(words, end, before) - number_at(words, end - 1, before) != step)
                break;
        if (w > 0)
            print_char(to, ',');
        if (end - w >= WORTH_A_RUN) {
            const bool is_all = end - w == all;
            print(to, "%s%ld..%ld..%ld%s", is_all ? "" : "{", first,
                  number_at(words, end - 1, before), step, is_all ? "" : "}");
        } else {
            print(to, "%ld", first);
            end = w + 1;
        }
    }
}

static void print_words(struct printer *to, const struct strings *words) {
    size_t before;
    if (words->count == 1) {
        print_text(to, words->text[0]);
    } else if (words->count >= WORTH_A_RUN && find_number(words, &before)) {
        const char *number = words->text[0] + before;
        print(to, "%.*s{", (int)before, words->text[0]);
        print_numbers(to, words, before);
        print(to, "}%s", number + strspn(number, "0123456789"));
    } else {
        for (size_t w = 0; w < words->count; w++)
            print(to, "%c%s", w == 0 ? '{' : ',', words->text[w]);
        print_char(to, '}');
    }
}

char *braces_text(const struct strings *names) {
    struct printer to = {.text = NULL};
    struct patterns patterns = {NULL, 0, 0};
    for (size_t n = 0; n < names->count; n++)
        add_pattern(&patterns, names->text[n]);
    merge_patterns(&patterns);
    for (size_t p = 0; p < patterns.count; p++)
        for (unsigned w = 0; w < patterns.pattern[p].count; w++) {
            print_text(&to, w > 0 ? "." : p > 0 ? ", " : "");
            print_words(&to, &patterns.pattern[p].words[w]);
        }
    for (size_t p = 0; p < patterns.count; p++)
        free_pattern(&patterns.pattern[p]);
    mapping_free(patterns.pattern);
    return printer_string(&to);
}

/* ---- Patterns that fit a line ---- */

/* The width n in a name, "n128k16.d.f32"; NULL if it has none. */
static const char *find_width(const char *name) {
    for (const char *n = strchr(name, 'n'); n; n = strchr(n + 1, 'n'))
        if (n > name && isdigit((unsigned char)n[-1]) && n[1 + strspn(n + 1, "0123456789")] == 'k')
            return n;
    return NULL;
}

/* True if two names have the same instruction, M and K, and a width. */
static bool is_same_but_width(const char *name, const char *other) {
    const char *n = find_width(name), *m = find_width(other);
    if (!n || !m)
        return false;
    const char *k = strchr(n, 'k'), *l = strchr(m, 'k');
    const size_t length = strcspn(k, ".");
    return n - name == m - other && strncmp(name, other, (size_t)(n - name)) == 0 &&
           length == strcspn(l, ".") && strncmp(k, l, length) == 0;
}

/* Groups names that differ only in their widths. first[n] is the first name of the group of name n;
 * names without a width are alone. groups[f] has the names whose first one is f. */
static struct strings *group_names(const struct strings *names, size_t *first) {
    struct strings *groups = memory_get(names->count, sizeof *groups);
    size_t *firsts = memory_get(names->count, sizeof *firsts), count = 0;
    for (size_t n = 0; n < names->count; n++) {
        size_t f = find_width(names->text[n]) ? 0 : count;
        while (f < count && !is_same_but_width(names->text[firsts[f]], names->text[n]))
            f++;
        if (f == count && find_width(names->text[n]))
            firsts[count++] = n;
        first[n] = f < count ? firsts[f] : n;
        strings_add(&groups[first[n]], names->text[n]);
    }
    mapping_free(firsts);
    return groups;
}

/* The number of different widths of names, at most `most`. */
static unsigned count_widths(const struct strings *names, unsigned most) {
    unsigned long seen[8];
    unsigned count = 0;
    for (size_t name = 0; name < names->count && count < most; name++) {
        const char *width = find_width(names->text[name]);
        const unsigned long n = width ? strtoul(width + 1, NULL, 10) : 0;
        unsigned s = 0;
        while (s < count && seen[s] != n)
            s++;
        if (s == count)
            seen[count++] = n;
    }
    return count;
}

char *braces_in_width(const struct strings *names, size_t width) {
    enum { MANY = 8, GROUPS = 32 };
    size_t longest = 0, length;
    char *all = braces_text(names);
    for (const char *c = all; *c; c += length + strspn(c + length, ", ")) {
        const char *end = strstr(c, ", ");
        length = end ? (size_t)(end - c) : strlen(c);
        longest = length > longest ? length : longest;
    }
    if (longest < width)
        return all;
    struct strings others = {.count = 0}, wide[GROUPS];
    size_t wide_count = 0, *first = memory_get(names->count, sizeof *first);
    struct strings *groups = group_names(names, first);
    for (size_t n = 0; n < names->count; n++) {
        struct strings *group = &groups[first[n]];
        if (first[n] == n && wide_count < GROUPS && count_widths(group, MANY) == MANY) {
            wide[wide_count++] = *group;
            group->count = 0;
        } else if (group->count > 0) {
            strings_add(&others, names->text[n]);
        }
    }
    struct printer text = {.text = NULL};
    if (others.count > 0)
        print_text(&text, braces_text(&others));
    for (size_t g = 0; g < wide_count; g++)
        print(&text, "%s%s", text.size > 0 ? ", " : "", braces_text(&wide[g]));
    return printer_string(&text);
}

/* ---- Reading ---- */

/* Expands a pattern of `length` bytes, and adds the names. */
static enum mapping_status expand(const char *pattern, size_t length, struct strings *names,
                                  struct mapping_error *error) {
    const char *end = pattern + length, *open = memchr(pattern, '{', length);
    char text[NAME_MAX_SIZE];
    if (length >= sizeof text || names->count >= NAMES_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "a name is too long, or there are too many names");
    if (!open) {
        snprintf(text, sizeof text, "%.*s", (int)length, pattern);
        strings_add(names, text);
        return MAPPING_OK;
    }
    const char *close = open, *start = open + 1;
    for (int depth = 1; depth > 0;) {
        if (++close >= end)
            return mapping_fail(error, MAPPING_INVALID, "a brace is not closed");
        depth += (*close == '{') - (*close == '}');
    }
    const int before = (int)(open - pattern), behind = (int)(end - close - 1);
    enum mapping_status status = MAPPING_OK;
    while (status == MAPPING_OK && start <= close) {
        const char *stop = start;
        for (int depth = 0; stop < close && (depth > 0 || *stop != ','); stop++)
            depth += (*stop == '{') - (*stop == '}');
        unsigned first, last, step;
        int read = 0;
        /* NOLINTNEXTLINE(cert-err34-c): a text outside of these bounds is not a range */
        const bool is_run = sscanf(start, "%6u..%6u..%6u%n", &first, &last, &step, &read) == 3 &&
                            start + read == stop && step > 0 &&
                            strspn(start, "0123456789.") >= (size_t)read;
        if (is_run) {
            if (first > last)
                return mapping_fail(error, MAPPING_INVALID, "the range '%.*s' is empty",
                                    (int)(stop - start), start);
            for (unsigned n = first; n <= last && status == MAPPING_OK; n += step) {
                snprintf(text, sizeof text, "%.*s%u%.*s", before, pattern, n, behind, close + 1);
                status = expand(text, strlen(text), names, error);
            }
        } else {
            snprintf(text, sizeof text, "%.*s%.*s%.*s", before, pattern, (int)(stop - start), start,
                     behind, close + 1);
            status = expand(text, strlen(text), names, error);
        }
        start = stop + 1;
    }
    return status;
}

enum mapping_status braces_read(const char *text, size_t length, struct strings *names,
                                struct mapping_error *error) {
    const char *end = text + length;
    enum mapping_status status = MAPPING_OK;
    while (status == MAPPING_OK && text < end) {
        const char *stop = text;
        while (stop < end && strncmp(stop, ", ", 2) != 0)
            stop++;
        status = expand(text, (size_t)(stop - text), names, error);
        text = stop + 2;
    }
    return status;
}
