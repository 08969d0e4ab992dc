/* codegen.h - the SASS that ptxas generates for an opcode, and the lines of results/sass.txt that
 * record it:
 *
 *     OPCODE on sm_89, sm_120: 1 QMMA.16832.F32.E4M3.E4M3; 1 instruction
 *     OPCODE on sm_90, sm_100: 2 HMMA.16816.F32; 18 instructions
 *     OTHER on sm_80: none; 24 instructions
 *
 * A line first lists the instructions that multiply on tensor cores or move matrices, in the order
 * of the listing. Equal instructions that follow each other in this list are counted, such as 2
 * HMMA.16816.F32. The part after the last semicolon is the number of additional instructions: those
 * of a kernel with the opcode minus those of a kernel without it. Loads of constants, which fetch
 * parameters, and instructions that never execute are not counted. All instructions of a subroutine
 * are counted, once. If many instructions emulate the opcode, ptxas may also compile the rest of
 * the kernel differently, so the number may be off by one or two. */
#ifndef REPORT_CODEGEN_H
#define REPORT_CODEGEN_H

#include "catalogue/fragment.h"

/* The size of the buffer for a list of instructions. */
#define CODEGEN_SASS_SIZE 1024

/* The SASS of an opcode on some architectures. */
struct codegen {
    char opcode[MAPPING_OPCODE_SIZE];
    uint32_t archs;               /* bit n: mapping_arch_at(n) */
    char sass[CODEGEN_SASS_SIZE]; /* the list in the file: "2 HMMA.16816.F32", "none" */
    unsigned tensor_cores;        /* number of instructions in this list */
    unsigned instructions;        /* number of all instructions, at least tensor_cores */
};

/* The number of other instructions that a native opcode may have: on sm_100 and later, m16n8k16
 * computes m8n8k16 of 8 bits, and two moves set the other half to zero. */
#define CODEGEN_PADDING 2

/* True if the opcode is native: tensor cores, or instructions that move matrices, execute it, in
 * one instruction or several. At most CODEGEN_PADDING others set registers. It is emulated if other
 * instructions, always at least 4, convert, unpack, sort or add operands or results, or if no
 * tensor-core instruction is used. */
bool codegen_is_native(const struct codegen *row);

/* A run of equal instructions. */
struct codegen_run {
    unsigned count;
    int length; /* length of the name */
    const char *name;
};

/* Reads the next run of a list of instructions, and advances *sass: for "2 HMMA.16816.F32", count 2
 * and the name. False at the end, and for "none". */
bool codegen_next_run(const char **sass, struct codegen_run *run);

/* True for the name of an instruction that multiplies on tensor cores or moves matrices. Modifiers
 * may follow the name. */
bool codegen_is_tensor_core(const char *name);

/* Parses a line up to its '\n'. False if it is not a row. */
bool codegen_parse(const char *line, struct codegen *row);

#endif
