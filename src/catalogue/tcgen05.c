/* tcgen05.c - tcgen05.mma and tcgen05.mma.sp by one CTA; see tcgen05.h. */
#include "catalogue/tcgen05.h"

/* 9.7.16.2.1: the widths n of all kinds but i8, and of that. */
static const uint16_t by_8[] = {8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,
                                96,  104, 112, 120, 128, 136, 144, 152, 160, 168, 176,
                                184, 192, 200, 208, 216, 224, 232, 240, 248, 256};
static const uint16_t integer[] = {8,   16,  24,  32,  48,  64,  80,  96,  112,
                                   128, 144, 160, 176, 192, 208, 224, 240, 256};
static const struct mapping_widths any_width = WIDTHS(by_8), integer_widths = WIDTHS(integer);
static const struct mapping_widths to_128 = {16, by_8}, from_136 = {16, by_8 + 16};

static const struct fragment_group
    groups[] =
        {
            /* clang-format off */
    {.shape = {64, 0, 16}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_F OF_16_BITS,
         .agrees = CUTLASS, .note = NOTE_A_F},
        {D_IS, .types = F32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM,
         .note = NOTE_F},
        {D_IS, .types = F16, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX, .note =
         NOTE_F},
     }},
    {.shape = {64, 0, 8}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_F OF_32_BITS, .agrees = CUTLASS, .note =
         NOTE_A_F},
        {D_IS, .types = F32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | TVM, .note =
         NOTE_F},
     }},
    {.shape = {64, 0, 32}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8 | FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_F
         OF_8_BITS, .agrees = CUTLASS, .note = NOTE_A_F},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_F
         OF_4_IN_8_BITS, .note = NOTE_A_F "; " NOTE_4_IN_8},
        {D_IS, .types = F32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM,
         .note = NOTE_F},
        {D_IS, .types = F16, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX, .note =
         NOTE_F},
     }},
    {.shape = {64, 0, 32}, .widths = &integer_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_F OF_8_BITS, .agrees =
         CUTLASS, .note = NOTE_A_F},
        {D_IS, .types = S32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX, .note =
         NOTE_F},
     }},
    {.shape = {128, 0, 16}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_D OF_16_BITS,
         .agrees = CUTLASS | JAX | TVM},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {D_IS, .types = F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
     }},
    {.shape = {128, 0, 8}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_D OF_32_BITS, .agrees = CUTLASS | TVM},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | TVM},
     }},
    {.shape = {128, 0, 32}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D OF_8_BITS,
         .agrees = CUTLASS | JAX | TVM},
        {A_IS, .types = FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D OF_8_BITS,
         .agrees = CUTLASS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {D_IS, .types = F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
        {SFA_IS, .types = UE8M0, .scale_vector = 1, .columns = 4, .choices = 4, .bases = SFA_LANES
         SCALES_1, .agrees = CUTLASS | TRITON | JAX | TVM, .note = NOTE_1X},
        {SFB_IS, .types = UE8M0, .scale_vector = 1, .copies = 4, .choices = 4, .bases = SFB_LANES
         SCALES_1, .agrees = CUTLASS | TRITON | JAX | TVM, .note = NOTE_1X},
     }},
    {.shape = {128, 0, 32}, .widths = &integer_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_D OF_8_BITS, .agrees =
         CUTLASS | JAX},
        {D_IS, .types = S32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
     }},
    {.shape = {128, 0, 64}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = E2M1, .columns = 8, .has_bit = true, .bases = LANES_D OF_4_BITS, .agrees =
         TVM},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {SFA_IS, .types = UE8M0, .scale_vector = 2, .columns = 4, .choices = 2, .bases = SFA_LANES
         SCALES_2("c"), .agrees = CUTLASS | TRITON | JAX | TVM, .note = NOTE_2X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .columns = 4, .bases = SFA_LANES
         SCALES_4("c"), .agrees = CUTLASS | TRITON | JAX | TVM, .ptx = 87, .note = NOTE_4X},
        {SFB_IS, .types = UE8M0, .scale_vector = 2, .copies = 4, .choices = 2, .bases = SFB_LANES
         SCALES_2("r"), .agrees = CUTLASS | TRITON | JAX | TVM, .note = NOTE_2X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .copies = 4, .bases = SFB_LANES
         SCALES_4("r"), .agrees = CUTLASS | TRITON | JAX | TVM, .ptx = 87, .note = NOTE_4X},
     }},
    {.shape = {128, 0, 96}, .widths = &any_width, ULTRA,
     .rows = {
        {A_IS, .types = E2M1, .columns = 12, .has_bit = true, .bases = LANES_D OF_4_BITS, .note =
         PAIRS_ALONE},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS, .note = PAIRS_ALONE},
        {SFA_IS, .types = UE8M0, .scale_vector = 3, .columns = 8, .choices = 4, .bases = SFA_LANES
         SCALES_8("c"), .agrees = CUTLASS, .note = NOTE_3X "; " PAIRS_ALONE},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 8, .choices = 2, .bases =
         SFA_LANES SCALES_8("c"), .agrees = CUTLASS, .note = NOTE_6X "; " PAIRS_ALONE},
     }},
    {.shape = {128, 0, 96}, .widths = &to_128, ULTRA,
     .rows = {
        {SFB_IS, .types = UE8M0, .scale_vector = 3, .columns = 8, .copies = 4, .choices = 4, .bases
         = SFB_LANES_128 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_3X "; " PAIRS_ALONE},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 8, .copies = 4, .choices = 2,
         .bases = SFB_LANES_128 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_6X "; " PAIRS_ALONE},
     }},
    {.shape = {128, 0, 96}, .widths = &from_136, ULTRA,
     .rows = {
        {SFB_IS, .types = UE8M0, .scale_vector = 3, .columns = 16, .copies = 4, .choices = 4, .bases
         = SFB_LANES_256 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_3X "; " PAIRS_ALONE},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 16, .copies = 4, .choices =
         2, .bases = SFB_LANES_256 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_6X "; "
         PAIRS_ALONE},
     }},
            /* clang-format on */
};

