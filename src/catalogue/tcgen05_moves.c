/* tcgen05_moves.c - between Tensor Memory and registers, tcgen05.ld and tcgen05.st; and into it
 * from shared memory, and inside of it, tcgen05.cp and tcgen05.shift.
 *
 * One warp executes tcgen05.ld and tcgen05.st; warp w of a warpgroup reaches lanes 32 w to 32 w +
 * 31 alone. Lanes and columns count from the address that the instruction is given. Sections are
 * those of the PTX ISA 9.1, which writes
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

#include <string.h>

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
    OPCODE_ROWS(load_opcodes),
}};

static const struct opcode_form store_forms[] = {{
    .start = "tcgen05.st.sync.aligned",
    .mnemonic = "tcgen05.st",
    .words = "sync+ aligned",
    .parts = PARTS,
    OPCODE_ROWS(store_opcodes),
}};

const struct family mapping_tcgen05_ld = {
    .instruction = MAPPING_TCGEN05_LD,
    .name = "tcgen05.ld",
    .loads = true,
    .shape_style = SHAPE_LANES,
    .threads = 32,
    .place = MAPPING_ACROSS,
    .probe = PROBE_TCGEN05,
    GROUPS(load_groups),
    .in_registers = R,
    FORMS(load_forms),
};

const struct family mapping_tcgen05_st = {
    .instruction = MAPPING_TCGEN05_ST,
    .name = "tcgen05.st",
    .shape_style = SHAPE_LANES,
    .threads = 32,
    .place = MAPPING_ACROSS,
    .probe = PROBE_TCGEN05,
    GROUPS(store_groups),
    .in_registers = R,
    FORMS(store_forms),
};

/* ---- tcgen05.cp and tcgen05.shift ----
 *
 * One thread executes them; with .cta_group::2 the same happens in both CTAs of the pair. Lanes and
 * columns count from the address. Sections are those of the PTX ISA 9.1, which writes
 *
 *   tcgen05.cp.cta_group::1.128x256b                  [taddr], sdesc;
 *   tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32  [taddr], sdesc;
 *   tcgen05.cp.cta_group::1.64x128b.warpx2::02_13     [taddr], sdesc;
 *   tcgen05.shift.cta_group::1.down                   [taddr];
 *
 * Rows of a copy are those of the matrix that the descriptor says, 16 bytes of one in each core
 * matrix. Which lanes have them 9.7.16.9.2 says of all shapes but .4x256b, and
 * copy_traits_sm100.hpp of CUTLASS 4.2 of all. With .b8x16 elements of 6 or 4 bits become
 * bytes, 9.7.16.9.1. */
#define LANES_ALL "r0-6"
#define LANES_02_13 "r0-5 o0"    /* warps 0 and 2 alike, and 1 and 3 */
#define LANES_01_23 "r0-4 o0 r5" /* warps 0 and 1 alike, and 2 and 3 */
#define LANES_WARPX4 "r0-4 o0 o1"
#define LANES_OF_EACH_32 "0 0 0 0 0 r0 r1"

/* Columns and bits of packed elements. An element of 6 bits is in the lower bits of a byte, one of
 * 4 bits in the middle bits; see tcgen05.c. */
#define COPIED_8_BITS " | c2-4 | 0 0 0 c0 c1"
#define COPIED_4_BITS " | c2-4 | 0 1 0 c0 c1"

#define NOTE_PAIR                                                                                  \
    "both warps of a pair receive the same rows (CUTLASS 4.2); the PTX ISA says that each warp "   \
    "receives half of the data"
#define NOTE_4_LANES                                                                               \
    "the PTX ISA does not specify the destination lanes; this layout (one lane in each "           \
    "32-lane group) is from CUTLASS"
#define NOTE_6_BITS                                                                                \
    "in shared memory, 4 bytes of padding follow every 16 elements; an element is in bits "        \
    "5:0 of its byte, as TVM's tests expect; the PTX ISA shows the bits only in a figure"
#define NOTE_4_BITS                                                                                \
    "in shared memory, 8 bytes of padding follow every 16 elements; an element is in bits "        \
    "5:2 of its byte, as TVM's tests expect; the PTX ISA shows the bits only in a figure"
#define NOTE_SHIFT                                                                                 \
    "this layout moves row r from lane r to lane r + 1; lane 0 keeps its data; the inverse is "    \
    "row = lane - 1; the PTX ISA says that all rows except the last are shifted down by one, "     \
    "which can also mean that lane r receives the data of lane r + 1 and the last lane keeps its " \
    "data"

#define COPY .operands = D, .divided = 32
#define COPIED_WORDS .types = B32, .agrees = CUTLASS
#define BYTES .types = B8, .agrees = CUTLASS, .has_bit = true
#define SIX_BITS .types = B6, .bits = 8, .has_bit = true, .section = "9.7.16.9.1"
#define FOUR_BITS .types = B4, .bits = 8, .has_bit = true, .section = "9.7.16.9.1"

