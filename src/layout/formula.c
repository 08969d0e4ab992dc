/* formula.c - evaluates formulae, and prints them with & and << or with / % and *. */
#include "layout/formula.h"

#include "layout/space.h"
#include "system/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, uint32_t axes,
                                  const uint32_t *point) {
    uint32_t sum = formula->constant;
    for (uint32_t a = 0; a < axes; a++) {
        uint32_t part = formula_part(formula, a, point[a]);
        sum = formula->operation == '+' ? sum + part : sum ^ part;
    }
    return sum;
}

/* Fills one coordinate; parts[] is a buffer for the contribution of each axis. */
static void evaluate_coordinate(const struct mapping_formula *formula,
                                const struct mapping_space *from, uint32_t *parts,
                                uint32_t *coordinate) {
    uint32_t *part = parts;
    for (uint32_t a = 0; a < from->count; a++)
        for (uint32_t x = 0; x < from->axis[a].size; x++)
            *part++ = formula_part(formula, a, x);
    mapping_space_combine(from, parts, formula->operation, coordinate);
    for (size_t n = 0; n < mapping_space_size(from) && formula->constant != 0; n++)
        coordinate[n] = formula->operation == '+' ? coordinate[n] + formula->constant
                                                  : coordinate[n] ^ formula->constant;
}

enum mapping_status mapping_layout_evaluate(struct mapping_layout *layout,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct mapping_formula *formulae,
                                            struct mapping_error *error) {
    enum mapping_status status = layout_allocate(layout, from, to, error);
    if (status != MAPPING_OK)
        return status;
    uint32_t *parts = memory_get(mapping_space_parts(from) + 1, sizeof *parts);
    for (uint32_t c = 0; c < to->count; c++)
        evaluate_coordinate(&formulae[c], from, parts, layout->coordinate[c]);
    mapping_free(parts);
    return MAPPING_OK;
}

/* ---- Printing ---- */

/* Appends to text[0 .. size) as much as fits, and adds to *length the whole length. */
static void append(char *text, size_t size, size_t *length, const char *piece) {
    for (; *piece; piece++, ++*length)
        if (*length + 1 < size)
            text[*length] = *piece;
}

static void print_term(const struct mapping_term *term, const char *name, char *text, size_t size,
                       size_t *length) {
    char mask[16], shift[16];
    snprintf(mask, sizeof mask, " & %u)", (unsigned)term->mask);
    snprintf(shift, sizeof shift, " %s %d)", term->shift < 0 ? ">>" : "<<", abs(term->shift));
    append(text, size, length, term->shift ? "((" : "(");
    append(text, size, length, name);
    append(text, size, length, mask);
    if (term->shift)
        append(text, size, length, shift);
}

size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_space *from, char *text, size_t size) {
    uint8_t order[MAPPING_AXES_MAX];
    size_t length = 0;
    char constant[16];
    snprintf(constant, sizeof constant, "%u", (unsigned)formula->constant);
    if (formula->constant != 0 || formula->first[from->count] == 0)
        append(text, size, &length, constant);
    mapping_space_order(from, order);
    for (uint32_t o = 0; o < from->count; o++)
        for (unsigned t = formula->first[order[o]]; t < formula->first[order[o] + 1]; t++) {
            if (length > 0)
                append(text, size, &length, formula->operation == '+' ? " + " : " ^ ");
            print_term(&formula->terms[t], from->axis[order[o]].name, text, size, &length);
        }
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}

/* ---- Reading ---- */

