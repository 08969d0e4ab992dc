/* options.h - from a command line to a request. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli/option_rows.h"

/* Reads the command line. MAPPING_INVALID if it is wrong. `argv` is reordered and has to live as
 * long as the request. */
enum mapping_status options_parse(int argc, char **argv, struct request *request, enum wish *wish,
                                  struct mapping_error *error);

/* Prints --help: examples and topics if the name is NULL, the options of the topic that it names,
 * or with "all" everything. */
void options_help(struct printer *to, const char *name);

/* What an exit status means; NULL from the last one on. */
const char *options_status(int status);

#endif
