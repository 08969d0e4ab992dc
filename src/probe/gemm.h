/* gemm.h - a matrix product, D = A B: the inputs of its runs, and the search for the elements that
 * a wrong kernel multiplies. */
#ifndef PROBE_GEMM_H
#define PROBE_GEMM_H

#include "probe/problem.h"

/* ---- Inputs: gemm_plan.c ---- */

/* The runs of a product, in this order. The locating runs begin with GEMM_CANARIES. GEMM_PLAIN and
 * GEMM_SCALES exist only with scale factors. */
enum gemm_stage {
    GEMM_PROOF,    /* random integers */
    GEMM_REPEAT,   /* the first run again */
    GEMM_VALUES,   /* two runs: each element of D is one element of A, then one of B */
    GEMM_CANARIES, /* run 0 again, with canaries only in padding, or guard rows, of one operand */
    GEMM_COUNT,    /* each element of D is the number of its terms */
    GEMM_DIGITS,   /* D has digits of the addresses in A, then in B */
    GEMM_PLAIN,    /* run 0 again, with all scale factors 1 */
    GEMM_SCALES,   /* D has digits of the addresses in SFA, then in SFB; see scaled.c */
};

/* Sets the runs of a plan. */
void gemm_plan(struct plan *plan);

/* The stage of a run, and the index of the run in the stage. */
static inline enum gemm_stage gemm_stage(const struct plan *plan, size_t run, size_t *index) {
    return (enum gemm_stage)plan_stage(plan, run, index)->kind;
}

/* Returns the operand that holds digits in run *index of GEMM_DIGITS or GEMM_SCALES. Sets *index to
 * the index of the digit. */
enum probe_role gemm_coded(const struct plan *plan, enum gemm_stage stage, size_t *index);

/* Memory outside of the elements of A, B or C: the padding of each row, or guard rows. gemm_outside
 * finds such a place by its index. False if there are not as many places. */
struct outside {
    enum probe_role role;
    bool is_guard;
};
bool gemm_outside(const struct plan *plan, size_t index, struct outside *outside);

/* True if canaries of this type are NaN; other types have no NaN. */
bool gemm_has_nan(enum mapping_type type);

/* gemm_fill fills an array with an operand of a run, except D. gemm_poison returns the element that
 * fills D before a run. */
void gemm_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);
uint64_t gemm_poison(const struct plan *plan, size_t run);

/* ---- Batches ---- */

/* Returns the row of A, or the column of B, from which D(row, col) is computed. `row` counts the
 * rows of all batches. The result also counts those of all batches, unless all batches share the
 * operand. */
static inline uint32_t gemm_line(const struct problem *problem, enum probe_role role, uint32_t row,
                                 uint32_t col) {
    const bool is_shared = problem->operand[role].batches == 1;
    if (problem->batches == 1)
        return role == PROBE_A ? row : col;
    if (role == PROBE_A)
        return is_shared ? row % problem->m : row;
    return is_shared ? col : row / problem->m * problem->n + col;
}

/* Returns the number of rows of D in all batches. */
static inline uint32_t gemm_rows(const struct problem *problem) {
    return problem->batches * problem->m;
}

/* Returns the number of rows of A, or columns of B, in all batches. */
static inline uint32_t gemm_lines(const struct problem *problem, enum probe_role role) {
    return problem->operand[role].batches * (role == PROBE_B ? problem->n : problem->m);
}

/* Adds an element of D to a finding. `row` counts the rows of all batches. */
static inline void gemm_note(const struct problem *problem, struct finding *finding, uint32_t row,
                             uint32_t col) {
    finding_note_of(finding, row % problem->m, col, row / problem->m);
}

/* ---- Inputs of proof runs ---- */

/* The unit of an element of A or B times its scale factor: 1/2 for e2m1, otherwise 1. */
double gemm_unit(enum mapping_type type);

/* Sets `elements` to the elements of A or B times their scale factors in proof run r, in units: A
 * by row and k, B by column and k, without padding. */
void gemm_integers(const struct plan *plan, size_t run, enum probe_role role, int16_t *elements);

