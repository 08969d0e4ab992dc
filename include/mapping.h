/* mapping.h - layouts of tensor-core fragments, for programs: what the command `mapping` prints,
 * and functions for layouts, formulae and the catalogue of fragments.
 *
 * The whole command is one function, mapping_run. This program prints which thread holds row 3,
 * column 5 of an accumulator:
 *
 *     #include <mapping.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         const char *const words[] = {"mma.m16n8k16.d.f32", "--at=3,5", "--json"}, *text;
 *         size_t size;
 *         mapping *context = mapping_open(NULL);
 *         if (!context || mapping_run(context, 3, words, &text, &size) != MAPPING_OK)
 *             return 1;
 *         fwrite(text, 1, size, stdout);
 *         mapping_close(context);
 *     }
 *
 * The other functions work on layouts. A layout is a function from one space of named axes to
 * another. The layout of a fragment takes (tid, i), thread and element, to (row, col); here is one
 * of 4 threads that hold 2 elements each of a 2x4 matrix:
 *
 *     tid   0     1     2     3
 *     i     0  1  0  1  0  1  0  1
 *     row   0  0  0  0  1  1  1  1      row = (tid & 2) >> 1
 *     col   0  1  2  3  0  1  2  3      col = i + 2 * (tid & 1)
 *
 * All numbers count from 0. Errors are values. The library never ends the program and never writes
 * to a stream.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library shows what is declared here, and nothing else. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define MAPPING_VERSION "0.3.0"
#define MAPPING_VERSION_NUMBER 0x000300 /* a byte each for MAJOR, MINOR and PATCH */

/* What a call came to. The numbers are the exit status of the command. */
enum mapping_status {
    MAPPING_OK = 0,
    MAPPING_DIFFERS = 1,     /* a check or comparison found a difference */
    MAPPING_INVALID = 2,     /* no such option, architecture, fragment; a malformed input */
    MAPPING_UNAVAILABLE = 3, /* it exists, but not here */
    MAPPING_NO_FORMULA = 4,  /* the layout is there, but no formula gives it */
    MAPPING_FAILED = 5       /* the machine failed: CUDA, a tool, memory, output */
};

/* One sentence for the user, without prefix or final stop. It is one line, and can be printed: see
 * mapping_fail. Of an expression of C it points at the place, in two lines more. */
struct mapping_error {
    char message[2048];
};

/* Writes the sentence and returns `status`. The format is printf's, with %s, %c, %g and whole
 * numbers. What %s and %c put in may be anything. What of it is no UTF-8, would act on a terminal
 * or cannot be seen is written as C escapes it, \n or \x1b. A text that is longer than the
 * precision, than 512 bytes, or too long for the sentence loses its middle: "abc...xyz". "%.*s"
 * takes a text of so many bytes, and "%-s" the message of another error, as it is. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format, ...);

/* Says "out of memory" and returns MAPPING_FAILED. */
enum mapping_status mapping_out_of_memory(struct mapping_error *error);

/* ---- The command as a function ---- */

/* A context: memory, and the message of the last call. One thread at a time may use it; several
 * contexts may be used in several threads at once. */
typedef struct mapping mapping;

/* What a context may do. Zeroed apart from `size`, it has the defaults. */
struct mapping_options {
    size_t size;          /* sizeof(struct mapping_options), of the header that was compiled */
    bool may_start_tools; /* the sources gpu and sass may start the CUDA driver, ptxas and nvdisasm;
                             else they are unavailable */
    bool catches_signals; /* handlers are installed while such a tool runs, so that a signal removes
                             its temporary folder; for one context of a program */
    bool has_colors;      /* the terminal has them; --color=always prints them anywhere */
    bool has_true_color;  /* it has 24 bits of color */
    unsigned columns;     /* of the terminal that the text is for; 0 if it is for no terminal */
    void (*take)(void *taker, const char *text, size_t size); /* if not NULL, gets the text piece by
                             piece, before mapping_run returns; pieces live as long as its text. If
                             columns is 0, those of --annotate come while the listing is read, and
                             live until this function returns */
    void *taker;
    bool (*has_unread_input)(void); /* if not NULL, asked once when a command shows the default
                             fragment: true if a note has to say that standard input is not read */
};

/* MAPPING_VERSION_NUMBER of the library that is linked. */
unsigned mapping_version(void);

/* Opens a context. NULL stands for the defaults. NULL is returned if memory runs out. */
mapping *mapping_open(const struct mapping_options *options);

