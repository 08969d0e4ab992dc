/* mma_sp.c - mma.sp: mma with an A of whose elements every second is 0 and left out.
 *
 * A is as it is held, half as wide. E says where its elements belong: which two of four (of tf32,
 * which one of two) they are, with one index for each of them; elements of 4 bits come in pairs,
 * with one index for each pair.
 *
 * Sections are those of the PTX ISA 9.0 and 9.1. Its "Multiply-and-Accumulate Instruction: mma.sp"
 * writes what that of mma does, with .sp or .sp::ordered_metadata, which ptxas takes in any place;
 * CUTLASS has mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata. What is of sm_120a comes with
 * .sp::ordered_metadata alone. */
#include "catalogue/bases.h"
#include "catalogue/family.h"

#define B_32X8_16BIT "i0 t0 t1 i1 i2 | t2 t3 t4" /* (32, 8) -> 32 x 8 */

/* Metadata: (threads, indices) -> rows x columns that are held of A, by the bits of its elements. A
 * register holds 16 indices of 2 bits, or of tf32 8 of 4 bits. Four threads hold those of two rows,
 * and copies of them where there are fewer than that. */
#define E_16X8_16BIT "t2 t3 t4 i3 | i0 i1 i2"     /* (32, 16) -> 16 x 8 */
#define E_16X16_16BIT "t2 t3 t4 i3 | i0 i1 i2 t0" /* (32, 16) -> 16 x 16 */
#define E_16X4_32BIT "t2 t3 t4 i2 | i0 i1"        /* (32, 8) -> 16 x 4 */
#define E_16X8_32BIT "t2 t3 t4 i2 | i0 i1 t0"     /* (32, 8) -> 16 x 8 */
#define E_16X16 "t2 t3 t4 t0 | i0 i1 i2 i3"       /* (32, 16) -> 16 x 16 */
#define E_16X32 "t2 t3 t4 t0 | i0 i1 i2 i3 t1"    /* (32, 16) -> 16 x 32 */

/* The sparse .kind::mxf4 and .kind::mxf4nvf4 are of sm_120a and sm_121a, not of their family. */
#define KINDS_A .since = 120, .suffix = MAPPING_SUFFIX_A

