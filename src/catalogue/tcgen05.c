/* tcgen05.c - Blackwell's multiplication, tcgen05.mma: by one CTA, by a pair, and .ws.
 *
 * D is in Tensor Memory, A there or in shared memory, B in shared memory; scale factors and
 * metadata are in Tensor Memory.
 *
 * Tensor Memory of a CTA has 128 lanes and 512 columns of 32 bits. Sections are those of the PTX
 * ISA 9.1; 9.7.16.2.1 has the shapes. Where rows lie in lanes is called by letters
 * there, 9.7.16.10.5:
 *
 *   M     cta_group::1  cta_group::1, .ws  cta_group::2  cta_group::2, sparse
 *   32    -             G                  -             -
 *   64    F             E                  -             -
 *   128   D             D                  B             C
 *   256   -             -                  A             A
 *
 * The drawings of that section could not be had as text; what they show is taken from its tables,
 * from 9.7.16.4.3, and from CUTLASS 4.2, mma_traits_sm100.hpp and tmem_allocator_sm100.hpp, whose
 * layouts tests/catalogue/tcgen05_cute.py evaluates; tcgen05_triton.py, tcgen05_jax.py and
 * tcgen05_tvm.py do those of Triton, JAX and TVM. TVM multiplies into f32 alone.
 *
 * Where K is 96 there are 3 or 6 scale factors, which go on from the byte that their ID says into
 * the next group of columns; bases there are those of 8. See mapping_fragment_state.
 *
 * Bases are in row r, column c, copy o, selector s and scale factor ID i; see mapping_layout_state.
 * An element's place is lane | column, and | bit where several share a column. */
#include "catalogue/family.h"

/* ---- Words of the tables ---- */

#define LANES_D "r0-6"                /* 128 rows */
#define LANES_F "r0 r1 r2 r3 0 r4 r5" /* 64 rows, 16 in each 32 lanes */
#define LANES_E "r0-5 "               /* 64 rows, and another 64 lanes for half of the columns */
#define LANES_G "r0-4 "               /* 32 rows */
#define PAIR_A "r7 | r0-6"            /* 256 rows, 128 in each CTA */
#define PAIR_B "r6 | r0-5 "           /* 128 rows, 64 in each CTA */
#define PAIR_C "r6 | r0 r1 r2 r3 0 r4 r5" /* the same, sparse */

/* Columns of D: each of 32 bits, f16 in the lower half; 9.7.16.10.4.1. */
#define ALL_COLUMNS " | c0.."
#define HALVES "c/2 | c%2"
#define QUARTERS "c/4 | c%4"

/* Columns and bits of operands that are packed into columns of 32 bits, such as A (9.7.16.10.4). An
 * element of 6 bits is in the lower bits of a byte, one of 4 bits in the middle bits; with kind
 * mxf4, a byte holds two elements of 4 bits. */
#define OF_32_BITS " | c0-2"
#define OF_16_BITS " | c1-3 | 0 0 0 0 c0"
#define OF_8_BITS " | c2-4 | 0 0 0 c0 c1"
#define OF_4_IN_8_BITS " | c2-4 | 0 1 0 c0 c1"
#define OF_4_BITS " | c3.. | 0 0 c0 c1 c2"

/* Scale factors: a byte each; in all four parts of 32 lanes. 9.7.16.10.7. 8 are in two groups of
 * columns. */
#define SCALES_1 " | 0 0 0 i0 i1"
#define SCALES_2(factor) " | 0 0 0 " factor "0 i0"
#define SCALES_4(factor) " | 0 0 0 " factor "0 " factor "1"
#define SCALES_8(factor) " " factor "2 | 0 0 0 " factor "0 " factor "1"
#define SFA_LANES "r0-4 o0 o1 | r5-6"
#define SFB_LANES "c0-4 o0 o1 | c5.."
#define SFA_PAIR_LANES "r7 | r0-4 o0 o1 | r5-6"
#define SFA_PAIR_128_LANES "r6 | r0-4 o0 o1 | r5"
#define SFB_PAIR_LANES "o2 | c0-4 o0 o1 | c5.."
/* Each half of N in half of the lanes, twice; this is not what 9.7.16.10.7 says. */
#define SFB_PAIR_128_LANES "o1 | c%2:0-4 o0 c/2 | c%2:5.."
#define SFB_LANES_128 "c0-4 o0 o1 | c5-6" /* in as many columns as up to 128 take, */
#define SFB_LANES_256 "c0-4 o0 o1 | c5-7" /* and up to 256 */
#define SFB_PAIR_LANES_128 "o2 | " SFB_LANES_128
#define SFB_PAIR_LANES_256 "o2 | " SFB_LANES_256

