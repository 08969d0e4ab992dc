/* tensor_memory.h - what a layout takes of Tensor Memory, for those who see it the first time. */
#ifndef TENSOR_MEMORY_H
#define TENSOR_MEMORY_H

#include "catalogue/transfer.h"
#include "report/report.h"

struct tensor_memory {
    uint32_t lanes;  /* that have something in them */
    uint32_t ranges; /* of lanes one behind the other */
    uint32_t first[MAPPING_LANES], last[MAPPING_LANES];
    bool is_of_each_warp;                       /* one range in the lanes of each warp */
    uint32_t columns;                           /* up to the last one that is taken */
    uint32_t allocated;                         /* columns that tcgen05.alloc has to be asked for */
    uint32_t bits[MAPPING_COLUMN_BITS], places; /* of a column, at which elements begin */
    uint32_t ctas;
};

/* Finds what the layout of a fragment takes; false if it does not lead to lanes and columns. */
bool tensor_memory_find(const struct report *report, struct tensor_memory *memory);

/* True if each warp reaches no more than half as many lanes with something in them as it could. */
bool tensor_memory_is_in_halves(const struct tensor_memory *memory);

#endif
