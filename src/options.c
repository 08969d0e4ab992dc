/* options.c - the command line; see options.h. */
#include "options.h"

#include "nearest.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options without a short form have numbers that are no characters. */
enum {
    OPTION_CUDA = 256,
    OPTION_TIMEOUT,
    OPTION_AT,
    OPTION_THREAD,
    OPTION_DETAIL,
    OPTION_BRIEF,
    OPTION_DIFF,
    OPTION_ATOM_LAYOUT,
    OPTION_PERMUTATION
};

static const struct option long_options[] = {
    {"arch", required_argument, NULL, 'a'},
    {"type", required_argument, NULL, 't'},
    {"operand", required_argument, NULL, 'o'},
    {"all", no_argument, NULL, 'A'},
    {"list", no_argument, NULL, 'l'},
    {"format", required_argument, NULL, 'f'},
    {"atom-layout", required_argument, NULL, OPTION_ATOM_LAYOUT},
    {"permutation", required_argument, NULL, OPTION_PERMUTATION},
    {"at", required_argument, NULL, OPTION_AT},
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"detail", no_argument, NULL, OPTION_DETAIL},
    {"brief", no_argument, NULL, OPTION_BRIEF},
    {"diff", required_argument, NULL, OPTION_DIFF},
    {"source", required_argument, NULL, 's'},
    {"device", required_argument, NULL, 'd'},
    {"cuda", required_argument, NULL, OPTION_CUDA},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"check", optional_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

void options_help(FILE *file) {
    fputs("Usage: mapping [OPTION]... [FRAGMENT]...\n"
          "Show which matrix element is in which register of which thread of a tensor-core\n"
          "fragment, and formulae for its row and column.\n"
          "\n"
          "What to show (default: wmma.m16n16k16.d.f32 of the GPU that is there):\n"
          "  FRAGMENT             a fragment by name, see --list: mma.m16n8k16.a.bf16; or\n"
          "                       several: 'mma.m16n8k16.*'; or all operands of an opcode:\n"
          "                       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32; or a\n"
          "                       C++ type: 'fragment<matrix_a,16,16,16,half,row_major>'\n"
          "  -t, --type=TYPE      the accumulator of this type; with --all, --list, --diff\n"
          "                       and several fragments only those of this type: f64\n"
          "                       (double), f32 (float), tf32, bf16, f16 (half), s32 (int),\n"
          "                       s8, u8, s4, u4, b1, e4m3, ...\n"
          "  -o, --operand=NAME   only this operand: a, b, c, d; e (sparsity metadata);\n"
          "                       sfa, sfb (scale factors); r, p (registers and addresses\n"
          "                       of ldmatrix and stmatrix)\n"
          "  -A, --all            every fragment that the architecture has\n"
          "  -a, --arch=ARCH      the architecture: sm_75, 75, 7.5, or a name below\n"
          "  -l, --list           list fragments, and what their layouts rest on\n"
          "      --diff=ARCH,ARCH list fragments that differ between two architectures\n"
          "      --detail         add types, registers, bytes, and what introduced it\n"
          "      --brief          formulae alone, without the grids\n"
          "  -f, --format=FORMAT  text (default), json, csv or markdown\n"
          "\n"
          "A tile of several mma or wgmma, as make_tiled_mma of CuTe makes it:\n"
          "      --atom-layout=L  how atoms lie side by side over threads, in M, N and K:\n"
          "                       '(2,2,1):(2,1,0)'; by default there is one\n"
          "      --permutation=P  the size of the tile and the order in it, of M, N and K:\n"
          "                       '((4,4,2):(1,8,4)),32,4', or 32,32,_\n"
          "\n"
          "Questions about a fragment; each number may be a range 3-5, or * for all:\n"
          "      --at=ROW,COL     which threads hold this element, and as which i;\n"
          "                       BLOCK,ROW,COL where there are several matrices\n"
          "      --thread=TID[,I] which elements this thread holds\n"
          "\n"
          "Where it comes from:\n"
          "  -s, --source=SOURCE  auto      for each the first of these that can\n"
          "                                 serve (default)\n"
          "                       gpu       a kernel that runs on the device\n"
          "                       sass      the compiler's code, run on the host: needs\n"
          "                                 ptxas and nvdisasm, but no GPU\n"
          "                       recorded  results that this program was built with\n"
          "                       isa       what the PTX ISA states of all but wmma\n"
          "                       Several, as in sass,gpu, have to agree in every entry.\n"
          "  -d, --device=N       the CUDA device to use (default: 0)\n"
          "      --cuda=DIR       use ptxas and nvdisasm of this CUDA Toolkit and search\n"
          "                       no further; may be repeated. By default those of\n"
          "                       $CUDA_HOME, $CUDA_PATH, $PATH, the usual folders\n"
          "      --timeout=SECS   time limit for each run of a tool (default: 60)\n"
          "\n"
          "Checking:\n"
          "  -c, --check[=FILE] [FILE]...\n"
          "                       derive every section of results files again, from every\n"
          "                       source that is there but recorded, and compare; without\n"
          "                       FILE, the recorded results. --arch and --source narrow it\n"
          "\n"
          "  -h, --help           show this\n"
          "  -V, --version        show the version\n"
          "\n"
          "Architectures:\n",
          file);
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++)
        fprintf(file, *arch->names ? "  sm_%-4u %s\n" : "  sm_%u\n", arch->number, arch->names);
    fputs("\n"
          "Exit status: 0 done; 1 a check or comparison found a difference; 2 the command\n"
          "line or an input file is wrong; 3 it exists, but is not available here; 4 a map\n"
          "has no formula in the space; 5 the machine failed.\n",
          file);
}

