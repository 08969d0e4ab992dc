/* compiled.h - what tests of printed code share: files in a folder of their own, and a compiler. */
#ifndef COMPILED_H
#define COMPILED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Writes a file into the folder. */
static inline void write_file(const char *folder, const char *name, const void *bytes,
                              size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Runs a command in the folder. True if it succeeds. */
static inline bool run(const char *folder, const char *command) {
    char line[1024];
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    return system(line) == 0; /* NOLINT(cert-env33-c): a compiler, and what it made */
}

#endif
