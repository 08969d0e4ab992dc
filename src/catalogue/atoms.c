/* atoms.c - fragment names that are C++ types: the fragments of mma.h, and CuTe's atoms, each of
 * which is one instruction. For example, SM80_16x8x16_F32F16F16F32_TN is
 *
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 *
 * A name has the architecture, M x N x K, the types of D, A, B and (except for wgmma) C, and an
 * ending. The rows below generate the names and the opcodes of all atoms of CUTLASS 4.2 that
 * execute exactly one instruction with fragments (include/cute/arch/mma_sm70.hpp, mma_sm75.hpp, and
 * so on). To recognize a name, the program compares it with the generated names. */
#include "catalogue/family.h"

#include "layout/ascii.h"
#include "layout/space.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* ---- C++ types: scopes, template arguments, and the wrappers of CuTe around its atoms ---- */

#define ARGUMENTS_MAX 16

/* A parsed type: MMA_Atom<GMMA::MMA_64x8x16_F16F16F16_SS<GMMA::Major::K, ...>>. The text is in
 * lower case, with blanks only inside names: "signed char". Pointers point into `text`. */
struct cpp_name {
    char text[512];
    const char *scope, *name; /* "gmma", or "" if there is none; "mma_64x8x16_f16f16f16_ss" */
    size_t argument_count;    /* number of template arguments: 0 without brackets, 1 for <> */
    const char *arguments[ARGUMENTS_MAX];
    bool is_copy, is_multiplication; /* it is inside Copy_Atom<>, MMA_Atom<>, or their traits */
};

/* Copies the text in lower case, without blanks next to punctuation. False if it is too long, or
 * its angle brackets are not balanced. */
static bool normalize(const char *text, char *copy, size_t size) {
    static const char blanks[] = " \t\r\n", punctuation[] = "<>,:(){}[];";
    size_t length = 0;
    int depth = 0;
    for (text += strspn(text, blanks); *text && depth >= 0;) {
        copy[length++] = ascii_lower(*text);
        depth += (*text == '<') - (*text == '>');
        const bool is_apart = strchr(punctuation, *text++);
        const size_t skipped = strspn(text, blanks);
        text += skipped;
        if (skipped > 0 && *text && !is_apart && !strchr(punctuation, *text))
            copy[length++] = ' ';
        if (length + 2 >= size)
            return false;
    }
    copy[length] = '\0';
    return depth == 0;
}

/* If the text begins with a word of the list, returns the rest; otherwise the whole text. */
static const char *skip_one_of(const char *words, const char *text) {
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (strncmp(text, words, length) == 0)
            return text + length;
    }
    return text;
}

/* Removes the end of a text; false if the text does not have this end. */
static bool cut_end(char *text, const char *end) {
    size_t length = strlen(text), size = strlen(end);
    if (length < size || strcmp(text + length - size, end) != 0)
        return false;
    text[length - size] = '\0';
    return true;
}

/* True if `written` may abbreviate the scope `path` of cute: it is a suffix of ::cute::sm90::gmma,
 * or of ::cute::gmma, because cute has a using-directive for SM90. */
static bool is_scope(const char *written, const char *path) {
    char whole[64];
    const size_t size = strlen(written);
    snprintf(whole, sizeof whole, "::cute%s%s", *path ? "::" : "", path);
    const char *end = whole + strlen(whole) - (size < strlen(whole) ? size : strlen(whole));
    if (strcmp(end, written) == 0 &&
        (size == 0 || end == whole || (end[-1] == ':' && *written != ':')))
        return true;
    return strncmp(path, "sm90", 4) == 0 && is_scope(written, path + (path[4] ? 6 : 4));
}

/* Splits the last word off "gmma::major::k" and returns it. *scope becomes the rest, "gmma::major",
 * or "" if there was only one word. */
static char *cut_scope(char *text, const char **scope) {
    char *word = text;
    for (char *next = strstr(text, "::"); next; next = strstr(word, "::"))
        word = next + 2;
    *scope = "";
    if (word > text) {
        word[-2] = '\0';
        *scope = text;
    }
    return word;
}

/* Removes the variable names after a type with arguments: "fragment<...>a_frag,c_frag[2][n/4];"
 * becomes "fragment<...>". Does not change any other text. */
static void cut_names(char *text) {
    char *end = strrchr(text, '>');
    if (!end)
        return;
    for (const char *c = end + 1; *c && *c != ';'; c++) {
        if (*c == '[')
            c += strcspn(c, "]");
        else if (*c != ',' && ascii_identifier_length(c) == 0)
            return;
        if (!*c)
            return;
    }
    end[1] = '\0';
}

/* ---- Wrappers ---- */

/* include/cute/atom/mma_atom.hpp and copy_atom.hpp. A Copy_Atom also has the element type. */
static const struct {
    const char *name;
    bool is_copy, has_type;
} wrappers[] = {
    {"mma_atom", false, false},
    {"mma_traits", false, false},
    {"copy_atom", true, true},
    {"copy_traits", true, false},
};

