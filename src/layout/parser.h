/* parser.h - parses tokens and expressions of C and Python into steps of a program. */
#ifndef PARSER_H
#define PARSER_H

#include "layout/program.h"

/* The state of the parser. After an error, it is at the end of the text and makes no more steps, so
 * functions need not check for errors. */
struct parser {
    const char *text, *next; /* the whole text, and the next token */
    const char *end;         /* the end of the last token */
    struct mapping_program *program;
    struct mapping_error *error;
    bool has_failed;
    unsigned depth;      /* the depth of nested statements and expressions */
    unsigned enclosed;   /* the number of open parentheses */
    int height;          /* the number of slots in use */
    int guard;           /* the guard of the next steps */
    uint32_t scope;      /* the first variable of the current block */
    bool varies;         /* the expression reads an input */
    bool may_change;     /* the expression reads an input, or a variable that is not constant */
    unsigned case_depth; /* the depth of an expression after which a condition without "else" may
                            follow */
    /* For loops whose passes are the elements of a thread: left: the number of elements with the
     * same variables of the enclosing loops; kept: the number of variables before the loops; loops:
     * the names of the loop variables. */
    uint32_t left, kept;
    bool is_counting, is_unrolled, is_body, innermost, breaks_count;
    char loops[64];
    /* For the body of a function: its head, otherwise NULL; result_types: those of its values, 0
     * bits if it has not stated them; needs_type: its type is not known, which only several values
     * may have; must_execute: its loops are executed as in C. */
    const struct function_head *function;
    struct c_type result_types[2];
    const char *needs_type;
    size_t needs_length;
    bool must_execute;
    int results[2];   /* the variables of its values; NONE before the first return */
    int live;         /* the variable that is 1 at points that have not returned; NONE without */
    unsigned returns; /* the number of "return" that were read */
};

/* A binary operator. */
struct binary {
    const char *sign, *unless; /* none of `unless` may follow */
    uint8_t level[3];          /* by enum precedence; a higher level binds tighter */
    int operation;
};

/* ---- Tokens ---- */

/* Fails at a place in the text, unless the parser has failed before. */
void parser_fail(struct parser *parser, const char *place, const char *what);

/* Skips blanks and comments of C. If `has_lines`, also skips #pragma lines and comments that end
 * with their line, those of C++ and Python. */
const char *parser_skip(const char *text, bool has_lines);

/* The length of the name at the beginning of the text; 0 if there is none. */
size_t parser_name_length(const char *text);

/* Moves to the token after one of `length` characters. */
void parser_advance(struct parser *parser, size_t length);

/* Moves back to an earlier state. */
void parser_go_back(struct parser *parser, const struct parser *before);

/* True if the next token is on another line than the last one. */
bool parser_is_on_new_line(const struct parser *parser);

/* Takes a sign, unless one of the characters of `unless` follows. */
bool parser_take(struct parser *parser, const char *sign, const char *unless);

/* Takes a word, unless a letter or a digit follows. */
bool parser_take_word(struct parser *parser, const char *word);

/* Takes a sign, or fails. */
void parser_expect(struct parser *parser, const char *sign);

/* Takes a type: words in any order, as in "const long unsigned int". Stores the kinds of these
 * words in kinds[]. False if there is no type, but qualifiers are taken. Fails if C has no type
 * with these words. */
bool parser_take_type(struct parser *parser, struct c_type *type, char kinds[8]);

/* Parses the text from its beginning as Python, unless it is already parsed so: comparisons bind
 * less tightly than bit operators, "a < b < c" means "a < b and b < c", and remainders never have
 * the sign of the dividend. */
void parser_need_python(struct parser *parser);

/* True if "//" follows the last token and divides. */
bool parser_is_floor_division(const struct parser *parser);

/* Finds the binary operator with a sign of one character. */
const struct binary *parser_find_sign(char sign);

/* Takes "=", "+=" or another assignment operator; *compound is NULL for "=". */
bool parser_take_assignment(struct parser *parser, const struct binary **compound);

/* ---- Steps ---- */

/* The type of a value that comes from one of two expressions, such as "x ? a : b". */
struct c_type parser_either_type(struct c_type a, struct c_type b);

/* Appends a step, which replaces its operands on the stack by its value. STORE leaves no value;
 * WHEN and UNLESS leave their condition on the stack. Returns the type of the value. */
struct c_type parser_emit(struct parser *parser, int operation, struct c_type type,
                          const char *place, int64_t number);

/* Appends the steps that read a variable, or apply an operator to the two values on the stack. */
struct c_type parser_emit_name(struct parser *parser, int variable, const char *place);
struct c_type parser_emit_binary(struct parser *parser, int operation, struct c_type left,
                                 struct c_type right, const char *place);

/* Guards the next steps: they run only at points of the outer guard where the condition in `slot`
 * is true (WHEN) or false (UNLESS). */
void parser_emit_guard(struct parser *parser, int outer, int operation, int slot,
                       const char *place);

/* ---- Expressions ---- */

/* Finds an axis by its name or by an alias; NONE if there is none. "warp" is tid divided by the
 * number of threads in a warp; if there are several warps, "lane" is the remainder. *of_warp is
 * this operator. It is NONE if an axis has exactly this name. */
int parser_find_axis(const struct mapping_space *from, const char *place, size_t length,
                     int *of_warp);

/* Fails at an unknown name, and lists the known ones. */
void parser_fail_unknown(struct parser *parser, const char *place, size_t length);

/* Reads the name of a variable, an axis, or a truth value, in this order of preference. */
struct c_type parser_read_name(struct parser *parser);

/* Reads "(x)", including the parentheses. */
struct c_type parser_read_enclosed(struct parser *parser);

/* Reads a number, a name, "(x)", a unary operator with its operand, a cast or a call. */
struct c_type parser_read_operand(struct parser *parser);

/* Enters one more level of nesting; the caller leaves it. */
void parser_nest(struct parser *parser);

/* Reads "a ? b : c", of which b and c may have different types, "b if a else c", and operators that
 * bind more tightly. In a definition, "b if a" and "b for ai where a" may lack "else"; then the
 * guard is a. */
struct c_type parser_read_expression(struct parser *parser);

#endif
