/* mapping.h - tensor-core fragments, their maps, and the formulae deduced from them.
 *
 * This is the whole face of libmapping.a: no I/O, no CUDA, no global state. Errors are values.
 *
 * Words: a fragment is one operand of one tensor-core instruction, held in the registers of a warp,
 * or of the four warps of a warpgroup. `tid` is the thread in the warp, 0..31, or in the warpgroup,
 * 0..127; `i` counts the matrix elements that one thread holds, in register order. A map is the
 * function (tid, i) -> (row, col), or (block, row, col) where one instruction has several matrices
 * for an operand. A is M x K with (row, col) = (m, k), B is K x N with (k, n), C and D are M x N
 * with (m, n). All count from 0.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAPPING_VERSION "0.1.0"

/* What a call came to. The numbers are the exit status of the command. */
enum mapping_status {
    MAPPING_OK = 0,
    MAPPING_DIFFERS = 1,     /* a check or comparison found a difference */
    MAPPING_INVALID = 2,     /* no such option, architecture, fragment; a malformed input file */
    MAPPING_UNAVAILABLE = 3, /* it exists, but not here */
    MAPPING_NO_FORMULA = 4,  /* the map is there, but no formula in the space gives it */
    MAPPING_FAILED = 5       /* the machine failed: CUDA, a tool, memory, output */
};

/* One sentence for the user, without prefix, newline or final stop. */
struct mapping_error {
    char message[768];
};

/* Writes the sentence, cut off where it does not fit, and returns `status`. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
enum mapping_status
mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format, ...);

/* ---- Catalogue: element types, architectures, fragments ---- */

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
    MAPPING_B16, /* 16 bits of any type */
    MAPPING_TYPES
};

/* PTX spelling, e.g. "f32". */
const char *mapping_type_name(enum mapping_type type);

/* Its name in C++, e.g. "float". Where that is qualified, the last part: "tf32". */
const char *mapping_type_alias(enum mapping_type type);

/* Size of one element, in bits: 1, 4, 6, 8, 16, 32 or 64. */
unsigned mapping_type_bits(enum mapping_type type);

/* Finds a type by its PTX spelling or alias; false if there is none of that name. */
bool mapping_type_find(const char *name, enum mapping_type *type);

struct mapping_shape {
    uint16_t m, n, k;
};

/* Which instruction. For wmma it stands for loads, stores and the multiplication. */
enum mapping_instruction {
    MAPPING_WMMA,
    MAPPING_MMA,
    MAPPING_MMA_SP, /* A is sparse */
    MAPPING_LDMATRIX,
    MAPPING_STMATRIX,
    MAPPING_MOVMATRIX,
    MAPPING_WGMMA,
    MAPPING_WGMMA_SP, /* A is sparse */
    MAPPING_INSTRUCTIONS
};

/* "mma.sp". */
const char *mapping_instruction_name(enum mapping_instruction instruction);

/* What belongs to the name of a fragment because the layout in registers depends on it: how the
 * matrix lies in memory, whether it is transposed on its way, or how many scale factors there are
 * for a row of A or a column of B. */
enum mapping_layout {
    MAPPING_NO_LAYOUT,
    MAPPING_ROW_MAJOR,
    MAPPING_COL_MAJOR,
    MAPPING_TRANSPOSED,
    MAPPING_SCALE_1X,
    MAPPING_SCALE_2X,
    MAPPING_SCALE_4X,
    MAPPING_LAYOUTS
};

/* "row", "col", "trans", "1x", "2x", "4x", or "" for no layout. */
const char *mapping_layout_name(enum mapping_layout layout);

/* Operands by the letter that stands for them here: A, B, C and D of a multiplication; the sparsity
 * metadata; the scale factors of A and of B; the registers and the addresses of ldmatrix and
 * stmatrix. Their names: "a", "b", "c", "d", "e", "sfa", "sfb", "r", "p". */
#define MAPPING_OPERAND_LETTERS "abcdexyrp"
const char *mapping_operand_name(char operand);

/* Finds an operand by name, in lower case; 0 if there is none. */
char mapping_operand_find(const char *name);

/* One fragment. Sizes are those of one matrix; there are `blocks` of them. The elements of the
 * metadata are indices, one for each element of the A that is held, which is M x K/2, and of 4 bits
 * one for each pair of them; of addresses there is one for each row. `elements` and `registers` are
 * per thread, registers of 32 bits. `since` is the number of the first architecture that has it,
 * e.g. 70, `until` of the last one, 0 if there is none yet, `ptx` the first PTX version, e.g. 63.
 */
struct mapping_fragment {
    enum mapping_instruction instruction;
    struct mapping_shape shape; /* of ldmatrix, stmatrix and movmatrix, k counts matrices */
    char operand;
    enum mapping_layout layout;
    enum mapping_type type; /* of the metadata, that of A */
    uint32_t bits;          /* that an element takes in registers */
    uint32_t blocks, rows, cols;
    uint32_t threads, elements, registers;
    uint32_t since, until, ptx;
    const char *section; /* of the PTX ISA where the layout is specified; NULL if it is not */
    const char *bases;   /* the layout; see families.c */
};