/* Closes a context, and frees what its last call returned. NULL is allowed. */
void mapping_close(mapping *context);

/* Runs a command line: `count` words, without the name of the program, such as {"--list",
 * "--arch=sm_90"}. Returns what the command returns as its exit status, and in *text what it
 * prints, `*size` bytes with '\0' behind them; "" if the status is none of MAPPING_OK,
 * MAPPING_DIFFERS and MAPPING_NO_FORMULA, or if options.take took the text. With "--json", the text
 * follows mapping.schema.json. "-" for a file is standard input. The text lives until the next call
 * with this context. Calls in several threads wait for each other only while options are parsed.
 */
enum mapping_status mapping_run(mapping *context, size_t count, const char *const words[],
                                const char **text, size_t *size);

/* What the command would print on standard error, without "mapping: ": why the last call failed, or
 * a note; "" if there is nothing to say. It lives until the next call with this context. */
const char *mapping_message(const mapping *context);

/* ---- Spaces ---- */

/* The axes that fragments have. Any other name will do for an axis of one's own. */
#define MAPPING_AXIS_TID "tid" /* thread in the warp, 0..31, or in the warpgroup, 0..127 */
#define MAPPING_AXIS_I "i" /* matrix element among those that a thread holds, in register order */
#define MAPPING_AXIS_ROW "row"     /* of A m, of B k, of C and D m */
#define MAPPING_AXIS_COL "col"     /* of A k, of B n, of C and D n */
#define MAPPING_AXIS_BLOCK "block" /* matrix, where an operand has several */
#define MAPPING_AXIS_COPY "copy"   /* numbers the (tid, i) that hold the same element */
#define MAPPING_AXIS_SELECTOR                                                                      \
    "selector" /* the same of sparsity metadata, chosen by the sparsity selector */
#define MAPPING_AXIS_OFFSET "offset" /* of matrices in memory: in elements from the first byte */
#define MAPPING_AXIS_STAGE "stage"   /* matrix, where a layout of memory has a third mode */
#define MAPPING_AXIS_CTA "cta"       /* of a pair: 0 is that of the even rank in the cluster */
#define MAPPING_AXIS_LANE "lane" /* of Tensor Memory, 0..127; of a load or store, from its own */
#define MAPPING_AXIS_COLUMN "column" /* of 32 bits, from the address on; of a matrix see col */
#define MAPPING_AXIS_BIT "bit"       /* of a column, in which a narrow element begins, 0..31 */
#define MAPPING_AXIS_ID "id"       /* chosen by the scale factor ID of the instruction descriptor */
#define MAPPING_AXIS_LOAD "load"   /* from Tensor Memory, of those that read an operand */
#define MAPPING_AXIS_STORE "store" /* the other way round */

#define MAPPING_AXES_MAX 8

/* Takes the values 0 .. size - 1. The name lives as long as the space. */
struct mapping_axis {
    const char *name;
    uint32_t size;
};

/* A list of axes. Its points are numbered with the last axis running fastest. */
struct mapping_space {
    uint32_t count;
    struct mapping_axis axis[MAPPING_AXES_MAX];
};

/* How many points there are: the product of the sizes, 1 without axes; SIZE_MAX if it is larger. */
size_t mapping_space_size(const struct mapping_space *space);

/* The place of the axis of that name, or -1. */
int mapping_space_find(const struct mapping_space *space, const char *name);

/* True if both have the same axes, of the same sizes, in the same order. */
bool mapping_space_equal(const struct mapping_space *a, const struct mapping_space *b);

/* The number of a point, which has a coordinate for each axis, and the point of a number. */
size_t mapping_space_number(const struct mapping_space *space, const uint32_t *point);
void mapping_space_point(const struct mapping_space *space, size_t number, uint32_t *point);

/* What people call the axis, in a sentence, as a number of values, and above a grid: "thread",
 * "threads" and "ThreadIdx" for tid, "column", "cols" and "Col" for col. Of axes that fragments do
 * not have it is the name. */
const char *mapping_axis_word(const char *name);
const char *mapping_axis_plural(const char *name);
const char *mapping_axis_title(const char *name);

/* ---- Layouts ---- */

/* A table: coordinate[c][n] is where point n of `from` lies along axis c of `to`. */
struct mapping_layout {
    struct mapping_space from, to;
    uint32_t *coordinate[MAPPING_AXES_MAX]; /* one allocation of the library */
};

