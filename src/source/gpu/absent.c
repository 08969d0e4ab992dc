/* absent.c - replaces the gpu source if the program is built without nvcc. */
#include "source/gpu/kernels.h"
#include "source/source.h"

#include <limits.h>

/* Without nvcc, the version of PTX is not limited, so experiment.c leaves nothing out. */
const unsigned nvcc_ptx = UINT_MAX;

static enum mapping_status absent(struct mapping_error *error) {
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "this program was built without nvcc, so it cannot use a GPU");
}

enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error) {
    (void)device, (void)arch;
    return absent(error);
}

enum mapping_status gpu_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    (void)arch, (void)observations, (void)count, (void)machinery;
    return absent(error);
}
