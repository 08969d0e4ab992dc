/* help_test.c - --help and the messages about wrong values list all choices of the tables, so a new
 * row of a table appears there. */
#include "cli/options.h"

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* True if the word is in the text, with neither a letter nor a digit beside it. */
static bool has_word(const char *text, const char *word) {
    static const char of_words[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = strlen(word);
    for (const char *place = text; (place = strstr(place, word)); place++)
        if ((place == text || !strchr(of_words, place[-1])) &&
            (place[length] == '\0' || !strchr(of_words, place[length])))
            return true;
    return false;
}

/* The sentence on an option whose value does not exist. */
static struct mapping_error refusal(const char *option) {
    char name[] = "mapping", *text = strdup(option);
    char *argv[] = {name, text, NULL};
    struct mapping_error error = {""};
    struct request request;
    enum mode mode;
    optind = 0; /* glibc's getopt begins anew */
    assert_int_equal(options_parse(2, argv, &request, &mode, &error), MAPPING_INVALID);
    free(text);
    return error;
}

static struct printer help;

static int print_help(void **state) {
    (void)state;
    options_help(&help, "all");
    return printer_string(&help) ? 0 : -1;
}

static int free_help(void **state) {
    (void)state;
    printer_free(&help);
    return 0;
}

static void expect_word(const struct mapping_error *error, const char *word) {
    if (!has_word(help.text, word))
        fail_msg("--help does not name %s", word);
    if (!has_word(error->message, word))
        fail_msg("'%s' does not name %s", error->message, word);
}

static void every_format_is_named(void **state) {
    (void)state;
    const struct mapping_error error = refusal("--format=?");
    for (size_t o = 0; output_at(o); o++)
        expect_word(&error, output_at(o)->name);
}

static void every_source_is_named(void **state) {
    (void)state;
    const struct mapping_error error = refusal("--source=?");
    for (size_t s = 0; source_at(s); s++)
        expect_word(&error, source_at(s)->name);
    expect_word(&error, "auto");
}

static void every_operand_is_named(void **state) {
    (void)state;
    const struct mapping_error error = refusal("--operand=?");
    for (int o = 0; o < MAPPING_OPERANDS; o++)
        expect_word(&error, mapping_operand_name((enum mapping_operand)o));
}

/* The help names only the common types, the message names all. */
static void every_type_is_named(void **state) {
    (void)state;
    const struct mapping_error error = refusal("--type=?");
    for (int t = 0; t < MAPPING_TYPES; t++)
        if (!has_word(error.message, mapping_type_name((enum mapping_type)t)))
            fail_msg("'%s' does not name %s", error.message,
                     mapping_type_name((enum mapping_type)t));
}

static void every_architecture_is_named(void **state) {
    (void)state;
    const struct mapping_error error = refusal("--arch=?");
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++) {
        char number[16];
        snprintf(number, sizeof number, "sm_%u", arch->number);
        expect_word(&error, number);
        for (const char *name = arch->names; *name; name += strspn(name, " ")) {
            char one[64];
            snprintf(one, sizeof one, "%.*s", (int)strcspn(name, " "), name);
            name += strlen(one);
            assert_true(has_word(help.text, one));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_named),       cmocka_unit_test(every_source_is_named),
        cmocka_unit_test(every_operand_is_named),      cmocka_unit_test(every_type_is_named),
        cmocka_unit_test(every_architecture_is_named),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, print_help, free_help);
}
