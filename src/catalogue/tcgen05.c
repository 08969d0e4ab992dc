/* tcgen05.c - tcgen05.mma, the multiplication of Blackwell: by one CTA, by a pair of CTAs, and .ws.
 *
 * D is in Tensor Memory, A in Tensor Memory or shared memory, B in shared memory. Scale factors and
 * metadata are in Tensor Memory.
 *
 * The Tensor Memory of a CTA has 128 lanes and 512 columns of 32 bits. Section numbers in this file
 * refer to the PTX ISA 9.1; 9.7.16.2.1 has the shapes. Section 9.7.16.10.5 gives a letter to each
 * way of placing rows in lanes:
 *
 *   M     cta_group::1  cta_group::1, .ws  cta_group::2  cta_group::2, sparse
 *   32    -             G                  -             -
 *   64    F             E                  -             -
 *   128   D             D                  B             C
 *   256   -             -                  A             A
 *
 * The figures of that section were not available as text. Their content is taken from the tables of
 * the section, from 9.7.16.4.3, and from CUTLASS 4.2 (mma_traits_sm100.hpp and
 * tmem_allocator_sm100.hpp). tests/catalogue/tcgen05_cute.py evaluates CUTLASS's layouts;
 * tcgen05_triton.py, tcgen05_jax.py and tcgen05_tvm.py evaluate those of Triton, JAX and TVM. TVM
 * only accumulates in f32.
 *
 * If K is 96, an instruction uses 3 or 6 of the 8 scale factors in two groups of columns. The scale
 * factor ID selects the first of these factors. The bases here describe all 8. See
 * mapping_fragment_state.
 *
 * Bases use row r, column c, copy o, selector s and scale factor ID i; see mapping_layout_state.
 * The place of an element is lane | column, or lane | column | bit if elements share a column. */
#include "catalogue/family.h"

/* ---- Words of the tables ---- */

#define LANES_D "r0-6"                    /* 128 rows */
#define LANES_F "r0 r1 r2 r3 0 r4 r5"     /* 64 rows, 16 in each 32 lanes */
#define LANES_E "r0-5 "                   /* 64 rows; the other 64 lanes have half of the columns */
#define LANES_G "r0-4 "                   /* 32 rows */
#define PAIR_A "r7 | r0-6"                /* 256 rows, 128 in each CTA */
#define PAIR_B "r6 | r0-5 "               /* 128 rows, 64 in each CTA */
#define PAIR_C "r6 | r0 r1 r2 r3 0 r4 r5" /* the same for a sparse product */

/* Columns of D have 32 bits; f16 is in the lower half; 9.7.16.10.4.1. */
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

/* Scale factors: each is a byte, in all four groups of 32 lanes; 9.7.16.10.7. If there are 8, they
 * are in two groups of columns. */
#define SCALES_1 " | 0 0 0 i0 i1"
#define SCALES_2(factor) " | 0 0 0 " factor "0 i0"
#define SCALES_4(factor) " | 0 0 0 " factor "0 " factor "1"
#define SCALES_8(factor) " " factor "2 | 0 0 0 " factor "0 " factor "1"
#define SFA_LANES "r0-4 o0 o1 | r5-6"
#define SFB_LANES "c0-4 o0 o1 | c5.."
#define SFA_PAIR_LANES "r7 | r0-4 o0 o1 | r5-6"
#define SFA_PAIR_128_LANES "r6 | r0-4 o0 o1 | r5"
#define SFB_PAIR_LANES "o2 | c0-4 o0 o1 | c5.."
/* Each half of N is in half of the lanes, with two copies. This differs from 9.7.16.10.7. */
#define SFB_PAIR_128_LANES "o1 | c%2:0-4 o0 c/2 | c%2:5.."
#define SFB_LANES_128 "c0-4 o0 o1 | c5-6" /* with the columns for N up to 128 */
#define SFB_LANES_256 "c0-4 o0 o1 | c5-7" /* with the columns for N up to 256 */

/* Notes for the user. */
#define NOTE_F                                                                                     \
    "if the Tensor Memory address of this operand has lane 0, rows are in lanes 0 to 15 of each "  \
    "32-lane group, as shown; if the address has lane 16, rows are in lanes 16 to 31"
#define NOTE_A_F                                                                                   \
    NOTE_F                                                                                         \
    "; in the PTX ISA, as shown here, A, D and metadata use the same lanes; TVM stores A in "      \
    "lanes 0 to 63"
