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

/* Finds an integer type in a text that ends at `end`: "static __device__ const int". For
 * another type, such as float, sets *name and *length, and returns false. For auto, or for no type,
 * sets a type of 0 bits. */
bool types_find(const char *text, const char *end, struct c_type *type, const char **name,
                size_t *length);

/* Finds the types of the values of the function that is read, and stores them in the parser. A
 * loop over elements is allowed only in a function that returns no value. */
void types_find_results(struct parser *parser);

#endif
