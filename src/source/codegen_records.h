/* codegen_records.h - the SASS of every opcode: results/sass.txt, which `make sass` makes and the
 * build embeds.
 *
 * There is one line for each opcode and each distinct result, in the order of the catalogue; each
 * architecture that has the opcode is in one of its lines. The opcodes are those of
 * mapping_opcode_at. Each mma.sp is followed by the same opcode with mma.sp::ordered_metadata: from
 * sm_100 on, the code of the former sorts the metadata first, that of the latter does not. */
#ifndef SOURCE_CODEGEN_RECORDS_H
#define SOURCE_CODEGEN_RECORDS_H

#include "report/codegen.h"

/* The whole file; ends with '\0'. */
extern const char recorded_codegen[];

/* Reads the next row of an opcode, spelled as in the file, or of any opcode if it is NULL. Advances
 * `position`, which is 0 at first, past the row; false at the end of the file. */
bool codegen_next(const char *opcode, size_t *position, struct codegen *row);

/* On which architectures, bit n being mapping_arch_at(n), an opcode with a certain operand is
 * native, and on which one is emulated. */
struct codegen_archs {
    uint32_t native, emulated;
};

/* The same for the fragment at each index of mapping_catalogue_at; made by tools/embed.c. */
extern const struct codegen_archs recorded_archs[];

#endif
