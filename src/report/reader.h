/* reader.h - reading text line by line, and saying in which line it is not as expected. */
#ifndef READER_H
#define READER_H

#include "report/observation.h"

/* Longest line that is copied, with its end. */
enum { LINE_SIZE = PROVENANCE_TEXT + 64 };

/* Where a text of sections is read. */
struct section_reader {
    const char *next; /* what is still to be read, ends with '\0' */
    unsigned line;    /* its number, from 1 */
};

struct section_reader section_reader_of(const char *text);

/* Says in which line what was expected. MAPPING_INVALID. */
enum mapping_status reader_malformed(const struct section_reader *reader, const char *expected,
                                     struct mapping_error *error);

/* Moves on to the next line, or to the end where there is none. */
void reader_skip_line(struct section_reader *reader);

/* Takes the next line if it is exactly `expected`, which an error calls `description`. */
enum mapping_status reader_take(struct section_reader *reader, const char *expected,
                                const char *description, struct mapping_error *error);

/* Takes the next line if it is exactly `title`; nothing if that is "". */
enum mapping_status reader_take_title(struct section_reader *reader, const char *title,
                                      struct mapping_error *error);

/* Takes the next line if it begins with `prefix`, and copies what is behind that, without the
 * newline, cut off at LINE_SIZE. */
enum mapping_status reader_take_line(struct section_reader *reader, const char *prefix,
                                     const char *description, char line[LINE_SIZE],
                                     struct mapping_error *error);

#endif
