/* canonical.h - what the experiments behind shared.h share. */
#ifndef GPU_CANONICAL_H
#define GPU_CANONICAL_H

#include "source/gpu/shared.h"

/* Lines of an atom. */
#define ATOM_LINES 8

/* The contiguous bytes of a line, and how many elements these are. */
static inline uint32_t canonical_line_bytes(const struct canonical *which) {
    return which->swizzle_bytes ? which->swizzle_bytes : 16;
}
static inline uint32_t canonical_line(const struct canonical *which) {
    return canonical_line_bytes(which) * 8 / which->bits;
}

/* MAPPING_INVALID unless there are elements of so many bits and such a swizzle. */
enum mapping_status canonical_check(uint32_t bits, uint32_t swizzle_bytes,
                                    struct mapping_error *error);

/* Makes the device the current one. MAPPING_UNAVAILABLE if the experiments cannot be done there. */
enum mapping_status shared_prepare(int device, unsigned *arch, struct mapping_error *error);

/* Sees where TMA writes the elements of a tile of so many lines, 8 to 64: offsets[line *
 * canonical_line + place in the line], in elements from where the tile starts. */
enum mapping_status tma_observe(const struct canonical *which, uint32_t lines, uint32_t *offsets,
                                struct mapping_error *error);

#endif
