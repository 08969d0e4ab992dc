/* types.h - finds the types of parameters and results of functions. */
#ifndef TYPES_H
#define TYPES_H

#include "layout/parser.h"

/* A type of CUDA with two members, such as uint2. */
struct vector_type {
    const char *names;
    struct c_type type; /* of a member */
};

/* Finds such a type by its name. NULL if there is none. */
const struct vector_type *types_find_vector(const char *name, size_t length);

/* Finds an integer type in a text that ends at `end`: "static __device__ const int". If there is
 * another type, such as float, returns false, and its name. A type with 0 bits is auto, or none. */
bool types_find(const char *text, const char *end, struct c_type *type, const char **name,
                size_t *length);

/* Finds the types of the values of the function that is read, and stores them in the parser. Only
 * the loops of a function without a value may be over elements. */
void types_find_results(struct parser *parser);

#endif
