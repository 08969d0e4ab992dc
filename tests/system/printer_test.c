/* printer_test.c - text that is printed to memory, and what there is no memory for. */
#include "system/memory.h"
#include "system/printer.h"

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
    char *room = printer_room(&printer, 3);
    assert_non_null(room);
    memcpy(room, "abc", 3);
    printer.size += 2;
    assert_string_equal(printer_string(&printer), "sm 75 -text;0 4294967295ab");
    assert_int_equal(printer.size, 26); /* without the end */
    assert_false(printer.failed);
    printer_free(&printer);
    assert_null(printer.text);
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

/* Once memory has run out, nothing is printed any more, so that no text has a hole in it. */
static void failure_sticks(void **state) {
    (void)state;
    struct printer printer = {.text = NULL};
    print_text(&printer, "before");
    assert_null(printer_room(&printer, too_much));
    assert_true(printer.failed);
    print(&printer, "%d", 1);
    print_text(&printer, "behind");
    print_char(&printer, 'b');
    print_number(&printer, 2);
    assert_null(printer_room(&printer, 1));
    assert_null(printer_room(&printer, 0));
    assert_null(printer_string(&printer));
    assert_true(printer.failed);
    assert_int_equal(printer.size, strlen("before"));
    printer_free(&printer);
    assert_false(printer.failed); /* empty again */
    print_text(&printer, "anew");
    assert_string_equal(printer_string(&printer), "anew");
    printer_free(&printer);
}

/* An array that cannot grow is as it was, whether the size overflows or there is no such memory. */
static void arrays_that_cannot_grow_stay(void **state) {
    (void)state;
    size_t room = 0;
    uint32_t *array = array_grow(NULL, 0, 3, &room, sizeof *array);
    assert_non_null(array);
    assert_true(room >= 3);
    for (uint32_t n = 0; n < 3; n++)
        array[n] = n;
    size_t before = room;
    assert_null(array_grow(array, 3, SIZE_MAX, &room, sizeof *array));
    assert_null(array_grow(array, 3, SIZE_MAX / 2, &room, sizeof *array));
    assert_null(array_grow(array, 3, too_much / sizeof *array, &room, sizeof *array));
    assert_int_equal(room, before);
    for (uint32_t n = 0; n < 3; n++)
        assert_int_equal(array[n], n);
    array = array_grow(array, 3, 1000, &room, sizeof *array);
    assert_non_null(array);
    assert_true(room >= 1003);
    assert_int_equal(array[2], 2);
    free(array);
}

static void what_cannot_be_written_is_said(void **state) {
    (void)state;
    struct printer printer = {.text = NULL};
    assert_int_equal(printer_write(&printer, -1), 0); /* nothing to write */
    print_text(&printer, "text");
    assert_int_equal(printer_write(&printer, -1), EBADF);
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        assert_int_equal(printer_write(&printer, full), ENOSPC);
        close(full);
    }
    int ends[2];
    char read_back[8] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(printer_write(&printer, ends[1]), 0);
    assert_int_equal(read(ends[0], read_back, sizeof read_back), 4);
    assert_string_equal(read_back, "text");
    close(ends[0]);
    close(ends[1]);
    printer_free(&printer);
}

/* A pipe that does not wait: whoever reads takes longer than it has room. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stand_behind_each_other),
        cmocka_unit_test(no_length_is_cut_off),
        cmocka_unit_test(failure_sticks),
        cmocka_unit_test(arrays_that_cannot_grow_stay),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(a_stream_that_does_not_wait_is_waited_for),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
