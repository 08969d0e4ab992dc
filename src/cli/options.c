/* options.c - the command line; see options.h.
 *
 * Each option is one row, in the order of --help. What it is given is read in values.c. */
#include "cli/options.h"

#include "cli/combination.h"
#include "cli/values.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options without a value of their own ---- */

/* Notes what is to be done; two things at once are too many. */
static enum mapping_status set_action(struct request *request, enum action action,
                                      struct mapping_error *error) {
    if (request->action != ACTION_SHOW && request->action != action)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--list, --diff, --check, --confirm, --verify, --map and --convert are one at a time");
    request->action = action;
    return MAPPING_OK;
}

static enum mapping_status set_all(char *text, struct request *request,
                                   struct mapping_error *error) {
    (void)text, (void)error;
    request->all = true;
    return MAPPING_OK;
}

static enum mapping_status set_list(char *text, struct request *request,
                                    struct mapping_error *error) {
    (void)text;
    return set_action(request, ACTION_LIST, error);
}

static enum mapping_status set_diff(char *text, struct request *request,
                                    struct mapping_error *error) {
    bool is_pair = strchr(text, ',') != NULL; /* what is none is said first */
    enum mapping_status status = is_pair ? set_action(request, ACTION_DIFF, error) : MAPPING_OK;
    return status == MAPPING_OK ? take_diff(text, request, error) : status;
}

static enum mapping_status set_check(char *text, struct request *request,
                                     struct mapping_error *error) {
    if (text)
        request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_CHECK, error);
}

static enum mapping_status set_confirm(char *text, struct request *request,
                                       struct mapping_error *error) {
    request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_CONFIRM, error);
}

static enum mapping_status set_verify(char *text, struct request *request,
                                      struct mapping_error *error) {
    request->claims[request->claim_count++] = text;
    return set_action(request, ACTION_VERIFY, error);
}

static enum mapping_status set_map(char *text, struct request *request,
                                   struct mapping_error *error) {
    request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_MAP, error);
}

static enum mapping_status set_outputs(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)error;
    request->outputs = text;
    return MAPPING_OK;
}

static enum mapping_status set_convert(char *text, struct request *request,
                                       struct mapping_error *error) {
    request->convert = text;
    return set_action(request, ACTION_CONVERT, error);
}

static enum mapping_status set_order(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)text, (void)error;
    request->style.order = true;
    return MAPPING_OK;
}

static enum mapping_status set_detail(char *text, struct request *request,
                                      struct mapping_error *error) {
    (void)text, (void)error;
    request->style.detail = true;
    return MAPPING_OK;
}

static enum mapping_status set_brief(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)text, (void)error;
    request->style.brief = true;
    return MAPPING_OK;
}

static enum mapping_status set_verbose(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)text, (void)error;
    request->style.verbose = true;
    return MAPPING_OK;
}

/* ---- The table ---- */

/* What an option is that takes no value out of `text`, or does more than to fill in a request. */
enum special { NOT_SPECIAL, ATOM_LAYOUT, PERMUTATION, ARCH, HELP, VERSION };

