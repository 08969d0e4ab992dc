/* canonical.c - the canonical layouts that wgmma and tcgen05.mma read, under the names of CuTe's
 * atoms. This file identifies the canonical layout of a matrix in memory, and makes its descriptor.
 * See matrix.h.
 *
 * The layouts are specified in the PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply: Strides,
 * Matrix Descriptor". CuTe has them in a table above make_gmma_desc, and as atoms such as
 * Layout_K_SW128_Atom (include/cute/atom/mma_traits_sm90_gmma.hpp of CUTLASS). An atom is 8 lines
 * of W = 1, 2, 4 or 8 chunks of 16 bytes, with T elements in each chunk. Swizzle<log2 W,4,3> moves
 * whole chunks. With 16-bit elements:
 *
 *     Layout_K_SW128_Atom<half_t>     Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)
 *     Layout_MN_SW32_Atom<half_t>     Sw<1,4,3> o smem_ptr[16b](unset) o (16,8):(1,16)
 *
 * One instruction reads these elements; the strides are in elements, before swizzling:
 *
 *     K-major    (8, m) x (T, 2)          mn: W T, SBO        k: 1, LBO; where W > 1, T for LBO
 *     MN-major   (T, m) x (8, k)          mn: 1, SBO          k: T, LBO                   W = 1
 *                (T W, m) x (8, k)        mn: 1, LBO          k: W T, SBO                 W > 1
 *
 * Along K, an instruction reads 32 bytes, such as 16 elements of 16 bits. The descriptor of each
 * instruction has the address of the first element that it reads.
 *
 * tcgen05.mma reads the same layouts (PTX ISA 9.1, 9.7.16.3.3, 9.7.16.10.3; CuTe's table above
 * make_umma_desc, mma_traits_sm100.hpp), for more types. MN-major matrices of 32-bit types have
 * only one layout: Swizzle<2,5,2> moves chunks of 32 bytes in 4 lines, and its strides are those of
 * CuTe.
 *
 *     Layout_MN_SW128_32B_Atom<float> Sw<2,5,2> o smem_ptr[32b](unset) o (32,4):(1,32) */
#include "smem/matrix_table.h"

#include "layout/ascii.h"
#include "layout/space.h"

#include <stdio.h>
#include <string.h>

/* The swizzles of canonical layouts. The types that wgmma and tcgen05.mma accept are a set of sizes
 * in bits, stored as their sum. With wgmma, only 16-bit types may be MN-major (PTX ISA, imm-trans-a
 * and imm-trans-b of wgmma.mma_async); with tcgen05.mma, also 8- and 32-bit types (9.7.16.10.3). */
static const struct width {
    const char *name;
    uint8_t chunks, lines;          /* W, chunks in a line; lines in an atom */
    struct mapping_swizzle swizzle; /* on byte addresses */
    uint8_t mode[READERS];          /* the field of the descriptors of wgmma and tcgen05.mma */
    uint8_t k_types[READERS], mn_types[READERS];
} widths[] = {
    {"INTER_Atom", 1, 8, {0, 4, 3}, {0, 0}, {1 + 8 + 16 + 32, 4 + 8 + 16 + 32}, {16, 8 + 16}},
    {"SW32_Atom", 2, 8, {1, 4, 3}, {3, 6}, {1 + 8 + 16 + 32, 4 + 8 + 16 + 32}, {16, 8 + 16}},
    {"SW64_Atom", 4, 8, {2, 4, 3}, {2, 4}, {1 + 8 + 16 + 32, 4 + 8 + 16 + 32}, {16, 8 + 16}},
    {"SW128_Atom", 8, 8, {3, 4, 3}, {1, 2}, {1 + 8 + 16 + 32, 4 + 8 + 16 + 32}, {16, 8 + 16}},
    {"SW128_32B_Atom", 8, 4, {2, 5, 2}, {0, 1}, {0, 0}, {0, 32}}};

enum { WIDTHS = sizeof widths / sizeof *widths };

