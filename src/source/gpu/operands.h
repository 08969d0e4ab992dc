/* operands.h - one instruction with its operands, for experiments and for generate.c: their sizes,
 * and the variant of the instruction with which an operand is observed. Does not use CUDA. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "source/gpu/kernels.h"

#include "catalogue/fragment.h"

/* An opcode with its operands in registers. A load or store of wmma has one operand, and an
 * artificial opcode: its text is the fragment's name, and all its types are the fragment's. */
struct operands {
    struct mapping_opcode opcode;
    size_t number; /* index for mapping_opcode_at; for wmma, index for mapping_catalogue_at */
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    size_t count;
};

/* The operands of the opcode, or of the wmma fragment, at this index. False if there is none. */
bool operands_of_opcode(size_t number, struct operands *operands);
bool operands_of_wmma(size_t number, struct operands *operands);

/* One operand; NULL if it is not in registers. */
const struct mapping_fragment *operands_find(const struct operands *operands,
                                             enum mapping_operand operand);

/* True if the instruction may have kernels. wmma.mma has none, because loads and stores show all
 * its layouts. Moves of matrices of 8, 6 and 4 bits, and instructions newer than sm_90, have none,
 * because no such device was available. */
bool operands_have_kernels(const struct operands *operands);

/* True if the instruction multiplies. False for matrix moves such as ldmatrix, and for wmma,
 * because only its loads and stores are executed. */
bool operands_are_multiplied(const struct operands *operands);

bool operands_are_sparse(const struct operands *operands);

/* True for wgmma: a warpgroup executes it; B, and A unless observed, are in shared memory. */
bool operands_read_shared(const struct operands *operands);

/* The number of stored columns of A: K, or K/2 if A is sparse. */
uint32_t operands_depth(const struct operands *operands);

/* The number of sparsity selectors; 1 if A is not sparse. */
uint32_t operands_selectors(const struct operands *operands);

/* ---- Execution ---- */

/* The way to execute the instruction in order to observe an operand. */
struct variant operands_variant(const struct operands *operands, enum mapping_operand operand,
                                uint32_t selector);

/* The part of D that each thread stores while an operand is observed: all of D. If A or the
 * metadata of wgmma is observed, only as many columns as this operand has. It has no elements if
 * the instruction has no D or no such operand. */
struct mapping_fragment operands_stored(const struct operands *operands,
                                        enum mapping_operand operand);

/* The size of a line of A or B in shared memory, in bytes: a row of A, a column of B. */
uint32_t operands_line_bytes(const struct operands *operands, enum mapping_operand operand);

/* The offset of element `depth` of a line, in elements from the start of the matrix. */
size_t operands_place_in_shared(const struct operands *operands, enum mapping_operand operand,
                                uint32_t line, uint32_t depth);

#endif
