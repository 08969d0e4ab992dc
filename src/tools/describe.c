/* describe.c - run by make: prints the manual and the shell completions from the tables of options
 * and of the catalogue.
 *
 *     describe 1|bash|zsh|fish     the manual, mapping.1, in the language of mdoc(7); or
 *                                  completions */
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The day of the release whose number is MAPPING_VERSION. */
#define DATE "November 30, 2026"

enum { WIDTH = 78 };

/* ---- The manual: text ---- */

/* Prints a word so that mdoc does not interpret its characters, and hyphenates only plain English
 * words. Returns its width. */
static size_t print_word(struct printer *to, const char *word, size_t length) {
    static const struct {
        char character;
        const char *written;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
    size_t start = to->size;
    size_t plain = strcspn(word, "0123456789-=_<>()$.,'");
    if (plain + 1 < length)
        print_text(to, "\\%");
    else if (*word == '.')
        print_text(to, "\\&");
    for (size_t n = 0; n < length; n++) {
        size_t s = 0;
        while (s < sizeof special / sizeof *special && special[s].character != word[n])
            s++;
        if (s < sizeof special / sizeof *special)
            print_text(to, special[s].written);
        else
            print_char(to, word[n]);
    }
    return to->size - start;
}

/* Prints a text in lines. A sentence begins a new line; so does a '\n', also in the output. */
static void print_prose(struct printer *to, const char *text) {
    size_t column = 0;
    bool is_end = false;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > 0 && (is_end || column + 1 + length > WIDTH)) {
            print_char(to, '\n');
            column = 0;
        }
        if (column > 0)
            print_char(to, ' ');
        column += (column > 0) + print_word(to, text, length);
        is_end = length > 1 && text[length - 1] == '.' && text[length - 2] != '.';
        text += length;
        if (*text == '\n') {
            print_text(to, "\n.br\n");
            column = 0;
        }
        text += strspn(text, " \n");
    }
    print_char(to, '\n');
}

/* Prints an item of a list: its name with the macro for this kind of name, and a text. */
static void print_item(struct printer *to, const char *macro, const char *name, const char *text) {
    print(to, ".It %s%s\n", macro, name);
    if (*text)
        print_prose(to, text);
}

/* ---- The manual: options ---- */

/* Prints the names of an option and its argument, or a subject. */
static void print_spelling(struct printer *to, const struct option_row *row) {
    const char *name = row->name, *argument = row->argument;
    size_t length = name ? strlen(name) : 0;
    if (!name && *argument == ' ') { /* "    --with=tcgen05.ld.OP" */
        name = argument + strspn(argument, " -");
        length = strcspn(name, "=");
        argument = name + length + 1;
    }
    print_text(to, ".It");
    if (!name) {
        print(to, " Ar %s\n", argument);
        return;
    }
    if (row->letter)
        print(to, " Fl %c ,", row->letter);
    print_text(to, " Fl \\-");
    print_word(to, name, length);
    if (row->is_optional)
        print(to, " Ns Oo = Ns Ar %s Oc%s", argument, row->is_subject ? " Op Ar FILE ..." : "");
    else if (argument)
        print(to, " Ns = Ns Ar %s", argument);
    print_char(to, '\n');
}

static void print_option(struct printer *to, const struct option_row *row) {
    print_spelling(to, row);
    if (row->choice_help) {
        print_text(to, ".Bl -tag -width recorded -compact\n");
        for (size_t n = 0; row->choices(n); n++)
            print_item(to, "Cm ", row->choices(n), row->choice_help(n));
        print_text(to, ".El\n.Pp\n");
    }
    print_prose(to, option_help(row));
}

static void print_archs(struct printer *to) {
    const struct mapping_arch *arch;
    char number[16];
    print_text(to, ".Bl -tag -width sm_120x -compact\n");
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++) {
        snprintf(number, sizeof number, "%u", arch->number);
        print_item(to, "Cm sm_", number, arch->names);
    }
    print_text(to, ".El\n");
}

/* Prints a topic, which is a row of the table, and the rows below it. */
static void print_topic(struct printer *to, size_t r) {
    static const char list[] = ".Bl -tag -width Ds\n";
    char text[128];
    const struct option_row *row = option_at(r);
    print(to, ".Ss %c%s\n", toupper((unsigned char)*row->topic), row->topic + 1);
    if (row->about) {
        snprintf(text, sizeof text, "%c%s.", toupper((unsigned char)*row->about), row->about + 1);
        print_prose(to, text);
    }
    print_text(to, list);
    bool has_archs = false;
    for (r++; (row = option_at(r)) && !row->topic; r++) {
        if (row->is_alias)
            continue;
        if (row->group) {
            snprintf(text, sizeof text, "%.*s.", (int)strcspn(row->group, ":"), row->group);
            print_text(to, ".El\n.Pp\n");
            print_prose(to, text);
            print_text(to, list);
        }
        print_option(to, row);
        has_archs = has_archs || strcmp(row->argument ? row->argument : "", "ARCH") == 0;
    }
    print_text(to, ".El\n");
    if (has_archs)
        print_archs(to);
}

