/* mma.c - mma and mma.sp: A, B, C and D of one multiplication in the registers of a warp.
 *
 * Section numbers in this file refer to the PTX ISA 9.0 and 9.1; only 9.1 has four scale factors of
 * type ue8m0. The syntax in "Multiply-and-Accumulate Instruction: mma" is
 *
 *   mma.sync.aligned.m16n8k16.row.col{.kind::f8f6f4}.dtype.atype.btype.ctype
 *
 * with .satfinite for integers, one of .rn .rz .rm .rp in double precision, .and.popc or .xor.popc
 * for single bits, and .block_scale.scale_vec::1X and .stype for scale factors. ptxas accepts the
 * words of an opcode in any order, but types, .row and .col must keep their order. It accepts .sync
 * and .satfinite any number of times; see opcode_form in family.h. */
#include "catalogue/base_rows.h"

#include "catalogue/family.h"

static const struct fragment_group groups[] = {
    /* clang-format off */
    /* Four multiplications at once, each executed by a quad pair: threads 0-3 and 16-19, ... */
    {.shape = {8, 8, 4}, .blocks = 4, .since = 70, .ptx = 64, .section = "9.7.14.5.1",
     .rows = {{.operands = A, .types = F16, .orders = ROW, .bases = "t2 t3 | t0 t1 t4 | i0 i1"},
              {.operands = A, .types = F16, .orders = COL, .bases = "t2 t3 | i0 i1 t4 | t0 t1"},
              {.operands = B, .types = F16, .orders = ROW, .bases = "t2 t3 | t0 t1 | i0 i1 t4"},
              {.operands = B, .types = F16, .orders = COL, .bases = "t2 t3 | i0 i1 | t0 t1 t4"},
              CD(F32, "t2 t3 | t0 i1 t4 | i0 t1 i2") CD(F16, "t2 t3 | t0 t1 t4 | i0 i1 i2")}},
    /* One multiplication by a warp. */
    {.shape = {16, 8, 8}, .since = 75, .ptx = 65, .section = "9.7.14.5.7",
     .rows = {AB(F16, A_16X8_16BIT, B_8X8_16BIT) CD(F32, D_16X8) CD(F16, D_16X8)}},
    {.shape = {16, 8, 16}, .since = 80, .ptx = 70, .section = "9.7.14.5.8",
     .rows = {AB(F16, A_16X16_16BIT, B_16X8_16BIT) CD(F32, D_16X8) CD(F16, D_16X8)}},
    {.shape = {16, 8, 8}, .since = 80, .ptx = 70, .section = "9.7.14.5.7",
     .rows = {AB(BF16, A_16X8_16BIT, B_8X8_16BIT)}},
    {.shape = {16, 8, 16}, .since = 80, .ptx = 70, .section = "9.7.14.5.8",
     .rows = {AB(BF16, A_16X16_16BIT, B_16X8_16BIT)}},
    {.shape = {16, 8, 4}, .since = 80, .ptx = 70, .section = "9.7.14.5.6",
     .rows = {AB(TF32, A_16X4_32BIT, B_4X8_32BIT) CD(F32, D_16X8)}},
    {.shape = {16, 8, 8}, .since = 80, .ptx = 70, .section = "9.7.14.5.7",
     .rows = {AB(TF32, A_16X8_32BIT, B_8X8_32BIT)}},
    {.shape = {8, 8, 4}, .since = 80, .ptx = 70, .section = "9.7.14.5.2",
     .rows = {AB(F64, "t2 t3 t4 | t0 t1", B_4X8_32BIT) CD(F64, D_8X8)}},
    {.shape = {16, 8, 4}, .since = 90, .ptx = 78, .section = "9.7.14.5.6",
     .rows = {AB(F64, A_16X4_32BIT, B_4X8_32BIT) CD(F64, D_16X8)}},
    {.shape = {16, 8, 8}, .since = 90, .ptx = 78, .section = "9.7.14.5.7",
     .rows = {AB(F64, A_16X8_32BIT, B_8X8_32BIT) CD(F64, D_16X8)}},
    {.shape = {16, 8, 16}, .since = 90, .ptx = 78, .section = "9.7.14.5.8",
     .rows = {AB(F64, "t2 t3 t4 i0 | t0 t1 i1 i2", B_16X8_32BIT) CD(F64, D_16X8)}},
    {.shape = {16, 8, 16}, .since = 89, .ptx = 87, .section = "9.7.14.5.9",
     .rows = {AB(FP8, A_16X16_8BIT, B_16X8_8BIT)}},
    {.shape = {16, 8, 32}, .since = 89, .ptx = 84, .section = "9.7.14.5.10",
     .rows = {AB(FP8, A_16X32_8BIT, B_32X8_8BIT) CD(F32, D_16X8)}},
    {.shape = {16, 8, 32}, .since = 89, .ptx = 87, .section = "9.7.14.5.10",
     .rows = {CD(F16, D_16X8)}},
    {.shape = {8, 8, 16}, .since = 75, .ptx = 65, .section = "9.7.14.5.3",
     .rows = {AB(INT8, "t2 t3 t4 | i0 i1 t0 t1", B_16X8_8BIT) CD(S32, D_8X8)}},
    {.shape = {16, 8, 16}, .since = 80, .ptx = 70, .section = "9.7.14.5.9",
     .rows = {AB(INT8, A_16X16_8BIT, B_16X8_8BIT) CD(S32, D_16X8)}},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 70, .section = "9.7.14.5.10",
     .rows = {AB(INT8, A_16X32_8BIT, B_32X8_8BIT) CD(S32, D_16X8)}},
    {.shape = {8, 8, 32}, .since = 75, .ptx = 65, .section = "9.7.14.5.4",
     .rows = {AB(INT4, "t2 t3 t4 | i0 i1 i2 t0 t1", B_32X8_4BIT) CD(S32, D_8X8)}},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 70, .section = "9.7.14.5.10",
     .rows = {AB(INT4, A_16X32_4BIT, B_32X8_4BIT)}},
    {.shape = {16, 8, 64}, .since = 80, .ptx = 70, .section = "9.7.14.5.11",
     .rows = {AB(INT4, A_16X64_4BIT, B_64X8_4BIT) CD(S32, D_16X8)}},
    {.shape = {8, 8, 128}, .since = 75, .ptx = 70, .section = "9.7.14.5.5",
     .rows = {AB(B1, "t2 t3 t4 | i0 i1 i2 i3 i4 t0 t1", B_128X8_1BIT) CD(S32, D_8X8)}},
    {.shape = {16, 8, 128}, .since = 80, .ptx = 70, .section = "9.7.14.5.12",
     .rows = {AB(B1, "t2 t3 t4 i5 | i0 i1 i2 i3 i4 t0 t1", B_128X8_1BIT) CD(S32, D_16X8)}},
    {.shape = {16, 8, 256}, .since = 80, .ptx = 70, .section = "9.7.14.5.13",
     .rows = {AB(B1, "t2 t3 t4 i5 | i0 i1 i2 i3 i4 t0 t1 i6", "i0 i1 i2 i3 i4 t0 t1 i5 | t2 t3 t4")
              CD(S32, D_16X8)}},
    /* .kind::f8f6f4 and .kind::mxf8f6f4, in which elements of 6 and 4 bits occupy 8 bits; then the
     * other kinds, and scale factors. */
    {.shape = {16, 8, 32}, KINDS, .ptx = 87, .section = "9.7.14.5.10",
     .rows = {NARROW_AB(A_16X32_8BIT, B_32X8_8BIT)}},
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.5.11",
     .rows = {AB_AS(E2M1, A_16X64_4BIT, B_64X8_4BIT, .agrees = CUTLASS)
              CD_AS(F32, D_16X8, .agrees = CUTLASS)}},
    {.shape = {16, 8, 32}, KINDS, .ptx = 87, .section = "9.7.14.3",
     .rows = {SF(UE8M0, 1, CUTLASS)}},
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.3",
     .rows = {SF(UE8M0, 2, CUTLASS) SF(UE4M3, 4, CUTLASS)}},
    {.shape = {16, 8, 64}, KINDS, .ptx = 91, .section = "9.7.14.3", .rows = {SF(UE8M0, 4, 0)}},
    /* clang-format on */
};

