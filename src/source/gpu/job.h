/* job.h - what the host tells a kernel, and every number on which both have to agree.
 *
 * A kernel executes one instruction on registers and memory that the host has prepared, and stores
 * what came out. It knows nothing of layouts. For what it is good for see experiment.h. */
#ifndef JOB_H
#define JOB_H

#include <stddef.h>
#include <stdint.h>

/* The byte that memory is filled with before outputs go there: in every type that is stored to
 * memory it makes a negative number, which no experiment has. */
#define POISON 0xa5

/* Threads that execute an instruction together. */
#define WARP 32
#define WARPGROUP 128

/* ldmatrix and stmatrix: each lane says where one of 32 rows of 8 elements of 16 bits is. */
#define SLOTS 32
#define SLOT_BYTES 16

/* The slot that a lane points at: each at another, in no order that a layout could have by chance.
 * Lanes 0, 1, 2, 3 point at slots 7, 18, 29, 8. */
static inline uint32_t slot_of(uint32_t lane) {
    return (11 * lane + 7) % SLOTS;
}

/* wgmma: A and B in shared memory, K-major and without swizzle (PTX ISA 9.0, section 9.7.15.5.1.2).
 * A line is a row of A or a column of B. 8 lines of 16 bytes are a core matrix, 128 bytes in one
 * piece; behind it comes the core matrix with the next 16 bytes of these lines, and behind all of
 * these the next 8 lines. A line has 32 bytes, but where A is sparse one of B has 64. */
#define CORE_LINES 8
#define CORE_LINE_BYTES 16
#define CORE_BYTES (CORE_LINES * CORE_LINE_BYTES)
#define LINE_BYTES 32
#define LINE_BYTES_SPARSE_B 64
#define WGMMA_ROWS 64 /* of A */
#define WGMMA_WIDEST 256

/* Registers of 32 bits in which a thread of wgmma holds A. */
#define WGMMA_REGISTERS_A 4

/* How an instruction is executed, where there are several ways. */
struct variant {
    uint32_t selector;    /* sparsity selector */
    uint32_t a_in_shared; /* wgmma: 1 if A is in shared memory, 0 if it is in registers */
    uint32_t stores_all;  /* wgmma: 1 if all of D is stored, 0 if only what A or E is read off */
};

/* The number of a row, that is of a case in a kernel: opcode 17 in its first variant is row 272,
 * with selector 1 it is row 276. `number` is the opcode's index of mapping_opcode_at; of wmma the
 * fragment's of mapping_catalogue_at, and C and D in column-major memory are the second variant. */
static inline uint32_t row_number(size_t number, struct variant variant) {
    return (uint32_t)number * 16 + variant.selector * 4 + variant.a_in_shared * 2 +
           variant.stores_all;
}
static inline uint32_t wmma_row_number(size_t number, uint32_t is_col_major) {
    return (uint32_t)number * 16 + is_col_major;
}

/* One execution of one instruction: its row, and where the contents of its operands start, and D
 * goes, in words of 32 bits. Operands in registers are those of thread 0, then those of thread 1
 * and so on, as mapping_fragment counts them. All start at multiples of 128 bytes.
 *
 *              a                b                 c             d               e
 * mma, mma.sp  registers        registers         registers     registers       registers
 * wgmma        registers, or    shared memory     registers *   registers       registers
 *              shared memory
 * ldmatrix     byte offset by   SLOTS in shared                 registers
 *              lane             memory
 * stmatrix     byte offset by   SLOTS in shared   registers     SLOTS as they
 *              lane             memory                          are then
 * movmatrix    registers                                        registers
 * wmma load    matrix                                           registers
 * wmma store   registers                                        matrix
 *
 * * only read by the rows of all products; else D = A x B */
struct run {
    uint32_t row;
    uint32_t a, b, c, d, e;
    uint32_t words_a, words_b, words_d; /* of these, what is in shared memory; else 0 */
};

/* The only parameter of a kernel, which has one block for each run; addresses are the device's. */
struct job {
    const uint32_t *contents;
    uint32_t *output;
    const struct run *runs;
};

#endif
