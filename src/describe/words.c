/* words.c - what there is to choose from for each option; see describe.h. */
#include "describe/describe.h"

#include <stdio.h>
#include <string.h>

/* The architectures, all their other names, and "all". */
static void print_archs(struct printer *to) {
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++)
        print(to, "sm_%u %s%s", arch->number, arch->names, *arch->names ? " " : "");
    print_text(to, "all");
}

/* The types, and the other names that --help has for them and for groups of them. */
static void print_types(struct printer *to) {
    for (int t = 0; t < MAPPING_TYPES; t++)
        print(to, "%s ", mapping_type_name((enum mapping_type)t));
    print_text(to, "double float half int fp8 fp6 fp4 int8 int4");
}

/* The loads and stores of Tensor Memory, without how often they are repeated. */
static void print_transfers(struct printer *to) {
    struct mapping_fragment fragment;
    char last[MAPPING_NAME_SIZE] = "";
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        char name[MAPPING_NAME_SIZE];
        if (fragment.place != MAPPING_ACROSS)
            continue;
        mapping_fragment_name(&fragment, name);
        name[strlen("tcgen05.ld.") + strcspn(name + strlen("tcgen05.ld."), ".")] = '\0';
        if (strcmp(name, last) != 0)
            print(to, " %s", name);
        memcpy(last, name, sizeof last);
    }
}

/* What an option's argument is called says what it is. */
static const struct {
    const char *argument;
    enum value_kind kind;
    name_function *choices;
    void (*print)(struct printer *to);
} values[] = {
    {.argument = "ARCH", .kind = WORDS, .print = print_archs},
    {.argument = "ARCH,ARCH", .kind = WORDS, .print = print_archs},
    {.argument = "TYPE", .kind = WORD, .print = print_types},
    {.argument = "SOURCE", .kind = WORDS, .choices = source_name_at},
    {.argument = "WHEN", .kind = WORD, .choices = color_name_at},
    {.argument = "OP", .kind = WORD, .choices = access_name_at},
    {.argument = "FRAGMENT", .kind = A_FRAGMENT},
    {.argument = "FILE", .kind = A_FILE},
    {.argument = "DIR", .kind = A_FOLDER},
};
enum { VALUES = sizeof values / sizeof *values };

/* The place in the table of what the option is given, or VALUES. */
static size_t find_value(const struct option_row *row) {
    size_t v = 0;
    while (v < VALUES && strcmp(values[v].argument, row->argument) != 0)
        v++;
    return v;
}

enum value_kind value_kind(const struct option_row *row) {
    size_t v = row->argument ? find_value(row) : VALUES;
    return !row->argument ? NO_VALUE
           : row->choices ? WORD
           : v < VALUES   ? values[v].kind
                          : FREE_VALUE;
}

void print_words(struct printer *to, const struct option_row *row) {
    size_t v = find_value(row);
    name_function *name_at = row->choices ? row->choices : v < VALUES ? values[v].choices : NULL;
    for (size_t n = 0; name_at && name_at(n); n++)
        print(to, "%s%s", n ? " " : "", name_at(n));
    if (!name_at && v < VALUES && values[v].print)
        values[v].print(to);
    if (row->take == take_with)
        print_transfers(to);
}

void short_help(const struct option_row *row, char *text, size_t size) {
    const char *help = row->help ? row->help : row->is_alias ? "" : "the sources of the layouts";
    size_t length = 0;
    for (bool is_end = false; help[length] && !is_end; length += !is_end) {
        bool is_dots = length > 0 && help[length] == '.' && help[length - 1] == '.'; /* "..." */
        is_end = strncmp(help + length, " (", 2) == 0 ||
                 (strchr(".;:", help[length]) && strchr(" ", help[length + 1]) && !is_dots);
    }
    snprintf(text, size, "%.*s", (int)length, help);
}
