/* printer_test.c - printing text to memory, and running out of memory. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* More than any machine has, though its size can be computed. */
static const size_t too_much = SIZE_MAX / 8;

/* Asked by AddressSanitizer and MemorySanitizer, which otherwise end the program instead of
 * returning NULL from malloc. */
static const char options[] = "allocator_may_return_null=1";
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return options;
}
const char *__msan_default_options(void);
const char *__msan_default_options(void) {
    return options;
}

static void pieces_stand_behind_each_other(void **state) {
    (void)state;
    struct printer printer = {.text = NULL};
    print(&printer, "%s %u %c", "sm", 75U, '-');
    print_text(&printer, "text");
    print_char(&printer, ';');
    print_number(&printer, 0);
    print_char(&printer, ' ');
    print_number(&printer, UINT32_MAX);
    char *capacity = printer_room(&printer, 3);
    assert_non_null(capacity);
    memcpy(capacity, "abc", 3);
    printer.size += 2;
    assert_string_equal(printer_string(&printer), "sm 75 -text;0 4294967295ab");
    assert_int_equal(printer.size, 26); /* without the end */
    printer_free(&printer);
    assert_null(printer.text);
}

static void expect_wrapped(const char *text, struct wrapping how, const char *expected) {
    struct printer printer = {.text = NULL};
    print_wrapped(&printer, text, strlen(text), &how);
    assert_string_equal(printer_string(&printer), expected);
    printer_free(&printer);
}

static void words_are_wrapped(void **state) {
    (void)state;
    expect_wrapped("", (struct wrapping){0, 5, " ", "> "}, "");
    expect_wrapped("ab cd", (struct wrapping){0, 5, " ", "> "}, "ab cd");
    expect_wrapped("ab cde f", (struct wrapping){0, 5, " ", "> "}, "ab\n> cde\n> f");
    expect_wrapped("ab cd", (struct wrapping){1, 5, " ", "> "}, "ab\n> cd");
    expect_wrapped("longer a b", (struct wrapping){0, 5, " ", "> "}, "longer\n> a b");
    /* behind a semicolon; the blanks between words stay */
    expect_wrapped("a b; c; d e", (struct wrapping){0, 7, "; ", "# "}, "a b; c;\n# d e");
    /* tabs are printed as blanks */
    expect_wrapped("a b\tc d\te", (struct wrapping){0, 7, "\t", "  "}, "a b c d\n  e");
    /* only so many bytes */
    struct printer printer = {.text = NULL};
    print_wrapped(&printer, "ab cd ef", 5, &(struct wrapping){0, 4, " ", ""});
    assert_string_equal(printer_string(&printer), "ab\ncd");
    printer_free(&printer);
}

static void strings_are_lines(void **state) {
    (void)state;
    struct printer printer = {.text = NULL};
    struct strings strings = {.count = 0};
    print_strings(&printer, &strings);
    assert_string_equal(printer_string(&printer), "");
    strings_add(&strings, "a");
    strings_add(&strings, "");
    print_strings(&printer, &strings);
    assert_string_equal(printer_string(&printer), "a\n\n");
    printer_free(&printer);
}

/* Every length around the sizes in which room is made. */
static void no_length_is_cut_off(void **state) {
    (void)state;
    for (int length = 0; length < 1100; length++) {
        struct printer printer = {.text = NULL};
        print(&printer, "%*s|%d", length, "", length);
        print(&printer, "%s", "");
        const char *text = printer_string(&printer);
        assert_non_null(text);
        assert_int_equal(strspn(text, " "), length);
        assert_int_equal(text[length], '|');
        assert_int_equal(atoi(text + length + 1), length);
        assert_int_equal(strlen(text), printer.size);
        printer_free(&printer);
    }
}

static void arrays_grow(void **state) {
    (void)state;
    size_t capacity = 0;
    uint32_t *array = array_grow(NULL, 0, 3, &capacity, sizeof *array);
    assert_true(capacity >= 3);
    for (uint32_t n = 0; n < 3; n++)
        array[n] = n;
    array = array_grow(array, 3, 1000, &capacity, sizeof *array);
    assert_true(capacity >= 1003);
    for (uint32_t n = 0; n < 3; n++)
        assert_int_equal(array[n], n);
    mapping_free(array);
}

