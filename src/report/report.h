/* report.h - a layout that is ready to print: both directions, and formulae for each. Sources do
 * not use reports; formats only use reports. */
#ifndef REPORT_H
#define REPORT_H

#include "convert/shuffles.h"
#include "report/codegen.h"
#include "report/observation.h"
#include "system/system.h"

#include <stdatomic.h>

/* A formula, if there is one; and how it is written, if that is not as mapping_formula_print does,
 * with how many operators that takes and whether none can have fewer. */
struct deduced {
    bool found;
    struct mapping_formula formula;
    char *text; /* or NULL */
    bool is_counted, is_proved;
    unsigned operators;
};

/* A layout, and a formula for each axis of its target. */
struct derived {
    struct mapping_layout layout;
    struct deduced *formulae;
};

/* ---- What follows from a layout ---- */

/* A fragment of the next product for which this one, the result of a product, can be used. */
struct reuse {
    struct mapping_fragment target;
    struct strings types; /* of other targets that differ only in type */
    uint32_t matrices;    /* how many of this fragment, side by side, ... */
    uint32_t targets;     /* ... become how many targets */
    enum convert_kind kind;
    uint32_t shuffles;
    bool is_permutable; /* no shuffles are needed if columns are permuted */
};

/* A product made of smaller ones that older architectures have. */
struct composition {
    struct mapping_opcode opcode; /* of the smaller products; its text is "" if there is none */
    uint32_t parts[3];            /* how many along M, N and K */
    struct shuffle_plan a, b, d;  /* from the larger product's registers to the smaller ones' */
};

/* The facts of --detail, derived from a layout and its opcode. */
struct detail {
    struct codegen *codegen; /* what its opcodes compile to, opcode by opcode */
    size_t codegen_count;
    struct reuse *reuses;
    size_t reuse_count;
    bool has_k_order; /* k_order is set: the order of K with the widest loads */
    struct mapping_k_order k_order;
    struct mapping_fragment partner; /* the other operand that has K */
    bool is_partner_alike;           /* it has the same order */
    struct composition composition;
    struct strings product; /* of one element of D, the elements of A and B and who holds them */
};

/* ---- Reports ---- */

/* Longest name with its end: of matrices in memory it is CuTe's notation. */
enum { REPORT_NAME_SIZE = 256 };

struct report {
    const char *kind;            /* what it is, as JSON and CSV call it: "fragment", "layout" */
    char name[REPORT_NAME_SIZE]; /* "mma.m16n8k16.d.f32" */
    unsigned arch;               /* 75 for sm_75 */
    bool is_default_arch;        /* nobody asked for this architecture, and no GPU chose it */
    char suffix;                 /* what was asked for behind its number; mapping_arch_suffix */
    const char *tiling;          /* how it is repeated over a tile, in words; NULL if it is not */
    struct observation observed; /* its layout is moved to `forward` */
    struct derived forward;      /* for a fragment (tid, i) -> ([block,] row, col) */
    struct derived inverse;   /* from the target and the copy back; of a map without, of no axes */
    struct strings opcodes;   /* whose operand it is shown as, if that is how it was asked for */
    struct strings registers; /* their names, in order, if the line of PTX or SASS names them */
    bool has_choice;          /* a line of PTX or SASS says which copy the instruction reads: */
    uint32_t choice;          /* this one, */
    struct derived *chosen;   /* and its inverse, in which the axis of copies has size 1; or NULL */
    char *asked;              /* "HMMA.16816.F32 is", where these were called otherwise; or NULL */
    struct detail *detail;    /* what follows from it, if that is asked for; or NULL */
    struct smem_report *smem; /* of a matrix in memory; else NULL. See smem_report.h */
    struct tmem_report
        *tmem;            /* which load from Tensor Memory holds it; or NULL. See tmem_report.h */
    bool has_fragment;    /* else there is nothing in `observed.fragment` */
    bool is_of_file;      /* a table of the user: layouts that equal it are not known */
    bool is_drawn;        /* somebody brought it, and its grids are shown as those of a fragment */
    bool is_shared;       /* other reports may have the same tables and formulae ... */
    atomic_size_t *users; /* ... and this many have them, if not NULL */
    struct strings same;  /* what else has this layout */
    struct strings instructions; /* whose fragments it consists of: "2 x 4 of NAMES" */
    size_t subject;              /* the number of the subject that it is of */
    struct report *alike; /* the next with its layout, which is shown together with it; or NULL */
    bool has_same_layout; /* as an earlier one, and is shown together with it; see alike.h */
    char *nearly;         /* what has it but at `differing` entries, or NULL */
    size_t differing, first_differing;
};

/* True if ptxas does not take the fragment for the target that was asked for, by its suffix. */
bool report_wants_suffix(const struct report *report);

/* True if the axes are the two of what threads hold: (tid, i). */
bool is_of_threads(const struct mapping_space *space);

/* True if it has rows and columns; lanes and columns of Tensor Memory. */
bool has_matrix(const struct mapping_space *space);
bool has_lanes(const struct mapping_space *space);

/* True if the layout leads from a matrix to lanes, that is, places it in Tensor Memory. */
bool is_in_lanes(const struct mapping_space *from, const struct mapping_space *to);

/* The axis of the inverse that numbers copies: its last one; "copy" where there is no inverse. */
const char *report_copy_axis(const struct report *report);

/* True if nothing lies at entry n of an inverse, as between the rows of a padded matrix. */
static inline bool is_gap(const struct mapping_layout *inverse, size_t n) {
    return inverse->coordinate[0][n] == UINT32_MAX; /* as mapping_layout_init leaves it */
}

/* At how many entries that is so; 0 of no layout, whose from.count is 0. */
size_t count_gaps(const struct mapping_layout *inverse);

/* True if it is a matrix that threads hold, whose elements have the order of (tid, i). */
bool report_has_order(const struct report *report);

/* True if the layout could be inverted. */
bool report_has_inverse(const struct report *report);

/* The inverse whose formulae are shown: that of the copy which a line selects, else of all. */
const struct derived *report_inverse(const struct report *report);

/* The number of copies; 1 without an inverse. */
uint32_t report_copies(const struct report *report);

/* Room for any formula as text: MAPPING_MAX_TERMS such as ((NAME & 4294967295) << 31), with names
 * that LABEL_SIZE holds. */
#define FORMULA_TEXT 12288

/* Writes the formula of one axis of the target; "" if there is none. */
void derived_formula(const struct derived *derived, uint32_t axis, char text[FORMULA_TEXT]);

/* Writes "4 operators, proved to be the fewest" where operators were counted, else "". */
#define REMARK_SIZE 64
void derived_remark(const struct derived *derived, uint32_t axis, char text[REMARK_SIZE]);

/* Frees the tables of the layouts, which are most of the memory of a report, unless other reports
 * share them. */
void report_release(struct report *report);

/* Writes the name of an axis with a capital letter: "Row". */
#define LABEL_SIZE 64
void axis_label(const char *name, char label[LABEL_SIZE]);

#endif
