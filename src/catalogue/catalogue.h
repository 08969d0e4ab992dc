/* catalogue.h - functions on families of instructions. Only some modules need them; fragment.h has
 * the functions that all modules use. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "catalogue/fragment.h"
#include "smem/matrix_descriptor.h"

/* The form of an instruction: the kind of kernel that executes it. To add one, add a value, and
 * families or opcodes that have it; a kernel in source/gpu/mma.cu or another file, or rows of a
 * kernel in print_rows of generate.c; in experiment.c, its runs (plan_run) and how their results
 * are read, and new types in types[]; in operands.c, a case in operands_have_kernels if only some
 * types have kernels. */
enum instruction_form {
    NO_FORM,        /* no kernel, and no instruction to assemble */
    WMMA_FORM,      /* load_matrix_sync and store_matrix_sync of mma.h */
    MMA_FORM,       /* A, B, C, D and metadata in registers: mma, mma.sp */
    LDMATRIX_FORM,  /* rows of shared memory into registers */
    STMATRIX_FORM,  /* registers into rows of shared memory */
    MOVMATRIX_FORM, /* registers into registers */
    WGMMA_FORM,     /* a warpgroup; B in shared memory, A in shared memory or registers */
    TCGEN05_FORM,   /* operands in Tensor Memory; no kernel executes it yet */
    INSTRUCTION_FORMS
};

/* The number of an architecture before CUDA 13: 101 for 110; 0 if it had no other. */
unsigned mapping_arch_former(unsigned arch);

/* The bit of an architecture in a set of architectures: 1 << n for mapping_arch_at(n); 0 if the
 * number is unknown. */
uint32_t mapping_arch_bit(unsigned arch);

/* Writes a set of architectures, where bit n is mapping_arch_at(n): "sm_80, sm_86 to sm_89". */
#define ARCHS_TEXT 160
void mapping_archs_text(uint32_t set, char text[ARCHS_TEXT]);

/* Writes the targets of a set of architectures for which ptxas accepts a fragment: "sm_100a or
 * sm_100f". "" if it accepts the fragment without a suffix. */
#define TARGETS_TEXT 320
void mapping_targets_text(const struct mapping_fragment *fragment, uint32_t archs,
                          const char *between, char text[TARGETS_TEXT]);

enum instruction_form mapping_instruction_form(enum mapping_instruction instruction);

/* True if the instruction loads matrices into registers: ldmatrix, tcgen05.ld, not stmatrix. */
bool mapping_instruction_loads(enum mapping_instruction instruction);

/* The same instruction with a dense A, or itself. */
enum mapping_instruction mapping_instruction_dense(enum mapping_instruction instruction);

/* The same instruction with a sparse A; false if there is none. */
bool mapping_instruction_find_sparse(enum mapping_instruction dense,
                                     enum mapping_instruction *sparse);

/* The operands of an instruction in PTX, or in SASS with or without scale factors, by the names of
 * their fragments: "d a b c sfa - sfb"; "-" is an operand without a fragment in registers. NULL
 * means an address and one list of registers. "" if there are several instructions. */
const char *mapping_instruction_operands(enum mapping_instruction instruction, bool is_sass,
                                         bool is_scaled);

/* The name that the PTX ISA gives to the layout of a D in Tensor Memory; NULL if there is none. */
const char *mapping_fragment_letter(const struct mapping_fragment *fragment);

/* A partial name: "mma.m16n8k16", "mma.sync.m16n8k16.d.f32", "ldmatrix.x4.trans". Members for
 * missing words are 0. */
struct mapping_partial {
    enum mapping_instruction instruction;
    struct mapping_shape shape; /* only k may be 0 */
    uint8_t count;              /* matrices, or repeats of tcgen05.ld and st: 4 for "x4" */
    bool has_group;             /* has .cta_group or .cta2, which selects the instruction */
    bool has_operand;
    enum mapping_operand operand;
    const char *variant; /* see mapping_fragment_variant */
    uint32_t types;      /* a set */
    bool is_opcode;      /* has a word that occurs only in opcodes: "sync" */
};

/* Parses a partial name: an instruction, then words in any order, at most one of each kind. False
 * if the text is not such a name. */
