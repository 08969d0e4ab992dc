/* error.h - an error: a status, which is also the exit status of the command, and a sentence.
 * layout/sentence.c formats the sentences. */
#ifndef SYSTEM_ERROR_H
#define SYSTEM_ERROR_H

#include "mapping.h"

/* One sentence for the user, without prefix or final stop. It is one line, and can be printed: see
 * mapping_fail. Of an expression of C it points at the place, in two lines more. */
struct mapping_error {
    char message[2048];
};

/* Writes the sentence and returns `status`. The format is printf's, with %s, %c, %g and whole
 * numbers. What %s and %c put in may be anything. What of it is no UTF-8, would act on a terminal
 * or cannot be seen is written as C escapes it, \n or \x1b. A text that is longer than the
 * precision, than 512 bytes, or too long for the sentence loses its middle: "abc...xyz". "%.*s"
 * takes a text of so many bytes, and "%-s" the message of another error, as it is. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format, ...);

/* Says "out of memory" and returns MAPPING_FAILED. */
enum mapping_status mapping_out_of_memory(struct mapping_error *error);

#endif
