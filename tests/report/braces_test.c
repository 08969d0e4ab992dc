/* braces_test.c - names in few words: what bash makes of them are the names again. */
#include "report/braces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What the names, which blanks divide, are printed as. */
static void expect_braces(const char *names, const char *expected) {
    char copy[512], *rest = copy;
    struct braces braces = {.patterns = NULL};
    struct printer text = {.text = NULL};
    snprintf(copy, sizeof copy, "%s", names);
    for (const char *name; (name = strsep(&rest, " "));)
        assert_true(braces_add(&braces, name));
    braces_merge(&braces);
    braces_print(&braces, &text);
    assert_non_null(printer_string(&text));
    assert_string_equal(text.text, expected);
    printer_free(&text);
    braces_free(&braces);
}

static void one_name_stays(void **state) {
    (void)state;
    expect_braces("mma.m8n8k4.a.f16", "`mma.m8n8k4.a.f16`");
    expect_braces("mma", "`mma`");
}

static void words_that_differ_are_merged(void **state) {
    (void)state;
    expect_braces("mma.a.f16 mma.b.f16", "`mma.{a,b}.f16`");
    expect_braces("mma.a.f16 mma.a.f16x", "`mma.a.{f16,f16x}`");
    expect_braces("mma.a.f16x mma.a.f16", "`mma.a.{f16x,f16}`");
    expect_braces("mma.a.f16 mma.ab.f16 mma.b.f16", "`mma.{a,ab,b}.f16`");
    expect_braces("mma.a.f16 wmma.b.f16", "`mma.a.f16`, `wmma.b.f16`");
    expect_braces("mma.abc1 mma.abc2 mma.a", "`mma.{abc1,abc2,a}`");
}

static void numbers_that_grow_alike_are_a_run(void **state) {
    (void)state;
    expect_braces("x.m8 x.m16 x.m24 x.m32", "`x.m{8..32..8}`");
    expect_braces("x.m8 x.m16 x.m24", "`x.{m8,m16,m24}`");
    expect_braces("x.8 x.16 x.24 x.32", "`x.{8..32..8}`");
    expect_braces("x.1x x.2x x.4x", "`x.{1x,2x,4x}`");
    expect_braces("x.m32 x.m24 x.m16 x.m8", "`x.m{32,24,16,8}`");
    expect_braces("x.m8 x.m16 x.m24 x.m32 x.m64", "`x.m{{8..32..8},64}`");
    expect_braces("x.m1 x.m8 x.m16 x.m24 x.m32", "`x.m{1,{8..32..8}}`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name_stays),
        cmocka_unit_test(words_that_differ_are_merged),
        cmocka_unit_test(numbers_that_grow_alike_are_a_run),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
