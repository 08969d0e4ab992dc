/* check.h - deriving results files again, and comparing. */
#ifndef CHECK_H
#define CHECK_H

#include "options.h"

/* Checks the files that the options name, or the recorded results, and prints a line for each
 * section to `file`. MAPPING_DIFFERS if a section is not what a source gives; MAPPING_UNAVAILABLE
 * if no section could be checked; MAPPING_INVALID if a file is malformed. */
enum mapping_status check(const struct options *options, FILE *file, struct mapping_error *error);

#endif
