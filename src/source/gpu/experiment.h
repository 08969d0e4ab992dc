/* experiment.h - finding out where an operand's elements are, by executing its instruction.
 *
 * One technique for all instructions. The host prepares registers and memory whose elements are
 * small exact numbers; a kernel executes the instruction, once in each run (kernels.h); the host
 * copies back what was stored, and makes the layout from these numbers.
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
 * To observe A, its registers hold numbers of their own, 1 2 in thread 0, 3 4, 5 6, and 7 8 in
 * thread 3. B picks columns of A, as many at a time as D has:
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
 * row 1, column 2 of A. A type that holds only small numbers, as e4m3 does up to 16, has them digit
 * by digit, and each digit takes a run.
 *
 * - B is observed as A is, with an A that picks rows of B; C holds numbers while A and B are 0.
 * - Metadata says which elements of a sparse A are held. Each index says one bit of its number, and
 *   B is 1 only where an index leads that says 1, so that D shows the bits.
 * - ldmatrix and wmma load numbers from memory; stmatrix, movmatrix and wmma move numbers out of
 *   registers: what is stored says itself where it comes from. Memory that is stored to holds
 *   POISON before, so an element that is not moved is noticed. wmma moves C and D in both memory
 *   orders, which have to agree.
 *
 * Experiments with mma assume that the operands beside the observed one are as the PTX ISA states
 * them, up to changes that no product can show, such as the same permutation of K in A and B. wgmma
 * reads B from shared memory, and A too unless A is observed: observing its D assumes nothing. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "source/gpu/operands.h"

/* The contents of registers and memory that the runs of all experiments share, each made once. */
struct contents {
    uint32_t *words; /* owned */
    size_t count, capacity;
    struct content *index; /* owned */
    size_t index_count, index_room;
};

/* Zeroed ones are allowed. */
void contents_free(struct contents *contents);

/* The runs that observe one operand of an instruction, and what each of them stores. */
struct experiment {
    struct operands operands;
    enum mapping_operand operand;
    struct run *runs; /* owned; d counts from the experiment's start */
    size_t count;
    uint32_t words;         /* that a run stores */
    enum mapping_type type; /* of the elements in these */
    uint32_t numbers;       /* elements that a run stores */
};

/* Finds the opcode, or the load or store of wmma, that shows the fragment. False if there is no
 * kernel for it. */
bool experiment_find(const struct mapping_fragment *fragment, struct operands *operands);

/* Plans how an operand is observed. Free the experiment; a zeroed one is allowed. */
void experiment_plan(const struct operands *operands, enum mapping_operand operand,
                     struct contents *contents, struct experiment *experiment);

/* Makes the operand's layout from the words that all runs stored, those of run 0 first.
 * MAPPING_FAILED if the words make no sense. The caller still has to check that the layout can be
 * inverted. Free the layout in any case. */
enum mapping_status experiment_read(const struct experiment *experiment, const uint32_t *words,
                                    struct mapping_layout *layout, struct mapping_error *error);

void experiment_free(struct experiment *experiment);

/* ---- Small integers as element types hold them, packed into words ---- */

/* The largest number that experiments store in the type, which holds every integer up to it: 2048
 * for f16, 16 for e4m3, 1 for b1; 7 for both s4 and u4, and 127 for both s8 and u8. 0 for types
 * that kernels do not read or store. */
uint32_t number_largest(enum mapping_type type);

/* How many digits the number has if digits are 0 to `largest`: with the digits 0 to 16 of e4m3, 512
 * has 3. */
uint32_t number_digits(uint32_t number, uint32_t largest);

/* Digit `n` of the number, 0 for the lowest one. */
uint32_t number_digit(uint32_t number, uint32_t n, uint32_t largest);

/* The number as the type encodes it: 3 is 0x4200 in f16. */
uint64_t number_encode(enum mapping_type type, uint32_t number);

/* Puts an element of `bits` bits at its place in words of 32, the first one in the lowest bits. */
void element_put(uint32_t *words, size_t place, unsigned bits, uint64_t value);

#endif
