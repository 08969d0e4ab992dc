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
 * atom has 8 lines of so many contiguous bytes as the swizzle is wide, without one 16: lines are
 * rows and go along K, or, of MN-major ones, columns. (PTX ISA 9.0, "Asynchronous Warpgroup Level
 * Matrix Shared Memory Layout", and "Swizzling Modes" of tensors.) */
struct canonical {
    bool is_k_major;        /* else MN-major */
    uint32_t swizzle_bytes; /* 128, 64, 32; 0 for none */
    uint32_t bits;          /* of an element: 8, 16 or 32 */
};

/* True if wgmma reads it: MN-major elements have to have 16 bits (PTX ISA 9.0, "wgmma.mma_async":
 * imm-trans-a is of f16 and bf16). */
bool is_read_by_wgmma(const struct canonical *which);

/* Sees where the elements of an atom lie, and makes the layout (row, col) -> (offset), rows along M
 * or N, columns along K, offsets in elements; owned by the caller, also after a failure. `with`
 * gets what it was seen with: "NVIDIA H200, nvcc 13.0.88, TMA and wgmma", or "TMA" alone for
 * MN-major elements of 8 and 32 bits, which wgmma does not read.
 *
 * MAPPING_FAILED with a sentence if the two disagree anywhere in a tile of 64 rows;
 * MAPPING_UNAVAILABLE if the device is not sm_90, or the driver does not have what it takes. */
enum mapping_status observe_atom(int device, const struct canonical *which,
                                 struct mapping_layout *layout, char with[DEVICE_TEXT_SIZE],
                                 struct mapping_error *error);

/* Sees from where one wgmma reads A, of 64 rows of 32 bytes, and makes the layout (row, col) ->
 * (offset) into 32 KiB of shared memory, in elements; owned by the caller, also after a failure.
 * The descriptor's start address is `start_bytes` behind a multiple of 1024; its base offset is 0.
 * Of the descriptor here has_leading and the mode are not looked at: the leading offset is given to
 * the device in any case, and the mode follows from swizzle_bytes.
 *
 * Start and offsets have to be multiples of 16 bytes, and nothing may be read behind the 32 KiB.
 * MAPPING_FAILED and MAPPING_UNAVAILABLE as above. */
enum mapping_status observe_descriptor(int device, uint32_t bits, uint32_t start_bytes,
                                       const struct mapping_descriptor *descriptor,
                                       struct mapping_layout *layout, struct mapping_error *error);

#endif
