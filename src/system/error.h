/* error.h - an error: a status, which is also the exit status of the command, and a sentence.
 * layout/sentence.c formats the sentences. */
#ifndef SYSTEM_ERROR_H
#define SYSTEM_ERROR_H

#include "mapping.h"

/* One sentence for the user, without prefix or period at the end. It is one line, and can be
 * printed; see mapping_fail. For a C expression, two more lines show the place of the error. */
struct mapping_error {
    char message[2048];
};

/* Formats the sentence and returns `status`. The format is that of printf, with %s, %c, %g and
 * whole numbers. The arguments of %s and %c may contain any bytes: invalid UTF-8, control
 * characters and invisible characters are written as C escapes, \n or \x1b. A text that is longer
 * than the precision, than 512 bytes, or too long for the sentence is shortened in the middle:
 * "abc...xyz". "%.*s" takes a text of this number of bytes, "%-s" another error's message,
 * unchanged. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format, ...);

/* Sets the message "out of memory" and returns MAPPING_FAILED. */
enum mapping_status mapping_out_of_memory(struct mapping_error *error);

#endif
