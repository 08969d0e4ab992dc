/* atoms.c - atoms, which is what CuTe calls instructions: SM80_16x8x16_F32F16F16F32_TN is
 *
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 *
 * A name says the architecture, M x N x K, the types of D, A, B and, but for wgmma, C, and an
 * ending. Which names there are is read off CUTLASS 4.2: the rows below stand for all structs of
 * include/cute/arch/mma_sm70.hpp, mma_sm75.hpp, and so on, that are one instruction with fragments.
 * The opcode of a name is what the asm statement of the struct has. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <stdio.h>
#include <string.h>

/* ---- Which atoms there are ---- */

/* What a name ends with, and what that says in the opcode: T is row for A and col for B, N the
 * other one. Of wgmma the first S or R says if A is in shared memory or in registers. */
enum { TN, NT, NN, TT, SATURATE, AND, XOR, SS, RS, SS_TN, RS_TN, SS_INT, RS_INT, SS_SAT, RS_SAT };

static const struct {
    const char *name, *orders, *words;
    const char *parameters; /* of the template: see mapping_cpp_has_values */
} endings[] = {
    [TN] = {"_tn", ".row.col", "", ""},
    [NT] = {"_nt", ".col.row", "", ""},
    [NN] = {"_nn", ".col.col", "", ""},
    [TT] = {"_tt", ".row.row", "", ""},
    [SATURATE] = {"_tn_saturate", ".row.col", ".satfinite", ""},
    [AND] = {"_tn_andpopc", ".row.col", ".and.popc", ""},
    [XOR] = {"_tn_xorpopc", ".row.col", ".xor.popc", ""},
    [SS] = {"_ss", "", "", "mmii"},
    [RS] = {"_rs", "", "", "kmii"},
    [SS_TN] = {"_ss_tn", "", "", "ii"},
    [RS_TN] = {"_rs_tn", "", "", "ii"},
    [SS_INT] = {"_ss_tn", "", "", ""},
    [RS_INT] = {"_rs_tn", "", "", ""},
    [SS_SAT] = {"_ss_tn_saturate", "", ".satfinite", ""},
    [RS_SAT] = {"_rs_tn_saturate", "", ".satfinite", ""},
};

enum {
    ANY_ORDER = 1 << TN | 1 << NT | 1 << NN | 1 << TT,
    MAY_SATURATE = 1 << TN | 1 << SATURATE,
    POPC = 1 << AND | 1 << XOR,
    GMMA_TRANSPOSED = 1 << SS | 1 << RS,
    GMMA_FLOAT = 1 << SS_TN | 1 << RS_TN,
    GMMA_INTEGER = 1 << SS_INT | 1 << RS_INT | 1 << SS_SAT | 1 << RS_SAT,
    A_IS_SHARED = 1 << SS | 1 << SS_TN | 1 << SS_INT | 1 << SS_SAT
};

/* Every combination of types and endings is an atom; those of wgmma, gmma below, come with every
 * width that the opcode has, if CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED is defined. */
struct atom_row {
    struct mapping_shape shape;          /* n is 0 where there are many */
    const struct mapping_widths *widths; /* these; or NULL */
    uint32_t d, a, b;                    /* sets of types. b empty: as a; C is as D */
    uint32_t endings;                    /* a set */
};

