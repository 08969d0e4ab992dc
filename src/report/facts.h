/* facts.h - what is known of a layout beside the layout: its evidence, how it is tiled or loaded,
 * what it takes of Tensor Memory, targets and notes. Text, pictures and pages print the same facts,
 * each in its own way.
 *
 *     source              isa (PTX ISA 9.0 section 9.7.14.5.8)
 *     confirmed on sm_90  NVIDIA H200, nvcc 13.0.88
 *     note                an element of 4 bits is in bits 5:2 of its byte
 *                         not confirmed on hardware */
#ifndef FACTS_H
#define FACTS_H

#include "catalogue/catalogue.h"
#include "report/report.h"
#include "system/system.h"

/* Prints all facts of a report, each as "key: text", or as the text alone if that is a sentence. In
 * a comment, each line begins with "# ", and all facts but the source are wrapped to fit a
 * terminal; if the report has no detail, there are at most two lines about the evidence, without
 * the versions of tools and other statements of the same layout. */
void facts_print(struct printer *to, const struct report *report, bool is_comment);

/* "uses" of one name, "use" of several, as in "CUTLASS, JAX use the same layout". */
const char *facts_verb(const char *names);

/* Prints a text of one or more lines as a comment, wrapped to fit a terminal. */
void facts_print_folded(struct printer *to, const char *text);

/* The part of Tensor Memory that a layout occupies. */
struct tensor_memory {
    uint32_t lanes;  /* occupied lanes */
    uint32_t ranges; /* of consecutive lanes */
    uint32_t first[MAPPING_LANES], last[MAPPING_LANES];
    bool is_of_each_warp;                       /* one range in each warp, the same in all */
    uint32_t columns;                           /* up to the last occupied one */
    uint32_t allocated;                         /* columns to request from tcgen05.alloc */
    uint32_t bits[MAPPING_COLUMN_BITS], places; /* bits of a column at which elements begin */
    uint32_t ctas;
};

/* Finds what the layout of a fragment occupies; false if it does not map to lanes and columns. */
bool tensor_memory_find(const struct report *report, struct tensor_memory *memory);

#endif
