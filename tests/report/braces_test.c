/* braces_test.c - lists of names shortened with braces: bash expands them to the same names. */
#include "report/braces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Checks the printed form of names, separated by blanks, and that it expands to the same names. */
static void expect_braces(const char *names, const char *expected) {
    char copy[512], *rest = copy;
    struct strings list = {NULL, 0, 0}, read = {NULL, 0, 0};
    struct mapping_error error;
    snprintf(copy, sizeof copy, "%s", names);
    for (const char *name; (name = strsep(&rest, " "));)
        strings_add(&list, name);
    const char *text = braces_text(&list);
    assert_string_equal(text, expected);
    assert_int_equal(braces_read(text, strlen(text), &read, &error), MAPPING_OK);
    assert_int_equal(read.count, list.count);
    for (size_t n = 0; n < list.count; n++) {
        size_t same = 0;
        while (same < read.count && strcmp(read.text[same], list.text[n]) != 0)
            same++;
        assert_true(same < read.count);
    }
}

static void expect_names(const char *text, const char *expected) {
    struct strings read = {NULL, 0, 0};
    struct mapping_error error;
    char names[512] = "";
    const enum mapping_status status = braces_read(text, strlen(text), &read, &error);
    for (size_t n = 0; n < read.count && status == MAPPING_OK; n++) {
        strcat(names, n > 0 ? " " : "");
        strcat(names, read.text[n]);
    }
    assert_string_equal(status == MAPPING_OK ? names : error.message, expected);
}

static void one_name_stays(void **state) {
    (void)state;
    expect_braces("mma.m8n8k4.a.f16", "mma.m8n8k4.a.f16");
    expect_braces("mma", "mma");
}

static void words_that_differ_are_merged(void **state) {
    (void)state;
    expect_braces("mma.a.f16 mma.b.f16", "mma.{a,b}.f16");
    expect_braces("mma.a.f16 mma.a.f16x", "mma.a.{f16,f16x}");
    expect_braces("mma.a.f16x mma.a.f16", "mma.a.{f16x,f16}");
    expect_braces("mma.a.f16 mma.ab.f16 mma.b.f16", "mma.{a,ab,b}.f16");
    expect_braces("mma.a.f16 wmma.b.f16", "mma.a.f16, wmma.b.f16");
    expect_braces("mma.abc1 mma.abc2 mma.a", "mma.{abc1,abc2,a}");
}

static void numbers_that_grow_alike_are_a_run(void **state) {
    (void)state;
    expect_braces("x.m8 x.m16 x.m24 x.m32", "x.m{8..32..8}");
    expect_braces("x.m8 x.m16 x.m24", "x.{m8,m16,m24}");
    expect_braces("x.8 x.16 x.24 x.32", "x.{8..32..8}");
    expect_braces("x.1x x.2x x.4x", "x.{1x,2x,4x}");
    expect_braces("x.m32 x.m24 x.m16 x.m8", "x.m{32,24,16,8}");
    expect_braces("x.m8 x.m16 x.m24 x.m32 x.m64", "x.m{{8..32..8},64}");
    expect_braces("x.m1 x.m8 x.m16 x.m24 x.m32", "x.m{1,{8..32..8}}");
}

static void braces_are_read_as_bash_reads_them(void **state) {
    (void)state;
    expect_names("a{b,c}d{e,f}, g", "abde abdf acde acdf g");
    expect_names("{a,b{1..3..1},}x", "ax b1x b2x b3x x");
    expect_names("n{9..8..1}", "the range '9..8..1' is empty");
    expect_names("n{0..-1..1}", "n0..-1..1");
    expect_names("a{b", "a brace is not closed");
    expect_names("a}b", "a}b");
    expect_names("{1..2}", "1..2");
    expect_names("{1..2..0}", "1..2..0");
    expect_names("{1..99999..1}", "a name is too long, or there are too many names");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name_stays),
        cmocka_unit_test(words_that_differ_are_merged),
        cmocka_unit_test(numbers_that_grow_alike_are_a_run),
        cmocka_unit_test(braces_are_read_as_bash_reads_them),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