static const struct atom_row sm70[] = {
    {.shape = {8, 8, 4}, .d = F32 | F16, .a = F16, .endings = ANY_ORDER},
};
static const struct atom_row sm75[] = {
    {.shape = {16, 8, 8}, .d = F32, .a = F16, .endings = 1 << TN},
    {.shape = {8, 8, 16}, .d = S32, .a = S8, .endings = 1 << TN},
};
static const struct atom_row sm80[] = {
    {.shape = {16, 8, 8}, .d = F32 | F16, .a = F16, .endings = 1 << TN},
    {.shape = {16, 8, 16}, .d = F32 | F16, .a = F16, .endings = 1 << TN},
    {.shape = {16, 8, 8}, .d = F32, .a = BF16, .endings = 1 << TN},
    {.shape = {16, 8, 16}, .d = F32, .a = BF16, .endings = 1 << TN},
    {.shape = {16, 8, 4}, .d = F32, .a = TF32, .endings = 1 << TN},
    {.shape = {16, 8, 8}, .d = F32, .a = TF32, .endings = 1 << TN},
    {.shape = {8, 8, 4}, .d = F64, .a = F64, .endings = 1 << TN},
    {.shape = {8, 8, 16}, .d = S32, .a = INT8, .b = INT8, .endings = MAY_SATURATE},
    {.shape = {16, 8, 16}, .d = S32, .a = INT8, .b = INT8, .endings = MAY_SATURATE},
    {.shape = {16, 8, 32}, .d = S32, .a = INT8, .b = INT8, .endings = MAY_SATURATE},
    {.shape = {8, 8, 32}, .d = S32, .a = INT4, .b = INT4, .endings = MAY_SATURATE},
    {.shape = {16, 8, 32}, .d = S32, .a = INT4, .b = INT4, .endings = MAY_SATURATE},
    {.shape = {16, 8, 64}, .d = S32, .a = INT4, .b = INT4, .endings = MAY_SATURATE},
    {.shape = {8, 8, 128}, .d = S32, .a = B1, .endings = POPC},
    {.shape = {16, 8, 128}, .d = S32, .a = B1, .endings = POPC},
    {.shape = {16, 8, 256}, .d = S32, .a = B1, .endings = POPC},
};
static const struct atom_row sm89[] = {
    {.shape = {16, 8, 32}, .d = F32 | F16, .a = FP8, .b = FP8, .endings = 1 << TN},
};
static const struct atom_row sm90[] = {
    {.shape = {16, 8, 4}, .d = F64, .a = F64, .endings = 1 << TN},
    {.shape = {16, 8, 8}, .d = F64, .a = F64, .endings = 1 << TN},
    {.shape = {16, 8, 16}, .d = F64, .a = F64, .endings = 1 << TN},
};
/* mma_sm90_gmma*.hpp; in mma_sm90_gmma_sparse*.hpp, of wgmma.sp, K is twice that. */
static const struct atom_row gmma[] = {
    {.shape = {64, 0, 16},
     .widths = &mapping_wgmma_widths,
     .d = F32 | F16,
     .a = F16,
     .endings = GMMA_TRANSPOSED},
    {.shape = {64, 0, 16},
     .widths = &mapping_wgmma_widths,
     .d = F32,
     .a = BF16,
     .endings = GMMA_TRANSPOSED},
    {.shape = {64, 0, 8},
     .widths = &mapping_wgmma_widths,
     .d = F32,
     .a = TF32,
     .endings = GMMA_FLOAT},
    {.shape = {64, 0, 32},
     .widths = &mapping_wgmma_widths,
     .d = F32 | F16,
     .a = FP8,
     .b = FP8,
     .endings = GMMA_FLOAT},
    {.shape = {64, 0, 32},
     .widths = &mapping_wgmma_integer_widths,
     .d = S32,
     .a = INT8,
     .b = INT8,
     .endings = GMMA_INTEGER},
};

#define ROWS(array) .rows = (array), .count = sizeof(array) / sizeof *(array)

/* Atoms whose names begin the same. */
struct atom_group {
    const char *scope, *start; /* in the namespace cute */
    const char *opcode;        /* up to the shape */
    bool is_sparse;            /* K is twice that of the rows */
    const struct atom_row *rows;
    size_t count;
};

