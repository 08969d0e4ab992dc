/* problem.h - the problem that a kernel should solve, and findings about a kernel that runs.
 *
 * A problem has operands in memory. A plan is a list of runs of the kernel. For each run, it gives
 * the inputs, with which a right kernel computes D exactly, and the content of D before the run.
 * The caller runs the kernel, and passes D of each run. The findings describe the mistakes of the
 * kernel; a right kernel has none.
 *
 *     plan = plan_make(&problem, false)                how many runs
 *     plan_fill(&plan, run, PROBE_A, a)                the inputs of each
 *     reading_begin(&plan); reading_take(..., run, d) for each run; reading_end(...) */
#ifndef PROBE_PROBLEM_H
#define PROBE_PROBLEM_H

#include "probe/codes.h"
#include "probe/number.h"
#include "smem/scales.h"
#include "system/system.h"

/* The operations: D = A, element by element; D = alpha A B + beta C + bias, where blocks of
 * elements of A and B may have scale factors; and attention, see attention_plan.h. */
enum { GEMM_MOST = 8192, PROBE_GUARD_MAX = 4096 };

enum probe_op { PROBE_COPY, PROBE_GEMM, PROBE_ATTENTION, PROBE_OPS };

enum probe_role {
    PROBE_A,
    PROBE_B,
    PROBE_D,
    PROBE_C,
    PROBE_BIAS,
    PROBE_SFA, /* scale factors of A, and of B */
    PROBE_SFB,
    PROBE_ROLES
};

/* Whether the bias has an element for each row or for each column of D. */
enum probe_bias { NO_BIAS, BIAS_OF_ROW, BIAS_OF_COL };

/* "copy", ..., and "A", ...; NULL after the last one. */
const char *probe_op_name(size_t op);
const char *probe_role_name(enum probe_role role);

/* The name of an operand: "A", or "Q" of attention. */
const char *probe_operand_name(enum probe_op op, enum probe_role role);

/* A matrix of rows (or columns) with `ld` elements, the last of which are padding. Each batch has
 * such a matrix. `lines` rows of memory belong to a batch; the last of them are guard rows. */
struct operand_memory {
    bool is_used, is_column_major;
    enum mapping_type type;
    uint32_t rows, cols, ld;
    uint32_t batches; /* 1 if all batches of a product share the matrix */
    uint32_t lines;
};

/* The keys that a query sees. Either the first query sees the first key, or the last query sees all
 * keys; each other query sees one key more than the previous one. */
enum causal_mask { NOT_CAUSAL, CAUSAL_TOP_LEFT, CAUSAL_BOTTOM_RIGHT };

/* O = softmax(scale Q K^T) V. Q and O have a row for each query of each head of each batch, K and V
 * have a row for each key of each kv_head. m and n are the rows and columns of O, and k is the rows
 * of K. */
struct attention {
    uint32_t batch, heads, kv_heads, queries, keys, dim;
    bool is_bshd; /* [batch, row, head, column]; otherwise [batch, head, row, column] */
    enum causal_mask causal;
    double scale; /* 0 means 1/sqrt(dim) */
};

struct problem {
    enum probe_op op;
    uint32_t m, n, k;
    uint32_t batches; /* for a product, the number of products of the same size; at least 1 */
    uint32_t guard;   /* number of guard rows after each matrix, which the kernel must neither read
                         nor write */
    enum mapping_type accumulator; /* for a product */
    struct operand_memory operand[PROBE_ROLES];
    double alpha, beta; /* for a product, +-2^n; beta may be 0 */
    enum probe_bias bias;
    uint32_t *focus; /* the k at which proof runs are wrong, if they are few; for locating runs */
    uint32_t focus_count;
    struct attention attention;
    uint32_t block;                  /* block size of the scale factors, as the user gave it; or
                                        0 */
    struct mapping_scales scales[2]; /* layouts of the scale factors of A and B; `kind` is NULL if
                                        an operand has none */
    const char *instruction; /* the instruction of the kernel, "mma.m16n8k16"; NULL if unknown */
};

/* True if A or B has scale factors. */
static inline bool problem_is_scaled(const struct problem *problem) {
    return problem->scales[0].kind || problem->scales[1].kind;
}

/* Returns the number of rows in memory: of a column-major matrix, its columns. */
static inline uint32_t memory_rows(const struct operand_memory *of) {
    return of->is_column_major ? of->cols : of->rows;
}

/* Returns the number of elements in each row of memory, without padding. */
static inline uint32_t memory_cols(const struct operand_memory *of) {
    return of->is_column_major ? of->rows : of->cols;
}

/* Return the number of elements in memory, with padding: of one batch, and of all batches. */
static inline size_t memory_stride(const struct operand_memory *of) {
    return (size_t)of->lines * of->ld;
}
static inline size_t memory_elements(const struct operand_memory *of) {
    return of->batches * memory_stride(of);
}

/* Returns the index of an element in memory. Rows of all batches have consecutive numbers: row b *
 * rows + r is row r of batch b. For B, columns are numbered in this way. */
