/* gluon.h - layouts as Gluon, the tile language in Triton, writes and prints them:
 *
 *     BlockedLayout(size_per_thread=[1, 8], threads_per_warp=[4, 8], warps_per_cta=[4, 1], ...)
 *     gl.SliceLayout(1, gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
 *     gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
 *
 * Also a LinearLayout as Triton prints it: " - register=1 -> (0, 1)", ..., "where out dims are:
 * [dim0 (size 16), dim1 (size 8)]".
 *
 * The classes are those of triton/experimental/gluon/language/_layouts.py and
 * .../nvidia/blackwell/__init__.py (Triton 3.9; the CTAs of a layout may also be written as
 * in 3.4). */
#ifndef GLUON_H
#define GLUON_H

#include "system/system.h"

/* True if the text is the call of a class of Gluon's layouts, also with "name =" before it; or a
 * printed LinearLayout. */
bool gluon_is_meant(const char *text);

/* Writes the layout as an attribute of Triton's dialects: "#ttg.blocked<{sizePerThread = ...}>".
 * MAPPING_INVALID, with a sentence, if the text is not valid. */
enum mapping_status gluon_translate(const char *text, struct printer *to,
                                    struct mapping_error *error);

#endif
