/* catalogue.c - which element types, architectures and fragments there are. All of it is data. */
#include "mapping.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- Element types ---- */

static const struct {
    const char *name, *alias;
    unsigned bits;
} types[MAPPING_TYPES] = {
    [MAPPING_F64] = {"f64", "double", 64},
    [MAPPING_F32] = {"f32", "float", 32},
    [MAPPING_TF32] = {"tf32", "precision::tf32", 32},
    [MAPPING_BF16] = {"bf16", "__nv_bfloat16", 16},
    [MAPPING_F16] = {"f16", "half", 16},
    [MAPPING_S32] = {"s32", "int", 32},
    [MAPPING_S8] = {"s8", "signed char", 8},
    [MAPPING_U8] = {"u8", "unsigned char", 8},
    [MAPPING_S4] = {"s4", "precision::s4", 4},
    [MAPPING_U4] = {"u4", "precision::u4", 4},
    [MAPPING_B1] = {"b1", "precision::b1", 1},
};

const char *mapping_type_name(enum mapping_type type) {
    return types[type].name;
}

const char *mapping_type_alias(enum mapping_type type) {
    return types[type].alias;
}

unsigned mapping_type_bits(enum mapping_type type) {
    return types[type].bits;
}

bool mapping_type_find(const char *name, enum mapping_type *type) {
    static const struct {
        const char *name;
        enum mapping_type type;
    } others[] = {
        {"__half", MAPPING_F16},  {"nv_bfloat16", MAPPING_BF16}, {"bfloat16", MAPPING_BF16},
        {"int32_t", MAPPING_S32}, {"int8_t", MAPPING_S8},        {"uint8_t", MAPPING_U8},
    };
    for (int t = 0; t < MAPPING_TYPES; t++) {
        if (strcasecmp(name, types[t].name) == 0 || strcasecmp(name, types[t].alias) == 0) {
            *type = (enum mapping_type)t;
            return true;
        }
    }
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        if (strcasecmp(name, others[o].name) == 0) {
            *type = others[o].type;
            return true;
        }
    }
    return false;
}

/* ---- Architectures ---- */

/* Numbers and products: NVIDIA's table of compute capabilities, the release notes of CUDA 13.0 for
 * sm_88, sm_103, sm_110 (sm_101 before CUDA 13) and sm_121. A family name that several
 * architectures share stands for the first of them. */
static const struct mapping_arch archs[] = {
    {70, "volta v100 titan-v"},
    {72, "xavier"},
    {75, "turing t4 rtx2080 rtx-2080"},
    {80, "ampere a100 a30"},
    {86, "a10 a40 a6000 rtx3090 rtx-3090"},
    {87, "orin"},
    {88, ""},
    {89, "ada l4 l40 l40s rtx4090 rtx-4090"},
    {90, "hopper h100 h200 h20 gh200"},
    {100, "blackwell b100 b200 gb200"},
    {103, "blackwell-ultra b300 gb300"},
    {110, "thor"},
    {120, "rtx5090 rtx-5090 rtx-pro-6000"},
    {121, "gb10 dgx-spark spark"},
};

const struct mapping_arch *mapping_arch_at(size_t index) {
    return index < sizeof archs / sizeof *archs ? &archs[index] : NULL;
}

/* True if `name` is one of the words of `names`. */
static bool is_word_of(const char *name, const char *names) {
    size_t length = strlen(name);
    for (const char *word = names; *word; word += strspn(word, " ")) {
        size_t word_length = strcspn(word, " ");
        if (word_length == length && strncasecmp(word, name, length) == 0)
            return true;
        word += word_length;
    }
    return false;
}

/* The number in "sm_75", "75", "7.5", "sm_90a", "compute_100f", "sm75"; 0 if it is none of these.
 */
static unsigned arch_number(const char *name) {
    static const char *const prefixes[] = {"sm_", "sm", "compute_"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t length = strlen(prefixes[p]);
        if (strncasecmp(name, prefixes[p], length) == 0) {
            name += length;
            break;
        }
    }
    unsigned number = 0;
    int digits = 0;
    for (; *name >= '0' && *name <= '9' && digits < 4; name++, digits++)
        number = number * 10 + (unsigned)(*name - '0');
    if (*name == '.' && name[1] >= '0' && name[1] <= '9' && digits > 0) {
        number = number * 10 + (unsigned)(name[1] - '0');
        name += 2;
    }
    if (digits > 0 && (*name == 'a' || *name == 'f' || *name == 'A' || *name == 'F'))
        name++;
    return *name == '\0' ? number : 0;
}