/* A shape in words and in bytes, and what becomes bytes. */
/* clang-format off */
#define SHAPE(word, number, lanes)                                                                 \
    {COPY, .form = (word), .copies = (number), COPIED_WORDS, .bases = lanes " | c0-2"},                   \
    {COPY, .form = (word), .copies = (number), BYTES, .bases = lanes COPIED_8_BITS},                   \
    {COPY, .form = (word), .copies = (number), SIX_BITS, .bases = lanes COPIED_8_BITS,                 \
     .note = NOTE_6_BITS},                                                                         \
    {COPY, .form = (word), .copies = (number), FOUR_BITS, .bases = lanes COPIED_4_BITS,           \
     .note = NOTE_4_BITS}
#define DOUBTED_SHAPE(word, number, lanes, doubt)                                                  \
    {COPY, .form = (word), .copies = (number), COPIED_WORDS, .bases = lanes " | c0-2", .note = (doubt)},    \
    {COPY, .form = (word), .copies = (number), BYTES, .bases = lanes COPIED_8_BITS, .note = (doubt)},    \
    {COPY, .form = (word), .copies = (number), SIX_BITS, .bases = lanes COPIED_8_BITS,                 \
     .note = doubt "; " NOTE_6_BITS},                                                              \
    {COPY, .form = (word), .copies = (number), FOUR_BITS, .bases = lanes COPIED_4_BITS,           \
     .note = doubt "; " NOTE_4_BITS}
#define FROM_SHARED BLACKWELL, .section = "9.7.16.9.2"

static const struct fragment_group copy_groups[] = {
    {.shape = {128, 256, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_ALL)}},
    {.shape = {128, 128, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_ALL)}},
    {.shape = {64, 128, 0}, FROM_SHARED,
     .rows = {DOUBTED_SHAPE("02_13", 2, LANES_02_13, NOTE_PAIR)}},
    {.shape = {64, 128, 0}, FROM_SHARED,
     .rows = {DOUBTED_SHAPE("01_23", 2, LANES_01_23, NOTE_PAIR)}},
    {.shape = {32, 128, 0}, FROM_SHARED, .rows = {SHAPE("warpx4", 4, LANES_WARPX4)}},
    {.shape = {4, 256, 0}, FROM_SHARED,
     .rows = {DOUBTED_SHAPE(NULL, 1, LANES_OF_EACH_32, NOTE_4_LANES)}},
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

/* ---- Opcodes ---- */

/* Takes the word that is a shape out; false if there is none. */
static bool take_shape(struct words *words, struct mapping_shape *shape) {
    for (size_t w = 0; w < words->count; w++) {
        if (words->word[w] && mapping_lanes_read(words->word[w], shape)) {
            words->word[w] = NULL;
            return true;
        }
    }
    return false;
}

/* Takes one of the words that say to which warps rows go out, and returns the form that has it, or
 * NULL. */
static const char *take_warps(struct words *words) {
    static const struct {
        const char *word, *form;
    } warps[] = {{"warpx2::02_13", "02_13"}, {"warpx2::01_23", "01_23"}, {"warpx4", "warpx4"}};
    for (size_t w = 0; w < COUNT(warps); w++)
        if (mapping_words_take(words, warps[w].word))
            return warps[w].form;
    return NULL;
}

/* Takes the formats out, and returns the type of the elements. */
static enum mapping_type take_formats(struct words *words) {
    if (!mapping_words_take(words, "b8x16"))
        return MAPPING_B32;
    return mapping_words_take(words, "b6x16_p32")   ? MAPPING_B6
           : mapping_words_take(words, "b4x16_p64") ? MAPPING_B4
                                                    : MAPPING_TYPES;
}

static bool read_copy(const struct family *family, const char *opcode,
                      struct mapping_fragment *wanted) {
    struct words words;
    *wanted = (struct mapping_fragment){.instruction = family->instruction, .operand = MAPPING_D};
    if (!mapping_words_split(&words, opcode, family->name) || !take_shape(&words, &wanted->shape))
        return false;
    wanted->form = take_warps(&words);
    wanted->type = take_formats(&words);
    return wanted->type != MAPPING_TYPES &&
           mapping_words_obey(&words, "cta_group::1|cta_group::2") &&
           mapping_words_are_taken(&words);
}

static bool read_shift(const struct family *family, const char *opcode,
                       struct mapping_fragment *wanted) {
    struct words words;
    *wanted = (struct mapping_fragment){.instruction = family->instruction,
                                        .operand = MAPPING_D,
                                        .type = MAPPING_B32,
                                        .shape = shift_groups[0].shape};
    return mapping_words_split(&words, opcode, family->name) &&
           mapping_words_obey(&words, "down cta_group::1|cta_group::2") &&
           mapping_words_are_taken(&words);
}

const struct family mapping_tcgen05_cp = {
    .instruction = MAPPING_TCGEN05_CP,
    .name = "tcgen05.cp",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .probe = PROBE_TCGEN05,
    GROUPS(copy_groups),
    .read = read_copy,
};

const struct family mapping_tcgen05_shift = {
    .instruction = MAPPING_TCGEN05_SHIFT,
    .name = "tcgen05.shift",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .probe = PROBE_TCGEN05,
    GROUPS(shift_groups),
    .read = read_shift,
};
