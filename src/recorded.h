/* recorded.h - the text of results/, embedded by the Makefile. */
#ifndef RECORDED_H
#define RECORDED_H

#include "mapping.h"

/* A results file. */
struct recorded {
    const char *name;  /* "sm_80" of results/sm_80.txt, "mma.sp" of results/mma.sp.txt */
    const char *text;  /* ends with '\0' */
    const char *archs; /* that it has sections of, as " 80 90 " */
};

/* All of them; the list ends with a NULL name. */
extern const struct recorded recorded_files[];

/* The text of the file that the fragments of this instruction are recorded in if they are for the
 * architecture, 75 for sm_75; NULL if they are not. */
const char *recorded_file(unsigned arch, enum mapping_instruction instruction);

/* Finds the section of a fragment in the text of such a file; NULL if there is none. *place is
 * where the last one was found, or NULL, and becomes where this one was: fragments come mostly in
 * the order of a file. */
const char *recorded_section(unsigned arch, const struct mapping_fragment *fragment,
                             const char **place);

#endif
