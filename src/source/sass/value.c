/* value.c - integers of which some bits may never have been written; see value.h. */
#include "source/sass/value.h"

#include <math.h>

#define LOW UINT64_C(0xffffffff)

struct value value_of(uint64_t bits) {
    return (struct value){bits, UINT64_MAX};
}

struct value value_unknown_word(void) {
    return (struct value){0, ~LOW};
}

bool value_is_known(struct value value, unsigned width) {
    return width == 0 || ~value.known << (64 - width) == 0;
}

struct value value_low(struct value value) {
    return (struct value){value.bits & LOW, value.known | ~LOW};
}

struct value value_sign_extend(struct value value) {
    bool negative = value.bits >> 31 & 1, known = value.known >> 31 & 1;
    return (struct value){(value.bits & LOW) | (negative ? ~LOW : 0),
                          (value.known & LOW) | (known ? ~LOW : 0)};
}

struct value value_pair(struct value low, struct value high) {
    return (struct value){(low.bits & LOW) | high.bits << 32, (low.known & LOW) | high.known << 32};
}

/* The bits below the lowest unknown bit of either: all that carries leave alone. */
static uint64_t known_below(struct value a, struct value b) {
    uint64_t unknown = ~(a.known & b.known);
    return unknown ? (unknown & (0 - unknown)) - 1 : UINT64_MAX;
}

struct value value_add(struct value a, struct value b) {
    return (struct value){a.bits + b.bits, known_below(a, b)};
}

struct value value_negate(struct value a) {
    return (struct value){0 - a.bits, known_below(a, a)};
}

static bool is_zero(struct value a) {
    return a.bits == 0 && a.known == UINT64_MAX;
}

struct value value_multiply(struct value a, struct value b) {
    if (is_zero(a) || is_zero(b))
        return value_of(0);
    return (struct value){a.bits * b.bits, known_below(a, b)};
}

struct value value_shift_left(struct value a, unsigned amount) {
    return (struct value){a.bits << amount, a.known << amount | ((UINT64_C(1) << amount) - 1)};
}

struct value value_shift_right(struct value a, unsigned amount) {
    return (struct value){a.bits >> amount, a.known >> amount | ~(UINT64_MAX >> amount)};
}

/* The table applied to known operands. */
static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
    uint64_t result = 0;
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1)
            result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result & LOW;
}

struct value value_lop3(struct value a, struct value b, struct value c, unsigned table) {
    uint64_t first = lop3(a.bits & a.known, b.bits & b.known, c.bits & c.known, table);
    uint64_t same = UINT64_MAX;
    for (unsigned ones = 1; ones < 8; ones++) /* which operands have ones for their unknown bits */
        same &= ~(first ^ lop3(ones & 4 ? a.bits | ~a.known : a.bits & a.known,
                               ones & 2 ? b.bits | ~b.known : b.bits & b.known,
                               ones & 1 ? c.bits | ~c.known : c.bits & c.known, table));
    return (struct value){first, same};
}

struct value value_permute(struct value a, struct value b, unsigned selector) {
    struct value bytes = value_pair(a, b), result = value_of(0);
    for (unsigned n = 0; n < 4; n++) {
        unsigned nibble = selector >> (4 * n) & 15, from = 8 * (nibble & 7), to = 8 * n;
        uint64_t bits = bytes.bits >> from & 0xff, known = bytes.known >> from & 0xff;
        if (nibble & 8) {
            bits = bits & 0x80 ? 0xff : 0;
            known = known & 0x80 ? 0xff : 0;
        }
        result.bits |= bits << to;
        result.known &= ~(UINT64_C(0xff) << to) | known << to;
    }
    return result;
}

bool half_bits(double number, uint32_t *bits) {
    uint32_t sign = signbit(number) ? 0x8000 : 0;
    double magnitude = fabs(number);
    if (magnitude < 0x1p-14) { /* zero and subnormal halves are multiples of 2^-24 */
        double units = magnitude * 0x1p24;
        *bits = sign | (uint32_t)units;
        return units == (double)(uint32_t)units;
    }
    if (!(magnitude <= 65504))
        return false;
    int exponent;
    double fraction = frexp(magnitude, &exponent) * 0x1p11; /* 1024 .. 2047 with the leading one */
    *bits = sign | (uint32_t)(exponent + 14) << 10 | ((uint32_t)fraction & 0x3ff);
    return fraction == (double)(uint32_t)fraction;
}
