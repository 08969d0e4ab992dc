/* attention_plan.h - the inputs of attention, O = softmax(scale Q K^T) V.
 *
 * Q, K, V and O are the operands A, B, C and D of the problem. They are stored as [batch, head,
 * row, column] or as [batch, row, head, column]. In the files about attention, `head` counts the
 * heads of all batches: batch * heads + head. */
#ifndef PROBE_ATTENTION_PLAN_H
#define PROBE_ATTENTION_PLAN_H

#include "probe/problem.h"

/* Checks types and sizes, makes the operands row-major, and sets m, n and k, and the scale if it is
 * 0. MAPPING_INVALID, with a message, if the problem cannot be probed. */
enum mapping_status attention_complete(struct problem *problem, struct mapping_error *error);

/* Sets the runs of a plan. */
void attention_plan(struct plan *plan);

/* Fills an array with Q, K or V of a run. */
void attention_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* The runs, in this order. In the first three stages, each query has one key whose probability is
 * exactly 1, so O must equal V bit for bit. In the next two, all scores are equal: exp() of the low
 * ones is 0, and that of the large ones is infinite. */
enum attention_stage {
    ATTENTION_DIGITS,   /* V has digits of its own addresses, and a check digit */
    ATTENTION_PROOF,    /* two runs with different keys and random V */
    ATTENTION_REPEAT,   /* the first run again */
    ATTENTION_RESIDUES, /* low scores; V(key, col) is 1 if key % dim == col, else 0 */
    ATTENTION_BLOCKS,   /* large scores; V(key, col) is 1 if key / dim % dim == col, else 0 */
    ATTENTION_SCALE     /* half of the scores are lower than the others, by about 1 */
};
static inline size_t attention_digit_runs(const struct plan *plan) {
    return plan->addresses[PROBE_C].digits + 1;
}
static inline enum attention_stage attention_stage(const struct plan *plan, size_t run,
                                                   size_t *index) {
    return (enum attention_stage)plan_stage(plan, run, index)->kind;
}

/* attention_row returns the index in memory of a row: of query `row` in Q and O, of key `row` in K
 * and V. attention_place is the inverse. `is_bshd` selects the layout, which can differ from the
 * problem's. */
uint32_t attention_row(const struct attention *of, enum probe_role role, bool is_bshd,
                       uint32_t head, uint32_t row);
void attention_place(const struct attention *of, enum probe_role role, bool is_bshd, uint32_t at,
                     uint32_t *head, uint32_t *row);

/* Returns the head of K and V that a head of Q uses. */
uint32_t attention_kv_head(const struct attention *of, uint32_t head);

/* Returns the number of keys, from key 0 on, that a query sees. `shift` is added to the number that
 * the causal mask gives. */
uint32_t attention_visible(const struct attention *of, enum causal_mask causal, int64_t shift,
                           uint32_t query);

/* Returns the key whose probability is 1, for a query in a run of the first three stages. */
uint32_t attention_target(const struct plan *plan, size_t run, uint32_t head, uint32_t query);

/* Returns the codes of all keys in a run, by head and key: a permutation for each head. The caller
 * frees them with mapping_free. */
uint32_t *attention_codes_of_keys(const struct plan *plan, size_t run);

/* Returns the number at a position of V in a run. */
double attention_v(const struct plan *plan, size_t run, uint32_t head, uint32_t key, uint32_t col);

/* The elements of Q and K, and the scores that they give. Scores include the scale. In the first
 * three stages, a score is of_bit times the number of bits in which the codes of query and key
 * differ. All scores are of_low in the stage of residues, and of_block in the stage of blocks. In
 * the last stage, the lower scores are of_lower, and the others are 0. of_bit, of_low and of_lower
 * are negative. */
struct scores {
    uint32_t bits, repeats; /* number of bits of a code */
    double q, k;            /* first three stages: elements of Q are +-q, those of K are +-k */
    double block, lower;    /* elements of K: block in the stages of residues and blocks, +-lower in
                               the last stage, where those of Q are +-1 */
    double low;             /* elements of Q in the stage of residues; they are 1 in the stage of
                               blocks */
    double of_bit, of_low, of_block, of_lower;
};
struct scores attention_scores(const struct problem *problem);

/* True for the keys with the lower score in the last stage. */
bool attention_is_lower(uint32_t head, uint32_t key);

#endif
