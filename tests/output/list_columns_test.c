/* list_columns_test.c - every column of --list is in CSV, JSON and Markdown, unless its row says
 * that a format leaves it out. The formats are read back without the table: the heading of CSV and
 * Markdown, and the members of JSON. */
#include "output/list_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* An accumulator with several widths, which needs a suffix, and one in registers. */
static const char *const names[] = {"tcgen05.mma.m128n256k16.d.f32", "mma.m16n8k16.d.f32"};
enum { NAMES = sizeof names / sizeof *names };

static char *print_list(const struct output *output) {
    struct list_entry entries[NAMES] = {{.native = 1}};
    struct printer to = {.text = NULL};
    for (int n = 0; n < NAMES; n++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        static char evidence[] = "isa, \"quoted\"";
        assert_int_equal(mapping_catalogue_find(names[n], found), 1);
        entries[n].fragment = found[0];
        entries[n].evidence = evidence;
    }
    output->list(&to, entries, NAMES, &(struct style){.brief = false});
    return printer_string(&to);
}

/* True if the first line of a text has a cell with a word, between separators. */
static bool has_cell(const char *text, const char *word, const char *separator) {
    char line[1024], cell[64];
    snprintf(line, sizeof line, "%s%.*s%s", separator, (int)strcspn(text, "\n"), text, separator);
    snprintf(cell, sizeof cell, "%s%s%s", separator, word, separator);
    return strstr(line, cell) != NULL;
}

static bool has_member(const char *text, const char *name) {
    char member[64];
    snprintf(member, sizeof member, "\"%s\":", name);
    return strstr(text, member) != NULL;
}

static void every_format_has_every_column(void **state) {
    const char *csv = print_list(&csv_output), *json = print_list(&json_output),
               *markdown = print_list(&markdown_output);
    for (int c = 0; c < LIST_COLUMNS; c++) {
        const struct list_heading *column = &list_headings[c];
        const bool in_csv = !(column->left_out & NOT_IN_CSV);
        const char *heading = column->heading ? column->heading : column->name;
        assert_true(column->left_out != (NOT_IN_CSV | NOT_IN_JSON | NOT_IN_MARKDOWN));
        assert_int_equal(column->name && has_cell(csv, column->name, ","), in_csv);
        if (!(column->left_out & NOT_IN_JSON))
            assert_true(has_member(json, column->name));
        if (!(column->left_out & NOT_IN_MARKDOWN))
            assert_true(has_cell(markdown, heading, " | ") ||
                        strstr(markdown, heading) == markdown + 2);
    }
    (void)state;
}

/* The number of fields in a line, with quotes as in RFC 4180. */
static size_t count_fields(const char *line) {
    size_t fields = 1;
    bool is_quoted = false;
    for (; *line && *line != '\n'; line++) {
        is_quoted ^= *line == '"';
        fields += *line == ',' && !is_quoted;
    }
    return fields;
}

static void lines_of_csv_have_a_field_for_each_column(void **state) {
    /* By hand: programs read columns by their places, so new columns come last. */
    static const char contract[] = "fragment,operand,layout,type,rows,cols,threads,elements,"
                                   "registers,since,ptx,rests_on,blocks,native,emulated,targets,n,"
                                   "columns";
    const char *csv = print_list(&csv_output);
    assert_int_equal(strncmp(csv, contract, strlen(contract)), 0);
    const size_t fields = count_fields(csv);
    size_t lines = 0;
    for (const char *line = csv; *line; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(count_fields(line), fields);
    assert_int_equal(lines, 1 + NAMES);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_every_column),
        cmocka_unit_test(lines_of_csv_have_a_field_for_each_column),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_release();
    return failed;
}
