/* name.h - a name from the command line, read once: of what kind it is, its words, the fragments
 * that it selects on any architecture, and the operands of a line of PTX or SASS, which give
 * registers:
 *
 *     mma.sync... {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, ...    D in %f1 to %f4, A in %r1 to %r4
 *     HMMA.16816.F32 R4, R8, R16, R4                           D in R4 to R7, A in R8 to R11 */
#ifndef COMMAND_NAME_H
#define COMMAND_NAME_H

#include "catalogue/catalogue.h"
#include "report/form.h"
#include "system/system.h"

enum name_kind {
    NAME_FRAGMENT,   /* mma.m16n8k16.d.f32, a type of mma.h, or an opcode that moves one fragment */
    NAME_OPCODE,     /* of PTX, with fragments */
    NAME_ATOM,       /* of CuTe or the CuTe DSL */
    NAME_PARTIAL,    /* mma.m16n8k16: fragments that the words fit */
    NAME_PATTERN,    /* 'mma.m16n8k16.*': fragments whose names match; there may be none */
    NAME_SASS,       /* HMMA.16816.F32: some opcode of PTX becomes it */
    NAME_OTHER_SASS, /* in capitals, as SASS; no opcode of PTX becomes it */
    NAME_MATRIX,     /* '(64,64):(64,1)': a matrix in shared memory */
    NAME_UNKNOWN     /* nothing of all that */
};

/* The largest size of a name: an opcode without the text around it; and of one in SASS. */
enum { NAME_SIZE = 512, SASS_NAME_SIZE = 128 };

/* A part of emulated instructions that no opcode of PTX names. */
#define SASS_WIDENING "MOVM.U4TO8.M832"

/* A PTX opcode compiles to one such instruction; to one, of which others set a part to zero; to
 * several; or is emulated with them. */
enum sass_rank { SASS_IS_IT, SASS_IS_PADDED, SASS_IS_SEVERAL, SASS_IS_HELPED, SASS_RANKS };

/* A PTX opcode that compiles to an opcode of SASS on some architectures. */
struct sass_row {
    const char *ptx; /* adjacent rows of one opcode share it */
    uint32_t archs;  /* bit n for mapping_arch_at(n) */
    enum sass_rank rank;
};

/* A PTX opcode and its fragments. */
struct name_opcode {
    const char *text;
    const struct mapping_name *read;
};

/* A fragment, and its index in the catalogue. */
struct name_match {
    struct mapping_fragment fragment;
    size_t index;
};

struct name {
    const char *text;     /* a copy of what was given; NULL: all fragments */
    char name[NAME_SIZE]; /* without operands and what is around it */
    enum name_kind kind;
    bool is_sass;             /* else a name, or PTX */
    bool is_translated;       /* its opcodes are called otherwise: SASS, or an atom of CuTe */
    struct mapping_name read; /* of a fragment, an opcode or an atom all that it selects */
    const char *ptx;          /* of a copy into Tensor Memory, UTCCP: the opcode; else NULL */
    struct operand operands[OPERANDS_MAX]; /* what follows the opcode in a line of PTX or SASS */
    size_t operand_count;

    struct name_match *matches; /* of a pattern or a partial name: what it selects */
    size_t match_count, match_room;

    struct sass_row *rows; /* of SASS, as they are recorded */
    size_t row_count;
    uint32_t archs;              /* of all rows */
    struct name_opcode *opcodes; /* that were read: see name_opcode */
    size_t opcode_count, opcode_room;
};

/* Reads a name. */
struct name *name_read(const char *text);

/* A name for all fragments. */
struct name *name_all(void);

/* Finds the PTX opcodes of a name of SASS on an architecture, or on any if `arch` is 0: those that
 * compile to this one instruction; if there are none, those that compile to several; otherwise
 * those that are emulated with it. *is_part is false only for the first kind. Returns their number.
 */
size_t name_ptx(const struct name *name, unsigned arch, const char ***found, bool *is_part);

/* The fragments of a PTX opcode that name_ptx found. Each opcode is read once for each name. */
struct name_opcode name_opcode(struct name *name, const char *ptx);

/* True if the text is a line of SASS but for its case; writes the opcode. */
bool name_is_sass_in_lower_case(const char *text, char opcode[SASS_NAME_SIZE]);

/* ---- Operands ---- */

/* Splits operands at the commas outside of braces and brackets; returns their number, at most
 * OPERANDS_MAX. In a listing a comment may follow the instruction. */
size_t name_split(const char *text, struct operand found[OPERANDS_MAX]);

/* True for an operand such as R6.reuse.COL. */
bool name_is_by_column(const struct operand *operand);

/* A step of Volta's product, HMMA.884.F32.F32.STEP2 R12, R4.ROW, R6.COL, R12. It computes two
 * registers of D from all of A and B. */
struct name_step {
    unsigned number;
    bool is_d_f32, is_c_f32;   /* else f16 */
    unsigned first_d, first_c; /* the first of its two registers of D, and of C */
    const char *orders[2];     /* of A and B: "row" or "col" */
};

/* Reads a step; false if the opcode is another one, or does not have four operands. */
bool name_step(const char *opcode, const struct operand *operands, size_t count,
               struct name_step *step);

/* Reads the step in a name, if it has operands. */
bool name_read_step(const struct name *name, struct name_step *step);

/* Adds the names of the registers that hold a fragment, in order, from the line of PTX or SASS.
 * Adds none if the name is no such line, if the line does not name them, or if the line of SASS is
 * only a part of what a PTX opcode compiles to. A step of Volta's product names only some registers
 * of D and C; the names of the others are "". MAPPING_INVALID if a line of PTX does not list as
 * many registers as the fragment has. */
enum mapping_status name_registers(const struct name *name, bool is_part,
                                   const struct mapping_fragment *fragment, struct strings *names,
                                   struct mapping_error *error);

/* Finds the index of the operand that names the registers of a fragment: the list in a line of PTX,
 * or a register in SASS. The fragment begins `*offset` registers after that register. False if
 * name_registers adds no names. */
bool name_place(const struct name *name, bool is_part, const struct mapping_fragment *fragment,
                size_t *index, unsigned *offset);

/* Finds the copy of a fragment that the line selects with numbers: the sparsity selector behind
 * metadata, or {byte-id, thread-id} behind scale factors. Neither is changed if there are none.
 * MAPPING_INVALID if they select no copy. */
enum mapping_status name_choice(const struct name *name, const struct mapping_fragment *fragment,
                                bool *has_choice, uint32_t *copy, struct mapping_error *error);

/* True if the line has a descriptor of shared memory in place of the operand's registers: A of
 * wgmma. */
bool name_in_memory(const struct name *name, const struct mapping_fragment *fragment);

/* Fails if the operands of an instruction contain a number that the layout depends on, and the
 * layout that is shown has another: immHalfSplitoff of tcgen05.ld.16x32bx2, behind its address. */
enum mapping_status name_check_split(const struct operand *operands, size_t count,
                                     const struct mapping_fragment *move,
                                     struct mapping_error *error);

#endif
