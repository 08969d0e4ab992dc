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

/* True if value[k] is base[k] + step (or base[k] ^ step) for each k. */
static bool equal_run(char operation, const uint32_t *base, uint32_t step, const uint32_t *value,
                      size_t count) {
    uint32_t difference = 0;
    if (operation == '+')
        for (size_t k = 0; k < count; k++)
            difference |= (base[k] + step) ^ value[k];
    else
        for (size_t k = 0; k < count; k++)
            difference |= base[k] ^ step ^ value[k];
    return difference == 0;
}

/* Evaluates the formula at every entry and compares.
 *
 * At an entry the formula is its value at the entry without the highest set bit, which comes before
 * and has been compared already, combined with what it gives for that bit alone: masks and shifts
 * work on each bit by itself. So all entries with the same highest bit are compared in one run. The
 * first, where no bit is set, is 0. */
static bool holds(const struct mapping_formula *formula, const struct mapping_variable *variables,
                  size_t count, const uint32_t *values) {
    size_t stride = 1;
    for (unsigned v = 0; v < count; v++) {
        for (size_t bit = 1; bit < variables[v].count; bit *= 2) {
            size_t reach = variables[v].count - bit < bit ? variables[v].count - bit : bit;
            uint32_t step = evaluate_part(formula, v, (uint32_t)bit);
            if (!equal_run(formula->operation, values, step, values + bit * stride, reach * stride))
                return false;
        }
        stride *= variables[v].count;
    }
    return values[0] == 0;
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
