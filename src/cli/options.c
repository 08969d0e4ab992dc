/* options.c - the command line; see options.h. */
#include "cli/options.h"

#include "cli/combination.h"
#include "cli/option_rows.h"
#include "command/nearest.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was said that is no part of a request. */
struct said {
    const char *atom_layout, *permutation; /* as given, or NULL */
    bool has_arch;
    enum wish wish;
};

/* The rows as getopt_long takes them; an option's value is the number of its row and 256, or its
 * letter. */
static void make_getopt(struct option options[OPTION_ROWS + 1], char letters[3 * OPTION_ROWS + 2]) {
    size_t count = 0, length = 0;
    letters[length++] = ':';
    for (size_t r = 0; r < OPTION_ROWS; r++) {
        const struct option_row *row = &option_rows[r];
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
    for (size_t r = 0; r < OPTION_ROWS; r++)
        if (value == (option_rows[r].letter ? option_rows[r].letter : 256 + (int)r))
            return &option_rows[r];
    return NULL;
}

/* Writes the options that a name begins, "; so begin --verbose, --verify", and returns true; or
 * else writes the nearest, as they are offered. */
static bool offer_options(const char *name, char *hint, size_t size) {
    struct nearest nearest = nearest_to(name);
    size_t length = 0;
    *hint = '\0';
    for (size_t r = 0; r < OPTION_ROWS && length < size; r++) {
        char option[64];
        snprintf(option, sizeof option, "--%s", option_rows[r].name ? option_rows[r].name : "");
        if (!option_rows[r].name)
            continue;
        nearest_offer(&nearest, option);
        if (strncmp(option, name, strlen(name)) == 0)
            length += (size_t)snprintf(hint + length, size - length, "%s%s",
                                       length > 0 ? ", " : "; so begin ", option);
    }
    if (length == 0)
        nearest_print(&nearest, hint, size);
    return length > 0;
}

/* Says that there is no such option, or that several begin so. */
static enum mapping_status unknown_option(const char *word, struct mapping_error *error) {
    char name[64], hint[512];
    const char *start = word + strspn(word, "-");
    snprintf(name, sizeof name, "--%.*s", (int)strcspn(start, "="), start);
    bool is_begun = offer_options(name, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "%s option '%.60s'%s",
                        is_begun ? "ambiguous" : "unknown", word, hint);
}

/* What getopt_long found wrong; `word` is the last that it has looked at. */
static enum mapping_status bad_option(int kind, const char *word, struct mapping_error *error) {
    const struct option_row *row = optopt != 0 ? find_row(optopt) : NULL;
    if (row)
        return mapping_fail(error, MAPPING_INVALID, "option '--%s' %s", row->name,
                            kind == ':' ? "needs an argument" : "takes no argument");
    if (optopt != 0)
        return mapping_fail(error, MAPPING_INVALID, "unknown option '-%c'", optopt);
    return unknown_option(word, error);
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

/* What the options on tiles say, in words; NULL if out of memory. */
static char *describe_tile(const char *atoms, const char *permutation) {
    struct printer text = {.text = NULL};
    print(&text, "%s%s", *atoms ? "atom layout " : "", atoms);
    print_text(&text, *atoms && *permutation ? ", " : "");
    print(&text, "%s%s", *permutation ? "permutation " : "", permutation);
    char *described = printer_string(&text);
    if (!described)
        printer_free(&text);
    return described;
}

/* Reads what the options on tiles say, if there are any. */
static enum mapping_status read_tile(const struct said *said, struct request *request,
                                     struct mapping_error *error) {
    const char *atoms = said->atom_layout, *permutation = said->permutation;
    struct tile_request *tile = &request->tile;
    if (!atoms && !permutation)
        return MAPPING_OK;
    bool is_shown = request->action == ACTION_SHOW || request->action == ACTION_VERIFY ||
                    request->action == ACTION_LOAD || request->action == ACTION_SUGGEST;
    if (!is_shown || request->all)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s is about fragments that are named, so not with --%s",
                            atoms ? "atom-layout" : "permutation",
                            action_name(request->all ? ACTION_SHOW : request->action));
    tile->is_given = true;
    tile->text = describe_tile(atoms ? atoms : "", permutation ? permutation : "");
    if (!tile->text)
        return mapping_out_of_memory(error);
    return mapping_tiling_parse(atoms, permutation, &tile->tiling, error);
}

/* Takes all options. */
static enum mapping_status take_options(int argc, char **argv, struct request *request,
                                        struct said *said, struct mapping_error *error) {
    struct option options[OPTION_ROWS + 1];
    char letters[3 * OPTION_ROWS + 2];
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
    request->uses = malloc((size_t)argc * sizeof *request->uses);
    if (!request->subjects || !request->claims || !request->uses)
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
