/* probe.h - the kernels of the gpu source. */
#ifndef PROBE_H
#define PROBE_H

#include "mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel writes for an element that is neither 0 nor 1. */
enum { PROBE_NEITHER = 2 };

/* Finds the kernel for the fragment; NULL if there is none. It is to be launched with blocks of one
 * warp, and has two parameters: the address of the output, and an int that says whether the matrix
 * lies in memory column by column (1) or row by row (0).
 *
 * Block b works with ones and zeros: element e is bit b / 2 of the number e, inverted if b is odd.
 * For A, B and C the matrix is filled with them and loaded; output[b * elements + tid *
 * elements_per_thread
 * + i] is what (tid, i) got. For D the fragment is filled with them, e = tid * elements_per_thread
 * + i, and stored; output[b * elements + place in memory] is what was stored there. The output has
 * a byte for each element: 0, 1, or PROBE_NEITHER. */
const void *probe_find(const struct mapping_fragment *fragment);

/* The architectures that the kernels were compiled for, 750 for sm_75; the list ends with 0. */
extern const int probe_archs[];

/* The compiler's version, e.g. "13.0.88". */
extern const char probe_compiler[];

#ifdef __cplusplus
}
#endif

#endif
