/* shuffles.h - register conversions: shuffle plans that convert the registers of one fragment to
 * those of another fragment with the same matrix.
 *
 * A plan is a list of steps. Each step makes one more register, a "value", in every thread. The
 * first values are the registers of the source; step 0 makes the next one, and so on. The outputs
 * of the plan list the value for each register of the target. For example, this plan converts the
 * accumulator of mma.m16n8k16 in f16 to B of the next mma (0.1 is slot 1, the upper half, of value
 * 0):
 *
 *     value 2 = combine tid & 4 ? 0.1 1.1 : 0.0 1.0
 *     value 3 = shuffle 2 from lane ((tid & 3) << 3) + (tid & 4) + ((tid & 24) >> 3)
 *     value 4 = combine tid & 4 ? 0.0 1.0 : 0.1 1.1
 *     value 5 = shuffle 4 from lane 4 ^ ((tid & 3) << 3) ^ (tid & 4) ^ ((tid & 24) >> 3)
 *     value 6 = combine tid & 4 ? 5.0 3.0 : 3.0 5.0
 *     value 7 = combine tid & 4 ? 5.1 3.1 : 3.1 5.1
 *     outputs 6 7
 *
 * Registers are called words. A word has 32 bits, or 64 if elements have 64. Elements have the type
 * of the target, and are packed with the lowest element number in the lowest bits: element e of a
 * thread is in slot e % per of word e / per, where per is 32 / bits, at least 1. A place is value *
 * per + slot. */
#ifndef CONVERT_H
#define CONVERT_H

#include "layout/f2.h"

/* ---- Plans ---- */

/* The kinds of conversions, the cheapest first. */
enum convert_kind {
    CONVERT_SAME,     /* every word is already in its register; no steps */
    CONVERT_WORDS,    /* words have other numbers; no steps */
    CONVERT_SLOTS,    /* each thread rearranges its own elements; no shuffles */
    CONVERT_SHUFFLES, /* threads of a warp send words to each other */
    CONVERT_MEMORY    /* through shared memory; no steps */
};

/* No value, and no place. A slot without a place may have any content. */
#define MAPPING_NO_VALUE UINT32_MAX

/* A step makes a value. Either it combines slots of other values, or it is a shuffle, which copies
 * a value from another lane. Slot s of step n in thread t comes from the place picks[(n * threads +
 * (t & by)) * per + s], which may be MAPPING_NO_VALUE. The picks of a shuffle are all slots of one
 * value, in the lane from which t reads. */
struct shuffle_step {
    bool is_shuffle;
    uint32_t by;    /* the bits of tid on which the picks depend; 0 if all threads have the same
                       picks */
    uint32_t lanes; /* for a shuffle, an index in lanes[] */
};

/* The lane of its warp from which a thread reads: tid ^ mask, or a formula of the axis tid, whose
 * size is the number of threads. */
struct source_lanes {
    bool is_xor;
    uint32_t mask;                  /* if is_xor; 1 to 31 */
    struct mapping_formula formula; /* otherwise; its values are 0 to 31 */
};

/* The source or the target. Its matrix is repeated side by side, in reading order, until both sides
 * have the same size. Element e of a thread is element e % elements of matrix e / elements. */
struct plan_side {
    uint32_t grid[3];             /* number of matrices along blocks, rows and columns */
    uint32_t matrices;            /* number of all matrices */
    uint32_t total;               /* elements per thread, of all matrices */
    uint32_t words;               /* registers per thread; the last may be used in part */
    struct mapping_layout layout; /* from (tid, e) to (row, col) of the whole; (block, row, col) if
                                     it has several blocks */
    uint32_t *owned;              /* its tables; NULL if it uses those of the given layout */
    bool is_over_bits;            /* `bits` is a valid form of this layout */
    struct bit_layout bits;
};

struct shuffle_plan {
    enum convert_kind kind;
    uint32_t threads;   /* 32 or 128 */
    uint32_t bits;      /* size of an element: 1, 2, 4, ... or 64 */
    uint32_t per;       /* elements in a word */
    uint32_t size[3];   /* blocks, rows and columns of the repeated matrix */
    bool crosses_warps; /* CONVERT_MEMORY: elements may move to another warp */
    struct plan_side source, target;
    void *memory;      /* owned; contains the arrays below, which are undefined for
                          CONVERT_MEMORY */
    uint32_t *outputs; /* for each word of the target, its value */
    struct shuffle_step *steps;
    uint32_t *picks;
    struct source_lanes *lanes;
    uint32_t step_count, lanes_count;
    uint32_t shuffles; /* number of shuffles among the steps */
};

