/* codes.h - addresses as digits: elements that say where they are from.
 *
 * In each run, every element of an operand holds one digit of its own address. A kernel that moves
 * elements, or multiplies them by 1, copies the digit to D. For example, 30,719 numbers of f16 are
 * digits, so 2 runs tell 2^20 addresses apart, those of padding as well. */
#ifndef PROBE_CODES_H
#define PROBE_CODES_H

#include "probe/number.h"

/* Makes a random order of 0 to count - 1, by Fisher and Yates. The random numbers begin at `first`.
 */
void shuffle(uint32_t *order, uint32_t count, uint64_t stream, uint64_t first);

/* The elements of a type that are digits. Code n is ((first + n) << shift) modulo 2^bits. */
struct codes {
    uint64_t first, count;
    unsigned shift, bits;
};

/* Elements that are moved without a change, even as numbers: positive normal floats, or all
 * integers but the poisons. */
struct codes codes_of_copies(enum mapping_type type);

/* Elements that are the same number in sums: positive floats from 2^least to before 2^(last + 1)
 * that all types of `holds` have, with 10 bits of mantissa at most; or the first 128 integers, 8 of
 * 4 bits. */
struct codes codes_of_sums(enum mapping_type type, int least, int last,
                           const enum mapping_type *holds, size_t count);

uint64_t code_element(const struct codes *codes, uint64_t n);

/* The code that is this element. False if it is none. */
bool code_find(const struct codes *codes, uint64_t element, uint64_t *n);

/* How addresses are written as digits. The rank of an address is address * factor % count, so that
 * neighbors have different digits, and a wrong digit makes no pattern. */
struct addresses {
    struct codes codes;
    uint64_t count, factor, inverse;
    uint64_t check; /* the random numbers of check digits */
    size_t digits;  /* of a rank */
};

/* The factor shares no divisor with the count. 1 keeps the order of addresses; 0: it is chosen. */
struct addresses addresses_make(struct codes codes, uint64_t count, uint64_t factor);

/* The element that has digit n of an address; behind the last digit, a check digit. */
uint64_t address_element(const struct addresses *addresses, size_t n, uint64_t address);

/* Reads digit n, or compares the check digit of an address that is its own rank. `rank` is that of
 * the digits before, and begins with 0. False if the element is no digit of an address; the rank is
 * then unchanged. */
bool address_read(const struct addresses *addresses, size_t n, uint64_t element, uint32_t *rank);

static inline uint32_t address_of_rank(const struct addresses *addresses, uint32_t rank) {
    return (uint32_t)(rank * addresses->inverse % addresses->count);
}

#endif
