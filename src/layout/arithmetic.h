/* arithmetic.h - the integer types and operators of C, where int has 32 bits and long 64 (C17
 * 6.3.1, 6.5). Values are held in 64 bits: signed types sign-extended, unsigned types
 * zero-extended. */
#ifndef ARITHMETIC_H
#define ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/* ---- Types ---- */

/* An integer type of C. Types smaller than int occur in declarations and casts. */
struct c_type {
    uint8_t bits; /* 1 for bool, 8, 16, 32, 64; 0 for auto */
    bool is_signed;
};

/* ---- Operators ---- */

/* Operators of C for integers: first unary operators, then binary operators that compute numbers,
 * and from C_BOTH on binary operators that give 0 or 1. */
enum c_operator {
    C_NEGATE,
    C_COMPLEMENT,
    C_NOT,
    C_MULTIPLY, /* the first binary operator */
    C_DIVIDE,
    C_REMAINDER,
    C_ADD,
    C_SUBTRACT,
    C_SHIFT_LEFT,
    C_SHIFT_RIGHT,
    C_AND,
    C_EXCLUSIVE, /* ^ */
    C_OR,
    C_BOTH,   /* && */
    C_EITHER, /* || */
    C_EQUAL,
    C_NOT_EQUAL,
    C_LESS,
    C_LESS_EQUAL,
    C_GREATER,
    C_GREATER_EQUAL,
    C_OPERATORS
};

/* Applies an operator to two values of a type of 32 or 64 bits; for a shift, that is the type of a.
 * Values are sign-extended to 64 bits if the type is signed, otherwise zero-extended. A unary
 * operator ignores `b`. False if C leaves the result undefined: overflow, division by zero, a shift
 * by a negative number or by too many bits, and a shift of a negative number to the left. A shift
 * to the right copies the sign, as all compilers do. */
static inline bool mapping_operate(enum c_operator operation, struct c_type type, int64_t a,
                                   int64_t b, int64_t *result) {
    /* Bit 0: true if a < b; bit 1: true if a == b; bit 2: true if a > b. */
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

#endif
