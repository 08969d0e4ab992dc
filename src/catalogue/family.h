/* family.h - the members of a family of instructions; internal to the catalogue.
 *
 * A family is one file, and one row of MAPPING_FAMILIES in fragment.h for each of its instructions.
 * A row contains only data: the fragments and opcodes of the instruction, the rules for printing
 * and parsing opcodes, and other properties. Members that are left out are 0. If a member must not
 * be 0 but is left out, the build or tests/catalogue/catalogue_test.c reports its name.
 *
 * tests/catalogue/made_up_family.t adds an invented family. A real one also needs
 * - the operands of its opcodes in catalogue_test.c, and its first architecture in since_test.c;
 * - the names of its SASS instructions: see opcode_form;
 * - `make sass evidence`, with a ptxas that knows it. */
#ifndef CATALOGUE_FAMILY_H
#define CATALOGUE_FAMILY_H

#include "catalogue/catalogue.h"

/* Initializers for an array and its size. */
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WIDTHS(array)                                                                              \
    { .count = COUNT(array), .n = (array) }
#define GROUPS(array) .groups = (array), .group_count = COUNT(array)
#define REMARKS(array) .remarks = (array), .remark_count = COUNT(array)
#define OPCODE_ROWS(array) .rows = (array), .row_count = COUNT(array)
#define FORMS(array) .forms = (array), .form_count = COUNT(array)

/* ---- Sets, for the tables ---- */

enum {
    F64 = 1 << MAPPING_F64,
    F32 = 1 << MAPPING_F32,
    TF32 = 1 << MAPPING_TF32,
    BF16 = 1 << MAPPING_BF16,
    F16 = 1 << MAPPING_F16,
    E5M2 = 1 << MAPPING_E5M2,
    E4M3 = 1 << MAPPING_E4M3,
    E3M2 = 1 << MAPPING_E3M2,
    E2M3 = 1 << MAPPING_E2M3,
    E2M1 = 1 << MAPPING_E2M1,
    UE8M0 = 1 << MAPPING_UE8M0,
    UE4M3 = 1 << MAPPING_UE4M3,
    S32 = 1 << MAPPING_S32,
    S8 = 1 << MAPPING_S8,
    U8 = 1 << MAPPING_U8,
    S4 = 1 << MAPPING_S4,
    U4 = 1 << MAPPING_U4,
    B1 = 1 << MAPPING_B1,
    B32 = 1 << MAPPING_B32,
    B16 = 1 << MAPPING_B16,
    B8 = 1 << MAPPING_B8,
    B6 = 1 << MAPPING_B6,
    B4 = 1 << MAPPING_B4,
    FP8 = E5M2 | E4M3,
    FP6 = E3M2 | E2M3,
    FP8_TO_4 = FP8 | FP6 | E2M1,
    INT8 = S8 | U8,
    INT4 = S4 | U4
};

enum {
    A = 1 << MAPPING_A,
    B = 1 << MAPPING_B,
    C = 1 << MAPPING_C,
    D = 1 << MAPPING_D,
    E = 1 << MAPPING_E,
    SFA = 1 << MAPPING_SFA,
    SFB = 1 << MAPPING_SFB,
    R = 1 << MAPPING_R,
    P = 1 << MAPPING_P
};

/* Orders of one matrix in memory, and of A and B together. */
enum { ROW = 1 << MAPPING_ROW_MAJOR, COL = 1 << MAPPING_COL_MAJOR };
enum { ROW_COL = 1, ROW_ROW = 2, COL_COL = 4, COL_ROW = 8, ALL_ORDERS = 15 };

/* The ways to move a matrix. */
enum { AS_IT_LIES = 1, TRANSPOSED = 2 };

/* The projects that have the same layout. */
enum { CUTLASS = 1, TRITON = 2, JAX = 4, TVM = 8 };

/* The size of a set; the same size, but 1 for an empty set, which leaves no choice; and the number
 * of its lowest member. */
size_t mapping_set_size(uint32_t set);
size_t mapping_set_choices(uint32_t set);
int mapping_set_first(uint32_t set);

/* Removes the lowest digit from a mixed-radix number, and returns the member of the set with this
 * index; 0 for an empty set. */
int mapping_set_take(uint32_t set, size_t *number);

/* ---- Fragments ---- */