/* Removes one wrapper such as MMA_Atom<>, and returns its content; NULL if there is no wrapper. */
static char *unwrap(struct cpp_name *cpp, char *text) {
    char *name = text + (skip_one_of("::cute:: cute::", text) - text);
    for (size_t w = 0; w < COUNT(wrappers); w++) {
        size_t length = strlen(wrappers[w].name);
        if (strncmp(name, wrappers[w].name, length) != 0 || name[length] != '<' ||
            !cut_end(name, ">"))
            continue;
        char *inside = name + length + 1, *comma = strrchr(inside, ',');
        if (wrappers[w].has_type && comma && comma[1])
            *comma = '\0';
        cpp->is_copy |= wrappers[w].is_copy;
        cpp->is_multiplication |= !wrappers[w].is_copy;
        return inside;
    }
    return NULL;
}

/* ---- Reading ---- */

/* Parses a type, also one followed by {}, () or names; false if it is too long or brackets do not
 * match. */
static bool cpp_read(struct cpp_name *cpp, const char *text) {
    *cpp = (struct cpp_name){.text = ""};
    if (!normalize(text, cpp->text, sizeof cpp->text))
        return false;
    char *rest = cpp->text;
    cut_names(rest);
    if (!cut_end(rest, "{}"))
        cut_end(rest, "()");
    for (char *inside = unwrap(cpp, rest); inside; inside = unwrap(cpp, rest))
        rest = inside;
    char *arguments = strchr(rest, '<');
    if (arguments && !cut_end(rest, ">"))
        return false;
    if (arguments)
        *arguments++ = '\0';
    cpp->name = cut_scope(rest, &cpp->scope);
    while (arguments && cpp->argument_count < ARGUMENTS_MAX)
        cpp->arguments[cpp->argument_count++] = strsep(&arguments, ",");
    return !arguments; /* otherwise there are too many arguments */
}

/* ---- Values of enumerations ---- */

/* include/cute/arch/mma_sm90_gmma.hpp, in SM90::GMMA: the values, and their numbers, which
 * demanglers print. */
static const struct {
    char letter;
    const char *type, *values, *numbers;
} enumerations[] = {
    {'m', "major", "k mn", "0 1"},
    {'k', "major", "k", "0"},
    {'i', "scalein", "one neg", "1 -1"},
    {'s', "sparsesel", "zero one", "0 1"},
};

/* True if the text, which is changed, is a value of the enumeration: "GMMA::Major::K" or
 * "(cute::SM90::GMMA::Major)0". */
static bool is_value(char *text, char letter) {
    const char *scope, *value, *values;
    char *end = *text == '(' ? strchr(text, ')') : NULL;
    size_t e = 0;
    while (enumerations[e].letter != letter)
        e++;
    if (end) {
        *end = '\0';
        text++;
        value = end + 1;
        values = enumerations[e].numbers;
    } else {
        value = cut_scope(text, &scope);
        values = enumerations[e].values;
    }
    return mapping_word_is_in(values, value, strlen(value)) &&
           strcmp(cut_scope(text, &scope), enumerations[e].type) == 0 &&
           is_scope(scope, "sm90::gmma");
}

/* True if the template has no arguments, or the arguments after `first` that the letters in `more`
 * stand for: m for a GMMA::Major, k for GMMA::Major::K, i and s for GMMA::ScaleIn and
 * GMMA::SparseSel. Arguments at the end may be omitted. */
static bool cpp_has_values(const struct cpp_name *cpp, const char *first, const char *more) {
    char copy[sizeof cpp->text], letters[16];
    if (cpp->argument_count == 0)
        return true;
    snprintf(letters, sizeof letters, "%s%s", first, more);
    const char *letter = letters;
    bool is_empty = cpp->argument_count == 1 && !*cpp->arguments[0];
    if (!*letter)
        return false;
    for (size_t a = 0; a < cpp->argument_count && !is_empty; a++) {
        snprintf(copy, sizeof copy, "%s", cpp->arguments[a]);
        if (!*letter || !is_value(copy, *letter++))
            return false;
    }
    return *letter != 'm' && *letter != 'k'; /* these have no default */
}

/* ---- Types of mma.h: fragment<matrix_a, 16, 16, 16, half, row_major> ---- */

static const char *skip_wmma(const char *name) {
    return skip_one_of("nvcuda::wmma:: wmma::", name);
}

bool mapping_use_find(const char *word, enum mapping_operand *operand) {
    static const struct {
        const char *name;
        enum mapping_operand operand;
    } uses[] = {{"matrix_a", MAPPING_A}, {"matrix_b", MAPPING_B}, {"accumulator", MAPPING_D}};
    size_t u = 0;
    while (u < COUNT(uses) && strcmp(skip_wmma(word), uses[u].name) != 0)
        u++;
    *operand = u < COUNT(uses) ? uses[u].operand : MAPPING_D;
    return u < COUNT(uses);
}

/* Element types of wmma::precision and of wmma::experimental::precision are looked up by the same
 * names: "precision::s4". */
static bool read_element(const char *word, enum mapping_type *type) {
    return mapping_type_find(skip_one_of("experimental::", skip_wmma(word)), type);
}

