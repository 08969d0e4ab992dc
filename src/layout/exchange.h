/* exchange.h - what it takes to turn the registers of one fragment into those of another that has
 * the same elements in the same rows and columns.
 *
 * A plan is a list of steps, each of which makes one more register, a "value", in every thread. The
 * first values are the registers of the source, the next that of step 0, and so on; at the end it
 * says which value is which register of the target. To read the accumulator of mma.m16n8k16 in 16
 * bits as B of the next multiplication (2 registers in, 2 out; 0.1 is slot 1 of value 0):
 *
 *     value 2 = combine by tid & 4: 0.0 1.0, else 0.1 1.1
 *     value 3 = shuffle 2 from lane ((tid & 3) << 3) + (tid & 4) + ((tid & 24) >> 3)
 *     value 4 = combine by tid & 4: 0.1 1.1, else 0.0 1.0
 *     value 5 = shuffle 4 from lane 4 ^ ((tid & 3) << 3) ^ (tid & 4) ^ ((tid & 24) >> 3)
 *     value 6 = combine by tid & 4: 3.0 5.0, else 5.0 3.0
 *     value 7 = combine by tid & 4: 3.1 5.1, else 5.1 3.1
 *     outputs 6 7
 *
 * where what comes first is for tid & 4 being 0.
 *
 * Registers, here called words, have 32 bits, or 64 where elements have 64. Elements are those of
 * the target's type, packed, the lowest element number in the lowest bits: element e of a thread is
 * in slot e % per of word e / per, where per = 32 / bits. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "mapping.h"

/* What the conversion comes to; each is dearer than those before it. */
enum mapping_exchange_kind {
    MAPPING_EXCHANGE_SAME,     /* every word is where it has to be; there are no steps */
    MAPPING_EXCHANGE_WORDS,    /* words have other numbers; there are no steps */
    MAPPING_EXCHANGE_SLOTS,    /* each thread rearranges what it has: no shuffles */
    MAPPING_EXCHANGE_SHUFFLES, /* threads of a warp exchange words */
    MAPPING_EXCHANGE_MEMORY    /* a trip through shared memory; there are no steps */
};

enum mapping_step_kind {
    MAPPING_STEP_SELECT,  /* one of some whole values, by bits of tid */
    MAPPING_STEP_COMBINE, /* slots of values, by bits of tid */
    MAPPING_STEP_SHUFFLE  /* a value of another thread of the warp */
};

/* Stands for nothing: an unused slot of a word. */
#define MAPPING_NO_VALUE UINT32_MAX

/* One slot of one value. */
struct mapping_pick {
    uint32_t value; /* or MAPPING_NO_VALUE: these bits may be anything */
    uint32_t slot;
};

/* Of SELECT and COMBINE there are 2^n cases for the n bits in `by`. Case c, see
 * mapping_exchange_case, picks the whole value picks[first + c].value, or for each slot s
 * picks[first + c * per + s]. */
struct mapping_step {
    enum mapping_step_kind kind;
    uint32_t by;    /* bits of tid that choose the case; 0 if all threads do the same */
    uint32_t first; /* in picks[] */
    uint32_t value; /* of SHUFFLE: the value that is sent */
    uint32_t lanes; /* of SHUFFLE: from which lane, in lanes[] */
};

/* From which lane of its warp a thread reads: tid ^ mask, or what the formula says of the axis tid,
 * which has as many values as there are threads. */
struct mapping_lanes {
    bool is_xor;
    uint32_t mask;                  /* if is_xor; 1 to 31 */
    struct mapping_formula formula; /* if not; its values are 0 to 31 */
};

/* One side. Its matrices are laid side by side, in reading order, until both sides have the same
 * size. Element e of a thread is element e % elements of matrix e / elements. */
struct mapping_side {
    uint32_t grid[3]; /* how many matrices along blocks, rows, columns; 1 of what is not repeated */
    uint32_t matrices; /* their product */
    uint32_t elements; /* of one matrix, per thread */
    uint32_t total;    /* of all matrices, per thread */
    uint32_t words;    /* registers that these take, per thread; the last may be partly used */
    uint32_t *points;  /* points[tid * total + e]: (block * rows + row) * cols + col; owned */
};

struct mapping_exchange {
    enum mapping_exchange_kind kind;
    uint32_t threads;   /* 32 or 128 */
    uint32_t bits;      /* of an element: 1, 4, 8, 16, 32 or 64 */
    uint32_t per;       /* elements in a word */
    uint32_t size[3];   /* blocks, rows and columns of the whole */
    bool crosses_warps; /* why the kind is MEMORY: else because no plan was found */
    struct mapping_side source, target;
    uint32_t *outputs; /* for each word of the target its value; none of MEMORY; owned */
    struct mapping_step *steps;
    struct mapping_pick *picks;
    struct mapping_lanes *lanes;
    uint32_t step_count, pick_count, lanes_count; /* what is in them; they are owned */
    uint32_t shuffles;                            /* how many of the steps are */
};