#define NOTE_4_IN_8                                                                                \
    "an element is in bits 5:2 of its byte, as the PTX ISA says for mma with the same .kind; a "   \
    "figure of the PTX ISA shows the same bits for tcgen05"
#define NOTE_A_B                                                                                   \
    "the PTX ISA does not specify the location of this A; CUTLASS stores two copies: lanes 0 to "  \
    "63 hold the copy for the first half of N, lanes 64 to 127 hold the copy for the second half"
#define NOTE_C                                                                                     \
    NOTE_F "; CUTLASS 4.2 stores one half of the columns in lanes 0 to 63 and the other half in "  \
           "lanes 64 to 127, as for dense mma"
#define IDS "id is the scale factor ID of the instruction descriptor (0, 1, 2 or 3); "
#define IDS_2 "id 0 and 1 stand for the scale factor IDs 0 and 2 of the instruction descriptor; "
#define SAYS(vector, block)                                                                        \
    "the PTX ISA allows .scale_vec::" vector " only on sm_100a; ptxas 13.5 also accepts it on "    \
    "sm_103a and sm_110a; ." block " means the same"
#define SCALES(count, block)                                                                       \
    "with ." block ", each row of A or column of B has " count " scale factors"
#define GOES_ON                                                                                    \
    ", and factor j is in byte s + j, where s is the scale factor ID; bytes 0 to 3 are in one "    \
    "group of columns, bytes 4 to 7 in the next group; CUTLASS uses these positions, and the PTX " \
    "ISA shows them only in figures; the same byte holds different scale factors, depending on "   \
    "the ID, so the layout has no inverse"
#define PAIRS_ALONE                                                                                \
    "the PTX ISA lists K = 96 only for pairs of CTAs with M = 256; CUTLASS 4.2 also uses "         \
    "K = 96 for one CTA with M = 128"
#define NOTE_1X IDS SAYS("1X", "block32")
#define NOTE_2X IDS_2 SAYS("2X", "block32")
#define NOTE_4X SAYS("4X", "block16")
#define NOTE_3X IDS SCALES("3", "block32") GOES_ON
#define NOTE_6X IDS_2 SCALES("6", "block16") GOES_ON
#define IS_HALVED                                                                                  \
    "; CUTLASS 4.2 has this layout for N = 64, 128, 192 and 256, but PTX ISA 9.0 section "         \
    "9.7.16.10.7 and TVM 0.27 store matrix column n in column n / 32 of Tensor Memory, in all "    \
    "four groups of 32 lanes"
#define NOTE_SELECTOR                                                                              \
    "sparsity selector 0 uses column 0, and selector 1 uses column 1; selectors 2 and 3 are "      \
    "not shown here, because the PTX ISA has them only in a figure"

#define BLACKWELL .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A_OR_F
#define NOT_ULTRA .since = 100, .until = 110, .except = 103, .suffix = MAPPING_SUFFIX_A
#define ULTRA .since = 103, .until = 103, .suffix = MAPPING_SUFFIX_A, .ptx = 88

/* ---- Opcodes, which contain the kind, but not M and N ----
 *
 * M and N are in the instruction descriptor, so an opcode does not determine its fragments.
 *
 * The syntax in the PTX ISA 9.1, 9.7.16.10.9, for one CTA or a pair of CTAs, is
 *
 *   tcgen05.mma{.sp}.cta_group::1.kind::f16{.ashift}{.collector::a::fill}
 *   tcgen05.mma{.sp}.cta_group::1.kind::mxf4.block_scale{.scale_vec::2X}{.collector::a::fill}
 *   tcgen05.mma.ws{.sp}.cta_group::1.kind::f16{.collector::b0::fill}
 *
 * k of a shape is that of the kind. ptxas accepts the words after tcgen05.mma or tcgen05.mma.ws in
 * any order. It also accepts .scale_vec on sm_103a and sm_110a, which the PTX ISA only has on
 * sm_100a.
 */
#define EACH_A .since = 100, .until = 110, .suffix = MAPPING_SUFFIX_A

/* clang-format off */

/* A kind. `times` is 2 if A is sparse, which doubles K; `more` are words that the opcode may have.
 * */