/* Finds an architecture, or fails with those that there are. */
static enum mapping_status read_arch(const char *name, const struct mapping_arch **found,
                                     struct mapping_error *error) {
    *found = mapping_arch_find(name);
    if (*found)
        return MAPPING_OK;
    char known[256] = "", hint[256];
    size_t length = 0;
    const struct mapping_arch *arch;
    struct nearest nearest = nearest_to(name);
    for (size_t a = 0; (arch = mapping_arch_at(a)) && length < sizeof known; a++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%ssm_%u", a ? ", " : "",
                                   arch->number);
        for (const char *word = arch->names; *word; word += strspn(word, " ")) {
            char one[32];
            snprintf(one, sizeof one, "%.*s", (int)strcspn(word, " "), word);
            nearest_offer(&nearest, one);
            word += strcspn(word, " ");
        }
    }
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(
        error, MAPPING_INVALID,
        "unknown architecture '%.40s'; there are %s, and names such as volta or a100%s", name,
        known, hint);
}

static enum mapping_status read_type(const char *text, struct options *options,
                                     struct mapping_error *error) {
    if (mapping_type_find(text, &options->type)) {
        options->type_given = true;
        return MAPPING_OK;
    }
    char known[256] = "";
    size_t length = 0;
    for (int t = 0; t < MAPPING_TYPES && length < sizeof known; t++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", t ? ", " : "",
                                   mapping_type_name((enum mapping_type)t));
    return mapping_fail(error, MAPPING_INVALID,
                        "unknown type '%.40s'; there are %s, and double, float, half, int", text,
                        known);
}

static enum mapping_status read_operand(const char *text, struct options *options,
                                        struct mapping_error *error) {
    options->operand = mapping_operand_find(text);
    if (options->operand)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "unknown operand '%.40s'; there are a, b, c, d, e, sfa, sfb, r and p",
                        text);
}

/* Reads "auto", or sources separated by commas. */
static enum mapping_status read_sources(char *text, struct options *options,
                                        struct mapping_error *error) {
    options->source_count = 0;
    if (strcmp(text, "auto") == 0)
        return MAPPING_OK;
    for (char *name = text; name; name = text) {
        if ((text = strchr(name, ',')))
            *text++ = '\0';
        const struct source *source = source_find(name);
        if (strcmp(name, "auto") == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "source 'auto' stands alone, without others");
        if (!source)
            return mapping_fail(
                error, MAPPING_INVALID,
                "unknown source '%.40s'; there are auto, gpu, sass, recorded and isa", name);
        for (size_t s = 0; s < options->source_count; s++)
            if (options->sources[s] == source)
                return mapping_fail(error, MAPPING_INVALID, "source '%s' is named twice", name);
        options->sources[options->source_count++] = source;
    }
    return MAPPING_OK;
}

static enum mapping_status read_device(const char *text, struct options *options,
                                       struct mapping_error *error) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < 0 || number > 1000000)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is no device; --device takes a number from 0", text);
    options->machinery.device = (int)number;
    options->device_given = true;
    return MAPPING_OK;
}

