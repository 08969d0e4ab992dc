/* wmma.c - wmma: a warp loads and stores fragments with unspecified layouts.
 *
 * Shapes, types and registers come from the PTX ISA 9.0, "Matrix Fragments for WMMA"; PTX versions
 * and architectures from the notes of wmma.load and wmma.mma. The fragment of A or B may depend on
 * whether the matrix in memory is row-major or column-major; elements below 8 bits have only one
 * order. The fragments of C and D do not depend on the order in memory.
 *
 *   wmma.load.a.sync.aligned.row.m16n16k16{.global, .shared, .shared::cta}.f16
 *   wmma.store.d.sync.aligned.row.m16n16k16{.global, .shared, .shared::cta}.f16
 *   wmma.mma.sync.aligned.row.col.m16n16k16.dtype.ctype                if A and B are f16
 *   wmma.mma.sync.aligned.row.col.m16n16k16.dtype.atype.btype.ctype    otherwise
 *
 * with .satfinite for integers, one of .rn .rz .rm .rp in double precision, and .and.popc or
 * .xor.popc for single bits. ptxas accepts the words after the operand or after mma in any order,
 * and accepts .sync and .satfinite any number of times.
 *
 * The program rejects two forms that ptxas accepts: forms of an old .version (.satfinite with f16
 * before 6.5, no .aligned before 6.3), and loads for which the PTX ISA has no fragment and no
 * wmma.mma, such as m8n32k16.f64. */
#include "catalogue/base_rows.h"
#include "catalogue/family.h"

/* Layouts that occur several times, as (threads, elements) -> rows x columns. If no section of the
 * PTX ISA states a layout, results/wmma.txt has the observed one, and tests/report/records_test.c
 * compares both. The layouts of Volta hold A and B of f16 and bf16 twice or four times. */
#define C_16X16 "t2 t3 t4 i1 | i0 t0 t1 i2"          /* (32, 8) -> 16 x 16, also A of 16 bits */
#define C_32X8 "t2 t3 t4 i1 i2 | i0 t0 t1"           /* (32, 8) -> 32 x 8 */
#define C_8X32 "i0 t0 t1 | t2 t3 t4 i1 i2"           /* (32, 8) -> 8 x 32: 32 x 8, transposed */
#define B_16X16_16BIT "i0 t0 t1 i1 | t2 t3 t4 i2"    /* (32, 8) -> 16 x 16 */
#define A_32X16_16BIT "t2 t3 t4 i1 i3 | i0 t0 t1 i2" /* (32, 16) -> 32 x 16 */
#define A_8X16_16BIT "t2 t3 t4 | i0 t0 t1 i1"        /* (32, 4) -> 8 x 16 */
#define B_16X32_16BIT "i0 t0 t1 i2 | t2 t3 t4 i1 i3" /* (32, 16) -> 16 x 32 */

/* IN: A or B in the given orders, with copies. BOTH: A and B, each in both orders. */
#define IN(operand, of_types, in_orders, number, text)                                             \
    {.operands = (operand),                                                                        \
     .types = (of_types),                                                                          \
     .orders = (in_orders),                                                                        \
     .copies = (number),                                                                           \
     .bases = (text)},
#define BOTH(of_types, a_bases, b_bases) AB_AS(of_types, a_bases, b_bases, .orders = ROW | COL)

