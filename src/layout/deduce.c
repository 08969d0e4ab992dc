/* deduce.c - deduces the formula of a coordinate from all its values.
 *
 * A formula is a constant plus (or exclusive or) the contributions of single bits of the axes. So
 * the constant must be the value where all coordinates are 0. The contribution of bit b of an axis
 * must be the value where this axis is 2^b and all others are 0, minus (or exclusive or) the
 * constant. Hence there is at most one formula for each operation. It is built from these few
 * entries, then evaluated at all entries. */
#include "layout/formula.h"

#include "layout/space.h"

/* Adds bit `bit` of `axis`, moved by `shift`, to the terms of that axis, which are the last ones.
 * Bits come in ascending order, so terms are made in the order of their lowest mask bit. */
static bool add_bit(struct mapping_formula *formula, unsigned axis, unsigned bit, int shift) {
    unsigned t = formula->first[axis], end = formula->first[axis + 1];
    while (t < end && formula->terms[t].shift != shift)
        t++;
    if (t == MAPPING_MAX_TERMS)
        return false;
    if (t == end) {
        formula->terms[t] = (struct mapping_term){0, (int8_t)shift, (uint8_t)axis};
        formula->first[axis + 1]++;
    }
    formula->terms[t].mask |= UINT32_C(1) << bit;
    return true;
}

/* Builds the only possible formula. False if a contribution is negative, or with too many terms. */
static bool build(const struct mapping_space *from, const uint32_t *values, char operation,
                  struct mapping_formula *formula) {
    const uint32_t constant = values[0];
    formula->operation = operation;
    formula->constant = constant;
    formula->first[0] = 0;
    for (unsigned a = 0; a < from->count; a++) {
        const size_t stride = mapping_space_stride(from, a);
        formula->first[a + 1] = formula->first[a];
        for (unsigned bit = 0; UINT64_C(1) << bit < from->axis[a].size; bit++) {
            uint32_t value = values[stride << bit];
            if (operation == '+' && value < constant)
                return false;
            uint32_t contribution = operation == '+' ? value - constant : value ^ constant;
            for (; contribution; contribution &= contribution - 1)
                if (!add_bit(formula, a, bit, __builtin_ctz(contribution) - (int)bit))
                    return false;
        }
    }
    return true;
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
 * Masks and shifts are linear: the value at an entry is the value at the entry without the highest
 * set bit, combined with the contribution of that bit. The entry without that bit was compared
 * earlier. All entries with the same highest bit are compared in one run. The first entry, where no
 * bit is set, is the constant. */
static bool holds(const struct mapping_formula *formula, const struct mapping_space *from,
                  const uint32_t *values) {
    size_t stride = 1;
    for (unsigned a = from->count; a-- > 0;) {
        uint32_t size = from->axis[a].size;
        for (size_t bit = 1; bit < size; bit *= 2) {
            size_t reach = size - bit < bit ? size - bit : bit;
            uint32_t step = formula_part(formula, a, (uint32_t)bit);
            if (!equal_run(formula->operation, values, step, values + bit * stride, reach * stride))
                return false;
        }
        stride *= size;
    }
    return values[0] == formula->constant;
}

bool mapping_deduce(const struct mapping_space *from, const uint32_t *values,
                    struct mapping_formula *formula) {
    if (mapping_space_size(from) == 0) /* there are no values */
        return false;
    bool built = build(from, values, '+', formula);
    if (built && holds(formula, from, values))
        return true;
    /* Without a constant, both operations have the same terms. */
    if (values[0] == 0)
        formula->operation = '^';
    else
        built = build(from, values, '^', formula);
    return built && holds(formula, from, values);
}
