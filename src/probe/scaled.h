/* scaled.h - scale factors of blocks of A and B, in any layout of smem/scales.h.
 *
 * D is the sum over k of SFA(row, k / block) A(row, k) SFB(col, k / block) B(k, col). All factors
 * in the inputs are powers of two. In proof runs (gemm_plan.c), an element times its factor is a
 * random integer, so sums are as exact as without factors; see scaled.c. */
#ifndef PROBE_SCALED_H
#define PROBE_SCALED_H

#include "probe/problem.h"

/* ---- The factors of runs: scaled.c ---- */

/* Returns the offset of the factor for an element of A (side 0; line is its row) or B (side 1; line
 * is its column). */
uint32_t scaled_offset(const struct problem *problem, unsigned side, uint32_t line, uint32_t k);

/* The factors of proof runs are 2^e, where e is `least` to least + count - 1. Without factors, e is
 * 0. */
struct scaled_range {
    int least;
    uint32_t count;
};
struct scaled_range scaled_range(const struct problem *problem, unsigned side);

/* Returns the exponent of the factor of an element in a proof run. */
int scaled_exponent(const struct problem *problem, size_t run, unsigned side, uint32_t line,
                    uint32_t k);

/* Returns the encoding of the offsets of factors in locating runs. Its digits are the factors 2^-3
 * to 2^4. */
struct addresses scaled_addresses(const struct problem *problem, unsigned side);

/* Fills an array with SFA (side 0) or SFB (side 1): with the factors of proof run `index`, with NaN
 * in the padding or without; with all factors 1; or with digit `index` of their offsets. */
enum scaled_fill { FACTORS_PROOF, FACTORS_NO_NAN, FACTORS_ONE, FACTORS_DIGIT };
void scaled_fill(const struct plan *plan, unsigned side, enum scaled_fill with, size_t index,
                 void *array);

/* Sets *bits to the factor that represents a value. False if the value is not a power of two. */
bool scaled_find(enum mapping_type type, double value, uint64_t *bits);

/* Returns the number that a factor represents. */
double scaled_value(enum mapping_type type, uint64_t bits);

/* ---- The factors that a kernel used: scaled_locate.c ---- */

/* A sample of the elements of D, in the runs of GEMM_SCALES. */
struct scaled;
struct scaled *scaled_begin(const struct plan *plan);

/* Sets the position of sample n in D; false if there is none. scaled_take records it in run
 * `index`. */
bool scaled_sample(const struct scaled *scaled, size_t n, uint32_t at[2]);
void scaled_take(struct scaled *scaled, size_t index, size_t n, double d);

/* Returns an element of A B in proof run 0, in units. */
typedef double scaled_proof(const void *context, uint32_t row, uint32_t col);

/* Adds findings about the layouts with which the kernel reads factors. With `has_formulae`, fits
 * formulae where no layout matches; without a formula, the finding lists the first wrong factors.
 * Layouts and formulae count only if their prediction of proof run 0 agrees with D. False if
 * nothing is found, or if the kernel uses the right factors. */
bool scaled_end(struct scaled *scaled, bool has_formulae, scaled_proof *value, const void *context,
                const unsigned char *is_wrong, struct findings *findings);

#endif
