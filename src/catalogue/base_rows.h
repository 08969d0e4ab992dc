/* base_rows.h - layouts that occur several times in the PTX ISA, written as bases (see
 * mapping_layout_state), and rows of operands that occur several times.
 *
 * Bases list the bits of the row and of the column, lowest first. If there are several blocks, the
 * bits of the block are listed before these. Each bit is a bit of tid or i. For example, in "t2 t3
 * t4 i1 | i0 t0 t1", bits 0 to 2 of the row are bits 2 to 4 of tid, and bit 3 of the row is bit 1
 * of i. "i2.." is bit 2 of i and all higher bits. A bit of tid or i that is not listed is a bit of
 * the copy's number.
 *
 * The name of a layout states the operand, its rows and columns, and the bits of an element.
 * Elements that fit into one 32-bit register are adjacent. Comments have the form (threads,
 * elements) -> rows x columns.
 */
#ifndef CATALOGUE_BASE_ROWS_H
#define CATALOGUE_BASE_ROWS_H

/* C and D of nearly all instructions, and A of 16 bits, which has the same layout. */
#define D_8X8 "t2 t3 t4 | i0 t0 t1"               /* (32, 2) -> 8 x 8 */
#define D_16X8 "t2 t3 t4 i1 | i0 t0 t1"           /* (32, 4) -> 16 x 8 */
#define A_16X8_16BIT D_16X8                       /* (32, 4) -> 16 x 8 */
#define A_16X16_16BIT "t2 t3 t4 i1 | i0 t0 t1 i2" /* (32, 8) -> 16 x 16 */

#define A_16X4_32BIT "t2 t3 t4 i0 | t0 t1"             /* (32, 2) -> 16 x 4; also f64 */
#define A_16X8_32BIT "t2 t3 t4 i0 | t0 t1 i1"          /* (32, 4) -> 16 x 8; also f64 */
#define A_16X16_8BIT "t2 t3 t4 i2 | i0 i1 t0 t1"       /* (32, 8) -> 16 x 16 */
#define A_16X32_8BIT "t2 t3 t4 i2 | i0 i1 t0 t1 i3"    /* (32, 16) -> 16 x 32 */
#define A_16X32_4BIT "t2 t3 t4 i3 | i0 i1 i2 t0 t1"    /* (32, 16) -> 16 x 32 */
#define A_16X64_4BIT "t2 t3 t4 i3 | i0 i1 i2 t0 t1 i4" /* (32, 32) -> 16 x 64 */

#define B_4X8_32BIT "t0 t1 | t2 t3 t4"                 /* (32, 1) -> 4 x 8; also f64 */
#define B_8X8_32BIT "t0 t1 i0 | t2 t3 t4"              /* (32, 2) -> 8 x 8; also f64 */
#define B_16X8_32BIT "t0 t1 i0 i1 | t2 t3 t4"          /* (32, 4) -> 16 x 8; also f64 */
#define B_8X8_16BIT "i0 t0 t1 | t2 t3 t4"              /* (32, 2) -> 8 x 8 */
#define B_16X8_16BIT "i0 t0 t1 i1 | t2 t3 t4"          /* (32, 4) -> 16 x 8 */
#define B_16X8_8BIT "i0 i1 t0 t1 | t2 t3 t4"           /* (32, 4) -> 16 x 8 */
#define B_32X8_8BIT "i0 i1 t0 t1 i2 | t2 t3 t4"        /* (32, 8) -> 32 x 8 */
#define B_64X8_8BIT "i0 i1 t0 t1 i2 i3 | t2 t3 t4"     /* (32, 16) -> 64 x 8 */
#define B_32X8_4BIT "i0 i1 i2 t0 t1 | t2 t3 t4"        /* (32, 8) -> 32 x 8 */
#define B_64X8_4BIT "i0 i1 i2 t0 t1 i3 | t2 t3 t4"     /* (32, 16) -> 64 x 8 */
#define B_128X8_4BIT "i0 i1 i2 t0 t1 i3 i4 | t2 t3 t4" /* (32, 32) -> 128 x 8 */
#define B_128X8_1BIT "i0 i1 i2 i3 i4 t0 t1 | t2 t3 t4" /* (32, 32) -> 128 x 8 */

