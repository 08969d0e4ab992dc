/* option_rows.h - the options, one row each, in the order of --help. */
#ifndef OPTION_ROWS_H
#define OPTION_ROWS_H

#include "cli/values.h"

/* What an option is that takes no value out of `text`, or does more than to fill in a request. */
enum special { NOT_SPECIAL, ATOM_LAYOUT, PERMUTATION, ARCH, HELP, VERSION };

/* An option, or what stands in --help beside them. */
struct option_row {
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
};

enum { OPTION_ROWS = 45 };
extern const struct option_row option_rows[OPTION_ROWS];

#endif
