/* words.c - the words that names and opcodes consist of: shapes, lanes and orders; and the words of
 * one opcode, which are taken out one by one as they are recognised. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <stdio.h>
#include <string.h>

/* ---- Single words ---- */

bool mapping_name_lower(const char *name, char text[MAPPING_TEXT_SIZE]) {
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length >= MAPPING_TEXT_SIZE)
        return false;
    for (size_t c = 0; c < length; c++)
        text[c] = ascii_lower(name[c]);
    memset(text + length, 0, MAPPING_TEXT_SIZE - length);
    return true;
}

const char *mapping_size_read(const char *text, uint16_t *size) {
    const char *start = text;
    for (*size = 0; ascii_is_digit(*text) && text < start + 3; text++)
        *size = (uint16_t)(*size * 10 + (*text - '0'));
    return text > start && *start != '0' ? text : NULL;
}

bool mapping_number_read(const char *text, uint16_t *number) {
    const char *end = mapping_size_read(text, number);
    return end && *end == '\0';
}

bool mapping_shape_read(const char *word, struct mapping_shape *shape) {
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    shape->n = shape->k = 0;
    for (int s = 0; s < 3 && (s == 0 || *word); s++)
        if (*word == "mnk"[s] ? !(word = mapping_size_read(word + 1, sizes[s])) : s != 1)
            return false;
    return *word == '\0' && (shape->n > 0 || shape->k > 0);
}

void mapping_lanes_text(struct mapping_shape shape, char text[LANES_TEXT]) {
    snprintf(text, LANES_TEXT, "%hux%hub%s", shape.m, shape.n,
             mapping_lanes_are_twice(shape) ? "x2" : "");
}

bool mapping_lanes_read(const char *word, struct mapping_shape *shape) {
    const char *end = mapping_size_read(word, &shape->m);
    if (!end || *end != 'x' || !(end = mapping_size_read(end + 1, &shape->n)) || *end != 'b')
        return false;
    return strcmp(end + 1, mapping_lanes_are_twice(*shape) ? "x2" : "") == 0;
}

bool mapping_lanes_are_twice(struct mapping_shape shape) {
    return shape.m == 16 && shape.n == 32;
}

/* ---- Those of an opcode ---- */

bool mapping_words_split(struct words *words, const char *opcode, const char *mnemonic) {
    size_t length = strlen(mnemonic), size = strlen(opcode) + 1;
    if (strncmp(opcode, mnemonic, length) != 0 || opcode[length] != '.' ||
        size > sizeof words->text)
        return false;
    memcpy(words->text, opcode, size);
    char *next = words->text + length;
    for (words->count = 0; next && words->count < WORDS_MAX; words->count++) {
        *next++ = '\0';
        words->word[words->count] = next;
        next = strchr(next, '.');
    }
    return !next;
}

bool mapping_words_take(struct words *words, const char *word) {
    for (size_t w = 0; w < words->count; w++) {
        if (words->word[w] && strcmp(words->word[w], word) == 0) {
            words->word[w] = NULL;
            return true;
        }
    }
    return false;
}

/* Takes out the first word that `read` can read, and stores what it reads in `value`; false if
 * there is none. */
static bool take_first(struct words *words, bool (*read)(const char *word, void *value),
                       void *value) {
    for (size_t w = 0; w < words->count; w++) {
        if (words->word[w] && read(words->word[w], value)) {
            words->word[w] = NULL;
            return true;
        }
    }
    return false;
}

static bool read_shape(const char *word, void *shape) {
    return mapping_shape_read(word, shape);
}

static bool read_lanes(const char *word, void *shape) {
    return mapping_lanes_read(word, shape);
}

/* Reads a type in PTX spelling. */
static bool read_type(const char *word, void *type) {
    enum mapping_type *found = type;
    return mapping_type_find(word, found) && strcmp(word, mapping_type_name(*found)) == 0;
}

bool mapping_words_take_shape(struct words *words, struct mapping_shape *shape) {
    return take_first(words, read_shape, shape);
}

bool mapping_words_take_lanes(struct words *words, struct mapping_shape *shape) {
    return take_first(words, read_lanes, shape);
}

bool mapping_words_take_type(struct words *words, enum mapping_type *type) {
    return take_first(words, read_type, type);
}

/* Takes out all words that are among those of "rn|rz|rm|rp", and returns how many they were. */
static size_t take_all(struct words *words, const char *among, size_t length) {
    size_t count = 0;
    for (size_t w = 0; w < words->count; w++) {
        size_t size = words->word[w] ? strlen(words->word[w]) : 0;
        for (const char *one = among; size > 0 && one < among + length;) {
            size_t part = strcspn(one, "|");
            part = one + part > among + length ? (size_t)(among + length - one) : part;
            if (part == size && memcmp(one, words->word[w], size) == 0) {
                words->word[w] = NULL;
                count++;
                break;
            }
            one += part + 1;
        }
    }
    return count;
}

bool mapping_words_obey(struct words *words, const char *rules) {
    for (const char *rule = rules; *rule; rule += strspn(rule, " ")) {
        size_t length = strcspn(rule, "+?* ");
        size_t count = take_all(words, rule, length);
        char frequency = rule[length];
        if ((count == 0 && frequency != '?' && frequency != '*') ||
            (count > 1 && frequency != '+' && frequency != '*'))
            return false;
        rule += strcspn(rule, " ");
    }
    return true;
}

bool mapping_words_are_taken(const struct words *words) {
    for (size_t w = 0; w < words->count; w++)
        if (words->word[w])
            return false;
    return true;
}
