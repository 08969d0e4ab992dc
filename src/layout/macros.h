/* macros.h - replaces macros without parameters in a text, as the preprocessor of C does. */
#ifndef MACROS_H
#define MACROS_H

#include "layout/program.h"

/* Replaces the macros that the program knows, and those that the text defines. Returns the new
 * text, which lives in the arena, or `text` itself if it has no macros. `text` must outlive the
 * program. A line "#define NAME BODY" becomes blank. A macro with parameters stays in the text, and
 * so does each "#define" after the program has too many macros. */
const char *macros_expand(struct mapping_program *program, const char *text);

#endif