#define KIND(depth, times, name, type, result, more)                                               \
    .shape = {0, 0, (depth) * (times)}, .kind = (name), .a = (type), .d = (result),                \
    .words = (more)

/* Kinds without scale factors. */
#define PLAIN(times, word, more)                                                                   \
    {KIND(16, times, "f16", F16, F32, more), .operation = (word), BLACKWELL, .ptx = 86},           \
    {KIND(8, times, "tf32", TF32, F32, more), .operation = (word), BLACKWELL, .ptx = 86},          \
    {KIND(32, times, "f8f6f4", E4M3, F32, more), .operation = (word), BLACKWELL, .ptx = 86},       \
    {KIND(32, times, "i8", S8, S32, more), .operation = (word), NOT_ULTRA, .ptx = 86}

/* Kinds with scale factors; `narrow` has the positions of their factors for 4 bits. */
#define SCALED(times, narrow, more)                                                                \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "", BLACKWELL, .ptx = 86},             \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "scale_vec::1X", EACH_A, .ptx = 86},  \
    {KIND(32, times, "mxf8f6f4", E4M3, F32, more), .block = "block32", BLACKWELL, .ptx = 88},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "", narrow, .ptx = 86},                    \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "scale_vec::2X", EACH_A, .ptx = 86},      \
    {KIND(64, times, "mxf4", E2M1, F32, more), .block = "block32", narrow, .ptx = 88},             \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::2X", EACH_A, .ptx = 87},  \
    {KIND(64, times, "mxf4nvf4", E2M1, F32, more), .block = "scale_vec::4X", EACH_A, .ptx = 87},  \
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

/* ---- Projects with the same layouts, and notes ---- */

enum {
    ONE = 1 << MAPPING_TCGEN05_MMA,
    ONE_SP = 1 << MAPPING_TCGEN05_MMA_SP,
    PAIR = 1 << MAPPING_TCGEN05_MMA_CTA2,
    PAIR_SP = 1 << MAPPING_TCGEN05_MMA_CTA2_SP,
    WS = 1 << MAPPING_TCGEN05_MMA_WS,
    WS_SP = 1 << MAPPING_TCGEN05_MMA_WS_SP,
};

/* Sets of K; see fragment_remark. K is 8 for tf32, 16 for types of 16 bits, 32 for types in 8 bits,
 * 64 and 96 for e2m1 in 4 bits. */
enum { K8 = 1 << 1, K16 = 1 << 2, K32 = 1 << 4, K64 = 1 << 8, K96 = 1 << 12 };
enum { NOT_K8 = K16 | K32 | K64, NOT_K96 = K8 | NOT_K8 };

#define OF_16 (F16 | BF16)
#define SCALE_FACTORS (SFA | SFB)

/* First the projects with the same layout, one after another; then the notes, of which the first
 * that applies is used. */
