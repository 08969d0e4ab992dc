/* values.h - numbers of all element types as bits, and back, for tests. Written apart from
 * src/source/gpu/experiment.c, which it checks. */
#ifndef VALUES_H
#define VALUES_H

#include "catalogue/fragment.h"

#include <math.h>
#include <string.h>

/* Bits of exponent and mantissa of a floating-point type below 32 bits. */
static bool floating(enum mapping_type type, unsigned *exponent_bits, unsigned *mantissa_bits) {
    switch (type) {
    case MAPPING_BF16:
        *exponent_bits = 8, *mantissa_bits = 7;
        return true;
    case MAPPING_F16:
        *exponent_bits = 5, *mantissa_bits = 10;
        return true;
    case MAPPING_E5M2:
        *exponent_bits = 5, *mantissa_bits = 2;
        return true;
    case MAPPING_E4M3:
        *exponent_bits = 4, *mantissa_bits = 3;
        return true;
    default:
        return false;
    }
}

static inline uint64_t encode_value(enum mapping_type type, double value) {
    unsigned exponent_bits, mantissa_bits, width = mapping_type_bits(type);
    if (type == MAPPING_F64) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (type == MAPPING_F32 || type == MAPPING_TF32) {
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (!floating(type, &exponent_bits, &mantissa_bits)) /* an integer */
        return (uint64_t)(int64_t)value & ((UINT64_C(1) << width) - 1);
    if (value == 0)
        return 0;
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 .. 1, times 2^exponent */
    int bias = (1 << (exponent_bits - 1)) - 1, biased = exponent - 1 + bias;
    uint64_t mantissa;
    if (biased > 0)
        mantissa = (uint64_t)ldexp(fraction * 2 - 1, (int)mantissa_bits);
    else /* subnormal */
        mantissa = (uint64_t)ldexp(fraction, exponent + bias - 1 + (int)mantissa_bits);
    return (uint64_t)(value < 0) << (width - 1) |
           (uint64_t)(biased > 0 ? biased : 0) << mantissa_bits | mantissa;
}

static inline double decode_value(enum mapping_type type, uint64_t bits) {
    unsigned exponent_bits, mantissa_bits, width = mapping_type_bits(type);
    if (type == MAPPING_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == MAPPING_F32 || type == MAPPING_TF32) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    if (!floating(type, &exponent_bits, &mantissa_bits)) {
        bool is_signed = type == MAPPING_S32 || type == MAPPING_S8 || type == MAPPING_S4;
        bool negative = is_signed && bits >> (width - 1) & 1;
        return (double)bits - (negative ? ldexp(1, (int)width) : 0);
    }
    int exponent = (int)(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
    int bias = (1 << (exponent_bits - 1)) - 1;
    double mantissa = (double)(bits & ((1U << mantissa_bits) - 1));
    double magnitude = exponent == 0 ? ldexp(mantissa, 1 - bias - (int)mantissa_bits)
                                     : ldexp(mantissa + (double)(1U << mantissa_bits),
                                             exponent - bias - (int)mantissa_bits);
    if (exponent == (1 << exponent_bits) - 1 && type != MAPPING_E4M3)
        magnitude = mantissa > 0 ? NAN : INFINITY;
    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

/* Gets the element that element_put() of experiment.h puts at a place. */
static inline uint64_t element_get(const uint32_t *words, size_t place, unsigned bits) {
    if (bits == 64)
        return words[2 * place] | (uint64_t)words[2 * place + 1] << 32;
    const size_t at = place * bits;
    return words[at / 32] >> at % 32 & (uint32_t)((UINT64_C(1) << bits) - 1);
}

#endif
