/* number.c - elements of matrices as bits and as numbers; see number.h. */
#include "probe/number.h"

#include "system/system.h"

#include <math.h>
#include <string.h>

/* The numbers of bits of the exponent and the mantissa of a float. */
struct form {
    unsigned exponent, mantissa;
};

static struct form form_of(enum mapping_type type) {
    switch (type) {
    case MAPPING_F64:
        return (struct form){11, 52};
    case MAPPING_F32:
        return (struct form){8, 23};
    case MAPPING_TF32:
        return (struct form){8, 10};
    case MAPPING_BF16:
        return (struct form){8, 7};
    case MAPPING_F16:
        return (struct form){5, 10};
    case MAPPING_E4M3:
        return (struct form){4, 3};
    case MAPPING_E5M2:
        return (struct form){5, 2};
    case MAPPING_E2M1:
        return (struct form){2, 1};
    default:
        return (struct form){0, 0};
    }
}

bool number_is_float(enum mapping_type type) {
    return form_of(type).exponent > 0;
}

static bool is_signed(enum mapping_type type) {
    return type == MAPPING_S32 || type == MAPPING_S8 || type == MAPPING_S4;
}

bool number_has(enum mapping_type type) {
    return number_is_float(type) || is_signed(type) || number_is_unsigned(type);
}

double number_counts_to(enum mapping_type type) {
    const struct form form = form_of(type);
    return form.exponent > 0 ? ldexp(1, (int)form.mantissa + 1)
                             : ldexp(1, (int)number_bits(type) - is_signed(type)) - 1;
}

void number_normals(enum mapping_type type, int *first, int *last, int *mantissa) {
    const struct form form = form_of(type);
    const int half = 1 << form.exponent >> 1;
    *first = 2 - half;
    *last = half - (type != MAPPING_E4M3); /* in e4m3, the highest exponent also has numbers */
    *mantissa = (int)form.mantissa;
}

unsigned number_bits(enum mapping_type type) {
    return type == MAPPING_TF32 ? 32 : mapping_type_bits(type);
}

size_t number_bytes(enum mapping_type type, size_t count) {
    return (count * number_bits(type) + 7) / 8;
}

/* ---- Values ---- */

