/* catalogue.c - which element types and architectures there are. All of it is data. */
#include "mapping.h"

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
    [MAPPING_E5M2] = {"e5m2", "__nv_fp8_e5m2", 8},
    [MAPPING_E4M3] = {"e4m3", "__nv_fp8_e4m3", 8},
    [MAPPING_E3M2] = {"e3m2", "__nv_fp6_e3m2", 6},
    [MAPPING_E2M3] = {"e2m3", "__nv_fp6_e2m3", 6},
    [MAPPING_E2M1] = {"e2m1", "__nv_fp4_e2m1", 4},
    [MAPPING_UE8M0] = {"ue8m0", "__nv_fp8_e8m0", 8},
    [MAPPING_UE4M3] = {"ue4m3", "float_ue4m3_t", 8},
    [MAPPING_S32] = {"s32", "int", 32},
    [MAPPING_S8] = {"s8", "signed char", 8},
    [MAPPING_U8] = {"u8", "unsigned char", 8},
    [MAPPING_S4] = {"s4", "precision::s4", 4},
    [MAPPING_U4] = {"u4", "precision::u4", 4},
    [MAPPING_B1] = {"b1", "precision::b1", 1},
    [MAPPING_B16] = {"b16", "b16", 16},
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