static enum mapping_status read_timeout(const char *text, struct options *options,
                                        struct mapping_error *error) {
    char *end;
    options->machinery.timeout = strtod(text, &end);
    if (end == text || *end ||
        !(options->machinery.timeout > 0 && options->machinery.timeout <= 1e6))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is no time limit; --timeout takes seconds up to 1000000",
                            text);
    return MAPPING_OK;
}

/* Notes what is to be done; two things at once are too many. */
static enum mapping_status set_action(struct options *options, enum action action,
                                      struct mapping_error *error) {
    if (options->action != ACTION_SHOW && options->action != action)
        return mapping_fail(error, MAPPING_INVALID, "--list, --diff and --check are one at a time");
    options->action = action;
    return MAPPING_OK;
}

/* Reads two architectures with a comma between them. */
static enum mapping_status read_diff(char *text, struct options *options,
                                     struct mapping_error *error) {
    char *comma = strchr(text, ',');
    if (!comma)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is one architecture; --diff takes two, as in sm_75,sm_80",
                            text);
    *comma = '\0';
    enum mapping_status status = set_action(options, ACTION_DIFF, error);
    if (status == MAPPING_OK)
        status = read_arch(text, &options->diff[0], error);
    return status == MAPPING_OK ? read_arch(comma + 1, &options->diff[1], error) : status;
}

/* Notes a toolkit's folder. */
static enum mapping_status add_cuda_folder(const char *path, struct options *options,
                                           struct mapping_error *error) {
    struct source_options *machinery = &options->machinery;
    struct stat information;
    if (machinery->cuda_folder_count == CUDA_FOLDERS_MAX)
        return mapping_fail(error, MAPPING_INVALID, "--cuda is given more than %d times",
                            CUDA_FOLDERS_MAX);
    if (stat(path, &information) != 0 || !S_ISDIR(information.st_mode))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no folder '%.200s' for --cuda",
                            path);
    machinery->cuda_folders[machinery->cuda_folder_count++] = path;
    return MAPPING_OK;
}

/* Takes one option. `text` is its argument, or NULL. */
static enum mapping_status take_option(int option, char *text, struct options *options,
                                       struct mapping_error *error) {
    switch (option) {
    case 'a':
        return read_arch(text, &options->arch, error);
    case 't':
        return read_type(text, options, error);
    case 'o':
        return read_operand(text, options, error);
    case 'A':
        options->all = true;
        return MAPPING_OK;
    case 'l':
        return set_action(options, ACTION_LIST, error);
    case 'f':
        options->output = output_find(text);
        if (!options->output)
            return mapping_fail(error, MAPPING_INVALID,
                                "unknown format '%.40s'; there are text, json, csv and markdown",
                                text);
        return MAPPING_OK;
    case 's':
        return read_sources(text, options, error);
    case 'd':
        return read_device(text, options, error);
    case OPTION_AT:
    case OPTION_THREAD:
        if (options->style.question.kind != ASK_NOTHING)
            return mapping_fail(error, MAPPING_INVALID,
                                "--at and --thread ask one question at a time");
        return question_parse(text, option == OPTION_AT ? ASK_AT : ASK_THREAD,
                              &options->style.question, error);
    case OPTION_DETAIL:
        options->style.detail = true;
        return MAPPING_OK;
    case OPTION_ATOM_LAYOUT:
        options->atom_layout = text;
        return MAPPING_OK;
    case OPTION_PERMUTATION:
        options->permutation = text;
        return MAPPING_OK;
    case OPTION_BRIEF:
        options->style.brief = true;
        return MAPPING_OK;
    case OPTION_DIFF:
        return read_diff(text, options, error);
    case OPTION_CUDA:
        return add_cuda_folder(text, options, error);
    case OPTION_TIMEOUT:
        return read_timeout(text, options, error);
    case 'c':
        if (text)
            options->names[options->name_count++] = text;
        return set_action(options, ACTION_CHECK, error);
    case 'h':
        options->action = ACTION_HELP;
        return MAPPING_OK;
    default:
        options->action = ACTION_VERSION;
        return MAPPING_OK;
    }
}