/* ---- The manual: all of it ---- */

static const char start[] =
    ".Dt MAPPING 1\n"
    ".Os mapping " MAPPING_VERSION "\n"
    ".Sh NAME\n"
    ".Nm mapping\n"
    ".Nd print the layouts of tensor\\-core fragments\n"
    ".Sh SYNOPSIS\n"
    ".Nm\n"
    ".Op Ar OPTION ...\n"
    ".Op Ar FRAGMENT | LAYOUT ...\n"
    ".Sh DESCRIPTION\n"
    "A tensor\\-core instruction of an NVIDIA GPU works on\n"
    ".Em fragments :\n"
    "parts of a matrix that the threads of a warp hold in their registers.\n"
    ".Nm\n"
    "prints the matrix element in each register of each thread, and formulae for its\n"
    "row and column.\n"
    "It checks each formula at every element.\n"
    ".Pp\n"
    "It prints two grids with a cell for each element of the matrix.\n"
    "The left grid shows\n"
    ".Va i ,\n"
    "the index of the element in its thread, in register order, lowest bits first.\n"
    "The right grid shows\n"
    ".Va tid ,\n"
    "the thread that holds the element: 0 to 31 in the warp, or 0 to 127 in the\n"
    "warpgroup.\n"
    "C formulae for row and column, and for the inverse, follow the grids.\n"
    "If several threads hold the same element, there is a pair of grids for each copy.\n"
    ".Pp\n"
    "The name of a fragment is INSTRUCTION.SHAPE.OPERAND[.LAYOUT].TYPE.\n"
    "A is M x K, B is K x N, C and D are M x N.\n"
    "You can also give a PTX opcode, a line of PTX or SASS, a C++ type or a CuTe atom.\n"
    "Every output names the source of its layout.\n";

static const struct {
    const char *name, *text;
} variables[] = {
    {"CUDA_HOME",
     "the folder of the CUDA Toolkit whose ptxas and nvdisasm are used; searched first"},
    {"CUDA_PATH", "the same; searched second"},
    {"CUDA_VISIBLE_DEVICES", "the visible GPUs, as for every CUDA program"},
    {"NO_COLOR",
     "if it is set and not empty, grids have no colors, unless --color=always is given"},
    {"PAGER", "the program that shows output longer than the terminal (default: less, with the "
              "options in LESS); PAGER=cat disables paging"},
    {"PATH", "searched for ptxas and nvdisasm after CUDA_HOME and CUDA_PATH"},
    {"TERM", "the type of the terminal; if it is dumb, grids have no colors"},
    {"COLORTERM", "truecolor or 24bit if the terminal has more than 256 colors"},
    {"VIRTUAL_ENV", "the active virtual environment of Python; its packages nvidia-cuda-nvcc and "
                    "nvidia-cuda-nvdisasm are searched after PATH"},
    {"TMPDIR", "the folder for temporary files of ptxas (default: /tmp)"},
};

static const struct {
    const char *path, *text;
} files[] = {
    {"/usr/local/cuda", "and other usual folders: searched last for the CUDA Toolkit"},
    {"PREFIX/share/mapping/mapping.schema.json",
     "the JSON Schema of the output of --format=json; its $id has the version of the format"},
};

