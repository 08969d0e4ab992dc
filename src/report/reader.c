/* reader.c - reading text line by line; see reader.h. */
#include "report/reader.h"

#include <stdio.h>
#include <string.h>

struct section_reader section_reader_of(const char *text) {
    return (struct section_reader){text, 1};
}

enum mapping_status reader_malformed(const struct section_reader *reader, const char *expected,
                                     struct mapping_error *error) {
    if (!*reader->next)
        return mapping_fail(error, MAPPING_INVALID, "line %u: ends early, expected %s",
                            reader->line, expected);
    if (!strchr(reader->next, '\n'))
        return mapping_fail(error, MAPPING_INVALID, "line %u: ends without a newline",
                            reader->line);
    return mapping_fail(error, MAPPING_INVALID, "line %u: expected %s", reader->line, expected);
}

void reader_skip_line(struct section_reader *reader) {
    reader->next += strcspn(reader->next, "\n");
    reader->next += *reader->next == '\n';
    reader->line++;
}

enum mapping_status reader_take(struct section_reader *reader, const char *expected,
                                const char *description, struct mapping_error *error) {
    size_t length = strlen(expected);
    if (strncmp(reader->next, expected, length) != 0 || reader->next[length] != '\n')
        return reader_malformed(reader, description, error);
    reader_skip_line(reader);
    return MAPPING_OK;
}

enum mapping_status reader_take_line(struct section_reader *reader, const char *prefix,
                                     const char *description, char line[LINE_SIZE],
                                     struct mapping_error *error) {
    size_t length = strlen(prefix);
    if (strncmp(reader->next, prefix, length) != 0 || !strchr(reader->next, '\n'))
        return reader_malformed(reader, description, error);
    size_t size = strcspn(reader->next, "\n") - length;
    if (size >= LINE_SIZE)
        size = LINE_SIZE - 1;
    memcpy(line, reader->next + length, size);
    line[size] = '\0';
    reader_skip_line(reader);
    return MAPPING_OK;
}

enum mapping_status reader_take_title(struct section_reader *reader, const char *title,
                                      struct mapping_error *error) {
    char form[160];
    snprintf(form, sizeof form, "'%s'", title);
    return *title ? reader_take(reader, title, form, error) : MAPPING_OK;
}
