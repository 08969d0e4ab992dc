/* folder.c - a temporary folder; see folder.h. */
#include "system/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        return mapping_out_of_memory(error);
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
