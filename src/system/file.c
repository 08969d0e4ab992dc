/* file.c - files that are read, and the temporary folder. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Reading ---- */

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
        memory_exhausted();
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

/* ---- The temporary folder ---- */

/* The folder that exists now, for a program that ends early: see memory_exhausted. */
static struct temporary_folder *present;

static void remove_present(void) {
    struct mapping_error ignored;
    if (present)
        temporary_folder_remove(present, MAPPING_FAILED, &ignored);
}

enum mapping_status temporary_folder_make(struct temporary_folder *folder,
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
    /* Tools take a path that starts with a dash for an option. */
    if (realpath(path, made) && strlen(made) < sizeof folder->path)
        memcpy(path, made, strlen(made) + 1);
    static bool is_registered;
    if (!is_registered)
        is_registered = atexit(remove_present) == 0;
    present = folder;
    return MAPPING_OK;
}

/* Removes all files that are in the folder. */
static void empty(DIR *list) {
    const struct dirent *entry;
    rewinddir(list);
    while ((entry = readdir(list)))
        unlinkat(dirfd(list), entry->d_name, 0);
}

static int remove_one(const char *path, const struct stat *information, int kind,
                      struct FTW *place) {
    (void)information, (void)kind, (void)place;
    return remove(path);
}

enum mapping_status temporary_folder_remove(struct temporary_folder *folder,
                                            enum mapping_status status,
                                            struct mapping_error *error) {
    present = NULL;
    empty(folder->list);
    closedir(folder->list);
    if (rmdir(folder->path) == 0 || nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 ||
        status != MAPPING_OK)
        return status;
    int cause = errno;
    return mapping_fail(error, MAPPING_FAILED, "could not remove the temporary folder %.400s: %s",
                        folder->path, strerror(cause));
}
