/* tcgen05.h - Blackwell's multiplication, tcgen05.mma: what its files share.
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
#ifndef CATALOGUE_TCGEN05_H
#define CATALOGUE_TCGEN05_H

#include "catalogue/family.h"

#include <stddef.h>

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

/* Columns and bits of A and what else is packed; 9.7.16.10.4. Of six bits the lower ones of a byte,
 * of four the middle ones, or both halves where the kind is mxf4. */
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

/* Opcodes: tcgen05_opcodes.c. */
extern const struct opcode_form mapping_tcgen05_mma_form, mapping_tcgen05_mma_sp_form,
    mapping_tcgen05_mma_cta2_form, mapping_tcgen05_mma_cta2_sp_form, mapping_tcgen05_mma_ws_form,
    mapping_tcgen05_mma_ws_sp_form;

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WIDTHS(array)                                                                              \
    { .count = COUNT(array), .n = (array) }

#endif