static bool find_fragment(const struct cpp_name *cpp, struct mapping_fragment *fragment) {
    struct mapping_fragment wanted = {.instruction = MAPPING_WMMA};
    const char *const *argument = cpp->arguments;
    return !cpp->is_copy && !cpp->is_multiplication && strcmp(cpp->name, "fragment") == 0 &&
           is_scope(cpp->scope, "nvcuda::wmma") &&
           (cpp->argument_count == 5 || cpp->argument_count == 6) &&
           mapping_use_find(argument[0], &wanted.operand) &&
           mapping_number_read(argument[1], &wanted.shape.m) &&
           mapping_number_read(argument[2], &wanted.shape.n) &&
           mapping_number_read(argument[3], &wanted.shape.k) &&
           read_element(argument[4], &wanted.type) &&
           (cpp->argument_count == 5 ||
            mapping_order_find(skip_wmma(argument[5]), &wanted.order)) &&
           mapping_fragment_find(&wanted, 0, fragment);
}

/* ---- The atoms ---- */

/* The endings of names, and their meaning in the opcode: T is row for A and col for B, N the other
 * one. For wgmma, the first S or R means that A is in shared memory or in registers. */
enum { TN, NT, NN, TT, SATURATE, AND, XOR, SS, RS, SS_TN, RS_TN, SS_INT, RS_INT, SS_SAT, RS_SAT };