/* Metadata: rows r and r + 8 share a column, by the bits of A's elements. 9.7.16.10.8 */
#define E_16_BITS(above) "r0 r1 r2 c3 " above " | s0 | 0 c0 c1 c2 r3"
#define E_32_BITS(above) "r0 r1 r2 c2 " above " | s0 | 0 0 c0 c1 r3"
#define E_8_BITS " | c4 | 0 c0 c1 c2 c3"

/* What has to be said. */
#define NOTE_F                                                                                     \
    "rows are in lanes 0 to 15 of each 32-lane group, or in lanes 16 to 31 if the lane of the "    \
    "Tensor Memory address is 16"
#define NOTE_A_F                                                                                   \
    NOTE_F "; A, D and metadata use the same lanes (PTX ISA); TVM stores A in lanes 0 to 63, "     \
           "which contradicts the PTX ISA"
#define NOTE_4_IN_8                                                                                \
    "an element is in bits 5:2 of its byte, as the PTX ISA specifies for mma with the same "       \
    "kind; for tcgen05, it shows the bits only in a figure"
#define NOTE_A_B                                                                                   \
    "the PTX ISA does not specify the location of this A; CUTLASS stores two copies: lanes 0 to "  \
    "63 hold the copy for the first half of N, lanes 64 to 127 hold the copy for the second half"
#define NOTE_C                                                                                     \
    NOTE_F "; CUTLASS 4.2 stores one half of the columns in lanes 0 to 63 and the other half in "  \
           "lanes 64 to 127, as for dense mma"
#define IDS "the id axis is the scale factor ID of the instruction descriptor (0, 1, 2 or 3); "
#define IDS_2                                                                                      \
    "the id axis selects the scale factor ID of the instruction descriptor (id = 0: ID 0; id = "   \
    "1: ID 2); "
#define SAYS(vector, block)                                                                        \
    ".scale_vec::" vector " works only on sm_100a; ." block                                        \
    " is equivalent and works on every architecture that has the instruction"
#define SCALES(count, block)                                                                       \
    "with ." block ", each row of A or column of B has " count " scale factors"
#define GOES_ON                                                                                    \
    "; with scale factor ID s, scale factor j is byte s + j; bytes 0 to 3 are in one group "       \
    "of columns, bytes 4 to 7 in the next group (CUTLASS; the PTX ISA shows this only in "         \
    "figures); a byte holds a different scale factor for each ID, so the layout has no "           \
    "inverse"
#define PAIRS_ALONE                                                                                \
    "the PTX ISA lists K = 96 only for pairs of CTAs with M = 256; CUTLASS 4.2 also supports it "  \
    "for one CTA with M = 128"
#define NOTE_1X IDS SAYS("1X", "block32")
#define NOTE_2X IDS_2 SAYS("2X", "block32")
#define NOTE_4X SAYS("4X", "block16")
#define NOTE_3X IDS SCALES("3", "block32") GOES_ON
#define NOTE_6X IDS_2 SCALES("6", "block16") GOES_ON
#define IS_HALVED                                                                                  \
    "; CUTLASS 4.2 has this layout for N = 64, 128, 192 and 256; PTX ISA 9.0 section "             \
    "9.7.16.10.7 and TVM 0.27 differ: they store matrix column n in Tensor Memory column n / "     \
    "32 of all four 32-lane groups"
#define NOTE_SELECTOR                                                                              \
    "sparsity selector 0 uses column 0, selector 1 uses column 1; the PTX ISA shows "              \
    "selectors 2 and 3 only in a figure"

#define BLACKWELL .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A_OR_F
#define NOT_ULTRA .since = 100, .until = 110, .except = 103, .suffix = MAPPING_SUFFIX_A
#define ULTRA .since = 103, .until = 103, .suffix = MAPPING_SUFFIX_A, .ptx = 88

/* What rows of an operand have in common. */
#define A_IS .operands = A, .omits_n = true, .section = "9.7.16.10.4"
#define D_IS .operands = D, .section = "9.7.16.10.5"
#define SFA_IS                                                                                     \
    .operands = SFA, .omits_n = true, .copies = 4, .has_bit = true, .section = "9.7.16.10.7"
