/* tcgen05_moves.c - moves between Tensor Memory and registers (tcgen05.ld, tcgen05.st), from shared
 * memory to Tensor Memory (tcgen05.cp), and within Tensor Memory (tcgen05.shift).
 *
 * One warp executes tcgen05.ld or tcgen05.st. Warp w of a warpgroup can only access lanes 32 w to
 * 32 w + 31. Lanes and columns are counted from the address operand. Section numbers in this file
 * refer to the PTX ISA 9.1. The syntax is
 *
 *   tcgen05.ld.sync.aligned.16x64b.x4{.pack::16b}.b32 {r0, r1, r2, r3}, [taddr];
 *   tcgen05.st.sync.aligned.16x64b.x4{.unpack::16b}.b32 [taddr], {r0, r1, r2, r3};
 *   tcgen05.ld.sync.aligned.16x32bx2.x4{.pack::16b}.b32 {r0, r1, r2, r3}, [taddr], immHalfSplitoff;
 *
 * Section 9.7.16.2.3.1 gives the lanes and bits of each shape, and shows in figures which elements
 * each thread holds. 148 atoms of CUTLASS 4.2 (copy_traits_sm100.hpp) have the same layouts. With
 * .pack and .unpack, an element is the lower half of a column. ptxas accepts the words in any
 * order, and requires .sync and .aligned. */
#include "catalogue/family.h"

static const uint16_t repeats[] = {1, 2, 4, 8, 16, 32, 64, 128};
static const struct mapping_widths to_128 = {.count = 8, .n = repeats},
                                   to_64 = {.count = 7, .n = repeats},
                                   to_32 = {.count = 6, .n = repeats};

#define NOTE_WARPS                                                                                 \
    "warp w of a warpgroup accesses lanes 32 * w to 32 * w + 31; lanes and "                       \
    "columns of the layout are relative to the address operand (taddr)"
#define NOTE_SPLIT                                                                                 \
    NOTE_WARPS                                                                                     \
    "; the columns of threads 16 to 31 begin at immHalfSplitoff: in this layout, directly after "  \
    "the columns of threads 0 to 15"
#define BLACKWELL .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A_OR_F, .ptx = 86

/* A shape for elements of 32 bits, and for two elements of 16 bits in a register. */
/* clang-format off */
#define SHAPE_IN(word, lanes, bits, times, width, text, text_of_halves)                            \
    {.shape = {lanes, bits, 0}, .counts = &(times), BLACKWELL, .section = "9.7.16.2.3.1",          \
     .rows = {{.operands = R, .types = B32, .columns = (width), .bases = (text)},                  \
              {.operands = R, .types = B16, .columns = 2 * (width), .bases = (text_of_halves),     \
               .form = (word)}}}
#define SHAPES(word)                                                                               \
    SHAPE_IN(word, 32, 32, to_128, 1, "t0-4 | i0..", "t0-4 | i0.."),                               \
    SHAPE_IN(word, 16, 64, to_128, 2, "t2 t3 t4 t0 | t1 i0..", "t2 t3 t4 t0 | i0 t1 i1.."),        \
    SHAPE_IN(word, 16, 128, to_64, 4, "t2 t3 t4 i0 | t0 t1 i1..", "t2 t3 t4 i1 | i0 t0 t1 i2.."),  \
    SHAPE_IN(word, 16, 256, to_32, 8, "t2 t3 t4 i1 | i0 t0 t1 i2..",                               \
             "t2 t3 t4 i2 | i0 i1 t0 t1 i3.."),                                                    \
    SHAPE_IN(word, 16, 32, to_128, 2, "t0-3 | i* t4", "t0-3 | i* t4")

#define OPCODES_OF(shape_m, shape_n, times, word)                                                  \
    {.shape = {shape_m, shape_n, 0}, .counts = &(times), .a = B32, BLACKWELL},                     \
    {.shape = {shape_m, shape_n, 0}, .counts = &(times), .a = B16, .form = (word), BLACKWELL}
#define OPCODES(word)                                                                              \
    OPCODES_OF(32, 32, to_128, word), OPCODES_OF(16, 64, to_128, word),                            \
    OPCODES_OF(16, 128, to_64, word), OPCODES_OF(16, 256, to_32, word),                            \
    OPCODES_OF(16, 32, to_128, word)