static const struct {
    const char *name, *orders, *words;
    const char *parameters; /* template arguments; see cpp_has_values */
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

/* Every combination of types and endings is an atom. Atoms of wgmma, in gmma below, exist with
 * every width of the opcode, if CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED is defined. */
struct atom_row {
    struct mapping_shape shape;
    const struct mapping_widths *widths; /* for wgmma, all N; its names omit C; otherwise NULL */
    uint32_t d, a, b;                    /* sets of types; an empty b means a; C is as D */
    uint32_t endings;                    /* a set */
};

/* clang-format off */

static const struct atom_row sm70[] = {
    {{8, 8, 4}, NULL, F32 | F16, F16, 0, ANY_ORDER},
};
static const struct atom_row sm75[] = {
    {{16, 8, 8}, NULL, F32 | F16, F16, 0, 1 << TN}, /* only CUTLASS 4.7 has D of f16 */
    {{8, 8, 16}, NULL, S32, S8, 0, 1 << TN},
};
static const struct atom_row sm80[] = {
    {{16, 8, 8}, NULL, F32 | F16, F16, 0, 1 << TN},
    {{16, 8, 16}, NULL, F32 | F16, F16, 0, 1 << TN},
    {{16, 8, 8}, NULL, F32, BF16, 0, 1 << TN},
    {{16, 8, 16}, NULL, F32, BF16, 0, 1 << TN},
    {{16, 8, 4}, NULL, F32, TF32, 0, 1 << TN},
    {{16, 8, 8}, NULL, F32, TF32, 0, 1 << TN},
    {{8, 8, 4}, NULL, F64, F64, 0, 1 << TN},
    {{8, 8, 16}, NULL, S32, INT8, INT8, MAY_SATURATE},
    {{16, 8, 16}, NULL, S32, INT8, INT8, MAY_SATURATE},
    {{16, 8, 32}, NULL, S32, INT8, INT8, MAY_SATURATE},
    {{8, 8, 32}, NULL, S32, INT4, INT4, MAY_SATURATE},
    {{16, 8, 32}, NULL, S32, INT4, INT4, MAY_SATURATE},
    {{16, 8, 64}, NULL, S32, INT4, INT4, MAY_SATURATE},
    {{8, 8, 128}, NULL, S32, B1, 0, POPC},
    {{16, 8, 128}, NULL, S32, B1, 0, POPC},
    {{16, 8, 256}, NULL, S32, B1, 0, POPC},
};
static const struct atom_row sm89[] = {
    {{16, 8, 32}, NULL, F32 | F16, FP8, FP8, 1 << TN},
};
static const struct atom_row sm90[] = {
    {{16, 8, 4}, NULL, F64, F64, 0, 1 << TN},
    {{16, 8, 8}, NULL, F64, F64, 0, 1 << TN},
    {{16, 8, 16}, NULL, F64, F64, 0, 1 << TN},
};
/* mma_sm90_gmma*.hpp; for wgmma.sp, in mma_sm90_gmma_sparse*.hpp, K is twice as large. */
static const struct atom_row gmma[] = {
    {{64, 0, 16}, &mapping_wgmma_widths, F32 | F16, F16, 0, GMMA_TRANSPOSED},
    {{64, 0, 16}, &mapping_wgmma_widths, F32, BF16, 0, GMMA_TRANSPOSED},
    {{64, 0, 8}, &mapping_wgmma_widths, F32, TF32, 0, GMMA_FLOAT},
    {{64, 0, 32}, &mapping_wgmma_widths, F32 | F16, FP8, FP8, GMMA_FLOAT},
    {{64, 0, 32}, &mapping_wgmma_integer_widths, S32, INT8, INT8, GMMA_INTEGER},
};

/* clang-format on */

#define ROWS(array) .rows = (array), .count = COUNT(array)

/* Atoms with the same beginning of their names. */
struct atom_group {
    const char *scope, *start; /* scope in the namespace cute */
    const char *opcode;        /* the opcode up to the shape */
    bool is_sparse;            /* K is twice that in the rows */
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

/* copy_sm75.hpp, copy_sm90.hpp and copy_sm100.hpp: U32x4 means 4 registers, U16x8 8 elements of 16
 * bits, SU4_DU8x16_x4 4 registers of 4-bit elements. A row describes `count` atoms. # is `first` in
 * the name of the first atom, and 1 in its opcode; both double with each atom. */
#define UTCCP "sm100::tmem::utccp"
static const struct {
    const char *name, *opcode;
    const char *scope; /* scope in the namespace cute */
    unsigned first, count;
} copies[] = {
    {"sm75_u32x#_ldsm_n", "ldmatrix.sync.aligned.m8n8.x#.shared.b16", "", 1, 3},
    {"sm75_u16x#_ldsm_t", "ldmatrix.sync.aligned.m8n8.x#.trans.shared.b16", "", 2, 3},
    {"sm75_u32x#_movm_t", "movmatrix.sync.aligned.m8n8.trans.b16", "", 1, 1},
    {"sm90_u32x#_stsm_n", "stmatrix.sync.aligned.m8n8.x#.shared.b16", "", 1, 3},
    {"sm90_u16x#_stsm_t", "stmatrix.sync.aligned.m8n8.x#.trans.shared.b16", "", 2, 3},
    {"sm100_su4_du8x16_x#_ldsm_n", "ldmatrix.sync.aligned.m8n16.x#.shared.b8x16.b4x16_p64", "", 1,
     3},
    {"sm100_su6_du8x16_x#_ldsm_n", "ldmatrix.sync.aligned.m8n16.x#.shared.b8x16.b6x16_p32", "", 1,
     3},
    {"sm100_u8x#_stsm_t", "stmatrix.sync.aligned.m16n8.x#.trans.shared.b8", "", 4, 3},
    {"sm100_utccp_128dp256bit_#cta", "tcgen05.cp.cta_group::#.128x256b", UTCCP, 1, 2},
    {"sm100_utccp_128dp128bit_#cta", "tcgen05.cp.cta_group::#.128x128b", UTCCP, 1, 2},
    {"sm100_utccp_4dp256bit_#cta", "tcgen05.cp.cta_group::#.4x256b", UTCCP, 1, 2},
    {"sm100_utccp_4x32dp128bit_#cta", "tcgen05.cp.cta_group::#.32x128b.warpx4", UTCCP, 1, 2},
    {"sm100_utccp_2x64dp128bitlw0213_#cta", "tcgen05.cp.cta_group::#.64x128b.warpx2::02_13", UTCCP,
     1, 2},
    {"sm100_utccp_2x64dp128bitlw0123_#cta", "tcgen05.cp.cta_group::#.64x128b.warpx2::01_23", UTCCP,
     1, 2},
};

/* Writes `pattern` with # replaced by the number. */
static void write_numbered(const char *pattern, unsigned number, size_t size, char *text) {
    const int before = (int)strcspn(pattern, "#");
    if (pattern[before])
        snprintf(text, size, "%.*s%u%s", before, pattern, number, pattern + before + 1);
    else
        snprintf(text, size, "%s", pattern);
}

/* ---- Names of the form SM80_16x8x16_F32F16F16F32_TN ---- */

static size_t count_names(const struct atom_row *row) {
    return mapping_set_size(row->d) * mapping_set_size(row->a) * mapping_set_choices(row->b) *
           mapping_set_size(row->endings);
}

/* The spelling of a type in names of atoms: U1 for b1 of PTX. */
static const char *letters_of(enum mapping_type type) {
    return type == MAPPING_B1 ? "u1" : mapping_type_name(type);
}

/* Writes the name at `index` among the row's names with this n, in lower case, and its opcode;
 * returns the index of its ending. */
static int write_atom(const struct atom_group *group, const struct atom_row *row, unsigned n,
                      size_t index, char name[MAPPING_NAME_SIZE],
                      char opcode[MAPPING_OPCODE_SIZE]) {
    const int ending = mapping_set_take(row->endings, &index);
    const enum mapping_type d = (enum mapping_type)mapping_set_take(row->d, &index),
                            a = (enum mapping_type)mapping_set_take(row->a, &index),
                            b = row->b ? (enum mapping_type)mapping_set_take(row->b, &index) : a;
    const unsigned m = row->shape.m, k = (unsigned)row->shape.k << group->is_sparse;
    snprintf(name, MAPPING_NAME_SIZE, "%s%ux%ux%u_%s%s%s%s%s", group->start, m, n, k, letters_of(d),
             letters_of(a), letters_of(b), row->widths ? "" : letters_of(d), endings[ending].name);
    snprintf(opcode, MAPPING_OPCODE_SIZE, "%s.m%un%uk%u%s.%s.%s.%s%s%s%s", group->opcode, m, n, k,
             endings[ending].orders, mapping_type_name(d), mapping_type_name(a),
             mapping_type_name(b), row->widths ? "" : ".", row->widths ? "" : mapping_type_name(d),
             endings[ending].words);
    return ending;
}

/* Writes the opcode of an atom of the group; false if the name is not in the group. */
static bool read_regular(const struct atom_group *group, const struct cpp_name *cpp,
                         char opcode[MAPPING_OPCODE_SIZE], bool *is_a_shared) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_shape shape;
    size_t length = strlen(group->start);
    if (strncmp(cpp->name, group->start, length) != 0 || !is_scope(cpp->scope, group->scope) ||
        /* NOLINTNEXTLINE(cert-err34-c): the name is compared as a whole below */
        sscanf(cpp->name + length, "%3hux%3hux%3hu", &shape.m, &shape.n, &shape.k) != 3)
        return false;
    for (const struct atom_row *row = group->rows; row < group->rows + group->count; row++) {
        if (row->shape.m != shape.m || row->shape.k << group->is_sparse != shape.k ||
            !mapping_widths_have(row->widths, row->shape.n, shape.n))
            continue;
        for (size_t index = 0; index < count_names(row); index++) {
            const int ending = write_atom(group, row, shape.n, index, name, opcode);
            if (strcmp(cpp->name, name) != 0)
                continue;
            *is_a_shared = A_IS_SHARED >> ending & 1;
            return cpp_has_values(cpp, endings[ending].parameters, group->is_sparse ? "s" : "");
        }
    }
    return false;
}

/* ---- Listing ---- */

/* Converts sm80_16x8x8 to SM80_16x8x8. */
static void write_capitals(char *name) {
    for (char *c = name; *c; c++)
        if (*c != 'x' || !ascii_is_digit(c[1]))
            *c = ascii_upper(*c);
}

bool mapping_atom_at(size_t index, char name[MAPPING_NAME_SIZE]) {
    char opcode[MAPPING_OPCODE_SIZE];
    for (size_t g = 0; g < COUNT(groups); g++) {
        const struct atom_group *group = &groups[g];
        for (const struct atom_row *row = group->rows; row < group->rows + group->count; row++) {
            size_t each = count_names(row),
                   count = *group->scope ? 0 : each * mapping_widths_count(row->widths);
            if (index < count) {
                write_atom(group, row, row->widths ? row->widths->n[index / each] : row->shape.n,
                           index % each, name, opcode);
                write_capitals(name);
                return true;
            }
            index -= count;
        }
    }
    for (size_t c = 0; c < COUNT(copies) && !*copies[c].scope; c++) {
        if (index < copies[c].count) {
            write_numbered(copies[c].name, copies[c].first << index, MAPPING_NAME_SIZE, name);
            write_capitals(name);
            return true;
        }
        index -= copies[c].count;
    }
    return false;
}

/* ---- Templates of types: SM120_16x8x32_TN<float_e4m3_t, float_e5m2_t, float> ----
 *
 * The arguments are the types of A, B and C and, with scale factors, their type and the number of
 * elements that share one. The rows are the specializations in CUTLASS 4.2,
 * include/cute/arch/mma_sm120.hpp and mma_sm120_sparse.hpp. */

struct atom_template {
    const char *scope, *name; /* scope in the namespace cute */
    const char *words;        /* words of the opcode from .kind to the shape */
    const char *sizes;        /* the sizes that static_asserts permit; NULL without scale factors */
    enum mapping_type scale;  /* type of the scale factors */
    bool is_sparse;
};

static const struct atom_template templates[] = {
    /* clang-format off */
    {.scope = "", .name = "sm120_16x8x32_tn", .words = "kind::f8f6f4.m16n8k32"},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x32_tn_vs",
     .words = "kind::mxf8f6f4.block_scale.scale_vec::1x.m16n8k32", .scale = MAPPING_UE8M0,
     .sizes = "32"},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x64_tn_vs",
     .words = "kind::mxf4nvf4.block_scale.scale_vec::2x.m16n8k64", .scale = MAPPING_UE8M0,
     .sizes = "16 32"},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x64_tn_vs",
     .words = "kind::mxf4nvf4.block_scale.scale_vec::4x.m16n8k64", .scale = MAPPING_UE4M3,
     .sizes = "16 32"},
    {.scope = "sm120::sparse", .name = "sm120_sparse_16x8x64_tn", .is_sparse = true,
     .words = "kind::f8f6f4.m16n8k64"},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x64_tn_vs",
     .is_sparse = true, .words = "kind::mxf8f6f4.block_scale.scale_vec::1x.m16n8k64",
     .scale = MAPPING_UE8M0, .sizes = "64"},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x128_tn_vs",
     .is_sparse = true, .words = "kind::mxf4nvf4.block_scale.scale_vec::2x.m16n8k128",
     .scale = MAPPING_UE8M0, .sizes = "32 64"},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x128_tn_vs",
     .is_sparse = true, .words = "kind::mxf4nvf4.block_scale.scale_vec::4x.m16n8k128",
     .scale = MAPPING_UE4M3, .sizes = "32"},
    /* clang-format on */
};

