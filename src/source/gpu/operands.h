/* operands.h - one instruction with its operands, as an experiment and the generator of rows see
 * it: sizes and ways to execute it. No CUDA. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "source/gpu/kernels.h"

#include "catalogue/fragment.h"

/* An opcode with its operands in registers. A load or store of wmma has one operand, and a made-up
 * opcode: its text is the fragment's name, and all of its types are the fragment's. */
struct operands {
    struct mapping_opcode opcode;
    size_t number; /* index of mapping_opcode_at; of wmma that of mapping_catalogue_at */
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    size_t count;
};

/* The operands of the opcode, or the wmma fragment, at that index. False if there is none. */
bool operands_of_opcode(size_t number, struct operands *operands);
bool operands_of_wmma(size_t number, struct operands *operands);

/* One operand; NULL if it is not in registers. */
const struct mapping_fragment *operands_find(const struct operands *operands,
                                             enum mapping_operand operand);

/* True if the instruction may have kernels. wmma.mma has none, since loads and stores show all of
 * its layouts. Matrix moves of 8, 6 and 4 bits have none, nor have instructions newer than sm_90:
 * no such device was available. */
bool operands_have_kernels(const struct operands *operands);

/* True if the instruction multiplies; false for matrix moves such as ldmatrix, and for wmma, of
 * which only loads and stores are executed. */
bool operands_are_multiplied(const struct operands *operands);

bool operands_are_sparse(const struct operands *operands);

/* True of wgmma: a warpgroup, B in shared memory, A too if it is not observed itself. */
bool operands_read_shared(const struct operands *operands);

/* The columns of A as it is held: K, or where A is sparse K/2. */
uint32_t operands_depth(const struct operands *operands);

/* The number of sparsity selectors; 1 if A is not sparse. */
uint32_t operands_selectors(const struct operands *operands);

/* ---- Execution ---- */

/* How the instruction is executed to observe an operand. */
struct variant operands_variant(const struct operands *operands, enum mapping_operand operand,
                                uint32_t selector);

/* The part of D that each thread stores while an operand is observed: all of D, but if A or the
 * metadata of wgmma is observed, only the first columns, as many as that operand has. It has no
 * elements if the instruction has no D or no such operand. */
struct mapping_fragment operands_stored(const struct operands *operands,
                                        enum mapping_operand operand);

/* Bytes of a line of A or B in shared memory: a row of A, a column of B. */
uint32_t operands_line_bytes(const struct operands *operands, enum mapping_operand operand);

/* The offset of element `depth` of a line, in elements from the start of the matrix. */
size_t operands_place_in_shared(const struct operands *operands, enum mapping_operand operand,
                                uint32_t line, uint32_t depth);

#endif
