/* expression.h - integer expressions of C, as people write them into kernels: read and evaluated.
 *
 *     int group = lane >> 2;
 *     row = group + (i >= 2 ? 8 : 0);
 *     col = (lane & 3) * 2 + i % 2;
 *
 * A program is a list of such statements: definitions, with or without a type; compound
 * assignments; "if" and "else"; blocks; at the end perhaps a bare expression or a return. A name
 * that is declared with a type is known to the end of its block, as in C; one that is assigned
 * without a type is an output, and known to the end of the program. A name that has no value yet
 * must not be read. Comparisons and "auto x = i < 2" are bool, as in C++ and CUDA; in C23 they are
 * int. "Row: return EXPR;", as formulae are printed, says
 * the same as "row = EXPR;". Operators are those of C for integers but ++, --, sizeof and the
 * comma; casts are written in any way of C and C++. Beside the axes, lane is the thread in its
 * warp, and warp the number of that. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "mapping.h"

/* What a statement without a name, such as a trailing return, defines. */
#define MAPPING_RESULT ""

struct mapping_program;

/* Frees a program; NULL is allowed. */
void mapping_program_free(struct mapping_program *program);

/* True if one of the statements of `text` defines `name`: says so before the text can be read. */
bool mapping_text_defines(const char *text, const char *name);

/* Makes an empty program for warps of `lanes` threads; mapping_program_parse makes one for warps of
 * 32. NULL if out of memory. */
struct mapping_program *mapping_program_make(uint32_t lanes);

/* Reads statements that may use the coordinates along the axes of `from`, by their names and by all
 * that people call them, lane for tid, and what was defined before. The program ends up in
 * *program, where it has to be NULL or what an earlier call made: then statements are added to it.
 * MAPPING_INVALID, with a caret under the place, if they cannot be read; free the program in any
 * case. The text has to live as long. */
enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error);

/* The space whose coordinates a program may use. */
const struct mapping_space *mapping_program_inputs(const struct mapping_program *program);

/* The number of what is defined as `name`, or -1. */
int mapping_program_find(const struct mapping_program *program, const char *name);

/* Evaluates all statements at a point, as C does where int has 32 bits and long 64, and writes what
 * is defined last as the names of these numbers. Coordinates are of type int, threadIdx.x is
 * unsigned. MAPPING_INVALID, with a caret, where C leaves it undefined: overflow, division by zero,
 * a shift by too much or of a negative number to the left, a name without a value; also if one of
 * the names has no value at the end. */
enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const uint32_t *point, const int *names, size_t count,
                                             int64_t *values, struct mapping_error *error);

/* Whether an expression has these values at all points of a space, in their order: MAPPING_DIFFERS
 * if not, or if it is none; MAPPING_FAILED if out of memory. */
enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             const uint32_t *values);

#endif
