/* instruction_descriptor.c - the 32 bits that tell tcgen05.mma its shape and types: PTX ISA 9.1,
 * 9.7.16.4.2.
 *
 *     2      sparse                      17-22  N / 8
 *     4-5    type of D                   23     type of the scale factors, 1 for ue8m0
 *     7-9    type of A                   24-28  M / 16
 *     10-12  type of B                   31     K is 96
 *
 * What else there is is 0: negation, transposition, which is that A and B are not K-major, scale
 * factor IDs and the sparsity selector. */
#include "catalogue/catalogue.h"

enum { SPARSE = 2, TYPE_OF_D = 4, TYPE_OF_A = 7, TYPE_OF_B = 10, N_BY_8 = 17, UE8M0_SCALES = 23 };
enum { M_BY_16 = 24, K_IS_96 = 31 };

/* One of the types that A has with a D of that type and that depth, dense, and the numbers of both;
 * of the kinds with scale factors D has none. */
static const struct kind {
    uint16_t depth;
    enum mapping_type d, a;
    uint8_t d_number, a_number;
    bool has_scales;
} kinds[] = {
    {16, MAPPING_F32, MAPPING_F16, 1, 0, false},  {16, MAPPING_F16, MAPPING_F16, 0, 0, false},
    {8, MAPPING_F32, MAPPING_TF32, 1, 2, false},  {32, MAPPING_F32, MAPPING_E4M3, 1, 0, false},
    {32, MAPPING_F16, MAPPING_E4M3, 0, 0, false}, {32, MAPPING_S32, MAPPING_S8, 2, 1, false},
    {64, MAPPING_F32, MAPPING_E2M1, 0, 1, true},  {96, MAPPING_F32, MAPPING_E2M1, 0, 1, true},
};

bool mapping_instruction_descriptor(const struct mapping_fragment *fragment, uint32_t *value,
                                    enum mapping_type *a) {
    const bool is_sparse = mapping_instruction_is_sparse(fragment->instruction);
    const struct mapping_shape shape = fragment->shape;
    if (mapping_instruction_probe(fragment->instruction) != PROBE_TCGEN05 ||
        !mapping_instruction_multiplies(fragment->instruction) || fragment->operand != MAPPING_D)
        return false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct kind *kind = &kinds[k];
        if (shape.k != kind->depth << is_sparse || fragment->type != kind->d)
            continue;
        *a = kind->a;
        *value = (uint32_t)is_sparse << SPARSE | (uint32_t)kind->d_number << TYPE_OF_D |
                 (uint32_t)kind->a_number << TYPE_OF_A | (uint32_t)kind->a_number << TYPE_OF_B |
                 shape.n / 8U << N_BY_8 | (uint32_t)kind->has_scales << UE8M0_SCALES |
                 shape.m / 16U << M_BY_16 | (uint32_t)(kind->depth == 96) << K_IS_96;
        return true;
    }
    return false;
}
