/* manual.c - mapping.1; see describe.h. */
#include "describe/describe.h"

#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The day of the release whose number is MAPPING_VERSION. */
#define DATE "November 23, 2026"

enum { WIDTH = 78 };

/* ---- Text ---- */

/* Prints a word so that mdoc takes each of its characters for itself, and does not hyphenate what
 * is not plain English. Returns its width. */
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

/* Prints a text in lines; a sentence begins a new one, and a '\n' one in the output, too. */
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

/* ---- Options ---- */

/* What --source is given. */
static void print_sources(struct printer *to) {
    const struct source *source;
    print(to, ".Bl -tag -width recorded -compact\n.It Cm %s\n", source_name_at(0));
    print_prose(to, "the first source that is available for each fragment (default)");
    for (size_t s = 0; (source = source_at(s)); s++) {
        print(to, ".It Cm %s\n", source->name);
        print_prose(to, source->help);
    }
    print_text(to, ".El\n.Pp\n");
    print_prose(
        to, "You can give several, for example sass,gpu. If they differ, the program prints the "
            "first difference and exits with status 1.");
}

/* Prints how an option, or what stands beside them, is spelled. */
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
    char choices[256] = "";
    struct printer help = {0};
    print_spelling(to, row);
    if (!row->help) {
        print_sources(to);
        return;
    }
    if (row->choices && row->help[strlen(row->help) - 1] == ' ')
        list_names(row->choices, choices, sizeof choices);
    print(&help, "%s%s", row->help, choices);
    print_prose(to, printer_string(&help));
}

/* Prints a title, "compare" as "Compare". */
static void print_title(struct printer *to, const char *name) {
    print(to, ".Ss %c%s\n", toupper((unsigned char)*name), name + 1);
}

/* Prints what stands in front of a group of options. */
static void print_group(struct printer *to, const char *group) {
    char text[128];
    snprintf(text, sizeof text, "%.*s.", (int)strcspn(group, ":"), group);
    print_text(to, ".El\n.Pp\n");
    print_prose(to, text);
    print_text(to, ".Bl -tag -width Ds\n");
}

static void print_topic(struct printer *to, enum topic topic) {
    const struct option_row *row;
    print_title(to, topic_at(topic) ? topic_at(topic)->name : "further");
    if (topic_at(topic)) {
        char about[128];
        snprintf(about, sizeof about, "%s.", topic_at(topic)->about);
        *about = (char)toupper((unsigned char)*about);
        print_prose(to, about);
    }
    print_text(to, ".Bl -tag -width Ds\n");
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (row->topic != topic || row->is_alias)
            continue;
        if (row->group)
            print_group(to, row->group);
        print_option(to, row);
    }
    print_text(to, ".El\n");
}

static void print_archs(struct printer *to) {
    const struct mapping_arch *arch;
    print_text(to, ".Bl -tag -width sm_120x -compact\n");
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++) {
        print(to, ".It Cm sm_%u\n", arch->number);
        if (*arch->names)
            print_prose(to, arch->names);
    }
    print_text(to, ".El\n");
}

static void print_options(struct printer *to) {
    print_text(to, ".Sh OPTIONS\n");
    print_prose(to, "Long options may be abbreviated if the abbreviation is unambiguous.");
    for (int topic = 0; topic < TOPICS; topic++) {
        print_topic(to, (enum topic)topic);
        if (topic == TOPIC_ARCHITECTURES)
            print_archs(to);
    }
}

/* ---- The rest ---- */

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
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
        print(to, ".It Ev %s\n", variables[v].name);
        print_prose(to, variables[v].text);
    }
    print_text(to, ".El\n.Sh FILES\n.Bl -tag -width Ds\n");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        print(to, ".It Pa %s\n", files[f].path);
        print_prose(to, files[f].text);
    }
    print_text(to, ".El\n.Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n");
    for (int status = 0; options_status(status); status++) {
        print(to, ".It %d\n", status);
        print_prose(to, options_status(status));
    }
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

void describe_manual(struct printer *to) {
    print_text(to, ".\\\" Made from the table of mapping's options.\n.Dd " DATE "\n");
    print_text(to, start);
    print_options(to);
    print_end(to);
}