const struct mapping_arch *mapping_arch_find(const char *name) {
    unsigned number = arch_number(name);
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        if ((number != 0 && archs[a].number == number) || is_word_of(name, archs[a].names))
            return &archs[a];
    return NULL;
}

/* ---- Fragments ---- */

/* An operand of an instruction in the layouts that it comes in: 'r' row, 'c' col, '-' none. */
struct family {
    struct mapping_shape shape;
    char operand;
    const char *layouts;
    enum mapping_type type;
    uint16_t registers, since, ptx;
};

/* PTX ISA, "Matrix Fragments for WMMA" for shapes, types and registers of each operand, and the
 * notes of wmma.load for the PTX version and architecture that introduced them. What is multiplied
 * is loaded as a row-major or column-major matrix, which may change the fragment; sub-byte types
 * come in one layout alone. C and D are in registers what they are, however they lie in memory. */
static const struct family families[] = {
    {{16, 16, 16}, 'a', "rc", MAPPING_F16, 8, 70, 60},
    {{16, 16, 16}, 'b', "rc", MAPPING_F16, 8, 70, 60},
    {{16, 16, 16}, 'c', "-", MAPPING_F32, 8, 70, 60},
    {{16, 16, 16}, 'c', "-", MAPPING_F16, 4, 70, 60},
    {{16, 16, 16}, 'd', "-", MAPPING_F32, 8, 70, 60},
    {{16, 16, 16}, 'd', "-", MAPPING_F16, 4, 70, 60},
    {{32, 8, 16}, 'a', "rc", MAPPING_F16, 8, 70, 61},
    {{32, 8, 16}, 'b', "rc", MAPPING_F16, 8, 70, 61},
    {{32, 8, 16}, 'c', "-", MAPPING_F32, 8, 70, 61},
    {{32, 8, 16}, 'c', "-", MAPPING_F16, 4, 70, 61},
    {{32, 8, 16}, 'd', "-", MAPPING_F32, 8, 70, 61},
    {{32, 8, 16}, 'd', "-", MAPPING_F16, 4, 70, 61},
    {{8, 32, 16}, 'a', "rc", MAPPING_F16, 8, 70, 61},
    {{8, 32, 16}, 'b', "rc", MAPPING_F16, 8, 70, 61},
    {{8, 32, 16}, 'c', "-", MAPPING_F32, 8, 70, 61},
    {{8, 32, 16}, 'c', "-", MAPPING_F16, 4, 70, 61},
    {{8, 32, 16}, 'd', "-", MAPPING_F32, 8, 70, 61},
    {{8, 32, 16}, 'd', "-", MAPPING_F16, 4, 70, 61},
    {{16, 16, 16}, 'a', "rc", MAPPING_S8, 2, 72, 63},
    {{16, 16, 16}, 'a', "rc", MAPPING_U8, 2, 72, 63},
    {{16, 16, 16}, 'b', "rc", MAPPING_S8, 2, 72, 63},
    {{16, 16, 16}, 'b', "rc", MAPPING_U8, 2, 72, 63},
    {{16, 16, 16}, 'c', "-", MAPPING_S32, 8, 72, 63},
    {{16, 16, 16}, 'd', "-", MAPPING_S32, 8, 72, 63},
    {{32, 8, 16}, 'a', "rc", MAPPING_S8, 4, 72, 63},
    {{32, 8, 16}, 'a', "rc", MAPPING_U8, 4, 72, 63},
    {{32, 8, 16}, 'b', "rc", MAPPING_S8, 1, 72, 63},
    {{32, 8, 16}, 'b', "rc", MAPPING_U8, 1, 72, 63},
    {{32, 8, 16}, 'c', "-", MAPPING_S32, 8, 72, 63},
    {{32, 8, 16}, 'd', "-", MAPPING_S32, 8, 72, 63},
    {{8, 32, 16}, 'a', "rc", MAPPING_S8, 1, 72, 63},
    {{8, 32, 16}, 'a', "rc", MAPPING_U8, 1, 72, 63},
    {{8, 32, 16}, 'b', "rc", MAPPING_S8, 4, 72, 63},
    {{8, 32, 16}, 'b', "rc", MAPPING_U8, 4, 72, 63},
    {{8, 32, 16}, 'c', "-", MAPPING_S32, 8, 72, 63},
    {{8, 32, 16}, 'd', "-", MAPPING_S32, 8, 72, 63},
    {{8, 8, 32}, 'a', "r", MAPPING_S4, 1, 75, 63},
    {{8, 8, 32}, 'a', "r", MAPPING_U4, 1, 75, 63},
    {{8, 8, 32}, 'b', "c", MAPPING_S4, 1, 75, 63},
    {{8, 8, 32}, 'b', "c", MAPPING_U4, 1, 75, 63},
    {{8, 8, 32}, 'c', "-", MAPPING_S32, 2, 75, 63},
    {{8, 8, 32}, 'd', "-", MAPPING_S32, 2, 75, 63},
    {{8, 8, 128}, 'a', "r", MAPPING_B1, 1, 75, 63},
    {{8, 8, 128}, 'b', "c", MAPPING_B1, 1, 75, 63},
    {{8, 8, 128}, 'c', "-", MAPPING_S32, 2, 75, 63},
    {{8, 8, 128}, 'd', "-", MAPPING_S32, 2, 75, 63},
    {{16, 16, 16}, 'a', "rc", MAPPING_BF16, 4, 80, 70},
    {{16, 16, 16}, 'b', "rc", MAPPING_BF16, 4, 80, 70},
    {{32, 8, 16}, 'a', "rc", MAPPING_BF16, 8, 80, 70},
    {{32, 8, 16}, 'b', "rc", MAPPING_BF16, 2, 80, 70},
    {{8, 32, 16}, 'a', "rc", MAPPING_BF16, 2, 80, 70},
    {{8, 32, 16}, 'b', "rc", MAPPING_BF16, 8, 80, 70},
    {{16, 16, 8}, 'a', "rc", MAPPING_TF32, 4, 80, 70},
    {{16, 16, 8}, 'b', "rc", MAPPING_TF32, 4, 80, 70},
    {{16, 16, 8}, 'c', "-", MAPPING_F32, 8, 80, 70},
    {{16, 16, 8}, 'd', "-", MAPPING_F32, 8, 80, 70},
    {{8, 8, 4}, 'a', "rc", MAPPING_F64, 2, 80, 70},
    {{8, 8, 4}, 'b', "rc", MAPPING_F64, 2, 80, 70},
    {{8, 8, 4}, 'c', "-", MAPPING_F64, 4, 80, 70},
    {{8, 8, 4}, 'd', "-", MAPPING_F64, 4, 80, 70},
};

