/* cuda_convert.h - register conversions as device functions of CUDA; see convert/convert.h and
 * report/conversion.h. */
#ifndef CUDA_CONVERT_H
#define CUDA_CONVERT_H

#include "output/output.h"

/* True if the plan of a conversion can be printed as a function of acceptable length. */
bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan);

/* Prints device functions: mapping_mma_m16n8k16_d_f32_to_mma_m16n8k16_a_f16, and where a
 * permutation of columns or rows saves the shuffles, the one without them, whose name ends with
 * _permuted. False if one cannot be written, or is longer than anybody would want: as where single
 * bits change from each thread to each. */
bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style);

#endif
