/* numbers.h - small integers as any element type holds them, packed into words. No CUDA. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "mapping.h"

/* The largest number up to which the type holds every integer exactly, e.g. 2048 for f16, 16 for
 * e4m3, 1 for b1. 7 for s4 and u4 alike, and 127 for s8 and u8: an operand of one is multiplied
 * by one of the other. */
uint32_t number_largest(enum mapping_type type);

/* How many digits the numbers 1 to `count` take whose digits run from 0 to `largest`: with the
 * digits 0 to 16 of e4m3, 512 of them take 3. */
uint32_t number_digits(uint32_t count, uint32_t largest);

/* What digit `n` counts, the lowest one first: 1, 17, 289, ... with the digits 0 to 16. The digit
 * of a number is number / weight % (largest + 1). */
uint32_t number_weight(uint32_t n, uint32_t largest);

/* The number as the type holds it: 3 is 0x4200 in f16. */
uint64_t number_encode(enum mapping_type type, uint32_t number);

/* Puts an element of `bits` bits at its place in words of 32, the first one in the lowest bits. */
void element_put(uint32_t *words, size_t place, unsigned bits, uint64_t value);

#endif
