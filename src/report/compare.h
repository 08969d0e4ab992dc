/* compare.h - compares layouts with the user's formulae in C (--verify):
 *
 *     formulae --check_parse--> struct check --check_compare--> wrong entries and matches */
#ifndef COMPARE_H
#define COMPARE_H

#include "layout/expr.h"
#include "report/report.h"

/* The maximum number of wrong entries that are stored for each axis. */
enum { WRONG_SHOWN = 3 };

/* Formulae of the user: for a layout, row = f(tid, i), or for its inverse. */
struct check {
    struct mapping_program *program;
    const struct mapping_layout *layout; /* the layout of the report or its inverse, which they are
                                            compared with */
    bool is_inverse;
    char part[48];    /* constants of a part: "load = 3; cta = 0" */
    char tv[1024];    /* statements for a TV layout of CuTe; "" if there is none */
    char comment[32]; /* the first comment "// ..." that directly follows an operand, which the user
                         may have meant as a division; "" if there is none */
    uint32_t per;   /* elements in a register of the report's fragment; 1 if elements are larger */
    size_t entries; /* number of compared entries; gaps are not compared */
    uint32_t count;
    int variables[MAPPING_AXES_MAX]; /* for each axis, its variable in the program */
    struct axis_check {
        const char *axis;
        int64_t *says;      /* the value of the formula at each entry; NULL after check_compare */
        const uint32_t *is; /* the correct values */
        size_t wrong;
        struct wrong_entry {
            size_t entry;
            int64_t says;
            uint32_t is;
        } first[WRONG_SHOWN];
    } axes[MAPPING_AXES_MAX];
};

/* Parses formulae for a report, from several consecutive texts: "row = tid / 4". If one defines an
 * axis of the output, they are for the layout, otherwise for its inverse. The dialect is one of
 * expr.h. MAPPING_INVALID if they cannot be parsed or define no axis. */
enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                unsigned dialect, struct check *check, struct mapping_error *error);

/* Compares the formulae with every entry of their layout, and counts wrong entries. Adds the
 * changes that make them right, such as "elements 1 and 2 are exchanged", to `changes`, which may
 * be NULL. MAPPING_INVALID, with the entry, if an expression is undefined in C. */
enum mapping_status check_compare(struct check *check, struct strings *changes,
                                  struct mapping_error *error);

bool check_is_wrong(const struct check *check);

/* True if the formulae are right for a layout whose axes they have. If `is_exchanged`, the axes of
 * the output are exchanged. */
bool check_holds(const struct check *check, const struct mapping_layout *layout, bool is_exchanged);

/* True if formulae with these inputs and outputs could describe a layout with these axes. */
bool check_fits(const struct check *check, const struct mapping_space *from,
                const struct mapping_space *to);

#endif