static const struct atom_group groups[] = {
    {.scope = "", .start = "sm70_", .opcode = "mma.sync.aligned", ROWS(sm70)},
    {.scope = "", .start = "sm75_", .opcode = "mma.sync.aligned", ROWS(sm75)},
    {.scope = "", .start = "sm80_", .opcode = "mma.sync.aligned", ROWS(sm80)},
    {.scope = "", .start = "sm89_", .opcode = "mma.sync.aligned", ROWS(sm89)},
    {.scope = "", .start = "sm90_", .opcode = "mma.sync.aligned", ROWS(sm90)},
    {.scope = "sm90", .start = "mma_", .opcode = "mma.sync.aligned", ROWS(sm90)},
    {.scope = "", .start = "sm90_", .opcode = "wgmma.mma_async.sync.aligned", ROWS(gmma)},
    {.scope = "sm90::gmma", .start = "mma_", .opcode = "wgmma.mma_async.sync.aligned", ROWS(gmma)},
    {.scope = "sm90::gmma::sparse",
     .start = "gmma_",
     .is_sparse = true,
     .opcode = "wgmma.mma_async.sp.sync.aligned",
     ROWS(gmma)},
};

/* copy_sm75.hpp, copy_sm90.hpp and copy_sm100.hpp: U32x4 are 4 registers, U16x8 8 elements of 16
 * bits, SU4_DU8x16_x4 4 registers of elements of 4 bits. */
