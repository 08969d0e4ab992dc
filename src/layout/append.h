/* append.h - text that is put together from pieces. */
#ifndef APPEND_H
#define APPEND_H

#include <stddef.h>
#include <stdint.h>

/* Appends to a text in a room of `size` bytes, as printf does. What does not fit is left out. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void mapping_append(char *text, size_t size, const char *format, ...);

/* What a word ends in that says of what there are so many: "s", or of one nothing. */
const char *mapping_plural(uint32_t count);

#endif
