/* printable_test.c - untrusted text in the output and in messages.
 *
 * Expected values: by hand; Unicode's table of well-formed UTF-8. */
#include "catalogue/fragment.h"
#include "layout/sentence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *printable(const char *text, size_t most) {
    static char printed[4096];
    size_t length = mapping_printable(text, strlen(text), printed, most);
    assert_int_equal(length, strlen(printed));
    assert_true(strlen(printed) <= most);
    return printed;
}

static void escapes_are_those_of_c(void **state) {
    (void)state;
    assert_string_equal(printable("a b~", 100), "a b~");
    assert_string_equal(printable("\a\b\t\n\v\f\r", 100), "\\a\\b\\t\\n\\v\\f\\r");
    assert_string_equal(printable("\x01\x1b\x1f\x7f", 100), "\\x01\\x1b\\x1f\\x7f");
    assert_string_equal(printable("\u00a0\u00e9\u6f22\U0001d54f", 100),
                        "\u00a0\u00e9\u6f22\U0001d54f");
    assert_string_equal(printable("\xc2\x80\xc2\x9f\xc2\xad", 100), "\\u0080\\u009f\\u00ad");
    assert_string_equal(printable("\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81", 100),
                        "\\u200b\\ufeff\\U000e0041");
    assert_string_equal(printable("\xef\xbf\xbe\xf4\x8f\xbf\xbf", 100), "\\ufffe\\U0010ffff");
}

static void what_is_no_utf8_is_bytes(void **state) {
    (void)state;
    assert_string_equal(printable("\x80\xbf\xff", 100), "\\x80\\xbf\\xff");
    assert_string_equal(printable("\xc3", 100), "\\xc3");
    assert_string_equal(printable("\xe2\x82x", 100), "\\xe2\\x82x");
    assert_string_equal(printable("\xc0\xaf\xe0\x80\xaf", 100), "\\xc0\\xaf\\xe0\\x80\\xaf");
    assert_string_equal(printable("\xed\xa0\x80", 100), "\\xed\\xa0\\x80");
    assert_string_equal(printable("\xf4\x90\x80\x80", 100), "\\xf4\\x90\\x80\\x80");
    assert_string_equal(printable("\xf8\x88\x80\x80\x80", 100), "\\xf8\\x88\\x80\\x80\\x80");
}

static void a_character_is_not_read_beyond_the_end(void **state) {
    char printed[16];
    (void)state;
    mapping_printable("\xe6\xbc\xa2", 2, printed, 15);
    assert_string_equal(printed, "\\xe6\\xbc");
}

static void the_middle_is_left_out(void **state) {
    (void)state;
    assert_string_equal(printable("0123456789", 10), "0123456789");
    assert_string_equal(printable("0123456789x", 10), "0123...89x");
    assert_string_equal(printable("0123456789x", 9), "012...89x");
    assert_string_equal(printable("\x1b\x1b\x1b\x1b", 11), "\\x1b...\\x1b");
    assert_string_equal(printable("\x1b\x1b\x1b\x1b", 10), "\\x1b...");
    assert_string_equal(printable("\u6f22\u6f22\u6f22\u6f22", 9), "\u6f22...\u6f22");
    assert_string_equal(printable("0123456789x", 3), "...");
}

static void a_sentence_has_what_printf_puts_there(void **state) {
    struct mapping_error error;
    (void)state;
    assert_int_equal(mapping_fail(&error, MAPPING_DIFFERS, "%s %u %d %zu %lld %04lx %c %g %08x!",
                                  "a", 4294967295U, -7, (size_t)-1, -9000000000LL, 0xabUL, 'c', 0.5,
                                  0xa5U),
                     MAPPING_DIFFERS);
    assert_string_equal(error.message,
                        "a 4294967295 -7 18446744073709551615 -9000000000 00ab c 0.5 000000a5!");
    mapping_fail(&error, MAPPING_FAILED, "%.*s|%.5s|%.1d|%.0d|", 3, "abcdef", "0123456789", 0, 0);
    assert_string_equal(error.message, "abc|0...9|0||");
}

static void a_sentence_is_one_line(void **state) {
    struct mapping_error error, outer;
    (void)state;
    mapping_fail(&error, MAPPING_FAILED, "'%s' '%.60s' %c", "\n", "\x1b", '\r');
    assert_string_equal(error.message, "'\\n' '\\x1b' \\r");
    mapping_fail(&error, MAPPING_FAILED, "here:\n  %s", "a\n\\b");
    mapping_fail(&outer, MAPPING_FAILED, "%s: %-s", "x\ny", error.message);
    assert_string_equal(outer.message, "x\\ny: here:\n  a\\n\\b");
}

static void a_sentence_keeps_its_end(void **state) {
    static char path[5001], complaint[5001];
    struct mapping_error error;
    (void)state;
    memset(path, '\n', sizeof path - 1);
    memset(complaint, 'c', sizeof complaint - 1);
    mapping_fail(&error, MAPPING_FAILED, "%s, %s, %s, %s, %s and %s: the reason", path, path, path,
                 path, path, complaint);
    assert_true(strlen(error.message) < sizeof error.message);
    assert_non_null(strstr(error.message, "\\n...\\n"));
    assert_string_equal(strrchr(error.message, 'c'), "c: the reason");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_those_of_c),
        cmocka_unit_test(what_is_no_utf8_is_bytes),
        cmocka_unit_test(a_character_is_not_read_beyond_the_end),
        cmocka_unit_test(the_middle_is_left_out),
        cmocka_unit_test(a_sentence_has_what_printf_puts_there),
        cmocka_unit_test(a_sentence_is_one_line),
        cmocka_unit_test(a_sentence_keeps_its_end),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