/* What getopt_long found wrong; `word` is the last that it has looked at. */
static enum mapping_status bad_option(int kind, const char *word, struct mapping_error *error) {
    for (const struct option *known = long_options; known->name && optopt != 0; known++)
        if (known->val == optopt)
            return mapping_fail(error, MAPPING_INVALID, "option '--%s' %s", known->name,
                                kind == ':' ? "needs an argument" : "takes no argument");
    if (optopt != 0)
        return mapping_fail(error, MAPPING_INVALID, "unknown option '-%c'", optopt);
    return mapping_fail(error, MAPPING_INVALID, "unknown or ambiguous option '%.60s'", word);
}

/* Reads what the options on tiles say, if there are any. */
static enum mapping_status read_tiling(struct options *options, struct mapping_error *error) {
    const char *atoms = options->atom_layout, *permutation = options->permutation;
    if (!atoms && !permutation)
        return MAPPING_OK;
    if (options->action != ACTION_SHOW || options->all)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s is about fragments that are named, so not with --%s",
                            atoms ? "atom-layout" : "permutation",
                            options->all                     ? "all"
                            : options->action == ACTION_LIST ? "list"
                            : options->action == ACTION_DIFF ? "diff"
                                                             : "check");
    snprintf(options->tiling_text, sizeof options->tiling_text, "%s%s%s%s%s",
             atoms ? "atom layout " : "", atoms ? atoms : "", atoms && permutation ? ", " : "",
             permutation ? "permutation " : "", permutation ? permutation : "");
    return mapping_tiling_parse(atoms, permutation, &options->tiling, error);
}

/* Options that make no sense together. */
static enum mapping_status check_combination(const struct options *options,
                                             struct mapping_error *error) {
    bool asks = options->style.question.kind != ASK_NOTHING;
    if (options->action != ACTION_SHOW && (asks || options->style.detail || options->style.brief))
        return mapping_fail(error, MAPPING_INVALID,
                            "--at, --thread, --detail and --brief are about fragments that "
                            "are shown, so not with --list, --diff or --check");
    if (options->style.brief && (asks || options->output == output_find("csv")))
        return mapping_fail(error, MAPPING_INVALID,
                            "--brief leaves formulae alone, of which %s has none",
                            asks ? "the answer to a question" : "csv");
    if (options->action == ACTION_DIFF && options->arch)
        return mapping_fail(error, MAPPING_INVALID,
                            "--diff names both architectures, so --arch is too many");
    if (options->action == ACTION_SHOW && options->all && options->name_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--all means every fragment, but '%.60s' is given too",
                            options->names[0]);
    if (options->action == ACTION_CHECK &&
        (options->all || options->type_given || options->operand))
        return mapping_fail(error, MAPPING_INVALID, "--check always checks all, without %s",
                            options->all          ? "--all"
                            : options->type_given ? "--type"
                                                  : "--operand");
    if (options->action == ACTION_CHECK && options->output != output_find("text"))
        return mapping_fail(error, MAPPING_INVALID, "--check prints text, not %s",
                            options->output->name);
    for (size_t s = 0; s < options->source_count && options->action == ACTION_CHECK; s++)
        if (strcmp(options->sources[s]->name, "recorded") == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "--check cannot use recorded results, which "
                                "are what it checks; there are gpu, sass and isa");
    return MAPPING_OK;
}

enum mapping_status options_parse(int argc, char **argv, struct options *options,
                                  struct mapping_error *error) {
    *options = (struct options){.output = output_find("text"), .machinery.timeout = 60};
    options->names = malloc((size_t)argc * sizeof *options->names);
    if (!options->names)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = MAPPING_OK;
    bool show_version_or_help = false;
    opterr = 0;
    while (status == MAPPING_OK && !show_version_or_help) {
        int option = getopt_long(argc, argv, ":a:t:o:Alf:s:d:c::hV", long_options, NULL);
        if (option == -1)
            break;
        if (option == '?' || option == ':')
            status = bad_option(option, argv[optind - 1], error);
        else
            status = take_option(option, optarg, options, error);
        show_version_or_help = option == 'h' || option == 'V';
    }
    if (status != MAPPING_OK || show_version_or_help)
        return status;
    while (optind < argc)
        options->names[options->name_count++] = argv[optind++];
    status = check_combination(options, error);
    return status == MAPPING_OK ? read_tiling(options, error) : status;
}

void options_free(struct options *options) {
    free(options->names);
    options->names = NULL;
}
