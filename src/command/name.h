/* name.h - parses a name from the command line: its kind, its words, and the fragments that it
 * selects on any architecture. A name can be a whole line of PTX or SASS. Its operands then name
 * the registers of each fragment:
 *
 *     mma.sync... {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, ...    D in %f1 to %f4, A in %r1 to %r4
 *     HMMA.16816.F32 R4, R8, R16, R4                           D in R4 to R7, A in R8 to R11 */
#ifndef COMMAND_NAME_H
#define COMMAND_NAME_H

#include "catalogue/catalogue.h"
#include "report/form.h"
#include "system/system.h"

enum name_kind {
    NAME_FRAGMENT,   /* a fragment: mma.m16n8k16.d.f32, a type of mma.h, or an opcode that moves one
                        fragment */
    NAME_OPCODE,     /* an opcode of PTX with fragments, or of SASS: UTCCP, UTCSHIFT */
    NAME_ATOM,       /* an atom of CuTe or the CuTe DSL */
    NAME_PARTIAL,    /* mma.m16n8k16: all fragments that have these words */
    NAME_PATTERN,    /* 'mma.m16n8k16.*': all fragments whose names match; possibly none */
    NAME_SASS,       /* HMMA.16816.F32: at least one opcode of PTX compiles to it */
    NAME_OTHER_SASS, /* upper case like SASS, but no opcode of PTX compiles to it */
    NAME_MATRIX,     /* '(64,64):(64,1)': a matrix in shared memory */
    NAME_UNKNOWN     /* none of the above */
};

/* Sizes of buffers, including the '\0': for a name without the text around it, and for an opcode of
 * SASS. */
enum { NAME_SIZE = 512, SASS_NAME_SIZE = 128 };

/* An opcode of SASS that only occurs in emulation sequences. PTX has no opcode for it. */
#define SASS_WIDENING "MOVM.U4TO8.M832"

/* How a PTX opcode uses an instruction of SASS, the best first. It compiles to this one
 * instruction; to this one, which is larger, and moves that set half of an operand to zero
 * (mma.m8n8k16 to IMMA.16816 on sm_100); to several of these instructions; or to an emulation
 * sequence that contains it. */
enum sass_rank { SASS_IS_IT, SASS_IS_PADDED, SASS_IS_SEVERAL, SASS_IS_HELPED, SASS_RANKS };

/* A PTX opcode that compiles to an opcode of SASS on some architectures. */
struct sass_row {
    const char *ptx; /* adjacent rows of the same opcode share this pointer */
    uint32_t archs;  /* bit n for mapping_arch_at(n) */
    enum sass_rank rank;
    struct mapping_name *read; /* the parsed opcode, in the first row of the opcode; NULL until
                                  name_opcode() is called */
};

/* A PTX opcode, and its parsed name with its fragments. */
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
    const char *text;     /* a copy of the text that was parsed; NULL: all fragments */
    char name[NAME_SIZE]; /* the name without operands and surrounding text */
    enum name_kind kind;
    bool is_sass;       /* otherwise it is PTX, or the name of a fragment, an atom or a matrix */
    bool is_translated; /* SASS or an atom of CuTe: the opcode of PTX has another name */
    struct mapping_name read; /* the parsed name; for NAME_FRAGMENT, NAME_OPCODE and NAME_ATOM, with
                                 all its fragments */
    const char *ptx;          /* for UTCCP and UTCSHIFT, the opcode of PTX; otherwise NULL */
    struct operand operands[OPERANDS_MAX]; /* in a line of PTX or SASS */
    size_t operand_count;

    struct name_match *matches; /* for NAME_PATTERN and NAME_PARTIAL, the selected fragments */
    size_t match_count, match_capacity;

    struct sass_row *rows; /* for NAME_SASS, in the order of results/sass.txt */
    size_t row_count;
    uint32_t archs; /* architectures of all rows */
};

/* Parses a name. Accepts any text; refuse() explains names that select nothing. The result is in
 * the arena. */
struct name *name_read(const char *text);

/* Returns a name that selects all fragments: a pattern whose text is NULL. */
struct name *name_all(void);

