/* options.h - the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "output/output.h"
#include "source.h"

enum action { ACTION_SHOW, ACTION_LIST, ACTION_DIFF, ACTION_CHECK, ACTION_HELP, ACTION_VERSION };

#define SOURCES_MAX 4

struct options {
    enum action action;
    const struct mapping_arch *arch;    /* NULL if not given */
    const struct mapping_arch *diff[2]; /* of --diff */
    bool type_given, device_given, all;
    enum mapping_type type;
    char operand;                          /* 0 if not given */
    const char *atom_layout, *permutation; /* as given, or NULL */
    struct mapping_tiling tiling;          /* what they say */
    char tiling_text[256];                 /* the same in words; "" if neither is given */
    const struct output *output;
    struct style style;                        /* the width is not set */
    const struct source *sources[SOURCES_MAX]; /* in the order given */
    size_t source_count;                       /* 0 means auto */
    struct source_options machinery;
    const char **names; /* owned; fragments, or files to check */
    size_t name_count;
};

/* Reads the command line into `options`. MAPPING_INVALID if it is wrong. `argv` is reordered and
 * has to live as long as the options. Free them with options_free in any case. */
enum mapping_status options_parse(int argc, char **argv, struct options *options,
                                  struct mapping_error *error);

void options_free(struct options *options);

/* Prints what --help says. */
void options_help(FILE *file);

#endif
