/* tcgen05_pair.c - tcgen05.mma and tcgen05.mma.sp by a pair of CTAs, .cta_group::2; see tcgen05.h.
 *
 * CTA 0 is that of the even %cluster_ctarank (9.7.16.5.1), and has the first half of the rows. */
#include "catalogue/tcgen05.h"

/* 9.7.16.2.1: the widths n of all kinds but i8, and of that. */
static const uint16_t by_16[] = {16,  32,  48,  64,  80,  96,  112, 128,
                                 144, 160, 176, 192, 208, 224, 240, 256};
static const uint16_t by_32[] = {32, 64, 96, 128, 160, 192, 224, 256};
static const struct mapping_widths pair_widths = WIDTHS(by_16), integer_pair_widths = WIDTHS(by_32);
static const struct mapping_widths to_128 = {8, by_16}, from_144 = {8, by_16 + 8};

static const struct fragment_group
    pair_groups[] =
        {
            /* clang-format off */
    {.shape = {128, 0, 16}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .copies = 2, .has_bit = true, .bases = PAIR_B "o0"
         OF_16_BITS, .agrees = CUTLASS | TVM, .note = NOTE_A_B},
        {D_IS, .types = F32, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON | JAX
         | TVM},
        {D_IS, .types = F16, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON |
         JAX},
     }},
    {.shape = {128, 0, 8}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .copies = 2, .bases = PAIR_B "o0" OF_32_BITS, .agrees =
         CUTLASS | TVM, .note = NOTE_A_B},
        {D_IS, .types = F32, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON |
         TVM},
     }},
    {.shape = {128, 0, 32}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8, .columns = 8, .copies = 2, .bits = 8, .has_bit = true, .bases = PAIR_B
         "o0" OF_8_BITS, .agrees = CUTLASS | TVM, .note = NOTE_A_B},
        {A_IS, .types = FP6, .columns = 8, .copies = 2, .bits = 8, .has_bit = true, .bases = PAIR_B
         "o0" OF_8_BITS, .agrees = CUTLASS, .note = NOTE_A_B},
        {A_IS, .types = E2M1, .columns = 8, .copies = 2, .bits = 8, .has_bit = true, .bases = PAIR_B
         "o0" OF_4_IN_8_BITS, .note = NOTE_A_B "; " NOTE_4_IN_8},
        {D_IS, .types = F32, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON | JAX
         | TVM},
        {D_IS, .types = F16, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON |
         JAX},
        {SFA_IS, .types = UE8M0, .scale_vector = 1, .columns = 2, .choices = 4, .bases =
         SFA_PAIR_128_LANES SCALES_1, .agrees = CUTLASS | JAX | TVM, .note = NOTE_1X},
        {SFB_128_IS, .types = UE8M0, .scale_vector = 1, .choices = 4, .bases =
         SFB_PAIR_128_LANES SCALES_1, .note = NOTE_1X IS_HALVED},
     }},
    {.shape = {128, 0, 32}, .widths = &integer_pair_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .copies = 2, .has_bit = true, .bases = PAIR_B "o0"
         OF_8_BITS, .agrees = CUTLASS, .note = NOTE_A_B},
        {D_IS, .types = S32, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON |
         JAX},
     }},
    {.shape = {128, 0, 64}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = E2M1, .columns = 8, .copies = 2, .has_bit = true, .bases = PAIR_B "o0"
         OF_4_BITS, .agrees = TVM, .note = NOTE_A_B},
        {D_IS, .types = F32, .divided = 2, .bases = PAIR_B HALVES, .agrees = CUTLASS | TRITON | JAX
         | TVM},
        {SFA_IS, .types = UE8M0, .scale_vector = 2, .columns = 2, .choices = 2, .bases =
         SFA_PAIR_128_LANES SCALES_2("c"), .agrees = CUTLASS | JAX | TVM, .note = NOTE_2X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .columns = 2, .bases =
         SFA_PAIR_128_LANES SCALES_4("c"), .agrees = CUTLASS | JAX | TVM, .ptx = 87, .note =
         NOTE_4X},
        {SFB_128_IS, .types = UE8M0, .scale_vector = 2, .choices = 2, .bases =
         SFB_PAIR_128_LANES SCALES_2("r"), .note = NOTE_2X IS_HALVED},
        {SFB_128_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .bases = SFB_PAIR_128_LANES
         SCALES_4("r"), .ptx = 87, .note = NOTE_4X IS_HALVED},
     }},
    {.shape = {256, 0, 16}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = PAIR_A OF_16_BITS,
         .agrees = CUTLASS | JAX | TVM},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {D_IS, .types = F16, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
     }},
    {.shape = {256, 0, 8}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = PAIR_A OF_32_BITS, .agrees = CUTLASS | TVM},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | TVM},
     }},
    {.shape = {256, 0, 32}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS,
         .agrees = CUTLASS | JAX | TVM},
        {A_IS, .types = FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS,
         .agrees = CUTLASS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {D_IS, .types = F16, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
        {SFA_IS, .types = UE8M0, .scale_vector = 1, .columns = 4, .choices = 4, .bases =
         SFA_PAIR_LANES SCALES_1, .agrees = CUTLASS | JAX | TVM, .note = NOTE_1X},
        {SFB_IS, .types = UE8M0, .scale_vector = 1, .copies = 8, .choices = 4, .bases =
         SFB_PAIR_LANES SCALES_1, .agrees = CUTLASS | JAX | TVM, .note = NOTE_1X},
     }},
    {.shape = {256, 0, 32}, .widths = &integer_pair_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS, .agrees =
         CUTLASS | JAX},
        {D_IS, .types = S32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX},
     }},
    {.shape = {256, 0, 64}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = E2M1, .columns = 8, .has_bit = true, .bases = PAIR_A OF_4_BITS, .agrees =
         TVM},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | TRITON | JAX | TVM},
        {SFA_IS, .types = UE8M0, .scale_vector = 2, .columns = 4, .choices = 2, .bases =
         SFA_PAIR_LANES SCALES_2("c"), .agrees = CUTLASS | JAX | TVM, .note = NOTE_2X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .columns = 4, .bases = SFA_PAIR_LANES
         SCALES_4("c"), .agrees = CUTLASS | JAX | TVM, .ptx = 87, .note = NOTE_4X},
        {SFB_IS, .types = UE8M0, .scale_vector = 2, .copies = 8, .choices = 2, .bases =
         SFB_PAIR_LANES SCALES_2("r"), .agrees = CUTLASS | JAX | TVM, .note = NOTE_2X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .copies = 8, .bases = SFB_PAIR_LANES
         SCALES_4("r"), .agrees = CUTLASS | JAX | TVM, .ptx = 87, .note = NOTE_4X},
     }},
    {.shape = {256, 0, 96}, .widths = &pair_widths, ULTRA,
     .rows = {
        {A_IS, .types = E2M1, .columns = 12, .has_bit = true, .bases = PAIR_A OF_4_BITS},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS},
        {SFA_IS, .types = UE8M0, .scale_vector = 3, .columns = 8, .choices = 4, .bases = SFA_PAIR_LANES
         SCALES_8("c"), .agrees = CUTLASS, .note = NOTE_3X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 8, .choices = 2, .bases =
         SFA_PAIR_LANES SCALES_8("c"), .agrees = CUTLASS, .note = NOTE_6X},
     }},
    {.shape = {256, 0, 96}, .widths = &to_128, ULTRA,
     .rows = {
        {SFB_IS, .types = UE8M0, .scale_vector = 3, .columns = 8, .copies = 8, .choices = 4, .bases
         = SFB_PAIR_LANES_128 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_3X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 8, .copies = 8, .choices = 2,
         .bases = SFB_PAIR_LANES_128 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_6X},
     }},
    {.shape = {256, 0, 96}, .widths = &from_144, ULTRA,
     .rows = {
        {SFB_IS, .types = UE8M0, .scale_vector = 3, .columns = 16, .copies = 8, .choices = 4, .bases
         = SFB_PAIR_LANES_256 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_3X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 6, .columns = 16, .copies = 8, .choices =
         2, .bases = SFB_PAIR_LANES_256 SCALES_8("r"), .agrees = CUTLASS, .note = NOTE_6X},
     }},
            /* clang-format on */
};