/* Types of elements, as C++ and PTX name them, with their sizes in bits. */
static const struct element {
    const char *names;
    uint32_t bits;
} elements[] = {
    {"bin1_t uint1b_t uint1_t b1", 1},
    {"uint2b_t int2b_t uint2_t int2_t", 2},
    {"int4b_t uint4b_t int4_t uint4_t float_e2m1_t s4 u4 e2m1 Float4E2M1FN Int4 Uint4", 4},
    {"int8_t uint8_t char float_e4m3_t float_e5m2_t float_ue4m3_t float_ue8m0_t __nv_fp8_e4m3 "
     "__nv_fp8_e5m2 s8 u8 b8 e4m3 e5m2 ue4m3 ue8m0 Float8E4M3FN Float8E5M2 Int8 Uint8",
     8},
    {"half_t half __half bfloat16_t nv_bfloat16 __nv_bfloat16 int16_t uint16_t short f16 bf16 b16 "
     "Float16 BFloat16 Int16 Uint16",
     16},
    {"float tfloat32_t tf32_t int32_t uint32_t int unsigned f32 tf32 s32 b32 Float32 TFloat32 "
     "Int32 Uint32",
     32},
    {"double int64_t uint64_t f64 Float64", 64},
    {"uint128_t", 128},
};

/* A canonical layout: an atom, and how far apart atoms lie along their lines and across them. */
struct atom {
    bool is_k_major;
    const struct width *width;
    uint32_t bits; /* the size of an element */
    uint32_t along, across;
};

/* The numbers of elements in a chunk of 16 bytes, and in a line. */
static uint32_t chunk_of(const struct atom *atom) {
    return 128 / atom->bits;
}

static uint32_t line_of(const struct atom *atom) {
    return atom->width->chunks * chunk_of(atom);
}

/* The layout of a matrix, (mn, k) -> offset. */
static struct mapping_cute layout_of(const struct atom *atom, uint32_t mn, uint32_t k) {
    const uint32_t line = line_of(atom), lines = atom->width->lines;
    const uint32_t along = (atom->is_k_major ? k : mn) / line;
    const uint32_t across = (atom->is_k_major ? mn : k) / lines;
    struct mapping_cute cute = {.swizzle = atom->width->swizzle, .count = 2};
    cute.swizzle.base += 3 - __builtin_ctz(atom->bits); /* on element offsets */
    cute.axis[atom->is_k_major] = (struct mapping_modes){2, {line, along}, {1, atom->along}};
    cute.axis[!atom->is_k_major] = (struct mapping_modes){2, {lines, across}, {line, atom->across}};
    return cute;
}

/* ---- Names ---- */

/* The size of a type in bits; 0 if the type is unknown. */
static uint32_t type_bits(const char *type, size_t length) {
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        if (mapping_word_is_in(elements[e].names, type, length))
            return elements[e].bits;
    return 0;
}

/* Returns the text after "SmemLayoutAtomKind.", an enumeration of the CuTe DSL in warpgroup and in
 * tcgen05; or NULL. */
static const char *behind_kind(const char *text) {
    static const char kind[] = "SmemLayoutAtomKind.";
    const char *found = strstr(text, kind);
    for (; found && text < found; text++)
        if (*text != '.' && ascii_identifier_length(text) == 0)
            return NULL;
    return found ? found + strlen(kind) : NULL;
}

/* Reads "SW128_Atom", or "SW128" of the CuTe DSL, and returns what follows, or NULL. */
static const char *read_width(const char *text, bool is_kind, struct atom *atom) {
    for (atom->width = widths; atom->width < widths + WIDTHS; atom->width++) {
        const size_t length = strlen(atom->width->name) - (is_kind ? strlen("_Atom") : 0);
        if (strncmp(text, atom->width->name, length) == 0 &&
            (!is_kind || ascii_identifier_length(text) == length))
            return text + length;
    }
    return NULL;
}

