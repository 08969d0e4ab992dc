/* file.h - reading a whole file. */
#ifndef FILE_H
#define FILE_H

#include "mapping.h"
#include "system/printer.h"

/* Larger than any file that is read, in bytes. */
enum { FILE_MAX = 64 << 20 };

/* Reads a whole text; "-" is standard input. `kind` is what it should be, "results file".
 * MAPPING_UNAVAILABLE if it cannot be read, MAPPING_FAILED if that is for want of memory or
 * descriptors, or the disk fails, MAPPING_INVALID if it is empty, larger than FILE_MAX or no text.
 * Free `content` with printer_free in any case; its text ends with '\0'. */
enum mapping_status file_read(const char *path, const char *kind, struct printer *content,
                              struct mapping_error *error);

#endif