static const struct fragment_remark remarks[] = {
    /* clang-format off */
    {ONE | PAIR, A, .types = ~(uint32_t)E2M1, .agrees = CUTLASS},
    {ONE | PAIR | ONE_SP | WS | WS_SP, D, .agrees = CUTLASS},
    {ONE_SP, E, .m = 128, .agrees = CUTLASS},
    {PAIR_SP, D | E, .m = 256, .agrees = CUTLASS},
    {WS_SP, E, .agrees = CUTLASS},
    {0, SCALE_FACTORS, .agrees = CUTLASS},

    {ONE | PAIR, D, .depths = NOT_K96, .agrees = TRITON},
    {ONE, SCALE_FACTORS, .depths = NOT_K96, .agrees = TRITON},

    {ONE, A, .m = 128, .types = OF_16 | FP8 | INT8, .agrees = JAX},
    {PAIR, A, .m = 256, .types = OF_16 | FP8 | INT8, .agrees = JAX},
    {ONE | PAIR, D, .depths = NOT_K8, .agrees = JAX},
    {ONE_SP, A | E, .m = 128, .types = OF_16 | FP8 | INT8, .agrees = JAX},
    {ONE_SP, D, .m = 128, .depths = NOT_K8, .agrees = JAX},
    {PAIR_SP, A | E, .m = 256, .types = OF_16 | FP8 | INT8, .agrees = JAX},
    {PAIR_SP, D, .m = 256, .depths = NOT_K8, .agrees = JAX},
    {0, SFA, .depths = NOT_K96, .agrees = JAX},
    {ONE | ONE_SP | PAIR_SP, SFB, .depths = NOT_K96, .agrees = JAX},
    {PAIR, SFB, .m = 256, .depths = NOT_K96, .agrees = JAX},

    {ONE, A, .m = 128, .types = OF_16 | TF32 | FP8, .agrees = TVM},
    {PAIR, A, .types = OF_16 | TF32 | FP8, .agrees = TVM},
    {ONE | PAIR, A, .types = E2M1, .depths = K64, .agrees = TVM},
    {ONE | PAIR, D, .types = F32, .depths = NOT_K96, .agrees = TVM},
    {PAIR_SP, D, .m = 128, .types = F32, .agrees = TVM},
    {WS, D, .m = 32 | 64, .types = F32, .agrees = TVM},
    {ONE | PAIR, SFA, .depths = NOT_K96, .agrees = TVM},
    {ONE, SFB, .depths = NOT_K96, .agrees = TVM},
    {PAIR, SFB, .m = 256, .depths = NOT_K96, .agrees = TVM},

    {ONE | ONE_SP, A, .m = 64, .types = E2M1, .note = NOTE_A_F "; " NOTE_4_IN_8},
    {ONE | ONE_SP, A, .m = 64, .note = NOTE_A_F},
    {PAIR, A, .m = 128, .types = E2M1, .depths = K32, .note = NOTE_A_B "; " NOTE_4_IN_8},
    {PAIR, A, .m = 128, .note = NOTE_A_B},
    {PAIR_SP, A, .m = 128, .types = E2M1, .note = NOTE_F "; " NOTE_4_IN_8},
    {PAIR_SP, A, .m = 128, .note = NOTE_F},
    {0, A, .types = E2M1, .depths = K32, .note = NOTE_4_IN_8},
    {ONE | ONE_SP, D, .m = 64, .note = NOTE_F},
    {PAIR_SP, D, .m = 128, .note = NOTE_C},
    {ONE, A | D, .depths = K96, .note = PAIRS_ALONE},
    {ONE_SP, E, .m = 64, .depths = K8 | K16, .note = NOTE_F "; " NOTE_SELECTOR},
    {PAIR_SP, E, .m = 128, .depths = K8 | K16, .note = NOTE_F "; " NOTE_SELECTOR},
    {ONE_SP, E, .m = 64, .note = NOTE_F},
    {PAIR_SP, E, .m = 128, .note = NOTE_F},
    {0, E, .depths = K8 | K16, .note = NOTE_SELECTOR},
    /* clang-format on */
};

/* ---- Fragments ----
 *
 * All kinds with the same M use the same lanes. So there is one macro for each layout of A, D, E
 * and scale factors, named after its letter, and below it one line for each M. */

/* clang-format off */
#define A_AT(lanes, of_types, packing, ...)                                                        \
    {.operands = A, .omits_n = true, .section = "9.7.16.10.4", .types = (of_types),                \
     .bases = lanes packing, __VA_ARGS__},
#define A_F(of_types, packing, ...) A_AT(LANES_F, of_types, packing, __VA_ARGS__)
#define A_D(of_types, packing, ...) A_AT(LANES_D, of_types, packing, __VA_ARGS__)
#define A_A(of_types, packing, ...) A_AT(PAIR_A, of_types, packing, __VA_ARGS__)
#define A_B(of_types, packing, ...) A_AT(PAIR_B "o0", of_types, packing, __VA_ARGS__, .copies = 2)
#define A_C(of_types, packing, ...) A_AT(PAIR_C, of_types, packing, __VA_ARGS__)
#define NO_A(of_types, packing, ...)

#define D_AT(of_types, text, parts)                                                                \
    {.operands = D, .section = "9.7.16.10.5", .types = (of_types), .bases = (text),                  \
     .divided = (parts)},
#define D_F(of_types) D_AT(of_types, LANES_F ALL_COLUMNS, 1)
#define D_D(of_types) D_AT(of_types, LANES_D ALL_COLUMNS, 1)
#define D_E(of_types) D_AT(of_types, LANES_E HALVES, 2)
#define D_G(of_types) D_AT(of_types, LANES_G QUARTERS, 4)
#define D_A(of_types) D_AT(of_types, PAIR_A ALL_COLUMNS, 1)
#define D_B(of_types) D_AT(of_types, PAIR_B HALVES, 2)
#define D_C(of_types) D_AT(of_types, PAIR_C ALL_COLUMNS, 1)

