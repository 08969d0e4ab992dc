/* facts.h - the facts about a layout: its evidence, how it is tiled or loaded, the Tensor Memory
 * that it uses, targets and notes. Text, Markdown, JSON, pictures and pages show the same facts,
 * each in its own way.
 *
 *     source        source: isa (PTX ISA 9.0 section 9.7.14.5.8)
 *     confirmed     confirmed on sm_90: NVIDIA H200, nvcc 13.0.88
 *     unconfirmed   not confirmed on hardware
 *     note          note: an element of 4 bits is in bits 5:2 of its byte
 *     instruction   instruction: 2 x 4 of mma.m16n8k16.d.f32
 *     reading       the array was read as array[row, col]: numbers of the source
 *     gaps          14 of 96 values are not reached
 *     dense-column  column in dense A: col * 2 + n, where n (0 or 1) is in operand e */
#ifndef FACTS_H
#define FACTS_H

#include "catalogue/catalogue.h"
#include "report/report.h"
#include "system/system.h"

/* The key tells programs the subject of the fact. Several facts may have the same key. */
struct fact {
    const char *key, *text;
};

struct facts {
    struct fact *fact;
    size_t count, capacity;
};

/* Adds a fact, whose text is as of printf. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void facts_add(struct facts *facts, const char *key, const char *format, ...);

/* All facts of a report, the evidence in full; of several fragments that are alike, those of all,
 * behind names where not all have them. They are in the current arena. */
struct facts facts_of(const struct report *report);

/* The same as text shows them: without --detail, at most two of them are about the
 * evidence; they omit versions of tools and other sources of the same layout. Hints about the
 * command line, whose key is "", stand between them. */
struct facts facts_in_brief(const struct report *report);

/* True if --detail asks for all that is known. */
bool facts_are_detailed(const struct report *report);

/* True if a fact is the size of a matrix in memory, or a note on its notation. */
bool fact_is_of_matrix(const struct report *report, const struct fact *fact);

/* "uses" for one name, "use" for several, as in "CUTLASS, JAX use the same layout". */
const char *facts_verb(const char *names);

/* The part of Tensor Memory that a layout occupies. */
struct tensor_memory {
    uint32_t lanes;  /* occupied lanes */
    uint32_t ranges; /* number of ranges of consecutive lanes */
    uint32_t first[MAPPING_LANES], last[MAPPING_LANES];
    bool is_of_each_warp;                       /* true if there is one range in each warp, the same
                                                   in all warps */
    uint32_t columns;                           /* number of columns up to the last occupied one */
    uint32_t allocated;                         /* columns to request from tcgen05.alloc */
    uint32_t bits[MAPPING_COLUMN_BITS], places; /* bits of a column at which elements begin */
    uint32_t ctas;
};

/* Finds the lanes and columns that a fragment occupies; false if it is not in Tensor Memory. */
bool tensor_memory_find(const struct report *report, struct tensor_memory *memory);

/* The facts about when threads may access Tensor Memory: what to execute "before" an access, and
 * when it is "done". None if the report is not about Tensor Memory. (PTX ISA, section 9.7.16.6.) */
struct facts tensor_memory_waits(const struct report *report);

#endif
