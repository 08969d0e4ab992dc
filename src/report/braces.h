/* braces.h - shortens lists of names with braces as in bash, mma.m16n8k{8,16}.{c,d}.f32, and with
 * ranges of numbers in equal steps, wgmma.m64n{8..256..8}k16.d.f32. */
#ifndef BRACES_H
#define BRACES_H

#include "catalogue/fragment.h"
#include "system/system.h"

/* Names, whose words have dots between them, as few patterns with ", " between them. The text is in
 * the current arena. */
char *braces_text(const struct strings *names);

/* Returns the same. If a pattern has more characters than `width`, as with one for each n and k,
 * makes a pattern for each k that has many n. */
char *braces_in_width(const struct strings *names, size_t width);

/* Expands `length` bytes of such a text, and adds all names. MAPPING_INVALID if a brace is not
 * closed, or the text expands to too many or too long names. */
enum mapping_status braces_read(const char *text, size_t length, struct strings *names,
                                struct mapping_error *error);

#endif