/* Reads "<half_t>", or, if the name does not state the contiguous axis, "<half_t, Major::K>". */
static const char *read_arguments(const char *text, bool has_major, struct atom *atom) {
    if (*text != '<')
        return has_major ? NULL : text;
    text = mapping_skip_scopes(text + 1);
    size_t length = ascii_identifier_length(text);
    atom->bits = type_bits(text, length);
    text = mapping_skip_scopes(text + length);
    if (has_major) {
        const char *major =
            *text == ',' ? mapping_behind_word(text + 1, "Major::K Major::MN") : NULL;
        if (!major)
            return NULL;
        atom->is_k_major = major[-1] == 'K';
        text = mapping_skip_scopes(major);
    }
    return *text == '>' && atom->bits > 0 ? text + 1 : NULL;
}

/* Reads "Layout_K_SW128_Atom<half_t>", "Layout_SW128_Atom<half_t, Major::K>" or
 * "SmemLayoutAtomKind.K_SW128"; the text begins with "Layout_" or "SmemLayoutAtomKind.". Returns
 * the text after it, or NULL. */
static const char *read_name(const char *text, struct atom *atom) {
    const char *kind = behind_kind(text);
    text = kind ? kind : mapping_behind_word(text, "Layout_");
    atom->is_k_major = strncmp(text, "K_", 2) == 0;
    bool is_mn_major = strncmp(text, "MN_", 3) == 0;
    text += atom->is_k_major ? 2 : is_mn_major ? 3 : 0;
    bool has_major = !atom->is_k_major && !is_mn_major;
    text = read_width(text, kind, atom);
    text = text ? read_arguments(mapping_skip_scopes(text), has_major, atom) : NULL;
    return is_mn_major || (text && atom->width->k_types[READER_TCGEN05] != 0) ? text : NULL;
}

static bool is_name(const char *text) {
    return mapping_behind_word(text, "Layout_") || behind_kind(text);
}

/* The text after the CuTe DSL's "make_smem_layout_atom(", also with a module name; or NULL. */
static const char *behind_maker(const char *text) {
    static const char maker[] = "make_smem_layout_atom(";
    text = mapping_skip_scopes(text);
    const size_t module = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.");
    const char *found = strstr(text, maker);
    return found && found < text + module ? found + strlen(maker) : NULL;
}

/* Skips the name of a keyword argument of Python: "element_type=". */
static const char *behind_argument(const char *text, const char *names) {
    text = mapping_skip_scopes(text);
    const size_t length = ascii_identifier_length(text);
    const char *rest = text + length + strspn(text + length, " ");
    return mapping_word_is_in(names, text, length) && *rest == '=' ? mapping_skip_scopes(rest + 1)
                                                                   : text;
}

/* Reads an atom's name or a call of make_smem_layout_atom. Returns the text after it, or NULL. */
static const char *read_atom(const char *text, struct atom *atom) {
    const char *made = behind_maker(text);
    if (!made)
        return read_name(text, atom);
    made = behind_argument(made, "kind");
    const char *rest = is_name(made) ? read_name(made, atom) : NULL;
    const char *type = rest ? mapping_behind_word(rest, ",") : NULL;
    if (!type)
        return NULL;
    type = behind_argument(type, "element_type");
    type += strncmp(type, "cutlass.", 8) == 0 ? 8 : 0;
    const size_t length = ascii_identifier_length(type);
    atom->bits = type_bits(type, length);
    return atom->bits > 0 ? mapping_behind_word(type + length, ")") : NULL;
}

static bool is_meant(const char *text) {
    return is_name(text) || behind_maker(text);
}

const char *mapping_canonical_read(const char *text, uint32_t bits,
                                   struct mapping_canonical *canonical) {
    struct atom atom = {.bits = bits};
    const char *rest = is_meant(text) ? read_atom(text, &atom) : NULL;
    if (!rest || (atom.bits & (atom.bits - 1)) != 0)
        return NULL;
    const uint32_t line = line_of(&atom), lines = atom.width->lines;
    *canonical = (struct mapping_canonical){
        layout_of(&atom, atom.is_k_major ? lines : line, atom.is_k_major ? line : lines),
        atom.bits};
    return rest;
}

