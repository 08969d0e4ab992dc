/* codes.c - encodes addresses as digits; see codes.h. */
#include "probe/codes.h"

#include <math.h>

void shuffle(uint32_t *order, uint32_t count, uint64_t stream, uint64_t first) {
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t other = (uint32_t)(number_hash(stream, first + n) % (n + 1));
        order[n] = order[other];
        order[other] = n;
    }
}

/* Returns as digits the floats from 2^least to below 2^(last + 1) with `mantissa` bits of mantissa.
 */
static struct codes codes_of_floats(enum mapping_type type, int least, int last, int mantissa) {
    int first, end, all;
    number_normals(type, &first, &end, &all);
    const uint64_t binade = UINT64_C(1) << mantissa;
    struct codes codes = {.first = (uint64_t)(least - first + 1) * binade,
                          .count = (uint64_t)(last - least + 1) * binade,
                          .shift = (unsigned)(all - mantissa),
                          .bits = number_bits(type)};
    codes.shift += type == MAPPING_TF32 ? 13 : 0; /* stored in the upper 19 of 32 bits */
    if (isnan(number_value(type, code_element(&codes, codes.count - 1)))) /* NaN of e4m3 */
        codes.count--;
    return codes;
}

struct codes codes_of_copies(enum mapping_type type) {
    const unsigned bits = number_bits(type);
    int first, last, mantissa;
    number_normals(type, &first, &last, &mantissa);
    return number_is_float(type) && type != MAPPING_E2M1
               ? codes_of_floats(type, first, last, mantissa)
               : (struct codes){.first = (UINT64_C(1) << (bits - 1)) + 2,
                                .count = (UINT64_C(1) << bits) - 2,
                                .bits = bits};
}

struct codes codes_of_sums(enum mapping_type type, int least, int last,
                           const enum mapping_type *holds, size_t count) {
    const unsigned bits = number_bits(type);
    int mantissa = 10;
    if (!number_is_float(type) || type == MAPPING_E2M1)
        return (struct codes){.count = bits == 8 ? 128 : 8, .bits = bits};
    for (size_t h = 0; h <= count; h++) {
        int first, end, all;
        number_normals(h < count ? holds[h] : type, &first, &end, &all);
        least = first > least ? first : least;
        last = end < last ? end : last;
        mantissa = all < mantissa ? all : mantissa;
    }
    return codes_of_floats(type, least, last, mantissa);
}

uint64_t code_element(const struct codes *codes, uint64_t n) {
    return number_low((codes->first + n) << codes->shift, codes->bits);
}

bool code_find(const struct codes *codes, uint64_t element, uint64_t *n) {
    *n = number_low((element >> codes->shift) - codes->first, codes->bits - codes->shift);
    return *n < codes->count && code_element(codes, *n) == element;
}

/* ---- Addresses ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns a factor near the golden ratio of the count, and coprime to it. */
static uint64_t golden_factor(uint64_t count) {
    uint64_t factor = (uint64_t)((double)count * 0.6180339887) | 1;
    while (common_divisor(factor, count) != 1)
        factor += 2;
    return factor;
}

/* Returns the inverse of the factor modulo the count, by the extended Euclidean algorithm. */
static uint64_t inverse_of(uint64_t factor, uint64_t count) {
    int64_t inverse = 0, next = 1;
    uint64_t a = count, b = factor;
    while (b != 0) {
        const int64_t quotient = (int64_t)(a / b), other = inverse - quotient * next;
        const uint64_t rest = a % b;
        inverse = next;
        next = other;
        a = b;
        b = rest;
    }
    return (uint64_t)(inverse < 0 ? inverse + (int64_t)count : inverse);
}

/* Returns the weight of digit n. */
static uint64_t worth_of(const struct addresses *addresses, size_t n) {
    uint64_t worth = 1;
    while (n-- > 0)
        worth *= addresses->codes.count;
    return worth;
}

struct addresses addresses_make(struct codes codes, uint64_t count, uint64_t factor) {
    struct addresses addresses = {.codes = codes, .count = count, .digits = 1};
    addresses.factor = (factor ? factor : golden_factor(count)) % count;
    addresses.inverse = inverse_of(addresses.factor, count);
    while (worth_of(&addresses, addresses.digits) < count)
        addresses.digits++;
    return addresses;
}

/* Returns digit n of a rank; its check digit if n is the number of digits. */
static uint64_t digit_of(const struct addresses *addresses, size_t n, uint64_t rank) {
    return (n == addresses->digits ? number_hash(addresses->check, rank)
                                   : rank / worth_of(addresses, n)) %
           addresses->codes.count;
}

uint64_t address_element(const struct addresses *addresses, size_t n, uint64_t address) {
    return code_element(&addresses->codes,
                        digit_of(addresses, n, address * addresses->factor % addresses->count));
}

bool address_read(const struct addresses *addresses, size_t n, uint64_t element, uint32_t *rank) {
    uint64_t digit;
    if (!code_find(&addresses->codes, element, &digit))
        return false;
    if (n == addresses->digits)
        return digit == digit_of(addresses, n, *rank);
    const uint64_t sum = *rank + digit * worth_of(addresses, n);
    if (sum < addresses->count)
        *rank = (uint32_t)sum;
    return sum < addresses->count;
}