/* Scale factors: 1, 2 or 4 for each row of A and column of B, with copies. */
#define SFA_1 "t2 t3 t4 t0 |"       /* (32, 4) -> 16 x 1 */
#define SFA_2 "t2 t3 t4 t0 | i0"    /* (32, 4) -> 16 x 2 */
#define SFA_4 "t2 t3 t4 t0 | i0 i1" /* (32, 4) -> 16 x 4 */
#define SFB_1 "| t2 t3 t4"          /* (32, 4) -> 1 x 8 */
#define SFB_2 "i0 | t2 t3 t4"       /* (32, 4) -> 2 x 8 */
#define SFB_4 "i0 i1 | t2 t3 t4"    /* (32, 4) -> 4 x 8 */

/* ---- Rows of a group ---- */

/* A and B, or C and D, with the same types. _AS adds members to both. */
#define AB_AS(of_types, a_bases, b_bases, ...)                                                     \
    {.operands = A, .types = (of_types), .bases = (a_bases), __VA_ARGS__},                         \
        {.operands = B, .types = (of_types), .bases = (b_bases), __VA_ARGS__},
#define AB(of_types, a_bases, b_bases) AB_AS(of_types, a_bases, b_bases, .copies = 1)
#define CD_AS(of_types, d_bases, ...)                                                              \
    {.operands = C | D, .types = (of_types), .bases = (d_bases), __VA_ARGS__},
#define CD(of_types, d_bases) CD_AS(of_types, d_bases, .copies = 1)

/* clang-format off */

/* Metadata: indices of `index_bits` bits; `number` threads hold a copy of each. */
#define E_AS(of_types, index_bits, number, e_bases, ...)                                           \
    {.operands = E, .types = (of_types), .bits = (index_bits), .copies = (number),                 \
     .bases = (e_bases), __VA_ARGS__},
#define E_OF(of_types, index_bits, number, e_bases)                                                \
    E_AS(of_types, index_bits, number, e_bases, .agrees = 0)

/* Scale factors of A and B: `vector` of them for each of 16 rows or 8 columns. A thread holds 4, so
 * there are copies. */
#define SF(of_types, vector, who)                                                                  \
    {.operands = SFA, .types = (of_types), .scale_vector = (vector), .copies = 8 / (vector),       \
     .bases = SFA_##vector, .agrees = (who)},                                                      \
    {.operands = SFB, .types = (of_types), .scale_vector = (vector), .copies = 16 / (vector),      \
     .bases = SFB_##vector, .agrees = (who)},

/* clang-format on */

/* ---- Only for sm_120a and later architectures of its kind ---- */

/* Elements of 6 and 4 bits in 8 bits, for .kind::f8f6f4 and .kind::mxf8f6f4: 9.7.14.5.14 */
#define BYTES_OF_6                                                                                 \
    .bits = 8, .agrees = CUTLASS, .note = "a 6-bit element is in bits 5:0 of its byte"
#define BYTES_OF_4                                                                                 \
    .bits = 8, .agrees = CUTLASS,                                                                  \
    .note = "a 4-bit element is in bits 5:2 of its byte, and the other bits must be zero: "        \
            "hardware reads bits 1:0 as more bits of the mantissa"

/* A and B of these types. */
#define NARROW_AB(a_bases, b_bases)                                                                \
    {.operands = A, .types = FP6, BYTES_OF_6, .bases = (a_bases)},                                 \
        {.operands = A, .types = E2M1, BYTES_OF_4, .bases = (a_bases)},                            \
        {.operands = B, .types = FP6, BYTES_OF_6, .bases = (b_bases)},                             \
        {.operands = B, .types = E2M1, BYTES_OF_4, .bases = (b_bases)},

/* The kinds, according to the PTX ISA and ptxas. ptxas also accepts .kind::f8f6f4 with e4m3 and
 * e5m2 for sm_100a, sm_103a and sm_110a, and their families. The PTX ISA has .kind only for sm_120a
 * and its family. These instructions equal those without .kind, so the catalogue omits them. */
#define KINDS .since = 120, .suffix = MAPPING_SUFFIX_A_OR_F

#endif
