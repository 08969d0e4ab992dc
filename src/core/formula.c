/* formula.c - formulae as text. */
#include "mapping.h"

#include <stdio.h>

/* Appends to text[0 .. size) what fits, and counts the whole length. */
static void append(char *text, size_t size, size_t *length, const char *piece) {
    for (; *piece; piece++, ++*length)
        if (*length + 1 < size)
            text[*length] = *piece;
}

size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_variable *variables, size_t count, char *text,
                             size_t size) {
    size_t length = 0;
    unsigned terms = formula->first[count];
    for (unsigned t = 0; t < terms; t++) {
        const struct mapping_term *term = &formula->terms[t];
        char mask[16], shift[16];
        snprintf(mask, sizeof mask, " & %u)", (unsigned)term->mask);
        snprintf(shift, sizeof shift, " %s %d)", term->shift < 0 ? ">>" : "<<",
                 term->shift < 0 ? -term->shift : term->shift);
        if (t > 0)
            append(text, size, &length, formula->operation == '+' ? " + " : " ^ ");
        append(text, size, &length, term->shift ? "((" : "(");
        append(text, size, &length, variables[term->variable].name);
        append(text, size, &length, mask);
        if (term->shift)
            append(text, size, &length, shift);
    }
    if (terms == 0)
        append(text, size, &length, "0");
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}
