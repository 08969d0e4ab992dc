/* triton_layout.h - layouts as Triton prints them: attributes of its dialects ttg and ttng, alone
 * or in a type that has the shape and the element type of the tensor:
 *
 *     #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], ...}>
 *     tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{...}>, kWidth = 2}>>
 *     !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, ...}>>
 *
 * TritonGPUAttrDefs.td and LinearLayoutConversions.cpp of Triton define the attributes. */
#ifndef LAYOUT_TRITON_LAYOUT_H
#define LAYOUT_TRITON_LAYOUT_H

#include "layout/layouts.h"

/* A distributed layout of threads, or the layout of a tensor in Tensor Memory. */
struct mapping_triton {
    struct mapping_layout layout; /* owned; ([cta,] tid, i) -> ([block,] row, col), or for Tensor
                                     Memory (row, col[, copy]) -> ([cta,] lane, column[, bit]) */
    uint32_t lanes;               /* the number of threads of a warp; 0 for Tensor Memory */
    char type[24];                /* the element type, as Triton names it; "" if not stated */
};

/* Makes the layout of an attribute of registers or Tensor Memory. The size of the tensor is that in
 * its type, or `extent`, rows and columns. Without either, {0, 0} gives the size that the layout
 * covers without repeating. A tensor of one dimension is one row; the first of three dimensions is
 * `block`. Fails with MAPPING_INVALID and a message. */
enum mapping_status mapping_triton_make(const char *text, const uint32_t extent[2],
                                        struct mapping_triton *triton, struct mapping_error *error);

#endif
