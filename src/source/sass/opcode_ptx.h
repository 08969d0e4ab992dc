/* opcode_ptx.h - the PTX that shows what opcodes become: kernels that execute one. */
#ifndef OPCODE_PTX_H
#define OPCODE_PTX_H

#include "mapping.h"
#include "system/printer.h"

/* Longest name of a target with its end. */
#define TARGET_SIZE 16

/* The target that has all that an architecture has: "sm_89", and from sm_90 on "sm_90a". */
void opcode_ptx_target(unsigned arch, char target[TARGET_SIZE]);

/* Prints the directives in front of the kernels, with the oldest PTX version that has the target,
 * or `ptx` if that is newer, 85 for 8.5. */
void opcode_ptx_start(struct printer *to, unsigned arch, unsigned ptx);

/* Prints what follows the name of a kernel that loads all operands of the opcode, executes it, and
 * stores the result. Loads and stores are volatile, one for each register, so that ptxas keeps all
 * of them.
 *
 * With `is_bare` the opcode itself is left out, and stored are as many of the operands. What the
 * kernel has more than this one, the opcode has become.
 *
 * Of ldmatrix and stmatrix the address is one of shared memory; a generic one takes up to two
 * instructions more. Of wgmma, A is in registers; what has to surround it, from wgmma.fence to
 * wgmma.wait_group, is in both kernels, but for wgmma.commit_group, which turns into an instruction
 * of its own where there is nothing to commit. The descriptor of B is a parameter. */
void opcode_ptx_body(struct printer *to, const struct mapping_opcode *opcode, bool is_bare);

#endif