static struct mapping_fragment member(const struct family *family, char layout) {
    struct mapping_shape shape = family->shape;
    struct mapping_fragment fragment = {
        .shape = shape,
        .operand = family->operand,
        .layout = layout == 'r'   ? MAPPING_ROW_MAJOR
                  : layout == 'c' ? MAPPING_COL_MAJOR
                                  : MAPPING_NO_LAYOUT,
        .type = family->type,
        .rows = family->operand == 'b' ? shape.k : shape.m,
        .cols = family->operand == 'a' ? shape.k : shape.n,
        .threads = 32,
        .registers = family->registers,
        .elements = family->registers * 32U / mapping_type_bits(family->type),
        .since = family->since,
        .ptx = family->ptx,
    };
    return fragment;
}

bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment) {
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        size_t members = strlen(families[f].layouts);
        if (index < members) {
            *fragment = member(&families[f], families[f].layouts[index]);
            return true;
        }
        index -= members;
    }
    return false;
}

const char *mapping_layout_name(enum mapping_layout layout) {
    return layout == MAPPING_ROW_MAJOR ? "row" : layout == MAPPING_COL_MAJOR ? "col" : "";
}

bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->shape.m == b->shape.m && a->shape.n == b->shape.n && a->shape.k == b->shape.k &&
           a->operand == b->operand && a->layout == b->layout && a->type == b->type;
}

void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]) {
    snprintf(name, MAPPING_NAME_SIZE, "wmma.m%un%uk%u.%c%s%s.%s", fragment->shape.m,
             fragment->shape.n, fragment->shape.k, fragment->operand,
             fragment->layout == MAPPING_NO_LAYOUT ? "" : ".",
             mapping_layout_name(fragment->layout), mapping_type_name(fragment->type));
}
