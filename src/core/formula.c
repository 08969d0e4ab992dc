/* formula.c - formulae as text. */
#include "mapping.h"

#include <stdio.h>
#include <string.h>

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

/* ---- Reading ---- */

/* Moves *text behind `word` if it begins with that. */
static bool skip(const char **text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Reads a number of at most ten digits that 32 bits hold. */
static bool read_number(const char **text, uint32_t *number) {
    uint64_t value = 0;
    unsigned digits = 0;
    for (; **text >= '0' && **text <= '9' && digits < 10; ++*text, digits++)
        value = 10 * value + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return digits > 0 && value <= UINT32_MAX;
}

/* Reads "((v & mask) << shift)" or "(v & mask)". */
static bool read_term(const char **text, const struct mapping_variable *variables, size_t count,
                      struct mapping_term *term) {
    uint32_t shift = 0;
    bool shifts = skip(text, "((");
    if (!shifts && !skip(text, "("))
        return false;
    size_t length = strcspn(*text, " "), v = 0;
    while (v < count &&
           !(strlen(variables[v].name) == length && strncmp(*text, variables[v].name, length) == 0))
        v++;
    *text += length;
    if (v == count || !skip(text, " & ") || !read_number(text, &term->mask) || !skip(text, ")"))
        return false;
    term->variable = (uint8_t)v;
    bool left = shifts && skip(text, " << ");
    if (shifts && ((!left && !skip(text, " >> ")) || !read_number(text, &shift) || shift > 31 ||
                   !skip(text, ")")))
        return false;
    term->shift = (int8_t)(left ? (int)shift : -(int)shift);
    return true;
}

bool mapping_formula_parse(const char *text, const struct mapping_variable *variables, size_t count,
                           struct mapping_formula *formula) {
    unsigned terms = 0, variable = 0;
    *formula = (struct mapping_formula){.operation = '+'};
    if (count > MAPPING_MAX_VARIABLES)
        return false;
    if (strcmp(text, "0") == 0)
        return true;
    for (;;) {
        struct mapping_term *term = &formula->terms[terms];
        if (!read_term(&text, variables, count, term) || term->variable < variable)
            return false;
        terms++;
        for (; variable < term->variable; variable++)
            formula->first[variable + 1] = (uint8_t)(terms - 1);
        if (*text == '\0')
            break;
        bool adds = skip(&text, " + ");
        char operation = '+';
        if (!adds)
            operation = '^';
        if ((!adds && !skip(&text, " ^ ")) || terms == MAPPING_MAX_TERMS ||
            (terms > 1 && operation != formula->operation))
            return false;
        formula->operation = operation;
    }
    for (; variable < count; variable++)
        formula->first[variable + 1] = (uint8_t)terms;
    return true;
}
