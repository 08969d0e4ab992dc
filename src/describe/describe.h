/* describe.h - what is installed beside the program and tells about it: its manual, and completions
 * for shells. All of it is made from the tables of options and of the catalogue. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "cli/option_rows.h"

/* Prints the manual, mapping.1, in the language of mdoc(7). */
void describe_manual(struct printer *to);

/* Prints completions. */
void describe_bash(struct printer *to);
void describe_zsh(struct printer *to);
void describe_fish(struct printer *to);

/* What an option is given, as shells complete it. */
enum value_kind {
    NO_VALUE,
    FREE_VALUE, /* a number, or code: nothing to offer */
    WORD,       /* one of some words */
    WORDS,      /* several of them, with commas between them */
    A_FRAGMENT, /* as `mapping --list` has them: the scripts ask it */
    A_FILE,
    A_FOLDER,
};

enum value_kind value_kind(const struct option_row *row);

/* Prints the words that there are for the option, with blanks between them. */
void print_words(struct printer *to, const struct option_row *row);

/* The help of an option up to its first stop. "" if it has none. */
void short_help(const struct option_row *row, char *text, size_t size);

/* True if the row is an option, and not what stands beside them in --help. */
static inline bool is_option(const struct option_row *row) {
    return row->name != NULL;
}

#endif
