/* operands.h - the registers that a line of PTX or SASS names, which hold the operands of its
 * instruction.
 *
 *     mma.sync... {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, ...    D in %f1 to %f4, A in %r1
 * ... HMMA.16816.F32 R4, R8, R16, R4                                      D in R4 to R7, A in R8
 * ... */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "catalogue/catalogue.h"
#include "system/system.h"

/* Adds the names of a fragment's registers, in their order; none if the text does not name them.
 * One name stands for 32 bits, or for the 64 bits of an f64 in PTX. `operands` is what follows the
 * opcode, up to a semicolon or the end. MAPPING_INVALID if the text lists another number of
 * registers than the fragment has. */
enum mapping_status operands_ptx(const char *operands, const char *opcode,
                                 const struct mapping_fragment *fragment, struct strings *names,
                                 struct mapping_error *error);

/* The same of SASS, which names the first register alone. Nothing of wmma, for which ptxas may
 * exchange A and B. */
void operands_sass(const char *operands, const char *opcode,
                   const struct mapping_fragment *fragment, struct strings *names);

/* True if the operand lies in shared memory, where a descriptor in the text points: A of wgmma
 * without registers. */
bool operands_in_memory(const char *operands, bool is_sass,
                        const struct mapping_fragment *fragment);

/* How many operands there are. */
size_t operands_count(const char *operands);

#endif
