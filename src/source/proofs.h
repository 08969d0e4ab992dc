/* proofs.h - the shortest expressions of all formulae of the catalogue: results/short.txt, which
 * `make prove` makes and the build embeds.
 *
 *     [tid 32, i 4] ((i & 2) << 2) + ((tid & 28) >> 2) = tid / 4 + i / 2 * 8; 4 operators, proved
 */
#ifndef SHORTEST_H
#define SHORTEST_H

#include "catalogue/fragment.h"

/* The whole file; ends with '\0'. Its lines but for comments, which begin with '#', are in
 * ascending order. */
extern const char recorded_proofs[];

/* The recorded shortest expression of a formula. */
struct proof {
    const char *text; /* `length` letters */
    size_t length;
    unsigned operators;
    bool is_proved; /* none has fewer */
};

/* Writes what a line begins with, up to " = ": the axes with more than one value, and the formula.
 * Works as snprintf does. */
size_t proof_key(const struct mapping_space *from, const char *formula, char *text, size_t size);

/* Finds the formula, which is written as mapping_formula_print does, over a space. False if the
 * catalogue does not have it. */
bool proof_find(const struct mapping_space *from, const char *formula, struct proof *proof);

#endif