#define SFB_IS .operands = SFB, .divided = 32, .has_bit = true, .section = "9.7.16.10.7"
/* B's of a pair with M = 128. "exactly matched b_scale[n % 64]" is what came of the text's. */
#define SFB_128_IS                                                                                 \
    .operands = SFB, .divided = 64, .has_bit = true, .section = "9.7.16.10.7", .copies = 4,        \
    .agrees = CUTLASS, .reported = "facebookexperimental/triton PR 3653"
#define E_IS .operands = E, .omits_n = true, .columns = 2, .has_bit = true, .section = "9.7.16.10.8"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WIDTHS(array)                                                                              \
    { .count = COUNT(array), .n = (array) }

/* ---- Opcodes, which say the kind, but not M and N ----
 *
 * M and N stand in the instruction descriptor, so that no opcode has fragments of its own.
 *
 * PTX ISA 9.1, 9.7.16.10.9, writes, for one CTA or a pair of them,
 *
 *   tcgen05.mma{.sp}.cta_group::1.kind::f16{.ashift}{.collector::a::fill}
 *   tcgen05.mma{.sp}.cta_group::1.kind::mxf4.block_scale{.scale_vec::2X}{.collector::a::fill}
 *   tcgen05.mma.ws{.sp}.cta_group::1.kind::f16{.collector::b0::fill}
 *
 * k of a shape is that of the kind. ptxas takes the words in any order behind tcgen05.mma or
 * tcgen05.mma.ws, and .scale_vec on sm_103a and sm_110a, too, which the PTX ISA keeps to sm_100a.
 */
#define SM_100A .since = 100, .until = 100, .suffix = MAPPING_SUFFIX_A
#define EACH_A .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A

/* clang-format off */

/* A kind; `times` is 2 if A is sparse, which doubles K; `more` are words that the opcode may have. */
#define KIND(depth, times, name, type, result, more)                                               \
    .shape = {0, 0, (depth) * (times)}, .kind = (name), .a = (type), .d = (result),                \
    .words = (more)

/* Those without scale factors. */
#define PLAIN(times, word, more)                                                                   \
    {KIND(16, times, "f16", F16, F32, more), .operation = (word), BLACKWELL, .ptx = 86},           \
    {KIND(8, times, "tf32", TF32, F32, more), .operation = (word), BLACKWELL, .ptx = 86},          \
    {KIND(32, times, "f8f6f4", E4M3, F32, more), .operation = (word), BLACKWELL, .ptx = 86},       \
    {KIND(32, times, "i8", S8, S32, more), .operation = (word), NOT_ULTRA, .ptx = 86}

/* Those with scale factors; of 4 bits, `narrow` says where. */
#define SCALED(times, narrow, more)                                                                \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "", BLACKWELL, .ptx = 86},             \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "scale_vec::1X", SM_100A, .ptx = 86},  \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "block32", BLACKWELL, .ptx = 88},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "", narrow, .ptx = 86},                    \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "scale_vec::2X", SM_100A, .ptx = 86},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "block32", narrow, .ptx = 88},             \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::2X", SM_100A, .ptx = 87},  \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::4X", SM_100A, .ptx = 87},  \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "block16", narrow, .ptx = 88},         \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "block32", narrow, .ptx = 88}

/* clang-format on */

#define COLLECTED                                                                                  \
    "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?"
#define SHIFTED "collector::a::lastuse|collector::a::discard?"
#define OF_B(number)                                                                               \
    "collector::b" number "::fill|collector::b" number "::use|collector::b" number                 \
    "::lastuse|collector::b" number "::discard"
#define COLLECTED_WS OF_B("0") "|" OF_B("1") "|" OF_B("2") "|" OF_B("3") "?"

static const struct opcode_row dense_opcodes[] = {
    PLAIN(1, NULL, COLLECTED), PLAIN(1, "ashift", SHIFTED), SCALED(1, BLACKWELL, COLLECTED)};
static const struct opcode_row sparse_opcodes[] = {
    PLAIN(2, NULL, COLLECTED), PLAIN(2, "ashift", SHIFTED), SCALED(2, EACH_A, COLLECTED)};
static const struct opcode_row dense_ws[] = {PLAIN(1, NULL, COLLECTED_WS)};
static const struct opcode_row sparse_ws[] = {PLAIN(2, NULL, COLLECTED_WS)};

#define FORM(name, head, all_words, all_rows)                                                      \
    {                                                                                              \
        .start = (head), .mnemonic = (name), .words = (all_words),                                 \
        .parts = {PART_KIND, PART_BLOCK, PART_OPERATION}, .rows = (all_rows),                      \
        .row_count = COUNT(all_rows)                                                               \
    }