/* True if both are the same operand of the same instruction, in the same layout and type. */
bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b);

/* True if the architecture, 75 for sm_75, has the fragment. */
bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch);

/* Longest name with its end. */
#define MAPPING_NAME_SIZE 64

/* The fragment at `index` in the order in which they are listed; false from the end on. */
bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment);

/* A name stands for at most this many fragments: A, B, C, D, metadata, and both scale factors. */
#define MAPPING_OPERANDS 7

/* Finds the fragments that a name stands for, of any of these kinds; upper and lower case are the
 * same:
 *   wmma.m16n16k16.a.row.f16                                its name, also with a type's other name
 *   mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32       a PTX opcode: all its operands
 *   wmma.load.a.sync.aligned.row.m16n16k16.shared.f16       of a load or store, its one
 *   fragment<matrix_a, 16, 16, 16, half, row_major>         a type of mma.h; an accumulator is D
 * Writes them to `fragments` and returns how many they are, 0 if there is none of that name. Of an
 * opcode that is younger than its fragments, `since` and `ptx` are the opcode's. */
size_t mapping_catalogue_find(const char *name,
                              struct mapping_fragment fragments[MAPPING_OPERANDS]);

/* Writes the name of the fragment to `name`. */
void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]);

/* Longest opcode with its end. */
#define MAPPING_OPCODE_SIZE 128

/* One opcode other than of wmma, without words that leave its operands alone: the state space of
 * ldmatrix and stmatrix, .satfinite, .sp::ordered_metadata for .sp. */
struct mapping_opcode {
    char text[MAPPING_OPCODE_SIZE];
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    enum mapping_layout a_layout, b_layout;   /* of A and B, where their fragments depend on it */
    enum mapping_layout scale;                /* none where there are no scale factors */
    enum mapping_type a, b, c, d, scale_type; /* of the operands that there are */
    uint32_t since, until, ptx;               /* as of a fragment */
};

/* The opcode at `index`; false from the end on. */
bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode);

/* Finds the fragments of an opcode's operands: those in registers. Returns how many they are. */
size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_OPERANDS]);

/* An architecture by its number, e.g. 75 for sm_75, and the names that people use for it and its
 * products, separated by blanks. */
struct mapping_arch {
    unsigned number;
    const char *names;
};

/* There are no more architectures than this. */
#define MAPPING_ARCHS_MAX 32

/* The architecture at `index`, in ascending order; NULL from the end on. */
const struct mapping_arch *mapping_arch_at(size_t index);

/* Finds an architecture by any spelling: "sm_75", "75", "7.5", "turing", "sm_90a". Upper and lower
 * case are the same. NULL if there is none. */
const struct mapping_arch *mapping_arch_find(const char *name);

/* ---- Maps ---- */

enum { MAPPING_ROW, MAPPING_COL, MAPPING_BLOCK, MAPPING_COORDINATES };

/* A map. Entry (tid, i) stands at index tid * elements + i of each plane; plane MAPPING_ROW holds
 * the rows, MAPPING_COL the columns, and where there is more than one block, MAPPING_BLOCK the
 * blocks, else it is NULL. */
struct mapping_map {
    uint32_t threads, elements;
    uint32_t blocks, rows, cols;
    uint32_t *plane[MAPPING_COORDINATES]; /* one allocation, owned by the map */
};

/* Makes a map of the fragment's size with every coordinate UINT32_MAX. False if out of memory. Free
 * it with mapping_map_free. */
bool mapping_map_init(struct mapping_map *map, const struct mapping_fragment *fragment);

/* Frees what the map owns. A zeroed map is allowed. */
void mapping_map_free(struct mapping_map *map);

/* The number of entries: threads x elements. */
size_t mapping_map_entries(const struct mapping_map *map);

/* How many coordinates an element has: 2, or 3 where there is more than one block. */
int mapping_map_coordinates(const struct mapping_map *map);

/* The number of elements: blocks x rows x cols. */
uint32_t mapping_map_cells(const struct mapping_map *map);

/* The number of an entry's element, counted by block, row and column. */
uint32_t mapping_map_cell(const struct mapping_map *map, uint32_t entry);

/* How many (tid, i) hold the same element; entries / cells. */
uint32_t mapping_map_copies(const struct mapping_map *map);

/* Makes the map that the PTX ISA states. False if out of memory. The fragment has bases. */
bool mapping_map_state(struct mapping_map *map, const struct mapping_fragment *fragment);

/* Fills the map from what a load or store moved between the fragment and a matrix without padding
 * that lies in memory as `layout` says. Of a load, origins[tid * elements + i] is the place in
 * memory that (tid, i) was loaded from; of a store, origins[place] is the tid * elements + i that
 * was stored there. */
