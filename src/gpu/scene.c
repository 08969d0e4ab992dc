/* scene.c - the operands of one opcode as a kernel takes them; see scene.h. */
#include "scene.h"

struct scene scene_of(const struct mapping_opcode *opcode) {
    struct scene scene = {.opcode = *opcode};
    scene.count = mapping_opcode_fragments(opcode, scene.fragments);
    return scene;
}

const struct mapping_fragment *scene_find(const struct scene *scene, char operand) {
    for (size_t f = 0; f < scene->count; f++)
        if (scene->fragments[f].operand == operand)
            return &scene->fragments[f];
    return NULL;
}

bool scene_multiplies(const struct scene *scene) {
    return scene->opcode.instruction != MAPPING_LDMATRIX &&
           scene->opcode.instruction != MAPPING_STMATRIX &&
           scene->opcode.instruction != MAPPING_MOVMATRIX;
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

uint64_t encode(enum mapping_type type, uint32_t integer) {
    static const struct {
        uint8_t mantissa_bits, bias_bits; /* the bias of the exponent is that many ones */
    } floating[MAPPING_TYPES] = {
        [MAPPING_F64] = {52, 10}, [MAPPING_F32] = {23, 7}, [MAPPING_TF32] = {23, 7},
        [MAPPING_BF16] = {7, 7},  [MAPPING_F16] = {10, 4}, [MAPPING_E5M2] = {2, 4},
        [MAPPING_E4M3] = {3, 3},
    };
    unsigned mantissa_bits = floating[type].mantissa_bits;
    if (mantissa_bits == 0 || integer == 0)
        return integer;
    unsigned exponent = 31 - (unsigned)__builtin_clz(integer);
    uint64_t fraction = integer - (UINT64_C(1) << exponent);
    return (uint64_t)(exponent + (1U << floating[type].bias_bits) - 1) << mantissa_bits |
           (fraction << mantissa_bits) >> exponent;
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