static const struct {
    const char *text, *command;
} examples[] = {
    {"The wmma accumulator on a V100, with a layout that only Volta has:", "mapping --arch=v100"},
    {"Only the formulae of A in bf16:", "mapping --brief mma.m16n8k16.a.bf16"},
    {"All operands of an opcode:",
     "mapping --arch=sm_80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
    {"The thread that holds row 3, column 5; the elements of thread 7:",
     "mapping mma.m16n8k16.d.f32 --at=3,5; mapping mma.m16n8k16.d.f32 --thread=7"},
    {"How to use the result of one MMA as A of the next:",
     "mapping mma.m16n8k16.d.f32 --convert=mma.m16n8k16.a.f16"},
    {"Check a formula:", "mapping mma.m16n8k16.d.f32 --verify='row = lane / 4 + 8 * (i / 2)'"},
    {"Derive formulae from a table:", "mapping mma.m16n8k16.d.f32 --format=csv | mapping --map=-"},
    {"The bank conflicts of an access to shared memory:",
     "mapping --access=ld.b32 --address='tid * 8'"},
    {"The best swizzle of a tile that ldmatrix reads:",
     "mapping '(64,64):(64,1)' --suggest --load=mma.m16n8k16.a.f16"},
    {"A header for a kernel:", "mapping --arch=sm_80 'mma.m16n8k16.*.f16' --format=cuda"},
    {"Output for programs:", "mapping --arch=sm_75 --format=json"},
};

static void print_end(struct printer *to) {
    print_text(to, ".Sh ENVIRONMENT\n.Bl -tag -width CUDA_VISIBLE_DEVICES\n");
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        print_item(to, "Ev ", variables[v].name, variables[v].text);
    print_text(to, ".El\n.Sh FILES\n.Bl -tag -width Ds\n");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        print_item(to, "Pa ", files[f].path, files[f].text);
    print_text(to, ".El\n.Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n");
    for (int status = 0; options_status(status); status++)
        print_item(to, "", (const char[]){(char)('0' + status), '\0'}, options_status(status));
    print_text(to, ".El\n.Pp\n");
    print_prose(to, "With status 2, 3 or 5, nothing is printed on standard output.");
    print_text(to, ".Sh EXAMPLES\n");
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        print_text(to, e ? ".Pp\n" : "");
        print_prose(to, examples[e].text);
        print_text(to, ".Bd -literal -offset indent\n");
        print_word(to, examples[e].command, strlen(examples[e].command));
        print_text(to, "\n.Ed\n");
    }
    print_text(to, ".Sh SEE ALSO\n"
                   ".Rs\n"
                   ".%A NVIDIA\n"
                   ".%T Parallel Thread Execution ISA\n"
                   ".%U https://docs.nvidia.com/cuda/parallel\\-thread\\-execution/\n"
                   ".Re\n"
                   ".Rs\n"
                   ".%A NVIDIA\n"
                   ".%T CUDA Binary Utilities\n"
                   ".%U https://docs.nvidia.com/cuda/cuda\\-binary\\-utilities/\n"
                   ".Re\n");
}

static void describe_manual(struct printer *to) {
    print_text(to, ".\\\" Made from the table of mapping's options.\n.Dd " DATE "\n");
    print_text(to, start);
    print_text(to, ".Sh OPTIONS\n");
    print_prose(to, "Long options may be abbreviated if the abbreviation is unambiguous.");
    for (size_t r = 0; option_at(r); r++)
        if (option_at(r)->topic)
            print_topic(to, r);
    print_end(to);
}

/* ---- Completions: what options are given ---- */

/* How each shell completes the argument of an option, by the argument's name; @ stands for a list
 * of words. The first two rows are for all other arguments: a number or code, without suggestions,
 * and one word of a list. The scripts get names of FRAGMENT from `mapping --list`. */
static const struct completion {
    const char *argument, *bash, *zsh, *fish;
} completions[] = {
    {"", ":", " ", " -x"},
    {"", "COMPREPLY=($(compgen -W '@' -- \"$value\"))", "(@)", " -x -a '@'"},
    {"FRAGMENT", "_mapping_fragments \"$1\" \"$value\"", "_mapping_fragments",
     " -x -a '(__mapping_fragments)'"},
    {"FILE", "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$value\"))", "_files", " -r -F"},
    {"DIR", "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$value\"))", "_directories",
     " -x -a '(__fish_complete_directories)'"},
    {"ARCH", "COMPREPLY=($(compgen -W '@' -P \"$list\" -- \"${value##*,}\"))",
     "_sequence compadd - @", " -x -a '(__fish_complete_list , \"string split , @\")'"},
    {"SOURCE", "COMPREPLY=($(compgen -W '@' -P \"$list\" -- \"${value##*,}\"))",
     "_sequence compadd - @", " -x -a '(__fish_complete_list , \"string split , @\")'"},
};

static const struct completion *completion_of(const struct option_row *row) {
    for (size_t c = 2; c < sizeof completions / sizeof *completions; c++)
        if (strncmp(row->argument, completions[c].argument, strlen(completions[c].argument)) == 0)
            return &completions[c]; /* ARCH also matches ARCH,ARCH */
    return &completions[row->choices != NULL];
}

/* Prints the architectures, all their other names, and "all". */
static void print_arch_names(struct printer *to) {
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++)
        print(to, "sm_%u %s%s", arch->number, arch->names, *arch->names ? " " : "");
    print_text(to, "all");
}

