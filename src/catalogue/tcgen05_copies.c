/* tcgen05_copies.c - into Tensor Memory from shared memory, and inside of it: tcgen05.cp and
 * tcgen05.shift.
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
#include "catalogue/tcgen05.h"

#include <string.h>

#define LANES_02_13 "r0-5 o0"    /* warps 0 and 2 alike, and 1 and 3 */
#define LANES_01_23 "r0-4 o0 r5" /* warps 0 and 1 alike, and 2 and 3 */
#define LANES_WARPX4 "r0-4 o0 o1"
#define LANES_OF_EACH_32 "0 0 0 0 0 r0 r1"

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
#define WORDS .types = B32, .agrees = CUTLASS
#define BYTES .types = B8, .agrees = CUTLASS, .has_bit = true
#define SIX_BITS .types = B6, .bits = 8, .has_bit = true, .section = "9.7.16.9.1"
#define FOUR_BITS .types = B4, .bits = 8, .has_bit = true, .section = "9.7.16.9.1"

/* A shape in words and in bytes, and what becomes bytes. */
/* clang-format off */
#define SHAPE(word, number, lanes)                                                                 \
    {COPY, .form = (word), .copies = (number), WORDS, .bases = lanes " | c0-2"},                   \
    {COPY, .form = (word), .copies = (number), BYTES, .bases = lanes OF_8_BITS},                   \
    {COPY, .form = (word), .copies = (number), SIX_BITS, .bases = lanes OF_8_BITS,                 \
     .note = NOTE_6_BITS},                                                                         \
    {COPY, .form = (word), .copies = (number), FOUR_BITS, .bases = lanes OF_4_IN_8_BITS,           \
     .note = NOTE_4_BITS}
#define DOUBTED_SHAPE(word, number, lanes, doubt)                                                  \
    {COPY, .form = (word), .copies = (number), WORDS, .bases = lanes " | c0-2", .note = (doubt)},    \
    {COPY, .form = (word), .copies = (number), BYTES, .bases = lanes OF_8_BITS, .note = (doubt)},    \
    {COPY, .form = (word), .copies = (number), SIX_BITS, .bases = lanes OF_8_BITS,                 \
     .note = doubt "; " NOTE_6_BITS},                                                              \
    {COPY, .form = (word), .copies = (number), FOUR_BITS, .bases = lanes OF_4_IN_8_BITS,           \
     .note = doubt "; " NOTE_4_BITS}
#define FROM_SHARED BLACKWELL, .ptx = 86, .section = "9.7.16.9.2"

static const struct fragment_group copy_groups[] = {
    {.shape = {128, 256, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_D)}},
    {.shape = {128, 128, 0}, FROM_SHARED, .rows = {SHAPE(NULL, 1, LANES_D)}},
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

static size_t find_copy(const struct family *family, const char *opcode,
                        struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    struct words words;
    struct mapping_fragment wanted = {.instruction = family->instruction, .operand = MAPPING_D};
    if (!mapping_words_split(&words, opcode, family->name) || !take_shape(&words, &wanted.shape))
        return 0;
    wanted.form = take_warps(&words);
    wanted.type = take_formats(&words);
    return wanted.type != MAPPING_TYPES &&
                   mapping_words_obey(&words, "cta_group::1|cta_group::2") &&
                   mapping_words_are_taken(&words) && mapping_fragment_find(&wanted, 0, found)
               ? 1
               : 0;
}

static size_t find_shift(const struct family *family, const char *opcode,
                         struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    struct words words;
    const struct mapping_fragment wanted = {.instruction = family->instruction,
                                            .operand = MAPPING_D,
                                            .type = MAPPING_B32,
                                            .shape = shift_groups[0].shape};
    return mapping_words_split(&words, opcode, family->name) &&
                   mapping_words_obey(&words, "down cta_group::1|cta_group::2") &&
                   mapping_words_are_taken(&words) && mapping_fragment_find(&wanted, 0, found)
               ? 1
               : 0;
}

const struct family mapping_tcgen05_cp = {
    .instruction = MAPPING_TCGEN05_CP,
    .name = "tcgen05.cp",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .probe = PROBE_TCGEN05,
    .groups = copy_groups,
    .group_count = COUNT(copy_groups),
    .find = find_copy,
};

const struct family mapping_tcgen05_shift = {
    .instruction = MAPPING_TCGEN05_SHIFT,
    .name = "tcgen05.shift",
    .shape_style = SHAPE_LANES_ONCE,
    .place = MAPPING_IN_TENSOR_MEMORY,
    .probe = PROBE_TCGEN05,
    .groups = shift_groups,
    .group_count = COUNT(shift_groups),
    .find = find_shift,
};
