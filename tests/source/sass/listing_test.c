/* listing_test.c - kernels and labels are found by name, in any order of the listing; parsing and
 * executing stop at the time limit and at a signal.
 *
 * Expected values: by hand. */
#include "source/sass/execute.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE(name) "\t.section\t.text." name ",\"ax\",@progbits\n"
#define INFO(name) "\t.section\t.nv.info." name ",\"\",@\"SHT_CUDA_INFO\"\n"
#define PARAMETERS(offset)                                                                         \
    "\t//----- nvinfo : EIATTR_PARAM_CBANK\n        /*0058*/ \t.short\t" offset "\n"

/* Parses a copy of the text. */
static enum mapping_status parse(const char *text, double seconds, struct listing *listing,
                                 struct mapping_error *error) {
    struct limit limit = limit_begin(seconds);
    char *copy = strcpy(memory_get(strlen(text) + 1, 1), text);
    return listing_parse(copy, &limit, listing, error);
}

static void parse_well(const char *text, struct listing *listing) {
    struct mapping_error error;
    if (parse(text, 60, listing, &error) != MAPPING_OK)
        fail_msg("%s", error.message);
}

static struct kernel kernel_of(const struct listing *listing, const char *name) {
    struct kernel kernel;
    struct mapping_error error;
    assert_int_equal(listing_kernel(listing, name, &kernel, &error), MAPPING_OK);
    return kernel;
}

static void expect_kernel(const struct listing *listing, const char *name, unsigned parameters,
                          const char *opcode) {
    const struct kernel kernel = kernel_of(listing, name);
    assert_true(kernel.count > 0);
    assert_int_equal(kernel.parameters, parameters);
    assert_string_equal(kernel.code[0].opcode, opcode);
}

static void kernels_are_joined_of_their_parts(void **state) {
    struct listing listing;
    (void)state;
    parse_well(INFO("k2") PARAMETERS("0x0210") CODE("k10") "/*0000*/ MOV R1, R2 ;\n" CODE(
                   "k2") "/*0000*/ NOP ;\n/*0010*/ EXIT ;\n" INFO("k10") PARAMETERS("0x0380")
                   INFO("k1") PARAMETERS("0x0160"),
               &listing);
    expect_kernel(&listing, "k2", 0x210, "NOP");
    expect_kernel(&listing, "k10", 0x380, "MOV");
    assert_int_equal(kernel_of(&listing, "k2").count, 2);
    assert_int_equal(kernel_of(&listing, "k1").count, 0);
    assert_int_equal(kernel_of(&listing, "k").count, 0);
    assert_int_equal(kernel_of(&listing, "").count, 0);
    listing_free(&listing);
    parse_well("", &listing);
    assert_int_equal(kernel_of(&listing, "k1").count, 0);
    listing_free(&listing);
}

/* What follows in sections of other kinds belongs to no kernel. */
static void a_section_ends_a_kernel(void **state) {
    struct listing listing;
    (void)state;
    parse_well(INFO("k1") PARAMETERS("0x0160") CODE(
                   "k1") "/*0000*/ NOP ;\n.L_x_1:\n\t.section\t.debug_frame,\"\",@progbits\n"
                         "/*0010*/ EXIT ;\n.L_x_2:\n" CODE("k2") "/*0000*/ MOV R1, R2 ;\n" INFO(
                             "k2") "\t.section\t.nv.rel.action,\"\",@\"SHT_CUDA_"
                                   "RELOCINFO\"\n" PARAMETERS("0x0210"),
               &listing);
    const struct kernel first = kernel_of(&listing, "k1"), second = kernel_of(&listing, "k2");
    assert_int_equal(first.count, 1);
    assert_non_null(kernel_label(&first, ".L_x_1"));
    assert_null(kernel_label(&first, ".L_x_2"));
    assert_int_equal(first.parameters, 0x160);
    assert_int_equal(second.count, 1);
    assert_int_not_equal(second.parameters, 0x210);
    listing_free(&listing);
}