/* If *text begins with `word`, sets *text to the text after it. */
static bool skip(const char **text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Reads a number of at most ten digits that fits into 32 bits, without leading zeros. */
static bool read_number(const char **text, uint32_t *number) {
    uint64_t value = 0;
    unsigned digits = 0;
    if ((*text)[0] == '0' && (*text)[1] >= '0' && (*text)[1] <= '9')
        return false;
    for (; **text >= '0' && **text <= '9' && digits < 10; ++*text, digits++)
        value = 10 * value + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return digits > 0 && value <= UINT32_MAX;
}

/* True if the mask has bits, and none of them is shifted out. */
static bool keeps_bits(const struct mapping_term *term) {
    uint32_t mask = term->mask;
    return mask != 0 && (term->shift < 0 ? mask >> -term->shift << -term->shift == mask
                                         : mask << term->shift >> term->shift == mask);
}

/* Reads "((v & mask) << shift)" or "(v & mask)". */
static bool read_term(const char **text, const struct mapping_space *from,
                      struct mapping_term *term) {
    uint32_t shift = 0, axis = 0;
    bool shifts = skip(text, "((");
    if (!shifts && !skip(text, "("))
        return false;
    size_t length = strcspn(*text, " ");
    while (axis < from->count && !(strlen(from->axis[axis].name) == length &&
                                   strncmp(*text, from->axis[axis].name, length) == 0))
        axis++;
    *text += length;
    if (axis == from->count || !skip(text, " & ") || !read_number(text, &term->mask) ||
        !skip(text, ")"))
        return false;
    term->axis = (uint8_t)axis;
    bool left = shifts && skip(text, " << ");
    if (shifts && ((!left && !skip(text, " >> ")) || !read_number(text, &shift) || shift == 0 ||
                   shift > 31 || !skip(text, ")")))
        return false;
    term->shift = (int8_t)(left ? (int)shift : -(int)shift);
    return keeps_bits(term);
}

/* Reads the operation between two terms; all operations of a formula must be the same. */
static bool read_operation(const char **text, struct mapping_formula *formula, bool is_first) {
    char operation = '\0';
    if (skip(text, " + "))
        operation = '+';
    else if (skip(text, " ^ "))
        operation = '^';
    if (operation == '\0' || (!is_first && operation != formula->operation))
        return false;
    formula->operation = operation;
    return true;
}

/* Reads terms in the order of printed formulae. Returns their number, or -1 if the text is not a
 * sum of terms. */
static int read_terms(const char *text, const struct mapping_space *from,
                      struct mapping_formula *formula, struct mapping_term *terms) {
    uint8_t order[MAPPING_AXES_MAX];
    uint32_t place = 0;
    int count = 0;
    bool joined = formula->constant != 0;
    mapping_space_order(from, order);
    while (*text) {
        if ((count > 0 || joined) && !read_operation(&text, formula, count + joined == 1))
            return -1;
        if (count == MAPPING_MAX_TERMS || !read_term(&text, from, &terms[count]))
            return -1;
        while (place < from->count && order[place] != terms[count].axis)
            place++;
        if (place == from->count) /* its axis must not come before that of the last term */
            return -1;
        count++;
    }
    return count;
}

bool mapping_formula_parse(const char *text, const struct mapping_space *from,
                           struct mapping_formula *formula) {
    struct mapping_term terms[MAPPING_MAX_TERMS];
    *formula = (struct mapping_formula){.operation = '+'};
    if (strcmp(text, "0") == 0)
        return true;
    if (*text != '(' && (!read_number(&text, &formula->constant) || formula->constant == 0))
        return false;
    int count = read_terms(text, from, formula, terms);
    if (count < 0)
        return false;
    for (uint32_t a = 0; a < from->count; a++) { /* terms by axis, in the order of the formula */
        uint8_t next = formula->first[a];
        for (int t = 0; t < count; t++)
            if (terms[t].axis == a)
                formula->terms[next++] = terms[t];
        formula->first[a + 1] = next;
    }
    return true;
}

/* ---- With / % and * ----
 *
 * This is the notation of the PTX ISA and of most kernels. A run of adjacent mask bits, from lowest
 * to highest, is v % 2^(highest + 1) / 2^lowest. The remainder is left out if no higher bit of v is
 * ever set: tid % 32 / 4 in a warpgroup, tid / 4 in a warp. (For the other order, tid / 4 % 8,
 * ptxas 13.0 generates more instructions.) */

/* Bits `lowest` to `highest` of an axis, and the weight of the lowest one, a power of two. */
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

/* Appends "i % 8 / 2 * 8". */
static void print_run(const struct run *run, const struct mapping_axis *axis, char *text,
                      size_t size, size_t *length) {
    char quotient[24] = "", rest[24] = "", product[24] = "";
    if (run->lowest > 0)
        snprintf(quotient, sizeof quotient, " / %u", 1U << run->lowest);
    if ((uint64_t)(axis->size - 1) >> (run->highest + 1) != 0) /* there are bits above */
        snprintf(rest, sizeof rest, " %% %u", 1U << (run->highest + 1));
    if (run->weight > 0)
        snprintf(product, sizeof product, " * %u", 1U << run->weight);
    append(text, size, length, axis->name);
    append(text, size, length, rest);
    append(text, size, length, quotient);
    append(text, size, length, product);
}

size_t mapping_formula_print_divided(const struct mapping_formula *formula,
                                     const struct mapping_space *from, char *text, size_t size) {
    size_t length = 0;
    const char sign[] = {' ', formula->operation, ' ', '\0'};
    unsigned terms = formula->first[from->count];
    if (formula->constant != 0 || terms == 0)
        length = (size_t)snprintf(text, size, "%u", (unsigned)formula->constant);
    for (unsigned t = 0; t < terms; t++) {
        const struct mapping_term *term = &formula->terms[t];
        struct run run = {.highest = 0};
        for (unsigned bit = 0; next_run(term, bit, &run); bit = run.highest + 1) {
            append(text, size, &length, length > 0 ? sign : "");
            print_run(&run, &from->axis[term->axis], text, size, &length);
        }
    }
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}

/* ---- Counting ---- */

unsigned formula_operators(const char *text) {
    unsigned count = 0;
    for (const char *c = text; *c; c++)
        count += strchr("&+^<>%*/", *c) != NULL && c[0] != c[1];
    return count;
}