/* A permutation of the columns, of the rows, or of K. */
struct mapping_permutation {
    const char *axis; /* MAPPING_AXIS_COL or MAPPING_AXIS_ROW; "place" for the order of K */
    uint32_t count;   /* number of columns or rows of the repeated matrix, or K */
    uint32_t *table;  /* owned */
    bool has_formula; /* table[c] is a formula of the axis */
    struct mapping_formula formula;
};

/* True for layouts of fragments: from (tid, i) to (row, col) or (block, row, col). */
bool mapping_convert_takes(const struct mapping_layout *layout);

/* Makes a plan that converts the source to the target, and checks it by executing it for all
 * threads. Both sides are layouts that mapping_convert_takes, have the same number of threads,
 * cover their matrix, and outlive the plan; along blocks, rows and columns, one size divides the
 * other. If the source has copies of an element, the plan reads the copy that takes the fewest
 * steps. The plan makes all copies of the target. `bits` is the size of an element in registers.
 * With a permutation, or NULL, the plan reads row or column table[c] of the source as row or column
 * c of the target.
 *
 * A plan goes through memory if elements go to other warps, or if a side is not a layout over bits.
 *
 * MAPPING_INVALID, with a message, if sizes or threads do not match, or one side is not such a
 * layout. Free the plan in any case; it may be zeroed. */
enum mapping_status mapping_convert_plan(const struct mapping_layout *source,
                                         const struct mapping_layout *target, uint32_t bits,
                                         const struct mapping_permutation *permutation,
                                         struct shuffle_plan *plan, struct mapping_error *error);
void mapping_convert_free(struct shuffle_plan *plan);

/* ---- Permutations ---- */

/* Finds a permutation of the columns, or rows, with which each thread only needs its own elements
 * for a plan: if the target has (row, c) in a thread, this thread holds (row, table[c]) of the
 * source. If c is K of a multiplication, permute K of the other operand in the same way. If there
 * are several permutations, the elements of each thread stay in order. There always is one if the
 * plan has no shuffles. False if there is none, or a side is not a layout over bits. Free
 * permutation->table in any case. */
bool mapping_permutation_find(const struct shuffle_plan *plan, bool is_rows,
                              struct mapping_permutation *permutation);

/* ---- Threads that share a row ---- */

/* The threads that hold elements of the same row, or column, of the same block: thread t shares it
 * with t ^ m for all m in the span of the generators. */
struct mapping_sharing {
    uint32_t generators[7]; /* in ascending order: 1 and 2 generate 1, 2 and 3 */
    uint32_t generator_count;
    uint32_t threads;   /* number of threads that share a row: 2 to the power of generator_count */
    uint32_t elements;  /* number of different elements of a row in each of these threads */
    uint32_t lines;     /* number of different rows in each thread */
    bool crosses_warps; /* a generator is 32 or larger */
};

/* Takes layouts that mapping_convert_takes. MAPPING_NO_FORMULA if the layout is not one over bits
 * (layout/f2.h), or has more than 128 threads. */
enum mapping_status mapping_sharing_find(const struct mapping_layout *layout, bool is_columns,
                                         struct mapping_sharing *sharing);

/* ---- The factors of a thread's elements ---- */

/* Makes the layout of the scale factors that each thread needs for its own elements, from (tid, i)
 * to (row, col), where `block` adjacent elements of a row share a factor, else of a column. The
 * matrix is repeated side by side until a row has `length` elements. A thread has its factors row
 * by row. For example, D of mma.m16n8k64 as A of the next product, in blocks of 16, has 16 x 4
 * factors in 8 matrices; thread t needs those of rows t / 4 and t / 4 + 8.
 *
 * Takes layouts from (tid, i) to (row, col). `length` is a multiple of `block` and of the size.
 * MAPPING_INVALID with a message if threads need different numbers of factors. */
enum mapping_status mapping_line_factors(const struct mapping_layout *layout, bool is_columns,
                                         uint32_t block, uint32_t length,
                                         struct mapping_layout *factors,
                                         struct mapping_error *error);

/* ---- The order of K ---- */

/* An order of K in which the elements of one row of A, or one column of B, that a thread holds are
 * adjacent. A product does not change if the columns of A and the rows of B have the same
 * permutation. So K may be stored in the order in which threads read it with the widest loads. */
struct mapping_k_order {
    uint32_t run;                 /* number of elements of a row of A, or column of B, that a thread
                                     holds */
    bool is_identity;             /* they are already adjacent */
    struct mapping_permutation k; /* k.table[place]; owned */
};

/* Finds the order for a layout from (tid, i) to (row, col). K is the columns if `is_columns`,
 * otherwise the rows. False if the layout is not one over bits, or has no such order. Free
 * order->k.table. */
bool mapping_k_order_find(const struct mapping_layout *layout, bool is_columns,
                          struct mapping_k_order *order);

/* True if both orders are the same. */
bool mapping_k_order_equal(const struct mapping_k_order *a, const struct mapping_k_order *b);

#endif