/* The number of widths (1 if `widths` is NULL, which means only `n`); the width that the lowest
 * digit of a number selects, as in mapping_set_take; and whether `wanted` is one of the widths. */
size_t mapping_widths_count(const struct mapping_widths *widths);
uint16_t mapping_widths_take(const struct mapping_widths *widths, uint16_t n, size_t *number);
bool mapping_widths_have(const struct mapping_widths *widths, uint16_t n, uint16_t wanted);

/* The widths of wgmma: 8, 16, ... 256, and fewer for integers and single bits. */
extern const uint16_t mapping_every_8[32];
extern const struct mapping_widths mapping_wgmma_widths, mapping_wgmma_integer_widths;

/* One operand, or C and D if they have the same layout, in each of its types and orders. */
struct fragment_row {
    uint16_t operands;    /* a set: A, or C | D */
    uint32_t types;       /* a set: F16 | BF16 */
    uint8_t orders;       /* a set; 0 if the fragment does not depend on the order in memory */
    bool is_transposed;   /* ldmatrix, stmatrix or movmatrix transposes it */
    bool is_paired;       /* metadata: one index for two elements */
    uint8_t scale_vector; /* scale factors for a row of A or a column of B */
    uint8_t bits;         /* bits of an element in registers; 0: those of the type */
    uint8_t copies;       /* number of (tid, i) that hold the same element; 0: one */
    const char *bases;    /* see mapping_layout_state; NULL if the PTX ISA states none */
    const char *reported; /* as in struct mapping_fragment */
    const char *section;  /* section of the PTX ISA; NULL: that of the group */
    uint8_t agrees;       /* a set: CUTLASS | TRITON */
    uint8_t ptx;          /* first PTX version; 0: that of the group */

    /* Only for Tensor Memory; as in struct mapping_fragment. */
    bool omits_n, has_bit;
    uint8_t columns; /* columns that are occupied; 0: n columns ... */
    uint8_t divided; /* ... or parts of this number of columns; 0: one part */
    uint8_t choices; /* number of choices; 0: one */
    const char *form, *note;
};

/* Projects that have the layouts of a range of fragments, and a note on them. The range has the
 * fragments that are in all of these sets. An empty set, 0, means no restriction. */
struct fragment_remark {
    uint32_t instructions;
    uint16_t operands, m, n; /* m and n are powers of two, so 64 | 128 is a set */
    uint16_t depths;         /* bit K / 8, where K is that of the dense instruction */
    uint32_t types;
    uint8_t agrees;   /* projects, added to those of the row */
    const char *note; /* used if neither the row nor an earlier remark has one */
};

#define FRAGMENT_ROWS_MAX 9

/* The operands of one shape, which usually is one section of the PTX ISA. Lists end with a row
 * without operands. */
struct fragment_group {
    struct mapping_shape shape;
    const struct mapping_widths *widths; /* replaces shape.n, which is 0 then; or NULL */
    const struct mapping_widths *counts; /* replaces shape.k, which is 0 then; or NULL */
    uint8_t blocks;                      /* number of matrices of each operand; 0: one */
    bool has_rows_of_m;                  /* matrices have n rows of m elements, as in memory */
    uint8_t layouts_until; /* the last architecture with these layouts, if a later group has newer
                              ones; 0: all */
    uint8_t since, until, ptx, except; /* as in struct mapping_fragment */
    enum mapping_suffix suffix;        /* as in struct mapping_fragment */
    const char *section;               /* section of the PTX ISA */
    struct fragment_row rows[FRAGMENT_ROWS_MAX];
};

/* ---- Opcodes ---- */

/* Words that multiplications of integers, and of f64, may contain; see opcode_form. */
#define SATURATED "satfinite*"
#define ROUNDED "rn|rz|rm|rp?"

