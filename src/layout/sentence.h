/* sentence.h - formats sentences for people: errors, pieces of text, and text from outside. */
#ifndef SENTENCE_H
#define SENTENCE_H

#include "system/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Errors; see mapping_fail ---- */

/* Is mapping_fail with the arguments of a function that takes what printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 0)))
#endif
enum mapping_status
mapping_fail_with(struct mapping_error *error, enum mapping_status status, const char *format,
                  va_list arguments);

/* ---- Text that is put together from pieces ---- */

/* Appends to a text in a room of `size` bytes, as printf does. What does not fit is left out. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void mapping_append(char *text, size_t size, const char *format, ...);

/* The ending of a word in the plural: "s", or "" for one. */
const char *mapping_plural(uint32_t count);

/* ---- Text from outside: names, paths, files, messages of tools ----
 *
 * It is printed without what would act on a terminal. Bytes that are not UTF-8, control characters
 * (U+0080 to U+009F too), bidirectional control characters and invisible ones are escaped as in C:
 * \n, \x1b, \u202e. */

/* Writes text as it may be printed, at most `most` bytes and the end; longer text is written
 * without its middle: "abc...xyz". Returns the length. */
size_t mapping_printable(const char *text, size_t size, char *printed, size_t most);

#endif