/* ---- To a table ---- */

static enum mapping_status make_table(const struct mapping_smem_matrix_request *request,
                                      struct mapping_smem_matrix *memory,
                                      struct mapping_error *error) {
    struct atom atom = {.bits = memory->bits};
    const char *rest = read_atom(request->text, &atom);
    if (!rest || *mapping_skip_scopes(rest))
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is not a valid CuTe atom; valid: Layout_K_INTER_Atom, Layout_K_SW32_Atom, "
            "Layout_K_SW64_Atom, Layout_K_SW128_Atom, the same names with MN in place of K, and "
            "Layout_MN_SW128_32B_Atom; a type may follow: Layout_K_SW128_Atom<half_t>",
            request->text);
    if (atom.bits & (atom.bits - 1))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' needs elements of 1, 2, 4, 8, 16, 32, 64 or 128 bits, not %u",
                            request->text, atom.bits);
    memory->is_mn_by_k = true;
    memory->bits = atom.bits;
    const uint32_t line = line_of(&atom), lines = atom.width->lines, size = line * lines;
    const uint32_t tile[2] = {atom.is_k_major ? lines : line, atom.is_k_major ? line : lines};
    for (int a = 0; a < 2; a++)
        if (request->extent[a] % tile[a] != 0)
            return mapping_fail(error, MAPPING_INVALID, "'%.80s' needs a multiple of %u %s, not %u",
                                request->text, tile[a], a ? "columns" : "rows", request->extent[a]);
    const uint32_t rows = request->extent[0] ? request->extent[0] : tile[0];
    const uint32_t cols = request->extent[1] ? request->extent[1] : tile[1];
    /* atoms follow one another along the rows, then along the columns */
    atom.along = atom.is_k_major ? rows / lines * size : size;
    atom.across = atom.is_k_major ? size : rows / line * size;
    const struct mapping_cute cute = layout_of(&atom, rows, cols);
    return mapping_smem_matrix_fill(memory, &cute, 0, error);
}

/* ---- From a table to a descriptor ---- */

/* The offset of element (mn, k) before swizzling; the swizzle is its own inverse. If the element is
 * outside the matrix, the offset of element (0, 0). */
static uint32_t unswizzled(const struct mapping_swizzle *swizzle,
                           const struct mapping_layout *matrix, uint32_t mn, uint32_t k) {
    const uint32_t rows = matrix->from.axis[0].size, cols = matrix->from.axis[1].size;
    const size_t entry = mn < rows && k < cols ? (size_t)mn * cols + k : 0;
    return mapping_swizzled(swizzle, matrix->coordinate[0][entry]);
}

/* True if a descriptor has room for an offset: 14 bits of units of 16 bytes. */
static bool fits(const struct atom *atom, uint32_t offset) {
    return offset % chunk_of(atom) == 0 && offset / chunk_of(atom) < 1U << 14;
}

/* True if the elements that an instruction reads along K are within one line. */
static bool has_one_line(const struct atom *atom) {
    return atom->is_k_major && atom->width->chunks > 1;
}

/* Reads the strides off a matrix. True if each slice of it along K, which one instruction reads,
 * lies as the canonical layout does, from its first element on. */