#define UTCCP "sm100::tmem::utccp"
static const struct {
    const char *name, *opcode;
    const char *scope; /* in the namespace cute */
} copies[] = {
    {"sm75_u32x1_ldsm_n", "ldmatrix.sync.aligned.m8n8.x1.shared.b16", ""},
    {"sm75_u32x2_ldsm_n", "ldmatrix.sync.aligned.m8n8.x2.shared.b16", ""},
    {"sm75_u32x4_ldsm_n", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", ""},
    {"sm75_u16x2_ldsm_t", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", ""},
    {"sm75_u16x4_ldsm_t", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", ""},
    {"sm75_u16x8_ldsm_t", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", ""},
    {"sm75_u32x1_movm_t", "movmatrix.sync.aligned.m8n8.trans.b16", ""},
    {"sm90_u32x1_stsm_n", "stmatrix.sync.aligned.m8n8.x1.shared.b16", ""},
    {"sm90_u32x2_stsm_n", "stmatrix.sync.aligned.m8n8.x2.shared.b16", ""},
    {"sm90_u32x4_stsm_n", "stmatrix.sync.aligned.m8n8.x4.shared.b16", ""},
    {"sm90_u16x2_stsm_t", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", ""},
    {"sm90_u16x4_stsm_t", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", ""},
    {"sm90_u16x8_stsm_t", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", ""},
    {"sm100_su4_du8x16_x1_ldsm_n", "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64", ""},
    {"sm100_su4_du8x16_x2_ldsm_n", "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64", ""},
    {"sm100_su4_du8x16_x4_ldsm_n", "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64", ""},
    {"sm100_su6_du8x16_x1_ldsm_n", "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32", ""},
    {"sm100_su6_du8x16_x2_ldsm_n", "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32", ""},
    {"sm100_su6_du8x16_x4_ldsm_n", "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32", ""},
    {"sm100_u8x4_stsm_t", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", ""},
    {"sm100_u8x8_stsm_t", "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8", ""},
    {"sm100_u8x16_stsm_t", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", ""},
    {"sm100_utccp_128dp256bit_1cta", "tcgen05.cp.cta_group::1.128x256b", UTCCP},
    {"sm100_utccp_128dp256bit_2cta", "tcgen05.cp.cta_group::2.128x256b", UTCCP},
    {"sm100_utccp_128dp128bit_1cta", "tcgen05.cp.cta_group::1.128x128b", UTCCP},
    {"sm100_utccp_128dp128bit_2cta", "tcgen05.cp.cta_group::2.128x128b", UTCCP},
    {"sm100_utccp_4dp256bit_1cta", "tcgen05.cp.cta_group::1.4x256b", UTCCP},
    {"sm100_utccp_4dp256bit_2cta", "tcgen05.cp.cta_group::2.4x256b", UTCCP},
    {"sm100_utccp_4x32dp128bit_1cta", "tcgen05.cp.cta_group::1.32x128b.warpx4", UTCCP},
    {"sm100_utccp_4x32dp128bit_2cta", "tcgen05.cp.cta_group::2.32x128b.warpx4", UTCCP},
    {"sm100_utccp_2x64dp128bitlw0213_1cta", "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13", UTCCP},
    {"sm100_utccp_2x64dp128bitlw0213_2cta", "tcgen05.cp.cta_group::2.64x128b.warpx2::02_13", UTCCP},
    {"sm100_utccp_2x64dp128bitlw0123_1cta", "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23", UTCCP},
    {"sm100_utccp_2x64dp128bitlw0123_2cta", "tcgen05.cp.cta_group::2.64x128b.warpx2::01_23", UTCCP},
};

/* ---- Names of the form SM80_16x8x16_F32F16F16F32_TN ---- */

/* Reads a number of one to three digits that does not begin with 0, and what is behind it; NULL if
 * there is none. */
static const char *read_size(const char *text, char behind, uint16_t *size) {
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 3 || *text == '0' || text[length] != behind)
        return NULL;
    *size = 0;
    for (size_t c = 0; c < length; c++)
        *size = (uint16_t)(*size * 10 + (text[c] - '0'));
    return text + length + 1;
}

/* Reads "16x8x16_". */
static const char *read_shape(const char *text, struct mapping_shape *shape) {
    text = read_size(text, 'x', &shape->m);
    text = text ? read_size(text, 'x', &shape->n) : NULL;
    return text ? read_size(text, '_', &shape->k) : NULL;
}

/* Reads one of the types and goes behind it; false if it is none of them. What PTX calls b1 is U1.
 */
static bool read_type(const char **text, uint32_t types, enum mapping_type *type) {
    for (; types; types &= types - 1) {
        *type = (enum mapping_type)mapping_set_member(types, 0);
        const char *name = *type == MAPPING_B1 ? "u1" : mapping_type_name(*type);
        size_t length = strlen(name);
        if (strncmp(*text, name, length) == 0) {
            *text += length;
            return true;
        }
    }
    return false;
}

/* Reads types and ending as those of the row; writes what the opcode has behind the shape, and
 * returns the ending, or -1. */
static int read_rest(const char *text, const struct atom_row *row, char *words, size_t size) {
    enum mapping_type d, a, b, c;
    bool has_c = row->shape.n != 0;
    if (!read_type(&text, row->d, &d) || !read_type(&text, row->a, &a) ||
        !read_type(&text, row->b ? row->b : 1U << a, &b) ||
        (has_c && !read_type(&text, 1U << d, &c)))
        return -1;
    for (uint32_t set = row->endings; set; set &= set - 1) {
        int ending = mapping_set_member(set, 0);
        if (strcmp(text, endings[ending].name) != 0)
            continue;
        snprintf(words, size, "%s.%s.%s.%s%s%s%s", endings[ending].orders, mapping_type_name(d),
                 mapping_type_name(a), mapping_type_name(b), has_c ? "." : "",
                 has_c ? mapping_type_name(d) : "", endings[ending].words);
        return ending;
    }
    return -1;
}

/* Writes the opcode of an atom of the group; false if it is none. */
static bool read_regular(const struct atom_group *group, const struct cpp_name *cpp,
                         char opcode[MAPPING_OPCODE_SIZE], bool *is_a_shared) {
    char words[64];
    struct mapping_shape shape;
    size_t length = strlen(group->start);
    if (strncmp(cpp->name, group->start, length) != 0 || !mapping_cpp_is_in(cpp, group->scope))
        return false;
    const char *rest = read_shape(cpp->name + length, &shape);
    for (const struct atom_row *row = group->rows; rest && row < group->rows + group->count;
         row++) {
        if (row->shape.m != shape.m || row->shape.k << group->is_sparse != shape.k ||
            !(row->widths ? mapping_widths_have(row->widths, shape.n) : row->shape.n == shape.n))
            continue;
        int ending = read_rest(rest, row, words, sizeof words);
        if (ending < 0)
            continue;
        if (!mapping_cpp_has_values(cpp, endings[ending].parameters, group->is_sparse ? "s" : ""))
            return false;
        snprintf(opcode, MAPPING_OPCODE_SIZE, "%s.m%un%uk%u%s", group->opcode, shape.m, shape.n,
                 shape.k, words);
        *is_a_shared = A_IS_SHARED >> ending & 1;
        return true;
    }
    return false;
}

/* ---- Listing ---- */

static size_t count_names(const struct atom_row *row) {
    return mapping_set_size(row->d) * mapping_set_size(row->a) *
           (row->b ? mapping_set_size(row->b) : 1) * mapping_set_size(row->endings) *
           mapping_widths_count(row->widths);
}

/* Takes the next choice of a set off a mixed-radix number. */
static int choose(size_t *index, uint32_t set) {
    int member = mapping_set_member(set, *index % mapping_set_size(set));
    *index /= mapping_set_size(set);
    return member;
}

static const char *letters_of(int type) {
    return type == MAPPING_B1 ? "u1" : mapping_type_name((enum mapping_type)type);
}

/* SM80_16x8x8 out of sm80_16x8x8. */
static void write_capitals(char *name) {
    for (char *c = name; *c; c++)
        if (*c != 'x' || !ascii_is_digit(c[1]))
            *c = ascii_upper(*c);
}

/* Writes the name at `index` of a row. */
static void write_name(const struct atom_group *group, const struct atom_row *row, size_t index,
                       char name[MAPPING_NAME_SIZE]) {
    int ending = choose(&index, row->endings), d = choose(&index, row->d),
        a = choose(&index, row->a), b = row->b ? choose(&index, row->b) : a;
    unsigned n = row->widths ? row->widths->n[index] : row->shape.n;
    snprintf(name, MAPPING_NAME_SIZE, "%s%ux%ux%u_%s%s%s%s%s", group->start, row->shape.m, n,
             row->shape.k, letters_of(d), letters_of(a), letters_of(b),
             row->shape.n ? letters_of(d) : "", endings[ending].name);
    write_capitals(name);
}

bool mapping_atom_at(size_t index, char name[MAPPING_NAME_SIZE]) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        const struct atom_group *group = &groups[g];
        for (const struct atom_row *row = group->rows; row < group->rows + group->count; row++) {
            size_t count = *group->scope ? 0 : count_names(row);
            if (index < count) {
                write_name(group, row, index, name);
                return true;
            }
            index -= count;
        }
    }
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++)
        if (!*copies[c].scope && index-- == 0) {
            snprintf(name, MAPPING_NAME_SIZE, "%s", copies[c].name);
            write_capitals(name);
            return true;
        }
    return false;
}

/* ---- All of them ---- */

bool mapping_atom_read(const char *name, char opcode[MAPPING_OPCODE_SIZE], bool *is_a_shared) {
    struct cpp_name cpp;
    *is_a_shared = false;
    if (!mapping_cpp_read(&cpp, name))
        return false;
    for (size_t g = 0; g < sizeof groups / sizeof *groups && !cpp.is_copy; g++)
        if (read_regular(&groups[g], &cpp, opcode, is_a_shared))
            return true;
    if ((!cpp.is_copy && mapping_instance_read(&cpp, opcode)) ||
        mapping_move_atom_read(&cpp, opcode))
        return true;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
        snprintf(opcode, MAPPING_OPCODE_SIZE, "%s", copies[c].opcode);
        if (!cpp.is_multiplication && strcmp(cpp.name, copies[c].name) == 0 &&
            mapping_cpp_is_in(&cpp, copies[c].scope) && mapping_cpp_has_values(&cpp, "", ""))
            return true;
    }
    return false;
}

size_t mapping_find_atom(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    char opcode[MAPPING_OPCODE_SIZE];
    bool is_a_shared, is_said;
    if (mapping_accumulator_of_atom(name, &found[0], &is_said))
        return is_said ? 1 : 0;
    size_t count =
        mapping_atom_read(name, opcode, &is_a_shared) ? mapping_find_opcode(opcode, found) : 0;
    if (count > 0 && is_a_shared && found[0].operand == MAPPING_A)
        memmove(found, found + 1, --count * sizeof *found);
    return count;
}
