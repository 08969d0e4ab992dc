/* arithmetic.c - the integer types and operators of C; see arithmetic.h. */
#include "layout/arithmetic.h"

/* ---- Types ---- */

static const struct c_type INT = {32, true};

struct c_type mapping_type_promote(struct c_type type) {
    return type.bits < 32 ? INT : type;
}

/* The usual arithmetic conversions, also of types that are smaller than int. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    a = mapping_type_promote(a);
    b = mapping_type_promote(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

static bool is_shift(int operation) {
    return operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT;
}

struct c_type mapping_type_operands(int operation, struct c_type a, struct c_type b) {
    return is_shift(operation) ? mapping_type_promote(a) : common_type(a, b);
}

struct c_type mapping_type_either(struct c_type a, struct c_type b) {
    return a.bits == b.bits && a.is_signed == b.is_signed ? a : common_type(a, b);
}

void mapping_convert(int64_t *values, struct c_type type) {
    unsigned unused = 64U - type.bits;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        values[n] = type.bits == 1   ? values[n] != 0
                    : type.is_signed ? (int64_t)((uint64_t)values[n] << unused) >> unused
                                     : (int64_t)((uint64_t)values[n] << unused >> unused);
}

/* ---- Operators ---- */

inline bool mapping_operate(enum c_operator operation, struct c_type type, int64_t a, int64_t b,
                            int64_t *result) {
    /* Bits: true if a is less, equal, or greater. */
    static const uint8_t comparisons[] = {
        [C_LESS] = 1,       [C_EQUAL] = 2,         [C_GREATER] = 4,
        [C_LESS_EQUAL] = 3, [C_GREATER_EQUAL] = 6, [C_NOT_EQUAL] = 5};
    const bool is_signed = type.is_signed;
    const bool is_less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    bool overflows = false;
    int64_t n = 0;
    switch (operation) {
    case C_NEGATE:
        overflows = __builtin_sub_overflow(0, a, &n);
        break;
    case C_COMPLEMENT:
        n = ~a;
        break;
    case C_NOT:
        *result = a == 0;
        return true;
    case C_MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &n);
        break;
    case C_DIVIDE:
    case C_REMAINDER:
        if (b == 0 || (is_signed && b == -1 && a == (type.bits == 32 ? INT32_MIN : INT64_MIN)))
            return false;
        if (operation == C_DIVIDE)
            n = is_signed ? a / b : (int64_t)((uint64_t)a / (uint64_t)b);
        else
            n = is_signed ? a % b : (int64_t)((uint64_t)a % (uint64_t)b);
        break;
    case C_ADD:
        overflows = __builtin_add_overflow(a, b, &n);
        break;
    case C_SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &n);
        break;
    case C_SHIFT_LEFT:
        if ((uint64_t)b >= type.bits || (is_signed && a < 0))
            return false;
        n = (int64_t)((uint64_t)a << b);
        overflows = n >> b != a;
        break;
    case C_SHIFT_RIGHT:
        if ((uint64_t)b >= type.bits)
            return false;
        *result = is_signed ? a >> b : (int64_t)((uint64_t)a >> b);
        return true;
    case C_LESS:
    case C_GREATER:
    case C_LESS_EQUAL:
    case C_GREATER_EQUAL:
    case C_EQUAL:
    case C_NOT_EQUAL:
        *result = (comparisons[operation] & (is_less ? 1 : a == b ? 2 : 4)) != 0;
        return true;
    case C_AND:
        *result = a & b;
        return true;
    case C_EXCLUSIVE:
        *result = a ^ b;
        return true;
    case C_OR:
        *result = a | b;
        return true;
    case C_BOTH:
        *result = a != 0 && b != 0;
        return true;
    case C_EITHER:
        *result = a != 0 || b != 0;
        return true;
    case C_OPERATORS:
        return false;
    }
    if (is_signed && (overflows || (type.bits == 32 && n != (int32_t)n)))
        return false;
    *result = is_signed || type.bits == 64 ? n : (int64_t)(uint32_t)n;
    return true;
}

uint64_t mapping_operate_all(int operation, struct c_type type, int64_t *a, int64_t *b) {
    uint64_t undefined = 0;
    if (!type.is_signed && !is_shift(operation)) {
        mapping_convert(a, type);
        mapping_convert(b, type);
    }
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        undefined |= (uint64_t)!mapping_operate((enum c_operator)operation, type, a[n], b[n], &a[n])
                     << n;
    return undefined;
}

const char *mapping_why_undefined(int operation, struct c_type type, int64_t a, int64_t b) {
    return (operation == C_DIVIDE || operation == C_REMAINDER) && b == 0 ? "this divides by zero"
           : is_shift(operation) && (uint64_t)b >= type.bits
               ? "this shifts by a negative number or by too many bits"
           : is_shift(operation) && a < 0 ? "this shifts a negative number to the left"
                                          : "this overflows";
}
