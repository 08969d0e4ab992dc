/* canonical.c - CuTe's atoms of the layouts that wgmma and tcgen05.mma read; see canonical.h.
 *
 * Their names and sizes are those of Layout_K_SW128_Atom and its like in
 * include/cute/atom/mma_traits_sm90_gmma.hpp of CUTLASS: 8 lines of as many bytes as the swizzle is
 * wide, of which Swizzle<B,4,3> moves 16 bytes at a time. With 16-bit elements:
 *
 *     Layout_K_SW128_Atom<half_t>     Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)
 *     Layout_MN_SW32_Atom<half_t>     Sw<1,4,3> o smem_ptr[16b](unset) o (16,8):(1,16)
 *
 * One more is in mma_traits_sm100.hpp: Swizzle<2,5,2> moves 32 bytes at a time of 4 lines.
 *
 *     Layout_MN_SW128_32B_Atom<float> Sw<2,5,2> o smem_ptr[32b](unset) o (32,4):(1,32)
 */
#include "layout/canonical.h"

#include "layout/space.h"

#include <stdio.h>
#include <string.h>

/* A swizzle: its name, log2 of how many 16 bytes a line of it has, and of how many it moves at a
 * time, and how many lines an atom has. */
static const struct width {
    const char *name;
    unsigned bits, piece;
    uint32_t lines;
} widths[] = {{"INTER", 0, 0, 8},
              {"SW32", 1, 0, 8},
              {"SW64", 2, 0, 8},
              {"SW128", 3, 0, 8},
              {"SW128_32B", 3, 1, 4}};

/* Types of elements, as C++ and PTX have them, with their bits. */
static const struct element {
    const char *names;
    uint32_t bits;
} elements[] = {
    {"bin1_t uint1b_t uint1_t b1", 1},
    {"uint2b_t int2b_t uint2_t int2_t", 2},
    {"int4b_t uint4b_t int4_t uint4_t float_e2m1_t s4 u4 e2m1", 4},
    {"int8_t uint8_t char float_e4m3_t float_e5m2_t float_ue4m3_t float_ue8m0_t __nv_fp8_e4m3 "
     "__nv_fp8_e5m2 s8 u8 b8 e4m3 e5m2 ue4m3 ue8m0",
     8},
    {"half_t half __half bfloat16_t __nv_bfloat16 int16_t uint16_t short f16 bf16 b16", 16},
    {"float tfloat32_t tf32_t int32_t uint32_t int unsigned f32 tf32 s32 b32", 32},
    {"double int64_t uint64_t f64", 64},
    {"uint128_t", 128},
};

/* What a name says. */
struct atom {
    bool is_k_major;
    const struct width *width;
    uint32_t bits; /* of the type, 0 if there is none */
};

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* The bits of a type, 0 if it is unknown. */
static uint32_t type_bits(const char *type, size_t length) {
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        if (mapping_word_is_in(elements[e].names, type, length))
            return elements[e].bits;
    return 0;
}

/* Reads "SW128_Atom" and returns what follows, or NULL. */
static const char *read_width(const char *text, struct atom *atom) {
    static const char end[] = "_Atom";
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t length = strlen(widths[w].name);
        atom->width = &widths[w];
        if (strncmp(text, widths[w].name, length) == 0 &&
            strncmp(text + length, end, sizeof end - 1) == 0)
            return text + length + sizeof end - 1;
    }
    return NULL;
}

/* Reads "Major::K" or "Major::MN". */
static const char *read_major(const char *text, struct atom *atom) {
    text = mapping_skip_scopes(text);
    if (strncmp(text, "Major::", 7) != 0)
        return NULL;
    size_t length = mapping_identifier_length(text += 7);
    atom->is_k_major = is_word(text, length, "K");
    return atom->is_k_major || is_word(text, length, "MN") ? text + length : NULL;
}

/* Reads "<half_t>", or, where the name does not say what is contiguous, "<half_t, Major::K>". */
static const char *read_arguments(const char *text, bool has_major, struct atom *atom) {
    if (*text != '<')
        return has_major ? NULL : text;
    text = mapping_skip_scopes(text + 1);
    size_t length = mapping_identifier_length(text);
    atom->bits = type_bits(text, length);
    text += length + strspn(text + length, " ");
    if (has_major && (*text != ',' || !(text = read_major(text + 1, atom))))
        return NULL;
    text += strspn(text, " ");
    return *text == '>' && atom->bits > 0 ? text + 1 : NULL;
}

