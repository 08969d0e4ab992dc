/* formula.h - what formulae come to, axis by axis. */
#ifndef FORMULA_H
#define FORMULA_H

#include "mapping.h"

/* What the terms of one axis come to where the coordinate along it is x. */
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

#endif
