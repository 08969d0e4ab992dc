/* compiled.h - for tests of printed code: writes files to a temporary folder, and compiles them. */
#ifndef COMPILED_H
#define COMPILED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { FOLDER_PATH = 200 };

/* Makes a folder in $TMPDIR, or in /tmp, as the program does. False if that fails. */
static inline bool make_folder(char path[FOLDER_PATH]) {
    const char *parent = getenv("TMPDIR");
    int length =
        snprintf(path, FOLDER_PATH, "%s/mapping-test-XXXXXX", parent && *parent ? parent : "/tmp");
    return length < FOLDER_PATH && mkdtemp(path);
}

/* Writes a file into the folder. */
static inline void write_file(const char *folder, const char *name, const void *bytes,
                              size_t size) {
    char path[FOLDER_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Runs a command of the shell in the folder. True if it succeeds. */
static inline bool run(const char *folder, const char *command) {
    char line[1024];
    snprintf(line, sizeof line, "cd \"$FOLDER\" && %s", command);
    /* NOLINTNEXTLINE(cert-env33-c): a compiler, and what it made */
    return setenv("FOLDER", folder, 1) == 0 && system(line) == 0;
}

#endif
