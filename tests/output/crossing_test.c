/* crossing_test.c - conversions that move elements from one warp of a warpgroup to another, through
 * shared memory. No two fragments need them. */
#include "output/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* D of wgmma, and the same with the rows of warps 0 and 1, and of 2 and 3, exchanged. */
static void make_reports(struct report reports[2]) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_error error;
    assert_int_equal(mapping_catalogue_find("wgmma.m64n8k16.d.f32", found), 1);
    for (int r = 0; r < 2; r++) {
        struct mapping_layout *layout = &reports[r].forward.layout;
        reports[r] = (struct report){.kind = "fragment", .arch = 90, .has_fragment = true};
        reports[r].observed.fragment = found[0];
        snprintf(reports[r].name, sizeof reports[r].name, r ? "exchanged" : "wgmma");
        assert_int_equal(mapping_fragment_state(&found[0], layout, &error), MAPPING_OK);
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            layout->coordinate[0][n] ^= r ? 16 : 0;
    }
}

/* Prints the conversion. Free the text. */
static void print_crossing(const struct output *output, struct printer *to) {
    struct report reports[2] = {{.kind = NULL}};
    struct conversion conversion;
    struct mapping_error error;
    make_reports(reports);
    assert_int_equal(conversion_make(&reports[0], &reports[1], &conversion, &error), MAPPING_OK);
    assert_int_equal(conversion.plan.kind, CONVERT_MEMORY);
    assert_true(output->conversions(to, &conversion, 1, &(struct style){.brief = false}));
    assert_non_null(printer_string(to));
    for (int r = 0; r < 2; r++)
        mapping_layout_free(&reports[r].forward.layout);
}

static void expect_part(const struct output *output, const char *part) {
    struct printer text = {.text = NULL};
    print_crossing(output, &text);
    if (!strstr(text.text, part))
        fail_msg("there is no '%s' in:\n%s", part, text.text);
    printer_free(&text);
}

static void text_says_what_crosses(void **state) {
    (void)state;
    expect_part(&text_output,
                "The conversion uses shared memory: elements move from one warp to another.\n");
}

static void json_has_its_kind(void **state) {
    (void)state;
    expect_part(&json_output, "\"kind\":\"memory\",\"registers\":null,\"shuffles\":0");
}

/* All threads of the warpgroup wait, by a barrier that the caller gives. */
static void the_function_waits_for_the_warpgroup(void **state) {
    (void)state;
    expect_part(&cuda_output, "; all threads of the warpgroup must call this function together\n"
                              " * memory: 2048 bytes of shared memory for each warpgroup");
    expect_part(&cuda_output,
                " * barrier: the number, 0 to 15, of a barrier that nothing else uses\n");
    expect_part(&cuda_output, ", unsigned char *memory, unsigned barrier");
    expect_part(&cuda_output, "barrier.sync %0, 128;");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_what_crosses),
        cmocka_unit_test(json_has_its_kind),
        cmocka_unit_test(the_function_waits_for_the_warpgroup),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_release();
    return failed;
}
