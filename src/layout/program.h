/* program.h - a program as it was read: what expression.c makes and evaluate.c executes. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "layout/expression.h"

/* Integers of C. What is smaller than int is a type of definitions and casts alone. */
struct c_type {
    uint8_t bits; /* 1 for bool, 8, 16, 32, 64 */
    bool is_signed;
};

enum node_kind {
    NODE_NUMBER,
    NODE_INPUT,     /* a coordinate: value is its axis */
    NODE_NAME,      /* what was defined: value is its number */
    NODE_KEPT,      /* the same, where an assignment under a condition does not happen */
    NODE_UNDEFINED, /* what a name is that was declared without a value */
    NODE_UNARY,
    NODE_BINARY,
    NODE_CONDITION, /* child[0] ? child[1] : child[2]; children stand before their parents */
    NODE_CAST,
    NODE_TABLE /* what depends on one axis alone, once that is tabulated: child[0] is the axis */
};

/* Operators of one letter are that letter. */
enum {
    SHIFT_LEFT = 'l',
    SHIFT_RIGHT = 'r',
    EQUAL = '=',
    UNEQUAL = 'n',
    AT_MOST = 'm',
    AT_LEAST = 'M',
    BOTH = 'a',
    EITHER = 'o'
};

struct node {
    enum node_kind kind;
    char operation;
    struct c_type type; /* of numbers, inputs and casts */
    uint16_t child[3];
    int64_t value;
    const char *place; /* in the text */
};

/* What a statement defines, and as which type; bits is 0 for that of the expression, or of the
 * value that the name has. */
struct statement {
    uint16_t name, node;
    struct c_type type;
    bool keeps_type;
    const char *text; /* of all statements that were read together */
};

enum { NODES_MAX = 2048, STATEMENTS_MAX = 256, NAMES_MAX = 64, NAME_LENGTH = 64, DEPTH_MAX = 256 };

struct mapping_program {
    struct mapping_space from;
    uint32_t lanes; /* threads of one warp */
    uint32_t nodes, statements, names;
    struct node node[NODES_MAX];
    struct statement statement[STATEMENTS_MAX];
    char name[NAMES_MAX][NAME_LENGTH]; /* of a name whose block has ended, OUT_OF_SCOPE and more */
    bool is_declared[NAMES_MAX];       /* with a type, or auto */
    struct c_type declared[NAMES_MAX]; /* as what; bits is 0 for auto, and without a type */
};

/* No name of C begins with it. */
#define OUT_OF_SCOPE '}'

/* Says what is wrong, with the part of the text around the place and a caret under it.
 * MAPPING_INVALID. */
enum mapping_status mapping_point_at(const char *text, const char *place, const char *what,
                                     struct mapping_error *error);

#endif
