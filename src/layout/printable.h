/* printable.h - text from outside as it may be printed: names, paths, files, complaints of tools.
 *
 * What is no UTF-8, what would act on a terminal (control characters, U+0080 to U+009F too), what
 * turns the direction of text around and what cannot be seen is written as C would escape it: \n,
 * \x1b, \u202e. All else is left as it is. */
#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the first of `size` bytes and those behind it that belong to it have, at least 1.
 * Writes which character they are, or UINT32_MAX if they are no UTF-8. */
size_t mapping_utf8(const char *text, size_t size, uint32_t *character);

/* Longest character with its end. */
enum { PRINTABLE_SIZE = 12 };

/* Writes the character that the text of `size` bytes, at least 1, begins with as it may be printed,
 * and returns how many bytes it has there. */
size_t mapping_printable_character(const char *text, size_t size, char printed[PRINTABLE_SIZE]);

/* Writes text as it may be printed, at most `most` bytes and the end; longer text is written
 * without its middle: "abc...xyz". Returns the length. */
size_t mapping_printable(const char *text, size_t size, char *printed, size_t most);

#endif
