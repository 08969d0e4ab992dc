/* report.h - what there is to print of one layout: both directions, and formulae for each. Sources
 * know nothing of it; outputs know nothing else. */
#ifndef REPORT_H
#define REPORT_H

#include "report/observation.h"

/* A formula, if there is one. */
struct deduced {
    bool found;
    struct mapping_formula formula;
};

/* A layout, and a formula for each axis of its target. */
struct solved {
    struct mapping_layout layout; /* owned */
    struct deduced *formulae;     /* owned */
};

struct report {
    const char *kind;             /* what it is, as JSON and CSV call it: "fragment" */
    char name[MAPPING_NAME_SIZE]; /* "mma.m16n8k16.d.f32" */
    unsigned arch;                /* 75 for sm_75 */
    bool is_default_arch;         /* nobody asked for this architecture, and no GPU chose it */
    const char *tiling;           /* how it is repeated over a tile, in words; NULL if it is not */
    struct observation observed;  /* its layout is moved to `forward` */
    struct solved forward;        /* for a fragment (tid, i) -> ([block,] row, col) */
    struct solved inverse;        /* from the target and the copy back */
    bool has_fragment;            /* else there is nothing in `observed.fragment` */
};

/* The axis of the inverse that numbers copies: its last one. */
const char *report_copy_axis(const struct report *report);

/* How many copies there are. */
uint32_t report_copies(const struct report *report);

/* Room for any formula as text. */
#define FORMULA_TEXT 2048

/* Writes the formula of one axis of the target; "" if there is none. */
void solved_formula(const struct solved *solved, uint32_t axis, char text[FORMULA_TEXT]);

/* Writes the name of an axis with a capital letter: "Row". */
#define LABEL_SIZE 64
void axis_label(const char *name, char label[LABEL_SIZE]);

/* Frees what the report owns. A zeroed report is allowed. */
void report_free(struct report *report);
void reports_free(struct report *reports, size_t count);

#endif
