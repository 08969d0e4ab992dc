/* outcomes.h - what all opcodes become on all architectures, as a table: made by measure.h, printed
 * as results/sass.txt, and read back from such a file. */
#ifndef OUTCOMES_H
#define OUTCOMES_H

#include "source/sass/tools.h"

#include "system/printer.h"

/* What an opcode becomes on one architecture; see assembled.h. */
struct outcome {
    char *sass; /* owned; NULL where nothing is known */
    unsigned instructions;
};

struct outcomes {
    struct mapping_opcode *opcodes; /* owned, in the order of the file */
    size_t count;
    struct outcome *outcome;                          /* owned; see outcomes_at */
    struct tool_versions versions[MAPPING_ARCHS_MAX]; /* for mapping_arch_at(n); "" where unknown */
};

/* Makes a table in which nothing is known. MAPPING_FAILED if out of memory; free it in any case. */
enum mapping_status outcomes_init(struct outcomes *outcomes, struct mapping_error *error);

void outcomes_free(struct outcomes *outcomes);

/* The outcome of opcodes[opcode] on mapping_arch_at(arch). */
struct outcome *outcomes_at(const struct outcomes *outcomes, size_t opcode, size_t arch);

/* True if the architecture, 75 for sm_75, has the opcode, and nvdisasm prints it. */
bool outcomes_has(const struct mapping_opcode *opcode, unsigned arch);

/* How many opcodes the architecture has. */
size_t outcomes_on(const struct outcomes *outcomes, unsigned arch);

/* Prints what is known, as a file. */
void outcomes_print(const struct outcomes *outcomes, struct printer *to);

/* Prints one: "2 HMMA.16816.F32; 18 instructions". */
void outcome_print(const struct outcome *outcome, struct printer *to);

/* True if the text begins as such a file does. */
bool outcomes_begin(const char *text);

/* Reads such a file into a table in which nothing is known. MAPPING_INVALID with the line that is
 * malformed: every opcode has to be there, in order, with each architecture that the head of the
 * file names and that has it, once. */
enum mapping_status outcomes_read(const char *text, struct outcomes *outcomes,
                                  struct mapping_error *error);

#endif