bool mapping_partial_read(const char *name, struct mapping_partial *partial);

/* A parsed name: the fragments of a complete name, of an opcode or of an atom of CuTe; the opcode,
 * or that of the atom; and the words of the name. */
struct mapping_name {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count;
    struct mapping_opcode opcode; /* its text is "" if there is none */
    bool is_atom;                 /* the opcode is that of an atom */
    bool has_accumulator; /* found[0] is D of the atom; count is 0 if its M and N are unknown */
    bool is_partial;      /* all words are known: */
    struct mapping_partial partial;
};
void mapping_name_read(const char *name, struct mapping_name *read);

/* True if the name selects the fragment. */
bool mapping_partial_fits(const struct mapping_partial *partial,
                          const struct mapping_fragment *fragment);

/* If the fragment, which matches the name, has several widths, sets the width in the name, if any.
 */
void mapping_partial_narrow(const struct mapping_partial *partial,
                            struct mapping_fragment *fragment);

/* Finds the same fragment in the width at `index`; false after the last one. Fragments without
 * several widths have one. */
bool mapping_fragment_at_width(const struct mapping_fragment *listed, size_t index,
                               struct mapping_fragment *found);

/* Finds the next fragment that the name selects, in the width that it selects. `cursor` is zeroed
 * at first, and must be used for one name only. */
bool mapping_partial_next(struct mapping_cursor *cursor, const struct mapping_partial *partial,
                          struct mapping_fragment *fragment);

/* The index of a fragment, which must be in the catalogue. All its widths have the same index. */
size_t mapping_fragment_index(const struct mapping_fragment *fragment);

/* As mapping_catalogue_next, restricted to the fragments of an instruction. */
bool mapping_catalogue_next_of(struct mapping_cursor *cursor, enum mapping_instruction instruction,
                               struct mapping_fragment *fragment);

/* ---- Loads and stores of Tensor Memory, tcgen05.ld and tcgen05.st ---- */

/* Warp w of a warpgroup can access only Tensor Memory lanes 32 * w to 32 * w + 31. */
enum { TMEM_LOAD_THREADS = 128, WARP_LANES = 32 };

/* tcgen05.ld or tcgen05.st. k of its shape is 0 if the name has no number of repeats. */
struct mapping_tmem_load {
    struct mapping_fragment move;
};

/* Parses "tcgen05.ld.32x32b.x32", "tcgen05.ld.16x64b", an opcode of PTX, an atom of CuTe, or the
 * name of a fragment, ignoring case. False for other names. */
bool mapping_tmem_load_read(const char *name, struct mapping_tmem_load *tmem_load);

/* True if the name, valid or not, is meant as an instruction of Tensor Memory. */
bool mapping_tmem_load_is_meant(const char *name);

/* Size of the longest name: "tcgen05.st.16x32bx2.x128.unpack::16b". */
#define TMEM_LOAD_NAME_SIZE 48

/* Writes such a name, without words that all have: .sync, .aligned and .b32. */
void mapping_tmem_load_name(const struct mapping_tmem_load *tmem_load,
                            char name[TMEM_LOAD_NAME_SIZE]);

/* True for .16x32bx2: threads 16 to 31 access the same lanes as threads 0 to 15, but columns with
 * an additional offset immHalfSplitoff. Layouts assume that this offset is half of the
 * instruction's columns. */
bool mapping_tmem_load_is_split(const struct mapping_fragment *move);

/* True if tcgen05.ld can load the operand: D or A of tcgen05.mma. */
bool mapping_tmem_load_takes(const struct mapping_fragment *operand);

/* The ways to show several loads. */
enum tmem_load_form {
    TMEM_LOADS_EACH,     /* each load by itself: (tid, i) -> (row, col) */
    TMEM_LOADS_NUMBERED, /* all loads together: ([cta,] [load,] tid, i), without axes of size 1 */
    TMEM_LOADS_JOINED    /* the registers of all loads, one load after another: ([cta,] tid, i) */
};

/* ---- Operations of the CuTe DSL: operations.c ---- */

