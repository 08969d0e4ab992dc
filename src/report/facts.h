/* facts.h - the facts about a layout: its evidence, how it is tiled or loaded, the Tensor Memory
 * that it uses, targets and notes. Text, Markdown, JSON, pictures and pages show the same facts,
 * each in its own way.
 *
 *     source        source: isa (PTX ISA 9.0 section 9.7.14.5.8)
 *     confirmed     confirmed on sm_90: NVIDIA H200, nvcc 13.0.88
 *     unconfirmed   not confirmed on hardware
 *     note          note: an element of 4 bits is in bits 5:2 of its byte
 *     instruction   instruction: 2 x 4 of mma.m16n8k16.d.f32
 *     gaps          14 of 96 values are not reached
 *     dense-column  column in dense A: col * 2 + n, where n (0 or 1) is in operand e */
#ifndef FACTS_H
#define FACTS_H

#include "catalogue/catalogue.h"
#include "report/report.h"
#include "system/system.h"

/* The key says to programs what the fact is about; several facts may have the same. */
struct fact {
    const char *key, *text;
};

struct facts {
    struct fact *fact;
    size_t count;
};

/* All facts of a report, the evidence in full; of several fragments that are alike, those of all,
 * behind names where not all have them. They are in the current arena. */
struct facts facts_of(const struct report *report);

/* Where facts are printed in text. In a terminal, the evidence is above a layout; facts that its
 * user needs, such as the packing of elements, are below its formulae. */
enum facts_place {
    FACTS_ABOVE,        /* all but the packing, and those of FACTS_OF_MATRIX */
    FACTS_BELOW_ANSWER, /* with at most one line of evidence */
    FACTS_OF_EVIDENCE,  /* and how the layout is tiled or loaded */
    FACTS_OF_MATRIX,    /* the size of a matrix in memory, and notes on its notation */
    FACTS_OF_USE        /* all others, the packing too; last, hints about the command line */
};

/* Prints the facts of a place as comments, wrapped to fit a terminal, with hints about the command
 * line. If the report has no detail, at most two lines are about the evidence; they omit versions
 * of tools and other sources of the same layout. */
void facts_print_beside(struct printer *to, const struct report *report, enum facts_place place);

/* Prints the line above the facts: "# mma.m8n8k4.d.f16 on sm_70"; then that line and the facts. */
void facts_print_name(struct printer *to, const struct report *report);
void facts_print_header(struct printer *to, const struct report *report);

/* Says that a layout from threads has all copies, though a line of PTX or SASS selects one. */
void facts_print_unused(struct printer *to, const struct report *report);

/* Prints the packing of elements in registers as such comments. */
void facts_print_registers(struct printer *to, const struct report *report);

/* True if a fact is one of FACTS_OF_MATRIX. */
bool fact_is_of_matrix(const struct report *report, const struct fact *fact);

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
