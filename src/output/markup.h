/* markup.h - text inside of XML and HTML. */
#ifndef MARKUP_H
#define MARKUP_H

#include "system/printer.h"

/* The bytes of the character that begins here; 0 if it is none of UTF-8, or one that no text should
 * have as it is, see layout/printable.h. A newline may be there. */
int utf8_length(const char *text);

/* Prints `length` bytes of text so that they stand between elements as they are; what is no
 * character as '?'. */
void print_markup(struct printer *to, const char *text, size_t length);

#endif
