/* instruction_descriptor.c - the 32 bits that tell tcgen05.mma its shape and types: PTX ISA 9.1,
 * 9.7.16.4.2.
 *
 *     2      sparse                      17-22  N / 8
 *     4-5    type of D                   23     type of the scale factors, 1 for ue8m0
 *     7-9    type of A                   24-28  M / 16
 *     10-12  type of B                   31     K is 96
 *
 * Of kinds with scale factors 4-5 are an ID of theirs, and M is a multiple of 128, M / 128 in
 * 27-28. What else there is is 0: negation, transposition, which is that A and B are not K-major,
 * scale factor IDs and the sparsity selector. */
#include "catalogue/family.h"

enum { SPARSE = 2, TYPE_OF_D = 4, TYPE_OF_A = 7, TYPE_OF_B = 10, N_BY_8 = 17, UE8M0_SCALES = 23 };
enum { M_BY_16 = 24, K_IS_96 = 31 };

/* A kind, with one of the types that A has with a D of that type and that depth, dense, and the
 * numbers of both; with scale factors D has none. */
static const struct kind {
    const char *name;
    uint16_t depth;
    enum mapping_type d, a;
    uint8_t d_number, a_number;
    bool has_scales;
    enum mapping_type scales;
} kinds[] = {
    {"f16", 16, MAPPING_F32, MAPPING_F16, 1, 0, false, MAPPING_F32},
    {"f16", 16, MAPPING_F16, MAPPING_F16, 0, 0, false, MAPPING_F32},
    {"tf32", 8, MAPPING_F32, MAPPING_TF32, 1, 2, false, MAPPING_F32},
    {"f8f6f4", 32, MAPPING_F32, MAPPING_E4M3, 1, 0, false, MAPPING_F32},
    {"f8f6f4", 32, MAPPING_F16, MAPPING_E4M3, 0, 0, false, MAPPING_F32},
    {"mxf8f6f4", 32, MAPPING_F32, MAPPING_E4M3, 0, 0, true, MAPPING_UE8M0},
    {"i8", 32, MAPPING_S32, MAPPING_S8, 2, 1, false, MAPPING_F32},
    {"mxf4", 64, MAPPING_F32, MAPPING_E2M1, 0, 1, true, MAPPING_UE8M0},
    {"mxf4nvf4", 64, MAPPING_F32, MAPPING_E2M1, 0, 1, true, MAPPING_UE4M3},
    {"mxf4", 96, MAPPING_F32, MAPPING_E2M1, 0, 1, true, MAPPING_UE8M0},
    {"mxf4nvf4", 96, MAPPING_F32, MAPPING_E2M1, 0, 1, true, MAPPING_UE4M3},
};

/* True if the kind makes this D (scale factors: PTX ISA 9.1, Table 39). */
static bool makes(const struct kind *kind, const struct mapping_fragment *fragment,
                  bool is_sparse) {
    const uint16_t scaled_from = mapping_family(fragment->instruction)->scaled_from;
    return fragment->shape.k == kind->depth << is_sparse && fragment->type == kind->d &&
           (!kind->has_scales || (scaled_from > 0 && fragment->shape.m >= scaled_from));
}

/* The bits that say so. */
static uint32_t encode(const struct kind *kind, struct mapping_shape shape, bool is_sparse) {
    const bool has_ue8m0 = kind->has_scales && kind->scales == MAPPING_UE8M0;
    return (uint32_t)is_sparse << SPARSE | (uint32_t)kind->d_number << TYPE_OF_D |
           (uint32_t)kind->a_number << TYPE_OF_A | (uint32_t)kind->a_number << TYPE_OF_B |
           shape.n / 8U << N_BY_8 | (uint32_t)has_ue8m0 << UE8M0_SCALES | shape.m / 16U << M_BY_16 |
           (uint32_t)(kind->depth == 96) << K_IS_96;
}

bool mapping_instruction_descriptor(const struct mapping_fragment *fragment, size_t n,
                                    struct mapping_instruction_descriptor *descriptor) {
    const bool is_sparse = mapping_instruction_is_sparse(fragment->instruction);
    if (mapping_instruction_probe(fragment->instruction) != PROBE_TCGEN05 ||
        !mapping_instruction_multiplies(fragment->instruction) || fragment->operand != MAPPING_D)
        return false;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const struct kind *kind = &kinds[k];
        if (!makes(kind, fragment, is_sparse) || n-- > 0)
            continue;
        *descriptor = (struct mapping_instruction_descriptor){
            encode(kind, fragment->shape, is_sparse), kind->name, kind->a, kind->has_scales,
            kind->scales};
        return true;
    }
    return false;
}