/* Metadata, by the size of A's elements: rows r and r + 8 share a column. 9.7.16.10.8. */
#define E_AT(of_types, text, number, ...)                                                          \
    {.operands = E, .omits_n = true, .columns = 2, .has_bit = true, .section = "9.7.16.10.8",      \
     .types = (of_types), .bases = (text), .copies = (number), __VA_ARGS__},
#define E_16(of_types, cta, above, lanes, number)                                                  \
    E_AT(of_types, cta "r0 r1 r2 c3 " above " | s0 | 0 c0 c1 c2 r3", number, .bits = 2,            \
         .choices = 2)
#define E_32(of_types, cta, above, lanes, number)                                                  \
    E_AT(of_types, cta "r0 r1 r2 c2 " above " | s0 | 0 0 c0 c1 r3", number, .bits = 4,             \
         .choices = 2)
#define E_8(of_types, cta, above, lanes, number)                                                   \
    E_AT(of_types, lanes " | c4 | 0 c0 c1 c2 c3", number, .bits = 2)
#define E_4(of_types, cta, above, lanes, number)                                                   \
    E_AT(of_types, lanes " | c4 | 0 c0 c1 c2 c3", number, .bits = 2, .is_paired = true)
#define E_F(bits, of_types) E_##bits(of_types, "", "0 r4 r5", LANES_F, 1)
#define E_D(bits, of_types) E_##bits(of_types, "", "r4-6", LANES_D, 1)
#define E_E(bits, of_types) E_##bits(of_types, "", "r4 r5 o0", LANES_E "o0", 2)
#define E_G(bits, of_types) E_##bits(of_types, "", "r4 o0 o1", LANES_G "o0 o1", 4)
#define E_A(bits, of_types) E_##bits(of_types, "r7 | ", "r4-6", PAIR_A, 1)
#define E_C(bits, of_types) E_##bits(of_types, "r6 | ", "0 r4 r5", PAIR_C, 1)
#define NO_E(bits, of_types)

/* Scale factors of A and B: `vector` for a row or column, at one of `ids` positions. */
#define SF_AT(operand, of_types, vector, ids, text, ...)                                           \
    {.operands = operand, .has_bit = true, .section = "9.7.16.10.7", .types = (of_types),          \
     .scale_vector = (vector), .choices = (ids), .bases = (text), __VA_ARGS__},
#define SFA_AT(of_types, vector, ids, text, taken, ...)                                            \
    SF_AT(SFA, of_types, vector, ids, text, .columns = (taken), .omits_n = true, .copies = 4,      \
          __VA_ARGS__)
#define SFA_D(of_types, vector, ids, bits, ...)                                                    \
    SFA_AT(of_types, vector, ids, SFA_LANES bits, 4, __VA_ARGS__)
#define SFA_A(of_types, vector, ids, bits, ...)                                                    \
    SFA_AT(of_types, vector, ids, SFA_PAIR_LANES bits, 4, __VA_ARGS__)
#define SFA_B(of_types, vector, ids, bits, ...)                                                    \
    SFA_AT(of_types, vector, ids, SFA_PAIR_128_LANES bits, 2, __VA_ARGS__)
#define SFB_D(of_types, vector, ids, bits, ...)                                                    \
    SF_AT(SFB, of_types, vector, ids, SFB_LANES bits, .divided = 32, .copies = 4, __VA_ARGS__)
#define SFB_A(of_types, vector, ids, bits, ...)                                                    \
    SF_AT(SFB, of_types, vector, ids, SFB_PAIR_LANES bits, .divided = 32, .copies = 8, __VA_ARGS__)
/* "exactly matched b_scale[n % 64]" is what came of the text's. */
#define SFB_B(of_types, vector, ids, bits, ...)                                                    \
    SF_AT(SFB, of_types, vector, ids, SFB_PAIR_128_LANES bits, .divided = 64, .copies = 4,         \
          .reported = "facebookexperimental/triton PR 3653", __VA_ARGS__ IS_HALVED)
#define NO_SF(of_types, vector, ids, bits, ...)

/* The kinds with M = m in which elements of A occupy 8 bits or more; `times` is 2 if A is sparse.
 * The scale factors are those of mxf8f6f4. */
