/* observation.h - the layout of one fragment on one architecture, and the sources that observed or
 * stated it. */
#ifndef OBSERVATION_H
#define OBSERVATION_H

#include "catalogue/fragment.h"

/* The origin of an observation or statement: the source, and its device or tools. */
struct evidence {
    bool is_recorded; /* read from a results file, not observed now */
    const char *kind; /* "gpu", "sass", "published", "isa"; not NULL */
    const char *with; /* "ptxas 11.8.89, nvdisasm 11.8.86"; shorter than EVIDENCE_TEXT, not NULL */
};

enum { EVIDENCE_TEXT = 192 };

#define PROVENANCE_MAX 10

/* All evidence for a layout. Every piece has the same layout at every entry. */
struct provenance {
    unsigned count;
    struct evidence evidence[PROVENANCE_MAX];
};

/* All of it as one line of text: "gpu (NVIDIA H200, nvcc 13.0.88); recorded: sass (ptxas 11.8.89,
 * nvdisasm 11.8.86; ptxas 13.5.37, nvdisasm 13.5.37)". Neighbours of one kind share parentheses. */
char *provenance_text(const struct provenance *provenance);

/* The same line if it has at most `width` characters; otherwise, without versions of most
 * tools: "recorded: sass (ptxas 11.8 to 13.5)". */
char *provenance_summarize(const struct provenance *provenance, size_t width);

/* Parses such a line; false if it is malformed. */
bool provenance_parse(const char *text, struct provenance *provenance);

/* Appends evidence that was observed or stated now; `kind` is not copied. */
void provenance_add(struct provenance *provenance, const char *kind, const char *with);

/* Adds the evidence of `other` that is missing. Evidence of a known kind is inserted by version,
 * evidence of a new kind is appended. */
void provenance_merge(struct provenance *provenance, const struct provenance *other);

/* The first evidence of a kind; NULL if there is none. */
const struct evidence *provenance_find(const struct provenance *provenance, const char *kind);

/* An observation on some architecture that confirmed the layout of the PTX ISA. */
struct confirmation {
    unsigned arch;    /* 90 for sm_90; 0 if there is none */
    const char *with; /* as in struct evidence; NULL if there is none */
};

struct observation {
    unsigned arch; /* 75 for sm_75 */
    struct mapping_fragment fragment;
    struct mapping_layout layout; /* (tid, i) -> ([block,] row, col) */
    struct provenance provenance;
    struct confirmation confirmation; /* on another architecture, if there is none on this one */
};

/* True if the only evidence is the PTX ISA, or a report by others. */
bool observation_is_statement(const struct observation *observation);

/* True if the evidence names no hardware, neither an observed device nor published measurements.
 * Then only a confirmation can confirm the layout. */
bool observation_needs_confirmation(const struct observation *observation);

#endif
