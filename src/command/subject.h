/* subject.h - resolves a name from the command line. A name may be a line of PTX or SASS, which
 * also gives the registers of the operands:
 *
 *     mma.sync... {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, ...    D in %f1 to %f4, A in %r1 to %r4
 *     HMMA.16816.F32 R4, R8, R16, R4                           D in R4 to R7, A in R8 to R11 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "catalogue/catalogue.h"
#include "report/form.h"
#include "system/system.h"

enum subject_kind {
    SUBJECT_PATTERN, /* 'mma.m16n8k16.*': fragments whose names match */
    SUBJECT_PARTIAL, /* mma.m16n8k16: fragments that the words fit */
    SUBJECT_NAMED,   /* one fragment, or all of an opcode or atom */
    SUBJECT_SASS     /* HMMA.16816.F32: the fragments of what it stands for on an architecture */
};

/* The largest size of a name: an opcode without the text around it. */
enum { SUBJECT_SIZE = 512 };

struct subject {
    const char *text;        /* as it was given */
    char name[SUBJECT_SIZE]; /* without operands and what is around it */
    enum subject_kind kind;
    struct mapping_name read;
    struct strings opcodes; /* that are named; of SASS they depend on the architecture */
    bool is_translated;     /* they are called otherwise: SASS, or an atom of CuTe */
    bool is_part;           /* of SASS: they become more than this one instruction */
    bool is_sass;           /* else a name, or PTX */
    struct operand operands[OPERANDS_MAX]; /* what follows the opcode in a line of PTX or SASS */
    size_t operand_count;
    uint32_t archs; /* of SASS: bit n for mapping_arch_at(n) */
};

/* A step of Volta's product, HMMA.884.F32.F32.STEP2 R12, R4.ROW, R6.COL, R12. It computes two
 * registers of D from all of A and B. */
struct subject_step {
    unsigned number;
    bool is_d_f32, is_c_f32;   /* else f16 */
    unsigned first_d, first_c; /* the first of its two registers of D, and of C */
    const char *orders[2];     /* of A and B: "row" or "col" */
};

/* Reads a step; false if the opcode is another one, or does not have four operands. */
bool subject_step(const char *opcode, const struct operand *operands, size_t count,
                  struct subject_step *step);

/* Reads the step in a subject, if it has operands. */
bool subject_read_step(const struct subject *subject, struct subject_step *step);

/* True for an operand such as R6.reuse.COL. */
bool subject_is_by_column(const struct operand *operand);

/* Splits operands at the commas outside of braces and brackets; returns their number, at most
 * OPERANDS_MAX. In a listing a comment may follow the instruction. */
size_t subject_split(const char *text, struct operand found[OPERANDS_MAX]);

/* Reads a name; `arch` is the architecture that was asked for, or 0. If the name selects nothing,
 * MAPPING_INVALID with the nearest names that exist. */
enum mapping_status subject_read(const char *text, unsigned arch, struct subject *subject,
                                 struct mapping_error *error);

/* Adds the names of the registers that hold a fragment, in order, from the line of PTX or SASS.
 * Adds none if the subject is no such line, if the line does not name them, or if the line of SASS
 * is only a part of what a PTX opcode compiles to. A step of Volta's product names only some
 * registers of D and C; the names of the others are "". MAPPING_INVALID if a line of PTX does not
 * list as many registers as the fragment has. */
enum mapping_status subject_registers(const struct subject *subject,
                                      const struct mapping_fragment *fragment,
                                      struct strings *names, struct mapping_error *error);

/* Finds the index of the operand that names the registers of a fragment: the list in a line of PTX,
 * or a register in SASS. The fragment begins `*offset` registers after that register. False if
 * subject_registers adds no names. */
bool subject_place(const struct subject *subject, const struct mapping_fragment *fragment,
                   size_t *index, unsigned *offset);

/* Finds the copy of a fragment that the line selects with numbers: the sparsity selector behind
 * metadata, or {byte-id, thread-id} behind scale factors. Neither is changed if there are none.
 * MAPPING_INVALID if they select no copy. */
enum mapping_status subject_choice(const struct subject *subject,
                                   const struct mapping_fragment *fragment, bool *has_choice,
                                   uint32_t *copy, struct mapping_error *error);

/* True if the line has a descriptor of shared memory in place of the operand's registers: A of
 * wgmma. */
bool subject_in_memory(const struct subject *subject, const struct mapping_fragment *fragment);

/* Adds the PTX opcodes of a SASS opcode on an architecture, or on any if `arch` is 0: those that
 * compile to this one instruction; if there are none, those that compile to several; otherwise
 * those that are emulated with it. *is_part is false only for the first kind. */
void subject_opcodes(const char *opcode, unsigned arch, struct strings *opcodes, bool *is_part);

/* False if the operands of a line of SASS show that it is not part of this PTX opcode: a step of
 * Volta's product gives the order of A and B. */
bool subject_is_meant(const struct subject *subject, const char *opcode);

/* Fails if the operands of an instruction contain a number that the layout depends on, and the
 * layout that is shown has another: immHalfSplitoff of tcgen05.ld.16x32bx2, behind its address. */
enum mapping_status subject_check_split(const struct operand *operands, size_t count,
                                        const struct mapping_fragment *move,
                                        struct mapping_error *error);

/* Finds the next fragment from *position on, which starts at 0, that a pattern, or a name with
 * words left out, selects, among a listed fragment and its other widths. All widths are listed as
 * one fragment; others are found if the name excludes that one. */
bool subject_next(const struct subject *subject, const struct mapping_fragment *listed,
                  size_t *position, struct mapping_fragment *found);

#endif