void mapping_map_trace(struct mapping_map *map, enum mapping_layout layout, bool is_store,
                       const uint32_t *origins);

/* True if both maps have the same size and the same entries. */
bool mapping_map_equal(const struct mapping_map *a, const struct mapping_map *b);

/* Inverts a map: holders[copy * cells + cell] = tid * elements + i, copies of one element in
 * ascending order. `holders` has as many places as the map has entries. MAPPING_INVALID with a
 * sentence unless each entry lies inside the matrix and each element occurs exactly `copies` times.
 */
enum mapping_status mapping_map_invert(const struct mapping_map *map, uint32_t *holders,
                                       struct mapping_error *error);

/* Checks whether the map can be inverted, with what mapping_map_invert returns otherwise;
 * MAPPING_FAILED if out of memory. */
enum mapping_status mapping_map_check(const struct mapping_map *map, struct mapping_error *error);

/* ---- Tiled multiplications ---- */

#define MAPPING_MODES 16

/* A layout as CuTe has it, with all nesting flattened: a function of one number, whose digits, the
 * first mode's lowest, are multiplied by the strides and added up. */
struct mapping_modes {
    uint32_t count;
    uint32_t shape[MAPPING_MODES], stride[MAPPING_MODES];
};

/* How a multiplication is repeated over a tile: what make_tiled_mma of CuTe is told beside the
 * atom. Of M, N and K. */
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

/* Makes the fragment of the tiled multiplication out of that of the atom, which is of mma or of
 * wgmma: its rows, columns, threads, elements and registers. The quad pairs of mma.m8n8k4 are atoms
 * of their own, of 8 threads. MAPPING_INVALID if atoms do not fit together so. */
enum mapping_status mapping_tile_fragment(const struct mapping_tiling *tiling,
                                          const struct mapping_fragment *atom,
                                          struct mapping_fragment *tiled,
                                          struct mapping_error *error);

/* Makes its map out of the map of the atom's fragment. MAPPING_INVALID if it is none, as where a
 * permutation is no permutation; MAPPING_FAILED if out of memory. Free it in any case. */
enum mapping_status mapping_tile_map(const struct mapping_tiling *tiling,
                                     const struct mapping_fragment *atom,
                                     const struct mapping_map *atom_map, struct mapping_map *map,
                                     struct mapping_error *error);

/* ---- Formulae ---- */

/* An input of a formula: takes the values 0 .. count - 1. */
struct mapping_variable {
    const char *name;
    uint32_t count;
};

/* ((v & mask) << shift), or >> -shift where shift is negative; v is variables[variable]. */
struct mapping_term {
    uint32_t mask;
    int8_t shift;
    uint8_t variable;
};

#define MAPPING_MAX_VARIABLES 4
#define MAPPING_MAX_TERMS 128

/* The terms combined by `operation`, '+' or '^'. Without terms it is 0. The terms of variable v are
 * terms[first[v]] .. terms[first[v + 1] - 1]. */
struct mapping_formula {
    char operation;
    uint8_t first[MAPPING_MAX_VARIABLES + 1];
    struct mapping_term terms[MAPPING_MAX_TERMS];
};

/* Deduces the formula of one coordinate from all its values.
 *
 * `variables` has `count` inputs, 1 .. MAPPING_MAX_VARIABLES; values[] is their whole product, the
 * first variable running fastest, at most 2^20 entries. The space: a sum of shifted and masked
 * variables, and where no sum fits, the same with exclusive or. The form is canonical: terms by
 * variable, then by lowest mask bit; terms of one variable and one shift are one term. The formula
 * has been evaluated and compared at every entry when this returns true; false means that the space
 * has no formula for these values. Takes time linear in the entries, and no memory. */
bool mapping_deduce(const struct mapping_variable *variables, size_t count, const uint32_t *values,
                    struct mapping_formula *formula);

/* The value of the formula; x[v] is the value of variable v. */
uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, size_t count,
                                  const uint32_t *x);

/* Makes the map that formulae give, one for each coordinate, of the variables i and tid in that
 * order. False if out of memory. */
bool mapping_map_evaluate(struct mapping_map *map, const struct mapping_fragment *fragment,
                          const struct mapping_formula formulae[MAPPING_COORDINATES]);

/* Reads such an expression back, terms in the order in which they are printed. False if it is
 * none. */
bool mapping_formula_parse(const char *text, const struct mapping_variable *variables, size_t count,
                           struct mapping_formula *formula);

/* Writes the formula as a C expression, e.g. "(i & 5) + (tid & 10)". Works as snprintf does:
 * returns the length that the whole expression has, and writes what fits into `size` bytes. */
size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_variable *variables, size_t count, char *text,
                             size_t size);

#ifdef __cplusplus
}
#endif
#endif
