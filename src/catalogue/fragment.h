/* fragment.h - the types of the catalogue: element types, architectures, fragments, opcodes. */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include "layout/layouts.h"

/* The types of elements, in the order of --list. */
enum mapping_type {
    MAPPING_F64,
    MAPPING_F32,
    MAPPING_TF32, /* 19 bits of f32, in 32 */
    MAPPING_BF16,
    MAPPING_F16,
    MAPPING_E5M2,
    MAPPING_E4M3,
    MAPPING_E3M2,
    MAPPING_E2M3,
    MAPPING_E2M1,
    MAPPING_UE8M0, /* scale factors */
    MAPPING_UE4M3,
    MAPPING_S32,
    MAPPING_S8,
    MAPPING_U8,
    MAPPING_S4,
    MAPPING_U4,
    MAPPING_B1,
    MAPPING_B32, /* bits of any type */
    MAPPING_B16,
    MAPPING_B8,
    MAPPING_B6,
    MAPPING_B4,
    MAPPING_TYPES
};

/* The spelling in PTX, such as "f32". */
const char *mapping_type_name(enum mapping_type type);

/* The name in C++: "float"; for a type of wmma::precision or wmma::experimental::precision, with
 * this scope: "precision::tf32". */
const char *mapping_type_alias(enum mapping_type type);

/* The size of one element in bits: 1, 4, 6, 8, 16, 32 or 64. */
unsigned mapping_type_bits(enum mapping_type type);

/* Finds a type by its PTX spelling or alias; false if there is none. */
bool mapping_type_find(const char *name, enum mapping_type *type);

/* The types that a name selects, as a set: bit MAPPING_F16, and so on. Groups of types have names,
 * too: "fp8", "fp6", "fp4", "int8", "int4", "int1". 0 if there are none. */
uint32_t mapping_types_find(const char *name);

/* The type of a set that has exactly one; `other` for all other sets. */
static inline enum mapping_type mapping_types_only(uint32_t types, enum mapping_type other) {
    return types && (types & (types - 1)) == 0 ? (enum mapping_type)__builtin_ctz(types) : other;
}

/* The sizes of a multiplication: A is m x k, B is k x n, C and D are m x n. For ldmatrix, stmatrix
 * and movmatrix, k is the number of matrices of m x n. */
struct mapping_shape {
    uint16_t m, n, k;
};

/* The instructions; MAPPING_WMMA means loads, stores and the multiplication. After each constant is
 * the name of the object in src/catalogue with its fragments and opcodes. */
#define MAPPING_FAMILIES(EACH)                                                                     \
    EACH(MAPPING_WMMA, mapping_wmma)                                                               \
    EACH(MAPPING_MMA, mapping_mma)                                                                 \
    EACH(MAPPING_MMA_SP, mapping_mma_sp) /* A is sparse */                                         \
    EACH(MAPPING_LDMATRIX, mapping_ldmatrix)                                                       \
    EACH(MAPPING_STMATRIX, mapping_stmatrix)                                                       \
    EACH(MAPPING_MOVMATRIX, mapping_movmatrix)                                                     \
    EACH(MAPPING_WGMMA, mapping_wgmma)                                                             \
    EACH(MAPPING_WGMMA_SP, mapping_wgmma_sp) /* A is sparse */                                     \
    EACH(MAPPING_TCGEN05_MMA, mapping_tcgen05_mma)                                                 \
    EACH(MAPPING_TCGEN05_MMA_SP, mapping_tcgen05_mma_sp)     /* A is sparse */                     \
    EACH(MAPPING_TCGEN05_MMA_CTA2, mapping_tcgen05_mma_cta2) /* executed for a pair of CTAs */     \
    EACH(MAPPING_TCGEN05_MMA_CTA2_SP, mapping_tcgen05_mma_cta2_sp)                                 \
    EACH(MAPPING_TCGEN05_MMA_WS, mapping_tcgen05_mma_ws) /* .ws: A is collected instead of B */    \
    EACH(MAPPING_TCGEN05_MMA_WS_SP, mapping_tcgen05_mma_ws_sp)                                     \
    EACH(MAPPING_TCGEN05_LD, mapping_tcgen05_ld)                                                   \
    EACH(MAPPING_TCGEN05_ST, mapping_tcgen05_st)                                                   \
    EACH(MAPPING_TCGEN05_CP, mapping_tcgen05_cp)       /* from shared memory */                    \
    EACH(MAPPING_TCGEN05_SHIFT, mapping_tcgen05_shift) /* inside Tensor Memory */

