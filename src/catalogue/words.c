/* words.c - the words of names and opcodes: numbers, shapes, element types, operands and orders. It
 * also counts and picks the members of sets, such as F16 | BF16, in the rows of families. All other
 * files of this folder may use these functions; this file uses none of theirs. */
#include "catalogue/family.h"

#include "layout/ascii.h"
#include "layout/space.h"

#include <stdio.h>
#include <string.h>

/* ---- Sets and widths ---- */

size_t mapping_set_size(uint32_t set) {
    return (size_t)__builtin_popcount(set);
}

size_t mapping_set_choices(uint32_t set) {
    return set ? mapping_set_size(set) : 1;
}

int mapping_set_first(uint32_t set) {
    return __builtin_ctz(set);
}

int mapping_set_take(uint32_t set, size_t *number) {
    size_t n = *number % mapping_set_choices(set);
    *number /= mapping_set_choices(set);
    for (; n > 0; n--)
        set &= set - 1;
    return set ? mapping_set_first(set) : 0;
}

size_t mapping_widths_count(const struct mapping_widths *widths) {
    return widths ? widths->count : 1;
}

uint16_t mapping_widths_take(const struct mapping_widths *widths, uint16_t n, size_t *number) {
    const size_t place = *number % mapping_widths_count(widths);
    *number /= mapping_widths_count(widths);
    return widths ? widths->n[place] : n;
}

bool mapping_widths_have(const struct mapping_widths *widths, uint16_t n, uint16_t wanted) {
    for (size_t w = 0; widths && w < widths->count; w++)
        if (widths->n[w] == wanted)
            return true;
    return !widths && n == wanted;
}

/* ---- Single words of names ---- */

bool mapping_name_lower(const char *name, char text[MAPPING_TEXT_SIZE]) {
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length >= MAPPING_TEXT_SIZE)
        return false;
    for (size_t c = 0; c < length; c++)
        text[c] = ascii_lower(name[c]);
    memset(text + length, 0, MAPPING_TEXT_SIZE - length);
    return true;
}

/* Parses a number of one to three digits that does not begin with 0, and returns the text after it;
 * NULL if there is no such number. */
static const char *read_size(const char *text, uint16_t *size) {
    const char *start = text;
    for (*size = 0; ascii_is_digit(*text) && text < start + 3; text++)
        *size = (uint16_t)(*size * 10 + (*text - '0'));
    return text > start && *start != '0' ? text : NULL;
}

bool mapping_number_read(const char *text, uint16_t *number) {
    const char *end = read_size(text, number);
    return end && *end == '\0';
}

bool mapping_shape_read(const char *word, struct mapping_shape *shape) {
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    shape->n = shape->k = 0;
    for (int s = 0; s < 3 && (s == 0 || *word); s++)
        if (*word == "mnk"[s] ? !(word = read_size(word + 1, sizes[s])) : s != 1)
            return false;
    return *word == '\0' && (shape->n > 0 || shape->k > 0);
}

bool mapping_lanes_are_twice(struct mapping_shape shape) {
    return shape.m == 16 && shape.n == 32;
}

void mapping_lanes_text(struct mapping_shape shape, char text[LANES_TEXT]) {
    snprintf(text, LANES_TEXT, "%hux%hub%s", shape.m, shape.n,
             mapping_lanes_are_twice(shape) ? "x2" : "");
}

bool mapping_lanes_read(const char *word, struct mapping_shape *shape) {
    const char *end = read_size(word, &shape->m);
    if (!end || *end != 'x' || !(end = read_size(end + 1, &shape->n)) || *end != 'b')
        return false;
    return strcmp(end + 1, mapping_lanes_are_twice(*shape) ? "x2" : "") == 0;
}

bool mapping_crossed_read(const char *word, struct mapping_shape *shape) {
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    *shape = (struct mapping_shape){0};
    for (int s = 0; s < 3; s++) {
        word = read_size(word, sizes[s]);
        if (!word || (*word && *word != 'x'))
            return false;
        if (!*word++)
            return s > 0;
    }
    return false;
}

/* ---- Element types ---- */

/* PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats". The names in C++ are
 * those of mma.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h and, for ue4m3, CUTLASS. The
 * others are from CUTLASS, PyTorch, ldmatrix, and short names; fp8 means two types. */