static const struct fragment_group pair_sparse_groups[] =
    {
        /* clang-format off */
    {.shape = {128, 0, 32}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = PAIR_C OF_16_BITS, .note
         = NOTE_F},
        {D_IS, .types = F32, .bases = PAIR_C ALL_COLUMNS, .agrees = TVM, .note = NOTE_C},
        {D_IS, .types = F16, .bases = PAIR_C ALL_COLUMNS, .note = NOTE_C},
        {E_IS, .types = F16 | BF16, .bits = 2, .choices = 2, .bases = "r6 | " E_16_BITS("0 r4 r5"),
         .note = NOTE_F "; " NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 16}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = PAIR_C OF_32_BITS, .note = NOTE_F},
        {D_IS, .types = F32, .bases = PAIR_C ALL_COLUMNS, .agrees = TVM, .note = NOTE_C},
        {E_IS, .types = TF32, .bits = 4, .choices = 2, .bases = "r6 | " E_32_BITS("0 r4 r5"), .note
         = NOTE_F "; " NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 64}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8 | FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_C
         OF_8_BITS, .note = NOTE_F},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_C
         OF_4_IN_8_BITS, .note = NOTE_F "; " NOTE_4_IN_8},
        {D_IS, .types = F32, .bases = PAIR_C ALL_COLUMNS, .agrees = TVM, .note = NOTE_C},
        {D_IS, .types = F16, .bases = PAIR_C ALL_COLUMNS, .note = NOTE_C},
        {E_IS, .types = FP8_TO_4, .bits = 2, .bases = PAIR_C E_8_BITS, .note = NOTE_F},
     }},
    {.shape = {128, 0, 64}, .widths = &integer_pair_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = PAIR_C OF_8_BITS, .note =
         NOTE_F},
        {D_IS, .types = S32, .bases = PAIR_C ALL_COLUMNS, .note = NOTE_C},
        {E_IS, .types = INT8, .bits = 2, .bases = PAIR_C E_8_BITS, .note = NOTE_F},
     }},
    {.shape = {256, 0, 32}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = PAIR_A OF_16_BITS,
         .agrees = JAX},
        {D_IS, .types = F32 | F16, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = F16 | BF16, .bits = 2, .choices = 2, .bases = "r7 | " E_16_BITS("r4-6"),
         .agrees = CUTLASS | JAX, .note = NOTE_SELECTOR},
     }},
    {.shape = {256, 0, 16}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = PAIR_A OF_32_BITS},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = TF32, .bits = 4, .choices = 2, .bases = "r7 | " E_32_BITS("r4-6"), .agrees =
         CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {256, 0, 64}, .widths = &pair_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS,
         .agrees = JAX},
        {A_IS, .types = FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = PAIR_A
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32 | F16, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = FP8, .bits = 2, .bases = PAIR_A E_8_BITS, .agrees = CUTLASS | JAX},
        {E_IS, .types = FP6 | E2M1, .bits = 2, .bases = PAIR_A E_8_BITS, .agrees = CUTLASS},
        {SFA_IS, .types = UE8M0, .scale_vector = 1, .columns = 4, .choices = 4, .bases =
         SFA_PAIR_LANES SCALES_1, .agrees = CUTLASS | JAX, .note = NOTE_1X},
        {SFB_IS, .types = UE8M0, .scale_vector = 1, .copies = 8, .choices = 4, .bases =
         SFB_PAIR_LANES SCALES_1, .agrees = CUTLASS | JAX, .note = NOTE_1X},
     }},
    {.shape = {256, 0, 64}, .widths = &integer_pair_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = PAIR_A OF_8_BITS, .agrees =
         JAX},
        {D_IS, .types = S32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = INT8, .bits = 2, .bases = PAIR_A E_8_BITS, .agrees = CUTLASS | JAX},
     }},
    {.shape = {256, 0, 128}, .widths = &pair_widths, .since = 100, .until = 110,
     .suffix = MAPPING_SUFFIX_A, .ptx = 86,
     .rows = {
        {A_IS, .types = E2M1, .columns = 8, .has_bit = true, .bases = PAIR_A OF_4_BITS},
        {D_IS, .types = F32, .bases = PAIR_A ALL_COLUMNS, .agrees = CUTLASS | JAX},
        {E_IS, .types = E2M1, .is_paired = true, .bits = 2, .bases = PAIR_A E_8_BITS, .agrees =
         CUTLASS},
        {SFA_IS, .types = UE8M0, .scale_vector = 2, .columns = 4, .choices = 2, .bases =
         SFA_PAIR_LANES SCALES_2("c"), .agrees = CUTLASS | JAX, .note = NOTE_2X},
        {SFA_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .columns = 4, .bases = SFA_PAIR_LANES
         SCALES_4("c"), .agrees = CUTLASS | JAX, .ptx = 87, .note = NOTE_4X},
        {SFB_IS, .types = UE8M0, .scale_vector = 2, .copies = 8, .choices = 2, .bases =
         SFB_PAIR_LANES SCALES_2("r"), .agrees = CUTLASS | JAX, .note = NOTE_2X},
        {SFB_IS, .types = UE8M0 | UE4M3, .scale_vector = 4, .copies = 8, .bases = SFB_PAIR_LANES
         SCALES_4("r"), .agrees = CUTLASS | JAX, .ptx = 87, .note = NOTE_4X},
     }},
        /* clang-format on */
};

const struct family mapping_tcgen05_mma_cta2 = {
    .instruction = MAPPING_TCGEN05_MMA_CTA2,
    .name = "tcgen05.mma.cta2",
    .shape_style = SHAPE_MNK,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .scaled_from = 128,
    .letters = {{128, "B of the PTX ISA, each half of N in one half of the lanes"},
                {256, "A of the PTX ISA"}}, /* 9.7.16.10.5 */
    .ctas = 2,
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = pair_groups,
    .group_count = COUNT(pair_groups),
    .forms = &mapping_tcgen05_mma_cta2_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};

const struct family mapping_tcgen05_mma_cta2_sp = {
    .instruction = MAPPING_TCGEN05_MMA_CTA2_SP,
    .name = "tcgen05.mma.cta2.sp",
    .shape_style = SHAPE_MNK,
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_CTA2,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .scaled_from = 256,
    .letters = {{128, "C of the PTX ISA, half of the lanes"},
                {256, "A of the PTX ISA"}}, /* 9.7.16.10.5 */
    .ctas = 2,
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = pair_sparse_groups,
    .group_count = COUNT(pair_sparse_groups),
    .forms = &mapping_tcgen05_mma_cta2_sp_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};
