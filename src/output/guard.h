/* guard.h - include guards for code that several headers of one program may contain. */
#ifndef GUARD_H
#define GUARD_H

#include "system/system.h"

#include <stddef.h>
#include <stdint.h>

/* A hash of generated code: begin with GUARD_START, and add everything on which the code depends.
 */
#define GUARD_START 2166136261U
uint32_t guard_add(uint32_t hash, const void *bytes, size_t size);

/* Appends a tiling, a text as in struct tile_request, to a name in C: "_tile_2_2_1_by_32_32_x" for
 * "atom layout (2,2,1), permutation 32,32,_". */
void guard_add_tiling(const char *tiling, char *name, size_t size);

/* Prints a text inside a comment, escaped so that it does not end the comment. Each line begins
 * with " * ". */
void guard_comment(struct printer *to, const char *text);

/* Prints a name in capitals. Characters that are not allowed in C names become '_'. */
void guard_macro(struct printer *to, const char *name);

/* Opens an include guard for code that several headers may contain. Its macro consists of start,
 * name and end, as guard_macro prints them. If another header has code with this name and a
 * different hash, an #error stops the compiler. The caller prints the #endif. */
void guard_open(struct printer *to, const char *start, const char *name, const char *end,
                uint32_t hash);

#endif
