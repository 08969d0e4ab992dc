/* shorten.h - finds the shortest C expression for a coordinate. */
#ifndef SHORTEN_H
#define SHORTEN_H

#include "layout/layouts.h"

/* The largest number of operators for which all expressions are searched. */
enum shorten_effort {
    SHORTEN_QUICK = 2,   /* about a millisecond, and less than a megabyte */
    SHORTEN_THOROUGH = 3 /* about a second, and some megabytes */
};

/* Writes to text[0 .. size) a C expression for the values at all points of a space, given in the
 * order of the points. It has the fewest operators that the search finds, and is the most readable
 * of these. False if mapping_deduce finds no formula for the values, or if the text does not fit.
 *
 * Operators are unary ~ (- and ! are written as 0 - x and x == 0), and binary + - * / % & | ^ << >>
 * < > <= >= == != && ||; parentheses cost nothing; there is no ?: and no cast. Operands are the
 * axes and the constants 0 to 255. Axes and constants have type int, with 32 bits. At no point may
 * an expression divide by zero, overflow, shift a negative number, or shift by a negative number or
 * by more than 31. The expression has been evaluated at every point, with axes of type int and with
 * axes of type unsigned. If there is no such expression, the canonical formula is written, whose
 * constants may be greater.
 *
 * *operators is the number of its operators. *is_proved is true if an exhaustive search showed that
 * no expression has fewer; see shorten.c and search.c. The result is deterministic. */
bool shorten_values(const struct mapping_space *from, const uint32_t *values,
                    enum shorten_effort effort, char *text, size_t size, unsigned *operators,
                    bool *is_proved);

#endif
