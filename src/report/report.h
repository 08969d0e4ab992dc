/* report.h - a layout that is ready to be printed: the layout and its inverse, with formulae for
 * both. Sources do not use reports; formats only use reports. */
#ifndef REPORT_H
#define REPORT_H

#include "convert/shuffles.h"
#include "report/codegen.h"
#include "report/observation.h"
#include "system/system.h"

#include <stdatomic.h>

/* A formula, if there is one. If it is printed in another form than that of mapping_formula_print:
 * its text, its number of operators, and whether it is proved that no form has fewer. */
struct deduced {
    bool found;
    struct mapping_formula formula;
    char *text; /* the text; or NULL */
    bool is_counted, is_proved;
    unsigned operators;
};

/* A layout, and a formula for each axis of its output. */
struct derived {
    struct mapping_layout layout;
    struct deduced *formulae;
};

/* ---- Details that follow from a layout ---- */

/* A fragment of the next product that this fragment, the result of a product, can be converted to.
 */
struct reuse {
    struct mapping_fragment target;
    struct strings types; /* types of other targets that differ only in type */
    uint32_t matrices;    /* number of these fragments, side by side, ... */
    uint32_t targets;     /* ... that become this number of targets */
    enum convert_kind kind;
    uint32_t shuffles;
    bool is_permutable; /* no shuffles are needed if columns are permuted */
};

/* A product composed of smaller ones that older architectures have. */
struct composition {
    struct mapping_opcode opcode; /* opcode of the smaller products; its text is "" if there is
                                     none */
    uint32_t parts[3];            /* number of parts along M, N and K */
    struct shuffle_plan a, b, d;  /* from the registers of the larger product to those of the
                                     smaller ones */
};

/* The facts of --detail, derived from a layout and its opcode. */
struct detail {
    struct codegen *codegen; /* the SASS of its opcodes, one after another */
    size_t codegen_count;
    struct reuse *reuses;
    size_t reuse_count;
    bool has_k_order; /* k_order is set: the order of K with the widest loads */
    struct mapping_k_order k_order;
    struct mapping_fragment partner; /* the other operand with K */
    bool is_partner_alike;           /* the partner has the same order */
    struct composition composition;
    struct strings product; /* for one element of D, the elements of A and B and their holders */
};

/* ---- Reports ---- */

/* The size of the buffer for a name; for matrices in memory, it is CuTe's notation. */
enum { REPORT_NAME_SIZE = 256 };

struct report {
    const char *kind;            /* the kind in JSON and CSV: "fragment", "layout" */
    char name[REPORT_NAME_SIZE]; /* "mma.m16n8k16.d.f32" */
    unsigned arch;               /* 75 for sm_75 */
    bool is_default_arch;        /* neither --arch nor a GPU selected this architecture */
    char suffix;                 /* the requested suffix of the architecture; see
                                    mapping_arch_suffix */
    const char *tiling;          /* a text that describes how it is tiled; NULL if it is not */
    struct observation observed; /* the observation; its layout is moved to `forward` */
    struct derived forward;      /* for a fragment (tid, i) -> ([block,] row, col) */
    struct derived inverse;      /* from the output and the copy to the input; without axes if there
                                    is no inverse */
    struct strings opcodes;   /* opcodes that have it as an operand, if the user gave an opcode */
    struct strings registers; /* names of its registers, in order, if the line of PTX or SASS has
                                 them */
    bool has_choice;          /* a line of PTX or SASS selects the copy that the instruction
                                 reads: */
    uint32_t choice;          /* this copy, */
    struct derived *chosen;   /* and its inverse, in which the axis of copies has size 1; or NULL */
    char *asked;              /* "HMMA.16816.F32 is", if the opcodes were given by another name; or
                                 NULL */
    struct detail *detail;    /* facts of --detail, if they are requested; or NULL */
    struct smem_report *smem; /* for a matrix in memory; otherwise NULL; see smem_report.h */
    struct tmem_report *tmem; /* the load from Tensor Memory; or NULL; see tmem_report.h */
    bool has_fragment;        /* `observed.fragment` is set */
    bool is_of_file;          /* a table of the user; known layouts that equal it will be
                                 searched */
    char *reading;            /* how an array of the user was read; or NULL */
    bool is_drawn;            /* a layout of the user whose grids are shown like those of a
                                 fragment */
    bool is_shared;           /* other reports may share its tables and formulae ... */
    atomic_size_t *users;     /* ... and this is their number, if it is not NULL */
    struct strings same;      /* known layouts that are equal */
    struct strings instructions; /* instructions whose fragments make up the layout: "2 x 4 of
                                    NAMES" */
    size_t subject;              /* index of the subject that selected it */
    struct report *alike;        /* the next report with the same layout, shown together with it; or
                                    NULL */
    bool has_same_layout; /* an earlier report has the same layout, and they are shown together; see
                             alike.h */
    char *nearly;         /* the layout that differs only at `differing` entries; or NULL */
    size_t differing, first_differing;
};

/* True if ptxas does not accept the fragment for the requested target. */
bool report_wants_suffix(const struct report *report);

/* True if the axes are those of registers: (tid, i). */
bool is_of_threads(const struct mapping_space *space);

/* True if the space has rows and columns; or lanes and columns of Tensor Memory. */
bool has_matrix(const struct mapping_space *space);
bool has_lanes(const struct mapping_space *space);

/* True if the layout maps a matrix to lanes of Tensor Memory. */
bool is_in_lanes(const struct mapping_space *from, const struct mapping_space *to);

/* The axis of copies of the inverse, its last one; "copy" if there is no inverse. */
const char *report_copy_axis(const struct report *report);

/* True if entry n of an inverse has no element, as between the rows of a padded matrix. */
static inline bool is_gap(const struct mapping_layout *inverse, size_t n) {
    return inverse->coordinate[0][n] == UINT32_MAX; /* the value that mapping_layout_init sets */
}

/* The number of such entries; 0 if there is no layout (from.count is 0). */
size_t count_gaps(const struct mapping_layout *inverse);

/* True if the report is a matrix in registers, which has the order of (tid, i). */
bool report_has_order(const struct report *report);

/* True if the layout could be inverted. */
bool report_has_inverse(const struct report *report);

/* The inverse whose formulae are shown: for the copy that a line selects, or for all copies. */
const struct derived *report_inverse(const struct report *report);

/* The number of copies; 1 without an inverse. */
uint32_t report_copies(const struct report *report);

/* The size of the buffer for any formula: MAPPING_MAX_TERMS terms such as ((NAME & 4294967295) <<
 * 31), with names of up to 63 characters. */
#define FORMULA_TEXT 12288

/* The formula of one axis of the output; NULL if there is none. */
const char *derived_formula(const struct derived *derived, uint32_t axis);

/* "4 operators, proved to be the fewest" if operators were counted, otherwise "". */
const char *derived_remark(const struct derived *derived, uint32_t axis);

/* The text of a formula: "(i & 5) + (tid & 10)". */
const char *formula_text(const struct mapping_formula *formula, const struct mapping_space *from);

/* The formula of values at all points of a space, as mapping_formula_print_factored prints it; NULL
 * if there is none. */
const char *factored_formula(const struct mapping_space *from, const uint32_t *values);

/* Frees the tables of the layouts, which are most of the memory of a report, unless other reports
 * share them. */
void report_release(struct report *report);

/* The name of an axis with a capital letter: "Row". */
char *axis_label(const char *name);

#endif