/* The bits of a double: 11 of the exponent, 52 of the mantissa. */
enum { DOUBLE_BIAS = 1023, DOUBLE_MANTISSA = 52 };

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns 2^exponent; faster than ldexp. */
static double power_of_2(int exponent) {
    return exponent <= -DOUBLE_BIAS
               ? ldexp(1, exponent)
               : double_of((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA);
}

/* Returns the n with 2^n <= value < 2^(n + 1), for normal doubles. */
static int exponent_of(double value) {
    return (int)(double_bits(value) >> DOUBLE_MANTISSA & 0x7ff) - DOUBLE_BIAS;
}

/* True for a float type whose largest exponent means infinity and NaN. */
static bool has_infinity(enum mapping_type type) {
    return type != MAPPING_E4M3 && type != MAPPING_E2M1;
}

double number_value_of(enum mapping_type type, uint64_t bits) {
    if (type == MAPPING_F64)
        return double_of(bits);
    const struct form form = form_of(type);
    const unsigned width = number_bits(type);
    if (form.exponent == 0) {
        const bool is_negative = is_signed(type) && (bits >> (width - 1) & 1) != 0;
        return (double)bits - (is_negative ? power_of_2((int)width) : 0);
    }
    const uint64_t mantissa = bits & ((UINT64_C(1) << form.mantissa) - 1);
    const int largest = (1 << form.exponent) - 1, bias = largest / 2;
    const int exponent = (int)(bits >> form.mantissa) & largest;
    const double sign = (bits >> (form.exponent + form.mantissa) & 1) != 0 ? -1 : 1;
    if (exponent == largest && has_infinity(type))
        return mantissa != 0 ? NAN : sign * INFINITY;
    if (type == MAPPING_E4M3 && exponent == largest && mantissa == 7)
        return NAN;
    const double whole = (double)(mantissa + (exponent > 0 ? UINT64_C(1) << form.mantissa : 0));
    return sign * whole * power_of_2((exponent > 0 ? exponent : 1) - bias - (int)form.mantissa);
}

struct number_reader number_reader(enum mapping_type type) {
    struct number_reader reader = {.type = type, .bits = number_bits(type)};
    if (reader.bits <= 16) {
        const uint64_t count = UINT64_C(1) << reader.bits;
        double *values = memory_get(count, sizeof *values);
        for (uint64_t element = 0; element < count; element++)
            values[element] = number_value(type, element);
        reader.values = values;
    }
    return reader;
}

bool number_find(enum mapping_type type, double value, uint64_t *bits) {
    const struct form form = form_of(type);
    const unsigned width = number_bits(type);
    const uint64_t is = double_bits(value), one = UINT64_C(1) << DOUBLE_MANTISSA;
    *bits = 0;
    if (!isfinite(value))
        return false;
    if (type == MAPPING_F64) {
        *bits = is;
        return true;
    }
    if (form.exponent == 0) {
        if (!number_is_whole(value))
            return false;
        *bits = number_low((uint64_t)(int64_t)value, width);
        return number_value(type, *bits) == value;
    }
    const int bias = (1 << form.exponent >> 1) - 1;
    int exponent = exponent_of(value) + bias; /* the exponent field, if the element is normal */
    unsigned shift = DOUBLE_MANTISSA - form.mantissa;
    uint64_t mantissa = is & (one - 1);
    if (value == 0)
        exponent = 0;
    if (exponent >= (1 << form.exponent) - has_infinity(type) || exponent < -(int)form.mantissa)
        return false;
    if (exponent < 1 && value != 0) { /* subnormal */
        mantissa |= one;
        shift += (unsigned)(1 - exponent);
        exponent = 0;
    }
    if (number_low(mantissa, shift) != 0)
        return false;
    *bits = mantissa >> shift | (uint64_t)exponent << form.mantissa;
    *bits |= (uint64_t)(signbit(value) != 0) << (form.exponent + form.mantissa);
    *bits <<= width - 1 - form.exponent - form.mantissa;
    return type != MAPPING_E4M3 || (*bits & 0x7f) != 0x7f; /* NaN */
}

double number_cut(double value, int bits) {
    int exponent;
    const double part = ldexp(frexp(value, &exponent), bits + 1);
    return isfinite(value) ? ldexp((double)(int64_t)part, exponent - bits - 1) : value;
}

/* Returns the distance between adjacent elements of a float type at a number that is at least 0. */
static double distance_at(enum mapping_type type, double value) {
    const struct form form = form_of(type);
    const int least = 2 - (1 << form.exponent) / 2; /* the exponent of subnormal elements */
    const int exponent = exponent_of(value);
    return power_of_2((exponent < least ? least : exponent) - (int)form.mantissa);
}

void number_around(enum mapping_type type, double value, double *low, double *high) {
    const double distance = distance_at(type, value);
    uint64_t bits;
    *low = (double)(int64_t)(value / distance) * distance;
    *high = *low + distance;
    if (!number_find(type, *high, &bits))
        *high = INFINITY;
}

double number_rounded(enum mapping_type type, double value) {
    const double distance = distance_at(type, fabs(value)), steps = fabs(value) / distance;
    const double low = (double)(int64_t)steps, middle = steps - low;
    const bool is_odd = (int64_t)low % 2 != 0;
    const double rounded = (middle > 0.5 || (middle == 0.5 && is_odd) ? low + 1 : low) * distance;
    uint64_t bits;
    return copysign(number_find(type, rounded, &bits) ? rounded : INFINITY, value);
}

/* ---- Poison ---- */

uint64_t number_poison(enum mapping_type type, size_t run) {
    const struct form form = form_of(type);
    const unsigned width = number_bits(type);
    uint64_t bits;
    if (form.exponent == 0 || type == MAPPING_E2M1)
        return (UINT64_C(1) << (width - 1)) + run % 2;
    if (run % 2 == 1) {
        number_find(type, -0.375, &bits);
        return bits;
    }
    switch (type) {
    case MAPPING_F64:
        return UINT64_C(0x7ff8dead0000dead);
    case MAPPING_TF32:
    case MAPPING_F32:
        return 0x7fc0dead;
    case MAPPING_F16:
        return 0x7ead;
    case MAPPING_BF16:
        return 0x7fad;
    default:
        return 0x7f; /* e4m3 and e5m2 */
    }
}
