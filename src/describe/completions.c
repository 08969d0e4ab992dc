/* completions.c - completions for bash, zsh and fish, out of the table of options. Each shell has
 * its own language; what there is to choose from for an option is the same in all three. */
#include "describe/describe.h"

#include <stdio.h>
#include <string.h>

/* ---- What options are given ---- */

/* What an option is given, as shells complete it. */
enum value_kind {
    NO_VALUE,
    FREE_VALUE, /* a number, or code: nothing to offer */
    WORD,       /* one of some words */
    WORDS,      /* several of them, with commas between them */
    A_FRAGMENT, /* as `mapping --list` has them: the scripts ask it */
    A_FILE,
    A_FOLDER,
};

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

static enum value_kind value_kind(const struct option_row *row) {
    size_t v = row->argument ? find_value(row) : VALUES;
    return !row->argument ? NO_VALUE
           : row->choices ? WORD
           : v < VALUES   ? values[v].kind
                          : FREE_VALUE;
}

/* Prints the words that there are for the option, with blanks between them. */
static void print_words(struct printer *to, const struct option_row *row) {
    size_t v = find_value(row);
    name_function *name_at = row->choices ? row->choices : v < VALUES ? values[v].choices : NULL;
    for (size_t n = 0; name_at && name_at(n); n++)
        print(to, "%s%s", n ? " " : "", name_at(n));
    if (!name_at && v < VALUES && values[v].print)
        values[v].print(to);
    if (row->name && strcmp(row->name, "with") == 0)
        print_transfers(to);
}

/* The help of an option up to its first stop. "" if it has none. */
static void short_help(const struct option_row *row, char *text, size_t size) {
    const char *help = row->help ? row->help : row->is_alias ? "" : "the sources of the layouts";
    size_t length = 0;
    for (bool is_end = false; help[length] && !is_end; length += !is_end) {
        bool is_dots = length > 0 && help[length] == '.' && help[length - 1] == '.'; /* "..." */
        is_end = strncmp(help + length, " (", 2) == 0 ||
                 (strchr(".;:", help[length]) && strchr(" ", help[length + 1]) && !is_dots);
    }
    snprintf(text, size, "%.*s", (int)length, help);
}

/* ---- bash ---- */

/* The names of fragments are completed up to their next dot. `$1` is the program, as it was typed.
 */
static const char bash_head[] =
    "# bash completion for mapping, made from the table of its options.\n"
    "\n"
    "_mapping_fragments() {\n"
    "    local name rest last=\n"
    "    while read -r name _; do\n"
    "        [[ $name == \"$2\"* ]] || continue\n"
    "        rest=${name#\"$2\"}\n"
    "        [[ $rest == *.* ]] && name=$2${rest%%.*}.\n"
    "        [[ $name == \"$last\" ]] || COMPREPLY+=(\"$name\")\n"
    "        last=$name\n"
    "    done < <(\"$1\" --list 2> /dev/null)\n"
    "    compopt -o nospace\n"
    "    [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY != *. ]] && compopt +o nospace\n"
    "}\n"
    "\n"
    "_mapping() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} value=${COMP_WORDS[COMP_CWORD]} option list=\n"
    "    local word=${line##*[[:blank:]]}\n"
    "    [[ $value == = ]] && value=\n"
    "    [[ $value == *,* ]] && list=${value%,*},\n"
    "    COMPREPLY=()\n"
    "    case $word in\n"
    "    --*=*) option=${word%%=*} ;;\n"
    "    -*) option=- ;;\n"
    "    *) option=${COMP_WORDS[COMP_CWORD-1]} ;;\n"
    "    esac\n"
    "    case $option in\n"
    "    -)\n"
    "        COMPREPLY=($(compgen -W '";
static const char bash_tail[] = "    *)\n"
                                "        case \" ${COMP_WORDS[*]} \" in\n"
                                "        *' --check '* | *' -c '*) compopt -o filenames\n"
                                "            COMPREPLY=($(compgen -f -- \"$value\")) ;;\n"
                                "        *) _mapping_fragments \"$1\" \"$value\" ;;\n"
                                "        esac ;;\n"
                                "    esac\n"
                                "}\n"
                                "complete -F _mapping mapping\n";

static void print_bash_options(struct printer *to) {
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (row->name)
            print(to, "--%s%s ", row->name, row->argument && !row->is_optional ? "=" : "");
    }
    print_text(to, "' -- \"$word\"))\n"
                   "        [[ $COMPREPLY == *= ]] && compopt -o nospace ;;\n");
}

static void print_bash_value(struct printer *to, const struct option_row *row) {
    enum value_kind kind = value_kind(row);
    switch (kind) {
    case WORD:
    case WORDS:
        print_text(to, "COMPREPLY=($(compgen -W '");
        print_words(to, row);
        print_text(to, kind == WORD ? "' -- \"$value\"))" : "' -P \"$list\" -- \"${value##*,}\"))");
        break;
    case A_FRAGMENT:
        print_text(to, "_mapping_fragments \"$1\" \"$value\"");
        break;
    case A_FILE:
    case A_FOLDER:
        print(to, "compopt -o filenames; COMPREPLY=($(compgen -%c -- \"$value\"))",
              kind == A_FILE ? 'f' : 'd');
        break;
    case NO_VALUE:
    case FREE_VALUE:
        print_char(to, ':');
    }
}

void describe_bash(struct printer *to) {
    print_text(to, bash_head);
    print_bash_options(to);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name || !row->argument)
            continue;
        print_text(to, "    ");
        if (row->letter && !row->is_optional)
            print(to, "-%c | ", row->letter);
        print(to, "--%s) ", row->name);
        print_bash_value(to, row);
        print_text(to, " ;;\n");
    }
    print_text(to, bash_tail);
}

/* ---- zsh ---- */

static const char zsh_head[] = "#compdef mapping\n"
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
static void print_zsh_value(struct printer *to, const struct option_row *row) {
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
static void print_zsh_names(struct printer *to, const struct option_row *row) {
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
static void print_zsh_help(struct printer *to, const char *help) {
    for (; *help; help++)
        if (*help == '\'')
            print_text(to, "'\\''");
        else
            print(to, strchr("[]\\", *help) ? "\\%c" : "%c", *help);
}

void describe_zsh(struct printer *to) {
    char help[256];
    print_text(to, zsh_head);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        short_help(row, help, sizeof help);
        print_zsh_names(to, row);
        print_text(to, "'[");
        print_zsh_help(to, help);
        print_char(to, ']');
        if (row->argument)
            print_zsh_value(to, row);
        print_char(to, '\'');
    }
    print_text(to, " \\\n    '*:FRAGMENT:_mapping_subjects'\n");
}

/* ---- fish ---- */

static const char fish_head[] =
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

static void print_fish_value(struct printer *to, const struct option_row *row) {
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
    print_text(to, fish_head);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        short_help(row, help, sizeof help);
        print_text(to, "complete -c mapping");
        if (row->letter)
            print(to, " -s %c", row->letter);
        print(to, " -l %s", row->name);
        print_fish_value(to, row);
        print_text(to, " -d '");
        for (const char *c = help; *c; c++)
            print(to, strchr("'\\", *c) ? "\\%c" : "%c", *c);
        print_text(to, "'\n");
    }
}