static const struct opcode_form one_form =
    FORM("tcgen05.mma", "tcgen05.mma.cta_group::1", "cta_group::1", dense_opcodes);
static const struct opcode_form sp_form =
    FORM("tcgen05.mma", "tcgen05.mma.sp.cta_group::1", "sp cta_group::1", sparse_opcodes);
static const struct opcode_form cta2_form =
    FORM("tcgen05.mma", "tcgen05.mma.cta_group::2", "cta_group::2", dense_opcodes);
static const struct opcode_form cta2_sp_form =
    FORM("tcgen05.mma", "tcgen05.mma.sp.cta_group::2", "sp cta_group::2", sparse_opcodes);
static const struct opcode_form ws_form =
    FORM("tcgen05.mma.ws", "tcgen05.mma.ws.cta_group::1", "cta_group::1", dense_ws);
static const struct opcode_form ws_sp_form =
    FORM("tcgen05.mma.ws", "tcgen05.mma.ws.sp.cta_group::1", "sp cta_group::1", sparse_ws);

/* What all families here have in common. */
#define FAMILY(all_groups, form)                                                                   \
    .shape_style = SHAPE_MNK, .reads_shared = true, .multiplies = true,                            \
    .place = MAPPING_IN_TENSOR_MEMORY, .lists_widest = true, .probe = PROBE_TCGEN05,               \
    .groups = (all_groups), .group_count = COUNT(all_groups), .forms = &(form), .form_count = 1

/* ---- One CTA ---- */

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
    .scaled_from = 128,
    .letters = {{64, "F of the PTX ISA, half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    FAMILY(groups, one_form),
};

const struct family mapping_tcgen05_mma_sp = {
    .instruction = MAPPING_TCGEN05_MMA_SP,
    .name = "tcgen05.mma.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA,
    .scaled_from = 128,
    .letters = {{64, "F of the PTX ISA, half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    FAMILY(sparse_groups, sp_form),
};

/* ---- A pair of CTAs, .cta_group::2 ----
 *
 * CTA 0 is that of the even %cluster_ctarank (9.7.16.5.1), and has the first half of the rows. */

/* 9.7.16.2.1: the widths n of all kinds but i8, and of that. */
static const uint16_t by_16[] = {16,  32,  48,  64,  80,  96,  112, 128,
                                 144, 160, 176, 192, 208, 224, 240, 256};
static const uint16_t by_32[] = {32, 64, 96, 128, 160, 192, 224, 256};
static const struct mapping_widths pair_widths = WIDTHS(by_16), integer_pair_widths = WIDTHS(by_32);
static const struct mapping_widths pair_to_128 = {8, by_16}, from_144 = {8, by_16 + 8};

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
    {.shape = {256, 0, 96}, .widths = &pair_to_128, ULTRA,
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
    .scaled_from = 128,
    .letters = {{128, "B of the PTX ISA, each half of N in one half of the lanes"},
                {256, "A of the PTX ISA"}}, /* 9.7.16.10.5 */
    .ctas = 2,
    FAMILY(pair_groups, cta2_form),
};

const struct family mapping_tcgen05_mma_cta2_sp = {
    .instruction = MAPPING_TCGEN05_MMA_CTA2_SP,
    .name = "tcgen05.mma.cta2.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_CTA2,
    .scaled_from = 256,
    .letters = {{128, "C of the PTX ISA, half of the lanes"},
                {256, "A of the PTX ISA"}}, /* 9.7.16.10.5 */
    .ctas = 2,
    FAMILY(pair_sparse_groups, cta2_sp_form),
};

/* ---- .ws ----
 *
 * A in Tensor Memory is here for M = 128 alone: of 64 TVM alone says where it is, and of 32
 * nobody. */

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
    .letters = {{32, "G of the PTX ISA, each quarter of N in one quarter of the lanes"},
                {64, "E of the PTX ISA, each half of N in one half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    FAMILY(ws_groups, ws_form),
};

const struct family mapping_tcgen05_mma_ws_sp = {
    .instruction = MAPPING_TCGEN05_MMA_WS_SP,
    .name = "tcgen05.mma.ws.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_WS,
    .letters = {{32, "G of the PTX ISA, each quarter of N in one quarter of the lanes"},
                {64, "E of the PTX ISA, each half of N in one half of the lanes"},
                {128, "D of the PTX ISA"}}, /* 9.7.16.10.5 */
    FAMILY(ws_sparse_groups, ws_sp_form),
};