/* Finds the PTX opcodes that compile to the SASS opcode of a name on an architecture, or on any
 * architecture if `arch` is 0. Only those of the best sass_rank are found, wmma last. Returns their
 * number, and sets *found to an array in the arena. *is_part is false if an opcode compiles to only
 * this one instruction (SASS_IS_IT, SASS_IS_PADDED), and true if it compiles to more. */
size_t name_ptx(const struct name *name, unsigned arch, const char ***found, bool *is_part);

/* Returns a PTX opcode with its fragments. `ptx` must be a pointer from name_ptx. Parses each
 * opcode once, and keeps the result in the name. */
struct name_opcode name_opcode(struct name *name, const char *ptx);

/* ---- Operands ---- */

/* Splits operands at the commas outside braces and brackets, up to a ';'. Skips comments, which can
 * follow an instruction in a listing. Returns the number of operands, at most OPERANDS_MAX. They
 * point into `text`. */
size_t name_split(const char *text, struct operand found[OPERANDS_MAX]);

/* Returns the index of the first operand with '[', an address or a descriptor, starting at `first`;
 * `count` if there is none. */
size_t name_address(const struct operand *operands, size_t count, size_t first);

/* True if the operand ends in ".COL", as in R6.reuse.COL. */
bool name_is_by_column(const struct operand *operand);

/* One of the HMMA.884 steps that compute mma.m8n8k4 on Volta: HMMA.884.F32.F32.STEP2 R12, R4.ROW,
 * R6.COL, R12. It computes two registers of D from all registers of A and B. */
struct name_step {
    unsigned number;
    bool is_d_f32, is_c_f32;   /* otherwise f16 */
    unsigned first_d, first_c; /* index of the first of its two registers in D and in C */
    const char *orders[2];     /* of A and B: "row" or "col" */
};

/* Parses a step. False if the opcode is not HMMA.884 with a STEP, or if there are not four
 * operands. */
bool name_step(const char *opcode, const struct operand *operands, size_t count,
               struct name_step *step);

/* Parses the step in a name. False if the name is not a line of SASS with such a step. */
bool name_read_step(const struct name *name, struct name_step *step);

/* Adds the names of the registers of a fragment, in order, from a line of PTX or SASS. Adds none if
 * the name is not such a line, if the line does not contain the registers, or if `is_part` is true.
 * A step of Volta's mma.m8n8k4 is an exception to the last rule: it names two registers of D and C;
 * the names of the others are "". MAPPING_INVALID if PTX lists registers in braces, and their
 * number is wrong. */
enum mapping_status name_registers(const struct name *name, bool is_part,
                                   const struct mapping_fragment *fragment, struct strings *names,
                                   struct mapping_error *error);

/* Finds the index of the operand that names the registers of a fragment: a list in PTX, or the
 * first register in SASS. The fragment begins `*offset` registers after that register. False if no
 * operand does, or if `is_part` is true, as for a step of Volta's mma.m8n8k4. */
bool name_place(const struct name *name, bool is_part, const struct mapping_fragment *fragment,
                size_t *index, unsigned *offset);

/* Finds the copy of a fragment that a line selects with numbers: the sparsity selector after the
 * metadata, or {byte-id, thread-id} after the scale factors. *has_choice is true if the fragment
 * has several copies. If the line has no such numbers, does not change *has_choice and *copy.
 * MAPPING_INVALID if no copy has these numbers. */
enum mapping_status name_choice(const struct name *name, const struct mapping_fragment *fragment,
                                bool *has_choice, uint32_t *copy, struct mapping_error *error);

/* True if the fragment is an A of wgmma, and the line has a shared memory descriptor in place of
 * its registers. */
bool name_in_memory(const struct name *name, const struct mapping_fragment *fragment);

/* Checks immHalfSplitoff, the number after the address of tcgen05.ld.16x32bx2 and
 * tcgen05.st.16x32bx2. MAPPING_INVALID if it differs from the number of columns of one half, which
 * is the only layout in the catalogue. MAPPING_OK for other instructions, or if there is no number.
 */
enum mapping_status name_check_split(const struct operand *operands, size_t count,
                                     const struct mapping_fragment *move,
                                     struct mapping_error *error);

#endif