/* Parses "float", or a type of the namespaces cute and cutlass: half_t, float_e4m3_t, ... */
static bool read_type_argument(const char *argument, enum mapping_type *type) {
    const size_t length = strlen(argument);
    if (strcmp(argument, "float") == 0)
        return mapping_type_find(argument, type);
    return length > 2 && strcmp(argument + length - 2, "_t") == 0 &&
           mapping_type_find(skip_one_of("cute:: cutlass::", argument), type);
}

/* Parses a number of a list, "32" or "(int)32"; all have two digits. */
static bool read_number(const char *argument, const char *numbers) {
    argument = skip_one_of("(int)", argument);
    return strlen(argument) == 2 && strstr(numbers, argument);
}

/* Writes the opcode of an instance of the template; false if the name is not one. */
static bool read_instance(const struct atom_template *of, const struct cpp_name *cpp,
                          char opcode[MAPPING_OPCODE_SIZE]) {
    enum mapping_type a, b, c, scale;
    struct mapping_opcode found;
    if (strcmp(cpp->name, of->name) != 0 || !is_scope(cpp->scope, of->scope) ||
        cpp->argument_count != (of->sizes ? 5 : 3) || !read_type_argument(cpp->arguments[0], &a) ||
        !read_type_argument(cpp->arguments[1], &b) || !read_type_argument(cpp->arguments[2], &c) ||
        (of->sizes && (!read_type_argument(cpp->arguments[3], &scale) || scale != of->scale ||
                       !read_number(cpp->arguments[4], of->sizes))))
        return false;
    snprintf(opcode, MAPPING_OPCODE_SIZE, "mma.%ssync.aligned.%s.row.col.%s.%s.%s.%s%s%s",
             of->is_sparse ? "sp::ordered_metadata." : "", of->words, mapping_type_name(c),
             mapping_type_name(a), mapping_type_name(b), mapping_type_name(c), of->sizes ? "." : "",
             of->sizes ? mapping_type_name(of->scale) : "");
    return mapping_opcode_find(opcode, &found);
}

