/* tcgen05_moves.c - between Tensor Memory and registers: tcgen05.ld and tcgen05.st.
 *
 * One warp executes them; warp w of a warpgroup reaches lanes 32 w to 32 w + 31 alone. Lanes and
 * columns count from the address that the instruction is given. Sections are those of the PTX ISA
 * 9.1, which writes
 *
 *   tcgen05.ld.sync.aligned.16x64b.x4{.pack::16b}.b32 {r0, r1, r2, r3}, [taddr];
 *   tcgen05.st.sync.aligned.16x64b.x4{.unpack::16b}.b32 [taddr], {r0, r1, r2, r3};
 *   tcgen05.ld.sync.aligned.16x32bx2.x4{.pack::16b}.b32 {r0, r1, r2, r3}, [taddr], immHalfSplitoff;
 *
 * 9.7.16.2.3.1 says which lanes and bits a shape has, and in drawings, which thread holds what; 148
 * atoms of CUTLASS 4.2, copy_traits_sm100.hpp, say the same. With .pack and .unpack an element is
 * the lower half of a column. ptxas takes the words in any order, .sync and .aligned have to be
 * there. */
#include "catalogue/family.h"

static const uint16_t repeats[] = {1, 2, 4, 8, 16, 32, 64, 128};
static const struct mapping_widths to_128 = {.count = 8, .n = repeats},
                                   to_64 = {.count = 7, .n = repeats},
                                   to_32 = {.count = 6, .n = repeats};

#define NOTE_WARPS                                                                                 \
    "warp w of a warpgroup accesses lanes 32 * w to 32 * w + 31; lane numbers in this layout are " \
    "relative to the address"
#define NOTE_SPLIT                                                                                 \
    NOTE_WARPS                                                                                     \
    "; threads 16 to 31 start immHalfSplitoff columns after threads 0 to 15; this layout "         \
    "assumes that immHalfSplitoff is the number of columns that threads 0 to 15 access"
#define BLACKWELL .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A_OR_F, .ptx = 86

/* A shape as it lies, and with two halves in a register. */
#define ALL_OF(shape_m, shape_n, times)                                                            \
    .shape = {shape_m, shape_n, 0}, .counts = &(times), BLACKWELL, .section = "9.7.16.2.3.1"
#define WORDS .operands = R, .types = B32, .agrees = CUTLASS | TRITON | TVM
#define WORDS_TWICE .operands = R, .types = B32, .agrees = CUTLASS | TRITON
#define HALVES(word) .operands = R, .types = B16, .agrees = CUTLASS | TRITON, .form = word

/* clang-format off */
#define SHAPES(word)                                                                               \
    {ALL_OF(32, 32, to_128),                                                                       \
     .rows = {                                                                                     \
        {WORDS, .columns = 1, .bases = "t0-4 | i0..", .note = NOTE_WARPS},                         \
        {HALVES(word), .columns = 2, .bases = "t0-4 | i0..", .note = NOTE_WARPS},                  \
     }},                                                                                           \
    {ALL_OF(16, 64, to_128),                                                                       \
     .rows = {                                                                                     \
        {WORDS, .columns = 2, .bases = "t2 t3 t4 t0 | t1 i0..", .note = NOTE_WARPS},               \
        {HALVES(word), .columns = 4, .bases = "t2 t3 t4 t0 | i0 t1 i1..", .note = NOTE_WARPS},     \
     }},                                                                                           \
    {ALL_OF(16, 128, to_64),                                                                       \
     .rows = {                                                                                     \
        {WORDS, .columns = 4, .bases = "t2 t3 t4 i0 | t0 t1 i1..", .note = NOTE_WARPS},            \
        {HALVES(word), .columns = 8, .bases = "t2 t3 t4 i1 | i0 t0 t1 i2..", .note = NOTE_WARPS},  \
     }},                                                                                           \
    {ALL_OF(16, 256, to_32),                                                                       \
     .rows = {                                                                                     \
        {WORDS, .columns = 8, .bases = "t2 t3 t4 i1 | i0 t0 t1 i2..", .note = NOTE_WARPS},         \
        {HALVES(word), .columns = 16, .bases = "t2 t3 t4 i2 | i0 i1 t0 t1 i3..", .note = NOTE_WARPS},\
     }},                                                                                           \
    {ALL_OF(16, 32, to_128),                                                                       \
     .rows = {                                                                                     \
        {WORDS_TWICE, .columns = 2, .bases = "t0-3 | i* t4", .note = NOTE_SPLIT},                  \
        {HALVES(word), .columns = 4, .bases = "t0-3 | i* t4", .note = NOTE_SPLIT},                 \
     }}
/* clang-format on */

static const struct fragment_group load_groups[] = {SHAPES("pack")};
static const struct fragment_group store_groups[] = {SHAPES("unpack")};

/* clang-format off */
#define OPCODES_OF(shape_m, shape_n, times, word)                                                  \
    {.shape = {shape_m, shape_n, 0}, .counts = &(times), .a = B32, BLACKWELL},                     \
    {.shape = {shape_m, shape_n, 0}, .counts = &(times), .a = B16, .form = (word), BLACKWELL}
#define OPCODES(word)                                                                              \
    OPCODES_OF(32, 32, to_128, word), OPCODES_OF(16, 64, to_128, word),                            \
    OPCODES_OF(16, 128, to_64, word), OPCODES_OF(16, 256, to_32, word),                            \
    OPCODES_OF(16, 32, to_128, word)
/* clang-format on */

static const struct opcode_row load_opcodes[] = {OPCODES("pack")};
static const struct opcode_row store_opcodes[] = {OPCODES("unpack")};

#define PARTS                                                                                      \
    { PART_LANES, PART_COUNT, PART_FORM, PART_B32 }

static const struct opcode_form load_forms[] = {{
    .start = "tcgen05.ld.sync.aligned",
    .mnemonic = "tcgen05.ld",
    .words = "sync+ aligned",
    .parts = PARTS,
    .rows = load_opcodes,
    .row_count = sizeof load_opcodes / sizeof *load_opcodes,
}};

static const struct opcode_form store_forms[] = {{
    .start = "tcgen05.st.sync.aligned",
    .mnemonic = "tcgen05.st",
    .words = "sync+ aligned",
    .parts = PARTS,
    .rows = store_opcodes,
    .row_count = sizeof store_opcodes / sizeof *store_opcodes,
}};

const struct family mapping_tcgen05_ld = {
    .instruction = MAPPING_TCGEN05_LD,
    .name = "tcgen05.ld",
    .loads = true,
    .shape_style = SHAPE_LANES,
    .threads = 32,
    .place = MAPPING_ACROSS,
    .probe = PROBE_TCGEN05,
    .groups = load_groups,
    .group_count = sizeof load_groups / sizeof *load_groups,
    .in_registers = R,
    .forms = load_forms,
    .form_count = sizeof load_forms / sizeof *load_forms,
    .find = mapping_find_by_forms,
};

const struct family mapping_tcgen05_st = {
    .instruction = MAPPING_TCGEN05_ST,
    .name = "tcgen05.st",
    .shape_style = SHAPE_LANES,
    .threads = 32,
    .place = MAPPING_ACROSS,
    .probe = PROBE_TCGEN05,
    .groups = store_groups,
    .group_count = sizeof store_groups / sizeof *store_groups,
    .in_registers = R,
    .forms = store_forms,
    .form_count = sizeof store_forms / sizeof *store_forms,
    .find = mapping_find_by_forms,
};
