/* attention_plan.h - the inputs of attention, O = softmax(scale Q K^T) V.
 *
 * Q, K, V and O are the operands A, B, C and D of the problem. They are stored as [batch, head,
 * row, column] or as [batch, row, head, column]. In the files about attention, `head` counts the
 * heads of all batches: batch * heads + head. */
#ifndef PROBE_ATTENTION_PLAN_H
#define PROBE_ATTENTION_PLAN_H

#include "probe/problem.h"

/* Checks the sizes, and sets the operands' rows and columns, and the scale if it is 0. */
enum mapping_status attention_complete(struct problem *problem, struct mapping_error *error);

/* Sets the runs of a plan. */
void attention_plan(struct plan *plan);

/* Makes Q, K or V of a run. */
void attention_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* The runs, in this order. In the first three stages, each query has one key whose probability is
 * exactly 1, so O must equal V bit for bit. In the next two, all scores are equal: exp() of the low
 * ones is 0, and that of the large ones is infinite. */
enum attention_stage {
    ATTENTION_DIGITS,   /* V has the digits of its own addresses, and a check digit */
    ATTENTION_PROOF,    /* two runs with different keys and random V */
    ATTENTION_REPEAT,   /* the first run again */
    ATTENTION_RESIDUES, /* low scores; V(key, col) is 1 if key % dim == col, else 0 */
    ATTENTION_BLOCKS,   /* large scores; V(key, col) is 1 if key / dim % dim == col, else 0 */
    ATTENTION_SCALE     /* half of the scores are lower than the others by about 1 */
};
static inline size_t attention_digit_runs(const struct plan *plan) {
    return plan->addresses[PROBE_C].digits + 1;
}
static inline enum attention_stage attention_stage(const struct plan *plan, size_t run,
                                                   size_t *index) {
    return (enum attention_stage)plan_stage(plan, run, index)->kind;
}

/* The index in memory of a row of Q or O (K or V), and the inverse. `is_bshd` may differ from the
 * problem's layout. */
uint32_t attention_row(const struct attention *of, enum probe_role role, bool is_bshd,
                       uint32_t head, uint32_t row);
void attention_place(const struct attention *of, enum probe_role role, bool is_bshd, uint32_t at,
                     uint32_t *head, uint32_t *row);

/* The head of K and V that a head of Q uses. */
uint32_t attention_kv_head(const struct attention *of, uint32_t head);

/* The number of keys that a query sees. */
uint32_t attention_visible(const struct attention *of, enum causal_mask causal, int64_t shift,
                           uint32_t query);

/* The key whose probability is 1, for a query in a run of the first three stages. */
uint32_t attention_target(const struct plan *plan, size_t run, uint32_t head, uint32_t query);

/* The codes of all keys in a run, by head and key: a permutation for each head. Free them with
 * mapping_free. */
uint32_t *attention_codes_of_keys(const struct plan *plan, size_t run);

/* The number at a position of V in a run. */
double attention_v(const struct plan *plan, size_t run, uint32_t head, uint32_t key, uint32_t col);

/* The scores, including the scale: for a query and a key whose codes differ in one bit in the first
 * three stages (negative); for all keys in the stages of residues (negative) and of blocks; and for
 * the lower keys in the last stage (negative). */
struct scores {
    uint32_t bits, repeats; /* number of bits of a code */
    double q, k;            /* elements of Q and K are +-q and +-k, */
    double block, lower;    /* in the last two stages, elements of Q are +-1, and elements of K are
                               +- these */
    double low;             /* the elements of Q in the stage of residues, where K is `block` */
    double of_bit, of_low, of_block, of_lower;
};
struct scores attention_scores(const struct problem *problem);

/* True for the keys with the lower score in the last stage. */
bool attention_is_lower(uint32_t head, uint32_t key);

#endif
