/* fit.h - fits formulae to the positions of the elements that a kernel reads.
 *
 * A sample is, for example: for the element of D in row 3, column 5, the kernel used k = 2 of row 7
 * of A. Each coordinate is fitted as a function of row, column, k and batch: one of these inputs, a
 * sum (row + 16), a rotation ((row + 5) % 48), an exclusive or of bits (col ^ (row & 7)), or a
 * table indexed by one input. If no function fits all samples, they are split by a condition on one
 * input, such as (row & 8) != 0 or k >= 32, and each part gets its own functions. */
#ifndef PROBE_FIT_H
#define PROBE_FIT_H

#include "system/system.h"

enum { FIT_INPUTS = 4, FIT_OUTPUTS = 5, FIT_BITS = 32, FIT_DEPTH = 3, FIT_PIECES = 1 << FIT_DEPTH };
#define FIT_NO_INPUT FIT_INPUTS
#define FIT_K 2     /* the input that numbers the terms of an element */
#define FIT_BATCH 3 /* the batch; it has few values */

struct sample {
    uint32_t in[FIT_INPUTS], out[FIT_OUTPUTS];
};

/* The inputs and outputs of samples. Each input has a size and a name; the size is 0 if there is no
 * such input. Each output has a size, and the input that it equals in a right kernel. */
struct fit_space {
    uint32_t in_size[FIT_INPUTS];
    const char *in_name[FIT_INPUTS];
    size_t outs;
    uint32_t out_size[FIT_OUTPUTS];
    unsigned right[FIT_OUTPUTS]; /* FIT_NO_INPUT if there is none */
    bool has_constants;          /* all functions are constants, which are 1 in a right kernel */
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
    unsigned axis; /* the input of all kinds except FUNCTION_SUM and FUNCTION_BITS */
    int64_t constant, factor[FIT_INPUTS]; /* FUNCTION_SUM: the constant and the coefficients;
                                             FUNCTION_ROTATE: only the constant */
    uint32_t modulus;                     /* FUNCTION_ROTATE */
    uint32_t base; /* FUNCTION_BITS: the constant; column[input][bit] is XORed with it for
                      each set bit */
    uint32_t column[FIT_INPUTS][FIT_BITS];
    uint32_t *table;
};

uint32_t function_value(const struct function *function, const uint32_t in[FIT_INPUTS]);

/* Sets values[k] to the value of the function at k, for k = 0 to in[FIT_K] - 1. */
void function_values(const struct function *function, const uint32_t in[FIT_INPUTS],
                     uint32_t values[]);

/* True if the value depends on an input. */
bool function_uses(const struct function *function, unsigned input);

/* Prints the function as a C expression, "col ^ 4". Prints only the first changes of a table: "k by
 * a table: 0 -> 3, 1 -> 4, ...". */
void function_print(struct printer *to, const struct fit_space *space,
                    const struct function *function);

/* A condition on one input, which selects a part of the samples. */
struct condition {
    unsigned axis;
    uint32_t bit, bound; /* bit: a mask with the bit that is tested; if it is 0, bound is the first
                            value of the upper part */
    bool is_upper;       /* true: the bit is set, or the value is at least the bound */
};
struct piece {
    struct condition condition[2 * FIT_INPUTS]; /* FIT_DEPTH when fitted; then each input can get
                                                   two bounds instead */
    size_t conditions;
    struct function out[FIT_OUTPUTS];
};

/* True if inputs meet all conditions of the piece. */
bool piece_has(const struct piece *piece, const uint32_t in[FIT_INPUTS]);

/* piece_has_apart ignores the conditions on one input. piece_depends_on is true if there are such
 * conditions. */
bool piece_has_apart(const struct piece *piece, const uint32_t in[FIT_INPUTS], unsigned axis);
bool piece_depends_on(const struct piece *piece, unsigned axis);

/* Returns the index of the first piece whose conditions the inputs meet; that of the last piece if
 * there is none. */
size_t piece_of(const struct piece *pieces, size_t parts, const uint32_t in[FIT_INPUTS]);

/* Narrows the conditions on an input to the range in which the functions of the piece are wrong.
 * Does nothing if there are several such ranges. "row & 55 where row < 9" becomes "0 where row ==
 * 8", because row & 55 is row below 8. */
void piece_tighten(struct piece *piece, const struct fit_space *space);

/* True if the functions of the piece are those of a right kernel. */
bool piece_is_right(const struct piece *piece, const struct fit_space *space);

/* Prints the condition of a piece: " where row >= 64 and (k & 8) == 0"; nothing if it has none. */
void piece_print(struct printer *to, const struct fit_space *space, const struct piece *piece);

/* True if a right kernel gives this sample. */
bool sample_is_right(const struct fit_space *space, const struct sample *sample);

/* Finds functions for all samples, which it may reorder. Fits each output by itself. Returns the
 * number of pieces, or 0 if no functions fit. Step n permits 2^n pieces, up to FIT_DEPTH. The last
 * two steps permit tables of one input, with one piece and then with two. */
enum { FIT_STEPS = FIT_DEPTH + 3 };
size_t fit_step(const struct fit_space *space, struct sample *samples, size_t count, size_t step,
                struct piece pieces[FIT_PIECES]);

/* Tries all steps in their order. Returns the number of pieces of the first step that fits, or 0.
 */
size_t fit_samples(const struct fit_space *space, struct sample *samples, size_t count,
                   struct piece pieces[FIT_PIECES]);

/* Fits sample[FIT_INPUTS] as a sum of factor[a] * sample[a] and a constant, by linear least squares
 * (normal equations). Sets the mean of each number of the samples, too; the constant is the mean of
 * the sum minus those of its terms. The factor of an input that does not vary is 0. */
void fit_line(const double (*samples)[FIT_INPUTS + 1], size_t count, double factor[FIT_INPUTS],
              double mean[FIT_INPUTS + 1]);

/* Puts samples into a random order. */
void fit_shuffle(struct sample *samples, size_t count);

#endif
