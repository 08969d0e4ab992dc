/* attention_model.h - predicts the output O of an attention kernel that makes a known mistake. */
#ifndef PROBE_ATTENTION_MODEL_H
#define PROBE_ATTENTION_MODEL_H

#include "probe/attention_plan.h"

/* The head of K or V that the kernel uses for a head of Q. */
enum which { HEAD_RIGHT, HEAD_MODULO, HEAD_FIRST, HEAD_NEXT };
/* The batch of Q, K or V that the kernel reads. */
enum which_batch { BATCH_RIGHT, BATCH_FIRST, BATCH_NEXT };
enum attention_array { IN_Q, IN_K, IN_V, OUT_O, ATTENTION_ARRAYS };

/* The elements of Q or K that the kernel multiplies instead of those of column `col`. COLUMNS_XOR:
 * column col ^ by. COLUMNS_SWIZZLED: column col ^ ((row >> by & mask) << chunk).
 * COLUMNS_TRANSPOSED: 8 x 8 blocks are transposed. COLUMNS_FIRST: only the first `by` columns are
 * multiplied. */
enum column_map { COLUMNS_RIGHT, COLUMNS_XOR, COLUMNS_SWIZZLED, COLUMNS_TRANSPOSED, COLUMNS_FIRST };

/* MASK_IS_0: masked scores are 0. MASK_IS_LATE: masked keys are part of the sum of a row. */
enum masking { MASK_HIDES, MASK_IS_0, MASK_IS_LATE };

/* How a kernel computes O. If all members except the causal mask are 0, the kernel is right. */
struct attention_model {
    bool has_other_layout[ATTENTION_ARRAYS]; /* the kernel takes bshd for bhsd, or the reverse */
    enum which head[ATTENTION_ARRAYS];
    enum which_batch batch[ATTENTION_ARRAYS];
    bool is_late[ATTENTION_ARRAYS]; /* the kernel reads tile t - 1 of the keys in place of tile t */
    bool starts_with_zeros;         /* with is_late: zeros replace tile 0 */
    uint32_t tile;                  /* number of keys in a tile, for all members that need it */
    uint32_t hidden[2];             /* the kernel does not read keys hidden[0] to hidden[1] - 1 */
    bool hides_only_v;              /* zeros replace their rows of V */
    uint32_t behind;                /* number of keys after the last one that the kernel fails to
                                       mask */
    bool behind_are_next;           /* these keys are the next rows in memory; otherwise zeros */
    enum causal_mask causal;
    int64_t shift;    /* number of keys that a query sees beyond the causal mask; can be negative */
    bool is_suffix;   /* the causal mask hides the keys before the diagonal instead of those after
                         it */
    bool is_by_tile;  /* the causal mask hides only whole tiles */
    uint32_t window;  /* a query sees only the last `window` of its keys; 0: all of them */
    bool keeps_o;     /* the kernel does not rescale O when the maximum score of a row grows */
    bool keeps_sum;   /* the kernel does not rescale the sum of a row then */
    bool is_backward; /* the kernel reads the tiles from the last to the first */
    bool is_unnormalised;
    bool has_sink; /* the sum of a row has one more score, 0 */
    bool k_is_v;   /* the kernel reads V instead of K */
    bool v_is_k;   /* the kernel reads K instead of V */
    enum masking masking;
    enum column_map columns; /* this map applies to Q if is_of_q is true, otherwise to K */
    bool is_of_q;
    uint32_t by, mask, chunk;
    uint32_t splits;  /* O is the mean of the results of this many parts of the keys; 0: no split */
    bool adds_splits; /* O is the sum of these results instead of their mean */
    double scale;     /* a factor of all scores; 0 means 1 */
};

/* The inputs of all runs, for attention_predict. They are made once for all models. */
struct attention_inputs {
    const struct plan *plan;
    struct scores scores;
    uint32_t **codes;    /* by run: the codes of the keys; NULL in the last three stages */
    float **elements[3]; /* of Q, K and V, by run: elements by row in memory; NULL until a model
                            needs them */
    float *row[2];       /* buffers for one row of Q and one of K */
    struct slot *slots;
};
struct attention_inputs attention_inputs(const struct plan *plan);

/* Predicts O for a query of a head in a run, and writes its elements to `row`. Returns false if the
 * kernel would read outside of an array, or has no key for this query. */
bool attention_predict(const struct attention_inputs *inputs, const struct attention_model *model,
                       size_t run, uint32_t head, uint32_t query, double *row);

#endif