#define KINDS_FROM_8_BITS(m, times, all_n, integer_n, A_, D_, E_, SFA_, SFB_)                      \
    {.shape = {m, 0, 16 * (times)}, .widths = &(all_n), BLACKWELL, .ptx = 86,                      \
     .rows = {A_(F16 | BF16, OF_16_BITS, .columns = 8, .has_bit = true) D_(F32 | F16)              \
              E_(16, F16 | BF16)}},                                                                \
    {.shape = {m, 0, 8 * (times)}, .widths = &(all_n), BLACKWELL, .ptx = 86,                       \
     .rows = {A_(TF32, OF_32_BITS, .columns = 8) D_(F32) E_(32, TF32)}},                           \
    {.shape = {m, 0, 32 * (times)}, .widths = &(all_n), BLACKWELL, .ptx = 86,                      \
     .rows = {A_(FP8 | FP6, OF_8_BITS, .columns = 8, .has_bit = true, .bits = 8)                   \
              A_(E2M1, OF_4_IN_8_BITS, .columns = 8, .has_bit = true, .bits = 8)                   \
              D_(F32 | F16) E_(8, FP8_TO_4) SFA_(UE8M0, 1, 4, SCALES_1, .note = NOTE_1X)           \
              SFB_(UE8M0, 1, 4, SCALES_1, .note = NOTE_1X)}},                                      \
    {.shape = {m, 0, 32 * (times)}, .widths = &(integer_n), NOT_ULTRA, .ptx = 86,                  \
     .rows = {A_(INT8, OF_8_BITS, .columns = 8, .has_bit = true) D_(S32) E_(8, INT8)}}

/* mxf4 and mxf4nvf4. */
#define KINDS_OF_4_BITS(m, times, all_n, archs, A_, D_, E_, SFA_, SFB_)                            \
    {.shape = {m, 0, 64 * (times)}, .widths = &(all_n), archs, .ptx = 86,                          \
     .rows = {A_(E2M1, OF_4_BITS, .columns = 8, .has_bit = true) D_(F32) E_(4, E2M1)               \
              SFA_(UE8M0, 2, 2, SCALES_2("c"), .note = NOTE_2X)                                    \
              SFA_(UE8M0 | UE4M3, 4, 1, SCALES_4("c"), .ptx = 87, .note = NOTE_4X)                 \
              SFB_(UE8M0, 2, 2, SCALES_2("r"), .note = NOTE_2X)                                    \
              SFB_(UE8M0 | UE4M3, 4, 1, SCALES_4("r"), .ptx = 87, .note = NOTE_4X)}}

/* The kinds of 4 bits with K = 96. Scale factors of B occupy as many columns as for N = 128, or for
 * N = 256. */
#define SFB_96(cta, lanes, taken, number, doubt)                                                   \
    SF_AT(SFB, UE8M0, 3, 4, cta lanes SCALES_8("r"), .columns = (taken), .copies = (number),       \
          .note = NOTE_3X doubt)                                                                   \
    SF_AT(SFB, UE8M0 | UE4M3, 6, 2, cta lanes SCALES_8("r"), .columns = (taken),                   \
          .copies = (number), .note = NOTE_6X doubt)
#define KINDS_OF_K96(m, all_n, first_n, last_n, A_, D_, sfa_lanes, cta, number, doubt)             \
    {.shape = {m, 0, 96}, .widths = &(all_n), ULTRA,                                               \
     .rows = {A_(E2M1, OF_4_BITS, .columns = 12, .has_bit = true) D_(F32)                          \
              SFA_AT(UE8M0, 3, 4, sfa_lanes SCALES_8("c"), 8, .note = NOTE_3X doubt)               \
              SFA_AT(UE8M0 | UE4M3, 6, 2, sfa_lanes SCALES_8("c"), 8, .note = NOTE_6X doubt)}},    \
    {.shape = {m, 0, 96}, .widths = &(first_n), ULTRA,                                             \
     .rows = {SFB_96(cta, SFB_LANES_128, 8, number, doubt)}},                                      \
    {.shape = {m, 0, 96}, .widths = &(last_n), ULTRA,                                              \
     .rows = {SFB_96(cta, SFB_LANES_256, 16, number, doubt)}}
/* clang-format on */

/* ---- Families ---- */

