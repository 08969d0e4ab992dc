/* guard.h - include guards for code that several headers of one program may contain. */
#ifndef GUARD_H
#define GUARD_H

#include "system/system.h"

#include <stddef.h>
#include <stdint.h>

/* A number for what code does: begin with GUARD_START, and add all that it follows from. */
#define GUARD_START 2166136261U
uint32_t guard_add(uint32_t hash, const void *bytes, size_t size);

/* Adds a tiling in words, as of struct tile_request, to a name in C: "_tile_2_2_1_by_32_32_x" of
 * "atom layout (2,2,1), permutation 32,32,_". */
void guard_add_tiling(const char *tiling, char *name, size_t size);

/* Text inside of a comment, which it does not end; each line of it begins with " * ". */
void guard_comment(struct printer *to, const char *text);

/* Prints a name in capitals, what C does not allow in it as '_'. */
void guard_macro(struct printer *to, const char *name);

/* Opens an include guard for code that several headers may contain. Its macro consists of start,
 * name and end, as guard_macro prints them. If an earlier header has code of this name with another
 * hash, an #error stops the compiler. The caller closes the guard with #endif. */
void guard_open(struct printer *to, const char *start, const char *name, const char *end,
                uint32_t hash);

#endif
