/* causes.h - adds possible causes to a finding: exchanged registers or lanes of a fragment, wrong
 * addresses of ldmatrix, a swizzle on only one side of shared memory. Several causes can have the
 * same effect. */
#ifndef PROBE_CAUSES_H
#define PROBE_CAUSES_H

#include "probe/problem.h"

/* Sets `from` to the position of the element that a kernel uses instead of the one at row at[0],
 * column at[1]. Returns true if this element stays in place because the function of the
 * others is limited to a part of the operand, by a condition or in a table. */
typedef bool mover(const void *context, const uint32_t at[2], uint32_t from[2]);

/* Adds to a finding the causes that would move the elements of an operand as `move` does. Some
 * elements may stay in place. `is_everywhere` is true if `move` describes the whole operand, not
 * only a piece of it. Coordinates of A are (row, k), those of B (k, column), those of D (row,
 * column). */
void causes_add(struct finding *finding, const struct problem *problem, enum probe_role role,
                bool is_everywhere, mover *move, const void *context);

/* Checks problem->instruction, which is a name such as "mma.m16n8k16", an opcode, or an atom of
 * CuTe. MAPPING_INVALID, with a message, if the name is unknown, or if the instruction has no dense
 * A, B or D in registers with the problem's types. */
enum mapping_status problem_instruction(const struct problem *problem, struct mapping_error *error);

#endif
