/* fit.h - fits formulae to the places from which a kernel takes its elements.
 *
 * A sample is, for example: for the element of D in row 3, column 5, the kernel used k = 2 of row 7
 * of A. Each coordinate is fitted as a function of row, column, k and batch: the coordinate itself,
 * a sum (row + 16), an exclusive or of bits (col ^ (row & 7)), or a table of one of them. If no
 * function fits all samples, they are divided by a bit or a bound of row, column, k or batch, and
 * each part gets its own function. */
#ifndef PROBE_FIT_H
#define PROBE_FIT_H

#include "system/system.h"

enum { FIT_INPUTS = 4, FIT_OUTPUTS = 5, FIT_BITS = 32, FIT_DEPTH = 3, FIT_PIECES = 1 << FIT_DEPTH };
#define FIT_NO_INPUT FIT_INPUTS
#define FIT_K 2     /* the input that numbers the terms of an element */
#define FIT_BATCH 3 /* the input that is the batch; it has few values */

struct sample {
    uint32_t in[FIT_INPUTS], out[FIT_OUTPUTS];
};

/* The variables of samples: the sizes and names of the inputs, of which some may be missing (0);
 * and for each output its bound, and the input that it equals in a right kernel. */
struct fit_space {
    uint32_t in_size[FIT_INPUTS];
    const char *in_name[FIT_INPUTS];
    size_t outs;
    uint32_t out_size[FIT_OUTPUTS];
    unsigned right[FIT_OUTPUTS]; /* FIT_NO_INPUT if there is none */
    bool has_constants;          /* functions are constants; 1 in a right kernel */
};

enum function_kind {
    FUNCTION_SAME,   /* row */
    FUNCTION_SUM,    /* row * 64 + col - 3 */
    FUNCTION_ROTATE, /* (row + 5) % 48 */
    FUNCTION_BITS,   /* col ^ ((row & 7) << 3) */
    FUNCTION_TABLE
};

struct function {
    enum function_kind kind;
    unsigned axis; /* the input, except for FUNCTION_SUM and FUNCTION_BITS */
    int64_t constant,
        factor[FIT_INPUTS]; /* FUNCTION_SUM: the coefficients; FUNCTION_ROTATE: `constant` */
    uint32_t modulus;       /* FUNCTION_ROTATE */
    uint32_t base;          /* FUNCTION_BITS: the constant, and the contribution of each bit */
    uint32_t column[FIT_INPUTS][FIT_BITS];
    uint32_t *table;
};

uint32_t function_value(const struct function *function, const uint32_t in[FIT_INPUTS]);

/* The values for all k from 0 to in[FIT_K] - 1. */
void function_values(const struct function *function, const uint32_t in[FIT_INPUTS],
                     uint32_t values[]);

/* True if the value depends on an input. */
bool function_uses(const struct function *function, unsigned input);

/* Prints the function as an expression of C, "col ^ 4"; a table as its first changes, "0 -> 3, 1 ->
 * 4, ...". */
void function_print(struct printer *to, const struct fit_space *space,
                    const struct function *function);

/* A condition that selects a part of all samples. */
struct condition {
    unsigned axis;
    uint32_t bit, bound; /* a mask with one bit; if it is 0, the first value of the upper part */
    bool is_upper;       /* true: the bit is set, or the value is at least the bound */
};
struct piece {
    struct condition condition[FIT_DEPTH + 2]; /* two more conditions can bound k; see
                                                  gemm_locate.c */
    size_t conditions;
    struct function out[FIT_OUTPUTS];
};

/* True if the point is in the piece. */
bool piece_has(const struct piece *piece, const uint32_t in[FIT_INPUTS]);

/* The same, apart from conditions on one input; and true if there are such. */
bool piece_has_apart(const struct piece *piece, const uint32_t in[FIT_INPUTS], unsigned axis);
bool piece_depends_on(const struct piece *piece, unsigned axis);

/* The first piece that contains the point; the last one if no other does. */
size_t piece_of(const struct piece *pieces, size_t parts, const uint32_t in[FIT_INPUTS]);

/* True if a right kernel has the functions of the piece. */
bool piece_is_right(const struct piece *piece, const struct fit_space *space);

/* Prints the condition of a piece: " where row >= 64 and (k & 8) == 0"; nothing if it has none. */
void piece_print(struct printer *to, const struct fit_space *space, const struct piece *piece);

/* True if the sample is right. */
bool sample_is_right(const struct fit_space *space, const struct sample *sample);

/* Finds functions for all samples, which may be reordered. Returns the number of pieces, 0 if no
 * functions fit. Outputs are fitted one by one. Step n permits 2^n pieces; only the last steps
 * permit tables of one input. */
enum { FIT_STEPS = FIT_DEPTH + 3 };
size_t fit_step(const struct fit_space *space, struct sample *samples, size_t count, size_t step,
                struct piece pieces[FIT_PIECES]);

/* Finds functions with as few pieces as possible. */
size_t fit_samples(const struct fit_space *space, struct sample *samples, size_t count,
                   struct piece pieces[FIT_PIECES]);

/* Puts samples into a random order. */
void fit_shuffle(struct sample *samples, size_t count);

#endif
