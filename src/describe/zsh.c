/* zsh.c - completion for zsh; see describe.h. */
#include "describe/describe.h"

#include <string.h>

static const char head[] = "#compdef mapping\n"
                           "# Made from the table of mapping's options.\n"
                           "\n"
                           "_mapping_fragments() {\n"
                           "    local -a names\n"
                           "    names=(${${(f)\"$($words[1] --list 2> /dev/null)\"}%% *})\n"
                           "    _multi_parts . names\n"
                           "}\n"
                           "\n"
                           "_mapping_subjects() {\n"
                           "    if [[ $PREFIX == -* ]]; then\n"
                           "        return 1\n"
                           "    elif (( $words[(I)-c|--check] )); then\n"
                           "        _files\n"
                           "    else\n"
                           "        _mapping_fragments\n"
                           "    fi\n"
                           "}\n"
                           "\n"
                           "_arguments -s -S";

/* Prints what completes the value: ":ARCH:(sm_70 volta)". */
static void print_value(struct printer *to, const struct option_row *row) {
    enum value_kind kind = value_kind(row);
    print(to, "%s:%s:", row->is_optional ? ":" : "", row->argument);
    switch (kind) {
    case WORD:
    case WORDS:
        print_text(to, kind == WORD ? "(" : "_sequence compadd - ");
        print_words(to, row);
        print_text(to, kind == WORD ? ")" : "");
        break;
    case A_FRAGMENT:
        print_text(to, "_mapping_fragments");
        break;
    case A_FILE:
        print_text(to, "_files");
        break;
    case A_FOLDER:
        print_text(to, "_directories");
        break;
    case NO_VALUE:
    case FREE_VALUE:
        print_char(to, ' ');
    }
}

/* Prints how the option is spelled: '*'{-a+,--arch=}. */
static void print_names(struct printer *to, const struct option_row *row) {
    const char *equals = !row->argument ? "" : row->is_optional ? "=-" : "=";
    print_text(to, " \\\n    '*'");
    if (row->letter)
        print(to, "{-%c%s,--%s%s}", row->letter,
              !row->argument     ? ""
              : row->is_optional ? "-"
                                 : "+",
              row->name, equals);
    else
        print(to, "--%s%s", row->name, equals);
}

/* Prints what stands in brackets, in quotes. */
static void print_help(struct printer *to, const char *help) {
    for (; *help; help++)
        if (*help == '\'')
            print_text(to, "'\\''");
        else
            print(to, strchr("[]\\", *help) ? "\\%c" : "%c", *help);
}

void describe_zsh(struct printer *to) {
    char help[256];
    print_text(to, head);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!is_option(row))
            continue;
        short_help(row, help, sizeof help);
        print_names(to, row);
        print_text(to, "'[");
        print_help(to, help);
        print_char(to, ']');
        if (row->argument)
            print_value(to, row);
        print_char(to, '\'');
    }
    print_text(to, " \\\n    '*:FRAGMENT:_mapping_subjects'\n");
}
