/* triton_text.h - parses the text of Triton's layouts; see triton_layout.h. */
#ifndef TRITON_TEXT_H
#define TRITON_TEXT_H

#include "layout/layouts.h"

/* The largest number of dimensions of a tensor, and that of the parent of a slice. */
enum { TRITON_RANK = 3, TRITON_DIMS = TRITON_RANK + 2 };

enum triton_kind {
    TRITON_LINEAR,
    TRITON_BLOCKED,
    TRITON_MMA,
    TRITON_DOT,
    TRITON_SLICE,
    TRITON_REGISTERS_END, /* kinds before this one are of registers, those after it of shared
                             memory */
    TRITON_SWIZZLED,
    TRITON_NVMMA,
    TRITON_PADDED,
    TRITON_SHARED_LINEAR,
    TRITON_SHARED_END,
    TRITON_TENSOR_MEMORY,
    TRITON_SCALES,
    TRITON_OTHER /* exists, but is not read */
};

enum { TRITON_NUMBERS = 160, TRITON_VALUES = 12, TRITON_NESTED = 5 };

/* A value of an attribute: a number, a list of numbers, or lists of `width` numbers each. */
struct triton_value {
    char key[24];
    uint32_t count, width, number[TRITON_NUMBERS];
};

struct triton_attribute {
    enum triton_kind kind;
    char name[32]; /* "blocked" */
    uint32_t count;
    struct triton_value value[TRITON_VALUES];
};

/* An attribute, followed by its parent, the parent's parent and so on; and what the type states
 * about the tensor. */
struct triton_text {
    uint32_t rank, shape[TRITON_DIMS]; /* rank 0 if there is no type */
    char type[24];                     /* "f16", the element type; "" if there is no type */
    uint32_t depth;
    struct triton_attribute attribute[TRITON_NESTED];
};

/* True if a text is meant as such an attribute or type, or as the name of one, "#mma". */
bool mapping_triton_is_meant(const char *text);

/* The kind of the outermost attribute of such a text; TRITON_OTHER for a name. */
enum triton_kind mapping_triton_kind(const char *text);

/* The attribute in a text, without a "#name =" before it; NULL if the text is a type or just a
 * name. */
const char *mapping_triton_untyped(const char *text);

/* Reads such a text. MAPPING_INVALID with a message if it is malformed. */
enum mapping_status mapping_triton_read(const char *text, struct triton_text *read,
                                        struct mapping_error *error);

/* The value with that name; `names` may list several, separated by blanks. NULL if there is none.
 */
const struct triton_value *mapping_triton_value(const struct triton_attribute *attribute,
                                                const char *names);

/* The size in bits of an element of that type; 0 if the type is unknown. */
uint32_t mapping_triton_bits(const char *type);

#endif