/* Makes a layout with every coordinate UINT32_MAX. MAPPING_INVALID if a space has more than
 * MAPPING_AXES_MAX axes or no points, or `from` has 2^32 points or more; MAPPING_FAILED if out of
 * memory, also below. Free it with mapping_layout_free. */
enum mapping_status mapping_layout_init(struct mapping_layout *layout,
                                        const struct mapping_space *from,
                                        const struct mapping_space *to,
                                        struct mapping_error *error);

/* Frees what the layout owns. A zeroed layout is allowed. */
void mapping_layout_free(struct mapping_layout *layout);

/* The number of entries: the size of `from`. */
size_t mapping_layout_entries(const struct mapping_layout *layout);

/* The number, in `to`, of the point that entry n goes to; its coordinates are inside. */
size_t mapping_layout_target(const struct mapping_layout *layout, size_t n);

/* How many entries go to the same point, if all points are met equally often: the sizes' quotient;
 * 0 if `to` has no points. */
uint32_t mapping_layout_copies(const struct mapping_layout *layout);

/* Makes the layout that is stated by its bases: for each axis of `to`, behind bars, the bits that
 * its coordinate consists of, lowest first; each is the letter of an axis of `from` and the number
 * of a bit of it. In "t2 t3 t4 i1 | i0 t0 t1" bits 2, 3 and 4 of tid are bits 0 to 2 of the row and
 * bit 1 of i is bit 3; "i2.." is bit 2 of i and all above. A bit that is nowhere numbers copies.
 *
 * Besides, "r0-6" is bits 0 to 6, those that the axis does not have being 0; "i*" all bits that
 * there are; "0" and "1" a bit that always is; "c/2" which half of its axis the coordinate is in,
 * and "c%2" its place there: of sizes that need no power of two; "c%2:0-4" and "c%2:5.." bits of
 * that place; and "r+1" is the coordinate and 1 more. The letter of an axis is the first of its
 * name that no axis before it has: o of copy where there is a col.
 *
 * MAPPING_INVALID with a sentence for anything else: a letter that no axis has, a bit that the axis
 * does not have, too many or too few bars. */
enum mapping_status mapping_layout_state(struct mapping_layout *layout,
                                         const struct mapping_space *from,
                                         const struct mapping_space *to, const char *bases,
                                         struct mapping_error *error);

/* True if both have the same spaces and the same entries. */
bool mapping_layout_equal(const struct mapping_layout *a, const struct mapping_layout *b);

/* MAPPING_INVALID with a sentence unless each entry lies inside `to` and each point of `to` is met
 * equally often, that is, unless the layout can be inverted. */
enum mapping_status mapping_layout_check(const struct mapping_layout *layout,
                                         struct mapping_error *error);

/* Inverts a layout: from the axes of `to`, and behind them one of that name that numbers the copies
 * of a point in ascending order, to the axes of `from`. MAPPING_INVALID as mapping_layout_check. */
enum mapping_status mapping_layout_invert(const struct mapping_layout *layout, const char *copy,
                                          struct mapping_layout *inverse,
                                          struct mapping_error *error);

/* Makes the layout that applies `first` and then `second`. MAPPING_INVALID if first->to is not
 * second->from, or an entry of `first` lies outside of it. */
enum mapping_status mapping_layout_compose(const struct mapping_layout *first,
                                           const struct mapping_layout *second,
                                           struct mapping_layout *composed,
                                           struct mapping_error *error);

/* ---- Formulae ---- */

/* ((v & mask) << shift), or >> -shift where shift is negative; v is the coordinate along `axis`. */
struct mapping_term {
    uint32_t mask;
    int8_t shift;
    uint8_t axis;
};

/* Enough for any formula in two coordinates, or in more whose values have few bits. */
#define MAPPING_MAX_TERMS 128

/* A constant and terms, combined by `operation`, '+' or '^'. The terms of axis a are
 * terms[first[a]] .. terms[first[a + 1] - 1]. */
struct mapping_formula {
    char operation;
    uint32_t constant;
    uint8_t first[MAPPING_AXES_MAX + 1];
    struct mapping_term terms[MAPPING_MAX_TERMS];
};

