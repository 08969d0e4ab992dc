/* annotated.h - prints annotated listings. */
#ifndef OUTPUT_ANNOTATED_H
#define OUTPUT_ANNOTATED_H

#include "output/output.h"
#include "report/facts.h"
#include "report/form.h"
#include "system/system.h"

/* Prints the meaning of an instruction, and the registers or addresses of its operands:
 * "mma.m16n8k16 f32 += f16 f16: D R4-R7, A R8-R11, B R16-R17, C R4-R7". */
void print_annotated(struct printer *to, const struct annotated *instruction);

/* Prints an instruction of a line as a comment, and its details on the next lines. The comment is
 * after the line if it is the only known instruction of the line; otherwise on its own line, with
 * the opcode. */
void print_annotation(struct printer *to, const struct annotated_line *line,
                      const struct annotated *one, bool is_alone);

/* The number of known instructions of a line. */
size_t annotated_count(const struct annotated_line *line);

/* Prints the registers or the address of an operand: "R4-R7", "%f1-%f4", "[R200]". */
void print_annotated_operand(struct printer *to, const struct annotated *instruction,
                             const struct form_operand *of);

/* Adds the names of the registers of an operand, in order. */
void annotated_registers(const struct annotated *instruction, const struct form_operand *of,
                         struct strings *names);

/* Prints the origin of the registers of an operand: "A from LDSM.16.M88.4 at 0x210: layouts agree".
 */
void print_origin(struct printer *to, const char *label, const struct origin *origin);

/* Where an instruction takes an operand from, as "origin"; and for operand 0, the notes on the
 * instruction. */
struct facts annotated_facts(const struct annotated *one, size_t operand);

/* A listing in each format: members of struct output. */
#define LISTING_FORMAT(format)                                                                     \
    void listing_##format##_line(struct printer *to, const struct annotated_line *line);           \
    void listing_##format##_end(struct printer *to, const struct listing_summary *summary,         \
                                const struct style *style);
LISTING_FORMAT(text)
LISTING_FORMAT(json)
LISTING_FORMAT(csv)
LISTING_FORMAT(markdown)
LISTING_FORMAT(html)

#endif
