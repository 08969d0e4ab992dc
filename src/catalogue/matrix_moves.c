/* matrix_moves.c - ldmatrix, stmatrix, movmatrix: move 8 x 8 matrices of 16 bits to and from
 * registers.
 *
 * Section numbers in this file refer to the PTX ISA 9.0: "Warp-level matrix load instruction:
 * ldmatrix" and the next two sections. The syntax is
 *
 *   ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared{::cta}}.b16
 *   ldmatrix.sync.aligned.m16n16.x2.trans{.shared{::cta}}.b8
 *   ldmatrix.sync.aligned.m16n16.x2.trans{.shared{::cta}}.b8x16.b4x16_p64
 *   ldmatrix.sync.aligned.m8n16.x4{.shared{::cta}}.b8x16.b6x16_p32
 *   ldmatrix.sync.aligned.m8n16.x4{.shared{::cta}}.s8.s4
 *   stmatrix.sync.aligned.m8n8.x4{.trans}{.shared{::cta}}.b16
 *   stmatrix.sync.aligned.m16n8.x4.trans{.shared{::cta}}.b8
 *   movmatrix.sync.aligned.m8n8.trans.b16
 *
 * ptxas accepts the words of an opcode in any order, but the two words of a format must keep their
 * order. It accepts .sync several times. .s8.s4 comes from PTX ISA 9.4. Table 72 lists its targets:
 * sm_90a, sm_100f, sm_110f, sm_120f. Its layouts in registers and in memory are those of .b4x16_p64
 * with the same shape.
 *
 * Rows and columns are those in shared memory, even if the matrix is transposed on the way. A row
 * in shared memory always has 16 bytes: 8 elements of 16 bits; 16 of 8 bits; 16 of 6 bits and 32
 * bits of padding; or 16 of 4 bits, signed or not, and 64 bits of padding. In registers, elements
 * of 4 and 6 bits take 8 bits each.
 *
 * The PTX ISA shows m16n16, m8n16 and m16n8 only in figures. Their layouts here come from its text
 * and from CUTLASS 4.2 (copy_traits_sm100.hpp), which tests/catalogue/moves_cute.py evaluates. Two
 * facts are surprising:
 *
 * - A matrix of m16n16 has 16 rows, so it needs 16 addresses. The table of addresses in the PTX ISA
 *   is for 8 rows.
 * - According to CUTLASS (fp4_shift_A in mma_traits_sm120.hpp), a 4-bit element arrives in bits 3:0
 *   of its byte. CUTLASS shifts it to bits 5:2, because kind::f8f6f4 reads those. The PTX ISA says
 *   that 4 bits are padding, but not which ones. */
#include "catalogue/base_rows.h"
#include "catalogue/family.h"

/* Notes for the user. */
#define NOTE_6_BITS                                                                                \
    "an element is in bits 5:0 of its byte, as kind::f8f6f4 requires; in memory, 16 elements "     \
    "are packed and followed by 32 bits of padding"
#define NOTE_4_BITS                                                                                \
    "an element is in bits 3:0 of its byte (CUTLASS 4.2), so shift it to bits 5:2 for "            \
    "kind::f8f6f4; the PTX ISA says that 4 bits are padding, but does not say which bits; in "     \
    "memory, 16 elements are packed and followed by 64 bits of padding"
#define NOTE_SIGNED                                                                                \
    "an element is sign-extended to 8 bits; in memory, 16 elements are packed, the first in "      \
    "the lowest bits, and the next 64 bits are not read; "                                         \
    "tests/source/gpu/signed_moves.cu printed this layout on an H200, but results/ has no "        \
    "record of that, so it does not count as confirmed"
#define NOTE_16_ADDRESSES                                                                          \
    "a matrix has 16 rows, so 16 threads supply its addresses, although the PTX ISA lists 8 "      \
    "addresses for each matrix"
#define NOTE_16X8                                                                                  \
    "the matrix has 8 rows of 16 bytes in memory, although the name of the shape is m16n8"

/* Rows of operands: registers, and the addresses of rows of 16 bytes in memory. */
#define R_IS .operands = R, .bits = 8
#define P_IS .operands = P, .bits = 32
#define NARROW .since = 100, .suffix = MAPPING_SUFFIX_A_OR_F, .ptx = 86
#define SIGNED .since = 90, .suffix = MAPPING_SUFFIX_A_OR_F, .ptx = 94