/* Deduces the formula of one coordinate from its values at all points of a space, in their order.
 *
 * What is searched: a constant plus a sum of shifted and masked coordinates, and where no sum fits,
 * the same with exclusive or. The form is canonical: terms of one axis by lowest mask bit; terms of
 * one axis and one shift are one term. The formula has been evaluated and compared at every point
 * when this returns true; false means that no such formula of up to MAPPING_MAX_TERMS terms gives
 * these values. Takes time linear in the points, and no memory. */
bool mapping_deduce(const struct mapping_space *from, const uint32_t *values,
                    struct mapping_formula *formula);

/* The value of the formula at a point of a space of `axes` axes. */
uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, uint32_t axes,
                                  const uint32_t *point);

/* Makes the layout that formulae give, one for each axis of `to`. */
enum mapping_status mapping_layout_evaluate(struct mapping_layout *layout,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct mapping_formula *formulae,
                                            struct mapping_error *error);

/* Writes the formula as a C expression, e.g. "16 + (i & 5) + (tid & 10)": the constant, then terms
 * by axis, in the order of the space but for the axes of fragments, of which i comes before tid,
 * and row and col before block and copy. Works as snprintf does: returns the length that the whole
 * expression has, and writes what fits into `size` bytes. */
size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_space *from, char *text, size_t size);

/* Writes the formula with / % and * for masks and shifts, "tid / 4 + i / 2 * 8", axes in the order
 * of the space. It holds where coordinates lie inside of their axes. Works as above. */
size_t mapping_formula_print_divided(const struct mapping_formula *formula,
                                     const struct mapping_space *from, char *text, size_t size);

/* Reads an expression of mapping_formula_print back, terms in the order in which they are printed.
 * False if it is none. */
bool mapping_formula_parse(const char *text, const struct mapping_space *from,
                           struct mapping_formula *formula);

/* ---- Tiled multiplications ---- */

#define MAPPING_MODES 48

/* A layout as CuTe has it, with all nesting flattened: a function of one number, whose digits, the
 * first mode's lowest, are multiplied by the strides and added up. */
struct mapping_modes {
    uint32_t count;
    uint32_t shape[MAPPING_MODES], stride[MAPPING_MODES];
};

/* How a multiplication is repeated over a tile: what make_tiled_mma of CuTe is told beside the
 * atom. Of M, N, K. */
struct mapping_tiling {
    struct mapping_modes atoms[3];        /* AtomLayoutMNK, mode by mode */
    struct mapping_modes permutations[3]; /* PermutationMNK; without modes where it is "_" */
};

/* Reads an atom layout, "(2,2,1):(2,1,0)", and the permutations, "((4,4,2):(1,8,4)),32,4", in
 * CuTe's notation: "_2" for "2" is allowed, so are modes that are left out at the end, a layout
 * without strides, which is then compact with the first mode fastest, and "_" for no permutation.
 * NULL stands for what CuTe takes by default. MAPPING_INVALID with a sentence. */
enum mapping_status mapping_tiling_parse(const char *atom_layout, const char *permutation,
                                         struct mapping_tiling *tiling,
                                         struct mapping_error *error);

/* One operand of an atom, which is what is repeated over the tile. */
struct mapping_atom {
    uint32_t size[3];  /* of the multiplication, along M, N and K */
    uint8_t mode[2];   /* which of these rows and columns run along: 0 for M, 1 for N, 2 for K */
    bool is_quad_pair; /* of mma.m8n8k4: threads 0 to 3 and 16 to 19 of a warp, and block 0 */
    struct mapping_space from; /* (tid, i) of the whole instruction */
};

/* The spaces of the operand's tile: (tid, i) and (row, col). It is as large as the permutations
 * are; where these are smaller than what the atoms cover, several atoms hold the same.
 * MAPPING_INVALID where CuTe does not compile the tiling for this operand. */
enum mapping_status mapping_tile_spaces(const struct mapping_tiling *tiling,
                                        const struct mapping_atom *atom, struct mapping_space *from,
                                        struct mapping_space *to, struct mapping_error *error);

/* Makes the layout of the operand's tile out of that of the atom. MAPPING_INVALID as above, or if
 * it does not cover the tile. */
enum mapping_status mapping_tile(const struct mapping_tiling *tiling,
                                 const struct mapping_atom *atom,
                                 const struct mapping_layout *layout, struct mapping_layout *tiled,
                                 struct mapping_error *error);

/* ---- Catalogue: element types, architectures, fragments, opcodes ---- */

/* In the order in which they are listed. The values are indices. */
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

/* PTX spelling, e.g. "f32". */
const char *mapping_type_name(enum mapping_type type);

