/* bash.c - completion for bash; see describe.h. */
#include "describe/describe.h"

/* The names of fragments are completed up to their next dot. `$1` is the program, as it was typed.
 */
static const char head[] =
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
static const char tail[] = "    *)\n"
                           "        case \" ${COMP_WORDS[*]} \" in\n"
                           "        *' --check '* | *' -c '*) compopt -o filenames\n"
                           "            COMPREPLY=($(compgen -f -- \"$value\")) ;;\n"
                           "        *) _mapping_fragments \"$1\" \"$value\" ;;\n"
                           "        esac ;;\n"
                           "    esac\n"
                           "}\n"
                           "complete -F _mapping mapping\n";

static void print_options(struct printer *to) {
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (is_option(row))
            print(to, "--%s%s ", row->name, row->argument && !row->is_optional ? "=" : "");
    }
    print_text(to, "' -- \"$word\"))\n"
                   "        [[ $COMPREPLY == *= ]] && compopt -o nospace ;;\n");
}

static void print_value(struct printer *to, const struct option_row *row) {
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
    print_text(to, head);
    print_options(to);
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!is_option(row) || !row->argument)
            continue;
        print_text(to, "    ");
        if (row->letter && !row->is_optional)
            print(to, "-%c | ", row->letter);
        print(to, "--%s) ", row->name);
        print_value(to, row);
        print_text(to, " ;;\n");
    }
    print_text(to, tail);
}
