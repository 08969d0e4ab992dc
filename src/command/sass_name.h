/* sass_name.h - opcodes of SASS, as nvdisasm prints them, as names of what PTX calls otherwise. */
#ifndef SASS_NAME_H
#define SASS_NAME_H

#include "mapping.h"
#include "system/system.h"

enum { SASS_NAME_SIZE = 128 };

/* Cuts the opcode out of a line of SASS: HMMA.16816.F32 out of "@P0 HMMA.16816.F32 R4, R8, R16, R4
 * ;". *operands becomes what follows. False if the text has not the form of
 * such a line: an opcode in capitals. */
bool sass_name_read(const char *text, char opcode[SASS_NAME_SIZE], const char **operands);

/* Writes the opcode of PTX that ptxas makes a copy into Tensor Memory of, UTCCP.T.S.2CTA, or a
 * shift inside of it, UTCSHIFT.DOWN. False if it is neither. */
bool sass_name_copy(const char *opcode, char ptx[MAPPING_OPCODE_SIZE]);

/* Checks that there is such an instruction, and that it has so many operands, if there are any.
 * *archs become those that have it, bit n being mapping_arch_at(n). MAPPING_INVALID with the
 * nearest that exists. */
enum mapping_status sass_name_check(const char *opcode, size_t operands, uint32_t *archs,
                                    struct mapping_error *error);

/* Adds the opcodes of PTX that an opcode of SASS stands for on an architecture, or any if it is 0:
 * those that become this one instruction; if there are none, those that become several; and else
 * those that it helps to emulate. *is_part is false of the first. */
void sass_name_opcodes(const char *opcode, unsigned arch, struct strings *opcodes, bool *is_part);

#endif
