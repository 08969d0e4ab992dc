/* search.h - all C expressions of a number of operators that give a table of values. */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Leaves, and the operators that are searched. Not searched are x > y and x >= y, which are y < x
 * and y <= x, except where one of them is a constant; !x, which is x == 0. */
enum search_operator {
    SEARCH_CONSTANT,
    SEARCH_VARIABLE,
    SEARCH_NEGATE,
    SEARCH_COMPLEMENT,
    SEARCH_NOT,
    SEARCH_MULTIPLY, /* the first of two operands */
    SEARCH_DIVIDE,
    SEARCH_REMAINDER,
    SEARCH_ADD,
    SEARCH_SUBTRACT,
    SEARCH_SHIFT_LEFT,
    SEARCH_SHIFT_RIGHT,
    SEARCH_LESS,
    SEARCH_GREATER,
    SEARCH_LESS_EQUAL,
    SEARCH_GREATER_EQUAL,
    SEARCH_EQUAL,
    SEARCH_NOT_EQUAL,
    SEARCH_AND,
    SEARCH_EXCLUSIVE,
    SEARCH_OR,
    SEARCH_BOTH,
    SEARCH_EITHER,
    SEARCH_OPERATORS
};

/* The greatest constant that an expression may have: all bits up to one. A test makes it less. */
#ifndef SEARCH_CONSTANT_MAX
#define SEARCH_CONSTANT_MAX 255
#endif

/* As many entries of the table are searched; all of them have to be filled, with one that is there
 * already if there are no more. */
#define SEARCH_LANES 16
#define SEARCH_VARIABLES 8

/* An expression, with its values at those entries. The operands live elsewhere. */
struct search_tree {
    int32_t lane[SEARCH_LANES];
    uint32_t magnitude; /* of the lanes, at most */
    int32_t value;      /* the constant, or which variable */
    const struct search_tree *left, *right;
    enum search_operator operation; /* right is NULL if it has one operand */
};

/* What is searched: lane[] of the variables; the target, of which no lane is negative, lane 0 is
 * the greatest, and not all are the same; and for any operand x the constant that x & c = target
 * and x | c = target take, the bits that are set in any and in all values of the whole table. */
struct search {
    unsigned variables;
    int32_t variable[SEARCH_VARIABLES][SEARCH_LANES];
    int32_t target[SEARCH_LANES];
    int32_t any, all;
    /* Called with each expression that gives the target. */
    void (*found)(void *context, const struct search_tree *tree);
    void *context;
};

/* Finds the expressions of that number of operators, 1 to SEARCH_DEPTH, given that there are none
 * with fewer: at least one if there is any. See search.c for why. A constant beyond
 * SEARCH_CONSTANT_MAX stands for an expression of one or more operators that has to be found by the
 * caller, and may not exist. False if out of memory. */
#define SEARCH_DEPTH 3
bool mapping_search_run(const struct search *search, unsigned operators);

/* One operator, in int or, if is_unsigned, in unsigned, for a shift the type of what is shifted.
 * False if that is undefined, or shifts a negative number. `b` is ignored where there is one
 * operand. */
static inline bool search_operate(enum search_operator operation, bool is_unsigned, uint32_t a,
                                  uint32_t b, uint32_t *result) {
    int64_t x = is_unsigned ? (int64_t)a : (int32_t)a, y = is_unsigned ? (int64_t)b : (int32_t)b;
    int64_t z = 0;
    switch (operation) {
    case SEARCH_NEGATE:
        z = -x;
        break;
    case SEARCH_COMPLEMENT:
        *result = ~a;
        return true;
    case SEARCH_NOT:
        z = x == 0;
        break;
    case SEARCH_MULTIPLY:
        if (is_unsigned) {
            *result = a * b;
            return true;
        }
        z = x * y;
        break;
    case SEARCH_DIVIDE:
    case SEARCH_REMAINDER:
        if (y == 0 || (x == INT32_MIN && y == -1))
            return false;
        z = operation == SEARCH_DIVIDE ? x / y : x % y;
        break;
    case SEARCH_ADD:
        z = x + y;
        break;
    case SEARCH_SUBTRACT:
        z = x - y;
        break;
    case SEARCH_SHIFT_LEFT:
        if (b > 31 || x < 0)
            return false;
        z = (int64_t)((uint64_t)x << b);
        break;
    case SEARCH_SHIFT_RIGHT:
        if (b > 31 || x < 0)
            return false;
        z = x >> b;
        break;
    case SEARCH_LESS:
        z = x < y;
        break;
    case SEARCH_GREATER:
        z = x > y;
        break;
    case SEARCH_LESS_EQUAL:
        z = x <= y;
        break;
    case SEARCH_GREATER_EQUAL:
        z = x >= y;
        break;
    case SEARCH_EQUAL:
        z = a == b;
        break;
    case SEARCH_NOT_EQUAL:
        z = a != b;
        break;
    case SEARCH_AND:
        *result = a & b;
        return true;
    case SEARCH_EXCLUSIVE:
        *result = a ^ b;
        return true;
    case SEARCH_OR:
        *result = a | b;
        return true;
    case SEARCH_BOTH:
        z = a && b;
        break;
    case SEARCH_EITHER:
        z = a || b;
        break;
    default:
        return false;
    }
    *result = (uint32_t)z;
    return is_unsigned || (z >= INT32_MIN && z <= INT32_MAX);
}

#endif
