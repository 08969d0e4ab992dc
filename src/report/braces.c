/* braces.c - many names in few words; see braces.h. */
#include "report/braces.h"

#include "system/memory.h"

#include <stdlib.h>
#include <string.h>

/* Words in a name, and letters in a word with its end. */
enum { WORDS_MAX = 8, WORD_SIZE = 24 };

/* One of the words that may stand at a place. */
struct word {
    char text[WORD_SIZE];
    struct word *next; /* owned */
};

struct brace_pattern {
    unsigned count;
    struct word *words[WORDS_MAX]; /* owned */
};

static void free_words(struct word *word) {
    while (word) {
        struct word *next = word->next;
        free(word);
        word = next;
    }
}

static void free_pattern(struct brace_pattern *pattern) {
    for (unsigned p = 0; p < pattern->count; p++)
        free_words(pattern->words[p]);
}

void braces_free(struct braces *braces) {
    for (size_t n = 0; n < braces->count; n++)
        free_pattern(&braces->patterns[n]);
    free(braces->patterns);
    *braces = (struct braces){.patterns = NULL};
}

bool braces_add(struct braces *braces, const char *name) {
    struct brace_pattern *patterns =
        array_grow(braces->patterns, braces->count, 1, &braces->room, sizeof *patterns);
    if (!patterns)
        return false;
    braces->patterns = patterns;
    struct brace_pattern *pattern = &patterns[braces->count++];
    *pattern = (struct brace_pattern){.count = 0};
    for (size_t length; pattern->count < WORDS_MAX; name += length + 1) {
        struct word *word = calloc(1, sizeof *word);
        if (!word)
            return false;
        length = strcspn(name, ".");
        memcpy(word->text, name, length < WORD_SIZE ? length : WORD_SIZE - 1);
        pattern->words[pattern->count++] = word;
        if (!name[length])
            break;
    }
    return true;
}

/* ---- Merging ---- */

static bool same_words(const struct word *a, const struct word *b) {
    while (a && b && strcmp(a->text, b->text) == 0) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

/* True if two patterns are the same in all places but one. */
static bool differ_only_at(const struct brace_pattern *a, const struct brace_pattern *b,
                           unsigned place) {
    if (a->count != b->count)
        return false;
    for (unsigned p = 0; p < a->count; p++)
        if (p != place && !same_words(a->words[p], b->words[p]))
            return false;
    return true;
}

/* Adds what may stand at a place of b to a; b is empty then. */
static void take_words(struct brace_pattern *a, struct brace_pattern *b, unsigned place) {
    struct word **end = &a->words[place];
    while (*end)
        end = &(*end)->next;
    *end = b->words[place];
    b->words[place] = NULL;
    free_pattern(b);
    b->count = 0;
}

/* Merges patterns that differ in the word that has so many behind it. */
static void merge_at(struct braces *braces, unsigned behind) {
    size_t kept = 0;
    for (size_t n = 0; n < braces->count; n++) {
        struct brace_pattern *a = &braces->patterns[n];
        if (a->count == 0)
            continue;
        for (size_t m = n + 1; m < braces->count && behind < a->count; m++)
            if (differ_only_at(a, &braces->patterns[m], a->count - 1 - behind))
                take_words(a, &braces->patterns[m], a->count - 1 - behind);
        braces->patterns[kept++] = *a;
    }
    braces->count = kept;
}

void braces_merge(struct braces *braces) {
    size_t before;
    do {
        before = braces->count;
        for (unsigned behind = 0; behind < WORDS_MAX; behind++)
            merge_at(braces, behind);
    } while (braces->count < before);
}

/* ---- Printing ---- */

/* Finds where words differ in a number and in nothing else: so many letters stand before it, the
 * same text behind. */
static bool find_number(const struct word *words, size_t *before) {
    static const char digits[] = "0123456789";
    const char *first = words->text, *second = words->next->text;
    size_t start = 0;
    while (first[start] && first[start] == second[start])
        start++;
    while (start > 0 && strchr(digits, first[start - 1]))
        start--;
    const char *behind = first + start + strspn(first + start, digits);
    *before = start;
    for (const struct word *word = words; word; word = word->next) {
        size_t length = strlen(word->text) < start ? 0 : strspn(word->text + start, digits);
        if (length == 0 || strncmp(word->text, first, start) != 0 ||
            strcmp(word->text + start + length, behind) != 0)
            return false;
    }
    return true;
}

static long number_at(const struct word *word, size_t before) {
    return strtol(word->text + before, NULL, 10);
}

/* The last word of those whose numbers grow by equal steps. */
static const struct word *find_run(const struct word *word, size_t before, long *step,
                                   unsigned *count) {
    *step = word->next ? number_at(word->next, before) - number_at(word, before) : 0;
    for (*count = 1; word->next && *step > 0; ++*count, word = word->next)
        if (number_at(word->next, before) - number_at(word, before) != *step)
            break;
    return word;
}

/* Prints "8..256..8", and numbers of which no 4 grow alike by themselves. */
static void print_numbers(struct printer *to, const struct word *words, size_t before) {
    enum { WORTH_A_RUN = 4 };
    const struct word *word = words;
    unsigned count;
    long step;
    const struct word *last = find_run(words, before, &step, &count);
    bool is_one = !last->next && count >= WORTH_A_RUN;
    print(to, "%.*s{", (int)before, words->text);
    do {
        print_text(to, word == words ? "" : ",");
        last = find_run(word, before, &step, &count);
        if (count >= WORTH_A_RUN) {
            print(to, is_one ? "%ld..%ld..%ld" : "{%ld..%ld..%ld}", number_at(word, before),
                  number_at(last, before), step);
        } else {
            print(to, "%ld", number_at(word, before));
            last = word;
        }
        word = last->next;
    } while (word);
    const char *number = words->text + before;
    print(to, "}%s", number + strspn(number, "0123456789"));
}

static void print_words(struct printer *to, const struct word *words) {
    enum { WORTH_NUMBERS = 4 };
    unsigned count = 0;
    size_t before;
    for (const struct word *word = words; word; word = word->next)
        count++;
    if (count == 1) {
        print_text(to, words->text);
    } else if (count >= WORTH_NUMBERS && find_number(words, &before)) {
        print_numbers(to, words, before);
    } else {
        for (const struct word *word = words; word; word = word->next)
            print(to, "%c%s", word == words ? '{' : ',', word->text);
        print_char(to, '}');
    }
}

void braces_print(const struct braces *braces, struct printer *to) {
    for (size_t n = 0; n < braces->count; n++) {
        print_text(to, n > 0 ? ", `" : "`");
        for (unsigned p = 0; p < braces->patterns[n].count; p++) {
            print_text(to, p > 0 ? "." : "");
            print_words(to, braces->patterns[n].words[p]);
        }
        print_char(to, '`');
    }
}
