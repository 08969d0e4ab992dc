/* scene.c - the operands of one opcode as a kernel takes them; see scene.h. */
#include "scene.h"

#include <math.h>
#include <string.h>

bool scene_init(struct scene *scene, const struct mapping_opcode *opcode) {
    *scene = (struct scene){.opcode = *opcode};
    scene->count = mapping_opcode_fragments(opcode, scene->fragments);
    for (size_t f = 0; f < scene->count; f++)
        if (!mapping_map_state(&scene->maps[f], &scene->fragments[f]))
            return false;
    return true;
}

void scene_free(struct scene *scene) {
    for (size_t f = 0; f < scene->count; f++)
        mapping_map_free(&scene->maps[f]);
}

int scene_find(const struct scene *scene, char operand) {
    for (size_t f = 0; f < scene->count; f++)
        if (scene->fragments[f].operand == operand)
            return (int)f;
    return -1;
}

bool scene_is_wgmma(const struct scene *scene) {
    return scene->opcode.instruction == MAPPING_WGMMA ||
           scene->opcode.instruction == MAPPING_WGMMA_SP;
}

bool scene_is_sparse(const struct scene *scene) {
    return scene->opcode.instruction == MAPPING_MMA_SP ||
           scene->opcode.instruction == MAPPING_WGMMA_SP;
}

uint32_t scene_depth(const struct scene *scene) {
    return scene->opcode.shape.k / (scene_is_sparse(scene) ? 2U : 1U);
}

/* ---- Sparsity ---- */

/* PTX ISA 9.0, "Sparse matrix storage": of every 2 elements of 32 bits one is held, of every 4 of
 * 16 or 8 bits two, of every 4 pairs of 4 bits two. 4 bits of metadata say of a group which: 0100
 * the first ones, 1110 the last ones. */
uint32_t scene_metadata(bool second_half) {
    return second_half ? 0xeeeeeeee : 0x44444444;
}

/* Columns of A that are held of each group. */
static uint32_t held(const struct scene *scene) {
    unsigned bits = mapping_type_bits(scene->opcode.a);
    return bits == 32 ? 1 : bits == 4 ? 4 : 2;
}

void scene_compress(const struct scene *scene, uint32_t k, uint32_t *column, bool *second_half) {
    *column = k;
    *second_half = false;
    if (scene_is_sparse(scene)) {
        uint32_t count = held(scene);
        *column = k / (2 * count) * count + k % count;
        *second_half = k / count % 2;
    }
}

uint32_t scene_expand(const struct scene *scene, uint32_t column, bool second_half) {
    uint32_t count = held(scene);
    if (!scene_is_sparse(scene))
        return column;
    return column / count * 2 * count + column % count + (second_half ? count : 0);
}

/* ---- Numbers ---- */

/* Bits of exponent and mantissa of a floating-point type below 32 bits. */
static bool floating(enum mapping_type type, unsigned *exponent_bits, unsigned *mantissa_bits) {
    switch (type) {
    case MAPPING_BF16:
        *exponent_bits = 8, *mantissa_bits = 7;
        return true;
    case MAPPING_F16:
        *exponent_bits = 5, *mantissa_bits = 10;
        return true;
    case MAPPING_E5M2:
        *exponent_bits = 5, *mantissa_bits = 2;
        return true;
    case MAPPING_E4M3:
        *exponent_bits = 4, *mantissa_bits = 3;
        return true;
    default:
        return false;
    }
}

uint64_t encode(enum mapping_type type, double value) {
    unsigned exponent_bits, mantissa_bits, width = mapping_type_bits(type);
    if (type == MAPPING_F64) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (type == MAPPING_F32 || type == MAPPING_TF32) {
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (!floating(type, &exponent_bits, &mantissa_bits)) /* an integer */
        return (uint64_t)(int64_t)value & ((UINT64_C(1) << width) - 1);
    if (value == 0)
        return 0;
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 .. 1, times 2^exponent */
    int bias = (1 << (exponent_bits - 1)) - 1, biased = exponent - 1 + bias;
    uint64_t mantissa;
    if (biased > 0)
        mantissa = (uint64_t)ldexp(fraction * 2 - 1, (int)mantissa_bits);
    else /* subnormal */
        mantissa = (uint64_t)ldexp(fraction, exponent + bias - 1 + (int)mantissa_bits);
    return (uint64_t)(value < 0) << (width - 1) |
           (uint64_t)(biased > 0 ? biased : 0) << mantissa_bits | mantissa;
}

double decode(enum mapping_type type, uint64_t bits) {
    unsigned exponent_bits, mantissa_bits, width = mapping_type_bits(type);
    if (type == MAPPING_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == MAPPING_F32 || type == MAPPING_TF32) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    if (!floating(type, &exponent_bits, &mantissa_bits)) {
        bool is_signed = type == MAPPING_S32 || type == MAPPING_S8 || type == MAPPING_S4;
        bool negative = is_signed && bits >> (width - 1) & 1;
        return (double)bits - (negative ? ldexp(1, (int)width) : 0);
    }
    int exponent = (int)(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
    int bias = (1 << (exponent_bits - 1)) - 1;
    double mantissa = (double)(bits & ((1U << mantissa_bits) - 1));
    double magnitude = exponent == 0 ? ldexp(mantissa, 1 - bias - (int)mantissa_bits)
                                     : ldexp(mantissa + (double)(1U << mantissa_bits),
                                             exponent - bias - (int)mantissa_bits);
    if (exponent == (1 << exponent_bits) - 1 && type != MAPPING_E4M3)
        magnitude = mantissa > 0 ? NAN : INFINITY;
    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

/* ---- Images ---- */

void image_put(uint32_t *image, size_t place, unsigned width, uint64_t bits) {
    if (width == 64) {
        image[2 * place] = (uint32_t)bits;
        image[2 * place + 1] = (uint32_t)(bits >> 32);
        return;
    }
    size_t at = place * width;
    uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);
    image[at / 32] = (image[at / 32] & ~(mask << at % 32)) | (uint32_t)bits << at % 32;
}

uint64_t image_get(const uint32_t *image, size_t place, unsigned width) {
    if (width == 64)
        return image[2 * place] | (uint64_t)image[2 * place + 1] << 32;
    size_t at = place * width;
    return image[at / 32] >> at % 32 & (uint32_t)((UINT64_C(1) << width) - 1);
}

size_t image_registers(const struct mapping_fragment *fragment) {
    return (size_t)fragment->threads * fragment->registers;
}

/* Bytes of a row of A, or of a column of B, in shared memory: 32, but 64 of a sparse product's B.
 */
static uint32_t line_bytes(const struct scene *scene, char operand) {
    uint32_t depth = operand == 'a' ? scene_depth(scene) : scene->opcode.shape.k;
    return depth * mapping_type_bits(scene->opcode.a) / 8;
}

size_t image_shared(const struct scene *scene, char operand) {
    uint32_t lines = operand == 'a' ? scene->opcode.shape.m : scene->opcode.shape.n;
    return (size_t)lines * line_bytes(scene, operand) / 4;
}

/* 8 lines of 16 bytes are contiguous; behind them come the next 16 bytes of these lines, and behind
 * those the next 8 lines. */
size_t image_shared_place(const struct scene *scene, char operand, uint32_t line, uint32_t depth) {
    uint32_t bytes = line_bytes(scene, operand), bits = mapping_type_bits(scene->opcode.a);
    uint32_t chunk = 128 / bits; /* elements in 16 bytes */
    size_t cores = (size_t)line / 8 * (bytes / 16) + depth / chunk;
    return (cores * 8 + line % 8) * chunk + depth % chunk;
}
