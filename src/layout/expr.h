/* expr.h - C expressions and statements as people write them into kernels: parsed and evaluated.
 *
 *     int group = lane >> 2;
 *     row = group + (i >= 2 ? 8 : 0);
 *     col = (lane & 3) * 2 + i % 2;
 *
 * A program is a list of statements: declarations, assignments, compound assignments, "if" and
 * "else", blocks, and at the end perhaps a bare expression or a return. "Row: return EXPR;", as
 * formulae are printed, means "row = EXPR;". A name that is declared with a type is visible up to
 * the end of its block. A name that is assigned without a declaration is an output: it is visible
 * up to the end of the program, and has the type of its value.
 *
 * Operators are those of C for integers, without ++, --, sizeof and the comma. Casts may be written
 * as in C or C++. Comparisons and "auto x = i < 2" are bool, as in C++ and CUDA. Names of inputs
 * are the axes of a space and their aliases: lane is the thread in its warp, warp its number. */
#ifndef EXPR_H
#define EXPR_H

#include "mapping.h"

/* ---- Operators ---- */

/* Operators of C for integers: those of one operand; of two, those that compute numbers, and from
 * C_BOTH on those that give 0 or 1. */
enum c_operator {
    C_NEGATE,
    C_COMPLEMENT,
    C_NOT,
    C_MULTIPLY, /* the first of two operands */
    C_DIVIDE,
    C_REMAINDER,
    C_ADD,
    C_SUBTRACT,
    C_SHIFT_LEFT,
    C_SHIFT_RIGHT,
    C_AND,
    C_EXCLUSIVE, /* ^ */
    C_OR,
    C_BOTH,   /* && */
    C_EITHER, /* || */
    C_EQUAL,
    C_NOT_EQUAL,
    C_LESS,
    C_LESS_EQUAL,
    C_GREATER,
    C_GREATER_EQUAL,
    C_OPERATORS
};

/* An integer type of C. Types smaller than int occur in declarations and casts. */
struct c_type {
    uint8_t bits; /* 1 for bool, 8, 16, 32, 64; 0 for auto */
    bool is_signed;
};

/* Applies an operator to two values of a type of 32 or 64 bits; of a shift, that is the type of a.
 * Values of a signed type have 64 bits with its sign, of an unsigned type with zeros. `b` is
 * ignored if there is one operand. False if C leaves the result undefined: overflow, division by
 * zero, a shift by a negative number or by too many bits, or of a negative number to the left. To
 * the right, the sign is copied, as all compilers do. */
bool mapping_operate(enum c_operator operation, struct c_type type, int64_t a, int64_t b,
                     int64_t *result);

/* ---- Programs ---- */

/* The name of a value without a name, such as a trailing return. */
#define MAPPING_RESULT ""

struct mapping_program;

/* Frees a program; NULL is allowed. */
void mapping_program_free(struct mapping_program *program);

/* True if one of the statements of `text` defines `name`. The text may be one that cannot be
 * parsed. */
bool mapping_text_defines(const char *text, const char *name);

/* Makes an empty program for warps of `lanes` threads. NULL if out of memory. */
struct mapping_program *mapping_program_make(uint32_t lanes);

/* Parses statements whose inputs are the axes of `from`, and appends them to *program. If *program
 * is NULL, makes one for warps of 32 threads. MAPPING_INVALID with a caret under the place if the
 * text cannot be parsed. The caller frees the program in any case. The text must outlive it. */
enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error);

/* The space whose coordinates are the inputs. */
const struct mapping_space *mapping_program_inputs(const struct mapping_program *program);

/* The number of the variable that is visible as `name` at the end of the program, or -1. */
int mapping_program_find(const struct mapping_program *program, const char *name);

/* Points at which a program is evaluated together. */
enum { MAPPING_POINTS = 64 };

struct mapping_points {
    uint64_t mask;                                         /* bit n: point n is evaluated */
    uint32_t coordinate[MAPPING_AXES_MAX][MAPPING_POINTS]; /* of points outside of mask: any */
};

/* Writes the points of a space from number `first` on. The mask has those that exist. */
void mapping_points_from(const struct mapping_space *space, size_t first,
                         struct mapping_points *points);

/* Evaluates a program as C does where int has 32 bits and long 64: values[k][n] is the variable
 * names[k] at point n. Inputs are int; threadIdx.x is unsigned. MAPPING_INVALID, with a caret, if
 * the program is undefined at a point of the mask: overflow, division by zero, a shift by too many
 * bits or of a negative number to the left, a variable that is read before it has a value, or one
 * of `names` without a value at the end. *undefined is the first such point. MAPPING_FAILED if out
 * of memory. */
enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const struct mapping_points *points, const int *names,
                                             size_t count, int64_t (*values)[MAPPING_POINTS],
                                             unsigned *undefined, struct mapping_error *error);

/* Compares an expression with the values at all points of a space, in their order. Its inputs are
 * of type int, or unsigned. MAPPING_DIFFERS if it has another value or none somewhere; *wrong is
 * the first such point. MAPPING_INVALID if the text is no expression; MAPPING_FAILED if out of
 * memory. */
enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             bool is_unsigned, const uint32_t *values,
                                             size_t *wrong);

#endif
