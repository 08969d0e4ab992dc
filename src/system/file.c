/* file.c - reads and writes files; makes the temporary folder, and removes it at the end or on a
 * signal. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ---- */

/* Fails with a message about a file: MAPPING_FAILED if the machine is the cause, such as its disk,
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
    struct pollfd more = {fd, POLLIN, 0};
    ssize_t got;
    do {
        got = read(fd, printer_room(content, PART), PART);
        content->size += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno == EAGAIN) /* another process has set O_NONBLOCK */
            got = poll(&more, 1, -1);
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
                            "%.200s is not a valid %s: it has %d MiB or more", name, kind,
                            FILE_MAX >> 20);
    const char *trouble = size == 0                       ? "is empty"
                          : strlen(content->text) != size ? "has a zero byte, so it is not text"
                                                          : NULL;
    return trouble ? mapping_fail(error, MAPPING_INVALID, "%.200s is not a valid %s: it %s", name,
                                  kind, trouble)
                   : MAPPING_OK;
}

enum mapping_status lines_open(const char *path, struct lines *lines, struct mapping_error *error) {
    const bool is_input = strcmp(path, "-") == 0;
    struct stat information;
    *lines = (struct lines){.name = is_input ? "standard input" : path};
    lines->fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (lines->fd < 0)
        return fail_file("open", path, errno, error);
    if (fstat(lines->fd, &information) == 0 && !S_ISDIR(information.st_mode))
        return MAPPING_OK;
    lines_close(lines);
    return fail_file("read", lines->name, EISDIR, error);
}

void lines_close(struct lines *lines) {
    if (lines->fd > STDIN_FILENO)
        close(lines->fd);
    lines->fd = -1;
}

void lines_replace(struct lines *lines, const char *text, size_t size) {
    lines->start = lines->seen = lines->buffer.size = 0;
    memcpy(printer_room(&lines->buffer, size + 1), text, size);
    lines->buffer.size = size;
    lines->is_over = true;
}

/* Finds the end of the next line in the buffer; NULL if it is not there yet. */
static char *find_end(struct lines *lines) {
    struct printer *buffer = &lines->buffer;
    char *end = buffer->size > lines->seen
                    ? memchr(buffer->text + lines->seen, '\n', buffer->size - lines->seen)
                    : NULL;
    lines->seen = end ? (size_t)(end - buffer->text) : buffer->size;
    return end;
}

/* Reads more text after the remaining text of the buffer. */
static enum mapping_status read_more(struct lines *lines, struct mapping_error *error) {
    enum { PART = 1 << 16 };
    struct printer *buffer = &lines->buffer;
    struct pollfd more = {lines->fd, POLLIN, 0};
    if (lines->start > 0) {
        memmove(buffer->text, buffer->text + lines->start, buffer->size - lines->start);
        buffer->size -= lines->start;
        lines->seen -= lines->start;
        lines->start = 0;
    }
    for (;;) {
        const ssize_t got = read(lines->fd, printer_room(buffer, PART + 1), PART);
        if (got >= 0) {
            buffer->size += (size_t)got;
            lines->is_over = got == 0;
            return MAPPING_OK;
        }
        if (errno == EAGAIN) /* another process has set O_NONBLOCK */
            poll(&more, 1, -1);
        else if (errno != EINTR)
            return fail_file("read", lines->name, errno, error);
    }
}

enum mapping_status lines_next(struct lines *lines, struct line *line,
                               struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    struct printer *buffer = &lines->buffer;
    char *end;
    *line = (struct line){.text = NULL, .end = ""};
    while (!(end = find_end(lines)) && !lines->is_over &&
           buffer->size - lines->start < LINE_SIZE_MAX && status == MAPPING_OK)
        status = read_more(lines, error);
    if (status != MAPPING_OK || lines->start == buffer->size)
        return status;
    line->text = buffer->text + lines->start;
    line->is_piece = lines->is_long;
    lines->is_long = !end && !lines->is_over;
    line->is_piece |= lines->is_long;
    line->size = end ? (size_t)(end - line->text) : buffer->size - lines->start;
    lines->start = lines->seen = (size_t)(line->text + line->size - buffer->text) + (end != NULL);
    if (end && !line->is_piece && line->size > 0 && line->text[line->size - 1] == '\r') {
        line->size--;
        line->end = "\r\n";
    } else if (end) {
        line->end = "\n";
    }
    line->text[line->size] = '\0'; /* there is room for one more */
    return MAPPING_OK;
}

enum mapping_status lines_peek(struct lines *lines, const char **text, size_t *size,
                               struct mapping_error *error) {
    enum { MAGIC = 20 };
    enum mapping_status status = MAPPING_OK;
    while (lines->buffer.size < MAGIC && !lines->is_over && status == MAPPING_OK)
        status = read_more(lines, error);
    *text = printer_string(&lines->buffer);
    *size = lines->buffer.size;
    return status;
}

bool lines_must_wait(struct lines *lines) {
    struct pollfd more = {lines->fd, POLLIN, 0};
    return !lines->is_over && !find_end(lines) && poll(&more, 1, 0) == 0;
}

