/* macros.h - replaces macros without parameters in a text, as the preprocessor of C does. */
#ifndef MACROS_H
#define MACROS_H

#include "layout/program.h"

/* Returns the text with the macros of the program and those that it defines replaced, up to the end
 * of the arena; the text itself if there are none. The text must outlive the program. Lines
 * "#define NAME BODY" become blank; a macro with parameters stays in the text, and so do lines
 * "#define" when there are too many macros. */
const char *macros_expand(struct mapping_program *program, const char *text);

#endif