#define MAPPING_CONSTANT(constant, object) constant,
enum mapping_instruction { MAPPING_FAMILIES(MAPPING_CONSTANT) MAPPING_INSTRUCTIONS };
#undef MAPPING_CONSTANT

/* "mma.sp". */
const char *mapping_instruction_name(enum mapping_instruction instruction);

/* True if every second element of A is omitted, and metadata select the others. */
bool mapping_instruction_is_sparse(enum mapping_instruction instruction);

/* True if B is always in shared memory, and A may be: wgmma, tcgen05.mma. */
bool mapping_instruction_reads_shared(enum mapping_instruction instruction);

/* True if it multiplies; false if it moves matrices, as ldmatrix does. */
bool mapping_instruction_multiplies(enum mapping_instruction instruction);

enum mapping_operand {
    MAPPING_A,
    MAPPING_B,
    MAPPING_C,
    MAPPING_D,
    MAPPING_E,   /* sparsity metadata */
    MAPPING_SFA, /* scale factors of A */
    MAPPING_SFB, /* scale factors of B */
    MAPPING_R,   /* registers of ldmatrix and stmatrix */
    MAPPING_P,   /* row addresses of ldmatrix and stmatrix */
    MAPPING_OPERANDS
};

/* "a", "b", "c", "d", "e", "sfa", "sfb", "r", "p". */
const char *mapping_operand_name(enum mapping_operand operand);

/* Finds an operand by its name, in lower case; "acc" (accumulator) is D. False if there is none. */
bool mapping_operand_find(const char *name, enum mapping_operand *operand);

/* The order of a matrix in memory, if the layout in registers depends on it. */
enum mapping_order { MAPPING_NO_ORDER, MAPPING_ROW_MAJOR, MAPPING_COL_MAJOR };

/* Where an operand is. This determines the two spaces of its layout. A column of Tensor Memory has
 * 32 bits; `bit` is an axis if elements share a column, or do not begin at bit 0. */
enum mapping_place {
    MAPPING_IN_REGISTERS,     /* (tid, i) -> ([block,] row, col) */
    MAPPING_IN_TENSOR_MEMORY, /* (row, col[, copy][, id]) -> ([cta,] lane, column[, bit]) */
    MAPPING_ACROSS            /* (tid, i) -> (lane, column): tcgen05.ld, tcgen05.st */
};

/* The lanes of Tensor Memory, and the bits of a column (PTX ISA, "Tensor Memory Addressing"). */
#define MAPPING_LANES 128
#define MAPPING_COLUMN_BITS 32

/* The widths n of a multiplication, if it exists in many. */
struct mapping_widths {
    size_t count;
    const uint16_t *n; /* in ascending order */
};

/* The suffix of the target that ptxas requires for the instruction: sm_90a is one architecture,
 * sm_100f its whole family. Narrower ones come later. */
enum mapping_suffix { MAPPING_NO_SUFFIX, MAPPING_SUFFIX_A_OR_F, MAPPING_SUFFIX_A };

/* The suffixes that are possible for this architecture: "af"; "a" for sm_90, which has no "f"; ""
 * if none is required. */
const char *mapping_target_letters(enum mapping_suffix suffix, unsigned arch);

/* One fragment: one operand of one instruction. Sizes are those of one matrix; there are `blocks`
 * matrices. The elements of metadata are indices: one for each stored element of A, which is M x
 * K/2, or one for each pair if elements have 4 bits. Addresses have one element for each row.
 * `elements` and `registers` are per thread; registers have 32 bits. */