static bool find_strides(struct atom *atom, const struct mapping_layout *matrix) {
    const uint32_t rows = matrix->from.axis[0].size, cols = matrix->from.axis[1].size;
    const uint32_t line = line_of(atom), lines = atom->width->lines, slice = 2 * chunk_of(atom);
    if (rows % (atom->is_k_major ? lines : line) != 0 || cols % slice != 0)
        return false;
    const struct mapping_swizzle swizzle = layout_of(atom, rows, cols).swizzle;
    const uint32_t start = unswizzled(&swizzle, matrix, 0, 0);
    const uint32_t beside = atom->is_k_major ? unswizzled(&swizzle, matrix, 0, line)
                                             : unswizzled(&swizzle, matrix, line, 0);
    const uint32_t below = atom->is_k_major ? unswizzled(&swizzle, matrix, lines, 0)
                                            : unswizzled(&swizzle, matrix, 0, lines);
    atom->along = has_one_line(atom) ? 0 : beside - start;
    atom->across = below - start;
    if (!fits(atom, atom->along) || !fits(atom, atom->across))
        return false;
    const struct mapping_cute cute = layout_of(atom, rows, cols);
    uint32_t across[2 * 128]; /* a slice is two chunks; one has up to 128 elements */
    for (uint32_t k = 0; k < slice; k++)
        across[k] = mapping_modes_at(&cute.axis[1], k);
    for (uint32_t begin = 0; begin < cols; begin += slice) {
        const uint32_t first = unswizzled(&swizzle, matrix, 0, begin);
        /* an instruction swizzles the start address, too, so the first element stays in place */
        if (first % chunk_of(atom) != 0 || first != matrix->coordinate[0][begin])
            return false;
    }
    for (uint32_t mn = 0; mn < rows; mn++) {
        const uint32_t down = mapping_modes_at(&cute.axis[0], mn);
        for (uint32_t begin = 0; begin < cols; begin += slice) {
            const uint32_t start_of_line = matrix->coordinate[0][begin] + down;
            const uint32_t *line_of_slice = matrix->coordinate[0] + (size_t)mn * cols + begin;
            for (uint32_t k = 0; k < slice; k++)
                if (mapping_swizzled(&swizzle, line_of_slice[k]) != start_of_line + across[k])
                    return false;
        }
    }
    return true;
}

/* Makes the descriptor of an atom whose strides are known. PTX ISA, "Asynchronous Warpgroup Level
 * Matrix Multiply: Matrix Descriptor Format"; for tcgen05, Table 40. An unused leading offset
 * is 1, which means 16 bytes. */
static struct mapping_descriptor describe(const struct atom *atom, enum mapping_reader reader) {
    const uint32_t chunk = chunk_of(atom), chunks = atom->width->chunks;
    const bool is_turned = !atom->is_k_major && chunks == 1, has_leading = !has_one_line(atom);
    const uint64_t leading = (is_turned ? atom->across : atom->along) / chunk;
    const uint64_t stride = (is_turned ? atom->along : atom->across) / chunk;
    const uint64_t mode = atom->width->mode[reader];
    return (struct mapping_descriptor){
        .is_k_major = atom->is_k_major,
        .swizzle_bytes = chunks > 1 ? 16U * chunks : 0,
        .mode = (uint32_t)mode,
        .leading_bytes = (uint32_t)leading * 16,
        .stride_bytes = (uint32_t)stride * 16,
        .has_leading = has_leading,
        .piece_bytes = chunks > 1 ? 1U << atom->width->swizzle.base : 0,
        .value = (has_leading ? leading : 1) << 16 | stride << 32 |
                 (reader == READER_WGMMA ? mode << 62 : UINT64_C(1) << 46 | mode << 61),
    };
}

bool mapping_smem_matrix_descriptor(const struct mapping_smem_matrix *memory,
                                    enum mapping_reader reader,
                                    struct mapping_descriptor *descriptor) {
    if (memory->layout.from.count != 2 || (memory->bits & (memory->bits - 1)) != 0)
        return false;
    for (int is_k_major = 1; is_k_major >= 0; is_k_major--)
        for (const struct width *width = widths; width < widths + WIDTHS; width++) {
            struct atom atom = {.is_k_major = is_k_major, .width = width, .bits = memory->bits};
            const uint8_t *types = is_k_major ? width->k_types : width->mn_types;
            if ((types[reader] & memory->bits) != 0 && find_strides(&atom, &memory->layout)) {
                *descriptor = describe(&atom, reader);
                return true;
            }
        }
    return false;
}

const struct mapping_smem_matrix_reader mapping_canonical_reader = {is_meant, make_table};
