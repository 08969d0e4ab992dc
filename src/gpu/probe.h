/* probe.h - the kernels of the gpu source. */
#ifndef PROBE_H
#define PROBE_H

#include "mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel for one fragment, to be launched with blocks of one warp and one parameter, the address
 * of the output.
 *
 * Block b fills the accumulator with ones and zeros: element i of thread tid is bit b / 2 of the
 * number tid * elements + i, inverted if b is odd. It stores the fragment as a row-major matrix
 * without padding in the b-th place of the output. */
struct probe {
    const void *kernel;
    uint32_t one; /* the bit pattern of 1 in the fragment's type; 0 is 0 */
};

/* Finds the kernel for the fragment; false if there is none. */
bool probe_find(const struct mapping_fragment *fragment, struct probe *probe);

/* The architectures that the kernels were compiled for, 750 for sm_75; the list ends with 0. */
extern const int probe_archs[];

/* The compiler's version, e.g. "13.0.88". */
extern const char probe_compiler[];

#ifdef __cplusplus
}
#endif

#endif
