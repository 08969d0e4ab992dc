/* recorded.h - the text of results/, embedded by the Makefile. */
#ifndef RECORDED_H
#define RECORDED_H

/* The results files, one for each architecture, each ending with '\0'; the list ends with NULL. */
extern const char *const recorded_files[];

/* The file of an architecture, 75 for sm_75; NULL if there is none. */
const char *recorded_file(unsigned arch);

#endif
