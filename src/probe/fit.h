/* fit.h - fits formulae to the places from which a kernel takes its elements.
 *
 * A sample says, for example, that the element of D in row 3, column 5 was made with k = 2 of row 7
 * of A. Each coordinate is fitted as a function of row, column, k and batch: the coordinate itself,
 * a sum (row + 16), an exclusive or of bits (col ^ (row & 7)), or a table of one of them. If no
 * function fits all samples, they are divided at a bit or a bound of row, column, k or batch. */
#ifndef PROBE_FIT_H
#define PROBE_FIT_H

#include "system/system.h"

enum { FIT_INPUTS = 4, FIT_OUTPUTS = 5, FIT_BITS = 32, FIT_DEPTH = 3, FIT_PIECES = 1 << FIT_DEPTH };
#define FIT_NO_INPUT FIT_INPUTS
#define FIT_K 2     /* the input that counts the terms of an element */
#define FIT_BATCH 3 /* the input that numbers batches; it has few values */

struct sample {
    uint32_t in[FIT_INPUTS], out[FIT_OUTPUTS];
};

/* The variables of samples: the sizes and names of the inputs, of which some may be absent (0), and
 * for each output its bound and the input that it is in a right kernel. */
struct fit_space {
    uint32_t in_size[FIT_INPUTS];
    const char *in_name[FIT_INPUTS];
    size_t outs;
    uint32_t out_size[FIT_OUTPUTS];
    unsigned right[FIT_OUTPUTS]; /* FIT_NO_INPUT: none */
    bool has_constants;          /* functions are constants, in a right kernel 1 */
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
    unsigned axis; /* the input of all but FUNCTION_SUM and FUNCTION_BITS */
    int64_t constant,
        factor[FIT_INPUTS]; /* of FUNCTION_SUM; the constant of FUNCTION_ROTATE, too */
    uint32_t modulus;       /* of FUNCTION_ROTATE */
    uint32_t base;          /* of FUNCTION_BITS, and what each bit contributes */
    uint32_t column[FIT_INPUTS][FIT_BITS];
    uint32_t *table;
};

uint32_t function_value(const struct function *function, const uint32_t in[FIT_INPUTS]);

/* The values at the k from 0 to before in[FIT_K]. */
void function_values(const struct function *function, const uint32_t in[FIT_INPUTS],
                     uint32_t values[]);

/* True if the value depends on an input. */
bool function_uses(const struct function *function, unsigned input);

/* Writes it as an expression of C, "col ^ 4"; a table as its first changes, "0 -> 3, 1 -> 4, ...".
 */
void function_print(struct printer *to, const struct fit_space *space,
                    const struct function *function);

/* A part of all samples. */
struct condition {
    unsigned axis;
    uint32_t bit,
        bound;     /* a mask of one bit; or, if that is 0, the first value of the upper part */
    bool is_upper; /* the bit is set, or the value is not below the bound */
};
struct piece {
    struct condition condition[FIT_DEPTH + 2]; /* two more bound k; see gemm_locate.c */
    size_t conditions;
    struct function out[FIT_OUTPUTS];
};

/* True if the point is of the piece. */
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

/* True if a right kernel has the sample. */
bool sample_is_right(const struct fit_space *space, const struct sample *sample);

/* Finds functions for all samples, which may be reordered; returns how many pieces there are, 0 if
 * none fit. Outputs are fitted one by one. Step n allows 2^n pieces; tables of one input are for
 * the last steps. */
enum { FIT_STEPS = FIT_DEPTH + 3 };
size_t fit_step(const struct fit_space *space, struct sample *samples, size_t count, size_t step,
                struct piece pieces[FIT_PIECES]);

/* The same, with as few pieces as possible. */
size_t fit_samples(const struct fit_space *space, struct sample *samples, size_t count,
                   struct piece pieces[FIT_PIECES]);

/* Brings samples into a random order. */
void fit_shuffle(struct sample *samples, size_t count);

#endif
