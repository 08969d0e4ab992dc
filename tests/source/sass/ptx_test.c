/* ptx_test.c - the version of PTX in the generated text: no newer than the text needs, because an
 * older ptxas rejects newer versions.
 *
 * Expected values: the PTX ISA's notes and release notes; ptxas, which rejects older ones. */
#include "source/sass/sass.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ptx_kernel kernel_of(const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    assert_int_equal(mapping_catalogue_find(name, found), 1);
    return (struct ptx_kernel){found[0], MAPPING_ROW_MAJOR};
}

static void check_start(const char *text, const char *version, const char *target) {
    char expected[64];
    snprintf(expected, sizeof expected, ".version %s\n.target %s\n.address_size 64\n", version,
             target);
    assert_non_null(text);
    assert_memory_equal(text, expected, strlen(expected));
}

/* PTX ISA: 6.3 is the first with .aligned for wmma, which has bf16 on sm_80 since 7.0 and integers
 * on sm_72 since 6.3. */
static void modules_need_no_more_than_their_kernels(void **state) {
    (void)state;
    static const struct {
        const char *first, *second, *version, *target;
    } cases[] = {
        {"wmma.m16n16k16.d.f32", "wmma.m16n16k16.d.f16", "6.3", "sm_70"},
        {"wmma.m16n16k16.d.f32", "wmma.m16n16k16.d.s32", "6.3", "sm_72"},
        {"wmma.m16n16k16.d.f32", "wmma.m16n16k16.a.row.bf16", "7.0", "sm_80"},
        {"wmma.m16n16k16.a.row.bf16", "wmma.m16n16k16.d.f32", "7.0", "sm_80"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct ptx_kernel kernels[] = {kernel_of(cases[c].first), kernel_of(cases[c].second)};
        char *text = ptx_module(kernels, 2);
        check_start(text, cases[c].version, cases[c].target);
        mapping_free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_need_no_more_than_their_kernels),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
