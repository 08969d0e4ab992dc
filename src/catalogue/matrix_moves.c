/* matrix_moves.c - ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16 bits to and from registers.
 *
 * Sections are those of the PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix" and the two
 * behind it, which write
 *
 *   ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared{::cta}}.b16
 *   stmatrix.sync.aligned.m8n8.x4{.trans}{.shared{::cta}}.b16
 *   movmatrix.sync.aligned.m8n8.trans.b16
 *
 * ptxas takes the words in any order, and .sync any number of times. What it takes beside these is
 * not in the catalogue: ldmatrix of m16n16 and m8n16, stmatrix of m16n8, which move elements of 8,
 * 6 and 4 bits, and are of sm_100a and later. */
#include "catalogue/bases.h"
#include "catalogue/family.h"

/* Registers, (32, 2 * count) -> count x 8 x 8, and transposed. */
#define R_X2 "i1 | t2 t3 t4 | i0 t0 t1"
#define R_X4 "i1 i2 | t2 t3 t4 | i0 t0 t1"
#define R_X2_TRANSPOSED "i1 | i0 t0 t1 | t2 t3 t4"
#define R_X4_TRANSPOSED "i1 i2 | i0 t0 t1 | t2 t3 t4"

/* Which thread brings the address of which row, (8 * count, 1) -> count x 8 x 1. */
#define P_X1 "t0 t1 t2 |"
#define P_X2 "t3 | t0 t1 t2 |"
#define P_X4 "t3 t4 | t0 t1 t2 |"

/* ---- ldmatrix ---- */

static const struct fragment_group ldmatrix_groups[] = {
    /* clang-format off */
    {.shape = {8, 8, 1}, .since = 75, .ptx = 65, .section = "9.7.14.5.15",
     .rows = {
        {.operands = R, .types = B16, .bases = D_8X8},
        {.operands = R, .types = B16, .is_transposed = true, .bases = B_8X8_16BIT},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X1},
     }},
    {.shape = {8, 8, 2}, .blocks = 2, .since = 75, .ptx = 65, .section = "9.7.14.5.15",
     .rows = {
        {.operands = R, .types = B16, .bases = R_X2},
        {.operands = R, .types = B16, .is_transposed = true, .bases = R_X2_TRANSPOSED},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X2},
     }},
    {.shape = {8, 8, 4}, .blocks = 4, .since = 75, .ptx = 65, .section = "9.7.14.5.15",
     .rows = {
        {.operands = R, .types = B16, .bases = R_X4},
        {.operands = R, .types = B16, .is_transposed = true, .bases = R_X4_TRANSPOSED},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X4},
     }},
    /* clang-format on */
};

static const struct opcode_row ldmatrix_opcodes[] = {
    /* clang-format off */
    {.shape = {8, 8, 1}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 75, .ptx = 65},
    {.shape = {8, 8, 2}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 75, .ptx = 65},
    {.shape = {8, 8, 4}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 75, .ptx = 65},
    /* clang-format on */
};

static const struct opcode_form ldmatrix_forms[] = {{
    .start = "ldmatrix.sync.aligned",
    .mnemonic = "ldmatrix",
    .words = "sync+ aligned shared|shared::cta?",
    .parts = {PART_MN, PART_COUNT, PART_TRANS, PART_A},
    .rows = ldmatrix_opcodes,
    .row_count = sizeof ldmatrix_opcodes / sizeof *ldmatrix_opcodes,
}};

const struct family mapping_ldmatrix = {
    .instruction = MAPPING_LDMATRIX,
    .name = "ldmatrix",
    .shape_style = SHAPE_MN_COUNT,
    .threads = 32,
    .probe = PROBE_LDMATRIX,
    .results = "ldmatrix",
    .groups = ldmatrix_groups,
    .group_count = sizeof ldmatrix_groups / sizeof *ldmatrix_groups,
    .fragment_count = 9,
    .in_registers = R | P,
    .forms = ldmatrix_forms,
    .form_count = sizeof ldmatrix_forms / sizeof *ldmatrix_forms,
    .opcode_count = 6,
    .find = mapping_find_by_forms,
};

/* ---- stmatrix ---- */