static const struct {
    const char *name, *alias;
    unsigned bits;
    const char *others;
} types[MAPPING_TYPES] = {
    [MAPPING_F64] = {"f64", "double", 64, "fp64 float64"},
    [MAPPING_F32] = {"f32", "float", 32, "fp32 float32"},
    [MAPPING_TF32] = {"tf32", "precision::tf32", 32, "tfloat32_t"},
    [MAPPING_BF16] = {"bf16", "__nv_bfloat16", 16, "nv_bfloat16 bfloat16 bfloat16_t"},
    [MAPPING_F16] = {"f16", "half", 16, "__half half_t fp16 float16"},
    [MAPPING_E5M2] = {"e5m2", "__nv_fp8_e5m2", 8, "fp8 float_e5m2_t float8_e5m2"},
    [MAPPING_E4M3] = {"e4m3", "__nv_fp8_e4m3", 8, "fp8 float_e4m3_t float8_e4m3fn"},
    [MAPPING_E3M2] = {"e3m2", "__nv_fp6_e3m2", 6, "fp6 float_e3m2_t"},
    [MAPPING_E2M3] = {"e2m3", "__nv_fp6_e2m3", 6, "fp6 float_e2m3_t"},
    [MAPPING_E2M1] = {"e2m1", "__nv_fp4_e2m1", 4, "fp4 float_e2m1_t nvfp4"},
    [MAPPING_UE8M0] = {"ue8m0", "__nv_fp8_e8m0", 8, "float_ue8m0_t"},
    [MAPPING_UE4M3] = {"ue4m3", "float_ue4m3_t", 8, ""},
    [MAPPING_S32] = {"s32", "int", 32, "int32_t int32"},
    [MAPPING_S8] = {"s8", "signed char", 8, "int8 int8_t"},
    [MAPPING_U8] = {"u8", "unsigned char", 8, "int8 uint8_t uint8"},
    [MAPPING_S4] = {"s4", "precision::s4", 4, "int4 int4b_t"},
    [MAPPING_U4] = {"u4", "precision::u4", 4, "int4 uint4b_t"},
    [MAPPING_B1] = {"b1", "precision::b1", 1, "int1 uint1b_t"},
    [MAPPING_B32] = {"b32", "b32", 32, ""},
    [MAPPING_B16] = {"b16", "b16", 16, ""},
    [MAPPING_B8] = {"b8", "b8", 8, ""},
    [MAPPING_B6] = {"b6", "b6", 6, "b6x16_p32"},
    [MAPPING_B4] = {"b4", "b4", 4, "b4x16_p64"},
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

uint32_t mapping_types_find(const char *name) {
    char text[MAPPING_TEXT_SIZE];
    uint32_t set = 0;
    if (!mapping_name_lower(name, text))
        return 0;
    for (int t = 0; t < MAPPING_TYPES; t++)
        if (strcmp(text, types[t].name) == 0 || strcmp(text, types[t].alias) == 0 ||
            mapping_word_is_in(types[t].others, text, strlen(text)))
            set |= UINT32_C(1) << t;
    return set;
}

bool mapping_type_find(const char *name, enum mapping_type *type) {
    const uint32_t set = mapping_types_find(name);
    if (mapping_set_size(set) != 1)
        return false;
    *type = (enum mapping_type)mapping_set_first(set);
    return true;
}

/* ---- Operands and orders ---- */

static const char *const operands[MAPPING_OPERANDS] = {
    [MAPPING_A] = "a",     [MAPPING_B] = "b",     [MAPPING_C] = "c",
    [MAPPING_D] = "d",     [MAPPING_E] = "e",     [MAPPING_R] = "r",
    [MAPPING_SFA] = "sfa", [MAPPING_SFB] = "sfb", [MAPPING_P] = "p"};

const char *mapping_operand_name(enum mapping_operand operand) {
    return operands[operand];
}

bool mapping_operand_find(const char *name, enum mapping_operand *operand) {
    if (strcmp(name, "acc") == 0)
        name = "d";
    for (int o = 0; o < MAPPING_OPERANDS; o++) {
        if (strcmp(operands[o], name) == 0) {
            *operand = (enum mapping_operand)o;
            return true;
        }
    }
    return false;
}

bool mapping_order_find(const char *name, enum mapping_order *order) {
    const bool is_row = strcmp(name, "row") == 0 || strcmp(name, "row_major") == 0;
    if (!is_row && strcmp(name, "col") != 0 && strcmp(name, "col_major") != 0)
        return false;
    *order = is_row ? MAPPING_ROW_MAJOR : MAPPING_COL_MAJOR;
    return true;
}
