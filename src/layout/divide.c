/* divide.c - formulae with / % and *, as the PTX ISA and most kernels write them.
 *
 * A run of neighbouring mask bits, from lowest to highest, is v % 2^(highest + 1) / 2^lowest, and
 * the remainder goes without saying where no higher bit of v is ever set: tid % 32 / 4 in a
 * warpgroup, tid / 4 in a warp. (The other way round, tid / 4 % 8, ptxas 13.0 makes more
 * instructions.) */
#include "layout/formula.h"

#include <stdio.h>

/* Bits `lowest` to `highest` of an axis, and the power of two that the lowest of them counts. */
struct run {
    unsigned lowest, highest, weight;
};

/* Finds the next run of a term from a bit on. False if there is none. */
static bool next_run(const struct mapping_term *term, unsigned from, struct run *run) {
    unsigned bit = from;
    while (bit < 32 && !(term->mask >> bit & 1))
        bit++;
    run->lowest = bit;
    while (bit < 31 && term->mask >> (bit + 1) & 1)
        bit++;
    run->highest = bit;
    run->weight = (unsigned)((int)run->lowest + term->shift);
    return run->lowest < 32;
}

/* True if an axis of that size has no bit above. */
static bool is_highest(unsigned bit, uint32_t size) {
    return (uint64_t)(size - 1) >> (bit + 1) == 0;
}

/* Writes "i % 8 / 2 * 8", and returns the length. */
static size_t print_run(const struct run *run, const struct mapping_axis *axis, char *text,
                        size_t size) {
    char quotient[24] = "", rest[24] = "", product[24] = "";
    if (run->lowest > 0)
        snprintf(quotient, sizeof quotient, " / %u", 1U << run->lowest);
    if (!is_highest(run->highest, axis->size))
        snprintf(rest, sizeof rest, " %% %u", 1U << (run->highest + 1));
    if (run->weight > 0)
        snprintf(product, sizeof product, " * %u", 1U << run->weight);
    return (size_t)snprintf(text, size, "%s%s%s%s", axis->name, rest, quotient, product);
}

size_t mapping_formula_print_divided(const struct mapping_formula *formula,
                                     const struct mapping_space *from, char *text, size_t size) {
    size_t length = 0;
    const char sign[] = {' ', formula->operation, ' ', '\0'};
    unsigned terms = formula->first[from->count];
    if (size > 0)
        *text = '\0';
    if (formula->constant != 0 || terms == 0)
        length = (size_t)snprintf(text, size, "%u", (unsigned)formula->constant);
    for (unsigned t = 0; t < terms; t++) {
        const struct mapping_term *term = &formula->terms[t];
        struct run run = {.highest = 0};
        for (unsigned bit = 0; next_run(term, bit, &run); bit = run.highest + 1) {
            for (const char *c = length > 0 ? sign : ""; *c; c++, length++)
                if (length + 1 < size) {
                    text[length] = *c;
                    text[length + 1] = '\0';
                }
            size_t used = length < size ? length : size;
            length += print_run(&run, &from->axis[term->axis], text + used, size - used);
        }
    }
    return length;
}
