/* tcgen05_ws.c - tcgen05.mma.ws and tcgen05.mma.ws.sp; see tcgen05.h.
 *
 * A in Tensor Memory is here for M = 128 alone: of 64 TVM alone says where it is, and of
 * 32 nobody. */
#include "catalogue/tcgen05.h"

/* 9.7.16.2.1: the widths n, of sparse ones without the last. */
static const uint16_t doubling[] = {64, 128, 256};
static const struct mapping_widths ws_widths = WIDTHS(doubling),
                                   ws_sparse_widths = {.count = 2, .n = doubling};

static const struct fragment_group ws_groups[] = {
    /* clang-format off */
    {.shape = {32, 0, 16}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS | TVM},
        {D_IS, .types = F16, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
     }},
    {.shape = {32, 0, 8}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS | TVM},
     }},
    {.shape = {32, 0, 32}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS | TVM},
        {D_IS, .types = F16, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
     }},
    {.shape = {32, 0, 32}, .widths = &ws_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {D_IS, .types = S32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
     }},
    {.shape = {64, 0, 16}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS | TVM},
        {D_IS, .types = F16, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
     }},
    {.shape = {64, 0, 8}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS | TVM},
     }},
    {.shape = {64, 0, 32}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS | TVM},
        {D_IS, .types = F16, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
     }},
    {.shape = {64, 0, 32}, .widths = &ws_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {D_IS, .types = S32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
     }},
    {.shape = {128, 0, 16}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_D OF_16_BITS},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
     }},
    {.shape = {128, 0, 8}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_D OF_32_BITS},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
     }},
    {.shape = {128, 0, 32}, .widths = &ws_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8 | FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_8_BITS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
     }},
    {.shape = {128, 0, 32}, .widths = &ws_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_D OF_8_BITS},
        {D_IS, .types = S32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
     }},
    /* clang-format on */
};

static const struct fragment_group ws_sparse_groups[] = {
    /* clang-format off */
    {.shape = {32, 0, 32}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32 | F16, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
        {E_IS, .types = F16 | BF16, .bits = 2, .copies = 4, .choices = 2, .bases =
         E_16_BITS("r4 o0 o1"), .agrees = CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {32, 0, 16}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
        {E_IS, .types = TF32, .bits = 4, .copies = 4, .choices = 2, .bases = E_32_BITS("r4 o0 o1"),
         .agrees = CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {32, 0, 64}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32 | F16, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
        {E_IS, .types = FP8_TO_4, .bits = 2, .copies = 4, .bases = LANES_G "o0 o1" E_8_BITS, .agrees
         = CUTLASS},
     }},
    {.shape = {32, 0, 64}, .widths = &ws_sparse_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {D_IS, .types = S32, .divided = 4, .bases = LANES_G QUARTERS, .agrees = CUTLASS},
        {E_IS, .types = INT8, .bits = 2, .copies = 4, .bases = LANES_G "o0 o1" E_8_BITS, .agrees =
         CUTLASS},
     }},
    {.shape = {64, 0, 32}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32 | F16, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
        {E_IS, .types = F16 | BF16, .bits = 2, .copies = 2, .choices = 2, .bases =
         E_16_BITS("r4 r5 o0"), .agrees = CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {64, 0, 16}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
        {E_IS, .types = TF32, .bits = 4, .copies = 2, .choices = 2, .bases = E_32_BITS("r4 r5 o0"),
         .agrees = CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {64, 0, 64}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {D_IS, .types = F32 | F16, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
        {E_IS, .types = FP8_TO_4, .bits = 2, .copies = 2, .bases = LANES_E "o0" E_8_BITS, .agrees =
         CUTLASS},
     }},
    {.shape = {64, 0, 64}, .widths = &ws_sparse_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {D_IS, .types = S32, .divided = 2, .bases = LANES_E HALVES, .agrees = CUTLASS},
        {E_IS, .types = INT8, .bits = 2, .copies = 2, .bases = LANES_E "o0" E_8_BITS, .agrees =
         CUTLASS},
     }},
    {.shape = {128, 0, 32}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = F16 | BF16, .columns = 8, .has_bit = true, .bases = LANES_D OF_16_BITS},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = F16 | BF16, .bits = 2, .choices = 2, .bases = E_16_BITS("r4-6"), .agrees =
         CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 16}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = TF32, .columns = 8, .bases = LANES_D OF_32_BITS},
        {D_IS, .types = F32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = TF32, .bits = 4, .choices = 2, .bases = E_32_BITS("r4-6"), .agrees =
         CUTLASS, .note = NOTE_SELECTOR},
     }},
    {.shape = {128, 0, 64}, .widths = &ws_sparse_widths, BLACKWELL, .ptx = 86,
     .rows = {
        {A_IS, .types = FP8 | FP6, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_8_BITS},
        {A_IS, .types = E2M1, .columns = 8, .bits = 8, .has_bit = true, .bases = LANES_D
         OF_4_IN_8_BITS, .note = NOTE_4_IN_8},
        {D_IS, .types = F32 | F16, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = FP8_TO_4, .bits = 2, .bases = LANES_D E_8_BITS, .agrees = CUTLASS},
     }},
    {.shape = {128, 0, 64}, .widths = &ws_sparse_widths, NOT_ULTRA, .ptx = 86,
     .rows = {
        {A_IS, .types = INT8, .columns = 8, .has_bit = true, .bases = LANES_D OF_8_BITS},
        {D_IS, .types = S32, .bases = LANES_D ALL_COLUMNS, .agrees = CUTLASS},
        {E_IS, .types = INT8, .bits = 2, .bases = LANES_D E_8_BITS, .agrees = CUTLASS},
     }},
    /* clang-format on */
};

const struct family mapping_tcgen05_mma_ws = {
    .instruction = MAPPING_TCGEN05_MMA_WS,
    .name = "tcgen05.mma.ws",
    .shape_style = SHAPE_MNK,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .letters = {{32, "G of the PTX ISA, each quarter of N in one quarter of the lanes"},
                {64, "E of the PTX ISA, each half of N in one half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = ws_groups,
    .group_count = COUNT(ws_groups),
    .forms = &mapping_tcgen05_mma_ws_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};

const struct family mapping_tcgen05_mma_ws_sp = {
    .instruction = MAPPING_TCGEN05_MMA_WS_SP,
    .name = "tcgen05.mma.ws.sp",
    .shape_style = SHAPE_MNK,
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_WS,
    .reads_shared = true,
    .multiplies = true,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .letters = {{32, "G of the PTX ISA, each quarter of N in one quarter of the lanes"},
                {64, "E of the PTX ISA, each half of N in one half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    .lists_widest = true,
    .probe = PROBE_TCGEN05,
    .groups = ws_sparse_groups,
    .group_count = COUNT(ws_sparse_groups),
    .forms = &mapping_tcgen05_mma_ws_sp_form,
    .form_count = 1,
    .find = mapping_find_by_forms,
};
