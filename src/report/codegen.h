/* codegen.h - the SASS that ptxas makes of an opcode, and the lines of results/sass.txt that
 * record it:
 *
 *     OPCODE on sm_89, sm_120: 1 QMMA.16832.F32.E4M3.E4M3; 1 instruction
 *     OPCODE on sm_90, sm_100: 2 HMMA.16816.F32; 18 instructions
 *     OTHER on sm_80: none; 24 instructions
 *
 * Before the last semicolon are the instructions that multiply on tensor cores or move matrices, in
 * the order of the listing; a run of equal instructions has its number in front. After it is the
 * number of additional instructions: those of a kernel with the opcode minus those of a kernel
 * without it. Loads of constants, which fetch parameters, and instructions that never execute are
 * not counted. All instructions of a subroutine are counted, once. If many instructions emulate the
 * opcode, the code around it may differ, so the number may be off by one or two. */
#ifndef REPORT_CODEGEN_H
#define REPORT_CODEGEN_H

#include "catalogue/fragment.h"

/* Longest list of instructions with its end. */
#define CODEGEN_SASS_SIZE 1024

/* The SASS of an opcode on some architectures. */
struct codegen {
    char opcode[MAPPING_OPCODE_SIZE];
    uint32_t archs;               /* bit n: mapping_arch_at(n) */
    char sass[CODEGEN_SASS_SIZE]; /* as in the file: "2 HMMA.16816.F32", "none" */
    unsigned tensor_cores;        /* how many instructions these are */
    unsigned instructions;        /* in all; no fewer */
};

/* Instructions that may stand beside those of tensor cores: on sm_100 and later m8n8k16 of 8 bits
 * is done by m16n8k16, of which two moves set the other half to zero. */
#define CODEGEN_PADDING 2

/* True if the opcode is native: tensor cores, or what moves matrices, do all of it, in one
 * instruction or several; at most CODEGEN_PADDING others set registers. It is emulated if
 * operands or results are converted, unpacked, sorted or added up by other instructions, of which
 * there are never fewer than 4 then, or if tensor cores have no part in it. */
bool codegen_is_native(const struct codegen *row);

/* Some equal instructions that follow each other. */
struct codegen_run {
    unsigned count;
    int length; /* of the name */
    const char *name;
};

/* Reads the next run of a list of instructions, and moves *sass behind it: of "2 HMMA.16816.F32"
 * 2 and the name; false from the end on, and of "none" at once. */
bool codegen_next_run(const char **sass, struct codegen_run *run);

/* True of the name of an instruction that multiplies on tensor cores or moves matrices; it may go
 * on with modifiers. */
bool codegen_is_tensor_core(const char *name);

/* Reads a line up to its '\n'. False if it is no row. */
bool codegen_parse(const char *line, struct codegen *row);

#endif