static const struct fragment_group stmatrix_groups[] = {
    /* clang-format off */
    {.shape = {8, 8, 1}, .since = 90, .ptx = 78, .section = "9.7.14.5.16",
     .rows = {
        {.operands = R, .types = B16, .bases = D_8X8},
        {.operands = R, .types = B16, .is_transposed = true, .bases = B_8X8_16BIT},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X1},
     }},
    {.shape = {8, 8, 2}, .blocks = 2, .since = 90, .ptx = 78, .section = "9.7.14.5.16",
     .rows = {
        {.operands = R, .types = B16, .bases = R_X2},
        {.operands = R, .types = B16, .is_transposed = true, .bases = R_X2_TRANSPOSED},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X2},
     }},
    {.shape = {8, 8, 4}, .blocks = 4, .since = 90, .ptx = 78, .section = "9.7.14.5.16",
     .rows = {
        {.operands = R, .types = B16, .bases = R_X4},
        {.operands = R, .types = B16, .is_transposed = true, .bases = R_X4_TRANSPOSED},
        {.operands = P, .types = B16, .bits = 32, .bases = P_X4},
     }},
    /* clang-format on */
};

static const struct opcode_row stmatrix_opcodes[] = {
    /* clang-format off */
    {.shape = {8, 8, 1}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 90, .ptx = 78},
    {.shape = {8, 8, 2}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 90, .ptx = 78},
    {.shape = {8, 8, 4}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, .since = 90, .ptx = 78},
    /* clang-format on */
};

static const struct opcode_form stmatrix_forms[] = {{
    .start = "stmatrix.sync.aligned",
    .mnemonic = "stmatrix",
    .words = "sync+ aligned shared|shared::cta?",
    .parts = {PART_MN, PART_COUNT, PART_TRANS, PART_A},
    .rows = stmatrix_opcodes,
    .row_count = sizeof stmatrix_opcodes / sizeof *stmatrix_opcodes,
}};

const struct family mapping_stmatrix = {
    .instruction = MAPPING_STMATRIX,
    .name = "stmatrix",
    .shape_style = SHAPE_MN_COUNT,
    .threads = 32,
    .probe = PROBE_STMATRIX,
    .results = "ldmatrix",
    .groups = stmatrix_groups,
    .group_count = sizeof stmatrix_groups / sizeof *stmatrix_groups,
    .fragment_count = 9,
    .in_registers = R | P,
    .forms = stmatrix_forms,
    .form_count = sizeof stmatrix_forms / sizeof *stmatrix_forms,
    .opcode_count = 6,
    .find = mapping_find_by_forms,
};

/* ---- movmatrix ---- */

/* Both in rows and columns of the matrix before it is transposed. */
static const struct fragment_group movmatrix_groups[] = {
    /* clang-format off */
    {.shape = {8, 8, 1}, .since = 75, .ptx = 78, .section = "9.7.14.5.17",
     .rows = {
        {.operands = A, .types = B16, .bases = D_8X8},
        {.operands = D, .types = B16, .is_transposed = true, .bases = B_8X8_16BIT},
     }},
    /* clang-format on */
};

static const struct opcode_row movmatrix_opcodes[] = {
    {.shape = {8, 8, 1}, .moves = TRANSPOSED, .a = B16, .since = 75, .ptx = 78},
};

static const struct opcode_form movmatrix_forms[] = {{
    .start = "movmatrix.sync.aligned",
    .mnemonic = "movmatrix",
    .words = "sync+ aligned",
    .parts = {PART_MN, PART_TRANS, PART_A},
    .rows = movmatrix_opcodes,
    .row_count = sizeof movmatrix_opcodes / sizeof *movmatrix_opcodes,
}};

const struct family mapping_movmatrix = {
    .instruction = MAPPING_MOVMATRIX,
    .name = "movmatrix",
    .shape_style = SHAPE_MN,
    .threads = 32,
    .probe = PROBE_MOVMATRIX,
    .results = "ldmatrix",
    .groups = movmatrix_groups,
    .group_count = sizeof movmatrix_groups / sizeof *movmatrix_groups,
    .fragment_count = 2,
    .in_registers = A | D,
    .forms = movmatrix_forms,
    .form_count = sizeof movmatrix_forms / sizeof *movmatrix_forms,
    .opcode_count = 1,
    .find = mapping_find_by_forms,
};
