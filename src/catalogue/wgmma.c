/* wgmma.c - wgmma and wgmma.sp: an MMA that the four warps of a warpgroup execute.
 *
 * D is in registers, A in registers or shared memory, B in shared memory. Section numbers in this
 * file refer to the PTX ISA 9.0. The syntax in "Asynchronous Multiply-and-Accumulate Instruction:
 * wgmma.mma_async" is
 *
 *   wgmma.mma_async{.sp}.sync.aligned.m64n8k16.dtype.atype.btype
 *
 * with .satfinite for integers and .and.popc for single bits. ptxas accepts the words of an opcode
 * in any order, but types must keep their order. It accepts .sync and .satfinite any number of
 * times, and does not require .aligned. */
#include "catalogue/base_rows.h"
#include "catalogue/family.h"

/* PTX ISA, "Register Fragments and Shared Memory Matrix Layouts": the widths n. There are fewer for
 * integers and single bits. */
const uint16_t mapping_every_8[] = {8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,
                                    96,  104, 112, 120, 128, 136, 144, 152, 160, 168, 176,
                                    184, 192, 200, 208, 216, 224, 232, 240, 248, 256};
static const uint16_t some[] = {8,   16,  24,  32,  48,  64,  80,  96,  112,
                                128, 144, 160, 176, 192, 208, 224, 240, 256};
const struct mapping_widths mapping_wgmma_widths = WIDTHS(mapping_every_8);
const struct mapping_widths mapping_wgmma_integer_widths = WIDTHS(some);

#define ANY mapping_wgmma_widths
#define INTEGER mapping_wgmma_integer_widths
#define HOPPER .since = 90, .until = 90, .suffix = MAPPING_SUFFIX_A

/* As for mma, with the rows of warps 0 to 3 below one another. */
#define D_64XN "t2 t3 t4 i1 t5 t6 | i0 t0 t1 i2.."        /* (128, n / 2) -> 64 x n */
#define A_64X16_16BIT "t2 t3 t4 i1 t5 t6 | i0 t0 t1 i2"   /* (128, 8) -> 64 x 16 */
#define A_64X8_32BIT "t2 t3 t4 i0 t5 t6 | t0 t1 i1"       /* (128, 4) -> 64 x 8 */
#define A_64X32_8BIT "t2 t3 t4 i2 t5 t6 | i0 i1 t0 t1 i3" /* (128, 16) -> 64 x 32 */

/* Metadata, by the size of A's elements. */
#define E_64X16_16BIT "t2 t3 t4 i3 t5 t6 | i0 i1 i2 t0" /* (128, 16) -> 64 x 16 */
#define E_64X8_32BIT "t2 t3 t4 i2 t5 t6 | i0 i1 t0"     /* (128, 8) -> 64 x 8 */
#define E_64X32 "t2 t3 t4 t0 t5 t6 | i0 i1 i2 i3 t1"    /* (128, 16) -> 64 x 32 */

#define AD(a_types, a_bases, d_types)                                                              \
    {.operands = A, .types = (a_types), .bases = (a_bases)},                                       \
        {.operands = D, .types = (d_types), .bases = D_64XN},

/* ---- wgmma ---- */

static const struct fragment_group dense_groups[] = {
    /* clang-format off */
    {.shape = {64, 0, 16}, .widths = &ANY, HOPPER, .ptx = 80, .section = "9.7.15.5.1.1.1",
     .rows = {AD(F16 | BF16, A_64X16_16BIT, F32 | F16)}},
    {.shape = {64, 0, 8}, .widths = &ANY, HOPPER, .ptx = 80, .section = "9.7.15.5.1.1.2",
     .rows = {AD(TF32, A_64X8_32BIT, F32)}},
    {.shape = {64, 0, 32}, .widths = &ANY, HOPPER, .ptx = 80, .section = "9.7.15.5.1.1.3",
     .rows = {AD(FP8, A_64X32_8BIT, F32 | F16)}},
    {.shape = {64, 0, 32}, .widths = &INTEGER, HOPPER, .ptx = 80, .section = "9.7.15.5.1.1.3",
     .rows = {AD(INT8, A_64X32_8BIT, S32)}},
    {.shape = {64, 0, 256}, .widths = &INTEGER, HOPPER, .ptx = 80, .section = "9.7.15.5.1.1.4",
     .rows = {AD(B1, "t2 t3 t4 i5 t5 t6 | i0 i1 i2 i3 i4 t0 t1 i6", S32)}},
    /* clang-format on */
};