static const struct fragment_group groups[] = {
    /* clang-format off */
    {.shape = {16, 16, 16}, .since = 70, .layouts_until = 72, .ptx = 60,
     .rows = {IN(A, F16, ROW, 2, "t0 t1 t4 t2 | i0 i1 i2 i3")
              IN(A, F16, COL, 2, "i0 i1 t4 t2 | t0 t1 i2 i3")
              IN(B, F16, ROW, 2, "t0 t1 i2 i3 | i0 i1 t4 t3")
              IN(B, F16, COL, 2, "i0 i1 i2 i3 | t0 t1 t4 t3") CD(F32, "t0 i1 t4 t2 | i0 t1 i2 t3")
              CD(F16, "t0 t1 t4 t2 | i0 i1 i2 t3")}},
    {.shape = {32, 8, 16}, .since = 70, .layouts_until = 72, .ptx = 61,
     .rows = {IN(A, F16, ROW, 1, "t0 t1 t4 t2 t3 | i0 i1 i2 i3")
              IN(A, F16, COL, 1, "i0 i1 t4 t2 t3 | t0 t1 i2 i3")
              IN(B, F16, ROW, 4, "t0 t1 i2 i3 | i0 i1 t4")
              IN(B, F16, COL, 4, "i0 i1 i2 i3 | t0 t1 t4") CD(F32, "t0 i1 t4 t2 t3 | i0 t1 i2")
              CD(F16, "t0 t1 t4 t2 t3 | i0 i1 i2")}},
    {.shape = {8, 32, 16}, .since = 70, .layouts_until = 72, .ptx = 61,
     .rows = {IN(A, F16, ROW, 4, "t0 t1 t4 | i0 i1 i2 i3")
              IN(A, F16, COL, 4, "i0 i1 t4 | t0 t1 i2 i3")
              IN(B, F16, ROW, 1, "t0 t1 i2 i3 | i0 i1 t4 t2 t3")
              IN(B, F16, COL, 1, "i0 i1 i2 i3 | t0 t1 t4 t2 t3")
              CD(F32, "t0 i1 t4 | i0 t1 i2 t2 t3") CD(F16, "t0 t1 t4 | i0 i1 i2 t2 t3")}},
    {.shape = {8, 32, 16}, .since = 72, .layouts_until = 75, .ptx = 63,
     .rows = {CD(S32, "t2 t3 t4 | i0 t0 t1 i1 i2")}},
    {.shape = {16, 16, 16}, .since = 70, .ptx = 60,
     .rows = {IN(A, F16, ROW | COL, 2, A_16X16_16BIT)
              IN(B, F16, ROW | COL, 2, B_16X16_16BIT) CD(F32 | F16, C_16X16)}},
    {.shape = {32, 8, 16}, .since = 70, .ptx = 61,
     .rows = {IN(A, F16, ROW | COL, 1, A_32X16_16BIT)
              IN(B, F16, ROW | COL, 4, B_16X8_16BIT) CD(F32 | F16, C_32X8)}},
    {.shape = {8, 32, 16}, .since = 70, .ptx = 61,
     .rows = {IN(A, F16, ROW | COL, 4, A_8X16_16BIT)
              IN(B, F16, ROW | COL, 1, B_16X32_16BIT) CD(F32 | F16, C_8X32)}},
    {.shape = {16, 16, 16}, .since = 72, .ptx = 63,
     .rows = {BOTH(INT8, A_16X16_8BIT, "i0 i1 t0 t1 | t2 t3 t4 i2") CD(S32, C_16X16)}},
    {.shape = {32, 8, 16}, .since = 72, .ptx = 63,
     .rows = {BOTH(INT8, "t2 t3 t4 i2 i3 | i0 i1 t0 t1", B_16X8_8BIT) CD(S32, C_32X8)}},
    {.shape = {8, 32, 16}, .since = 72, .ptx = 63,
     .rows = {BOTH(INT8, "t2 t3 t4 | i0 i1 t0 t1", "i0 i1 t0 t1 | t2 t3 t4 i2 i3")
              CD(S32, C_8X32)}},
    {.shape = {8, 8, 32}, .since = 75, .ptx = 63,
     .rows = {IN(A, INT4, ROW, 1, "t2 t3 t4 | i0 i1 i2 t0 t1")
              IN(B, INT4, COL, 1, B_32X8_4BIT) CD(S32, D_8X8)}},
    {.shape = {8, 8, 128}, .since = 75, .ptx = 63,
     .rows = {IN(A, B1, ROW, 1, "t2 t3 t4 | i0 i1 i2 i3 i4 t0 t1")
              IN(B, B1, COL, 1, B_128X8_1BIT) CD(S32, D_8X8)}},
    {.shape = {16, 16, 16}, .since = 80, .ptx = 70,
     .rows = {BOTH(BF16, A_16X16_16BIT, B_16X16_16BIT)}},
    {.shape = {32, 8, 16}, .since = 80, .ptx = 70,
     .rows = {BOTH(BF16, A_32X16_16BIT, B_16X8_16BIT)}},
    {.shape = {8, 32, 16}, .since = 80, .ptx = 70,
     .rows = {BOTH(BF16, A_8X16_16BIT, B_16X32_16BIT)}},
    {.shape = {16, 16, 8}, .since = 80, .ptx = 70,
     .rows = {BOTH(TF32, A_16X8_32BIT, "t0 t1 i0 | t2 t3 t4 i1") CD(F32, C_16X16)}},
    {.shape = {8, 8, 4}, .since = 80, .ptx = 70,
     .rows = {BOTH(F64, "t2 t3 t4 | t0 t1", B_4X8_32BIT) CD(F64, D_8X8)}},
    /* clang-format on */
};

