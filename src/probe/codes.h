/* codes.h - encodes the address of an element as digits, each stored as the value of an element.
 *
 * In each run, every element of an operand holds one digit of its own address. A kernel that moves
 * elements, or multiplies them by 1, copies the digit to D. So D of all runs gives the address from
 * which an element comes. For example, f16 has 30,720 values that serve as digits, so 2 runs
 * distinguish 2^20 addresses, including those of padding. */
#ifndef PROBE_CODES_H
#define PROBE_CODES_H

#include "probe/number.h"

/* Fills `order` with a random permutation of 0 to count - 1 (Fisher-Yates shuffle). It uses the
 * random numbers of `stream` from index `first` on. */
void shuffle(uint32_t *order, uint32_t count, uint64_t stream, uint64_t first);

/* The elements of a type that represent the digits 0 to count - 1. Digit n is the element ((first +
 * n) << shift) modulo 2^bits. */
struct codes {
    uint64_t first, count;
    unsigned shift, bits;
};

/* Returns digits for kernels that copy elements. A copy does not change them, even if it converts
 * them as numbers: positive normal floats, or all integers and e2m1 elements but the poisons. */
struct codes codes_of_copies(enum mapping_type type);

/* Returns digits for kernels that add products. Floats are positive, from 2^least to below 2^(last
 * + 1), with at most 10 bits of mantissa; all `count` types of `holds` can represent them. For
 * integers and e2m1, the digits are the first 128 elements of 8 bits, or the first 8 of 4 bits. */
struct codes codes_of_sums(enum mapping_type type, int least, int last,
                           const enum mapping_type *holds, size_t count);

uint64_t code_element(const struct codes *codes, uint64_t n);

/* Sets *n to the digit that an element represents. False if the element is not a digit. */
bool code_find(const struct codes *codes, uint64_t element, uint64_t *n);

/* How addresses are encoded as digits: as those of the rank of an address, address * factor %
 * count. So neighboring addresses have different digits, and wrong digits do not form a regular
 * pattern. */
struct addresses {
    struct codes codes;
    uint64_t count, factor, inverse;
    uint64_t check; /* selects the random numbers for check digits */
    size_t digits;  /* number of digits of a rank, without the check digit */
};

/* Returns an encoding of `count` addresses. `factor` must be coprime to count. A factor of 1 keeps
 * the order of addresses; if it is 0, addresses_make chooses one. */
struct addresses addresses_make(struct codes codes, uint64_t count, uint64_t factor);

/* Returns the element for digit n of an address. If n is the number of digits, it is a check digit.
 */
uint64_t address_element(const struct addresses *addresses, size_t n, uint64_t address);

/* Decodes digit n. Adds it to *rank, which must be 0 before the first digit. If n is the number of
 * digits, compares the element with the check digit of *rank instead. Returns false, and does not
 * change *rank, if the element is not a digit, if the rank is too large, or if the check digit is
 * wrong. */
bool address_read(const struct addresses *addresses, size_t n, uint64_t element, uint32_t *rank);

static inline uint32_t address_of_rank(const struct addresses *addresses, uint32_t rank) {
    return (uint32_t)(rank * addresses->inverse % addresses->count);
}

#endif
