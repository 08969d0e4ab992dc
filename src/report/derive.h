/* derive.h - makes reports from observations: applies tilings, and derives inverses and formulae.
 */
#ifndef DERIVE_H
#define DERIVE_H

#include "report/report.h"

/* A request to repeat a multiplication over a tile. */
struct tile_request {
    bool is_given;
    struct mapping_tiling tiling;
    char *text; /* the tile as a text: "atom layout (2,2,1)" */
};

/* True for an operand in registers of mma or wgmma without sparsity. */
bool can_be_tiled(const struct mapping_fragment *fragment);

/* The atom for a fragment that is repeated over a tile: rows of A are M and its columns are K, and
 * so on. MAPPING_INVALID if the fragment cannot be tiled. */
enum mapping_status derive_atom(const struct mapping_fragment *fragment, struct mapping_atom *atom,
                                struct mapping_error *error);

/* Deduces a formula for each axis of the output of derived->layout, in the current arena.
 * MAPPING_NO_FORMULA if an axis has no formula. */
enum mapping_status derive_formulae(struct derived *derived);

/* Derives the formulae of the layout in report->observed and of its inverse: moves the layout to
 * `forward`, inverts it, and deduces all formulae. `copy` is the name of the axis of copies.
 * MAPPING_NO_FORMULA if an axis of the output has no formula; MAPPING_INVALID if the layout cannot
 * be inverted. */
enum mapping_status derive_solution(struct report *report, const char *copy,
                                    struct mapping_error *error);

/* Derives the formulae of report->forward.layout, a layout of the user, and of its inverse if there
 * is one. MAPPING_NO_FORMULA if an axis of the output has no formula. */
enum mapping_status derive_table(struct report *report);

/* Derives both for the layout of a matrix in Tensor Memory. Its inverse may have gaps. */
enum mapping_status derive_lanes(struct report *report);

/* Makes the inverse of a layout that maps no two entries to the same point: with an axis of copies
 * of size 1, and UINT32_MAX at points without an entry, in the current arena. The output has fewer
 * than 2^32 points. */
void derive_places(const struct mapping_layout *layout, struct mapping_layout *inverse);

/* Derives `count` reports of fragments in parallel, and sets their names. If `tile` is given, tiles
 * them first. MAPPING_NO_FORMULA if one of them has no formula. */
enum mapping_status derive_all(struct report *reports, size_t count,
                               const struct tile_request *tile, struct mapping_error *error);

#endif
