/* describe.h - what is installed beside the program and tells about it: its manual, and completions
 * for shells. All of it is made from the tables of options and of the catalogue. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "cli/option_rows.h"

/* Prints the manual, mapping.1, in the language of mdoc(7). */
void describe_manual(struct printer *to);

/* Print completions for a shell. */
void describe_bash(struct printer *to);
void describe_zsh(struct printer *to);
void describe_fish(struct printer *to);

#endif