/* Prints the loads and stores of Tensor Memory, without the repeat count. */
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

/* Prints the completion of an option's argument; @ is replaced by its words. */
static void print_value(struct printer *to, const struct option_row *row, const char *value) {
    const size_t length = strcspn(value, "@");
    print(to, "%.*s", (int)length, value);
    if (!value[length])
        return;
    for (size_t n = 0; row->choices && row->choices(n); n++)
        print(to, "%s%s", n ? " " : "", row->choices(n));
    if (strncmp(row->argument, "ARCH", 4) == 0)
        print_arch_names(to);
    if (strcmp(row->name, "with") == 0)
        print_transfers(to);
    print_text(to, value + length + 1);
}

/* Prints the help of an option up to its first period, escaped for single quotes: with a backslash
 * before each character in `special`, and with apostrophes as the shell requires. */
static void print_short_help(struct printer *to, const struct option_row *row, const char *special,
                             const char *apostrophe) {
    const char *help = row->choice_help ? "the sources of the layouts" : row->help ? row->help : "";
    for (size_t n = 0; help[n]; n++) {
        bool is_dots = n > 0 && help[n] == '.' && help[n - 1] == '.'; /* "..." */
        if (strncmp(help + n, " (", 2) == 0 ||
            (strchr(".;:", help[n]) && strchr(" ", help[n + 1]) && !is_dots))
            return;
        if (help[n] == '\'')
            print_text(to, apostrophe);
        else
            print(to, strchr(special, help[n]) ? "\\%c" : "%c", help[n]);
    }
}

/* ---- Completions: bash ---- */

/* The names of fragments are completed up to their next dot. `$1` is the program as typed. */
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

static void describe_bash(struct printer *to) {
    const struct option_row *row;
    print_text(to, bash_head);
    for (size_t r = 0; (row = option_at(r)); r++)
        if (row->name)
            print(to, "--%s%s ", row->name, row->argument && !row->is_optional ? "=" : "");
    print_text(to, "' -- \"$word\"))\n"
                   "        [[ $COMPREPLY == *= ]] && compopt -o nospace ;;\n");
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name || !row->argument)
            continue;
        print_text(to, "    ");
        if (row->letter && !row->is_optional)
            print(to, "-%c | ", row->letter);
        print(to, "--%s) ", row->name);
        print_value(to, row, completion_of(row)->bash);
        print_text(to, " ;;\n");
    }
    print_text(to, bash_tail);
}

/* ---- Completions: zsh ---- */

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

/* Prints the names of an option for zsh: '*'{-a+,--arch=}. */
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

static void describe_zsh(struct printer *to) {
    const struct option_row *row;
    print_text(to, zsh_head);
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        print_zsh_names(to, row);
        print_text(to, "'[");
        print_short_help(to, row, "[]\\", "'\\''");
        print_char(to, ']');
        if (row->argument) { /* ":ARCH:(sm_70 volta)" */
            print(to, "%s:%s:", row->is_optional ? ":" : "", row->argument);
            print_value(to, row, completion_of(row)->zsh);
        }
        print_char(to, '\'');
    }
    print_text(to, " \\\n    '*:FRAGMENT:_mapping_subjects'\n");
}

/* ---- Completions: fish ---- */

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

static void describe_fish(struct printer *to) {
    const struct option_row *row;
    print_text(to, fish_head);
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        print_text(to, "complete -c mapping");
        if (row->letter)
            print(to, " -s %c", row->letter);
        print(to, " -l %s", row->name);
        if (row->argument && !(row->is_optional && row->is_subject))
            print_value(to, row, completion_of(row)->fish);
        print_text(to, " -d '");
        print_short_help(to, row, "\\", "\\'");
        print_text(to, "'\n");
    }
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    void (*print)(struct printer *to);
} descriptions[] = {
    {"1", describe_manual},
    {"bash", describe_bash},
    {"zsh", describe_zsh},
    {"fish", describe_fish},
};

int main(int argc, char **argv) {
    size_t n = 0, count = sizeof descriptions / sizeof *descriptions;
    while (n < count && (argc != 2 || strcmp(argv[1], descriptions[n].name) != 0))
        n++;
    if (n == count) {
        fprintf(stderr, "usage: describe 1|bash|zsh|fish\n");
        return MAPPING_INVALID;
    }
    struct printer text = {0};
    descriptions[n].print(&text);
    bool done = write_all(STDOUT_FILENO, text.text, text.size) == 0;
    if (!done)
        fprintf(stderr, "describe: standard output cannot be written\n");
    return done ? MAPPING_OK : MAPPING_FAILED;
}