static const struct fragment_group groups[] = {
    /* clang-format off */
    {.shape = {16, 8, 16}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.1",
     .rows = {
        {.operands = A, .types = F16 | BF16, .bases = A_16X8_16BIT},
        {.operands = B, .types = F16 | BF16, .bases = B_16X8_16BIT},
        {.operands = C | D, .types = F32, .bases = D_16X8},
        {.operands = C | D, .types = F16, .bases = D_16X8},
        {.operands = E, .types = F16 | BF16, .bits = 2, .copies = 4, .bases = E_16X8_16BIT},
     }},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.2",
     .rows = {
        {.operands = A, .types = F16 | BF16, .bases = A_16X16_16BIT},
        {.operands = B, .types = F16 | BF16, .bases = B_32X8_16BIT},
        {.operands = C | D, .types = F32, .bases = D_16X8},
        {.operands = C | D, .types = F16, .bases = D_16X8},
        {.operands = E, .types = F16 | BF16, .bits = 2, .copies = 2, .bases = E_16X16_16BIT},
     }},
    {.shape = {16, 8, 8}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.4",
     .rows = {
        {.operands = A, .types = TF32, .bases = A_16X4_32BIT},
        {.operands = B, .types = TF32, .bases = B_8X8_32BIT},
        {.operands = C | D, .types = F32, .bases = D_16X8},
        {.operands = E, .types = TF32, .bits = 4, .copies = 4, .bases = E_16X4_32BIT},
     }},
    {.shape = {16, 8, 16}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.3",
     .rows = {
        {.operands = A, .types = TF32, .bases = A_16X8_32BIT},
        {.operands = B, .types = TF32, .bases = B_16X8_32BIT},
        {.operands = E, .types = TF32, .bits = 4, .copies = 2, .bases = E_16X8_32BIT},
     }},
    {.shape = {16, 8, 64}, .since = 89, .ptx = 84, .section = "9.7.14.6.2.6",
     .rows = {
        {.operands = A, .types = FP8, .bases = A_16X32_8BIT},
        {.operands = B, .types = FP8, .bases = B_64X8_8BIT},
        {.operands = C | D, .types = F32, .bases = D_16X8},
        {.operands = E, .types = FP8, .bits = 2, .bases = E_16X32},
     }},
    {.shape = {16, 8, 32}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.5",
     .rows = {
        {.operands = A, .types = INT8, .bases = A_16X16_8BIT},
        {.operands = B, .types = INT8, .bases = B_32X8_8BIT},
        {.operands = C | D, .types = S32, .bases = D_16X8},
        {.operands = E, .types = INT8, .bits = 2, .copies = 2, .bases = E_16X16},
     }},
    {.shape = {16, 8, 64}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.6",
     .rows = {
        {.operands = A, .types = INT8, .bases = A_16X32_8BIT},
        {.operands = B, .types = INT8, .bases = B_64X8_8BIT},
        {.operands = C | D, .types = S32, .bases = D_16X8},
        {.operands = E, .types = INT8, .bits = 2, .bases = E_16X32},
     }},
    {.shape = {16, 8, 64}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.7",
     .rows = {
        {.operands = A, .types = INT4, .bases = A_16X32_4BIT},
        {.operands = B, .types = INT4, .bases = B_64X8_4BIT},
        {.operands = E, .types = INT4, .is_paired = true, .bits = 2, .copies = 2, .bases = E_16X16},
     }},
    {.shape = {16, 8, 128}, .since = 80, .ptx = 71, .section = "9.7.14.6.2.8",
     .rows = {
        {.operands = A, .types = INT4, .bases = A_16X64_4BIT},
        {.operands = B, .types = INT4, .bases = B_128X8_4BIT},
        {.operands = C | D, .types = S32, .bases = D_16X8},
        {.operands = E, .types = INT4, .bits = 2, .is_paired = true, .bases = E_16X32},
     }},
    /* Of sm_120a: the kinds, in which 6 and 4 bits lie in 8 unless m16n8k128; scale factors. */
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.6.2.6",
     .rows = {
        {.operands = A, .types = FP6, BYTES_OF_6, .bases = A_16X32_8BIT},
        {.operands = A, .types = E2M1, BYTES_OF_4, .bases = A_16X32_8BIT},
        {.operands = B, .types = FP6, BYTES_OF_6, .bases = B_64X8_8BIT},
        {.operands = B, .types = E2M1, BYTES_OF_4, .bases = B_64X8_8BIT},
        {.operands = C | D, .types = F16, .bases = D_16X8, .agrees = CUTLASS},
        {.operands = E, .types = FP6 | E2M1, .bits = 2, .bases = E_16X32, .agrees = CUTLASS},
     }},
    {.shape = {16, 8, 64}, KINDS, .ptx = 87, .section = "9.7.14.3",
     .rows = {
        {.operands = SFA, .types = UE8M0, .scale_vector = 1, .copies = 8, .bases = SFA_1,
         .agrees = CUTLASS},
        {.operands = SFB, .types = UE8M0, .scale_vector = 1, .copies = 16, .bases = SFB_1,
         .agrees = CUTLASS},
     }},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 87, .section = "9.7.14.6.2.8",
     .rows = {
        {.operands = A, .types = E2M1, .bases = A_16X64_4BIT, .agrees = CUTLASS},
        {.operands = B, .types = E2M1, .bases = B_128X8_4BIT, .agrees = CUTLASS},
        {.operands = C | D, .types = F32, .bases = D_16X8, .agrees = CUTLASS},
        {.operands = E, .types = E2M1, .bits = 2, .is_paired = true, .bases = E_16X32,
         .agrees = CUTLASS},
     }},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 87, .section = "9.7.14.3",
     .rows = {
        {.operands = SFA, .types = UE8M0, .scale_vector = 2, .copies = 4, .bases = SFA_2,
         .agrees = CUTLASS},
        {.operands = SFB, .types = UE8M0, .scale_vector = 2, .copies = 8, .bases = SFB_2,
         .agrees = CUTLASS},
        {.operands = SFA, .types = UE4M3, .scale_vector = 4, .copies = 2, .bases = SFA_4,
         .agrees = CUTLASS},
        {.operands = SFB, .types = UE4M3, .scale_vector = 4, .copies = 4, .bases = SFB_4,
         .agrees = CUTLASS},
     }},
    {.shape = {16, 8, 128}, KINDS_A, .ptx = 91, .section = "9.7.14.3",
     .rows = {
        {.operands = SFA, .types = UE8M0, .scale_vector = 4, .copies = 2, .bases = SFA_4},
        {.operands = SFB, .types = UE8M0, .scale_vector = 4, .copies = 4, .bases = SFB_4},
     }},
    /* clang-format on */
};