/* Members that all families share. Their opcodes begin with `head` and have `some_words`. */
#define FAMILY(all_groups, all_opcodes, first_word, head, some_words)                              \
    .shape_style = SHAPE_MNK, .reads_shared = true, .multiplies = true,                            \
    .place = MAPPING_IN_TENSOR_MEMORY, .lists_widest = true, .form = TCGEN05_FORM,                 \
    GROUPS(all_groups), REMARKS(remarks), .form_count = 1, .forms = &(const struct opcode_form) {  \
        .start = (head), .mnemonic = (first_word), .words = (some_words),                          \
        .parts = {PART_KIND, PART_BLOCK, PART_OPERATION}, OPCODE_ROWS(all_opcodes)                 \
    }

/* Letters of 9.7.16.10.5. */
/* clang-format off */
#define OF_ONE {{64, "F in the PTX ISA; the matrix uses half of the lanes"}, {128, "D in the PTX ISA"}}
#define OF_WS                                                                                      \
    {{32, "G in the PTX ISA; each quarter of N uses one quarter of the lanes"},                      \
     {64, "E in the PTX ISA; each half of N uses one half of the lanes"},                            \
     {128, "D in the PTX ISA"}}
/* clang-format on */

/* ---- One CTA ---- */

/* 9.7.16.2.1: i8 permits the N of wgmma with integers, all other kinds the N of other wgmma. */
#define ANY_WIDTH mapping_wgmma_widths
#define INTEGER_WIDTHS mapping_wgmma_integer_widths
static const struct mapping_widths to_128 = {16, mapping_every_8},
                                   from_136 = {16, mapping_every_8 + 16};

