/* derive.h - makes reports from observations: applies tilings, and derives inverses and formulae.
 */
#ifndef DERIVE_H
#define DERIVE_H

#include "report/report.h"

/* How a multiplication is repeated over a tile. */
struct tile_request {
    bool is_given;
    struct mapping_tiling tiling;
    char *text; /* the same in words: "atom layout (2,2,1)" */
};

/* True if it is an operand in registers of an mma or wgmma that is not sparse. */
bool can_be_tiled(const struct mapping_fragment *fragment);

/* The fragment that is repeated over a tile: rows of A run along M and its columns along K, and so
 * on. MAPPING_INVALID if the fragment cannot be tiled. */
enum mapping_status derive_atom(const struct mapping_fragment *fragment, struct mapping_atom *atom,
                                struct mapping_error *error);

/* Deduces a formula for each axis of the target of derived->layout; the arena frees them.
 * MAPPING_NO_FORMULA if one has none. */
enum mapping_status derive_formulae(struct derived *derived);

/* Derives formulae of the layout in report->observed and of its inverse: moves it to `forward`,
 * inverts it, and deduces all formulae. `copy` is what its copies are called. MAPPING_NO_FORMULA if
 * an axis of the target has none; MAPPING_INVALID if it cannot be inverted. */
enum mapping_status derive_solution(struct report *report, const char *copy,
                                    struct mapping_error *error);

/* Derives the formulae of report->forward.layout, which somebody brought, and of its inverse if
 * there is one. MAPPING_NO_FORMULA if an axis of the target has no formula. */
enum mapping_status derive_table(struct report *report);

/* Derives both for a layout that places a matrix in Tensor Memory. Its inverse may have gaps. */
enum mapping_status derive_lanes(struct report *report);

/* Makes the inverse of a layout that meets no point of its target twice: with an axis of one copy,
 * as inverses have it, and UINT32_MAX where nothing lies. The arena frees it. The target has
 * fewer than 2^32 points. */
void derive_places(const struct mapping_layout *layout, struct mapping_layout *inverse);

/* Derives `count` reports of fragments in parallel, and names them. Tiles them first if `tile` asks
 * for it. MAPPING_NO_FORMULA if one of them has no formula. */
enum mapping_status derive_all(struct report *reports, size_t count,
                               const struct tile_request *tile, struct mapping_error *error);

#endif