/* Opcodes that differ only in width, orders and types. Every combination of these is an opcode. */
struct opcode_row {
    struct mapping_shape shape;
    const struct mapping_widths *widths; /* as in struct fragment_group */
    const struct mapping_widths *counts; /* as in struct fragment_group */
    uint8_t orders;                      /* orders of A and B, a set; 0: only row.col */
    uint8_t moves;                       /* ways to move a matrix, a set; 0: as it lies */
    uint32_t d, a, b, c;                 /* sets of types; empty d or b means a, empty c means d */
    const char *kind;                    /* "f8f6f4" of .kind::f8f6f4; NULL if there is none */
    uint8_t scale_vector;    /* as in struct mapping_fragment: 4 for .block_scale.scale_vec::4X */
    bool is_vector_implied;  /* .scale_vec may be omitted */
    enum mapping_type scale; /* type of the scale factors, if there are any */
    const char *operation;   /* "xor.popc"; NULL if there is none */
    const char *format;      /* "s8.s4", written instead of the type of A; NULL: the type of A, or
                                for 6 or 4 bits its format "b8x16.b4x16_p64" */
    const char *block;       /* "block32" for .block_scale.block32; "" for .block_scale alone */
    const char *form;        /* as in struct mapping_fragment */
    const char *note;        /* a note for fragments of the opcode that have no other; or NULL */
    const char *words;       /* words that are also permitted; see opcode_form */
    uint8_t since, until, ptx, except; /* as in struct mapping_fragment */
    enum mapping_suffix suffix;        /* as in struct mapping_fragment */
};

/* A word of an opcode, or several that belong together. An opcode may omit the part. */
enum part {
    PARTS_END,
    PART_MNK,    /* m16n8k16 */
    PART_MN,     /* m8n8 */
    PART_LANES,  /* 16x64b: lanes and bits of Tensor Memory, stored in m and n */
    PART_COUNT,  /* x4: number of matrices that are moved, stored in k */
    PART_ORDERS, /* row.col */
    PART_TRANS,  /* trans */
    PART_KIND,   /* kind::f8f6f4, or kind::mxf4.block_scale.scale_vec::2X */
    PART_BLOCK,  /* block_scale.block32, for tcgen05.mma */
    PART_D,      /* f32, ...: the types of operands */
    PART_A,
    PART_B,
    PART_C,
    PART_SCALE,     /* ue8m0: the type of the scale factors */
    PART_OPERATION, /* xor.popc; for moves the variant, warpx2::02_13 */
    PART_FORM,      /* pack::16b */
    PART_B32,       /* b32, for any registers */
};

#define PARTS_MAX 12

/* The rules for printing and parsing opcodes. They are printed as in the PTX ISA: `start`, then
 * parts in this order. They are parsed as ptxas parses them: the mnemonic, then words in any order,
 * except that types, row and col, and the two words of an operation keep their order. Each word of
 * a part must occur once. `words` lists other words and how often they occur: "sync+ aligned rn|rz?
 * satfinite*" is sync at least once, aligned once, one of rn and rz at most once, satfinite any
 * number of times.
 *
 * An opcode is accepted if the newest ptxas for the architecture accepts it, and if all its words
 * belong to the instruction in the PTX ISA 9.1. Words of other instructions that ptxas ignores,
 * such as .row of ldmatrix or a fifth type of mma, are refused.
 *
 * To add an opcode whose name has a new beginning or new words, add a form to forms[] in the file
 * of the family. `make sass TOOLKITS="DIR DIR"` needs ptxas and nvdisasm of CUDA 12.8 and 13.5,
 * which `toolkit 12` and `toolkit 13` of .ci/install fetch. A new instruction of SASS also goes
 * into report/codegen.c, tools/sass.py and the lists in command/forms.c and command/unknown.c. */
struct opcode_form {
    const char *start;    /* "mma.sync.aligned" */
    const char *mnemonic; /* "tcgen05.ld"; NULL: the first word of `start` */
    const char *words;
    enum part parts[PARTS_MAX]; /* the last one is PARTS_END */
    const struct opcode_row *rows;
    size_t row_count;
    uint16_t moved; /* a set of operands; each of their fragments is an opcode, and there are no
                       rows. PART_OPERATION is the variant, warpx2::02_13 for 02_13; elements of 6
                       and 4 bits have their format */
};

/* ---- Families ---- */

/* The name of a layout of D in Tensor Memory (PTX ISA, 9.7.16.10.5). */
struct lane_layout {
    uint16_t m;       /* number of rows of D; 0 ends the list */
    const char *name; /* "F in the PTX ISA; the matrix uses half of the lanes" */
};

#define LANE_LAYOUTS_MAX 4