/* That they are these and no others was tried with ptxas 13.5; opcodes.t tries it again. */
static const struct opcode_row opcodes[] = {
    /* clang-format off */
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = F16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 32}, .d = F32 | F16, .a = F16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 16}, .d = F32, .a = BF16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 32}, .d = F32, .a = BF16, .since = 80, .ptx = 71},
    {.shape = {16, 8, 8}, .d = F32, .a = TF32, .since = 80, .ptx = 71},
    {.shape = {16, 8, 16}, .d = F32, .a = TF32, .since = 80, .ptx = 71},
    {.shape = {16, 8, 64}, .d = F32, .a = FP8, .b = FP8, .since = 89, .ptx = 84},
    {.shape = {16, 8, 32}, .d = S32, .a = INT8, .b = INT8, .words = SATURATED, .since = 80,
     .ptx = 71},
    {.shape = {16, 8, 64}, .d = S32, .a = INT8, .b = INT8, .words = SATURATED, .since = 80,
     .ptx = 71},
    {.shape = {16, 8, 64}, .d = S32, .a = INT4, .b = INT4, .words = SATURATED, .since = 80,
     .ptx = 71},
    {.shape = {16, 8, 128}, .d = S32, .a = INT4, .b = INT4, .words = SATURATED, .since = 80,
     .ptx = 71},
    /* clang-format on */
};

/* Of sm_120a. */
static const struct opcode_row ordered_opcodes[] = {
    /* clang-format off */
    {.shape = {16, 8, 64}, .d = F16, .a = FP8, .b = FP8, KINDS, .ptx = 87},
    {.shape = {16, 8, 64}, .d = F32 | F16, .a = FP8_TO_4, .b = FP8_TO_4, .kind = "f8f6f4", KINDS,
     .ptx = 87},
    {.shape = {16, 8, 64}, .d = F32, .a = FP8_TO_4, .b = FP8_TO_4, .kind = "mxf8f6f4",
     .scale_vector = 1, .scale = MAPPING_UE8M0, .is_vector_implied = true, KINDS, .ptx = 87},
    {.shape = {16, 8, 128}, .d = F32, .a = E2M1, .kind = "mxf4", .scale_vector = 2,
     .scale = MAPPING_UE8M0, .is_vector_implied = true, KINDS_A, .ptx = 87},
    {.shape = {16, 8, 128}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", .scale_vector = 2,
     .scale = MAPPING_UE8M0, KINDS_A, .ptx = 87},
    {.shape = {16, 8, 128}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", .scale_vector = 4,
     .scale = MAPPING_UE4M3, KINDS_A, .ptx = 87},
    {.shape = {16, 8, 128}, .d = F32, .a = E2M1, .kind = "mxf4nvf4", .scale_vector = 4,
     .scale = MAPPING_UE8M0, KINDS_A, .ptx = 91},
    /* clang-format on */
};

static const struct opcode_form forms[] = {
    {
        .start = "mma.sp.sync.aligned",
        .mnemonic = "mma",
        .words = "sp|sp::ordered_metadata sync+ aligned",
        .parts = {PART_MNK, PART_ORDERS, PART_D, PART_A, PART_B, PART_C},
        .rows = opcodes,
        .row_count = sizeof opcodes / sizeof *opcodes,
    },
    {
        .start = "mma.sp::ordered_metadata.sync.aligned",
        .mnemonic = "mma",
        .words = "sp::ordered_metadata sync+ aligned",
        .parts = {PART_MNK, PART_ORDERS, PART_KIND, PART_D, PART_A, PART_B, PART_C, PART_SCALE},
        .rows = ordered_opcodes,
        .row_count = sizeof ordered_opcodes / sizeof *ordered_opcodes,
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
    .probe = PROBE_MMA,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .in_registers = A | B | C | D | E | SFA | SFB,
    .ptx_operands = "d a b c e - sfa - sfb",
    .sass_operands = "d a b c e",
    .scaled_sass_operands = "d a b c e sfb", /* those of A follow the metadata */
    .forms = forms,
    .form_count = sizeof forms / sizeof *forms,
    .find = mapping_find_by_forms,
};
