/* observation.h - the layout of one fragment on one architecture, and the sources that observed or
 * stated it. */
#ifndef OBSERVATION_H
#define OBSERVATION_H

#include "catalogue/fragment.h"

/* The origin of an observation or statement: the source, and its device or tools. */
struct evidence {
    bool is_recorded; /* read back from a results file, not made now */
    const char *kind; /* "gpu", "sass", "published", "isa"; not NULL */
    const char *with; /* "ptxas 11.8.89, nvdisasm 11.8.86"; shorter than EVIDENCE_TEXT, not NULL */
};

enum { EVIDENCE_TEXT = 192 };

#define PROVENANCE_MAX 10
#define PROVENANCE_TEXT 2048

/* Everything that a layout rests on. All of it agrees in every entry. */
struct provenance {
    unsigned count;
    struct evidence evidence[PROVENANCE_MAX];
};

/* Writes it as one line of text: "gpu (NVIDIA H200, nvcc 13.0.88); recorded: sass (ptxas 11.8.89,
 * nvdisasm 11.8.86; ptxas 13.5.37, nvdisasm 13.5.37)". Neighbours of one kind share parentheses. */
void provenance_text(const struct provenance *provenance, char text[PROVENANCE_TEXT]);

/* The same, if it has at most `width` characters; else without versions of most tools: "recorded:
 * sass (ptxas 11.8 to 13.5)". */
void provenance_summarize(const struct provenance *provenance, size_t width,
                          char text[PROVENANCE_TEXT]);

/* Reads such a line back; false if it is not one. */
bool provenance_parse(const char *text, struct provenance *provenance);

/* Appends what was seen or stated now; `kind` is not copied. */
void provenance_add(struct provenance *provenance, const char *kind, const char *with);

/* Adds the evidence of another that is not there already: by version among the evidence of its
 * kind; evidence of a new kind at the end. */
void provenance_merge(struct provenance *provenance, const struct provenance *other);

/* The first evidence of a kind; NULL if there is none. */
const struct evidence *provenance_find(const struct provenance *provenance, const char *kind);

/* The observation that confirmed, on some architecture, what the PTX ISA states. */
struct confirmation {
    unsigned arch;    /* 90 for sm_90; 0 if there is none */
    const char *with; /* as of evidence; NULL if there is none */
};

struct observation {
    unsigned arch; /* 75 for sm_75 */
    struct mapping_fragment fragment;
    struct mapping_layout layout; /* (tid, i) -> ([block,] row, col) */
    struct provenance provenance;
    struct confirmation confirmation; /* on another architecture, if none on this one */
};

/* True if nothing but the PTX ISA, or a report of others, says so. */
bool observation_is_statement(const struct observation *observation);

/* True if the evidence names no hardware, neither a device here nor what others measured: then the
 * confirmation counts, or nothing confirms the layout. */
bool observation_needs_confirmation(const struct observation *observation);

#endif