/* The style of the shape in names of fragments. */
enum shape_style {
    SHAPE_MNK = 1,    /* m16n8k16 */
    SHAPE_MN,         /* m8n8 */
    SHAPE_MN_COUNT,   /* m8n8.x4: k matrices */
    SHAPE_LANES,      /* 16x64b.x4: k times m lanes and n bits */
    SHAPE_LANES_ONCE, /* 64x128b */
};

struct family {
    enum mapping_instruction instruction;
    const char *name; /* "mma.sp" */
    enum shape_style shape_style;
    bool is_sparse, reads_shared, multiplies; /* see fragment.h */
    enum mapping_instruction dense;           /* for a sparse instruction, the one with a dense A */
    bool loads;                               /* it loads matrices into registers */
    uint16_t threads;                         /* number of threads that execute it together */
    enum mapping_place place;                 /* the place of its operands */
    uint8_t ctas;                             /* 2 for a pair; 0: one */
    bool lists_widest;                        /* --list has only the last of many widths */
    enum instruction_form form;

    const struct fragment_group *groups;
    size_t group_count;
    const struct fragment_remark *remarks; /* NULL if there are none */
    size_t remark_count;

    uint16_t in_registers; /* a set: operands of an opcode that have fragments */

    /* The operands of an instruction in PTX, by the names of their fragments: "d a b c"; "-" is an
     * operand without a fragment in registers. NULL means an address and one list of registers.
     * SASS, and SASS with scale factors, may differ; NULL means the same. "" for several
     * instructions. */
    const char *ptx_operands, *sass_operands, *scaled_sass_operands;

    /* Words of its opcodes, beside sync and aligned, that do not affect fragments; or NULL. */
    const char *silent;

    /* Members of families with operands in Tensor Memory. */
    uint16_t scaled_from;                         /* the least M with scale factors; 0: none */
    struct lane_layout letters[LANE_LAYOUTS_MAX]; /* the names of the layouts of D, by M */

    const struct opcode_form *forms;
    size_t form_count;
};

#define DECLARE(constant, object) extern const struct family object;
MAPPING_FAMILIES(DECLARE)
#undef DECLARE

/* True if a row with these values applies to an architecture; `until` and `except` may be 0. For
 * architectures that are newer than all rows, see archs.c. */
bool mapping_arch_is_within(unsigned arch, unsigned since, unsigned until, unsigned except);

/* The family of an instruction. */
const struct family *mapping_family(enum mapping_instruction instruction);

/* Parses a text that is a number of one to three digits and does not begin with 0. */
bool mapping_number_read(const char *text, uint16_t *number);

/* Parses m16n8k16, m8n8 (k is 0) or m128k16 (n is 0); false for other words. */
bool mapping_shape_read(const char *word, struct mapping_shape *shape);

/* The size of the buffer for 16x64b. */
#define LANES_TEXT 16

/* Writes and parses 16x64b, or 16x32bx2, which is twice 16 lanes of 32 bits, without changing k. */
void mapping_lanes_text(struct mapping_shape shape, char text[LANES_TEXT]);
bool mapping_lanes_read(const char *word, struct mapping_shape *shape);
bool mapping_lanes_are_twice(struct mapping_shape shape);

/* Parses 64x128 (k is 0) or 16x8x16; false for other words. */
bool mapping_crossed_read(const char *word, struct mapping_shape *shape);

/* Parses an order in the spelling of PTX or mma.h: "row", "row_major". */
bool mapping_order_find(const char *name, enum mapping_order *order);

/* The size of the buffer for any name. */
#define MAPPING_TEXT_SIZE ((size_t)2 * MAPPING_OPCODE_SIZE)

/* Copies a name in lower case, without blanks at its ends, and fills the rest with zeros. False if
 * it is too long. */
bool mapping_name_lower(const char *name, char text[MAPPING_TEXT_SIZE]);

/* ---- Types of C++: atoms.c ---- */

/* Finds the fragments of a C++ type, fragment<matrix_a, 16, 16, 16, half, row_major> or an atom of
 * CuTe, and the opcode of the atom. */
void mapping_find_cpp(const char *name, struct mapping_name *read);

/* ---- Opcodes from rows, and back: opcodes.c ---- */

/* Finds an opcode of any family, in lower case, and its fragments. If the opcode needs a newer
 * architecture, PTX version or a stricter target suffix, the fragments get it, too. */
void mapping_find_opcode(const char *name, struct mapping_name *read);

#endif
