/* ptx_test.c - which version of PTX is asked for: no newer one than what is in the text needs, as
 * an older ptxas refuses it. */
#define main sass_main
#include "../../../src/tools/sass.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <setjmp.h>
#include <stdarg.h>

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
        memory_free(text);
    }
}

/* The first version with which ptxas 13.0.88 takes the target; of sm_88, which that takes with
 * older ones too, PTX ISA 9.1, "Release Notes"; of sm_70 and sm_72 the first with mma.m8n8k4. */
static void targets_need_no_more_than_ptxas_wants(void **state) {
    (void)state;
    static const struct {
        unsigned arch;
        const char *version, *target;
    } cases[] = {
        {70, "6.4", "sm_70"},    {72, "6.4", "sm_72"},    {75, "6.4", "sm_75"},
        {80, "7.0", "sm_80"},    {86, "7.1", "sm_86"},    {87, "7.4", "sm_87"},
        {88, "9.0", "sm_88"},    {89, "7.8", "sm_89"},    {90, "8.0", "sm_90a"},
        {100, "8.6", "sm_100a"}, {103, "8.8", "sm_103a"}, {110, "9.0", "sm_110a"},
        {120, "8.7", "sm_120a"}, {121, "8.8", "sm_121a"},
    };
    assert_null(mapping_arch_at(sizeof cases / sizeof *cases));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct printer to = {.text = NULL};
        assert_int_equal(mapping_arch_at(c)->number, cases[c].arch);
        print_start(&to, mapping_arch_at(c), 60);
        check_start(printer_string(&to), cases[c].version, cases[c].target);
        printer_free(&to);
        print_start(&to, mapping_arch_at(c), 91);
        check_start(printer_string(&to), "9.1", cases[c].target);
        printer_free(&to);
    }
}

/* PTX ISA notes of mma.sp: .sp::ordered_metadata since 8.5. */
static void ordered_metadata_needs_8_5(void **state) {
    (void)state;
    static const char ordered[] = "mma.sp::ordered_metadata.sync.", plain[] = "mma.sp.sync.";
    struct outcomes outcomes;
    unsigned both = 0;
    outcomes_init(&outcomes);
    for (size_t n = 0; n < outcomes.count; n++) {
        const struct mapping_opcode *opcode = &outcomes.opcodes[n];
        if (strncmp(opcode->text, plain, sizeof plain - 1) != 0)
            continue;
        for (size_t m = 0; m < outcomes.count; m++)
            if (strncmp(outcomes.opcodes[m].text, ordered, sizeof ordered - 1) == 0 &&
                strcmp(outcomes.opcodes[m].text + sizeof ordered, opcode->text + sizeof plain) ==
                    0) {
                assert_int_equal(outcomes.opcodes[m].ptx, 85);
                both++;
            }
        assert_in_range(opcode->ptx, 71, 84);
    }
    assert_true(both > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_need_no_more_than_their_kernels),
        cmocka_unit_test(targets_need_no_more_than_ptxas_wants),
        cmocka_unit_test(ordered_metadata_needs_8_5),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
