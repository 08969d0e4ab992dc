/* widths.h - of fragments that come in many widths n, of which a list has one alone: all of them.
 */
#ifndef WIDTHS_H
#define WIDTHS_H

#include "report/report.h"
#include "system/system.h"

/* Writes all widths: "8, 16 .. 256". "" where there is one alone. */
#define WIDTHS_TEXT 96
void widths_text(const struct mapping_fragment *fragment, char text[WIDTHS_TEXT]);

/* Prints them with that between. */
void widths_print(struct printer *to, const struct mapping_fragment *fragment, char between);

#endif
