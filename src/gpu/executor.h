/* executor.h - kernels that execute one instruction on registers and shared memory as the host
 * prepared them. They know nothing of layouts. generate.c writes them, one for each opcode. */
#ifndef EXECUTOR_H
#define EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

/* One execution: of which opcode, an index of mapping_opcode_at, and where the images of its
 * operands start, in words of 32 bits. */
struct executor_step {
    uint32_t opcode;
    uint32_t a, b, c, d, e;
    uint32_t outputs;  /* registers of D that each thread of wgmma writes, the first ones; even */
    uint16_t selector; /* of the sparsity metadata */
    uint16_t from_shared; /* wgmma: 1 if A is in shared memory */
};

/* The only parameter of a kernel; all addresses are the device's. It runs one block for each step,
 * and a thread for each of the operands'.
 *
 * An image is what one execution needs of an operand: its registers, those of thread 0 first; or of
 * wgmma's A and B, the matrix as it lies in shared memory. mma, mma.sp: A, B, C, D and E are
 * registers. wgmma, wgmma.sp: so are A, D, E, and C, which is D before. ldmatrix: A has an offset
 * in shared memory for each thread, B is 32 x 16 bytes of shared memory, D the registers. stmatrix:
 * A and B are the same, C the registers, and D the shared memory behind. movmatrix: A and D are
 * registers. */
struct executor_job {
    const uint32_t *images; /* of A, B, C and E */
    uint32_t *output;       /* images of D */
    const struct executor_step *steps;
};

/* Kernels come in parts, to be compiled side by side: the first has all but wgmma, the others have
 * wgmma by width. */
static inline unsigned executor_part(int is_wgmma, unsigned width, unsigned parts) {
    return is_wgmma ? 1 + width / 8 % (parts - 1) : 0;
}

/* The kernel that executes an opcode, which is the one to observe a fragment with; or where there
 * are all opcodes, its text stands in place of the fragment's name. A kernel executes many opcodes,
 * for it is kernels that take time to load and to start: those of a width of wgmma, and all others.
 */
struct executor {
    const char *name;
    size_t opcode; /* index of mapping_opcode_at */
    const void *kernel;
};

#endif