#define INTEGERS(types) .d = S32, .a = (types), .b = (types), .words = SATURATED
#define SCALED(vector, type) .scale_vector = (vector), .scale = MAPPING_##type

/* ptxas accepts .kind::f8f6f4 in cases that the PTX ISA does not have: with dense elements of 8
 * bits, for K = 16 and on sm_100. */
#define KINDS_OF_8 .since = 100, .suffix = MAPPING_SUFFIX_A_OR_F
#define KINDS_NOTED KINDS_OF_8, .note = NOTE_100
#define NOTE_K16 "the PTX ISA has no .kind::f8f6f4 with m16n8k16; ptxas 13.5 accepts it"
#define NOTE_100                                                                                   \
    "the PTX ISA has .kind::f8f6f4 only on sm_120a and later; ptxas 13.5 also accepts it with "    \
    "e4m3 and e5m2 on sm_100a, sm_103a and sm_110a"

/* Opcodes with a kind; `times` is 2 if A is sparse. */
/* clang-format off */
#define OPCODES_OF_KINDS(times, of_8, narrow)                                                      \
    {.shape = {16, 8, 32 * (times)}, .d = F32 | F16, .a = FP8, .b = FP8, .kind = "f8f6f4",         \
     of_8, .ptx = 87},                                                                             \
    {.shape = {16, 8, 32 * (times)}, .d = F32 | F16, .a = FP8, .b = FP6 | E2M1, .kind = "f8f6f4",  \
     KINDS, .ptx = 87},                                                                            \
    {.shape = {16, 8, 32 * (times)}, .d = F32 | F16, .a = FP6 | E2M1, .b = FP8_TO_4,               \
     .kind = "f8f6f4", KINDS, .ptx = 87},                                                          \
    {.shape = {16, 8, 32 * (times)}, .d = F32, .a = FP8_TO_4, .b = FP8_TO_4,                       \
     .kind = "mxf8f6f4", SCALED(1, UE8M0), .is_vector_implied = true, KINDS, .ptx = 87},           \
    {.shape = {16, 8, 64 * (times)}, .d = F32, .a = E2M1, .kind = "mxf4", SCALED(2, UE8M0),        \
     .is_vector_implied = true, narrow, .ptx = 87},                                                \
    {.shape = {16, 8, 64 * (times)}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", SCALED(2, UE8M0),    \
     narrow, .ptx = 87},                                                                           \
    {.shape = {16, 8, 64 * (times)}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", SCALED(4, UE4M3),    \
     narrow, .ptx = 87},                                                                           \
    {.shape = {16, 8, 64 * (times)}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", SCALED(4, UE8M0),    \
     narrow, .ptx = 91}
/* clang-format on */

/* This list is complete according to ptxas 13.5 and, for sm_70, 12.9; opcodes.t tests it again. */
static const struct opcode_row opcodes[] = {
    /* clang-format off */
    {.shape = {8, 8, 4}, .orders = ALL_ORDERS, .d = F32, .a = F16, .c = F32 | F16, .since = 70,
     .ptx = 64},
    {.shape = {8, 8, 4}, .orders = ALL_ORDERS, .d = F16, .a = F16, .since = 70, .ptx = 64},
    {.shape = {16, 8, 8}, .d = F32 | F16, .a = F16, .since = 75, .ptx = 65},
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = F16, .since = 80, .ptx = 70},
    {.shape = {16, 8, 8}, .d = F32, .a = BF16, .since = 80, .ptx = 70},
    {.shape = {16, 8, 16}, .d = F32, .a = BF16, .since = 80, .ptx = 70},
    {.shape = {16, 8, 4}, .d = F32, .a = TF32, .since = 80, .ptx = 70},
    {.shape = {16, 8, 8}, .d = F32, .a = TF32, .since = 80, .ptx = 70},
    {.shape = {8, 8, 4}, .d = F64, .a = F64, .words = ROUNDED, .since = 80, .ptx = 70},
    {.shape = {16, 8, 4}, .d = F64, .a = F64, .words = ROUNDED, .since = 90, .ptx = 78},
    {.shape = {16, 8, 8}, .d = F64, .a = F64, .words = ROUNDED, .since = 90, .ptx = 78},
    {.shape = {16, 8, 16}, .d = F64, .a = F64, .words = ROUNDED, .since = 90, .ptx = 78},
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = FP8, .b = FP8, .since = 89, .ptx = 87},
    {.shape = {16, 8, 32}, .d = F32, .a = FP8, .b = FP8, .since = 89, .ptx = 84},
    {.shape = {16, 8, 32}, .d = F16, .a = FP8, .b = FP8, .since = 89, .ptx = 87},
    {.shape = {8, 8, 16}, INTEGERS(INT8), .since = 75, .ptx = 65},
    {.shape = {16, 8, 16}, INTEGERS(INT8), .since = 80, .ptx = 70},
    {.shape = {16, 8, 32}, INTEGERS(INT8), .since = 80, .ptx = 70},
    {.shape = {8, 8, 32}, INTEGERS(INT4), .since = 75, .ptx = 65},
    {.shape = {16, 8, 32}, INTEGERS(INT4), .since = 80, .ptx = 70},
    {.shape = {16, 8, 64}, INTEGERS(INT4), .since = 80, .ptx = 70},
    {.shape = {8, 8, 128}, .d = S32, .a = B1, .operation = "and.popc", .since = 80, .ptx = 71},
    {.shape = {16, 8, 128}, .d = S32, .a = B1, .operation = "and.popc", .since = 80, .ptx = 71},
    {.shape = {16, 8, 256}, .d = S32, .a = B1, .operation = "and.popc", .since = 80, .ptx = 71},
    {.shape = {8, 8, 128}, .d = S32, .a = B1, .operation = "xor.popc", .since = 75, .ptx = 70},
    {.shape = {16, 8, 128}, .d = S32, .a = B1, .operation = "xor.popc", .since = 80, .ptx = 70},
    {.shape = {16, 8, 256}, .d = S32, .a = B1, .operation = "xor.popc", .since = 80, .ptx = 70},
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = FP8, .b = FP8, .kind = "f8f6f4", .note = NOTE_K16,
     KINDS_OF_8, .ptx = 87},
    OPCODES_OF_KINDS(1, KINDS_NOTED, KINDS),
    /* clang-format on */
};

