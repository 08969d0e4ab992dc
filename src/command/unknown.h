/* unknown.h - explains why a name selects no fragment, and suggests other names. */
#ifndef UNKNOWN_H
#define UNKNOWN_H

#include "command/name.h"

/* The size of the longest sentence, including its '\0'. */
#define MAPPING_SENTENCE 512

/* Fails if a name is unknown, or if its operands contradict it; the message explains why, or
 * suggests similar names. `arch` is the requested architecture, or 0. MAPPING_UNAVAILABLE if the
 * name is an opcode without fragments that `arch` does not have; MAPPING_INVALID in all other
 * cases. Always MAPPING_OK for a pattern or a partial name. `error` may be NULL. */
enum mapping_status refuse(struct name *name, unsigned arch, struct mapping_error *error);

/* Describes an opcode of PTX or SASS without a fragment, which manages Tensor Memory or
 * synchronizes: "allocates columns of Tensor Memory" for tcgen05.alloc. Returns a constant string;
 * NULL for all other opcodes. */
const char *instruction_without_fragment(const char *opcode);

/* If the instruction of a partial name does not have this operand in this type, writes a message
 * that suggests other fragments: one with elements of the same size, which has the same layout; and
 * for C or D, the result of products whose A has this type. The message begins with "wgmma has no D
 * of type bf16". False if the name does not have exactly one type, if such a fragment exists, or if
 * there is nothing to suggest. */
#define OTHER_TYPE_TEXT 256
bool other_type(const struct mapping_partial *partial, char text[OTHER_TYPE_TEXT]);

/* If a name contains a kind of block-scaled products in place of a type, writes a message that
 * suggests the fragments of the elements and of the scale factors: "mxf4 is no type: name the
 * elements, such as ...". Otherwise writes "". */
void unknown_scaled(const char *name, char text[MAPPING_SENTENCE]);

#endif
