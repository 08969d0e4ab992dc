/* markup.h - text inside of XML and HTML. */
#ifndef MARKUP_H
#define MARKUP_H

#include "system/system.h"

/* Prints `length` bytes of text, which may be printed as it is (layout/sentence.h), so that they
 * stand between elements. */
void print_markup(struct printer *to, const char *text, size_t length);

#endif