static const struct fragment_group sparse_groups[] = {
    /* clang-format off */
    {.shape = {64, 0, 32}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_F OF_16_BITS,
         .note = NOTE_A_F},
        {D_IS, .types = F32 | F16, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS, .note = NOTE_F},
        {E_IS, .types = F16 | BF16, .bits = 2, .choices = 2, .bases = E_16_BITS("0 r4 r5"), .note =
         NOTE_F "; " NOTE_SELECTOR},
     }},
    {.shape = {64, 0, 16}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_F OF_32_BITS, .note = NOTE_A_F},
        {D_IS, .types = F32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS, .note = NOTE_F},
        {E_IS, .types = TF32, .bits = 4, .choices = 2, .bases = E_32_BITS("0 r4 r5"), .note =
         NOTE_F "; " NOTE_SELECTOR},
     }},
    {.shape = {64, 0, 64}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8 | FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_F
         OF_8_BITS, .note = NOTE_A_F},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_F
         OF_4_IN_8_BITS, .note = NOTE_A_F "; " NOTE_4_IN_8},
        {D_IS, .types = F32 | F16, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS, .note = NOTE_F},
        {E_IS, .types = FP8_TO_4, .bits = 2, .bases = LANES_F E_8_BITS, .note = NOTE_F},
     }},
    {.shape = {64, 0, 64}, .widths = &integer_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_F OF_8_BITS, .note =
         NOTE_A_F},
        {D_IS, .types = S32, .bases = LANES_F ALL_COLUMNS, .agrees = CUTLASS, .note = NOTE_F},
        {E_IS, .types = INT8, .bits = 2, .bases = LANES_F E_8_BITS, .note = NOTE_F},
     }},
    {.shape = {128, 0, 32}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_D OF_16_BITS,
         .agrees = JAX},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = F16 | BF16, .bits = 2, .choices = 2, .bases = E_16_BITS("r4-6"), .agrees =
         CUTLASS | JAX, .note = NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 16}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_D OF_32_BITS},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = TF32, .bits = 4, .choices = 2, .bases = E_32_BITS("r4-6"), .agrees =
         CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 64}, .widths = &any_width, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D OF_8_BITS,
         .agrees = JAX},
        {A_IS, .types = FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D OF_8_BITS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = FP8, .bits = 2, .bases = LANES_D E_8_BITS, .agrees = CUTLASS | JAX},
        {E_IS, .types = FP6 | E2M1, .bits = 2, .bases = LANES_D E_8_BITS, .agrees = CUTLASS},
        {SFA_IS, .types = UE8M0, .scale_vector = 1, .columns = 4, .choices = 4, .bases = SFA_LANES
         SCALES_1, .agrees = CUTLASS | JAX, .note = NOTE_1X},
        {SFB_IS, .types = UE8M0, .scale_vector = 1, .copies = 4, .choices = 4, .bases = SFB_LANES
         SCALES_1, .agrees = CUTLASS | JAX, .note = NOTE_1X},
     }},
    {.shape = {128, 0, 64}, .widths = &integer_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_D OF_8_BITS, .agrees =
         JAX},
        {D_IS, .types = S32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = INT8, .bits = 2, .bases = LANES_D E_8_BITS, .agrees = CUTLASS | JAX},
     }},
    {.shape = {128, 0, 128}, .widths = &any_width, .since = 100, .until = 110,
     .suffix = MAPPING_SUFFIX_A, .ptx = 86,
     .rows = {
        {A_IS, .types = E2M1, .columns = 8, .has_bit = true, .bases = LANES_D OF_4_BITS},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = E2M1, .is_paired = true, .bits = 2, .bases = LANES_D E_8_BITS, .agrees =
         CUTLASS},
        {SFA_IS, .types = UE8M0, .scale_vector = 2, .columns = 4, .choices = 2, .bases = SFA_LANES
         SCALES_2("c"), .agrees = CUTLASS | JAX, .note = NOTE_2X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .columns = 4, .bases = SFA_LANES
         SCALES_4("c"), .agrees = CUTLASS | JAX, .ptx = 87, .note = NOTE_4X},
        {SFB_IS, .types = UE8M0, .scale_vector = 2, .copies = 4, .choices = 2, .bases = SFB_LANES
         SCALES_2("r"), .agrees = CUTLASS | JAX, .note = NOTE_2X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .copies = 4, .bases = SFB_LANES
         SCALES_4("r"), .agrees = CUTLASS | JAX, .ptx = 87, .note = NOTE_4X},
     }},
    /* clang-format on */
};

const struct family mapping_tcgen05_mma = {
    .instruction = MAPPING_TCGEN05_MMA,
    .name = "tcgen05.mma",
    .shape_style = SHAPE_MNK,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .scaled_from = 128,
    .letters = {{64, "F of the PTX ISA, half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = groups,
    .group_count = COUNT(groups),
    .forms = &mapping_tcgen05_mma_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};

const struct family mapping_tcgen05_mma_sp = {
    .instruction = MAPPING_TCGEN05_MMA_SP,
    .name = "tcgen05.mma.sp",
    .shape_style = SHAPE_MNK,
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .scaled_from = 128,
    .letters = {{64, "F of the PTX ISA, half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = sparse_groups,
    .group_count = COUNT(sparse_groups),
    .forms = &mapping_tcgen05_mma_sp_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};