/* Translates an operation of the CuTe DSL to an opcode, a fragment or a partial name.
 * warp.LdMatrix8x8x16bOp(True, 4) is ldmatrix.m8n8.x4.trans. False if the name is not such an
 * operation, or lacks types or sizes. */
bool mapping_operation_read(const char *name, char text[MAPPING_OPCODE_SIZE], bool *is_a_shared);

/* Describes an operation without a fragment, "cp.async, which moves no data ..."; otherwise NULL.
 */
const char *mapping_operation_outside(const char *name);

/* ---- Names that may be atoms of CuTe ---- */

/* Writes the opcode that an atom of CuTe executes, and sets whether its A is in shared memory.
 * False if CUTLASS 4.2 has no atom with this name, or the catalogue has none of its operands. */
bool mapping_atom_read(const char *name, char opcode[MAPPING_OPCODE_SIZE], bool *is_a_shared);

/* The name of the atom at `index`, among those whose names begin with an architecture and that are
 * not templates of types; false after the last one. */
bool mapping_atom_at(size_t index, char name[MAPPING_NAME_SIZE]);

/* True if the user means an atom of CuTe, whether or not it exists: after scopes and MMA_Atom<, the
 * name begins with SM and a number, or like the atoms of SM90::GMMA. If mapping_catalogue_find does
 * not find it, it has no fragments, or CUTLASS 4.2 does not have it. */
bool mapping_atom_is_meant(const char *name);

/* Finds the operand for the first argument of a fragment of mma.h: D for "accumulator" or
 * "wmma::accumulator". False for other words. */
bool mapping_use_find(const char *word, enum mapping_operand *operand);

/* Describes an atom of CUTLASS 4.2 that has no fragments here: "tcgen05.mma, whose operands ...".
 * The text can follow "is". NULL for all other names. */
const char *mapping_atom_outside(const char *name);

/* An instruction descriptor with which tcgen05.mma computes D from A and B, both K-major. */
struct mapping_instruction_descriptor {
    uint32_t value;
    const char *kind;    /* "f8f6f4" */
    enum mapping_type a; /* one of the possible types of A and B */
    bool has_scales;     /* of type `scales`, with IDs of 0 */
    enum mapping_type scales;
};

/* Descriptor number n for this D, counted from 0; there is one for each kind and type of scale
 * factors. False if there are no more, and for other fragments. */
bool mapping_instruction_descriptor(const struct mapping_fragment *fragment, size_t n,
                                    struct mapping_instruction_descriptor *descriptor);

/* The kinds of tcgen05.mma: "f16", ...; NULL after the last one. */
const char *mapping_kind_name(size_t kind);

/* An instruction descriptor, as one kind of tcgen05.mma reads it. */
struct mapping_decoded {
    const char *kind; /* "f8f6f4" */
    struct mapping_fields fields;
    /* The values of the fields; only valid if no field is wrong. */
    uint32_t m, n, k; /* k is that of the instruction: twice as large if A is sparse */
    bool is_sparse, is_a_negated, is_b_negated;
    bool is_a_mn_major, is_b_mn_major; /* transposed; otherwise K-major */
    bool has_scales;                   /* the following three members are set */
    enum mapping_type scales;
    uint32_t a_scale_id, b_scale_id;
    enum mapping_type d, a, b; /* with scale factors, D is f32 */
};

/* Decodes the 32 bits for kind number `kind`. False if a field is wrong. */
bool mapping_instruction_decode(uint32_t value, size_t kind, struct mapping_decoded *decoded);

/* Finds D of the instructions to which a descriptor may belong, on an architecture, or on any if
 * `arch` is 0: for one CTA, for a pair of CTAs, and for tcgen05.mma.ws, which the descriptor does
 * not distinguish. Returns their number; 0 if no instruction of the kind has this shape, or a field
 * is wrong. */
enum { RESULTS_MAX = 3 };
size_t mapping_instruction_results(const struct mapping_decoded *decoded, unsigned arch,
                                   struct mapping_fragment found[RESULTS_MAX]);

/* Writes it in one line: "kind::f16 m128n256k16, D f32, A f16 K-major, B bf16 N-major". */
#define DECODED_TEXT 192
void mapping_instruction_text(const struct mapping_decoded *decoded, char text[DECODED_TEXT]);

#endif
