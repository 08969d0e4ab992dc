/* attention_reading.h - the output O of an attention kernel in all runs, and the O of a right
 * kernel.
 *
 * A row is head * queries + query, whatever the layout of O in memory is. */
#ifndef PROBE_ATTENTION_READING_H
#define PROBE_ATTENTION_READING_H

#include "probe/attention_model.h"
#include "probe/computation.h"

/* The kinds of errors of an element of O in any run. */
enum {
    WRONG_V = 1,
    WRONG_MASK = 2,
    WRONG_SCALE = 4,
    NOT_A_NUMBER = 8,
    CHANGES = 16,
    UNWRITTEN = 32,
    ANY_WRONG = WRONG_V | WRONG_MASK | WRONG_SCALE
};

struct attention_reading {
    const struct plan *plan;
    const struct attention *of;
    const struct operand_memory *operand; /* the memory of O */
    struct number_reader reader;
    unsigned char **o; /* O of each run, as in memory */
    struct written *written;
    unsigned char *wrong; /* kinds of errors, by head, query and column */
    struct attention_inputs inputs;
    struct findings *findings;
};

/* Returns an element of O in a run, as a number or as its bits. */
double attention_o(const struct attention_reading *reading, size_t run, size_t row, uint32_t col);
uint64_t attention_o_bits(const struct attention_reading *reading, size_t run, size_t row,
                          uint32_t col);

/* Returns the element of O that a right kernel writes for a query that sees `seen` keys. `lower` of
 * these keys have lower scores than the others. */
double attention_right(const struct attention_reading *reading, size_t run, size_t row,
                       uint32_t col, uint32_t seen, uint32_t lower);

/* Returns the number of keys below `seen` for which V has a 1 in the column, in the two stages that
 * detect wrong masks. */
uint32_t attention_keys_with_1(enum attention_stage stage, uint32_t dim, uint32_t seen,
                               uint32_t col);

/* Returns the relative error that is allowed, because kernels may round probabilities and scores to
 * the type of V. */
double attention_tolerance(const struct attention_reading *reading, enum attention_stage stage);

/* True if the value differs by at most relative * |right| + absolute. */
bool attention_is_near(double value, double right, double relative, double absolute);
#define ATTENTION_NEARLY_0 1e-6

/* True if an element of the row has one of these kinds of errors. */
bool attention_row_has(const struct attention_reading *reading, size_t row, unsigned char kinds);

/* Adds a finding about all elements with one of these kinds of errors. It keeps `text`, which is in
 * the arena. */
void attention_add_finding(struct attention_reading *reading, const char *name, char *text,
                           bool is_explained, unsigned char kinds);

/* Tries the known mistakes (attention_mistakes.c): a model of each predicts O of all runs. Adds a
 * finding about those that fit. False if none fits. */
bool attention_try_mistakes(struct attention_reading *reading);

/* Returns the factor of all scores, measured by the weight of the lower scores in each row of the
 * last run. NAN if rows have different factors. */
double attention_factor(const struct attention_reading *reading);

#endif
