/* shared_experiments.h - two independent experiments that observe the addresses of the elements of
 * a matrix in shared memory, in the layouts that TMA writes and wgmma reads.
 *
 * In the first one, TMA copies a matrix in which each element equals its index to shared memory,
 * and the host reads the result. In the second one, each element of shared memory equals its index.
 * wgmma takes A from there by its descriptor, and B has ones on a diagonal and is 0 elsewhere, so
 * that D shows the elements that wgmma reads as A. */
#ifndef SHARED_EXPERIMENTS_H
#define SHARED_EXPERIMENTS_H

#include "smem/matrix.h"
#include "source/source.h"

#include "catalogue/fragment.h"

/* One of the canonical layouts, which CuTe calls Layout_K_INTER_Atom to Layout_MN_SW128_Atom. Its
 * atom has 8 lines of contiguous bytes, as many as the swizzle is wide; 16 without a swizzle. Lines
 * are rows along K, or for MN-major layouts, columns. (PTX ISA 9.0, "Asynchronous Warpgroup Level
 * Matrix Shared Memory Layout", and "Swizzling Modes" of tensors.) */
struct canonical {
    bool is_k_major;        /* else MN-major */
    uint32_t swizzle_bytes; /* 128, 64, 32; 0 for none */
    uint32_t bits;          /* of an element: 8, 16 or 32 */
};

/* True if wgmma can read it: MN-major elements must have 16 bits (PTX ISA 9.0, "wgmma.mma_async":
 * imm-trans-a is for f16 and bf16). */
bool is_read_by_wgmma(const struct canonical *which);

/* Observes the addresses of the elements of an atom, and makes the layout (row, col) -> (offset),
 * with rows along M or N, columns along K, and offsets in elements. The caller owns the layout,
 * also after a failure. `with` receives the names of the device, the compiler and the experiments:
 * "NVIDIA H200, nvcc 13.0.88, TMA and wgmma", or only "TMA" for MN-major elements of 8 and 32 bits,
 * which wgmma cannot read.
 *
 * MAPPING_FAILED with a message if the two experiments disagree anywhere in a tile of 64 rows;
 * MAPPING_UNAVAILABLE if the device is not sm_90, or if the driver lacks a function. */
enum mapping_status observe_atom(int device, const struct canonical *which,
                                 struct mapping_layout *layout, char with[DEVICE_TEXT_SIZE],
                                 struct mapping_error *error);

/* Observes the addresses from which one wgmma reads A, of 64 rows of 32 bytes, and makes the layout
 * (row, col) -> (offset) into 32 KiB of shared memory, in elements. The caller owns the layout,
 * also after a failure. The descriptor's start address is a multiple of 1024 plus `start_bytes`;
 * its base offset is 0. has_leading and the mode of `descriptor` are ignored: the device always
 * gets the leading offset, and swizzle_bytes determines the mode.
 *
 * The start and the offsets must be multiples of 16 bytes, and no byte after the 32 KiB may be
 * read. MAPPING_FAILED and MAPPING_UNAVAILABLE as above. */
enum mapping_status observe_descriptor(int device, uint32_t bits, uint32_t start_bytes,
                                       const struct mapping_descriptor *descriptor,
                                       struct mapping_layout *layout, struct mapping_error *error);

#endif
