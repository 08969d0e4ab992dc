/* lines.h - reads command lines from a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LINES_MAX = 128, LINE_WORDS = 24 };

struct line {
    char *text;                          /* the line unchanged */
    char *words;                         /* the memory to which the other pointers point */
    char *arguments[LINE_WORDS];         /* "mapping" first, NULL last */
    char *variables[LINE_WORDS], *input; /* VARIABLE=VALUE; a file for standard input, or NULL */
    size_t argument_count, variable_count;
};

struct lines {
    struct line line[LINES_MAX];
    size_t count;
};

/* Reads those lines of the file that have the text in them. Words are separated by a blank, quotes
 * are single ones, a word that begins with a capital and has a = is a variable, # begins a comment.
 * Nothing is freed. */
bool lines_read(const char *path, const char *text, struct lines *lines);
