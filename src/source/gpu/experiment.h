/* experiment.h - observes the layout of an operand by executing its instruction.
 *
 * All instructions use one technique. The host prepares registers and memory whose elements are
 * small exact numbers. A kernel executes the instruction, once in each run (kernels.h), and stores
 * the result. The host copies the result back, and makes the layout from the numbers in it.
 *
 * Say that a warp had 4 threads and multiplied a 2x4 matrix A by a 4x2 matrix B, so that each
 * thread held 2 elements of A, 2 of B and 1 of D. To observe D, the rows of A add up to 1 + row, or
 * the columns of B to 1 + column:
 *
 *             A          B      D      threads 0 to 3 store
 *     run 0   1 0 0 0    1 1    1 1    1 1 2 2
 *             2 0 0 0    1 1    2 2
 *                        1 1
 *                        1 1
 *     run 1   1 1 1 1    1 2    1 2    1 2 1 2
 *             1 1 1 1    0 0    1 2
 *                        0 0
 *                        0 0
 *
 * Thread 2 stored 2 and 1, so it holds row 1, column 0 of D.
 *
 * To observe A, each of its elements gets a unique number: 1 2 in thread 0, 3 4, 5 6, and 7 8 in
 * thread 3. In each run, B selects as many columns of A as D has columns:
 *
 *             B          threads 0 to 3 store
 *     run 0   1 0        1 2 5 6    columns 0 and 1 of A
 *             0 1
 *             0 0
 *             0 0
 *     run 1   0 0        3 4 7 8    columns 2 and 3 of A
 *             0 0
 *             1 0
 *             0 1
 *
 * Thread 2 holds row 1, column 0 of D and stored 7 in run 1, so number 7, element 0 of thread 3, is
 * row 1, column 2 of A. A type that only represents small numbers, such as e4m3 up to 16, gets one
 * digit of the numbers in each run.
 *
 * - B is observed like A, with an A that selects rows of B. C gets numbers while A and B are 0.
 * - Metadata tells which elements of a sparse A are stored. Each index encodes one bit of its own
 * number. B is 1 only at elements that an index with this bit set selects, so that D shows the
 * bits.
 * - ldmatrix and wmma load numbers from memory; stmatrix, movmatrix and wmma move numbers out of
 * registers. Each stored number tells where it comes from. The output is filled with POISON before,
 * so that missing elements are found. wmma moves C and D in both memory orders, which must give the
 * same layout.
 *
 * Experiments with mma assume that the other operands have the layouts of the PTX ISA, except for
 * changes that no product can show, such as the same permutation of K in A and B. wgmma reads B
 * from shared memory, and also A unless A is observed, so the observation of its D assumes no
 * register layout. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "source/gpu/operands.h"

/* The contents of registers and memory, which the runs of all experiments share. */
struct contents {
    uint32_t *words; /* owned */
    size_t count, capacity;
    struct content *index; /* owned */
    size_t index_count, index_capacity;
};

/* Frees the contents, which may be zeroed. */
void contents_free(struct contents *contents);

/* The runs that observe one operand of an instruction, and what each run stores. */
struct experiment {
    struct operands operands;
    enum mapping_operand operand;
    struct run *runs; /* owned; `d` is an offset from the start of the experiment's output */
    size_t count;
    uint32_t words;         /* words that a run stores */
    enum mapping_type type; /* type of the elements in these words */
    uint32_t numbers;       /* elements that a run stores */
};

/* Finds the opcode, or the load or store of wmma, that observes the fragment. False if there is no
 * kernel for it. */
bool experiment_find(const struct mapping_fragment *fragment, struct operands *operands);

/* Plans the runs that observe an operand. The caller frees the experiment, which may be zeroed. */
void experiment_plan(const struct operands *operands, enum mapping_operand operand,
                     struct contents *contents, struct experiment *experiment);

/* Makes the operand's layout from the words that all runs stored, beginning with those of run 0.
 * MAPPING_FAILED if a word is not possible. The caller must still check that the layout can be
 * inverted, and frees the layout in any case. */
enum mapping_status experiment_read(const struct experiment *experiment, const uint32_t *words,
                                    struct mapping_layout *layout, struct mapping_error *error);

void experiment_free(struct experiment *experiment);

/* ---- Small integers as element types hold them, packed into words ---- */

/* The largest number that experiments store in a type. The type represents every integer up to it:
 * 2048 for f16, 16 for e4m3, 1 for b1, 7 for s4 and u4, 127 for s8 and u8. 0 for types that kernels
 * do not read or store. */
uint32_t number_largest(enum mapping_type type);

/* The number of digits of a number if digits are 0 to `largest`: with the digits 0 to 16 of e4m3,
 * 512 has 3 digits. */
uint32_t number_digits(uint32_t number, uint32_t largest);

/* Digit `n` of the number, 0 for the lowest one. */
uint32_t number_digit(uint32_t number, uint32_t n, uint32_t largest);

/* The number as the type encodes it: 3 is 0x4200 in f16. */
uint64_t number_encode(enum mapping_type type, uint32_t number);

/* Stores an element of `bits` bits at index `place` of an array in 32-bit words, the first element
 * in the lowest bits. */
void element_put(uint32_t *words, size_t place, unsigned bits, uint64_t value);

#endif
