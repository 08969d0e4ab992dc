/* parser.h - parses tokens and expressions of C and Python into steps of a program. */
#ifndef PARSER_H
#define PARSER_H

#include "layout/program.h"

/* A failure ends the text: nothing more is read or made, so that no function has to stop. */
struct parser {
    const char *text, *next; /* the whole text, and the next token */
    const char *end;         /* of the last token */
    struct mapping_program *program;
    struct mapping_error *error;
    bool has_failed;
    unsigned depth;      /* of nested statements and expressions */
    unsigned enclosed;   /* how many parentheses are open */
    int height;          /* slots that are in use */
    int guard;           /* of the steps that are made */
    uint32_t scope;      /* the first variable of the block */
    bool varies;         /* the expression reads an input */
    bool may_change;     /* it reads an input, or a variable that is not constant */
    unsigned case_depth; /* of an expression that a condition without "else" may follow */
    /* For loops whose passes are the elements of a thread: the number of elements that the
     * enclosing loops do not tell apart; the number of variables before the loops; the loops'
     * names. */
    uint32_t left, kept;
    bool is_counting, is_unrolled, is_body, innermost, breaks_count;
    char loops[64];
};

/* An operator of two operands. */
struct binary {
    const char *sign, *unless; /* none of `unless` may follow */
    uint8_t level[3];          /* by enum precedence; a higher level binds tighter */
    int operation;
};

/* ---- Tokens ---- */

/* Fails at a place, unless the parser has failed before. */
void parser_fail(struct parser *parser, const char *place, const char *what);

/* Skips blanks, comments of C and, if `has_lines`, comments up to the end of a line, those of
 * Python and #pragma. */
const char *parser_skip(const char *text, bool has_lines);

/* The length of the name at the beginning of the text; 0 if there is none. */
size_t parser_name_length(const char *text);

/* Goes on behind a token. */
void parser_advance(struct parser *parser, size_t length);

/* Goes back to where a token was next. */
void parser_go_back(struct parser *parser, const struct parser *before);

/* True if the next token is on another line than the last one. */
bool parser_is_on_new_line(const struct parser *parser);

/* Takes a sign, unless one of the characters of `unless` follows. */
bool parser_take(struct parser *parser, const char *sign, const char *unless);

/* Takes a word, unless a letter or a digit follows. */
bool parser_take_word(struct parser *parser, const char *word);

/* Takes a sign, or fails. */
void parser_expect(struct parser *parser, const char *sign);

/* Takes a type: words in any order, as in "const long unsigned int". Stores the words that are
 * taken, as their kinds, in kinds[]. False if there is no type, though qualifiers are taken. Fails
 * if C has no type of these words. */
bool parser_take_type(struct parser *parser, struct c_type *type, char kinds[8]);

/* True if "//" stands behind the last token, and divides. */
bool parser_is_floor_division(const struct parser *parser);

/* The operator with a sign of one character. */
const struct binary *parser_find_sign(char sign);

/* Takes "=", "+=" or another operator that assigns; *compound is NULL for "=". */
bool parser_take_assignment(struct parser *parser, const struct binary **compound);

/* ---- Steps ---- */

/* The type of a value that comes from one of two expressions, as that of "x ? a : b". */
struct c_type parser_either_type(struct c_type a, struct c_type b);

/* Appends a step, which replaces its operands on the stack by its value. STORE has none; WHEN and
 * UNLESS leave their condition where it is. Returns the type of the value. */
struct c_type parser_emit(struct parser *parser, int operation, struct c_type type,
                          const char *place, int64_t number);

/* Appends the steps that read a variable, or apply an operator to the two values on the stack. */
struct c_type parser_emit_name(struct parser *parser, int variable, const char *place);
struct c_type parser_emit_binary(struct parser *parser, int operation, struct c_type left,
                                 struct c_type right, const char *place);

/* Guards the next steps: they run only at those points of the outer guard where the condition in
 * `slot` is true (WHEN) or false (UNLESS). */
void parser_emit_guard(struct parser *parser, int outer, int operation, int slot,
                       const char *place);

/* ---- Expressions ---- */

/* Finds an axis by its name or by an alias; NONE if there is none. "warp" is tid divided by the
 * number of threads in a warp, and "lane" is the remainder if there are several warps, unless an
 * axis has exactly this name: then *of_warp is the operator. */
int parser_find_axis(const struct mapping_space *from, const char *place, size_t length,
                     int *of_warp);

/* Fails at an unknown name, and lists the known ones. */
void parser_fail_unknown(struct parser *parser, const char *place, size_t length);

/* A variable, an axis, or a truth value, in this order. */
struct c_type parser_read_name(struct parser *parser);

/* "(x)", with parentheses. */
struct c_type parser_read_enclosed(struct parser *parser);

/* Counts one more level of nesting; the caller ends it. */
void parser_nest(struct parser *parser);

/* "a ? b : c", of which b and c may have different types, "b if a else c", and all that binds
 * tighter. In a definition, "b if a" and "b for ai where a" may lack "else": then the guard is a.
 */
struct c_type parser_read_expression(struct parser *parser);

#endif