static const struct option_row {
    const char *name;     /* NULL for what is no option */
    const char *argument; /* what it is given, NULL if nothing */
    const char *group;    /* the title above it, if it is the first of a group */
    const char *help;
    name_function *choices; /* listed behind the help */
    take_function *take;
    enum special special;
    char letter;      /* '\0' if it has none */
    bool is_optional; /* the argument may be left out */
    bool is_alias;    /* of an option whose help names it */
} rows[] = {
    {
        .argument = "FRAGMENT",
        .group = "What to show (default: wmma.m16n16k16.d.f32 of the GPU that is there):",
        .help = "a fragment by name, see --list: mma.m16n8k16.a.bf16; or several: "
                "mma.m16n8k16, 'mma.*.d.f32'; or all operands of an opcode: "
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32; or a C++ type: "
                "'fragment<matrix_a,16,16,16,half,row_major>'",
    },
    {
        .letter = 't',
        .name = "type",
        .argument = "TYPE",
        .help = "the accumulator of this type; with --all, --list, --diff and several fragments "
                "only those of this type: f64 (double), f32 (float), tf32, bf16, f16 (half), s32 "
                "(int), s8, u8, s4, u4, b1, e4m3, ..., or fp8, fp6, fp4, int8, int4",
        .take = take_type,
    },
    {
        .letter = 'o',
        .name = "operand",
        .argument = "NAME",
        .help = "only this operand; e is sparsity metadata, sfa and sfb are scale factors, r and p "
                "the registers and addresses of ldmatrix and stmatrix: ",
        .choices = operand_name_at,
        .take = take_operand,
    },
    {.letter = 'A',
     .name = "all",
     .help = "every fragment that the architecture has",
     .take = set_all},
    {
        .letter = 'a',
        .name = "arch",
        .argument = "ARCH",
        .help = "the architecture: sm_75, 75, 7.5, or a name below; where several make sense, "
                "sm_70,sm_80 or all",
        .take = take_archs,
        .special = ARCH,
    },
    {
        .letter = 'l',
        .name = "list",
        .help = "list fragments, and what their layouts rest on",
        .take = set_list,
    },
    {
        .name = "diff",
        .argument = "ARCH,ARCH",
        .help = "list fragments that differ between two architectures",
        .take = set_diff,
    },
    {
        .name = "verbose",
        .help = "with --diff, list also what only one of them has; with --verify and --map, all "
                "fragments that fit",
        .take = set_verbose,
    },
    {
        .name = "detail",
        .help = "add types, registers, bytes, and what introduced it",
        .take = set_detail,
    },
    {.name = "brief", .help = "formulae alone, without the grids", .take = set_brief},
    {
        .letter = 'f',
        .name = "format",
        .argument = "FORMAT",
        .help = "how to print it (default: text): ",
        .choices = format_name_at,
        .take = take_format,
    },
    {
        .name = "style",
        .argument = "STYLE",
        .help = "how formulae are written: with masks and shifts (default), with the fewest "
                "operators, or with / % and *, as code is: ",
        .choices = style_name_at,
        .take = take_style,
    },
    {
        .name = "order",
        .help = "with --format=cuda, add the permutation that puts a row-major matrix into the "
                "order of the fragment, and back",
        .take = set_order,
    },
    {
        .name = "atom-layout",
        .argument = "L",
        .group = "A tile of several mma or wgmma, as make_tiled_mma of CuTe makes it:",
        .help = "how atoms lie side by side over threads, in M, N and K: '(2,2,1):(2,1,0)'; by "
                "default there is one",
        .special = ATOM_LAYOUT,
    },
    {
        .name = "permutation",
        .argument = "P",
        .help = "the size of the tile and the order in it, of M, N and K: "
                "'((4,4,2):(1,8,4)),32,4', or 32,32,_",
        .special = PERMUTATION,
    },
    {
        .name = "at",
        .argument = "ROW,COL",
        .group = "Questions about a fragment; each number may be a range 3-5, or * for all:",
        .help = "which threads hold this element, and as which i; BLOCK,ROW,COL where there are "
                "several matrices",
        .take = take_at,
    },
    {
        .name = "thread",
        .argument = "TID[,I]",
        .help = "which elements this thread holds; --tid and --lane are the same",
        .take = take_thread,
    },
    {.name = "tid", .argument = "TID[,I]", .take = take_thread, .is_alias = true},
    {.name = "lane", .argument = "TID[,I]", .take = take_thread, .is_alias = true},
    {
        .name = "convert",
        .argument = "FRAGMENT",
        .group = "From one fragment to another:",
        .help = "what it takes to turn the registers of FRAGMENT... into this one: other "
                "registers, shuffles, or a trip through memory; with --format=cuda the function "
                "that does it",
        .take = set_convert,
    },
    {
        .letter = 's',
        .name = "source",
        .argument = "SOURCE",
        .group = "Where it comes from:",
        .take = take_sources, /* its help is the table of sources */
    },
    {
        .letter = 'd',
        .name = "device",
        .argument = "N",
        .help = "the CUDA device to use (default: 0)",
        .take = take_device,
    },
    {
        .name = "cuda",
        .argument = "DIR",
        .help = "use ptxas and nvdisasm of this CUDA Toolkit and search no further; may be "
                "repeated. By default those of $CUDA_HOME, $CUDA_PATH, $PATH, the usual folders",
        .take = take_cuda,
    },
    {
        .name = "timeout",
        .argument = "SECS",
        .help = "time limit for each run of a tool (default: 60)",
        .take = take_timeout,
    },
    {
        .letter = 'c',
        .name = "check",
        .argument = "FILE",
        .is_optional = true,
        .group = "Checking:",
        .help = "derive every section of results files again, from every source that is there but "
                "recorded, and with every toolkit of --cuda, and compare; without FILE, the "
                "recorded results. --arch and --source narrow it",
        .take = set_check,
    },
    {
        .name = "confirm",
        .argument = "FILE",
        .help = "the same, and print the file again, with who confirmed it added on top of each "
                "section",
        .take = set_confirm,
    },
    {
        .name = "verify",
        .argument = "CODE",
        .help = "check formulae in C: 'row = lane / 4 + i / 2 * 8; col = ...', or of the inverse "
                "'tid = ...'; names defined before may be used. Where they are wrong, what they "
                "would be right for",
        .take = set_verify,
    },
    {
        .name = "map",
        .argument = "FILE",
        .group = "A map of your own:",
        .help = "deduce formulae for the columns row, col, block and offset of a CSV file from all "
                "its others, and find which fragments have the same map; - for standard input",
        .take = set_map,
    },
    {
        .name = "outputs",
        .argument = "NAME,...",
        .help = "deduce these columns instead",
        .take = set_outputs,
    },
    {.letter = 'h', .name = "help", .group = "", .help = "show this", .special = HELP},
    {.letter = 'V', .name = "version", .help = "show the version", .special = VERSION},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Help ---- */

enum { HELP_COLUMN = 23, ARCH_COLUMN = 10, HELP_WIDTH = 79 };

/* Prints words from `column` on, in lines that begin at `indent` and end before HELP_WIDTH; a '\n'
 * begins a new one. */
static void print_wrapped(struct printer *to, const char *text, size_t indent, size_t column) {
    for (bool is_first = true; *text; is_first = false) {
        size_t length = strcspn(text, " \n");
        bool fits = column + !is_first + length < HELP_WIDTH + 1;
        if (!is_first && (!fits || text[-1] == '\n')) {
            print(to, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            print_char(to, ' ');
            column++;
        }
        print(to, "%.*s", (int)length, text);
        column += length;
        text += length;
        text += *text != '\0';
    }
    print_char(to, '\n');
}

/* What --source is given. */
static void print_sources(struct printer *to) {
    enum { NAMES = HELP_COLUMN, SENTENCES = HELP_COLUMN + 10 };
    const struct source *source;
    print(to, "%-10s", source_name_at(0));
    print_wrapped(to, "for each the first of these that can serve (default)", SENTENCES, SENTENCES);
    for (size_t s = 0; (source = source_at(s)); s++) {
        print(to, "%*s%-10s", NAMES, "", source->name);
        print_wrapped(to, source->help, SENTENCES, SENTENCES);
    }
    print(to, "%*s", NAMES, "");
    print_wrapped(to, "Several, as in sass,gpu, have to agree in every entry.", NAMES, NAMES);
}

static void print_row(struct printer *to, const struct option_row *row) {
    char left[64], help[512];
    if (!row->name)
        snprintf(left, sizeof left, "  %s", row->argument);
    else if (row->is_optional)
        snprintf(left, sizeof left, "  -%c, --%s[=%s] [%s]...", row->letter, row->name,
                 row->argument, row->argument);
    else
        snprintf(left, sizeof left, "  %c%c%c --%s%s%s", row->letter ? '-' : ' ',
                 row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name,
                 row->argument ? "=" : "", row->argument ? row->argument : "");
    print_text(to, left);
    if (strlen(left) < HELP_COLUMN)
        print(to, "%*s", (int)(HELP_COLUMN - strlen(left)), "");
    else
        print(to, "\n%*s", HELP_COLUMN, "");
    if (!row->help) {
        print_sources(to);
        return;
    }
    snprintf(help, sizeof help, "%s", row->help);
    if (row->choices)
        list_names(row->choices, help + strlen(help), sizeof help - strlen(help));
    print_wrapped(to, help, HELP_COLUMN, HELP_COLUMN);
}

void options_help(struct printer *to) {
    print_text(to,
               "Usage: mapping [OPTION]... [FRAGMENT]...\n"
               "Show which matrix element is in which register of which thread of a tensor-core\n"
               "fragment, and formulae for its row and column.\n");
    for (size_t r = 0; r < ROWS; r++) {
        if (rows[r].is_alias)
            continue;
        if (rows[r].group)
            print(to, *rows[r].group ? "\n%s\n" : "\n%s", rows[r].group);
        print_row(to, &rows[r]);
    }
    print_text(to, "\nArchitectures:\n");
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++) {
        print(to, *arch->names ? "  sm_%-4u " : "  sm_%u", arch->number);
        print_wrapped(to, arch->names, ARCH_COLUMN, ARCH_COLUMN);
    }
    print_text(to,
               "\n"
               "Exit status: 0 done; 1 a check or comparison found a difference; 2 the command\n"
               "line or an input file is wrong; 3 it exists, but is not available here; 4 a map\n"
               "has no formula in the space; 5 the machine failed.\n");
}

/* ---- Reading ---- */

/* What was said that is no part of a request. */
struct said {
    const char *atom_layout, *permutation; /* as given, or NULL */
    bool has_arch;
    enum wish wish;
};

/* The rows as getopt_long takes them; an option's value is the number of its row and 256, or its
 * letter. */
static void make_getopt(struct option options[ROWS + 1], char letters[3 * ROWS + 2]) {
    size_t count = 0, length = 0;
    letters[length++] = ':';
    for (size_t r = 0; r < ROWS; r++) {
        const struct option_row *row = &rows[r];
        if (!row->name)
            continue;
        int has = !row->argument     ? no_argument
                  : row->is_optional ? optional_argument
                                     : required_argument;
        options[count++] =
            (struct option){row->name, has, NULL, row->letter ? row->letter : 256 + (int)r};
        if (!row->letter)
            continue;
        letters[length++] = row->letter;
        for (int colon = has; colon > 0; colon--)
            letters[length++] = ':';
    }
    options[count] = (struct option){NULL, 0, NULL, 0};
    letters[length] = '\0';
}

static const struct option_row *find_row(int value) {
    for (size_t r = 0; r < ROWS; r++)
        if (value == (rows[r].letter ? rows[r].letter : 256 + (int)r))
            return &rows[r];
    return NULL;
}

/* What getopt_long found wrong; `word` is the last that it has looked at. */
static enum mapping_status bad_option(int kind, const char *word, struct mapping_error *error) {
    const struct option_row *row = optopt != 0 ? find_row(optopt) : NULL;
    if (row)
        return mapping_fail(error, MAPPING_INVALID, "option '--%s' %s", row->name,
                            kind == ':' ? "needs an argument" : "takes no argument");
    if (optopt != 0)
        return mapping_fail(error, MAPPING_INVALID, "unknown option '-%c'", optopt);
    return mapping_fail(error, MAPPING_INVALID, "unknown or ambiguous option '%.60s'", word);
}

/* Takes one option. */
static enum mapping_status take_row(const struct option_row *row, char *text,
                                    struct request *request, struct said *said,
                                    struct mapping_error *error) {
    switch (row->special) {
    case ATOM_LAYOUT:
        said->atom_layout = text;
        return MAPPING_OK;
    case PERMUTATION:
        said->permutation = text;
        return MAPPING_OK;
    case HELP:
        said->wish = WISH_HELP;
        return MAPPING_OK;
    case VERSION:
        said->wish = WISH_VERSION;
        return MAPPING_OK;
    case ARCH:
        said->has_arch = true;
        break;
    case NOT_SPECIAL:
        break;
    }
    return row->take(text, request, error);
}

/* Reads what the options on tiles say, if there are any. */
static enum mapping_status read_tile(const struct said *said, struct request *request,
                                     struct mapping_error *error) {
    const char *atoms = said->atom_layout, *permutation = said->permutation;
    struct tile_request *tile = &request->tile;
    if (!atoms && !permutation)
        return MAPPING_OK;
    bool is_shown = request->action == ACTION_SHOW || request->action == ACTION_VERIFY;
    if (!is_shown || request->all)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s is about fragments that are named, so not with --%s",
                            atoms ? "atom-layout" : "permutation",
                            action_name(request->all ? ACTION_SHOW : request->action));
    tile->is_given = true;
    snprintf(tile->text, sizeof tile->text, "%s%s%s%s%s", atoms ? "atom layout " : "",
             atoms ? atoms : "", atoms && permutation ? ", " : "",
             permutation ? "permutation " : "", permutation ? permutation : "");
    return mapping_tiling_parse(atoms, permutation, &tile->tiling, error);
}

