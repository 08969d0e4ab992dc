/* sentence.h - formats messages: errors, pieces of text, and untrusted text. */
#ifndef SENTENCE_H
#define SENTENCE_H

#include "system/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Errors; see mapping_fail ---- */

/* mapping_fail with its arguments as a va_list. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 0)))
#endif
enum mapping_status
mapping_fail_with(struct mapping_error *error, enum mapping_status status, const char *format,
                  va_list arguments);

/* ---- Text that is put together from pieces ---- */

/* Appends to a text in a buffer of `size` bytes, as printf does. What does not fit is cut off. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void mapping_append(char *text, size_t size, const char *format, ...);

/* The plural ending: "s", or "" if `count` is 1. */
const char *mapping_plural(uint32_t count);

/* The text before item `n` of `count` items in a list: "", ", " or, before the last one, `last`,
 * such as " and ". */
const char *mapping_separator(size_t n, size_t count, const char *last);

/* ---- Untrusted text: names, paths, files, messages of tools ----
 *
 * Untrusted text must not control a terminal when it is printed. Bytes that are not UTF-8, control
 * characters (including U+0080 to U+009F), bidirectional control characters and invisible
 * characters are escaped as in C: \n, \x1b, \u202e. */

/* Writes text in printable form, at most `most` bytes and the final '\0'. Longer text loses its
 * middle: "abc...xyz". Returns the length. */
size_t mapping_printable(const char *text, size_t size, char *printed, size_t most);

#endif
