/* formula.h - evaluates formulae axis by axis, and prints formulae of addresses. */
#ifndef FORMULA_H
#define FORMULA_H

#include "layout/layouts.h"

/* The sum, or exclusive or, of the terms of one axis at the coordinate x. */
static inline uint32_t formula_part(const struct mapping_formula *formula, unsigned axis,
                                    uint32_t x) {
    uint32_t sum = 0;
    for (unsigned t = formula->first[axis]; t < formula->first[axis + 1]; t++) {
        const struct mapping_term *term = &formula->terms[t];
        uint32_t masked = x & term->mask;
        uint32_t value = term->shift < 0 ? masked >> -term->shift : masked << term->shift;
        sum = formula->operation == '+' ? sum + value : sum ^ value;
    }
    return sum;
}

/* Counts the operators of an expression; "<<" and ">>" are one each. */
unsigned formula_operators(const char *text);

/* Writes the formula as a sum with the fewest terms, with an exclusive or only where bits overlap:
 * "row * 128 + (chunk ^ row % 8) * 16". The text is compared with the formula at every point; if
 * they differ, writes the text of mapping_formula_print_divided instead. Returns a length as that
 * does. */
size_t mapping_formula_print_factored(const struct mapping_formula *formula,
                                      const struct mapping_space *from, char *text, size_t size);

#endif
