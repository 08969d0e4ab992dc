/* tv_layout.h - TV layouts of CuTe: functions from a thread and a value to the index of an element
 * in a column-major tile, row + ROWS * col. The print of a TiledCopy contains a TV layout and the
 * size of the tile:
 *
 *     TiledCopy
 *       Tiler_MN:       (_16,_64)
 *       TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)
 *
 * C++ prints this; the Python DSL prints "Tiler MN: (16:1,64:1)" and "TV Layout tiled: ...". A
 * single line, such as "LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", has no size. Code gives
 * either two layouts, which map rows and columns to threads and to values,
 *
 *     make_tiled_copy(atom, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})
 *
 * or, in the DSL, a TV layout and its tile: cute.make_tiled_copy(atom, layout_tv, tiler_mn).
 * In the first form, element (r, c) of the values of the thread at (tr, tc) is in row tr * ROWS + r
 * and column tc * COLS + c, where ROWS x COLS is the shape of the values. (CUTLASS 4.2,
 * include/cute/atom/copy_atom.hpp: print, make_tiled_copy; mma_atom.hpp: print.) */
#ifndef TV_LAYOUT_H
#define TV_LAYOUT_H

#include "layout/layouts.h"

struct mapping_tv {
    struct mapping_layout layout; /* owned; (tid, i) -> (row, col) */
    uint32_t bits;                /* the size of an element; 0 if not stated */
    char name[160];               /* "TiledCopy ((8,16),8):((128,1),16)"; may be cut off */
};

/* True if the text is a print of a TiledCopy, a call that makes one, or a layout with the label of
 * a TV layout. */
bool mapping_tv_is_meant(const char *text);

/* True if such a text gives the size of its tile. */
bool mapping_tv_is_sized(const char *text);

/* Makes the layout. If the text has no size, it takes `extent`, rows and columns. MAPPING_INVALID
 * with a message if the text or the size is wrong. */
enum mapping_status mapping_tv_make(const char *text, const uint32_t extent[2],
                                    struct mapping_tv *tv, struct mapping_error *error);

#endif
