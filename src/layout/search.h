/* search.h - finds all C expressions with a given number of operators that give a table of values.
 */
#ifndef SEARCH_H
#define SEARCH_H

#include "layout/arithmetic.h"
#include "layout/layouts.h"

/* The largest constant in an expression, 2^n - 1. search_test.c uses 7. */
#ifndef SEARCH_CONSTANT_MAX
#define SEARCH_CONSTANT_MAX 255
#endif

/* An expression: an operator of enum c_operator over one or two operands, or a leaf. */
enum { TREE_CONSTANT = C_OPERATORS, TREE_VARIABLE };

struct tree {
    unsigned operation;
    int32_t value;                   /* the constant, or the index of the axis */
    const struct tree *left, *right; /* right is NULL for a unary operator */
};

/* The number of entries of the table that are compared. */
#define SEARCH_LANES 16

struct search {
    const struct mapping_space *from;
    const uint32_t *values; /* at all points; below 2^31, and not all equal */
    /* The entries that are compared: lane 0 has the greatest value, lane 1 another value. */
    size_t lane[SEARCH_LANES];
    unsigned lanes;
    /* Called with each expression that gives the values at these entries. */
    void (*found)(void *context, const struct tree *tree);
    void *context;
};

/* Finds expressions with this number of operators, 1 to 3: at least one if one exists. The caller
 * must know that none has fewer. See search.c. A constant above SEARCH_CONSTANT_MAX represents an
 * expression of one or more operators, which the caller must find, and which may not exist. */
void search_run(const struct search *search, unsigned operators);

#endif