/* True if a layout is one of a fragment: from (tid, i) to (row, col) or (block, row, col). */
bool mapping_exchange_takes(const struct mapping_layout *layout);

/* Plans how the source becomes the target. Both are layouts that mapping_exchange_takes, have the
 * same number of threads, and cover their matrix. A source with copies is read where that takes the
 * least; a target with copies gets all of them. Of each of blocks, rows and columns the size of one
 * side has to divide that of the other. `bits` is what an element takes in registers.
 *
 * A plan that is returned was executed for all threads, and what came out was compared with the
 * target. MAPPING_INVALID, with a sentence, where sizes or threads do not fit, or one of them is no
 * such layout; MAPPING_FAILED if out of memory. Free the plan with mapping_exchange_free in any
 * case. */
enum mapping_status mapping_exchange_plan(const struct mapping_layout *source,
                                          const struct mapping_layout *target, uint32_t bits,
                                          struct mapping_exchange *plan,
                                          struct mapping_error *error);

/* A zeroed plan is allowed. */
void mapping_exchange_free(struct mapping_exchange *plan);

/* "same", "words", "slots", "shuffles", "memory". */
const char *mapping_exchange_kind_name(enum mapping_exchange_kind kind);

/* The number of the case of a step for a thread: the bits of tid in step->by, moved together. */
uint32_t mapping_exchange_case(const struct mapping_step *step, uint32_t tid);

/* The lane, 0 to 31, that a thread reads from. */
uint32_t mapping_exchange_lane(const struct mapping_lanes *lanes, uint32_t tid);

/* The number of values: words of the source and steps. */
uint32_t mapping_exchange_values(const struct mapping_exchange *plan);

/* True if the steps make the target out of the source, for all threads: they are executed. A plan
 * through memory is true by itself. False also if out of memory. */
bool mapping_exchange_holds(const struct mapping_exchange *plan);

/* ---- One permutation ---- */

/* That the registers of the source are those of the target but for the order of the columns (or of
 * the rows): where the target has (row, c), the thread holds (row, table[c]) of the source. If c is
 * K of a multiplication, it is enough to permute K of the other operand in the same way. */
struct mapping_permutation {
    bool is_rows;     /* it is the rows that are permuted */
    uint32_t count;   /* rows or columns of the whole */
    uint32_t *table;  /* owned */
    bool has_formula; /* of the axis col, or row */
    struct mapping_formula formula;
};

/* Finds a permutation with which no thread needs what another holds, if there is one; of several
 * one that leaves the elements of a thread in order. *found says whether there is; there is always
 * one where the plan has no shuffles. Arguments and errors as above. Free it in any case. */
enum mapping_status mapping_permutation_find(const struct mapping_layout *source,
                                             const struct mapping_layout *target, bool is_rows,
                                             struct mapping_permutation *permutation, bool *found,
                                             struct mapping_error *error);
void mapping_permutation_free(struct mapping_permutation *permutation);

/* The space of its formula: (col), or (row). */
struct mapping_space mapping_permutation_space(const struct mapping_permutation *permutation);

/* The plan with rows or columns permuted so: one without shuffles. As mapping_exchange_plan. */
enum mapping_status mapping_exchange_plan_permuted(const struct mapping_layout *source,
                                                   const struct mapping_layout *target,
                                                   uint32_t bits,
                                                   const struct mapping_permutation *permutation,
                                                   struct mapping_exchange *plan,
                                                   struct mapping_error *error);

/* ---- Who shares a row ---- */

/* Which threads hold elements of the same row, or column, of the same block: thread t shares it
 * with t ^ m for all m that the generators make. */
struct mapping_sharing {
    uint32_t generators[7]; /* in ascending order: 1 and 2 make 1, 2 and 3 */
    uint32_t generator_count;
    uint32_t threads;   /* that share a row: 2 to the power of generator_count */
    uint32_t elements;  /* different ones of a row, in each of these threads */
    uint32_t lines;     /* different rows in each thread */
    bool crosses_warps; /* there is a mask from 32 on */
};

/* Takes a layout as above. MAPPING_NO_FORMULA if there is no such rule: if it is not the same for
 * all threads and rows, or there are more than 128 threads; MAPPING_FAILED if out of memory. */
enum mapping_status mapping_sharing_find(const struct mapping_layout *layout, bool is_columns,
                                         uint32_t lanes, struct mapping_sharing *sharing);

#endif