/* Its name in C++, e.g. "float". Of wmma::precision and of
 * wmma::experimental::precision the last scope is part of it: "precision::tf32". */
const char *mapping_type_alias(enum mapping_type type);

/* Size of one element, in bits: 1, 4, 6, 8, 16, 32 or 64. */
unsigned mapping_type_bits(enum mapping_type type);

/* Finds a type by its PTX spelling or alias; false if there is none of that name. */
bool mapping_type_find(const char *name, enum mapping_type *type);

/* The types that a name stands for, as a set: bit MAPPING_F16, and so on. Beside the names above
 * those of groups: "fp8", "fp6", "fp4", "int8", "int4", "int1". 0 if there are none. */
uint32_t mapping_types_find(const char *name);

/* Rows, columns and depth of a multiplication: A is m x k, B is k x n, C and D are m x n. Of
 * ldmatrix, stmatrix and movmatrix, which move k matrices of m x n, k counts matrices. */
struct mapping_shape {
    uint16_t m, n, k;
};

/* Which instruction; MAPPING_WMMA stands for loads, stores and the multiplication. Behind each
 * constant is the name of the object in src/catalogue that states its fragments and opcodes. */
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
    EACH(MAPPING_TCGEN05_MMA_CTA2, mapping_tcgen05_mma_cta2) /* by a pair of CTAs */               \
    EACH(MAPPING_TCGEN05_MMA_CTA2_SP, mapping_tcgen05_mma_cta2_sp)                                 \
    EACH(MAPPING_TCGEN05_MMA_WS, mapping_tcgen05_mma_ws) /* .ws: A is collected, not B */          \
    EACH(MAPPING_TCGEN05_MMA_WS_SP, mapping_tcgen05_mma_ws_sp)                                     \
    EACH(MAPPING_TCGEN05_LD, mapping_tcgen05_ld)                                                   \
    EACH(MAPPING_TCGEN05_ST, mapping_tcgen05_st)                                                   \
    EACH(MAPPING_TCGEN05_CP, mapping_tcgen05_cp)       /* from shared memory */                    \
    EACH(MAPPING_TCGEN05_SHIFT, mapping_tcgen05_shift) /* inside of Tensor Memory */

#define MAPPING_CONSTANT(constant, object) constant,
enum mapping_instruction { MAPPING_FAMILIES(MAPPING_CONSTANT) MAPPING_INSTRUCTIONS };
#undef MAPPING_CONSTANT

/* "mma.sp". */
const char *mapping_instruction_name(enum mapping_instruction instruction);

/* True if every second element of A is left out, and metadata says which. */
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

/* How a matrix lies in memory, where the layout in registers depends on it. */
enum mapping_order { MAPPING_NO_ORDER, MAPPING_ROW_MAJOR, MAPPING_COL_MAJOR };

/* Where an operand is, which says what its layout leads from and to. A column of Tensor Memory has
 * 32 bits; `bit` is an axis where several elements share one, or do not begin at bit 0. */
enum mapping_place {
    MAPPING_IN_REGISTERS,     /* (tid, i) -> ([block,] row, col) */
    MAPPING_IN_TENSOR_MEMORY, /* (row, col[, copy][, id]) -> ([cta,] lane, column[, bit]) */
    MAPPING_ACROSS            /* (tid, i) -> (lane, column): tcgen05.ld, tcgen05.st */
};

/* The threads of a warp. */
#define MAPPING_WARP 32

/* The lanes of Tensor Memory, and the bits of a column (PTX ISA, "Tensor Memory Addressing"). */
#define MAPPING_LANES 128
#define MAPPING_COLUMN_BITS 32

/* The widths n that a multiplication comes in, where it comes in many. */
struct mapping_widths {
    size_t count;
    const uint16_t *n; /* ascending */
};

/* What has to stand behind the number of an architecture for ptxas to take the instruction: sm_90a
 * is one architecture, sm_100f all of its family. The narrower ones come later. */
enum mapping_suffix { MAPPING_NO_SUFFIX, MAPPING_SUFFIX_A_OR_F, MAPPING_SUFFIX_A };

/* The letters that may: "af", "a", or "" where none has to. */
const char *mapping_suffix_letters(enum mapping_suffix suffix);

/* Those of them that there are with this architecture: there is no sm_90f. */
const char *mapping_target_letters(enum mapping_suffix suffix, unsigned arch);

