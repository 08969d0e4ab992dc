/* unknown.h - says why a name selects nothing, and suggests what to type. */
#ifndef UNKNOWN_H
#define UNKNOWN_H

#include "command/name.h"

/* Longest sentence, including its '\0'. */
#define MAPPING_SENTENCE 512

/* Fails if a name selects nothing, or its operands contradict it. The message has the nearest
 * fragments, or the reason why there is none. `arch` is the architecture that was asked for, or 0.
 */
enum mapping_status refuse(struct name *name, unsigned arch, struct mapping_error *error);

/* Describes an instruction of PTX or SASS without a fragment, given the start of its name:
 * "allocates columns of Tensor Memory"; NULL for all others. */
const char *instruction_without_fragment(const char *opcode);

/* Names the fragment that differs only in its type and has elements of the same size, if no
 * instruction multiplies such a matrix in the given type: "wgmma has no D in bf16, but D with
 * elements of 16 bits has the layout of wgmma.m64n128k16.d.f16". False if there is none. */
#define OTHER_TYPE_TEXT 256
bool other_type(const struct mapping_partial *partial, char text[OTHER_TYPE_TEXT]);

/* Explains kinds of block-scaled products, which are not types: "mxf4 multiplies e2m1 by scale
 * factors ...". Writes "" if the name contains no kind. */
void unknown_scaled(const char *name, char text[MAPPING_SENTENCE]);

#endif
