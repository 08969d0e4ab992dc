/* diff.h - which fragments differ between two architectures. */
#ifndef DIFF_H
#define DIFF_H

#include "options.h"

/* Compares the fragments that the options choose between their two architectures, and prints what
 * differs. MAPPING_DIFFERS if anything does. */
enum mapping_status diff(const struct options *options, FILE *file, struct mapping_error *error);

#endif
