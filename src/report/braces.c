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
};

struct patterns {
    struct pattern *pattern;
    size_t count, capacity;
};

static void add_pattern(struct patterns *patterns, const char *name) {
    patterns->pattern = array_grow(patterns->pattern, patterns->count, 1, &patterns->capacity,
                                   sizeof *patterns->pattern);
    struct pattern *pattern = &patterns->pattern[patterns->count++];
    *pattern = (struct pattern){.count = 0};
    for (size_t length; pattern->count < WORDS_MAX; name += length + 1) {
        char word[64];
        length = strcspn(name, ".");
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        strings_add(&pattern->words[pattern->count++], word);
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

/* Merges patterns that differ in one word, the last words first, until no more can be merged. */
static void merge_patterns(struct patterns *patterns) {
    size_t before;
    do {
        before = patterns->count;
        for (unsigned behind = 0; behind < WORDS_MAX; behind++) {
            size_t kept = 0;
            for (size_t n = 0; n < patterns->count; n++) {
                struct pattern *a = &patterns->pattern[n];
                if (a->count == 0) /* already merged */
                    continue;
                for (size_t m = n + 1; m < patterns->count && behind < a->count; m++) {
                    struct pattern *b = &patterns->pattern[m];
                    const unsigned place = a->count - 1 - behind;
                    if (!differ_only_at(a, b, place))
                        continue;
                    for (size_t w = 0; w < b->words[place].count; w++)
                        strings_add(&a->words[place], b->words[place].text[w]);
                    free_pattern(b);
                }
                patterns->pattern[kept++] = *a;
            }
            patterns->count = kept;
        }
    } while (patterns->count < before);
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

/* The number of different widths of names, at most `most`. */
static unsigned count_widths(const struct strings *names, unsigned most) {
    unsigned long seen[8];
    unsigned count = 0;
    for (size_t name = 0; name < names->count && count < most; name++) {
        const unsigned long n = strtoul(find_width(names->text[name]) + 1, NULL, 10);
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
    bool *is_seen = memory_get(names->count, sizeof *is_seen);
    struct strings others = {.count = 0}, groups[GROUPS];
    size_t group_count = 0;
    for (size_t first = 0; first < names->count; first++) {
        struct strings group = {.count = 0};
        for (size_t n = first; !is_seen[first] && n < names->count; n++)
            if (is_same_but_width(names->text[first], names->text[n]))
                strings_add(&group, names->text[n]);
        const bool is_wide = count_widths(&group, MANY) == MANY && group_count < GROUPS;
        for (size_t n = first; is_wide && n < names->count; n++)
            is_seen[n] |= is_same_but_width(names->text[first], names->text[n]);
        if (is_wide)
            groups[group_count++] = group;
        else if (!is_seen[first])
            strings_add(&others, names->text[first]);
    }
    struct printer text = {.text = NULL};
    if (others.count > 0)
        print_text(&text, braces_text(&others));
    for (size_t g = 0; g < group_count; g++)
        print(&text, "%s%s", text.size > 0 ? ", " : "", braces_text(&groups[g]));
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
