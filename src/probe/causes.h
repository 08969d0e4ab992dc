/* causes.h - what a mistake may be in a kernel: exchanged registers or lanes of a fragment,
 * addresses of ldmatrix, a swizzle on one side. Several can have the same effect. */
#ifndef PROBE_CAUSES_H
#define PROBE_CAUSES_H

#include "probe/problem.h"

/* Where the element comes from that a kernel has in place of the one at row at[0], column at[1]. */
typedef void mover(const void *context, const uint32_t at[2], uint32_t from[2]);

/* Adds what can make elements of an operand come from elsewhere, everywhere or not: of A by row and
 * k, of B by k and column, of D by row and column. */
void causes_add(struct finding *finding, const struct problem *problem, enum probe_role role,
                bool is_everywhere, mover *move, const void *context);

/* Finds the instruction of a problem by its name: "mma.m16n8k16", an opcode, an atom of CuTe.
 * MAPPING_INVALID if it is none that multiplies what the problem has, with fragments in registers.
 */
enum mapping_status problem_instruction(const struct problem *problem, struct mapping_error *error);

#endif
