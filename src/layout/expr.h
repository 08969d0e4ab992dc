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
 * A loop, "for (int j = 0; j < 2; j++)", needs constant bounds. If it neither reads i nor changes
 * a variable that had a value, its passes are the elements of a thread, and j is computed from i;
 * else it is executed as in C. "row = a for ai where i < 2; b otherwise", as in the PTX ISA, is
 * "if (i < 2) row = a; else row = b;".
 *
 * Statements may end at the end of a line. Operators are those of C for integers, without ++, --,
 * sizeof and the comma. If an operator of Python occurs, // ** and or not, "a if x else b", a text
 * is read with the precedence of Python. Casts may be written as in C or C++. Comparisons and "auto
 * x = i < 2" are bool, as in C++ and CUDA. Names of inputs are the axes of a space and their
 * aliases: lane is the thread in its warp, warp its number. */
#ifndef EXPR_H
#define EXPR_H

#include "layout/arithmetic.h"
#include "layout/layouts.h"

/* The name of a value without a name, such as a trailing return. */
#define MAPPING_RESULT ""

struct mapping_program;

/* True if one of the statements of `text` defines `name`. The text may be one that cannot be
 * parsed. */
bool mapping_text_defines(const char *text, const char *name);

/* How a program differs from one of C with inputs of type int; a set. With bits first, & << >> have
 * the precedence of *, and | ^ that of +, as in Go: --verify uses it to find out whether only
 * parentheses are missing. */
enum mapping_dialect { MAPPING_UNSIGNED_INPUTS = 1, MAPPING_BITS_FIRST = 2 };

/* Makes an empty program whose inputs are the axes of `from`. NULL if out of memory. The caller
 * frees it with mapping_free(). */
struct mapping_program *mapping_program_make(const struct mapping_space *from, unsigned dialect);

/* Parses statements and appends them to the program. The text must outlive it. MAPPING_INVALID,
 * with a caret under the place, if the text cannot be parsed. MAPPING_FAILED if the program is
 * NULL. */
enum mapping_status mapping_program_parse(struct mapping_program *program, const char *text,
                                          struct mapping_error *error);

/* The number of the variable that is visible as `name` at the end of the program, or -1. */
int mapping_program_find(const struct mapping_program *program, const char *name);

/* How many variables there are. */
uint32_t mapping_program_variables(const struct mapping_program *program);

/* The name of the first variable from number `first` on that nothing but its own definition reads
 * and that is none of `names`; NULL if there is none. */
const char *mapping_program_unused(const struct mapping_program *program, uint32_t first,
                                   const int *names, size_t count);

/* True for a keyword of C23 or C++23, which cannot be the name of a variable. */
bool mapping_is_keyword(const char *name);

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
 * names[k] at point n. threadIdx.x is unsigned. MAPPING_INVALID, with a caret, if
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
