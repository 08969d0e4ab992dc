/* causes.h - explains mistakes of a kernel: exchanged registers or lanes of a fragment, addresses
 * of ldmatrix, a swizzle on only one side. Several causes can have the same effect. */
#ifndef PROBE_CAUSES_H
#define PROBE_CAUSES_H

#include "probe/problem.h"

/* Sets `from` to the position of the element that a kernel uses instead of the one at row at[0],
 * column at[1]. */
typedef void mover(const void *context, const uint32_t at[2], uint32_t from[2]);

/* Adds the possible causes of a map of an operand's elements. Some elements may stay in place.
 * Coordinates of A are (row, k), those of B (k, column), those of D (row, column). */
void causes_add(struct finding *finding, const struct problem *problem, enum probe_role role,
                bool is_everywhere, mover *move, const void *context);

/* Finds the instruction of a problem by its name: "mma.m16n8k16", an opcode, an atom of CuTe. Fails
 * with MAPPING_INVALID if it does not multiply the problem's types, or has no fragments in
 * registers. */
enum mapping_status problem_instruction(const struct problem *problem, struct mapping_error *error);

#endif
