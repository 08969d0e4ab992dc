/* codegen_records.h - the SASS of every opcode: results/sass.txt, which `make sass` makes and the
 * build embeds.
 *
 * There is one line for each opcode and each distinct SASS, in the order of the catalogue; each
 * architecture that has the opcode is in one of its lines. The opcodes are those of
 * mapping_opcode_at. Each mma.sp is followed by the same opcode with mma.sp::ordered_metadata: from
 * sm_100 on, the SASS of mma.sp first sorts the metadata, that of mma.sp::ordered_metadata does
 * not. */
#ifndef SOURCE_CODEGEN_RECORDS_H
#define SOURCE_CODEGEN_RECORDS_H

#include "report/codegen.h"

/* The whole file, with a '\0' at the end. */
extern const char recorded_codegen[];

/* Reads the next row for an opcode, spelled as in the file, or for any opcode if it is NULL.
 * `position` is 0 at first, and is set behind the row. False at the end of the file. */
bool codegen_next(const char *opcode, size_t *position, struct codegen *row);

/* The architectures where an opcode with a certain operand is native, and where one is emulated.
 * Bit n stands for mapping_arch_at(n). */
struct codegen_archs {
    uint32_t native, emulated;
};

/* These sets for the fragment at each index of mapping_catalogue_at; made by tools/embed.c. */
extern const struct codegen_archs recorded_archs[];

#endif
