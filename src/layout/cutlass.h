/* cutlass.h - the layouts of CUTLASS 2, by their names; see memory.h. */
#ifndef CUTLASS_LAYOUT_H
#define CUTLASS_LAYOUT_H

#include "layout/memory_parts.h"

/* True for "TensorOpMultiplicand<16,64>" and what resembles it. */
bool mapping_cutlass_is_meant(const char *text);

/* Makes the table of a layout, packed. Of a layout of pitch-linear coordinates rows are strided and
 * columns contiguous. Without an extent it is the smallest tile after which the pattern repeats;
 * where a single element or a strip would be that, as of RowMajor, it is filled up to 16 x 16. */
enum mapping_status mapping_cutlass_make(const struct mapping_memory_request *request,
                                         struct mapping_memory *memory,
                                         struct mapping_error *error);

#endif