static inline size_t memory_index(const struct operand_memory *of, uint32_t row, uint32_t col) {
    size_t start = 0;
    if (of->batches > 1) {
        start = (row / of->rows + col / of->cols) * memory_stride(of);
        row %= of->rows;
        col %= of->cols;
    }
    return start + (of->is_column_major ? (size_t)col * of->ld + row : (size_t)row * of->ld + col);
}

/* Returns the number of rows (axis 0) or columns (axis 1), with padding and guard rows. */
static inline uint32_t memory_size(const struct operand_memory *of, unsigned axis) {
    return of->is_column_major == (axis == 0) ? of->ld : of->lines;
}

/* Sets `place` to the row, column and batch of an element in memory. In padding and guard rows, the
 * row or column is beyond the matrix. */
static inline void memory_place(const struct operand_memory *of, size_t index, uint32_t place[3]) {
    place[of->is_column_major] = (uint32_t)(index / of->ld % of->lines);
    place[!of->is_column_major] = (uint32_t)(index % of->ld);
    place[2] = (uint32_t)(index / of->ld / of->lines);
}

/* Completes a problem: sets the sizes of operands from m, n and k, the leading dimensions, batches
 * and lines that are 0, and C like D. An alpha of 0 becomes 1. MAPPING_INVALID if the problem
 * cannot be probed. */
enum mapping_status problem_complete(struct problem *problem, struct mapping_error *error);

/* Runs with the same kind of inputs, one after the other. */
struct stage {
    unsigned kind; /* enum gemm_stage or attention_stage */
    size_t runs;
    bool is_focused; /* of a product: only the k of the focus are selected */
};

struct plan {
    struct problem problem;
    size_t runs;
    struct stage stage[12];
    size_t stages;
    size_t canaries;                         /* number of runs that have canaries in only one
                                                place */
    struct addresses addresses[PROBE_ROLES]; /* of operands, in the runs with their digits */
    uint32_t most[2]; /* integers of A and B in proof runs are at most this large, in units */
    struct number_reader reader; /* of Q, K and V in attention */
    size_t proof_runs;           /* number of the first runs, in which an unwritten D is recognized
                                    by its poison */
    bool is_locating;            /* locating runs follow */
    bool is_exact;               /* all sums of proof runs are exact */
    bool has_pairs;              /* terms cancel in pairs, except for `unpaired` of them */
    uint32_t unpaired;
    unsigned doubt_bits; /* a wrong kernel passes with a probability of at most 2^-n */
};

/* plan_add adds a stage to a plan. plan_stage returns the stage of a run, and sets *index to the
 * index of the run in it. */
void plan_add(struct plan *plan, unsigned kind, size_t runs, bool is_focused);
static inline const struct stage *plan_stage(const struct plan *plan, size_t run, size_t *index) {
    const struct stage *stage = plan->stage;
    for (; run >= stage->runs && stage + 1 < plan->stage + plan->stages; stage++)
        run -= stage->runs;
    *index = run;
    return stage;
}

/* ---- Findings ---- */

enum { PLACES_MAX = 3, CAUSES_MAX = 8 };

struct finding {
    const char *name; /* the kind of finding: "never written" */
    char *text;       /* a sentence without a period */
    uint64_t count;   /* number of wrong elements of D */
    bool is_explained;
    size_t places;
    uint32_t place[PLACES_MAX][3]; /* the first wrong elements: row, column, batch */
    size_t causes;
    const char *cause[CAUSES_MAX]; /* "as if registers 1 and 2 of A were exchanged"; see
                                          causes.h */
};

struct findings {
    const struct plan *plan;
    struct finding *item;
    size_t count, capacity;
    uint64_t wrong;      /* number of wrong elements of D */
    bool needs_locating; /* locating runs can explain more */
    size_t first_locating, last_locating;
    uint32_t *focus; /* the `focus` of the problem in these runs */
    uint32_t focus_count;
};

/* Adds a finding, unless its count of elements is 0. */
void findings_add(struct findings *findings, const struct finding *finding);

/* Counts a wrong element, in batch 0 or in another batch, and keeps its position if it is one of
 * the first. */
void finding_note(struct finding *finding, uint32_t row, uint32_t col);
void finding_note_of(struct finding *finding, uint32_t row, uint32_t col, uint32_t batch);

/* Prints "rows beyond M of A", "k beyond K of A", or both. */
void print_beyond(struct printer *to, const struct problem *problem, enum probe_role role,
                  bool has_rows, bool has_cols);

/* ---- Elements of D that were not written, and padding that was ---- */

struct written {
    unsigned char *poison;  /* by row and column: the number of runs in which the element was not
                               written */
    struct finding outside; /* about the run that wrote the most elements of padding */
};
struct written written_begin(const struct problem *problem);

/* Reads D of a run: finds elements of padding that were written and, if `has_poison`, counts the
 * elements that were not written. False if all of D still holds the poison. */
bool written_take(struct written *written, const struct problem *problem, uint64_t poison,
                  bool has_poison, const void *d);

#endif
