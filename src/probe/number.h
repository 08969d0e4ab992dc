/* number.h - elements of matrices as bits and as numbers: f16, e4m3, packed s4, ... */
#ifndef PROBE_NUMBER_H
#define PROBE_NUMBER_H

#include "catalogue/fragment.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* True if matrices of probes can have the type: f64, f32, tf32, bf16, f16, e4m3, e5m2, e2m1, s32,
 * s8, u8, s4 and u4. tf32 is stored in 32 bits; two elements of 4 bits share a byte, the first in
 * its low half. */
bool number_has(enum mapping_type type);
bool number_is_float(enum mapping_type type);
static inline bool number_is_unsigned(enum mapping_type type) {
    return type == MAPPING_U8 || type == MAPPING_U4;
}

/* Returns the largest n for which the type represents every integer from 0 to n. */
double number_counts_to(enum mapping_type type);

/* Sets the least and the largest exponent of a float type's normal elements, and the number of bits
 * of its mantissa. */
void number_normals(enum mapping_type type, int *first, int *last, int *mantissa);

/* The number of bits that an element takes in memory: 4, 8, 16, 32 or 64. */
unsigned number_bits(enum mapping_type type);

/* The lowest `bits` bits of a number. */
static inline uint64_t number_low(uint64_t number, unsigned bits) {
    return bits == 64 ? number : number & ((UINT64_C(1) << bits) - 1);
}

/* The number of bytes that `count` elements take. */
size_t number_bytes(enum mapping_type type, size_t count);

/* True for integers of up to 18 digits. */
static inline bool number_is_whole(double value) {
    return value > -1e18 && value < 1e18 && (double)(int64_t)value == value;
}

/* The number that an element represents, including infinities and NaN. */
double number_value_of(enum mapping_type type, uint64_t bits);
static inline double number_value(enum mapping_type type, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float narrow;
    if (type != MAPPING_F32 && type != MAPPING_TF32)
        return number_value_of(type, bits);
    memcpy(&narrow, &low, sizeof narrow); /* a fast path, since most D are f32 */
    return narrow;
}

/* Finds the element that represents this number exactly. False if there is none. */
bool number_find(enum mapping_type type, double value, uint64_t *bits);

/* Finds the elements of a float type around a number that is at least 0. *low is the largest
 * element that is not above it. *high is the next element; infinity if there is none. */
void number_around(enum mapping_type type, double value, double *low, double *high);

/* Rounds to the nearest element of a float type, ties to even. Overflow gives infinity. */
double number_rounded(enum mapping_type type, double value);

/* True if a number is an element's, perhaps rounded to it. Rounding to three bits or more changes a
 * normal number by at most 1/8 of it, so most other numbers need no rounding. */
static inline bool number_is_rounded(enum mapping_type type, double is, double number) {
    const double size = number < 0 ? -number : number, far = is - number;
    if (is == number)
        return true;
    if (size >= 1 && (far > size / 4 || -far > size / 4) && is - is == 0)
        return false;
    return number_is_float(type) && is == number_rounded(type, number);
}

/* Truncates the mantissa of a number to `bits` bits after its binary point. */
double number_cut(double value, int bits);

/* Reads or writes the element at an index of an array. */
static inline uint64_t number_get(const void *array, unsigned bits, size_t index) {
    const unsigned char *bytes = (const unsigned char *)array + index * bits / 8;
    uint64_t element = 0;
    if (bits == 4)
        return *bytes >> index % 2 * 4 & 15;
    if (bits == 32) /* a fast path, since most D are f32 */
        memcpy(&element, bytes, 4);
    else
        memcpy(&element, bytes, bits / 8); /* the host is little-endian */
    return element;
}
static inline void number_put(void *array, unsigned bits, size_t index, uint64_t element) {
    unsigned char *bytes = (unsigned char *)array + index * bits / 8;
    const unsigned shift = index % 2 * 4;
    if (bits == 4)
        *bytes = (unsigned char)((*bytes & ~(15U << shift)) | (unsigned)(element & 15) << shift);
    else if (bits == 16)
        memcpy(bytes, &element, 2);
    else
        memcpy(bytes, &element, bits / 8);
}

/* Converts elements of arrays to numbers; uses a table for types of at most 16 bits. */
struct number_reader {
    enum mapping_type type;
    unsigned bits;
    const double *values; /* the numbers of all elements, or NULL */
};
struct number_reader number_reader(enum mapping_type type);
static inline double number_of(const struct number_reader *reader, uint64_t element) {
    return reader->values ? reader->values[element] : number_value(reader->type, element);
}
static inline double number_read(const struct number_reader *reader, const void *array,
                                 size_t index) {
    return number_of(reader, number_get(array, reader->bits, index));
}

/* Returns the element that fills D before run r. No right kernel writes it: NaN with a payload in
 * even runs and -0.375 in odd runs; the lowest two integers; for e2m1, -0 and -0.5. */
uint64_t number_poison(enum mapping_type type, size_t run);

/* Returns a pseudo-random number, which depends only on its two arguments. */
static inline uint64_t number_hash(uint64_t stream, uint64_t index) {
    uint64_t x = (index + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ stream * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
