/* program.h - programs of steps that work on a stack of values, and their execution.
 *
 * The parser makes the steps. "row = i < 2 ? tid / 4 : 8" becomes
 *
 *     INPUT i, NUMBER 2, LESS, WHEN, INPUT tid, NUMBER 4, DIVIDE, UNLESS, NUMBER 8, SELECT,
 *     STORE row
 *
 * Each step runs at 64 points at once. WHEN and UNLESS guard the steps that follow: they make
 * 64-bit masks of the points where i < 2, and of the other points. An undefined result at a point
 * outside the guard's mask is not an error, because C does not evaluate the step there. "a ? b :
 * c", &&, || and "if" all use guards.
 *
 * Types are known when a step is made (C17 6.3.1, 6.5). Signed values are stored sign-extended to
 * 64 bits, unsigned values zero-extended. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "layout/arithmetic.h"
#include "layout/layouts.h"

#include <string.h>

/* The differences of a program from one in C with inputs of type int; a set. With
 * MAPPING_BITS_FIRST, & << >> have the precedence of *, and | ^ that of +, as in Go: --verify uses
 * it to find out whether only parentheses are missing. */
enum mapping_dialect { MAPPING_UNSIGNED_INPUTS = 1, MAPPING_BITS_FIRST = 2 };

static const struct c_type INT = {32, true};

static inline bool is_shift(int operation) {
    return operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT;
}

static inline bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Operations beside the operators of C: first those of Python and functions, which have two
 * operands. FLOOR and MODULO round down, CEILING is a quotient that is rounded up; the value of
 * BOTH_VALUE, "a and b", and of EITHER_VALUE is that of a or b. */
enum {
    FLOOR = C_OPERATORS,
    MODULO,
    POWER,
    BOTH_VALUE,
    EITHER_VALUE,
    CEILING,
    MINIMUM,
    MAXIMUM,
    NUMBER,
    INPUT,
    NAME,
    CAST,
    WHEN,
    UNLESS,
    SELECT,
    STORE
};

struct step {
    int operation;            /* a C operator, or one of the above */
    struct c_type type;       /* of the operands; for CAST, SELECT and STORE, of the result */
    const char *place, *text; /* the place in the text, and the whole text */
    int64_t number;           /* for NUMBER the value; for INPUT the axis; for NAME and STORE the
                                 variable */
    int slot;                 /* of the first operand and of the result; the other operands are in
                                 the next slots */
    int guard;                /* the slot with the condition that guards the step, and with the mask
                                 of its points; NONE for all points */
};

struct variable {
    char name[64];
    bool is_declared, is_const, has_value;
    bool is_typed;      /* a parameter that is an output: its type stays, as if declared */
    bool is_hidden;     /* its block has ended */
    bool is_read;       /* by the definition of another variable, or by a condition */
    bool varies;        /* its value may differ between points */
    struct c_type type; /* bits is 0 for auto before the first value */
};

/* A macro: its name and the text that replaces it; both lead into a text that is parsed. */
struct macro {
    const char *name, *body;
    size_t name_length, body_length;
    bool is_used; /* it is being replaced now, so that its name in its own body stays */
};

enum { STEPS_MAX = 2048, VARIABLES_MAX = 256, MACROS_MAX = 64, DEPTH_MAX = 256, NONE = -1 };

struct mapping_program {
    struct mapping_space from;
    bool is_unsigned;                                      /* inputs are unsigned */
    enum precedence { OF_C, OF_GO, OF_PYTHON } precedence; /* of operators */
    uint32_t count;                                        /* the number of steps */
    uint32_t variables;
    uint32_t macros;
    int slots;           /* the largest number in use at once */
    const char *comment; /* the first "//" after an operand that was read as a comment, or NULL */
    struct step step[STEPS_MAX];
    struct variable variable[VARIABLES_MAX];
    struct macro macro[MACROS_MAX];
};

/* A saved state of a program, from which a text can be read again. */
struct mark {
    uint32_t count, variables;
    struct variable variable[VARIABLES_MAX];
};

/* Makes an empty program whose inputs are the axes of `from`. NULL if out of memory. The caller
 * frees it with mapping_free(). */
struct mapping_program *mapping_program_make(const struct mapping_space *from, unsigned dialect);

/* The number of the variable with that name that is visible at the end of the program, or -1. */
int mapping_program_find(const struct mapping_program *program, const char *name);

/* The number of variables. */
uint32_t mapping_program_variables(const struct mapping_program *program);

/* The name of the first variable from number `first` on that is not one of `names` and that only
 * its own definition reads; NULL if there is none. */
const char *mapping_program_unused(const struct mapping_program *program, uint32_t first,
                                   const int *names, size_t count);

/* As mapping_program_find, for a name of `length` bytes. The names of an inner block hide those of
 * outer ones. */
int program_find(const struct mapping_program *program, const char *name, size_t length);

void program_save(const struct mapping_program *program, struct mark *mark);
void program_restore(struct mapping_program *program, const struct mark *mark);

/* Writes an error message, with the text around the place and a caret under it. */
void program_point_at(const char *text, const char *place, const char *what,
                      struct mapping_error *error);

/* The number of points at which a program is evaluated together. */
enum { MAPPING_POINTS = 64 };
struct mapping_points {
    uint64_t mask;                                         /* bit n: point n is evaluated */
    uint32_t coordinate[MAPPING_AXES_MAX][MAPPING_POINTS]; /* undefined for points outside the
                                                              mask */
};

/* Writes the points of a space from number `first` on. The mask has those that are in the space. */
void mapping_points_from(const struct mapping_space *space, size_t first,
                         struct mapping_points *points);

/* Evaluates a program as C does if int has 32 bits and long 64: values[k][n] is the value of
 * variable names[k] at point n. threadIdx.x is unsigned. MAPPING_INVALID, with a caret, if the
 * program is undefined at a point of the mask: overflow, division by zero, a shift by too many bits
 * or of a negative number to the left, a variable that is read before it has a value, or one of
 * `names` without a value at the end. *undefined is the first such point. */
enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const struct mapping_points *points, const int *names,
                                             size_t count, int64_t (*values)[MAPPING_POINTS],
                                             unsigned *undefined, struct mapping_error *error);

/* Runs all steps of a program whose result is the same at all points, and returns the value of a
 * slot; the value is arbitrary if it is undefined. */
int64_t program_run(const struct mapping_program *program, int slot);

#endif