/* One fragment: one operand of one instruction. Sizes are those of one matrix; there are `blocks`
 * of them. The elements of the metadata are indices, one for each element of the A that is held,
 * which is M x K/2, and of 4 bits one for each pair of them; of addresses there is one for each
 * row. `elements` and `registers` are per thread, registers of 32 bits. */
struct mapping_fragment {
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    enum mapping_operand operand;
    enum mapping_order order;
    bool is_transposed;     /* on its way, by ldmatrix, stmatrix or movmatrix */
    uint8_t scale_vector;   /* scale factors for a row of A or a column of B: 1, 2, 3, 4 or 6; 0 of
                               operands that are no scale factors */
    enum mapping_type type; /* of the metadata, that of A */
    uint32_t bits;          /* that an element takes in registers */
    uint32_t blocks, rows, cols;
    uint32_t threads, elements, registers;
    uint32_t lanes;  /* threads of one warp: MAPPING_WARP */
    uint32_t since;  /* number of the first architecture that has it, e.g. 70 */
    uint32_t until;  /* of the last one; 0 if there is none yet */
    uint32_t except; /* one between them that does not have it; 0 if there is none */
    enum mapping_suffix suffix;
    uint32_t ptx;        /* first PTX version, e.g. 63 */
    const char *section; /* of the PTX ISA where the layout is specified; NULL if it is not */
    const char *bases;   /* what is specified there, or `reported`; NULL if neither is. See
 mapping_layout_state */
    enum mapping_place place;
    const char *form;   /* of a load, store or copy: "pack", "02_13"; NULL if there is one alone */
    uint32_t ctas;      /* that it lies in: 1, or 2 of a pair */
    uint32_t columns;   /* of Tensor Memory that it takes */
    uint32_t in_memory; /* there: copies of an element */
    uint32_t
        choices;  /* there: places of which a scale factor ID or sparsity selector chooses one */
    bool has_bit; /* there: `bit` is an axis */
    const struct mapping_widths *widths; /* of which one alone is listed, the last; or NULL. shape.n
                                            is 0 where it is no part of the name */
    const char *reported; /* where hardware was reported to have this layout, which is not the one
                             that the PTX ISA states; or NULL */
    const char *agrees;   /* which others state the same: "CUTLASS 4.2"; NULL if nobody does */
    const char *note;     /* where others state something else, or what has to be said; or NULL */
};

/* What the name of a fragment says between operand and type because the layout depends on it:
 * "row", "col", "trans", "1x", "2x", "4x", "3x", "6x", or "" if there is nothing to say. */
const char *mapping_fragment_variant(const struct mapping_fragment *fragment);

/* Its spaces, by its place: from (tid, i) to (row, col), or to (block, row, col) where there are
 * several blocks; of Tensor Memory as enum mapping_place says. */
void mapping_fragment_spaces(const struct mapping_fragment *fragment, struct mapping_space *from,
                             struct mapping_space *to);

/* The axis that numbers copies: MAPPING_AXIS_SELECTOR for sparsity metadata, of which the
 * instruction reads the copy that its sparsity selector says, else MAPPING_AXIS_COPY. */
const char *mapping_fragment_copy_axis(const struct mapping_fragment *fragment);

/* How many (tid, i) hold the same element. */
uint32_t mapping_fragment_copies(const struct mapping_fragment *fragment);

/* Makes the layout of a fragment with bases: what the PTX ISA states, or hardware was reported to
 * have. */
enum mapping_status mapping_fragment_state(const struct mapping_fragment *fragment,
                                           struct mapping_layout *layout,
                                           struct mapping_error *error);

/* True if both are the same operand of the same instruction, in the same variant and type. */
bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b);

/* True if the architecture, 75 for sm_75, has the fragment. */
bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch);

/* True if they are equal, or differ in a width n of which one alone is listed. */
bool mapping_fragment_alike(const struct mapping_fragment *a, const struct mapping_fragment *b);

/* Longest name with its end. */
#define MAPPING_NAME_SIZE 64

/* Writes the name of the fragment to `name`. */
void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]);

/* The fragment at `index` in the order in which they are listed; false from the end on. Where
 * `widths` is not NULL it stands for all of them. */
bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment);

/* A place between two fragments of the list; a zeroed one is in front of the first. */
struct mapping_cursor {
    size_t passed;                  /* how many fragments it has passed */
    uint32_t family, group, row, n; /* where the next is looked for */
};