struct mapping_fragment {
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    enum mapping_operand operand;
    enum mapping_order order;
    bool is_transposed;     /* ldmatrix, stmatrix or movmatrix transposes it */
    uint8_t scale_vector;   /* scale factors for a row of A or a column of B: 1, 2, 3, 4 or 6; 0 for
                               operands that are not scale factors */
    enum mapping_type type; /* metadata have the type of A */
    uint32_t bits;          /* bits of an element in registers */
    uint32_t blocks, rows, cols;
    uint32_t threads, elements, registers;
    uint32_t lanes;  /* threads of one warp: MAPPING_WARP */
    uint32_t since;  /* number of the first architecture with the fragment, such as 70 */
    uint32_t until;  /* number of the last architecture; 0 if there is none */
    uint32_t except; /* an architecture between them without the fragment; 0 if there is none */
    enum mapping_suffix suffix;
    uint32_t ptx;        /* first PTX version, such as 63 */
    const char *section; /* section of the PTX ISA that specifies the layout; or NULL */
    const char *bases;   /* specified or reported layout, see mapping_layout_state; or NULL */
    enum mapping_place place;
    const char *form;   /* variant of a load, store or copy: "pack", "02_13"; or NULL */
    uint32_t ctas;      /* number of CTAs that hold it: 1, or 2 for a pair */
    uint32_t columns;   /* number of columns of Tensor Memory that it occupies */
    uint32_t in_memory; /* Tensor Memory: number of copies of an element */
    uint32_t choices;   /* Tensor Memory: places among which an ID or selector chooses */
    bool has_bit;       /* Tensor Memory: `bit` is an axis */
    const struct mapping_widths *widths; /* only the last of these is listed; or NULL. shape.n is 0
                                            if names do not contain it */
    const char *reported; /* the report that hardware has this layout, not the PTX ISA's; or NULL */
    const char *agrees;   /* projects with the same layout: "CUTLASS 4.2"; or NULL */
    const char *note;     /* a note, for example that a project has another layout; or NULL */
};

/* The word between operand and type in the name of a fragment, if the layout depends on it: "row",
 * "col", "trans", "1x", "2x", "4x", "3x", "6x", or "" if it does not. */
const char *mapping_fragment_variant(const struct mapping_fragment *fragment);

/* The spaces of its layout, which depend on its place: from (tid, i) to (row, col), or to (block,
 * row, col) if there are several blocks; for Tensor Memory, see enum mapping_place. */
void mapping_fragment_spaces(const struct mapping_fragment *fragment, struct mapping_space *from,
                             struct mapping_space *to);

/* The axis of copies: MAPPING_AXIS_SELECTOR for sparsity metadata, because the sparsity selector of
 * the instruction chooses the copy; otherwise MAPPING_AXIS_COPY. */
const char *mapping_fragment_copy_axis(const struct mapping_fragment *fragment);

/* The number of (tid, i) that hold the same element. */
uint32_t mapping_fragment_copies(const struct mapping_fragment *fragment);

/* Makes the layout of a fragment with bases: the one that the PTX ISA states, or that was reported
 * from hardware. */
enum mapping_status mapping_fragment_state(const struct mapping_fragment *fragment,
                                           struct mapping_layout *layout,
                                           struct mapping_error *error);

/* True if both are the same operand of the same instruction, with the same variant and type. */
bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b);

/* True if the architecture, 75 for sm_75, has the fragment. */
bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch);

/* The size of the buffer for a name. */
#define MAPPING_NAME_SIZE 64

/* Writes the name of the fragment to `name`. */
void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]);

/* The fragment at `index` in the order of --list; false after the last one. If `widths` is not
 * NULL, the fragment represents all of these widths. */
bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment);

/* A position between two fragments of the list; a zeroed cursor is before the first. */
struct mapping_cursor {
    size_t passed;                  /* number of fragments before it */
    uint32_t family, group, row, n; /* position of the next fragment in the tables */
};

/* Advances the cursor, and returns the fragment that it passes; false at the end. A loop over all
 * fragments takes no longer than one call of mapping_catalogue_at near the end. */
bool mapping_catalogue_next(struct mapping_cursor *cursor, struct mapping_fragment *fragment);