static const struct opcode_form forms[] = {{
    .start = "mma.sync.aligned",
    .words = "sync+ aligned",
    .parts = {PART_MNK, PART_ORDERS, PART_KIND, PART_D, PART_A, PART_B, PART_C, PART_SCALE,
              PART_OPERATION},
    OPCODE_ROWS(opcodes),
}};

const struct family mapping_mma = {
    .instruction = MAPPING_MMA,
    .name = "mma",
    .shape_style = SHAPE_MNK,
    .multiplies = true,
    .threads = 32,
    .form = MMA_FORM,
    GROUPS(groups),
    .in_registers = A | B | C | D | SFA | SFB,
    .ptx_operands = "d a b c sfa - sfb",
    .sass_operands = "d a b c e",
    .scaled_sass_operands = "d a b c sfa sfb",
    FORMS(forms),
};

/* ---- mma.sp: mma with a sparse A, of which every second element is 0 and not stored ----
 *
 * A has the stored elements, so it is half as wide. E has an index for each element: which two of
 * four (for tf32, which one of two) are stored. Elements of 4 bits are stored in pairs, with one
 * index for each pair.
 *
 * The syntax in "Multiply-and-Accumulate Instruction: mma.sp" is that of mma, with .sp or
 * .sp::ordered_metadata, which ptxas accepts at any position; CUTLASS has
 * mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata. Opcodes of sm_120a only exist with
 * .sp::ordered_metadata. */

