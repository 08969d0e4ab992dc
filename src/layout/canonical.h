/* canonical.h - the layouts that wgmma and tcgen05.mma read, as CuTe builds them; see memory.h.
 *
 * An atom is 8 rows along M or N of 16, 32, 64 or 128 bytes along K (K-major), or 8 columns along K
 * of as many bytes along M or N (MN-major); it is the smallest tile of a swizzle of that width.
 * TMA writes the same tiles where the inner dimension of its box has the width of the swizzle.
 */
#ifndef CANONICAL_H
#define CANONICAL_H

#include "layout/memory_parts.h"

/* True for "Layout_K_SW128_Atom" and what resembles it. */
bool mapping_canonical_is_meant(const char *text);

/* Makes the table of an atom, or with an extent that of tile_to_shape(atom, (rows, columns)):
 * rows along M or N, columns along K; atoms follow one another along the rows first. */
enum mapping_status mapping_canonical_make(const struct mapping_memory_request *request,
                                           struct mapping_memory *memory,
                                           struct mapping_error *error);

#endif