/* ---- Tensor Memory ----
 *
 * The names of tcgen05.ld and tcgen05.st are complete; those of tcgen05.mma have M and N as
 * template arguments. See include/cute/arch/copy_sm100.hpp and mma_sm100_umma.hpp of CUTLASS 4.2.
 */

/* ---- Moves: SM100_TMEM_LOAD_32dp32b32x_16b ---- */

static const struct {
    const char *scope, *start, *mnemonic, *form; /* the scope is in the namespace cute */
} tensor_memory_moves[] = {
    {"sm100::tmem::load", "sm100_tmem_load_stat_", "tcgen05.ld", "pack::16b"}, /* CUTLASS 4.7 */
    {"sm100::tmem::load", "sm100_tmem_load_", "tcgen05.ld", "pack::16b"},
    {"sm100::tmem::store", "sm100_tmem_store_", "tcgen05.st", "unpack::16b"},
};

/* Writes the opcode of an atom that moves data between Tensor Memory and registers. Its name gives
 * lanes, bits and repeats: SM100_TMEM_LOAD_32dp32b32x. False if it is not such an atom. */
static bool read_tensor_memory_move(const struct cpp_name *cpp, char opcode[MAPPING_OPCODE_SIZE]) {
    struct mapping_name read;
    const bool is_packed = strstr(cpp->name, "_16b");
    for (size_t n = 0; n < COUNT(tensor_memory_moves); n++) {
        const char *start = tensor_memory_moves[n].start;
        const bool is_reduced = strstr(start, "_stat_"); /* tcgen05.ld.red exists in fewer shapes */
        struct mapping_shape shape;
        char lanes[LANES_TEXT], name[MAPPING_NAME_SIZE];
        if (cpp->argument_count > 0 || strncmp(cpp->name, start, strlen(start)) != 0 ||
            !is_scope(cpp->scope, tensor_memory_moves[n].scope) ||
            /* NOLINTNEXTLINE(cert-err34-c): the name is compared as a whole below */
            sscanf(cpp->name + strlen(start), "%3hudp%3hub%3hux", &shape.m, &shape.n, &shape.k) !=
                3)
            continue;
        snprintf(name, sizeof name, "%s%hudp%hub%hux%s", start, shape.m, shape.n, shape.k,
                 is_packed ? "_16b" : "");
        mapping_lanes_text(shape, lanes);
        snprintf(opcode, MAPPING_OPCODE_SIZE, "%s.sync.aligned.%s.x%u%s%s.b32",
                 tensor_memory_moves[n].mnemonic, lanes, shape.k, is_packed ? "." : "",
                 is_packed ? tensor_memory_moves[n].form : "");
        mapping_find_opcode(opcode, &read);
        return strcmp(cpp->name, name) == 0 && read.count > 0 &&
               !(is_reduced && (shape.m != 32 || is_packed || shape.k == 1));
    }
    return false;
}

/* ---- Multiplications: SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, ...> ---- */

/* The types in a name after "sm100_mma_", and the K of the dense instruction. */
static const struct {
    const char *types;
    unsigned k;
} umma_kinds[] = {{"tf32", 8},      {"f16bf16", 16}, {"s8", 32},      {"f8f6f4", 32},
                  {"mxf8f6f4", 32}, {"mxf4", 64},    {"mxf4nvf4", 64}};