#define B_32X8_16BIT "i0 t0 t1 i1 i2 | t2 t3 t4" /* (32, 8) -> 32 x 8 */

/* Metadata: (threads, indices) -> rows x columns that A stores, by the size of its elements. A
 * register holds 16 indices of 2 bits, or for tf32 8 indices of 4 bits. Four threads hold the
 * indices of two rows, with copies if there are fewer indices than registers can hold. */
#define E_16X8_16BIT "t2 t3 t4 i3 | i0 i1 i2"     /* (32, 16) -> 16 x 8 */
#define E_16X16_16BIT "t2 t3 t4 i3 | i0 i1 i2 t0" /* (32, 16) -> 16 x 16 */
#define E_16X4_32BIT "t2 t3 t4 i2 | i0 i1"        /* (32, 8) -> 16 x 4 */
#define E_16X8_32BIT "t2 t3 t4 i2 | i0 i1 t0"     /* (32, 8) -> 16 x 8 */
#define E_16X16 "t2 t3 t4 t0 | i0 i1 i2 i3"       /* (32, 16) -> 16 x 16 */
#define E_16X32 "t2 t3 t4 t0 | i0 i1 i2 i3 t1"    /* (32, 16) -> 16 x 32 */

/* The sparse .kind::mxf4 and .kind::mxf4nvf4 are for sm_120a and sm_121a, not their family. */
#define KINDS_A .since = 120, .suffix = MAPPING_SUFFIX_A