/* ---- wmma.mma ---- */

static const struct opcode_row half_opcodes[] = {
    /* clang-format off */
    {.shape = {16, 16, 16}, .orders = ALL_ORDERS, .d = F32 | F16, .a = F16, .c = F32 | F16,
     .since = 70, .ptx = 60},
    {.shape = {32, 8, 16}, .orders = ALL_ORDERS, .d = F32 | F16, .a = F16, .c = F32 | F16,
     .since = 70, .ptx = 61},
    {.shape = {8, 32, 16}, .orders = ALL_ORDERS, .d = F32 | F16, .a = F16, .c = F32 | F16,
     .since = 70, .ptx = 61},
    /* clang-format on */
};

/* A and B have the same type. */
static const struct opcode_row other_opcodes[] = {
    /* clang-format off */
    {.shape = {16, 16, 16}, .orders = ALL_ORDERS, .d = S32, .a = INT8, .words = SATURATED,
     .since = 72, .ptx = 63},
    {.shape = {32, 8, 16}, .orders = ALL_ORDERS, .d = S32, .a = INT8, .words = SATURATED,
     .since = 72, .ptx = 63},
    {.shape = {8, 32, 16}, .orders = ALL_ORDERS, .d = S32, .a = INT8, .words = SATURATED,
     .since = 72, .ptx = 63},
    {.shape = {8, 8, 32}, .d = S32, .a = INT4, .words = SATURATED, .since = 75, .ptx = 63},
    {.shape = {8, 8, 128}, .d = S32, .a = B1, .operation = "xor.popc", .since = 75, .ptx = 63},
    {.shape = {8, 8, 128}, .d = S32, .a = B1, .operation = "and.popc", .since = 80, .ptx = 71},
    {.shape = {16, 16, 16}, .orders = ALL_ORDERS, .d = F32, .a = BF16, .since = 80, .ptx = 70},
    {.shape = {32, 8, 16}, .orders = ALL_ORDERS, .d = F32, .a = BF16, .since = 80, .ptx = 70},
    {.shape = {8, 32, 16}, .orders = ALL_ORDERS, .d = F32, .a = BF16, .since = 80, .ptx = 70},
    {.shape = {16, 16, 8}, .orders = ALL_ORDERS, .d = F32, .a = TF32, .since = 80, .ptx = 70},
    {.shape = {8, 8, 4}, .orders = ALL_ORDERS, .d = F64, .a = F64, .words = ROUNDED,
     .since = 80, .ptx = 70},
    /* clang-format on */
};

/* Words of loads and stores. For C and D, row and col do not affect the fragment. */
#define MOVED "sync+ aligned global|shared|shared::cta?"

static const struct opcode_form forms[] = {
    {
        .start = "wmma.mma.sync.aligned",
        .mnemonic = "wmma.mma",
        .words = "sync+ aligned",
        .parts = {PART_ORDERS, PART_MNK, PART_D, PART_C},
        OPCODE_ROWS(half_opcodes),
    },
    {
        .start = "wmma.mma.sync.aligned",
        .mnemonic = "wmma.mma",
        .words = "sync+ aligned",
        .parts = {PART_OPERATION, PART_ORDERS, PART_MNK, PART_D, PART_A, PART_B, PART_C},
        OPCODE_ROWS(other_opcodes),
    },
    {.mnemonic = "wmma.load.a",
     .moved = A,
     .words = MOVED,
     .parts = {PART_OPERATION, PART_MNK, PART_A}},
    {.mnemonic = "wmma.load.b",
     .moved = B,
     .words = MOVED,
     .parts = {PART_OPERATION, PART_MNK, PART_A}},
    {.mnemonic = "wmma.load.c", .moved = C, .words = "row|col " MOVED, .parts = {PART_MNK, PART_A}},
    {.mnemonic = "wmma.store.d",
     .moved = D,
     .words = "row|col " MOVED,
     .parts = {PART_MNK, PART_A}},
};

const struct family mapping_wmma = {
    .instruction = MAPPING_WMMA,
    .name = "wmma",
    .shape_style = SHAPE_MNK,
    .multiplies = true,
    .threads = 32,
    .form = WMMA_FORM,
    GROUPS(groups),
    .in_registers = A | B | C | D,
    .ptx_operands = "d a b c",
    .sass_operands = "",
    FORMS(forms),
};