/* Parses K of the name; false if the name has none. */
static bool read_kind(const char *name, unsigned *k) {
    size_t length = strcspn(name, "_");
    for (size_t n = 0; n < COUNT(umma_kinds) && name[length]; n++)
        if (strlen(umma_kinds[n].types) == length &&
            strncmp(name, umma_kinds[n].types, length) == 0) {
            *k = umma_kinds[n].k;
            return true;
        }
    return false;
}

/* Finds M and N among the arguments: two numbers after the types. False if there are none. */
static bool find_sizes(const struct cpp_name *cpp, struct mapping_shape *shape) {
    for (size_t a = 3; a + 1 < cpp->argument_count; a++) {
        uint16_t m, n;
        if (mapping_number_read(cpp->arguments[a], &m) &&
            mapping_number_read(cpp->arguments[a + 1], &n)) {
            shape->m = m;
            shape->n = n;
            return true;
        }
    }
    return false;
}

/* The type of D: the third argument; without arguments, the usual type. */
static enum mapping_type type_of_d(const struct cpp_name *cpp) {
    enum mapping_type type =
        strncmp(cpp->name, "sm100_mma_s8", 12) == 0 ? MAPPING_S32 : MAPPING_F32;
    if (cpp->argument_count > 2) {
        const char *scope = strrchr(cpp->arguments[2], ':');
        mapping_type_find(scope ? scope + 1 : cpp->arguments[2], &type);
    }
    return type;
}

/* Finds D of an atom of tcgen05.mma. *is_said becomes true if the arguments contain M and N;
 * otherwise, D is one of several possible fragments. False if there is no such D. */
static bool find_accumulator(const struct cpp_name *cpp, struct mapping_fragment *fragment,
                             bool *is_said) {
    static const char start[] = "sm100_mma_";
    unsigned k;
    if (cpp->is_copy || !is_scope(cpp->scope, "") ||
        strncmp(cpp->name, start, sizeof start - 1) != 0 ||
        !read_kind(cpp->name + sizeof start - 1, &k))
        return false;
    bool is_pair = strstr(cpp->name, "_2x1sm_"), is_sparse = strstr(cpp->name, "_sparse");
    struct mapping_fragment wanted = {.operand = MAPPING_D, .type = type_of_d(cpp)};
    wanted.instruction = is_pair ? MAPPING_TCGEN05_MMA_CTA2 : MAPPING_TCGEN05_MMA;
    if (is_sparse)
        mapping_instruction_find_sparse(wanted.instruction, &wanted.instruction);
    wanted.shape = (struct mapping_shape){.m = is_pair ? 256 : 128, .n = 128};
    wanted.shape.k = (uint16_t)(is_sparse ? 2 * k : k);
    *is_said = find_sizes(cpp, &wanted.shape);
    return mapping_fragment_find(&wanted, 0, fragment);
}

/* ---- All of them ---- */

/* Writes the opcode of a copy to or from registers, or into Tensor Memory; false for other names.
 */
static bool read_copy(const struct cpp_name *cpp, char opcode[MAPPING_OPCODE_SIZE]) {
    char wanted[MAPPING_NAME_SIZE];
    for (size_t c = 0; c < COUNT(copies); c++)
        for (unsigned n = 0; n < copies[c].count; n++) {
            if (strncmp(cpp->name, copies[c].name, strcspn(copies[c].name, "#")) != 0)
                continue;
            write_numbered(copies[c].name, copies[c].first << n, sizeof wanted, wanted);
            write_numbered(copies[c].opcode, 1U << n, MAPPING_OPCODE_SIZE, opcode);
            if (strcmp(cpp->name, wanted) == 0 && is_scope(cpp->scope, copies[c].scope) &&
                cpp_has_values(cpp, "", ""))
                return true;
        }
    return false;
}

/* As mapping_atom_read, for a parsed name. */
static bool read_atom(const struct cpp_name *cpp, char opcode[MAPPING_OPCODE_SIZE],
                      bool *is_a_shared) {
    for (size_t g = 0; g < COUNT(groups) && !cpp->is_copy; g++)
        if (read_regular(&groups[g], cpp, opcode, is_a_shared))
            return true;
    for (size_t t = 0; t < COUNT(templates) && !cpp->is_copy; t++)
        if (read_instance(&templates[t], cpp, opcode))
            return true;
    return !cpp->is_multiplication &&
           (read_tensor_memory_move(cpp, opcode) || read_copy(cpp, opcode));
}

bool mapping_atom_read(const char *name, char opcode[MAPPING_OPCODE_SIZE], bool *is_a_shared) {
    struct cpp_name cpp;
    struct mapping_opcode found;
    if (mapping_operation_read(name, opcode, is_a_shared))
        return mapping_opcode_find(opcode, &found);
    *is_a_shared = false;
    return cpp_read(&cpp, name) && read_atom(&cpp, opcode, is_a_shared);
}