/* clang-format on */

static const struct fragment_group load_groups[] = {SHAPES("pack")};
static const struct fragment_group store_groups[] = {SHAPES("unpack")};
static const struct opcode_row load_opcodes[] = {OPCODES("pack")};
static const struct opcode_row store_opcodes[] = {OPCODES("unpack")};

/* TVM has no .16x32bx2, and no elements of 16 bits. */
static const struct fragment_remark move_remarks[] = {
    {.agrees = CUTLASS | TRITON},
    {.types = B32, .n = 64 | 128 | 256, .agrees = TVM},
    {.m = 32, .types = B32, .agrees = TVM},
    {.m = 16, .n = 32, .note = NOTE_SPLIT},
    {.note = NOTE_WARPS},
};

/* The members that loads and stores share. */
#define MOVE(title, all_groups, opcodes)                                                           \
    .name = (title), .shape_style = SHAPE_LANES, .threads = 32, .place = MAPPING_ACROSS,           \
    .form = TCGEN05_FORM, GROUPS(all_groups), REMARKS(move_remarks), .in_registers = R,            \
    .form_count = 1, .forms = &(const struct opcode_form) {                                        \
        .start = title ".sync.aligned", .mnemonic = (title), .words = "sync+ aligned",             \
        .parts = {PART_LANES, PART_COUNT, PART_FORM, PART_B32}, OPCODE_ROWS(opcodes)               \
    }

const struct family mapping_tcgen05_ld = {
    .instruction = MAPPING_TCGEN05_LD,
    .loads = true,
    MOVE("tcgen05.ld", load_groups, load_opcodes),
};

const struct family mapping_tcgen05_st = {
    .instruction = MAPPING_TCGEN05_ST,
    MOVE("tcgen05.st", store_groups, store_opcodes),
};

/* ---- tcgen05.cp and tcgen05.shift ----
 *
 * One thread executes them; with .cta_group::2, in both CTAs of the pair. Lanes and columns are
 * counted from the address. Sections are those of the PTX ISA 9.1. The syntax is
 *
 *   tcgen05.cp.cta_group::1.128x256b                  [taddr], sdesc;
 *   tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32  [taddr], sdesc;
 *   tcgen05.cp.cta_group::1.64x128b.warpx2::02_13     [taddr], sdesc;
 *   tcgen05.shift.cta_group::1.down                   [taddr];
 *
 * The rows of a copy are those of the descriptor's matrix; each core matrix has 16 bytes of a
 * row. 9.7.16.9.2 specifies the lanes of the rows for all shapes except .4x256b;
 * copy_traits_sm100.hpp of CUTLASS 4.2 has all shapes. With .b8x16, elements of 6 or 4 bits become
 * bytes (9.7.16.9.1). */
#define LANES_ALL "r0-6"
#define LANES_02_13 "r0-5 o0"    /* warps 0 and 2 have the same rows, and so have 1 and 3 */
#define LANES_01_23 "r0-4 o0 r5" /* warps 0 and 1 have the same rows, and so have 2 and 3 */
#define LANES_WARPX4 "r0-4 o0 o1"
#define LANES_OF_EACH_32 "0 0 0 0 0 r0 r1"

/* Columns and bits of packed elements. An element of 6 bits is in the lower bits of a byte, one of
 * 4 bits in the middle bits; see tcgen05.c. */
#define COPIED_8_BITS " | c2-4 | 0 0 0 c0 c1"
#define COPIED_4_BITS " | c2-4 | 0 1 0 c0 c1"

#define NOTE_PAIR                                                                                  \
    "both warps of a pair receive the same rows (CUTLASS 4.2), but the PTX ISA says that each "    \
    "warp receives half of the data"
#define NOTE_4_LANES                                                                               \
    "the PTX ISA does not specify the destination lanes, so this layout (one lane in each "        \
    "32-lane group) is from CUTLASS"
#define NOTE_6_BITS                                                                                \
    "in shared memory, 4 bytes of padding follow every 16 elements; in Tensor Memory, an element " \
    "is in bits "                                                                                  \
    "5:0 of its byte, as TVM's tests expect; the PTX ISA shows the bits only in a figure"
