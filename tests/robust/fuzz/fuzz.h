/* fuzz.h - shared by all fuzzing targets. Each target is a libFuzzer program: it gets bytes that a
 * user or a tool might have written, and stops with a message if a rule does not hold.
 * tests/README.md describes how to run them. */
#ifndef FUZZ_H
#define FUZZ_H

#include "catalogue/fragment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops if the condition does not hold. */
static inline void must(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "it does not hold that %s\n", what);
    abort();
}

/* The bytes as text, up to the first '\0': a copy without spare room at its end. Free it. */
static inline char *text_of(const uint8_t *data, size_t size) {
    const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t length = end ? (size_t)(end - data) : size;
    char *text = malloc(length + 1);
    if (!text)
        abort();
    if (length > 0)
        memcpy(text, data, length);
    text[length] = '\0';
    return text;
}

/* Cuts off the next line; NULL if there is none left. */
static inline char *cut_line(char **text) {
    char *line = *text;
    if (!line)
        return NULL;
    *text = strchr(line, '\n');
    if (*text)
        *(*text)++ = '\0';
    return line;
}

/* A failed call has a message, which ends with '\0'. */
static inline void must_say_why(enum mapping_status status, const struct mapping_error *error) {
    if (status != MAPPING_OK)
        must(*error->message && memchr(error->message, '\0', sizeof error->message),
             "what is refused is refused with a sentence");
}

#endif
