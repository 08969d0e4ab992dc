/* file.c - reading a whole file; see file.h. */
#include "system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Reads what a file holds, up to FILE_MAX. Returns 0, or the errno of what went wrong. */
static int read_all(int fd, struct printer *content) {
    enum { PART = 1 << 16 };
    ssize_t got;
    do {
        got = read(fd, printer_room(content, PART), PART);
        content->size += got > 0 ? (size_t)got : 0;
    } while ((got > 0 || (got < 0 && errno == EINTR)) && content->size < FILE_MAX);
    return got < 0 ? errno : 0;
}

/* Says what could not be done with a file: it is the machine that fails, or the file that is not
 * there for us. */
static enum mapping_status fail_file(const char *what, const char *path, int cause,
                                     struct mapping_error *error) {
    bool is_machine = cause == EIO || cause == EMFILE || cause == ENFILE;
    if (cause == ENOMEM)
        return mapping_out_of_memory(error);
    return mapping_fail(error, is_machine ? MAPPING_FAILED : MAPPING_UNAVAILABLE,
                        "could not %s %.200s: %s", what, path, strerror(cause));
}

enum mapping_status file_read(const char *path, const char *kind, struct printer *content,
                              struct mapping_error *error) {
    bool is_input = strcmp(path, "-") == 0;
    const char *name = is_input ? "standard input" : path;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_file("open", path, errno, error);
    int cause = read_all(fd, content);
    if (!is_input)
        close(fd);
    if (cause != 0)
        return fail_file("read", name, cause, error);
    size_t size = content->size;
    printer_string(content);
    if (size >= FILE_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is not a valid %s: it is larger than %d MiB", name, kind,
                            FILE_MAX >> 20);
    if (strlen(content->text) != size)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is not a valid %s: it has a zero byte, so it is not text", name,
                            kind);
    if (size == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.200s is not a valid %s: it is empty", name,
                            kind);
    return MAPPING_OK;
}
