/* types.c - element types and operands, and their names. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <string.h>

/* PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats"; the names in C++ are
 * those of mma.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h and, of ue4m3, CUTLASS. */
static const struct {
    const char *name, *alias;
    unsigned bits;
} types[MAPPING_TYPES] = {
    [MAPPING_F64] = {.name = "f64", .alias = "double", .bits = 64},
    [MAPPING_F32] = {.name = "f32", .alias = "float", .bits = 32},
    [MAPPING_TF32] = {.name = "tf32", .alias = "precision::tf32", .bits = 32},
    [MAPPING_BF16] = {.name = "bf16", .alias = "__nv_bfloat16", .bits = 16},
    [MAPPING_F16] = {.name = "f16", .alias = "half", .bits = 16},
    [MAPPING_E5M2] = {.name = "e5m2", .alias = "__nv_fp8_e5m2", .bits = 8},
    [MAPPING_E4M3] = {.name = "e4m3", .alias = "__nv_fp8_e4m3", .bits = 8},
    [MAPPING_E3M2] = {.name = "e3m2", .alias = "__nv_fp6_e3m2", .bits = 6},
    [MAPPING_E2M3] = {.name = "e2m3", .alias = "__nv_fp6_e2m3", .bits = 6},
    [MAPPING_E2M1] = {.name = "e2m1", .alias = "__nv_fp4_e2m1", .bits = 4},
    [MAPPING_UE8M0] = {.name = "ue8m0", .alias = "__nv_fp8_e8m0", .bits = 8},
    [MAPPING_UE4M3] = {.name = "ue4m3", .alias = "float_ue4m3_t", .bits = 8},
    [MAPPING_S32] = {.name = "s32", .alias = "int", .bits = 32},
    [MAPPING_S8] = {.name = "s8", .alias = "signed char", .bits = 8},
    [MAPPING_U8] = {.name = "u8", .alias = "unsigned char", .bits = 8},
    [MAPPING_S4] = {.name = "s4", .alias = "precision::s4", .bits = 4},
    [MAPPING_U4] = {.name = "u4", .alias = "precision::u4", .bits = 4},
    [MAPPING_B1] = {.name = "b1", .alias = "precision::b1", .bits = 1},
    [MAPPING_B32] = {.name = "b32", .alias = "b32", .bits = 32},
    [MAPPING_B16] = {.name = "b16", .alias = "b16", .bits = 16},
    [MAPPING_B8] = {.name = "b8", .alias = "b8", .bits = 8},
    [MAPPING_B6] = {.name = "b6", .alias = "b6", .bits = 6},
    [MAPPING_B4] = {.name = "b4", .alias = "b4", .bits = 4},
};

/* Further names that a type has. */
static const struct {
    const char *name;
    enum mapping_type type;
} others[] = {
    {"__half", MAPPING_F16},
    {"nv_bfloat16", MAPPING_BF16},
    {"bfloat16", MAPPING_BF16},
    {"int32_t", MAPPING_S32},
    {"int8_t", MAPPING_S8},
    {"uint8_t", MAPPING_U8},
    {"fp64", MAPPING_F64},
    {"fp32", MAPPING_F32},
    {"fp16", MAPPING_F16},
    {"float64", MAPPING_F64},
    {"float32", MAPPING_F32},
    {"float16", MAPPING_F16},
    {"half_t", MAPPING_F16},
    {"bfloat16_t", MAPPING_BF16},
    {"tfloat32_t", MAPPING_TF32},
    {"float_e4m3_t", MAPPING_E4M3},
    {"float_e5m2_t", MAPPING_E5M2},
    {"float_e3m2_t", MAPPING_E3M2},
    {"float_e2m3_t", MAPPING_E2M3},
    {"float_e2m1_t", MAPPING_E2M1},
    {"float_ue8m0_t", MAPPING_UE8M0},
    {"float8_e4m3fn", MAPPING_E4M3},
    {"float8_e5m2", MAPPING_E5M2},
    {"int4b_t", MAPPING_S4},
    {"uint4b_t", MAPPING_U4},
    {"uint1b_t", MAPPING_B1},
    {"int32", MAPPING_S32},
    {"uint8", MAPPING_U8},
    {"nvfp4", MAPPING_E2M1},
    {"b6x16_p32", MAPPING_B6}, /* formats of ldmatrix */
    {"b4x16_p64", MAPPING_B4},
};

/* What people say of several. */
static const struct {
    const char *name;
    uint32_t types;
} groups[] = {
    {"fp8", FP8}, {"fp6", FP6}, {"fp4", E2M1}, {"int8", INT8}, {"int4", INT4}, {"int1", B1},
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
    for (int t = 0; t < MAPPING_TYPES; t++) {
        if (ascii_equal(name, types[t].name) || ascii_equal(name, types[t].alias)) {
            *type = (enum mapping_type)t;
            return true;
        }
    }
    for (size_t o = 0; o < COUNT(others); o++) {
        if (ascii_equal(name, others[o].name)) {
            *type = others[o].type;
            return true;
        }
    }
    return false;
}

uint32_t mapping_types_find(const char *name) {
    enum mapping_type type;
    for (size_t g = 0; g < COUNT(groups); g++)
        if (ascii_equal(name, groups[g].name))
            return groups[g].types;
    return mapping_type_find(name, &type) ? UINT32_C(1) << type : 0;
}

/* ---- Operands ---- */

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
