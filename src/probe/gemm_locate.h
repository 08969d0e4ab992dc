/* gemm_locate.h - finds out which elements of A were multiplied with which of B. */
#ifndef PROBE_GEMM_LOCATE_H
#define PROBE_GEMM_LOCATE_H

#include "probe/gemm_plan.h"

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
