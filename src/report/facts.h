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

#include "catalogue/transfer.h"
#include "report/report.h"
#include "system/system.h"

struct fact {
    char key[32]; /* "" if the text is a sentence of its own */
    char *text;
};

struct facts {
    struct fact *fact;
    size_t count, room;
};

/* Adds all facts of a report. Short ones have at most two lines about its evidence, which leave out
 * versions of tools and who states the same. */
void facts_add(struct facts *facts, const struct report *report, bool is_short);

/* "uses" of one name, "use" of several, as in "CUTLASS, JAX use the same layout". */
const char *facts_verb(const char *names);

/* Prints each fact as "key: text". In a comment, "# " stands before each line, and all facts except
 * the source are wrapped to fit a terminal. Frees the facts: every report has some. */
void facts_print(struct printer *to, struct facts *facts, bool is_comment);

/* Prints a text as such a comment. */
void facts_print_folded(struct printer *to, const char *text);

/* What a layout takes of Tensor Memory. */
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

#endif
