/* proofs.h - the shortest expressions of all formulae of the catalogue: results/short.txt, which
 * `make prove` makes and the build embeds.
 *
 *     [tid 32, i 4] ((i & 2) << 2) + ((tid & 28) >> 2) = tid / 4 + i / 2 * 8; 4 operators, proved
 */
#ifndef SHORTEST_H
#define SHORTEST_H

#include "catalogue/fragment.h"

/* The whole file, with a '\0' at the end. Its lines are sorted, except for comments (#). */
extern const char recorded_proofs[];

/* The recorded shortest expression of a formula. */
struct proof {
    const char *text; /* `length` characters */
    size_t length;
    unsigned operators;
    bool is_proved; /* it is proved that no expression has fewer operators */
};

/* Writes the beginning of a line, up to " = ": the axes with more than one value, and the formula.
 * Returns the length as snprintf does. */
size_t proof_key(const struct mapping_space *from, const char *formula, char *text, size_t size);

/* Finds the formula, as mapping_formula_print writes it, over a space. False if the catalogue does
 * not have it. */
bool proof_find(const struct mapping_space *from, const char *formula, struct proof *proof);

#endif