/* The groups that move 1, 2 and 4 matrices. In registers, the bits `low` and `high` of i number the
 * matrices; in addresses, t3 and t4. */
#define EACH_COUNT(group, low, high, ...)                                                          \
    group(1, "", "", __VA_ARGS__), group(2, low " | ", "t3 | ", __VA_ARGS__),                      \
        group(4, low " " high " | ", "t3 t4 | ", __VA_ARGS__)

/* clang-format off */

/* Elements of 16 bits: as C and D of mma; transposed, as B of mma. */
#define MATRICES_8X8(count, i_bits, t_bits, ...)                                                   \
    {.shape = {8, 8, count}, .blocks = (count), __VA_ARGS__,                                       \
     .rows = {{.operands = R, .types = B16, .bases = i_bits D_8X8},                                \
              {.operands = R, .types = B16, .is_transposed = true, .bases = i_bits B_8X8_16BIT},   \
              {.operands = P, .types = B16, .bits = 32, .bases = t_bits "t0 t1 t2 |"}}}

/* Elements of 6 and 4 bits, which occupy 8 bits in registers. */
#define R_8X16 "t2 t3 t4 | i0 i1 t0 t1" /* (32, 4 * count) -> count x 8 x 16 */
#define MATRICES_8X16(count, i_bits, t_bits, ...)                                                  \
    {.shape = {8, 16, count}, .blocks = (count), __VA_ARGS__,                                      \
     .rows = {{.types = B6, R_IS, .bases = i_bits R_8X16, .agrees = CUTLASS, .note = NOTE_6_BITS}, \
              {.types = B4, R_IS, .bases = i_bits R_8X16, .agrees = CUTLASS, .note = NOTE_4_BITS}, \
              {.types = B6 | B4, P_IS, .bases = t_bits "t0 t1 t2 |", .agrees = CUTLASS}}}
#define MATRICES_8X16_SIGNED(count, i_bits, t_bits, ...)                                           \
    {.shape = {8, 16, count}, .blocks = (count), __VA_ARGS__,                                      \
     .rows = {{.types = S4, R_IS, .bases = i_bits R_8X16, .note = NOTE_SIGNED},                    \
              {.types = S4, P_IS, .bases = t_bits "t0 t1 t2 |"}}}

/* 16 rows, transposed: (32, 8 * count) -> count x 16 x 16. */
#define R_16X16 .is_transposed = true, R_IS, .bases
#define MATRICES_16X16(count, i_bits, t_bits, ...)                                                 \
    {.shape = {16, 16, count}, .blocks = (count), __VA_ARGS__,                                     \
     .rows = {{.types = B8, R_16X16 = i_bits "i0 i1 t0 t1 | t2 t3 t4 i2", .agrees = CUTLASS},      \
              {.types = B6, R_16X16 = i_bits "i0 i1 t0 t1 | t2 t3 t4 i2", .note = NOTE_6_BITS},    \
              {.types = B4, R_16X16 = i_bits "i0 i1 t0 t1 | t2 t3 t4 i2", .note = NOTE_4_BITS},    \
              {.types = B8, P_IS, .bases = t_bits "t0 t1 t2 t3 |", .agrees = CUTLASS,              \
               .note = NOTE_16_ADDRESSES},                                                         \
              {.types = B6 | B4, P_IS, .bases = t_bits "t0 t1 t2 t3 |",                            \
               .note = NOTE_16_ADDRESSES}}}

/* stmatrix of 8 bits, transposed: (32, 4 * count) -> count x 8 x 16. */
#define MATRICES_16X8(count, i_bits, t_bits, ...)                                                  \
    {.shape = {16, 8, count}, .blocks = (count), .has_rows_of_m = true, __VA_ARGS__,               \
     .rows = {{.types = B8, R_IS, .is_transposed = true,                                           \
               .bases = i_bits "i0 t0 t1 | t2 t3 t4 i1", .agrees = CUTLASS, .note = NOTE_16X8},    \
              {.types = B8, P_IS, .bases = t_bits "t0 t1 t2 |", .agrees = CUTLASS}}}
/* clang-format on */

/* ---- ldmatrix ---- */

#define LDMATRIX .section = "9.7.14.5.15"
#define STMATRIX .section = "9.7.14.5.16"