/* Finds the fragment that equals `wanted`, ignoring sizes, with its layout on an architecture, 75
 * for sm_75; 0 means the newest. False if it does not exist, or not on this architecture. */
bool mapping_fragment_find(const struct mapping_fragment *wanted, unsigned arch,
                           struct mapping_fragment *fragment);

/* The maximum number of fragments of a name: A, B, C, D, metadata, and both scale factors. */
#define MAPPING_FOUND_MAX 7

/* Finds the fragments that a name selects, ignoring case. These are the kinds of names:
 *
 *     wmma.m16n16k16.a.row.f16
 *         the name of a fragment, also with an alias of a type
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 *         a PTX opcode: all its operands in registers
 *     wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
 *         a load or store: its only operand
 *     fragment<matrix_a, 16, 16, 16, half, row_major>
 *         a type of mma.h; an accumulator is D
 *     SM80_16x8x16_F32F16F16F32_TN, MMA_Atom<SM90_64x128x16_F32F16F16_RS<GMMA::Major::K, ...>>
 *         an atom of CuTe in CUTLASS 4.2: the operands of its opcode; for wgmma with A in shared
 * memory (_SS), without A
 *
 * An opcode is found if ptxas accepts it and the PTX ISA has all its words for this instruction;
 * ptxas ignores some other words. Writes the fragments to `found`, and returns their number. If the
 * opcode is newer than its fragments, they get its `since` and `ptx`, and its `suffix` if that is
 * narrower. */
size_t mapping_catalogue_find(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]);

/* The size of the buffer for an opcode. */
#define MAPPING_OPCODE_SIZE 128

/* One opcode, without words that do not affect its operands: the state space of loads and stores,
 * .satfinite, and .sp::ordered_metadata if .sp is also possible. */
struct mapping_opcode {
    char text[MAPPING_OPCODE_SIZE];
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    enum mapping_order a_order, b_order; /* orders of A and B in memory */
    bool is_transposed;                  /* for ldmatrix, stmatrix and movmatrix */
    uint8_t scale_vector;                /* as in struct mapping_fragment */
    enum mapping_type a, b, c, d;        /* types of its operands */
    enum mapping_type scale;             /* type of the scale factors, if there are any */
    const char *form;                    /* as in struct mapping_fragment */
    uint32_t since, until, ptx, except;  /* as in struct mapping_fragment */
    enum mapping_suffix suffix;
    const char *note; /* as in struct mapping_fragment */
};

/* The opcode at `index`; false after the last one. wmma comes first, with its multiplications but
 * without its loads and stores. */
bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode);

/* True if the architecture, 75 for sm_75, has the opcode. */
bool mapping_opcode_on(const struct mapping_opcode *opcode, unsigned arch);

/* Parses an opcode of any instruction as mapping_catalogue_find does, including wmma.mma; `text`
 * becomes the text of mapping_opcode_at. False for others, and for loads and stores of wmma. */
bool mapping_opcode_find(const char *name, struct mapping_opcode *opcode);

/* Finds the fragments of an opcode's operands in registers. Returns their number; 0 for
 * tcgen05.mma, whose M and N are in the instruction descriptor. */
size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_FOUND_MAX]);

/* An architecture by its number, such as 75 for sm_75, and the names that people use for it and its
 * products, separated by blanks. */
struct mapping_arch {
    unsigned number;
    unsigned ptx; /* the first PTX version that has it, 63 for 6.3 */
    const char *names;
};

/* The maximum number of architectures. */
#define MAPPING_ARCHS_MAX 32

/* The architecture at `index`, in ascending order; NULL after the last one. */
const struct mapping_arch *mapping_arch_at(size_t index);

/* Finds an architecture by any spelling, ignoring case: "sm_75", "75", "7.5", "turing", and from
 * sm_90 on "sm_90a", from sm_100 on "sm_100f". NULL if there is none. */
const struct mapping_arch *mapping_arch_find(const char *name);

/* The suffix of such a name for ptxas: 'a', 'f', or ' ' if it has none; '\0' for a name that is not
 * a target of ptxas, such as "turing". */
char mapping_arch_suffix(const char *name);

#endif