/* Reads "Layout_K_SW128_Atom<half_t>" or "Layout_SW128_Atom<half_t, Major::K>"; "Layout_", by which
 * it is known, stands there. */
static bool read_atom(const char *text, struct atom *atom) {
    text = mapping_skip_scopes(text) + strlen("Layout_");
    atom->is_k_major = strncmp(text, "K_", 2) == 0;
    bool is_mn_major = strncmp(text, "MN_", 3) == 0;
    text += atom->is_k_major ? 2 : is_mn_major ? 3 : 0;
    bool has_major = !atom->is_k_major && !is_mn_major;
    text = read_width(text, atom);
    text = text ? read_arguments(text + strspn(text, " "), has_major, atom) : NULL;
    bool is_whole = text && text[strspn(text, " ")] == '\0';
    return is_whole && (is_mn_major || !atom->width->piece); /* that one is MN-major alone */
}

/* ---- To a table ---- */

/* Refuses an extent along an axis that is no multiple of the atom's. */
static enum mapping_status check_extent(const struct mapping_memory_request *request,
                                        const uint32_t tile[2], struct mapping_error *error) {
    static const char *const lines[] = {"rows", "columns"};
    for (int a = 0; a < 2; a++)
        if (request->extent[a] % tile[a] != 0)
            return mapping_fail(error, MAPPING_INVALID, "'%.80s' needs a multiple of %u %s, not %u",
                                request->text, tile[a], lines[a], request->extent[a]);
    return MAPPING_OK;
}

/* Where element (mn, k) lies: atoms one after the other along the rows, then along the columns. */
static uint32_t offset_at(const struct atom *atom, uint32_t line, const uint32_t tile[2],
                          uint32_t rows, uint32_t mn, uint32_t k) {
    uint32_t number = mn / tile[0] + rows / tile[0] * (k / tile[1]);
    uint32_t lines = atom->width->lines, piece = atom->width->piece;
    uint32_t across = (atom->is_k_major ? mn : k) % lines, along = atom->is_k_major ? k : mn;
    uint32_t chunk = line >> atom->width->bits; /* elements in 16 bytes */
    uint32_t offset = number * lines * line + across * line + along % line;
    uint32_t mask = (1U << (atom->width->bits - piece)) - 1;
    return offset ^ (offset / (8 * chunk) & mask) * (chunk << piece);
}

enum mapping_status mapping_canonical_make(const struct mapping_memory_request *request,
                                           struct mapping_memory *memory,
                                           struct mapping_error *error) {
    struct atom atom = {.is_k_major = false};
    if (!read_atom(request->text, &atom))
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is not a valid CuTe atom; valid: Layout_K_INTER_Atom, Layout_K_SW32_Atom, "
            "Layout_K_SW64_Atom, Layout_K_SW128_Atom, the same names with MN in place of K, and "
            "Layout_MN_SW128_32B_Atom; a type may follow: Layout_K_SW128_Atom<half_t>",
            request->text);
    enum mapping_status status = mapping_memory_set_bits(memory, request, atom.bits, error);
    if (status != MAPPING_OK)
        return status;
    if (memory->bits & (memory->bits - 1))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' needs elements of 1, 2, 4, 8, 16, 32, 64 or 128 bits, not %u",
                            request->text, memory->bits);
    memory->is_mn_by_k = true;
    uint32_t line = 128 / memory->bits << atom.width->bits;
    uint32_t lines = atom.width->lines;
    const uint32_t tile[2] = {atom.is_k_major ? lines : line, atom.is_k_major ? line : lines};
    status = check_extent(request, tile, error);
    uint32_t rows = request->extent[0] ? request->extent[0] : tile[0];
    uint32_t cols = request->extent[1] ? request->extent[1] : tile[1];
    if (status == MAPPING_OK)
        status = mapping_memory_begin(memory, 0, rows, cols, error);
    for (uint32_t n = 0; status == MAPPING_OK && n < rows * cols; n++)
        memory->layout.coordinate[0][n] = offset_at(&atom, line, tile, rows, n / cols, n % cols);
    return status;
}

bool mapping_canonical_is_meant(const char *text) {
    return strncmp(mapping_skip_scopes(text), "Layout_", 7) == 0;
}