/* Returns the sum of the products of `depth` integers of A and B. */
int64_t gemm_dot(const int16_t *a, const int16_t *b, uint32_t depth);

/* Return the contribution of C, by row and column, or of the bias, by index, to an element of D in
 * proof run r, divided by alpha. It is 0 if the problem has no C or no bias. */
double gemm_c(const struct plan *plan, size_t run, uint32_t row, uint32_t col);
double gemm_bias(const struct plan *plan, size_t run, uint32_t index);

/* ---- Inputs of locating runs ---- */

/* The elements of A and B that are selected; the others are 0. For each row of A and column of B,
 * exactly one k is selected in both, so each element of D has one term. */
struct selection_of_k {
    const struct plan *plan;
    uint64_t stream;
    uint32_t classes, depth; /* depth: number of k that may be selected */
    uint32_t *place;         /* the class of k is place[k] % classes; UINT32_MAX if k has no
                                class */
    uint32_t *k_at;          /* the k at each place */
    uint32_t *class_of_col;
};
struct selection_of_k gemm_select(const struct plan *plan, uint64_t stream, bool is_focused);

/* Returns the k that is selected in both the row of A and the column of B, for an element of D. */
uint32_t gemm_selected_k(const struct selection_of_k *selection, uint32_t row, uint32_t col);

/* True if an element of A or B is selected. Rows of A, and columns of B, are counted in all
 * batches.
 */
bool gemm_is_selected(const struct selection_of_k *selection, enum probe_role role, uint32_t line,
                      uint32_t k);

/* Returns the element of A or B at an address in the value run of this operand. */
uint64_t gemm_random_element(enum mapping_type type, uint64_t address);

/* ---- The k at which a product is wrong: gemm_energy.c ---- */

struct energies {
    double *of[2]; /* by k; of[0] comes from sums of rows of D, of[1] from sums of columns */
    size_t runs;
};

/* Sets `values` to a row of A B, computed from D of a proof run, in units. False if a value cannot
 * be a sum of products. */
typedef bool product_row(const void *context, uint32_t row, double *values);

/* Adds the energies of a wrong D of one batch, given the integers of its A and B. Does nothing if K
 * is small, or after a few runs. */
void energies_add(struct energies *energies, const struct problem *problem, const int16_t *a,
                  const int16_t *b, product_row *row_of, const void *context);

/* Returns the k at which terms are wrong, in ascending order, and sets *count to their number.
 * *count is 0 if no k stands out, or if too many do. */
uint32_t *energies_end(const struct energies *energies, uint32_t depth, uint32_t *count);

/* ---- Wrong numbers: gemm_sums.c ---- */

enum { WRONG = 1 }; /* an element of D is wrong in a proof run */

/* Explains the wrong elements of D by wrong numbers, given D of proof run 0. `wrong` has kinds of
 * errors, by row and column. Adds a finding and returns true if one mistake explains all of them.
 */
bool sums_explain(const struct plan *plan, const void *d, const unsigned char *wrong,
                  struct findings *findings);

/* ---- Which elements of A were multiplied by which of B: gemm_locate.c ---- */

/* The results of the locating runs for each element of D, by row and column. Rows of all batches
 * are counted one after the other. */
struct terms;
struct terms *terms_begin(const struct plan *plan, bool is_focused);

/* Records an element of D in a locating run, given by its stage and index. */
void terms_take(struct terms *terms, enum gemm_stage stage, size_t index, size_t element, double d);

/* Ignores an element of D from now on, because the kernel never wrote it. */
void terms_ignore(struct terms *terms, size_t element);

/* True if an element of D in proof run 0 agrees with this value of A B, in units. With NaN, only an
 * infinite or NaN element agrees. */
typedef bool proof_agrees(const void *context, uint32_t row, uint32_t col, double product);

/* Adds findings about the elements that the kernel multiplied. Formulae count only if their
 * prediction of proof run 0 agrees with D; without such a formula, the finding lists the first
 * wrong terms. False if the kernel multiplied the right elements. */
bool terms_end(const struct terms *terms, proof_agrees *agrees, const void *context,
               const unsigned char *is_wrong, struct findings *findings);

#endif
