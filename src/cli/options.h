/* options.h - the table of options. Parsing, --help, the manual and completions use it. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "command/request.h"

struct option_row;

/* The property that a format must have for an option; see struct output. */
enum needs {
    NEEDS_NOTHING,
    NEEDS_FORMULAE,
    NEEDS_BRIEF,
    NEEDS_CELLS,
    NEEDS_COLORS,
    NEEDS_FOLD,
    NEEDS_ORDER,
    NEEDS_WARPS,
    NEEDS_DETAIL,
    NEEDS_DESCRIPTORS
};

/* The argument given to an option: "f16,bf16" for --type. */
struct argument {
    const struct option_row *row;
    char *text;
    struct mapping_error *error; /* receives the error message */
};

/* Reads an argument into a request. Returns MAPPING_INVALID without a message if the argument is
 * invalid and the row describes the valid arguments. */
typedef enum mapping_status read_function(const struct argument *given, struct request *request);

/* Word n of a list of words; NULL after the last one. */
typedef const char *name_function(size_t n);

/* The kind of a command line. */
enum mode { MODE_REQUEST, MODE_HELP, MODE_VERSION };

/* A topic, an option, or a subject. Options and subjects belong to the topic above them. */
struct option_row {
    const char *topic; /* "memory" of --help=memory; NULL if the row is not a topic */
    const char *about; /* a line about the topic; NULL if only --help=all shows it */

    const char *name;     /* the option without dashes; NULL if the row is not an option */
    const char *argument; /* the argument in help, "ROW,COL" for --at; a kind of subject; or NULL */
    const char *help;
    const char *group;          /* a title before this row within its topic; or NULL */
    name_function *choices;     /* valid arguments, listed after a help that ends with a blank */
    name_function *choice_help; /* the help of each choice; or NULL */
    char letter;                /* a short name; '\0' if there is none */
    bool is_optional;           /* the argument may be left out */
    bool is_alias;              /* --help describes it with another option */
    bool is_main;               /* --help without a topic names it */
    bool may_repeat;            /* may be given several times; all values count, or the last */

    enum action action; /* the action that the option requests; 0 for none */
    uint32_t actions;   /* the set of other actions that the option applies to */
    enum needs needs;

    /* Offsets in struct request of the members that the option sets; 0 for none. */
    size_t flag, text; /* a bool that becomes true; the text of the argument */
    bool is_subject;   /* the argument is a subject */
    enum mode mode;

    /* The function that reads the argument, and its parameters. */
    read_function *read;
    const char *value; /* the name and syntax of the argument, for error messages */
    size_t choice;     /* argument_choice: the offset of an enum or number, ... */
    unsigned first;    /* ... the value of its first choice, ...; argument_excerpt: the view */
    bool is_number;    /* ... and whether each choice is its value itself */
    struct {           /* argument_question: the number of ranges */
        enum question_kind kind;
        uint32_t fewest, most;
    } question;
};

/* The row at `index` of the table; NULL after the last one. There are at most OPTIONS_MAX. */
enum { OPTIONS_MAX = 96 };
const struct option_row *option_at(size_t index);

/* The name of the topic that a row belongs to; NULL if --help does not show it. */
const char *topic_of(const struct option_row *row);

/* The help of an option, with its choices. */
char *option_help(const struct option_row *row);

/* Words of a sentence. */
struct list {
    const char *word[OPTIONS_MAX];
    size_t count;
};

/* Writes a list, "--check or --confirm". Each word has a prefix; `last`, " or ", precedes the last.
 */
#define LIST_TEXT 512
void write_list(const struct list *list, const char *prefix, const char *last,
                char text[LIST_TEXT]);

/* Writes the choices of an option. */
void write_choices(const struct option_row *row, const char *last, char text[LIST_TEXT]);

/* Reads the argument of an option with the function of its row, if it has one. */
enum mapping_status read_value(const struct option_row *row, char *text, struct request *request,
                               struct mapping_error *error);

/* Parses the command line. MAPPING_INVALID if it has an error. `argv` is reordered, and must
 * outlive the request. */
enum mapping_status options_parse(int argc, char **argv, struct request *request, enum mode *mode,
                                  struct mapping_error *error);

/* True if a format can print the result of an action. */
bool options_can_print(const struct output *output, enum action action);

/* Parses a command line as options_parse does, for a context of the library. */
enum mapping_status request_parse(const mapping *context, size_t count, const char *const words[],
                                  struct request *request, enum mode *mode,
                                  struct mapping_error *error);

/* Performs the action of a request; see command_function in request.h. */
enum mapping_status request_run(const struct request *request, struct pages *pages,
                                struct mapping_error *error);

/* Prints --help. If the name is NULL, prints examples and topics; if it is "all", everything;
 * otherwise the options of the topic with this name. */
void options_help(struct printer *to, const char *name);

/* The meaning of an exit status; NULL after the last one. */
const char *options_status(int status);

#endif
