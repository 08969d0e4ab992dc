/* report.h - what there is to print of one fragment: its map, where that comes from, its formulae.
 * Sources fill it, outputs print it, and neither knows the other. */
#ifndef REPORT_H
#define REPORT_H

#include "mapping.h"

/* One observation: by which source, and with which device or tools. */
struct evidence {
    bool recorded;  /* read back from a results file, not made now */
    char kind[16];  /* "gpu", "sass", "isa" */
    char with[192]; /* "ptxas 11.8.89, nvdisasm 11.8.86" */
};

#define PROVENANCE_MAX 4
#define PROVENANCE_TEXT 1024

/* Everything that a map rests on. The observations agree in every entry. */
struct provenance {
    unsigned count;
    struct evidence evidence[PROVENANCE_MAX];
};

/* Writes it as one line of text, e.g. "gpu (NVIDIA H200, nvcc 13.0.88); recorded: sass (...)". */
void provenance_print(const struct provenance *provenance, char text[PROVENANCE_TEXT]);

/* Reads such a line back; false if it is not one. */
bool provenance_parse(const char *text, struct provenance *provenance);

/* Appends one observation of now. */
void provenance_add(struct provenance *provenance, const char *kind, const char *with);

/* Appends the observations of another. */
void provenance_append(struct provenance *provenance, const struct provenance *other);

/* A formula, if there is one. */
struct deduced {
    bool found;
    struct mapping_formula formula;
};

enum { INVERSE_TID, INVERSE_I, INVERSES };

/* The observation that confirmed, on some architecture, what the PTX ISA states. */
struct confirmation {
    unsigned arch; /* 90 for sm_90; 0 if there is none */
    char with[192];
};

struct report {
    unsigned arch;     /* 75 for sm_75 */
    bool default_arch; /* nobody asked for this architecture, and no GPU chose it */
    struct mapping_fragment fragment;
    const char *tiling;     /* how it is repeated over a tile, in words; NULL if it is not */
    struct mapping_map map; /* owned */
    uint32_t *holders;      /* owned; what mapping_map_invert makes of the map */
    struct provenance provenance;
    struct confirmation confirmation;             /* where nothing but the PTX ISA says so here */
    struct deduced formulae[MAPPING_COORDINATES]; /* of FORWARD_VARIABLES */
    struct deduced inverse[INVERSES];             /* of INVERSE_VARIABLES */
};

/* Formulae are in i and tid, their inverse in row and col, and where there is more than one, in
 * block and copy. */
enum { FORWARD_VARIABLES = 2, INVERSE_VARIABLES = 4 };
void forward_variables(const struct mapping_map *map,
                       struct mapping_variable variables[FORWARD_VARIABLES]);
void inverse_variables(const struct report *report,
                       struct mapping_variable variables[INVERSE_VARIABLES]);

/* What the copies of a fragment are numbered by: "selector" for sparsity metadata, of which the
 * instruction reads the copy that its sparsity selector says, else "copy". */
const char *copy_word(const struct mapping_fragment *fragment);

/* True if the map was stated by the PTX ISA alone, and not observed. */
bool is_only_stated(const struct provenance *provenance);

/* Checks the map of the report, inverts it, and deduces its formulae both ways. MAPPING_NO_FORMULA
 * if a coordinate has none; MAPPING_INVALID if the map is none; MAPPING_FAILED if out of memory. */
enum mapping_status report_deduce(struct report *report, struct mapping_error *error);

/* Frees what the report owns. A zeroed report is allowed. */
void report_free(struct report *report);

#endif
