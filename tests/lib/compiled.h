/* compiled.h - for tests of printed code: writes files to a temporary folder, and compiles them.
 * C++ files may include on_host.cuh. */
#ifndef COMPILED_H
#define COMPILED_H

#include "system/system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A program in C++: the text before main(), the calls in main(), and the input. */
struct cpp_program {
    struct printer text, calls, input;
};

static inline void add_bytes(struct printer *to, const void *bytes, size_t size) {
    char *capacity = printer_room(to, size);
    assert_non_null(capacity);
    memcpy(capacity, bytes, size);
    to->size += size;
}

/* Compiles the program after `start` and runs it; returns its output, and frees the program. */
static inline FILE *output_of(const char *folder, const char *start, struct cpp_program *program) {
    char path[FOLDER_PATH + 32];
    struct printer whole = {0};
    print(&whole, "%s%s", start, printer_string(&program->text));
    print(&whole, "int main() {\n%s    return 0;\n}\n", printer_string(&program->calls));
    write_file(folder, "test.cc", whole.text, whole.size);
    write_file(folder, "input", program->input.text, program->input.size);
    assert_true(run(folder, "${CXX:-c++} -std=c++17 -Wall -Wextra -Wno-unknown-pragmas -Werror "
                            "-I\"$OLDPWD/tests/lib\" -o test test.cc"));
    assert_true(run(folder, "./test < input > output"));
    printer_free(&whole);
    printer_free(&program->text);
    printer_free(&program->calls);
    printer_free(&program->input);
    snprintf(path, sizeof path, "%s/output", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    return file;
}

#endif
