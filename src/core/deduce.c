/* deduce.c - from all values of one coordinate to its formula.
 *
 * In the space that is searched, a formula is a sum (or exclusive or) over the bits of its
 * variables of what each bit contributes when it is set alone. So the contribution of bit b of
 * variable v can only be the value at the entry where v = 2^b and all others are 0, and there is at
 * most one formula for each operation. It is built from those few entries, then evaluated at all of
 * them. */
#include "mapping.h"

/* Adds bit `bit` of `variable`, moved by `shift`, to the terms of that variable, which are the last
 * ones. Bits come in ascending order, so terms are made in the order of their lowest mask bit. */
static bool add_bit(struct mapping_formula *formula, unsigned variable, unsigned bit, int shift) {
    unsigned t = formula->first[variable], end = formula->first[variable + 1];
    while (t < end && formula->terms[t].shift != shift)
        t++;
    if (t == MAPPING_MAX_TERMS)
        return false;
    if (t == end) {
        formula->terms[t] = (struct mapping_term){0, (int8_t)shift, (uint8_t)variable};
        formula->first[variable + 1]++;
    }
    formula->terms[t].mask |= UINT32_C(1) << bit;
    return true;
}

/* Builds the only formula there can be. False if even its first entry is not 0. */
static bool build(const struct mapping_variable *variables, size_t count, const uint32_t *values,
                  struct mapping_formula *formula) {
    if (values[0] != 0)
        return false;
    size_t stride = 1;
    formula->first[0] = 0;
    for (unsigned v = 0; v < count; v++) {
        formula->first[v + 1] = formula->first[v];
        for (unsigned bit = 0; bit < 32 && UINT32_C(1) << bit < variables[v].count; bit++) {
            uint32_t contribution = values[stride << bit];
            for (; contribution; contribution &= contribution - 1)
                if (!add_bit(formula, v, bit, __builtin_ctz(contribution) - (int)bit))
                    return false;
        }
        stride *= variables[v].count;
    }
    return true;
}

/* What the terms of one variable come to at its value x. */
static uint32_t evaluate_part(const struct mapping_formula *formula, unsigned variable,
                              uint32_t x) {
    uint32_t sum = 0;
    for (unsigned t = formula->first[variable]; t < formula->first[variable + 1]; t++) {
        const struct mapping_term *term = &formula->terms[t];
        uint32_t masked = x & term->mask;
        uint32_t value = term->shift < 0 ? masked >> -term->shift : masked << term->shift;
        sum = formula->operation == '+' ? sum + value : sum ^ value;
    }
    return sum;
}

uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, size_t count,
                                  const uint32_t *x) {
    uint32_t sum = 0;
    for (unsigned v = 0; v < count; v++) {
        uint32_t part = evaluate_part(formula, v, x[v]);
        sum = formula->operation == '+' ? sum + part : sum ^ part;
    }
    return sum;
}

/* Entries of the first variable that are evaluated at once. */
enum { CHUNK = 256 };

/* True if high + low[k] (or high ^ low[k]) is values[k] for each k. */
static bool equal_run(char operation, uint32_t high, const uint32_t *low, const uint32_t *values,
                      size_t count) {
    uint32_t difference = 0;
    if (operation == '+')
        for (size_t k = 0; k < count; k++)
            difference |= (high + low[k]) ^ values[k];
    else
        for (size_t k = 0; k < count; k++)
            difference |= high ^ low[k] ^ values[k];
    return difference == 0;
}

/* Evaluates the formula at every entry and compares. The first variable's part is evaluated once
 * for each of its values, the part of the others once for each combination of theirs. */
static bool holds(const struct mapping_formula *formula, const struct mapping_variable *variables,
                  size_t count, const uint32_t *values) {
    const uint32_t fast = variables[0].count;
    size_t runs = 1;
    for (size_t v = 1; v < count; v++)
        runs *= variables[v].count;
    uint32_t low[CHUNK];
    for (uint32_t start = 0; start < fast; start += CHUNK) {
        uint32_t width = fast - start < CHUNK ? fast - start : CHUNK;
        for (uint32_t k = 0; k < width; k++)
            low[k] = evaluate_part(formula, 0, start + k);
        uint32_t x[MAPPING_MAX_VARIABLES] = {0};
        const uint32_t *run = values + start;
        for (size_t r = 0; r < runs; r++, run += fast) {
            if (!equal_run(formula->operation, mapping_formula_evaluate(formula, count, x), low,
                           run, width))
                return false;
            for (size_t v = 1; v < count && ++x[v] == variables[v].count; v++)
                x[v] = 0;
        }
    }
    return true;
}

bool mapping_deduce(const struct mapping_variable *variables, size_t count, const uint32_t *values,
                    struct mapping_formula *formula) {
    formula->operation = '+';
    if (!build(variables, count, values, formula))
        return false;
    if (holds(formula, variables, count, values))
        return true;
    formula->operation = '^';
    return holds(formula, variables, count, values);
}