static const struct fragment_group ldmatrix_groups[] = {
    EACH_COUNT(MATRICES_8X8, "i1", "i2", LDMATRIX, .since = 75, .ptx = 65),
    EACH_COUNT(MATRICES_8X16, "i2", "i3", LDMATRIX, NARROW),
    EACH_COUNT(MATRICES_8X16_SIGNED, "i2", "i3", SIGNED, .section = "9.7.16.5.15"),
    MATRICES_16X16(1, "", "", LDMATRIX, NARROW),
    MATRICES_16X16(2, "i3 | ", "t4 | ", LDMATRIX, NARROW),
};

/* clang-format off */
#define OPCODES_8X8(count, low, high, ...)                                                         \
    {.shape = {8, 8, count}, .moves = AS_IT_LIES | TRANSPOSED, .a = B16, __VA_ARGS__}
#define OPCODES_8X16(count, low, high, ...)                                                        \
    {.shape = {8, 16, count}, .a = B6 | B4, __VA_ARGS__},                                          \
    {.shape = {8, 16, count}, .a = S4, .format = "s8.s4", SIGNED}
#define OPCODES_16X16(count)                                                                       \
    {.shape = {16, 16, count}, .moves = TRANSPOSED, .a = B8 | B6 | B4, NARROW}
#define OPCODES_16X8(count, low, high, ...)                                                        \
    {.shape = {16, 8, count}, .moves = TRANSPOSED, .a = B8, __VA_ARGS__}
/* clang-format on */

static const struct opcode_row ldmatrix_opcodes[] = {
    EACH_COUNT(OPCODES_8X8, "", "", .since = 75, .ptx = 65),
    EACH_COUNT(OPCODES_8X16, "", "", NARROW),
    OPCODES_16X16(1),
    OPCODES_16X16(2),
};

static const struct opcode_form ldmatrix_forms[] = {{
    .start = "ldmatrix.sync.aligned",
    .words = "sync+ aligned shared|shared::cta?",
    .parts = {PART_MN, PART_COUNT, PART_TRANS, PART_A},
    OPCODE_ROWS(ldmatrix_opcodes),
}};

const struct family mapping_ldmatrix = {
    .instruction = MAPPING_LDMATRIX,
    .name = "ldmatrix",
    .loads = true,
    .shape_style = SHAPE_MN_COUNT,
    .threads = 32,
    .form = LDMATRIX_FORM,
    .silent = "shared b8x16",
    GROUPS(ldmatrix_groups),
    .in_registers = R | P,
    FORMS(ldmatrix_forms),
};

/* ---- stmatrix ---- */

static const struct fragment_group stmatrix_groups[] = {
    EACH_COUNT(MATRICES_8X8, "i1", "i2", STMATRIX, .since = 90, .ptx = 78),
    EACH_COUNT(MATRICES_16X8, "i2", "i3", STMATRIX, NARROW),
};

static const struct opcode_row stmatrix_opcodes[] = {
    EACH_COUNT(OPCODES_8X8, "", "", .since = 90, .ptx = 78),
    EACH_COUNT(OPCODES_16X8, "", "", NARROW),
};

static const struct opcode_form stmatrix_forms[] = {{
    .start = "stmatrix.sync.aligned",
    .words = "sync+ aligned shared|shared::cta?",
    .parts = {PART_MN, PART_COUNT, PART_TRANS, PART_A},
    OPCODE_ROWS(stmatrix_opcodes),
}};

const struct family mapping_stmatrix = {
    .instruction = MAPPING_STMATRIX,
    .name = "stmatrix",
    .shape_style = SHAPE_MN_COUNT,
    .threads = 32,
    .form = STMATRIX_FORM,
    .silent = "shared",
    GROUPS(stmatrix_groups),
    .in_registers = R | P,
    FORMS(stmatrix_forms),
};

/* ---- movmatrix ---- */

/* Both use the rows and columns of the matrix before it is transposed. */
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
    .words = "sync+ aligned",
    .parts = {PART_MN, PART_TRANS, PART_A},
    OPCODE_ROWS(movmatrix_opcodes),
}};

const struct family mapping_movmatrix = {
    .instruction = MAPPING_MOVMATRIX,
    .name = "movmatrix",
    .shape_style = SHAPE_MN,
    .threads = 32,
    .form = MOVMATRIX_FORM,
    GROUPS(movmatrix_groups),
    .in_registers = A | D,
    .ptx_operands = "d a",
    FORMS(movmatrix_forms),
};