#define NOTE_4_BITS                                                                                \
    "in shared memory, 8 bytes of padding follow every 16 elements; in Tensor Memory, an element " \
    "is in bits "                                                                                  \
    "5:2 of its byte, as TVM's tests expect; the PTX ISA shows the bits only in a figure"
#define NOTE_SHIFT                                                                                 \
    "here row r moves from lane r to lane r + 1, so row = lane - 1, and lane 0 keeps its data; "   \
    "the PTX ISA says that all rows except the last are shifted down by one, which can also mean " \
    "that lane r receives the data of lane r + 1, and the last lane keeps its data"

#define COPY .operands = D, .divided = 32
/* A shape for words and for bytes, and for elements that become bytes. */
/* clang-format off */
#define SHAPE(word, number, lanes)                                                                 \
    {COPY, .form = (word), .copies = (number), .types = B32, .bases = lanes " | c0-2"},            \
    {COPY, .form = (word), .copies = (number), .types = B8, .has_bit = true,                       \
     .bases = lanes COPIED_8_BITS},                                                                \
    {COPY, .form = (word), .copies = (number), .types = B6, .bits = 8, .has_bit = true,            \
     .section = "9.7.16.9.1", .bases = lanes COPIED_8_BITS},                                       \
    {COPY, .form = (word), .copies = (number), .types = B4, .bits = 8, .has_bit = true,            \
     .section = "9.7.16.9.1", .bases = lanes COPIED_4_BITS}
#define FROM_SHARED BLACKWELL, .section = "9.7.16.9.2"

static const struct fragment_group copy_groups[] = {
    {.shape = {128, 256, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_ALL)}},
    {.shape = {128, 128, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_ALL)}},
    {.shape = {64, 128, 0}, FROM_SHARED, .rows = {SHAPE("02_13", 2, LANES_02_13)}},
    {.shape = {64, 128, 0}, FROM_SHARED, .rows = {SHAPE("01_23", 2, LANES_01_23)}},
    {.shape = {32, 128, 0}, FROM_SHARED, .rows = {SHAPE("warpx4", 4, LANES_WARPX4)}},
    {.shape = {4, 256, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_OF_EACH_32)}},
};

static const struct fragment_remark copy_remarks[] = {
    {.types = B32 | B8, .agrees = CUTLASS},
    {.m = 64, .types = B6, .note = NOTE_PAIR "; " NOTE_6_BITS},
    {.m = 64, .types = B4, .note = NOTE_PAIR "; " NOTE_4_BITS},
    {.m = 64, .note = NOTE_PAIR},
    {.m = 4, .types = B6, .note = NOTE_4_LANES "; " NOTE_6_BITS},
    {.m = 4, .types = B4, .note = NOTE_4_LANES "; " NOTE_4_BITS},
    {.m = 4, .note = NOTE_4_LANES},
    {.types = B6, .note = NOTE_6_BITS},
    {.types = B4, .note = NOTE_4_BITS},
};
/* clang-format on */

static const struct fragment_group shift_groups[] = {
    {.shape = {31, 256, 0},
     .since = 100,
     .until = 110,
     .suffix = MAPPING_SUFFIX_A,
     .ptx = 86,
     .section = "9.7.16.9.3",
     .rows =
         {
             {.operands = D,
              .types = B32,
              .divided = 32,
              .bases = "r+1 | c0-2",
              .note = NOTE_SHIFT},
         }},
};

static const struct opcode_form copy_forms[] = {{
    .mnemonic = "tcgen05.cp",
    .moved = D,
    .words = "cta_group::1|cta_group::2",
    .parts = {PART_LANES, PART_OPERATION},
}};

static const struct opcode_form shift_forms[] = {{
    .mnemonic = "tcgen05.shift",
    .moved = D,
    .words = "down cta_group::1|cta_group::2",
}};

const struct family mapping_tcgen05_cp = {
    .instruction = MAPPING_TCGEN05_CP,
    .name = "tcgen05.cp",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .form = TCGEN05_FORM,
    GROUPS(copy_groups),
    REMARKS(copy_remarks),
    FORMS(copy_forms),
};

const struct family mapping_tcgen05_shift = {
    .instruction = MAPPING_TCGEN05_SHIFT,
    .name = "tcgen05.shift",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .form = TCGEN05_FORM,
    GROUPS(shift_groups),
    FORMS(shift_forms),
};
