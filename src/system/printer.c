/* printer.c - text in memory: prints to it, reads it from a file, and writes it to one. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *printer_grow(struct printer *printer, size_t size) {
    printer->text = array_grow(printer->text, printer->size, size, &printer->room, 1);
    return printer->text + printer->size;
}

void print(struct printer *printer, const char *format, ...) {
    enum { USUAL = 64 }; /* most pieces are shorter, and are printed where they will stand */
    va_list arguments;
    char *place = printer_room(printer, USUAL);
    size_t room = printer->room - printer->size;
    va_start(arguments, format);
    int length = vsnprintf(place, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= room) {
        place = printer_room(printer, (size_t)length + 1);
        va_start(arguments, format);
        vsnprintf(place, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    printer->size += length > 0 ? (size_t)length : 0;
}

void print_text(struct printer *printer, const char *text) {
    size_t length = strlen(text);
    memcpy(printer_room(printer, length), text, length);
    printer->size += length;
}

void print_number(struct printer *printer, uint32_t number) {
    size_t count = 1;
    for (uint32_t rest = number; rest >= 10; rest /= 10)
        count++;
    char *place = printer_room(printer, count);
    printer->size += count;
    while (count > 0) {
        place[--count] = (char)('0' + number % 10);
        number /= 10;
    }
}

char *printer_string(struct printer *printer) {
    *printer_room(printer, 1) = '\0';
    return printer->text;
}

void printer_free(struct printer *printer) {
    memory_free(printer->text);
    *printer = (struct printer){.text = NULL};
}

/* ---- Files ---- */

/* Fails with a sentence on a file: MAPPING_FAILED if the machine is the cause, such as its disk,
 * MAPPING_UNAVAILABLE if the file is. */
static enum mapping_status fail_file(const char *what, const char *path, int cause,
                                     struct mapping_error *error) {
    bool is_machine = cause == EIO || cause == EMFILE || cause == ENFILE;
    if (cause == ENOMEM)
        memory_exhausted();
    return mapping_fail(error, is_machine ? MAPPING_FAILED : MAPPING_UNAVAILABLE,
                        "could not %s %.200s: %s", what, path, strerror(cause));
}

enum mapping_status file_read(const char *path, const char *kind, struct printer *content,
                              struct mapping_error *error) {
    enum { PART = 1 << 16 };
    bool is_input = strcmp(path, "-") == 0;
    const char *name = is_input ? "standard input" : path;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_file("open", path, errno, error);
    ssize_t got;
    do {
        got = read(fd, printer_room(content, PART), PART);
        content->size += got > 0 ? (size_t)got : 0;
    } while ((got > 0 || (got < 0 && errno == EINTR)) && content->size < FILE_MAX);
    const int cause = got < 0 ? errno : 0;
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
    const char *trouble = size == 0                       ? "is empty"
                          : strlen(content->text) != size ? "has a zero byte, so it is not text"
                                                          : NULL;
    return trouble ? mapping_fail(error, MAPPING_INVALID, "%.200s is not a valid %s: it %s", name,
                                  kind, trouble)
                   : MAPPING_OK;
}

int write_all(int fd, const char *text, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, text + done, size - done);
        struct pollfd room = {fd, POLLOUT, 0};
        if (written < 0 && errno == EAGAIN)
            poll(&room, 1, -1); /* whoever reads has left the stream so that it does not wait */
        else if (written < 0 && errno != EINTR)
            return errno;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}
