/* scaled.c - the scale factors of A and B in the runs of a product; see scaled.h.
 *
 * In proof runs, each element times its factor is a random integer of gemm_plan.c, so D does not
 * depend on the factors. For example, for the integer 3, A may hold 6 with the factor 1/2, or 3/4
 * with the factor 4. So each partial sum of a right kernel is exact. If a kernel uses the factor of
 * another block, D is wrong unless both factors happen to be equal. Factors have 8 different
 * values, or 4 with an accumulator of f16, or 3 if elements are e2m1, which has few powers of two.
 */
#include "probe/scaled.h"

#include <math.h>

uint32_t scaled_offset(const struct problem *problem, unsigned side, uint32_t line, uint32_t k) {
    const struct mapping_scales *scales = &problem->scales[side];
    return mapping_scales_offset(scales, line / scales->kind->rows_of_block, k / scales->block);
}

struct scaled_range scaled_range(const struct problem *problem, unsigned side) {
    if (!problem->scales[side].kind)
        return (struct scaled_range){0, 1};
    if (problem->operand[side].type == MAPPING_E2M1)
        return (struct scaled_range){-2, 3}; /* elements are -3/2 to 3/2, times 1, 2 or 4 */
    if (problem->accumulator == MAPPING_F16)
        return (struct scaled_range){-2, 4}; /* the sum of a block must not overflow */
    return (struct scaled_range){-3, 8};
}

static int exponent_at(const struct problem *problem, size_t run, unsigned side, uint32_t offset) {
    const struct scaled_range range = scaled_range(problem, side);
    return range.least + (int)(number_hash(600 + 2 * run + side, offset) % range.count);
}

int scaled_exponent(const struct problem *problem, size_t run, unsigned side, uint32_t line,
                    uint32_t k) {
    return problem->scales[side].kind
               ? exponent_at(problem, run, side, scaled_offset(problem, side, line, k))
               : 0;
}

/* Returns the factor that represents 2^exponent. */
static uint64_t power(enum mapping_type type, int exponent) {
    return type == MAPPING_UE8M0   ? (uint64_t)(exponent + 127)
           : type == MAPPING_UE4M3 ? (uint64_t)(exponent + 7) << 3
                                   : (uint64_t)(exponent + 127) << 23;
}

struct addresses scaled_addresses(const struct problem *problem, unsigned side) {
    const enum mapping_type type = problem->operand[PROBE_SFA + side].type;
    const uint64_t prime = 2654435761; /* coprime to every size */
    const unsigned shift = type == MAPPING_UE8M0 ? 0 : type == MAPPING_UE4M3 ? 3 : 23;
    return addresses_make((struct codes){.first = power(type, -3) >> shift,
                                         .count = 8,
                                         .shift = shift,
                                         .bits = number_bits(type)},
                          mapping_scales_size(&problem->scales[side]), prime);
}

bool scaled_find(enum mapping_type type, double value, uint64_t *bits) {
    int exponent;
    if (!(value > 0) || !isfinite(value) || frexp(value, &exponent) != 0.5)
        return false;
    *bits = power(type, exponent - 1);
    return true;
}

double scaled_value(enum mapping_type type, uint64_t bits) {
    if (type == MAPPING_UE8M0)
        return bits == 0xff ? NAN : ldexp(1, (int)bits - 127);
    return number_value(type == MAPPING_UE4M3 ? MAPPING_E4M3 : type, bits);
}

/* In locating runs, all padding is 1. In proof runs, the padding after the rows is NaN, which a
 * right kernel does not let into D. The padding after the columns is the code 0, as cuBLAS and
 * others require: kernels may fill tiles of A and B with zeros, and multiply these by the padding.
 */
void scaled_fill(const struct plan *plan, unsigned side, enum scaled_fill with, size_t index,
                 void *array) {
    const struct problem *problem = &plan->problem;
    const struct mapping_scales *scales = &problem->scales[side];
    const enum mapping_type type = problem->operand[PROBE_SFA + side].type;
    const bool is_proof = with == FACTORS_PROOF || with == FACTORS_NO_NAN;
    for (uint32_t row = 0; row < scales->padded[0]; row++)
        for (uint32_t col = 0; col < scales->padded[1]; col++) {
            const uint32_t offset = mapping_scales_offset(scales, row, col);
            uint64_t factor = power(type, 0);
            if (with == FACTORS_DIGIT)
                factor = address_element(&plan->addresses[PROBE_SFA + side], index, offset);
            else if (is_proof && col >= scales->extent[1])
                factor = 0;
            else if (with == FACTORS_PROOF && row >= scales->extent[0])
                factor = type == MAPPING_UE8M0   ? 0xff
                         : type == MAPPING_UE4M3 ? 0x7f
                                                 : number_poison(type, 0);
            else if (is_proof)
                factor = power(type, exponent_at(problem, index, side, offset));
            number_put(array, number_bits(type), offset, factor);
        }
}