static const struct fragment_group groups[] = {
    KINDS_FROM_8_BITS(64, 1, ANY_WIDTH, INTEGER_WIDTHS, A_F, D_F, NO_E, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(128, 1, ANY_WIDTH, INTEGER_WIDTHS, A_D, D_D, NO_E, SFA_D, SFB_D),
    KINDS_OF_4_BITS(128, 1, ANY_WIDTH, BLACKWELL, A_D, D_D, NO_E, SFA_D, SFB_D),
    KINDS_OF_K96(128, ANY_WIDTH, to_128, from_136, A_D, D_D, SFA_LANES, "", 4, "; " PAIRS_ALONE),
};

static const struct fragment_group sparse_groups[] = {
    KINDS_FROM_8_BITS(64, 2, ANY_WIDTH, INTEGER_WIDTHS, A_F, D_F, E_F, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(128, 2, ANY_WIDTH, INTEGER_WIDTHS, A_D, D_D, E_D, SFA_D, SFB_D),
    KINDS_OF_4_BITS(128, 2, ANY_WIDTH, EACH_A, A_D, D_D, E_D, SFA_D, SFB_D),
};

const struct family mapping_tcgen05_mma = {
    .instruction = MAPPING_TCGEN05_MMA,
    .name = "tcgen05.mma",
    .scaled_from = 128,
    .letters = OF_ONE,
    FAMILY(groups, dense_opcodes, "tcgen05.mma", "tcgen05.mma.cta_group::1", "cta_group::1"),
};

const struct family mapping_tcgen05_mma_sp = {
    .instruction = MAPPING_TCGEN05_MMA_SP,
    .name = "tcgen05.mma.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA,
    .scaled_from = 128,
    .letters = OF_ONE,
    FAMILY(sparse_groups, sparse_opcodes, "tcgen05.mma", "tcgen05.mma.sp.cta_group::1",
           "sp cta_group::1"),
};

/* ---- A pair of CTAs, .cta_group::2 ----
 *
 * CTA 0 has the even %cluster_ctarank (9.7.16.5.1), and the first half of the rows. */

/* 9.7.16.2.1: the values of N, by_16 for all kinds except i8, by_32 for i8. */
static const uint16_t by_16[] = {16,  32,  48,  64,  80,  96,  112, 128,
                                 144, 160, 176, 192, 208, 224, 240, 256};
static const uint16_t by_32[] = {32, 64, 96, 128, 160, 192, 224, 256};
static const struct mapping_widths pair_widths = WIDTHS(by_16), integer_pair_widths = WIDTHS(by_32);
static const struct mapping_widths pair_to_128 = {8, by_16}, from_144 = {8, by_16 + 8};

static const struct fragment_group pair_groups[] = {
    KINDS_FROM_8_BITS(128, 1, pair_widths, integer_pair_widths, A_B, D_B, NO_E, SFA_B, SFB_B),
    KINDS_OF_4_BITS(128, 1, pair_widths, BLACKWELL, A_B, D_B, NO_E, SFA_B, SFB_B),
    KINDS_FROM_8_BITS(256, 1, pair_widths, integer_pair_widths, A_A, D_A, NO_E, SFA_A, SFB_A),
    KINDS_OF_4_BITS(256, 1, pair_widths, BLACKWELL, A_A, D_A, NO_E, SFA_A, SFB_A),
    KINDS_OF_K96(256, pair_widths, pair_to_128, from_144, A_A, D_A, SFA_PAIR_LANES, "o2 | ", 8, ""),
};

static const struct fragment_group pair_sparse_groups[] = {
    KINDS_FROM_8_BITS(128, 2, pair_widths, integer_pair_widths, A_C, D_C, E_C, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(256, 2, pair_widths, integer_pair_widths, A_A, D_A, E_A, SFA_A, SFB_A),
    KINDS_OF_4_BITS(256, 2, pair_widths, EACH_A, A_A, D_A, E_A, SFA_A, SFB_A),
};

const struct family mapping_tcgen05_mma_cta2 = {
    .instruction = MAPPING_TCGEN05_MMA_CTA2,
    .name = "tcgen05.mma.cta2",
    .scaled_from = 128,
    .letters = {{128, "B in the PTX ISA; each half of N uses one half of the lanes"},
                {256, "A in the PTX ISA"}},
    .ctas = 2,
    FAMILY(pair_groups, dense_opcodes, "tcgen05.mma", "tcgen05.mma.cta_group::2", "cta_group::2"),
};

const struct family mapping_tcgen05_mma_cta2_sp = {
    .instruction = MAPPING_TCGEN05_MMA_CTA2_SP,
    .name = "tcgen05.mma.cta2.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_CTA2,
    .scaled_from = 256,
    .letters = {{128, "C in the PTX ISA; the matrix uses half of the lanes"},
                {256, "A in the PTX ISA"}},
    .ctas = 2,
    FAMILY(pair_sparse_groups, sparse_opcodes, "tcgen05.mma", "tcgen05.mma.sp.cta_group::2",
           "sp cta_group::2"),
};

/* ---- .ws ----
 *
 * A in Tensor Memory is only supported for M = 128. For M = 64, only TVM has its layout; for M =
 * 32, no project has it. */

/* 9.7.16.2.1: the widths n; sparse products do not have the last one. */
static const uint16_t doubling[] = {64, 128, 256};
static const struct mapping_widths ws_widths = WIDTHS(doubling),
                                   ws_sparse_widths = {.count = 2, .n = doubling};

static const struct fragment_group ws_groups[] = {
    KINDS_FROM_8_BITS(32, 1, ws_widths, ws_widths, NO_A, D_G, NO_E, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(64, 1, ws_widths, ws_widths, NO_A, D_E, NO_E, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(128, 1, ws_widths, ws_widths, A_D, D_D, NO_E, NO_SF, NO_SF),
};

static const struct fragment_group ws_sparse_groups[] = {
    KINDS_FROM_8_BITS(32, 2, ws_sparse_widths, ws_sparse_widths, NO_A, D_G, E_G, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(64, 2, ws_sparse_widths, ws_sparse_widths, NO_A, D_E, E_E, NO_SF, NO_SF),
    KINDS_FROM_8_BITS(128, 2, ws_sparse_widths, ws_sparse_widths, A_D, D_D, E_D, NO_SF, NO_SF),
};

const struct family mapping_tcgen05_mma_ws = {
    .instruction = MAPPING_TCGEN05_MMA_WS,
    .name = "tcgen05.mma.ws",
    .letters = OF_WS,
    FAMILY(ws_groups, dense_ws, "tcgen05.mma.ws", "tcgen05.mma.ws.cta_group::1", "cta_group::1"),
};

const struct family mapping_tcgen05_mma_ws_sp = {
    .instruction = MAPPING_TCGEN05_MMA_WS_SP,
    .name = "tcgen05.mma.ws.sp",
    .is_sparse = true,
    .dense = MAPPING_TCGEN05_MMA_WS,
    .letters = OF_WS,
    FAMILY(ws_sparse_groups, sparse_ws, "tcgen05.mma.ws", "tcgen05.mma.ws.sp.cta_group::1",
           "sp cta_group::1"),
};
