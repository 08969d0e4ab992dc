/* gemm.h - the inputs of a matrix product, D = A B, and the positions of the elements that a
 * wrong kernel multiplies. */
#ifndef PROBE_GEMM_H
#define PROBE_GEMM_H

#include "probe/problem.h"

/* ---- Inputs: gemm_plan.c ---- */

/* The runs of a product, in this order. */
enum gemm_stage {
    GEMM_PROOF,    /* random integers */
    GEMM_REPEAT,   /* the first run again */
    GEMM_VALUES,   /* two runs: D has every value of A, then of B */
    GEMM_CANARIES, /* locating: run 0, with canaries only in padding or guard rows of A, B or C; */
    GEMM_COUNT,    /* how many terms each element of D has, */
    GEMM_DIGITS,   /* and digits of the addresses in A, then in B; */
    GEMM_PLAIN,    /* with scale factors: the first run with all factors 1, */
    GEMM_SCALES,   /* and digits of the addresses in SFA, then in SFB; see scaled.c */
};

/* Sets the runs of a plan. */
void gemm_plan(struct plan *plan);

/* The stage of a run, and the index of the run in the stage. */
static inline enum gemm_stage gemm_stage(const struct plan *plan, size_t run, size_t *index) {
    return (enum gemm_stage)plan_stage(plan, run, index)->kind;
}

/* The operand that has digits in a run of GEMM_DIGITS or GEMM_SCALES; the index becomes that of the
 * digit. */
enum probe_role gemm_coded(const struct plan *plan, enum gemm_stage stage, size_t *index);

/* A place outside of A, B or C: padding of each row, or guard rows. False if there is no place with
 * this index. */
struct outside {
    enum probe_role role;
    bool is_guard;
};
bool gemm_outside(const struct plan *plan, size_t index, struct outside *outside);

/* True if canaries in this type are NaN. */
bool gemm_has_nan(enum mapping_type type);

/* Makes A, B or the initial D for a run. */
void gemm_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);
uint64_t gemm_poison(const struct plan *plan, size_t run);

/* ---- Batches ---- */

/* The rows of D of all batches have consecutive numbers. Returns the row of A, or the column of B,
 * for an element of D, numbered in the same way, unless all batches share A or B. */
static inline uint32_t gemm_line(const struct problem *problem, enum probe_role role, uint32_t row,
                                 uint32_t col) {
    const bool is_shared = problem->operand[role].batches == 1;
    if (problem->batches == 1)
        return role == PROBE_A ? row : col;
    if (role == PROBE_A)
        return is_shared ? row % problem->m : row;
    return is_shared ? col : row / problem->m * problem->n + col;
}

/* The number of rows of D in all batches. */
static inline uint32_t gemm_rows(const struct problem *problem) {
    return problem->batches * problem->m;
}

/* The number of rows of A, or columns of B, in all batches. */
static inline uint32_t gemm_lines(const struct problem *problem, enum probe_role role) {
    return problem->operand[role].batches * (role == PROBE_B ? problem->n : problem->m);
}

/* Adds an element of D to a finding. */
static inline void gemm_note(const struct problem *problem, struct finding *finding, uint32_t row,
                             uint32_t col) {
    finding_note_of(finding, row % problem->m, col, row / problem->m);
}

/* ---- Inputs of proof runs ---- */

/* The unit of an element of A or B times its scale factor: 1/2 for e2m1, otherwise 1. */
double gemm_unit(enum mapping_type type);

/* Makes the elements of A or B times their scale factors in proof run r, in units: A by row and k,
 * B by column and k, without padding. */
void gemm_integers(const struct plan *plan, size_t run, enum probe_role role, int16_t *elements);

/* The sum of the products of `depth` integers of A and B. */
int64_t gemm_dot(const int16_t *a, const int16_t *b, uint32_t depth);

/* The contribution of C, by row and column, or of the bias, by index, to an element of D in proof
 * run r, in units of alpha. It is 0 in all other runs. */
double gemm_c(const struct plan *plan, size_t run, uint32_t row, uint32_t col);
double gemm_bias(const struct plan *plan, size_t run, uint32_t index);

/* ---- Inputs of locating runs ---- */

/* The selected elements. Each row of A and each column of B have exactly one selected k in common.
 */
struct selection_of_k {
    const struct plan *plan;
    uint64_t stream;
    uint32_t classes, depth; /* depth: number of k that may be selected */
    uint32_t *place;         /* the class of k is place[k] % classes; UINT32_MAX means that k has no
                                class */
    uint32_t *k_at;          /* the k at each place */
    uint32_t *class_of_col;
};
struct selection_of_k gemm_select(const struct plan *plan, uint64_t stream, bool is_focused);

/* The selected k that a row of A and a column of B have in common. */
uint32_t gemm_selected_k(const struct selection_of_k *selection, uint32_t row, uint32_t col);

/* The number that the value run of an operand has at an address, as an element. */
uint64_t gemm_random_element(enum mapping_type type, uint64_t address);

/* ---- The k at which a product is wrong: gemm_energy.c ---- */

struct energies {
    double *of[2]; /* by k; for rows and for columns of D */
    size_t runs;
};

/* Computes a row of D in a proof run, in units. False if a number cannot be a sum. */
typedef bool product_row(const void *context, uint32_t row, double *values);

/* Adds the energies of a wrong D of one batch, given the integers of its A and B. */
void energies_add(struct energies *energies, const struct problem *problem, const int16_t *a,
                  const int16_t *b, product_row *row_of, const void *context);

/* The k at which terms are wrong, in ascending order. None if there are many. */
uint32_t *energies_end(const struct energies *energies, uint32_t depth, uint32_t *count);

/* ---- Which elements of A were multiplied by which of B: gemm_locate.c ---- */

/* What the locating runs say of each element of D, by row and column. Rows of all batches are
 * counted one after the other. */
struct terms;
struct terms *terms_begin(const struct plan *plan, bool is_focused);

/* Records an element of D in a locating run, given by its stage and index. */
void terms_take(struct terms *terms, enum gemm_stage stage, size_t index, size_t element, double d);

/* True if an element of D in proof run 0 is correct for this value of A B, in units. NaN means that
 * the value is unknown. */
typedef bool proof_agrees(const void *context, uint32_t row, uint32_t col, double product);

/* Finds formulae, and compares their prediction of D in proof run 0 with D. False if no formula is
 * found, or if the right elements are multiplied. */
bool terms_end(const struct terms *terms, proof_agrees *agrees, const void *context,
               const unsigned char *is_wrong, struct findings *findings);

#endif