/* Opcodes for all types except b1; `times` is 2 if A is sparse. */
/* clang-format off */
#define OPCODES(times, version)                                                                    \
    {.shape = {64, 0, 16 * (times)}, .widths = &ANY, .d = F32 | F16, .a = F16, HOPPER,             \
     .ptx = (version)},                                                                            \
    {.shape = {64, 0, 16 * (times)}, .widths = &ANY, .d = F32, .a = BF16, HOPPER,                  \
     .ptx = (version)},                                                                            \
    {.shape = {64, 0, 8 * (times)}, .widths = &ANY, .d = F32, .a = TF32, HOPPER,                   \
     .ptx = (version)},                                                                            \
    {.shape = {64, 0, 32 * (times)}, .widths = &ANY, .d = F32 | F16, .a = FP8, .b = FP8, HOPPER,   \
     .ptx = (version)},                                                                            \
    {.shape = {64, 0, 32 * (times)}, .widths = &INTEGER, .d = S32, .a = INT8, .words = SATURATED,  \
     HOPPER, .ptx = (version)},                                                                    \
    {.shape = {64, 0, 32 * (times)}, .widths = &INTEGER, .d = S32, .a = S8, .b = U8,               \
     .words = SATURATED, HOPPER, .ptx = 84},                                                       \
    {.shape = {64, 0, 32 * (times)}, .widths = &INTEGER, .d = S32, .a = U8, .b = S8,               \
     .words = SATURATED, HOPPER, .ptx = 84}

static const struct opcode_row dense_opcodes[] = {
    OPCODES(1, 80),
    {.shape = {64, 0, 256}, .widths = &INTEGER, .d = S32, .a = B1, .operation = "and.popc",
     HOPPER, .ptx = 80},
};
/* clang-format on */

static const struct opcode_form dense_forms[] = {{
    .start = "wgmma.mma_async.sync.aligned",
    .mnemonic = "wgmma.mma_async",
    .words = "sync+ aligned?",
    .parts = {PART_MNK, PART_D, PART_A, PART_B, PART_OPERATION},
    OPCODE_ROWS(dense_opcodes),
}};

const struct family mapping_wgmma = {
    .instruction = MAPPING_WGMMA,
    .name = "wgmma",
    .shape_style = SHAPE_MNK,
    .reads_shared = true,
    .multiplies = true,
    .threads = 128,
    .form = WGMMA_FORM,
    .silent = "mma_async",
    GROUPS(dense_groups),
    .in_registers = A | D,
    .ptx_operands = "d a",
    FORMS(dense_forms),
};

/* ---- wgmma.sp: A is half as wide, and metadata select its elements ---- */

static const struct fragment_group sparse_groups[] = {
    /* clang-format off */
    {.shape = {64, 0, 32}, .widths = &ANY, HOPPER, .ptx = 82, .section = "9.7.15.6.2.1",
     .rows = {AD(F16 | BF16, A_64X16_16BIT, F32 | F16) E_OF(F16 | BF16, 2, 2, E_64X16_16BIT)}},
    {.shape = {64, 0, 16}, .widths = &ANY, HOPPER, .ptx = 82, .section = "9.7.15.6.2.2",
     .rows = {AD(TF32, A_64X8_32BIT, F32) E_OF(TF32, 4, 2, E_64X8_32BIT)}},
    {.shape = {64, 0, 64}, .widths = &ANY, HOPPER, .ptx = 82, .section = "9.7.15.6.2.3",
     .rows = {AD(FP8, A_64X32_8BIT, F32 | F16) E_OF(FP8, 2, 1, E_64X32)}},
    {.shape = {64, 0, 64}, .widths = &INTEGER, HOPPER, .ptx = 82, .section = "9.7.15.6.2.3",
     .rows = {AD(INT8, A_64X32_8BIT, S32) E_OF(INT8, 2, 1, E_64X32)}},
    /* clang-format on */
};

static const struct opcode_row sparse_opcodes[] = {OPCODES(2, 82)};

static const struct opcode_form sparse_forms[] = {{
    .start = "wgmma.mma_async.sp.sync.aligned",
    .mnemonic = "wgmma.mma_async",
    .words = "sp sync+ aligned?",
    .parts = {PART_MNK, PART_D, PART_A, PART_B},
    OPCODE_ROWS(sparse_opcodes),
}};

const struct family mapping_wgmma_sp = {
    .instruction = MAPPING_WGMMA_SP,
    .name = "wgmma.sp",
    .shape_style = SHAPE_MNK,
    .is_sparse = true,
    .dense = MAPPING_WGMMA,
    .reads_shared = true,
    .multiplies = true,
    .threads = 128,
    .form = WGMMA_FORM,
    .silent = "mma_async",
    GROUPS(sparse_groups),
    .in_registers = A | D | E,
    .ptx_operands = "d a - e",
    .sass_operands = "d a",
    FORMS(sparse_forms),
};
