/* options.c - the command line; see options.h. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Options without a short form have numbers that are no characters. */
enum { OPTION_CUDA = 256, OPTION_TIMEOUT };

static const struct option long_options[] = {
    {"arch", required_argument, NULL, 'a'},
    {"type", required_argument, NULL, 't'},
    {"all", no_argument, NULL, 'A'},
    {"list", no_argument, NULL, 'l'},
    {"format", required_argument, NULL, 'f'},
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
          "  FRAGMENT             a fragment by name, see --list\n"
          "  -t, --type=TYPE      the 16x16 accumulator of this type, or with --all and\n"
          "                       --list only fragments of this type:\n"
          "                       ",
          file);
    for (int t = 0; t < MAPPING_TYPES; t++)
        fprintf(file, "%s%s (%s)", t ? ", " : "", mapping_type_name((enum mapping_type)t),
                mapping_type_alias((enum mapping_type)t));
    fputs("\n"
          "  -A, --all            every fragment that the architecture has\n"
          "  -a, --arch=ARCH      the architecture: sm_75, 75, 7.5, or a name below\n"
          "  -l, --list           list the fragments and which architectures have them\n"
          "  -f, --format=FORMAT  text (default) or json\n"
          "\n"
          "Where it comes from:\n"
          "  -s, --source=SOURCE  auto      the first of these that can serve (default)\n"
          "                       gpu       a kernel that runs on the device\n"
          "                       sass      the compiler's code, run on the host: needs\n"
          "                                 ptxas and nvdisasm, but no GPU\n"
          "                       recorded  results that this program was built with\n"
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

/* Fails with the architectures that there are. */
static enum mapping_status unknown_arch(const char *name, struct mapping_error *error) {
    char known[512] = "";
    size_t length = 0;
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)) && length < sizeof known; a++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%ssm_%u", a ? ", " : "",
                                   arch->number);
    return mapping_fail(
        error, MAPPING_INVALID,
        "unknown architecture '%.40s'; there are %s, and names such as volta or a100", name, known);
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
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s (%s)",
                                   t ? ", " : "", mapping_type_name((enum mapping_type)t),
                                   mapping_type_alias((enum mapping_type)t));
    return mapping_fail(error, MAPPING_INVALID, "unknown type '%.40s'; there are %s", text, known);
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
        if (!source)
            return mapping_fail(error, MAPPING_INVALID,
                                "unknown source '%.40s'; there are auto, gpu, sass and recorded",
                                name);
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
                            "'%.40s' is no time limit; --timeout takes seconds", text);
    return MAPPING_OK;
}

/* Takes one option. `text` is its argument, or NULL. */
static enum mapping_status take_option(int option, char *text, struct options *options,
                                       struct mapping_error *error) {
    switch (option) {
    case 'a':
        options->arch = mapping_arch_find(text);
        return options->arch ? MAPPING_OK : unknown_arch(text, error);
    case 't':
        return read_type(text, options, error);
    case 'A':
        options->all = true;
        return MAPPING_OK;
    case 'l':
        options->action = ACTION_LIST;
        return MAPPING_OK;
    case 'f':
        options->output = output_find(text);
        if (!options->output)
            return mapping_fail(error, MAPPING_INVALID,
                                "unknown format '%.40s'; there are text and json", text);
        return MAPPING_OK;
    case 's':
        return read_sources(text, options, error);
    case 'd':
        return read_device(text, options, error);
    case OPTION_CUDA:
        if (options->machinery.cuda_folder_count == CUDA_FOLDERS_MAX)
            return mapping_fail(error, MAPPING_INVALID, "--cuda is given more than %d times",
                                CUDA_FOLDERS_MAX);
        options->machinery.cuda_folders[options->machinery.cuda_folder_count++] = text;
        return MAPPING_OK;
    case OPTION_TIMEOUT:
        return read_timeout(text, options, error);
    case 'c':
        options->action = ACTION_CHECK;
        if (text)
            options->names[options->name_count++] = text;
        return MAPPING_OK;
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

/* Options that make no sense together. */
static enum mapping_status check_combination(const struct options *options,
                                             struct mapping_error *error) {
    if (options->action == ACTION_LIST && options->name_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--list takes no fragment, but '%.60s' is given", options->names[0]);
    if (options->action == ACTION_SHOW && options->all && options->name_count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--all means every fragment, but '%.60s' is given too",
                            options->names[0]);
    if (options->action == ACTION_CHECK && (options->all || options->type_given))
        return mapping_fail(error, MAPPING_INVALID, "--check always checks all, without %s",
                            options->all ? "--all" : "--type");
    for (size_t s = 0; s < options->source_count && options->action == ACTION_CHECK; s++)
        if (strcmp(options->sources[s]->name, "recorded") == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "--check cannot use recorded results, which "
                                "are what it checks; there are gpu and sass");
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
        int option = getopt_long(argc, argv, ":a:t:Alf:s:d:c::hV", long_options, NULL);
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
    return check_combination(options, error);
}

void options_free(struct options *options) {
    free(options->names);
    options->names = NULL;
}
