/* access.h - accesses to shared memory, as text. */
#ifndef OUTPUT_ACCESS_H
#define OUTPUT_ACCESS_H

#include "output/output.h"

/* Prints the addresses, the wavefronts, and of each phase which lanes meet in which bank. */
void print_access(struct printer *to, const struct access *access);

#endif