static const struct fragment_group sparse_groups[] = {
    /* clang-format off */
    {.shape = {16, 8, 16}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.1",
     .rows = {AB(F16 | BF16, A_16X8_16BIT, B_16X8_16BIT) CD(F32, D_16X8) CD(F16, D_16X8)
              E_OF(F16 | BF16, 2, 4, E_16X8_16BIT)}},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.2",
     .rows = {AB(F16 | BF16, A_16X16_16BIT, B_32X8_16BIT) CD(F32, D_16X8) CD(F16, D_16X8)
              E_OF(F16 | BF16, 2, 2, E_16X16_16BIT)}},
    {.shape = {16, 8, 8}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.4",
     .rows = {AB(TF32, A_16X4_32BIT, B_8X8_32BIT) CD(F32, D_16X8) E_OF(TF32, 4, 4, E_16X4_32BIT)}},
    {.shape = {16, 8, 16}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.3",
     .rows = {AB(TF32, A_16X8_32BIT, B_16X8_32BIT) E_OF(TF32, 4, 2, E_16X8_32BIT)}},
    {.shape = {16, 8, 64}, .since = 89, .ptx = 84, .section = "9.7.14.6.2.6",
     .rows = {AB(FP8, A_16X32_8BIT, B_64X8_8BIT) CD(F32, D_16X8) E_OF(FP8, 2, 1, E_16X32)}},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.5",
     .rows = {AB(INT8, A_16X16_8BIT, B_32X8_8BIT) CD(S32, D_16X8) E_OF(INT8, 2, 2, E_16X16)}},
    {.shape = {16, 8, 64}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.6",
     .rows = {AB(INT8, A_16X32_8BIT, B_64X8_8BIT) CD(S32, D_16X8) E_OF(INT8, 2, 1, E_16X32)}},
    {.shape = {16, 8, 64}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.7",
     .rows = {AB(INT4, A_16X32_4BIT, B_64X8_4BIT) E_AS(INT4, 2, 2, E_16X16, .is_paired = true)}},
    {.shape = {16, 8, 128}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.8",
     .rows = {AB(INT4, A_16X64_4BIT, B_128X8_4BIT) CD(S32, D_16X8)
              E_AS(INT4, 2, 1, E_16X32, .is_paired = true)}},
    /* sm_120a: the kinds, whose elements of 6 and 4 bits occupy 8 bits except in m16n8k128, and
     * their scale factors. */
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.6.2.6",
     .rows = {NARROW_AB(A_16X32_8BIT, B_64X8_8BIT) CD_AS(F16, D_16X8, .agrees = CUTLASS)
              E_AS(FP6 | E2M1, 2, 1, E_16X32, .agrees = CUTLASS)}},
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.3",
     .rows = {SF(UE8M0, 1, CUTLASS)}},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 87, .section = "9.7.14.6.2.8",
     .rows = {AB_AS(E2M1, A_16X64_4BIT, B_128X8_4BIT, .agrees = CUTLASS)
              CD_AS(F32, D_16X8, .agrees = CUTLASS)
              E_AS(E2M1, 2, 1, E_16X32, .is_paired = true, .agrees = CUTLASS)}},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 87, .section = "9.7.14.3",
     .rows = {SF(UE8M0, 2, CUTLASS) SF(UE4M3, 4, CUTLASS)}},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 91, .section = "9.7.14.3", .rows = {SF(UE8M0, 4, 0)}},
    /* clang-format on */
};