/* Requests for more memory than exists: a text, an array, and sizes that overflow. */
static void exhaust(unsigned way) {
    struct printer printer = {.text = NULL};
    size_t capacity = 0;
    switch (way) {
    case 0:
        printer_room(&printer, too_much);
        break;
    case 1:
        array_grow(NULL, 0, SIZE_MAX / 2, &capacity, sizeof(uint32_t));
        break;
    case 2:
        array_grow(NULL, 3, SIZE_MAX, &capacity, sizeof(uint32_t));
        break;
    case 3:
        memory_get(too_much, 1);
        break;
    case 4:
        memory_get(SIZE_MAX / 2, sizeof(uint32_t));
        break;
    default:
        memory_resize(NULL, SIZE_MAX / 2, sizeof(uint32_t));
    }
}

/* Running out of memory without an entry ends the program with one sentence. */
static void exhaustion_ends_the_program(void **state) {
    (void)state;
    for (unsigned way = 0; way < 6; way++) {
        char text[4096] = "";
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            exhaust(way);
            _exit(2);
        }
        close(ends[1]);
        for (size_t size = 0, got = 1; got > 0; size += got)
            got = (size_t)read(ends[0], text + size, sizeof text - 1 - size);
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), MAPPING_FAILED);
        assert_non_null(strstr(text, "mapping: out of memory\n")); /* a sanitizer warns before */
    }
}

static void what_cannot_be_written_is_said(void **state) {
    (void)state;
    struct printer printer = {.text = NULL};
    assert_int_equal(write_all(-1, printer.text, printer.size), 0); /* nothing to write */
    print_text(&printer, "text");
    assert_int_equal(write_all(-1, printer.text, printer.size), EBADF);
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        assert_int_equal(write_all(full, printer.text, printer.size), ENOSPC);
        close(full);
    }
    int ends[2];
    char read_back[8] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write_all(ends[1], printer.text, printer.size), 0);
    assert_int_equal(read(ends[0], read_back, sizeof read_back), 4);
    assert_string_equal(read_back, "text");
    close(ends[0]);
    close(ends[1]);
    printer_free(&printer);
}

/* A non-blocking pipe: the reader takes longer than the pipe has room. */
static void a_stream_that_does_not_wait_is_waited_for(void **state) {
    (void)state;
    enum { SIZE = 1 << 20, PIECE = 1 << 14 };
    static char text[SIZE], piece[PIECE];
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    pid_t reader = fork();
    if (reader == 0) {
        size_t size = 0;
        close(ends[1]);
        for (ssize_t got; (got = read(ends[0], piece, PIECE)) > 0; usleep(500))
            size += (size_t)got;
        _exit(size == SIZE ? 0 : 1);
    }
    close(ends[0]);
    assert_int_equal(write_all(ends[1], text, SIZE), 0);
    close(ends[1]);
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
}

static void standard_input_that_does_not_wait_is_waited_for(void **state) {
    (void)state;
    struct printer content = {.text = NULL};
    struct mapping_error error;
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pid_t writer = fork();
    if (writer == 0) {
        for (int n = 0; n < 3; n++) {
            usleep(20000);
            status |= write(ends[1], "text", 4) != 4;
        }
        _exit(status);
    }
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(file_read("-", "text", &content, &error), MAPPING_OK);
    assert_string_equal(content.text, "texttexttext");
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    close(ends[0]);
    memory_release();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stand_behind_each_other),
        cmocka_unit_test(words_are_wrapped),
        cmocka_unit_test(strings_are_lines),
        cmocka_unit_test(no_length_is_cut_off),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(exhaustion_ends_the_program),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(a_stream_that_does_not_wait_is_waited_for),
        cmocka_unit_test(standard_input_that_does_not_wait_is_waited_for),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
