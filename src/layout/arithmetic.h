/* arithmetic.h - the integer types and operators of C, where int has 32 bits and long 64
 * (C17 6.3.1, 6.5). A value of a signed type is held in 64 bits with its sign, of an unsigned type
 * with zeros. */
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

/* Integer promotion. */
struct c_type mapping_type_promote(struct c_type type);

/* The type to which the operands of a binary operator are converted; for a shift, the type of a. */
struct c_type mapping_type_operands(int operation, struct c_type a, struct c_type b);

/* The type of a value that may have either type. */
struct c_type mapping_type_either(struct c_type a, struct c_type b);

/* Values that are computed together. */
enum { MAPPING_POINTS = 64 };

/* Converts MAPPING_POINTS values to a type: upper bits are lost, as with all compilers. */
void mapping_convert(int64_t *values, struct c_type type);

/* ---- Operators ---- */

/* Operators of C for integers: those of one operand; of two, those that compute numbers, and from
 * C_BOTH on those that give 0 or 1. */
enum c_operator {
    C_NEGATE,
    C_COMPLEMENT,
    C_NOT,
    C_MULTIPLY, /* the first of two operands */
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

/* Applies an operator to two values of a type of 32 or 64 bits; of a shift, that is the type of a.
 * Values of a signed type have 64 bits with its sign, of an unsigned type with zeros. `b` is
 * ignored if there is one operand. False if C leaves the result undefined: overflow, division by
 * zero, a shift by a negative number or by too many bits, or of a negative number to the left. To
 * the right, the sign is copied, as all compilers do. */
bool mapping_operate(enum c_operator operation, struct c_type type, int64_t a, int64_t b,
                     int64_t *result);

/* Applies an operator to MAPPING_POINTS pairs of values of any types, after converting them. The
 * results replace the values a. Returns a mask: bit n is set if result n is undefined. For an
 * operator with one operand, b is a. */
uint64_t mapping_operate_all(int operation, struct c_type type, int64_t *a, int64_t *b);

/* Why a result is undefined: "this overflows". */
const char *mapping_why_undefined(int operation, struct c_type type, int64_t a, int64_t b);

#endif
