/* unknown.h - explains a name that matches no fragment, and suggests what to type. */
#ifndef UNKNOWN_H
#define UNKNOWN_H

#include "catalogue/catalogue.h"

/* Longest sentence, including its '\0'. */
#define MAPPING_SENTENCE 512

/* Fails for a name that selects nothing, as mapping_name_read has read it. The message has the
 * nearest fragments, or the reason why there is none. `arch` is the architecture that was asked
 * for, or 0. */
enum mapping_status unknown_fragment(const char *name, const struct mapping_name *read,
                                     unsigned arch, struct mapping_error *error);

/* Fails for a name that people look for here and that is known to hold no fragment, such as
 * cp.async or TMA; MAPPING_OK for all others. */
enum mapping_status outside_fragment(const char *name, struct mapping_error *error);

/* What an instruction of PTX or SASS without a fragment does, "allocates columns of Tensor Memory",
 * by the start of its name; NULL for all others. */
const char *instruction_without_fragment(const char *opcode);

/* Fails for an opcode of tcgen05.mma, which does not say M and N, with the name of a fragment. The
 * sentence begins with `asked`, which may be empty. MAPPING_UNAVAILABLE if the architecture, or any
 * if it is 0, does not have the opcode. */
enum mapping_status unshaped_opcode(const char *asked, const struct mapping_opcode *opcode,
                                    unsigned arch, struct mapping_error *error);

/* Names the fragment that differs only in its type and has elements of the same size, if no
 * instruction multiplies such a matrix in the given type: "wgmma has no D in bf16, but D with
 * elements of 16 bits has the layout of wgmma.m64n128k16.d.f16". False if there is none. */
#define OTHER_TYPE_TEXT 256
bool other_type(const struct mapping_partial *partial, char text[OTHER_TYPE_TEXT]);

/* Explains kinds of block-scaled products, which are no types: "mxf4 multiplies e2m1 by scale
 * factors ...". Writes "" if no word of the name is one. */
void unknown_scaled(const char *name, char text[MAPPING_SENTENCE]);

#endif
