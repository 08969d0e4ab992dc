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

/* Prints a name as part of a name in C. Characters that are not allowed there become '_'. */
void guard_name(struct printer *to, const char *name);

/* The words and numbers of a text, separated by '_': "Sw_3_3_3_o_0_o_64_64_64_1". */
char *guard_words(const char *text);

/* Prints a tiling, a text as in struct tile_request, as part of a name in C:
 * "_tile_2_2_1_by_32_32_x" for "atom layout (2,2,1), permutation 32,32,_". */
void guard_tiling(struct printer *to, const char *tiling);

/* Prints a text inside a comment, escaped so that it does not end the comment. Each line begins
 * with " * ". */
void guard_comment(struct printer *to, const char *text);

/* Prints a name as guard_name does, in capitals. */
void guard_macro(struct printer *to, const char *name);

/* Opens an include guard for code that several headers may contain. Its macro consists of start,
 * name and end, as guard_macro prints them. If another header has code with this name and a
 * different hash, an #error stops the compiler. The caller prints the #endif. */
void guard_open(struct printer *to, const char *start, const char *name, const char *end,
                uint32_t hash);

#endif