/* Takes all options. */
static enum mapping_status take_options(int argc, char **argv, struct request *request,
                                        struct said *said, struct mapping_error *error) {
    struct option options[ROWS + 1];
    char letters[3 * ROWS + 2];
    enum mapping_status status = MAPPING_OK;
    make_getopt(options, letters);
    opterr = 0;
    while (status == MAPPING_OK && said->wish == WISH_REQUEST) {
        int value = getopt_long(argc, argv, letters, options, NULL);
        if (value == -1)
            break;
        const struct option_row *row = value == '?' || value == ':' ? NULL : find_row(value);
        status = row ? take_row(row, optarg, request, said, error)
                     : bad_option(value, argv[optind - 1], error);
    }
    return status;
}

enum mapping_status options_parse(int argc, char **argv, struct request *request, enum wish *wish,
                                  struct mapping_error *error) {
    struct said said = {.wish = WISH_REQUEST};
    *wish = WISH_REQUEST;
    *request = (struct request){.output = output_at(0), .machinery.timeout = 60};
    request->subjects = malloc((size_t)argc * sizeof *request->subjects);
    request->claims = malloc((size_t)argc * sizeof *request->claims);
    if (!request->subjects || !request->claims)
        return mapping_out_of_memory(error);
    enum mapping_status status = take_options(argc, argv, request, &said, error);
    *wish = said.wish;
    if (status != MAPPING_OK || said.wish != WISH_REQUEST)
        return status;
    while (optind < argc)
        request->subjects[request->subject_count++] = argv[optind++];
    if (!request->has_style)
        request->style.formula = request->output->usual;
    status = check_combination(request, said.has_arch, error);
    return status == MAPPING_OK ? read_tile(&said, request, error) : status;
}