void mapping_find_cpp(const char *name, struct mapping_name *read) {
    char opcode[MAPPING_OPCODE_SIZE];
    struct cpp_name cpp;
    struct mapping_fragment accumulator;
    bool is_a_shared = false, is_said;
    const bool is_cpp = cpp_read(&cpp, name);
    read->count = is_cpp && find_fragment(&cpp, &read->found[0]);
    if (read->count > 0)
        return;
    read->is_atom = mapping_atom_read(name, opcode, &is_a_shared);
    if (read->is_atom)
        mapping_find_opcode(opcode, read);
    read->has_accumulator = is_cpp && find_accumulator(&cpp, &accumulator, &is_said);
    if (read->has_accumulator) {
        read->found[0] = accumulator;
        read->count = is_said;
    } else if (read->count > 0 && is_a_shared && read->found[0].operand == MAPPING_A) {
        memmove(read->found, read->found + 1, --read->count * sizeof *read->found);
    }
}

/* ---- Atoms without fragments ---- */

static const char without_sizes[] = "tcgen05.mma, with D in Tensor Memory; its template arguments, "
                                    "which give M and N, are missing";

/* include/cute/arch/ of CUTLASS 4.2. Names are patterns for fnmatch(). */
static const struct {
    const char *scope, *name; /* scope in the namespace cute */
    const char *what;
} outside[] = {
    /* mma.hpp, mma_sm61.hpp, mma_sm100.hpp */
    {"", "universalfma", "one multiply-add of one thread, not a matrix instruction"},
    {"", "sm61_dp4a", "dp4a, not a matrix instruction"},
    {"", "sm61_dp2a", "dp2a, not a matrix instruction"},
    {"", "sm100_2x1x1_f32f32f32f32", "fma.f32x2, not a matrix instruction"},
    {"", "sm100_1x2x1_f32f32f32f32", "fma.f32x2, not a matrix instruction"},
    /* mma_sm80.hpp, mma_sm90.hpp: complex numbers */
    {"", "sm80_8x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM80_8x8x4_F64F64F64F64_TN"},
    {"", "sm80_8x8x4_gc64c64c64gc64_tn",
     "three mma instructions, each with the fragments of SM80_8x8x4_F64F64F64F64_TN"},
    {"", "sm90_16x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x4_F64F64F64F64_TN"},
    {"", "sm90_16x8x8_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x8_F64F64F64F64_TN"},
    {"", "sm90_16x8x16_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x16_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x4_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x8_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x8_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x16_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x16_F64F64F64F64_TN"},
    /* mma_sm100_umma.hpp */
    {"", "sm100_mma_?*", without_sizes},
    {"sm103", "sm103_mxf4_ultra_?*", without_sizes},
    /* copy_sm50.hpp, copy_sm80.hpp, copy_sm90_tma.hpp, copy_sm100.hpp */
    {"", "sm50_shuffle_?*", "shfl.sync, not a matrix instruction"},
    {"", "sm80_cp_async_?*", "cp.async, which moves no data to or from registers"},
    {"", "sm90_bulk_copy_?*", "cp.async.bulk, which moves no data to or from registers"},
    {"", "sm90_tma_?*", "cp.async.bulk.tensor, which moves no data to or from registers"},
    {"", "sm100_tma_?*", "cp.async.bulk.tensor, which moves no data to or from registers"},
    {"", "sm100_load_256bit_cache_noallocation", "ld.global, not a matrix instruction"},
    {"", "sm100_store_256bit_cache_noallocation", "st.global, not a matrix instruction"},
    {"", "sm100_u8x8_ldsm_t",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8, followed by a byte permutation of its "
     "registers"},
    {"", "sm100_u8x16_ldsm_t",
     "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8, followed by a byte permutation of its "
     "registers"},
};

const char *mapping_atom_outside(const char *name) {
    struct cpp_name cpp;
    const char *operation = mapping_operation_outside(name);
    if (operation || !cpp_read(&cpp, name))
        return operation;
    for (size_t o = 0; o < COUNT(outside); o++)
        if (fnmatch(outside[o].name, cpp.name, 0) == 0 && is_scope(cpp.scope, outside[o].scope))
            return outside[o].what;
    return NULL;
}

/* True if the text begins with these letters, in any case, and a digit. */
static bool is_numbered(const char *text, const char *letters) {
    size_t length = strlen(letters);
    return ascii_begins_alike(text, letters, length) && ascii_is_digit(text[length]);
}

/* True if a word of this length begins like the name of an atom. */
static bool is_atom(const char *word, size_t length) {
    static const char fma[] = "universalfma";
    for (size_t w = 0; w < COUNT(wrappers); w++)
        if (length == strlen(wrappers[w].name) &&
            ascii_begins_alike(word, wrappers[w].name, length))
            return true;
    return (is_numbered(word, "sm") && memchr(word, '_', length)) || is_numbered(word, "mma_") ||
           is_numbered(word, "gmma_") ||
           (length == sizeof fma - 1 && ascii_begins_alike(word, fma, length));
}

bool mapping_atom_is_meant(const char *name) {
    for (;;) {
        name += strspn(name, " \t\r\n:<");
        const size_t length = ascii_identifier_length(name);
        if (is_atom(name, length))
            return true;
        name += length;
        if (length == 0 || !*name || !strchr(" :<", *name))
            return false;
    }
}