static void code_twice_is_refused(void **state) {
    struct listing listing;
    struct kernel kernel;
    struct mapping_error error;
    (void)state;
    parse_well(CODE("k1") "/*0000*/ NOP ;\n" CODE("k1") "/*0000*/ EXIT ;\n", &listing);
    assert_int_equal(listing_kernel(&listing, "k1", &kernel, &error), MAPPING_FAILED);
    assert_string_equal(error.message, "the listing has the code of kernel k1 twice");
    listing_free(&listing);
}

static void expect_label(const struct kernel *kernel, const char *name, size_t target) {
    const struct label *label = kernel_label(kernel, name);
    assert_int_equal(label ? label->target : SIZE_MAX, target);
}

static void labels_are_found_in_their_kernel(void **state) {
    struct listing listing;
    (void)state;
    parse_well(CODE("k1") ".L_x_9:\n/*0000*/ NOP ;\n.L_x_10:\n/*0010*/ NOP ;\n.L_x_9:\n.L_b:\n"
               /**/ CODE("k2") "/*0000*/ NOP ;\n.L_x_7:\n/*0010*/ EXIT ;\n",
               &listing);
    const struct kernel first = kernel_of(&listing, "k1"), second = kernel_of(&listing, "k2");
    expect_label(&first, ".L_x_9", 0); /* the first of that name */
    expect_label(&first, ".L_x_10", 1);
    expect_label(&first, ".L_b", 2);
    expect_label(&second, ".L_x_7", 1);
    assert_null(kernel_label(&first, ".L_x_7"));
    assert_null(kernel_label(&first, ".L_"));
    assert_null(kernel_label(&first, ".L_z"));
    assert_null(kernel_label(&second, ".L_b"));
    listing_free(&listing);
}

/* Reads many lines. */
static void expect_reading_to_stop(double seconds, const char *sentence) {
    struct listing listing;
    struct mapping_error error;
    char text[2001];
    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(parse(text, seconds, &listing, &error), MAPPING_FAILED);
    assert_string_equal(error.message, sentence);
    listing_free(&listing);
}

/* Executes a loop. */
static void expect_execution_to_stop(double seconds, const char *sentence) {
    struct listing listing;
    struct mapping_error error;
    uint8_t memory[3];
    struct buffer input = {0, 1, memory}, output = {0, 1, memory + 1};
    parse_well(CODE("k1") ".L_a:\n/*0000*/ BRA `(.L_a) ;\n", &listing);
    const struct kernel kernel = kernel_of(&listing, "k1");
    struct limit limit = limit_begin(seconds);
    assert_int_equal(execute(&kernel, &input, &output, memory + 2, &limit, &error), MAPPING_FAILED);
    assert_string_equal(error.message, sentence);
    listing_free(&listing);
}

static void time_is_limited(void **state) {
    static const char sentence[] =
        "reading the SASS took longer than 0 s; raise the limit with --timeout=SECS";
    (void)state;
    expect_reading_to_stop(0, sentence);
    expect_execution_to_stop(0, sentence);
    expect_execution_to_stop(60,
                             "at 0x0000, BRA: the kernel does not end within 10000 instructions");
}

static volatile sig_atomic_t delivered;

static void note(int number) {
    delivered = number;
}

static void signals_are_heard(void **state) {
    struct sigaction action = {.sa_handler = note}, old;
    struct temporary_folder folder;
    struct mapping_error error;
    (void)state;
    sigaction(SIGALRM, &action, &old);
    assert_int_equal(temporary_folder_make(&folder, true, &error), MAPPING_OK);
    raise(SIGALRM);
    assert_int_equal(delivered, 0);
    expect_reading_to_stop(60, "interrupted");
    expect_execution_to_stop(60, "interrupted");
    assert_int_equal(temporary_folder_remove(&folder, MAPPING_OK, &error), MAPPING_OK);
    assert_int_equal(delivered, SIGALRM);
    sigaction(SIGALRM, &old, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_joined_of_their_parts),
        cmocka_unit_test(a_section_ends_a_kernel),
        cmocka_unit_test(code_twice_is_refused),
        cmocka_unit_test(labels_are_found_in_their_kernel),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(signals_are_heard),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