/* Moves the cursor past the next fragment, and gives that; false at the end. A walk along all of
 * them takes no longer than one mapping_catalogue_at near the end. */
bool mapping_catalogue_next(struct mapping_cursor *cursor, struct mapping_fragment *fragment);

/* Finds the fragment that is equal to `wanted`, whose sizes are not looked at, with the layout that
 * it has on an architecture, 75 for sm_75; 0 stands for the newest. False if there is none, or not
 * on that architecture. */
bool mapping_fragment_find(const struct mapping_fragment *wanted, unsigned arch,
                           struct mapping_fragment *fragment);

/* A name stands for at most this many fragments: A, B, C, D, metadata, and both scale factors. */
#define MAPPING_FOUND_MAX 7

/* Finds the fragments that a name stands for, of any of these kinds; upper and lower case are the
 * same:
 *
 *     wmma.m16n16k16.a.row.f16
 *         its name, also with a type's other name
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 *         a PTX opcode: all its operands in registers
 *     wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
 *         of a load or store, its one
 *     fragment<matrix_a, 16, 16, 16, half, row_major>
 *         a type of mma.h; an accumulator is D
 *     SM80_16x8x16_F32F16F16F32_TN, MMA_Atom<SM90_64x128x16_F32F16F16_RS<GMMA::Major::K, ...>>
 *         an atom of CuTe that CUTLASS 4.2 has: those of its opcode; of wgmma with A in shared
 *         memory, which is _SS, without A
 *
 * An opcode is found if ptxas takes it and all its words are the instruction's own by the PTX ISA;
 * some words that are not, ptxas overlooks. Writes the fragments to `found` and returns how many
 * they are, 0 if there is none of that name. Of an opcode that is younger than its fragments,
 * `since` and `ptx` are the opcode's, and so is `suffix` where it is narrower. */
size_t mapping_catalogue_find(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]);

/* Longest opcode with its end. */
#define MAPPING_OPCODE_SIZE 128

/* One opcode, without words that leave its operands alone: the state space of loads and stores,
 * .satfinite, and .sp::ordered_metadata where .sp will do. */
struct mapping_opcode {
    char text[MAPPING_OPCODE_SIZE];
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    enum mapping_order a_order, b_order; /* of A and B in memory */
    bool is_transposed;                  /* of ldmatrix, stmatrix and movmatrix */
    uint8_t scale_vector;                /* as of a fragment */
    enum mapping_type a, b, c, d;        /* of the operands that there are */
    enum mapping_type scale;             /* of the scale factors, if there are any */
    const char *form;                    /* as of a fragment */
    uint32_t since, until, ptx, except;  /* the same */
    enum mapping_suffix suffix;
    const char *note; /* the same */
};

/* The opcode at `index`; false from the end on. Of wmma, which comes first, multiplications alone
 * are listed, no loads and stores. */
bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode);

/* True if the architecture, 75 for sm_75, has the opcode. */
bool mapping_opcode_on(const struct mapping_opcode *opcode, unsigned arch);

/* Reads an opcode as mapping_catalogue_find does, of all instructions, wmma.mma too; `text` becomes
 * what mapping_opcode_at has for it. False if it is none, or a load or store of wmma. */
bool mapping_opcode_find(const char *name, struct mapping_opcode *opcode);

/* Finds the fragments of an opcode's operands: those in registers. Returns how many they are, 0 of
 * tcgen05.mma, where M and N stand in the instruction descriptor. */
size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_FOUND_MAX]);

/* An architecture by its number, e.g. 75 for sm_75, and the names that people use for it and its
 * products, separated by blanks. */
struct mapping_arch {
    unsigned number;
    unsigned ptx; /* the first PTX version that has it, 63 for 6.3 */
    const char *names;
};

/* There are no more architectures than this. */
#define MAPPING_ARCHS_MAX 32

/* The architecture at `index`, in ascending order; NULL from the end on. */
const struct mapping_arch *mapping_arch_at(size_t index);

/* Finds an architecture by any spelling: "sm_75", "75", "7.5", "turing", and from sm_90 on
 * "sm_90a", from sm_100 on "sm_100f". Upper and lower case are the same. NULL if there is none. */
const struct mapping_arch *mapping_arch_find(const char *name);

/* What such a name says to ptxas: 'a' or 'f' of one with that suffix, ' ' of one without, and '\0'
 * of one that is not written as a target is, such as "turing". */
char mapping_arch_suffix(const char *name);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
