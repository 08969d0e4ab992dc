/* braces.h - many names of fragments in few words, as bash writes them:
 * "wmma.m16n16k16.{a,b}.{row,col}.f16", "wgmma.m64n{8..256..8}k16.d.{f32,f16}". */
#ifndef BRACES_H
#define BRACES_H

#include "system/printer.h"

struct brace_pattern;

/* A zeroed one has no names. */
struct braces {
    struct brace_pattern *patterns; /* owned */
    size_t count, room;
};

/* Adds a name. False if out of memory. Free it with braces_free. */
bool braces_add(struct braces *braces, const char *name);

/* Merges what differs in one word between dots, as often as there is something. */
void braces_merge(struct braces *braces);

/* Prints the patterns, in the order of their first names, in backticks with commas between. */
void braces_print(const struct braces *braces, struct printer *to);

void braces_free(struct braces *braces);

#endif
