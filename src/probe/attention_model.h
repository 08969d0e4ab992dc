/* attention_model.h - predicts O of a kernel for attention that makes a known mistake. */
#ifndef PROBE_ATTENTION_MODEL_H
#define PROBE_ATTENTION_MODEL_H

#include "probe/attention_plan.h"

enum which { HEAD_RIGHT, HEAD_MODULO, HEAD_FIRST };        /* head of K or V for a head of Q */
enum which_batch { BATCH_RIGHT, BATCH_FIRST, BATCH_NEXT }; /* batch of Q, K or V */
enum attention_array { IN_Q, IN_K, IN_V, OUT_O, ATTENTION_ARRAYS };

/* The elements of Q or K that the kernel multiplies: those of column `col ^ by`, those of `col ^
 * ((row >> by & mask) << chunk)`, those of transposed 8 x 8 blocks, or only the first `by` columns.
 */
enum column_map { COLUMNS_RIGHT, COLUMNS_XOR, COLUMNS_SWIZZLED, COLUMNS_TRANSPOSED, COLUMNS_FIRST };

/* How a kernel computes O. If all members except the mask are 0, the kernel is right. */
struct attention_model {
    bool has_other_layout[ATTENTION_ARRAYS]; /* bshd instead of bhsd, or the reverse */
    enum which head[ATTENTION_ARRAYS];
    enum which_batch batch[ATTENTION_ARRAYS];
    bool is_late[ATTENTION_ARRAYS]; /* a tile of keys is read again one tile later, */
    bool starts_with_zeros;         /* and the first tile is 0, else it is itself */
    uint32_t tile;                  /* keys in a tile, for all members that need it */
    uint32_t first_key, keys;       /* the keys that are read; keys is 0: all */
    uint32_t behind;                /* how many keys behind the last are not masked: */
    bool behind_are_next;           /* the next rows in memory, else 0 */
    enum causal_mask causal;
    int64_t shift;    /* number of additional keys that the causal mask does not hide */
    bool is_suffix;   /* the causal mask hides the keys before the diagonal */
    bool is_by_tile;  /* the causal mask hides whole tiles only */
    uint32_t window;  /* a query sees only as many keys, the last ones (0: all) */
    bool keeps_o;     /* O is not rescaled when the largest score of a row grows, */
    bool keeps_sum;   /* or the sum of a row is not */
    bool is_backward; /* tiles are read from the last one on */
    bool is_unnormalised;
    enum column_map columns; /* column_map applies to Q if is_of_q, otherwise to K */
    bool is_of_q;
    uint32_t by, mask, chunk;
    uint32_t splits;  /* O is the mean over this number of parts of the keys (0: all keys) */
    bool adds_splits; /* the sum instead of the mean */
    double scale;     /* a factor of all scores; 0 means 1 */
};

/* Inputs of all runs that models need; they are made once. */
struct attention_inputs {
    const struct plan *plan;
    struct scores scores;
    uint32_t **codes;    /* codes of the keys in each run; NULL in the last three stages */
    float **elements[2]; /* elements of Q and K, by row in memory; made when a model needs them */
    float *row[2];       /* buffers for a row of each */
    struct slot *slots;
};
struct attention_inputs attention_inputs(const struct plan *plan);

/* Predicts the row of O at a head and a query in a run. False if it cannot be predicted. */
bool attention_predict(const struct attention_inputs *inputs, const struct attention_model *model,
                       size_t run, uint32_t head, uint32_t query, double *row);

#endif
