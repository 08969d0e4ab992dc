/* expr.h - C expressions and statements as people write them in kernels: parsed and evaluated.
 *
 *     int group = lane >> 2;
 *     row = group + (i >= 2 ? 8 : 0);
 *     col = (lane & 3) * 2 + i % 2;
 *
 * A program is a list of statements: declarations, assignments, compound assignments, "if" and
 * "else", and blocks; the last one may be a bare expression or a return. "Row: return EXPR;", the
 * form in which formulae are printed, means "row = EXPR;". A name that is declared with a type is
 * visible up to the end of its block. A name that is assigned without a declaration is an output:
 * it is visible up to the end of the program, and has the type of its value.
 *
 * A loop, "for (int j = 0; j < 2; j++)", needs constant bounds. If it neither reads i nor changes a
 * variable that had a value before, its iterations are the elements of a thread, and j is computed
 * from i. Otherwise it is executed as in C. The cases of the PTX ISA, "row = a for ai where i < 2;
 * b otherwise", mean "if (i < 2) row = a; else row = b;".
 *
 * The definition of a function, "int get_row(int lane, int l) { ... }", "def f(lane, l): ..." or a
 * lambda, defines the axes of its values; parameters that do not name an axis stand for the
 * remaining axes, in order. Parameters and values have the types that it states. A "return" ends it
 * for the points that reach it, also in a loop. "def" and "lambda" have the operators of Python,
 * without
 * "/". Macros without parameters are replaced where they are used. Calls of min, max, where, cdiv,
 * floordiv and floormod are read, with any prefix such as "tl.".
 *
 * A newline may end a statement. Operators are those of C for integers, without ++, --, sizeof and
 * the comma. If a text contains an operator of Python, such as // ** and or not, "a if x else b",
 * it is parsed with the precedence of Python. Casts may be written as in C or C++. Comparisons and
 * "auto x = i < 2" are bool, as in C++ and CUDA. Names of inputs are the axes of a space and their
 * aliases: lane is the thread in its warp, warp is the number of the warp. */
#ifndef EXPR_H
#define EXPR_H

#include "layout/program.h"

/* The name of a value that has no name, such as that of a trailing return. */
#define MAPPING_RESULT ""

/* True if one of the statements of `text` defines `name`. The text may be malformed. */
bool mapping_text_defines(const char *text, const char *name);

/* Parses statements and appends them to the program. The text must outlive it. MAPPING_INVALID,
 * with a caret under the place, if the text cannot be parsed. */
enum mapping_status mapping_program_parse(struct mapping_program *program, const char *text,
                                          struct mapping_error *error);

/* True for a keyword of C23 or C++23, which cannot be the name of a variable. */
bool mapping_is_keyword(const char *name);

/* Compares an expression with the values at all points of a space, given in the order of the
 * points. Its inputs are of type int, or unsigned. MAPPING_DIFFERS if it has another value or is
 * undefined at a point; *wrong is the first such point. MAPPING_INVALID if the text is not an
 * expression. */
enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             bool is_unsigned, const uint32_t *values,
                                             size_t *wrong);

#endif
