/* file.c - reading a whole file; see file.h. */
#include "system/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reads what a file holds, up to FILE_MAX. Returns 0, or the errno of what went wrong. */
static int read_all(FILE *file, struct printer *content) {
    enum { PART = 1 << 16 };
    size_t got;
    do {
        char *place = printer_room(content, PART);
        got = place ? fread(place, 1, PART, file) : 0;
        content->size += got;
    } while (got > 0 && content->size < FILE_MAX);
    return ferror(file) ? errno : 0;
}

enum mapping_status file_read(const char *path, const char *kind, struct printer *content,
                              struct mapping_error *error) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file && errno == ENOMEM)
        return mapping_out_of_memory(error);
    if (!file)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "could not open %.200s: %s", path,
                            strerror(errno));
    int cause = read_all(file, content);
    if (file != stdin)
        fclose(file);
    size_t size = content->size;
    if (cause != 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "could not read %.200s: %s", path,
                            strerror(cause));
    if (!printer_string(content))
        return mapping_out_of_memory(error);
    if (size >= FILE_MAX)
        return mapping_fail(error, MAPPING_INVALID, "%.200s is no %s, it is larger than %d MiB",
                            path, kind, FILE_MAX >> 20);
    if (strlen(content->text) != size)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is no %s, which is text; it has a zero byte", path, kind);
    if (size == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.200s is no %s, it is empty", path, kind);
    return MAPPING_OK;
}
