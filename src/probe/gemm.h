/* gemm.h - findings about a kernel that should compute a matrix product, D = A B. */
#ifndef PROBE_GEMM_H
#define PROBE_GEMM_H

#include "probe/problem.h"

/* ---- Findings: gemm.c ---- */

/* What D showed in all runs so far. */
struct multiplied;
struct multiplied *multiplied_begin(const struct plan *plan);

/* Reads D of a run. False if it holds what it held before the run. */
bool multiplied_take(struct multiplied *multiplied, size_t run, const void *d);

void multiplied_end(struct multiplied *multiplied, struct findings *findings);

/* ---- Inputs: gemm_plan.c ---- */

/* Sets the runs of a plan. */
void gemm_plan(struct plan *plan);

/* The stage that a run is of, and its index in the stage: for digits those of A, then those of B.
 */
enum gemm_stage gemm_stage(const struct plan *plan, size_t run, size_t *index);

/* Makes A or B of a run, and what D holds before it. */
void gemm_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);
uint64_t gemm_poison(const struct plan *plan, size_t run);

/* ---- Inputs of proof runs ---- */

/* The units that elements of A or B are counted in: 1/2 for e2m1, else 1. */
double gemm_unit(enum mapping_type type);

/* Makes the elements of A or B in proof run r, in units: A by row and k, B by column and k, without
 * padding. */
void gemm_integers(const struct plan *plan, size_t run, enum probe_role role, int16_t *elements);

/* What C and the bias add to an element in proof run r, in units of alpha; in all other runs they
 * are 0. C alone, by row and column; the bias by its index. */
double gemm_c(const struct plan *plan, size_t run, uint32_t row, uint32_t col);
double gemm_bias(const struct plan *plan, size_t run, uint32_t index);

/* ---- Inputs of locating runs ---- */

/* Which elements are selected: those of one row of A and one column of B have one k in common. */
struct selection_of_k {
    const struct plan *plan;
    uint64_t stream;
    uint32_t classes;
    uint32_t *place; /* of each k: its class is place % classes */
    uint32_t *k_at;  /* the k with a place */
    uint32_t *class_of_col;
};
struct selection_of_k gemm_select(const struct plan *plan, uint64_t stream);

/* The k that the row of A and the column of B have in common. */
uint32_t gemm_selected_k(const struct selection_of_k *selection, uint32_t row, uint32_t col);

/* The n-th number that stands for a digit, of `count` digits: one that A, B, the accumulator and D
 * all hold. The digit of a number is `count` if it is none. */
struct gemm_digits {
    uint32_t count;
    bool is_integer;
    enum mapping_type type;
    int least, mantissa; /* of floats: the first exponent, and bits behind the point */
};
struct gemm_digits gemm_digits(const struct plan *plan, enum probe_role role);
uint32_t gemm_digit_of(const struct gemm_digits *digits, double value);

/* Addresses are counted in an order that looks random: address e of `count` is
 * rank * inverse % count. */
uint64_t gemm_inverse(uint64_t count);

/* The number that the value run of an operand has at an address, as an element. */
uint64_t gemm_random_element(enum mapping_type type, uint64_t address);

/* ---- Which elements of A were multiplied with which of B: gemm_locate.c ---- */

/* The results of the locating runs for each element of D, by row and column. */
struct located {
    const struct plan *plan;
    unsigned char *terms;      /* how many of the selected terms it has; TERMS_BAD if no number */
    unsigned char *is_garbage; /* a digit is none, so addresses are unknown */
    uint32_t *rank[2];         /* digits so far, of A and B */
    struct gemm_digits digits[2];
    uint64_t inverse[2]; /* from ranks to addresses */
};
enum { TERMS_BAD = 255 };

struct located *located_begin(const struct plan *plan);

/* Notes D of an element in a locating run, the stage and the index of the run. */
void located_take(struct located *located, enum gemm_stage stage, size_t index, size_t element,
                  double d);

/* D of proof run 0 of any element, in units. */
typedef double proof_value(const void *context, uint32_t row, uint32_t col);

/* Finds formulae, and compares what they predict of proof run 0 with D. False if none is found, or
 * if nothing is wrong with which elements meet. */
bool located_end(const struct located *located, proof_value *value, const void *context,
                 const unsigned char *is_wrong, struct findings *findings);

#endif
