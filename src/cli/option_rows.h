/* option_rows.h - the table of options, from which parsing, --help, the manual and completions are
 * made. */
#ifndef OPTION_ROWS_H
#define OPTION_ROWS_H

#include "command/request.h"

/* Where an option is explained: --help=memory. */
enum topic {
    TOPIC_FRAGMENTS,
    TOPIC_MEMORY,
    TOPIC_TENSOR_MEMORY,
    TOPIC_COMPARE,
    TOPIC_CODE,
    TOPIC_PICTURES,
    TOPIC_SOURCES,
    TOPIC_ARCHITECTURES,
    TOPIC_FURTHER, /* --help and --version */
    TOPICS
};

/* How often an option may stand. */
enum times {
    ONCE,
    LAST, /* any number of times: the last one counts, so that an alias can be overruled */
    MANY  /* each one counts */
};

/* What a format must have for an option; see struct output. */
enum needs {
    NEEDS_NOTHING,
    NEEDS_FORMULAE,
    NEEDS_BRIEF,
    NEEDS_CELLS,
    NEEDS_COLORS,
    NEEDS_CUT,
    NEEDS_ORDER,
    NEEDS_DETAIL
};

/* Reads the argument of an option into a request. MAPPING_INVALID, with a sentence that says what
 * would be right, if it cannot be read. */
typedef enum mapping_status take_function(char *text, struct request *request,
                                          struct mapping_error *error);

/* Word n of a list of words; NULL from the end on. */
typedef const char *name_function(size_t n);

/* What the command line asks for. */
enum wish { WISH_REQUEST, WISH_HELP, WISH_VERSION };

/* An option, or a subject, which has no name. */
struct option_row {
    const char *name;     /* NULL of a subject */
    const char *argument; /* what it is given, NULL if nothing */
    const char *help;
    enum topic topic;
    const char *group;      /* a title in front of it, within the topic; or NULL */
    name_function *choices; /* of its argument; listed behind a help that ends with a blank */
    char letter;            /* '\0' if it has none */
    bool is_optional;       /* the argument may be left out */
    bool is_alias;          /* of an option whose help names it */
    enum times times;

    /* What it does: it asks for an action, sets a bool or a text of the request (0: none), adds a
     * subject, and has its argument read. */
    enum action action; /* 0: none */
    size_t flag, text;
    bool is_subject;
    take_function *take;
    enum wish wish;

    uint32_t actions; /* a set: which it serves, beside its own */
    enum needs needs;
};

/* A topic: its name, and what it is about. */
struct topic_row {
    const char *name, *about;
};

/* The topic at `index`, which is an enum topic; NULL from the end on, and of TOPIC_FURTHER. */
const struct topic_row *topic_at(size_t index);

/* No table has more rows. */
enum { OPTIONS_MAX = 64 };

/* The row at `index`; NULL from the end on. */
const struct option_row *option_at(size_t index);

/* Writes a list as a sentence has it: "a, b and c". */
void list_names(name_function *name_at, char *text, size_t size);

/* "auto", and behind it the sources. */
name_function source_name_at;

#endif