/* This list is complete according to ptxas 13.5; opcodes.t tests it again. */
static const struct opcode_row sparse_opcodes[] = {
    /* clang-format off */
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = F16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 32}, .d = F32 | F16, .a = F16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 16}, .d = F32, .a = BF16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 32}, .d = F32, .a = BF16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 8}, .d = F32, .a = TF32, .since = 80, .ptx = 71},
    {.shape = {16, 8, 16}, .d = F32, .a = TF32, .since = 80, .ptx = 71},
    {.shape = {16, 8, 64}, .d = F32, .a = FP8, .b = FP8, .since = 89, .ptx = 84},
    {.shape = {16, 8, 32}, INTEGERS(INT8), .since = 80, .ptx = 71},
    {.shape = {16, 8, 64}, INTEGERS(INT8), .since = 80, .ptx = 71},
    {.shape = {16, 8, 64}, INTEGERS(INT4), .since = 80, .ptx = 71},
    {.shape = {16, 8, 128}, INTEGERS(INT4), .since = 80, .ptx = 71},
    /* clang-format on */
};

/* Opcodes of sm_120a with .sp::ordered_metadata. */
static const struct opcode_row ordered_opcodes[] = {
    /* clang-format off */
    {.shape = {16, 8, 64}, .d = F16, .a = FP8, .b = FP8, KINDS, .ptx = 87},
    OPCODES_OF_KINDS(2, KINDS, KINDS_A),
    /* clang-format on */
};

static const struct opcode_form sparse_forms[] = {
    {
        .start = "mma.sp.sync.aligned",
        .words = "sp|sp::ordered_metadata sync+ aligned",
        .parts = {PART_MNK, PART_ORDERS, PART_D, PART_A, PART_B, PART_C},
        OPCODE_ROWS(sparse_opcodes),
    },
    {
        .start = "mma.sp::ordered_metadata.sync.aligned",
        .words = "sp::ordered_metadata sync+ aligned",
        .parts = {PART_MNK, PART_ORDERS, PART_KIND, PART_D, PART_A, PART_B, PART_C, PART_SCALE},
        OPCODE_ROWS(ordered_opcodes),
    },
};

const struct family mapping_mma_sp = {
    .instruction = MAPPING_MMA_SP,
    .name = "mma.sp",
    .shape_style = SHAPE_MNK,
    .is_sparse = true,
    .dense = MAPPING_MMA,
    .multiplies = true,
    .threads = 32,
    .form = MMA_FORM,
    GROUPS(sparse_groups),
    .in_registers = A | B | C | D | E | SFA | SFB,
    .ptx_operands = "d a b c e - sfa - sfb",
    .sass_operands = "d a b c e",
    .scaled_sass_operands = "d a b c e sfb", /* the operands of A follow the metadata */
    FORMS(sparse_forms),
};
