/* fish.c - completion for fish; see describe.h. */
#include "describe/describe.h"

#include <string.h>

static const char head[] =
    "# fish completion for mapping, made from the table of its options.\n"
    "\n"
    "function __mapping_fragments\n"
    "    set -l program (commandline -opc)[1]\n"
    "    $program --list 2> /dev/null | string replace -r ' .*' ''\n"
    "end\n"
    "\n"
    "complete -c mapping -f\n"
    "complete -c mapping -n 'not string match -q -- \"-*\" (commandline -ct); '\\\n"
    "'and not __fish_contains_opt -s c check' -a '(__mapping_fragments)'\n"
    "complete -c mapping -n '__fish_contains_opt -s c check' -F\n";

static void print_value(struct printer *to, const struct option_row *row) {
    enum value_kind kind = value_kind(row);
    switch (kind) {
    case WORD:
    case WORDS:
        print_text(to,
                   kind == WORD ? " -x -a '" : " -x -a '(__fish_complete_list , \"string split , ");
        print_words(to, row);
        print_text(to, kind == WORD ? "'" : "\")'");
        break;
    case A_FRAGMENT:
        print_text(to, " -x -a '(__mapping_fragments)'");
        break;
    case A_FILE:
        print_text(to, row->is_optional ? "" : " -r -F");
        break;
    case A_FOLDER:
        print_text(to, " -x -a '(__fish_complete_directories)'");
        break;
    case FREE_VALUE:
        print_text(to, " -x");
        break;
    case NO_VALUE:
        break;
    }
}

void describe_fish(struct printer *to) {
    char help[256];
    print_text(to, head);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!is_option(row))
            continue;
        short_help(row, help, sizeof help);
        print_text(to, "complete -c mapping");
        if (row->letter)
            print(to, " -s %c", row->letter);
        print(to, " -l %s", row->name);
        print_value(to, row);
        print_text(to, " -d '");
        for (const char *c = help; *c; c++)
            print(to, strchr("'\\", *c) ? "\\%c" : "%c", *c);
        print_text(to, "'\n");
    }
}
