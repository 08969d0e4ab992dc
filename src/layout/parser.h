/* parser.h - reading expressions of C, for the files that do: expression.c reads one expression,
 * statements.c what is around it. Recursive descent, from the loosest operator to the tightest, as
 * in the grammar of C. */
#ifndef PARSER_H
#define PARSER_H

#include "layout/program.h"

struct parser {
    const char *text, *next;
    struct mapping_program *program;
    struct mapping_error *error;
    unsigned depth;
    int guard;      /* the node of the condition under which a statement counts, or NONE */
    uint32_t scope; /* the first name of the block that is being read */
};

/* A node, or none where the text cannot be read; the error says why. */
enum { NONE = -1 };

static const struct c_type INT = {32, true}, BOOL = {1, false};

/* Says what is wrong at a place. Returns NONE. */
int mapping_fail_at(struct parser *parser, const char *place, const char *what);

/* Says that there is no such name, and which there are. Returns NONE. */
int mapping_unknown_name(struct parser *parser, const char *place, size_t length);

/* Moves over blanks and comments. */
const char *mapping_skip_blanks(const char *text);

/* The length of the name that text begins with; 0 if that is none. */
size_t mapping_name_length(const char *text);

/* Takes a sign, which must not go on as one of `unless`; or a word. False if something else is
 * next. */
bool mapping_take(struct parser *parser, const char *sign, const char *unless);
bool mapping_take_word(struct parser *parser, const char *word);

/* Takes a type: some of unsigned, signed, char, short, int and long in any order, or one word;
 * const and the like are passed over. False, and nothing is taken, if there is none. `auto` leaves
 * bits 0. */
bool mapping_take_type(struct parser *parser, struct c_type *type);

/* Takes "=", "+=" or another that assigns; writes its operation, 0 for the first. */
bool mapping_take_assignment(struct parser *parser, char *operation);

/* Takes what closes, behind a node, which it returns. */
int mapping_close(struct parser *parser, int node, const char *sign);

/* Adds a node, or one of up to two others. NONE if there is no room, or one of these is. */
int mapping_add_node(struct parser *parser, struct node node);
int mapping_add_operation(struct parser *parser, enum node_kind kind, char operation, int left,
                          int right, const char *place);

/* Reads one expression. */
int mapping_parse_condition(struct parser *parser);

#endif