int write_all(int fd, const char *text, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, text + done, size - done);
        struct pollfd capacity = {fd, POLLOUT, 0};
        if (written < 0 && errno == EAGAIN)
            poll(&capacity, 1, -1); /* another process has set O_NONBLOCK */
        else if (written < 0 && errno != EINTR)
            return errno;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* ---- Signals ----
 *
 * Signals such as SIGINT, SIGTERM, SIGPIPE, SIGALRM and SIGXFSZ end the program as usual, but only
 * after it has cleaned up: between interrupt_begin and interrupt_end they are blocked, and are
 * delivered only while the program waits for a tool. */

/* Signals that end a program by default, except those of its own errors, such as SIGSEGV. */
static const int caught[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,   SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
enum { CAUGHT = sizeof caught / sizeof *caught };

static volatile sig_atomic_t arrived;
static struct sigaction old_actions[CAUGHT];
static sigset_t old_mask;
static bool is_catching; /* between interrupt_begin and interrupt_end; otherwise they have no
                            effect */

static void note(int number) {
    arrived = number;
}

static void interrupt_begin(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    arrived = 0;
    is_catching = true;
    for (int s = 0; s < CAUGHT; s++) {
        struct sigaction action = {.sa_handler = note};
        sigaction(caught[s], NULL, &old_actions[s]);
        if (old_actions[s].sa_handler == SIG_IGN) /* ignored signals stay so, as under nohup */
            continue;
        sigaction(caught[s], &action, NULL);
        sigaddset(&blocked, caught[s]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &old_mask);
}

bool interrupted(void) {
    sigset_t blocked;
    if (!is_catching)
        return false;
    sigprocmask(SIG_SETMASK, &old_mask, &blocked); /* pending signals are delivered here */
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    return arrived != 0;
}

int interrupt_poll(struct pollfd *polled, nfds_t count, const struct timespec *limit) {
    return ppoll(polled, count, limit, is_catching ? &old_mask : NULL);
}

/* Restores the actions of signals. If a signal has arrived, it ends the program here. */
static void interrupt_end(void) {
    bool deliver = interrupted();
    if (!is_catching)
        return;
    is_catching = false;
    for (int s = 0; s < CAUGHT; s++)
        sigaction(caught[s], &old_actions[s], NULL);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    if (deliver)
        raise(arrived);
}

/* ---- The temporary folder ---- */

/* The folder that this thread has made but not removed; its list is NULL if there is none. */
static _Thread_local struct temporary_folder present;

static int remove_one(const char *path, const struct stat *information, int kind,
                      struct FTW *place) {
    (void)information, (void)kind, (void)place;
    return remove(path);
}

/* Returns 0 or an errno. */
static int remove_folder(const struct temporary_folder *folder) {
    const struct dirent *entry;
    present.list = NULL;
    rewinddir(folder->list);
    while ((entry = readdir(folder->list)))
        unlinkat(dirfd(folder->list), entry->d_name, 0);
    closedir(folder->list);
    bool is_removed =
        rmdir(folder->path) == 0 || nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0;
    return is_removed ? 0 : errno;
}

static enum mapping_status make_folder(struct temporary_folder *folder,
                                       struct mapping_error *error) {
    char *path = folder->path, made[PATH_MAX];
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    int length = snprintf(path, sizeof folder->path, "%s/mapping-XXXXXX", parent);
    if (length < 0 || (size_t)length >= sizeof folder->path)
        return mapping_fail(error, MAPPING_FAILED, "the path in $TMPDIR is too long");
    bool is_made = mkdtemp(path) != NULL;
    folder->list = is_made ? opendir(path) : NULL;
    int cause = errno;
    if (is_made && !folder->list)
        rmdir(path);
    if (!folder->list && cause == ENOMEM)
        memory_exhausted();
    if (!folder->list)
        return mapping_fail(
            error, MAPPING_FAILED,
            "could not create a temporary folder in %.400s: %s; set $TMPDIR to another folder",
            parent, strerror(cause));
    /* A tool would take a path that begins with a dash for an option. */
    if (realpath(path, made) && strlen(made) < sizeof folder->path)
        memcpy(path, made, strlen(made) + 1);
    present = *folder;
    return MAPPING_OK;
}

enum mapping_status temporary_folder_make(struct temporary_folder *folder, bool catches_signals,
                                          struct mapping_error *error) {
    if (catches_signals)
        interrupt_begin();
    enum mapping_status status = make_folder(folder, error);
    if (status != MAPPING_OK)
        interrupt_end();
    return status;
}

enum mapping_status temporary_folder_remove(const struct temporary_folder *folder,
                                            enum mapping_status status,
                                            struct mapping_error *error) {
    int cause = remove_folder(folder);
    if (status == MAPPING_OK && cause != 0)
        status =
            mapping_fail(error, MAPPING_FAILED, "could not remove the temporary folder %.400s: %s",
                         folder->path, strerror(cause));
    interrupt_end();
    return status;
}

void temporary_folder_clean(void) {
    if (!present.list)
        return;
    const struct temporary_folder folder = present;
    remove_folder(&folder);
    interrupt_end();
}
