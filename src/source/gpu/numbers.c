/* numbers.c - small integers as any element type holds them; see numbers.h. */
#include "source/gpu/numbers.h"

uint32_t number_largest(enum mapping_type type) {
    switch (type) {
    case MAPPING_F64:
    case MAPPING_F32:
    case MAPPING_TF32:
    case MAPPING_F16:
    case MAPPING_S32:
    case MAPPING_B32:
    case MAPPING_B16:
        return 2048; /* what f16 has, and more than any layout takes */
    case MAPPING_BF16:
        return 256;
    case MAPPING_E4M3:
    case MAPPING_UE4M3:
        return 16;
    case MAPPING_E5M2:
    case MAPPING_E3M2:
        return 8;
    case MAPPING_E2M3:
        return 7;
    case MAPPING_E2M1:
        return 4;
    case MAPPING_UE8M0:
        return 2;
    case MAPPING_S8:
    case MAPPING_U8:
    case MAPPING_B8:
        return 127;
    case MAPPING_S4:
    case MAPPING_U4:
    case MAPPING_B6: /* as signed as the others */
    case MAPPING_B4:
        return 7;
    case MAPPING_B1:
        return 1;
    case MAPPING_TYPES:
        break; /* none */
    }
    return 1;
}

uint32_t number_digits(uint32_t count, uint32_t largest) {
    uint32_t digits = 1;
    for (uint64_t reach = largest; reach < count; reach = reach * (largest + 1) + largest)
        digits++;
    return digits;
}

uint32_t number_weight(uint32_t n, uint32_t largest) {
    uint32_t weight = 1;
    while (n-- > 0)
        weight *= largest + 1;
    return weight;
}

/* 1.xxx in binary: the exponent, biased, and behind it the bits xxx. */
uint64_t number_encode(enum mapping_type type, uint32_t number) {
    static const struct {
        uint8_t mantissa_bits, bias_bits; /* the bias of the exponent is that many ones */
    } floating[MAPPING_TYPES] = {
        [MAPPING_F64] = {52, 10}, [MAPPING_F32] = {23, 7}, [MAPPING_TF32] = {23, 7},
        [MAPPING_BF16] = {7, 7},  [MAPPING_F16] = {10, 4}, [MAPPING_E5M2] = {2, 4},
        [MAPPING_E4M3] = {3, 3},
    };
    unsigned mantissa_bits = floating[type].mantissa_bits;
    if (mantissa_bits == 0 || number == 0)
        return number;
    unsigned exponent = 31 - (unsigned)__builtin_clz(number);
    uint64_t fraction = number - (UINT64_C(1) << exponent);
    return (uint64_t)(exponent + (1U << floating[type].bias_bits) - 1) << mantissa_bits |
           (fraction << mantissa_bits) >> exponent;
}

void element_put(uint32_t *words, size_t place, unsigned bits, uint64_t value) {
    if (bits == 64) {
        words[2 * place] = (uint32_t)value;
        words[2 * place + 1] = (uint32_t)(value >> 32);
        return;
    }
    size_t at = place * bits;
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    words[at / 32] = (words[at / 32] & ~(mask << at % 32)) | (uint32_t)value << at % 32;
}
