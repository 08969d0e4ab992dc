/* compare.h - compares layouts with the user's formulae in C (--verify):
 *
 *     formulae --check_parse--> struct check --check_compare--> wrong entries and matches */
#ifndef COMPARE_H
#define COMPARE_H

#include "layout/expr.h"
#include "report/report.h"

/* The number of wrong entries that are kept for each axis. */
enum { WRONG_SHOWN = 3 };

/* Formulae of the user: of a layout, for example row = f(tid, i), or of its inverse. */
struct check {
    struct mapping_program *program;
    const struct mapping_layout *layout; /* that they are about: of the report, or its inverse */
    bool is_inverse;
    char part[48];  /* constants of a part: "load = 3; cta = 0" */
    char tv[1024];  /* statements that a TV layout of CuTe is translated to; "" if there is none */
    uint32_t per;   /* elements in a register of the report's fragment; 1 if it has larger ones */
    size_t entries; /* compared: all except gaps */
    uint32_t count;
    int variables[MAPPING_AXES_MAX]; /* of the program, for each axis */
    struct axis_check {
        const char *axis;
        int64_t *says;      /* what its formula gives at each entry; NULL after check_compare */
        const uint32_t *is; /* what is there */
        size_t wrong;
        struct wrong_entry {
            size_t entry;
            int64_t says;
            uint32_t is;
        } first[WRONG_SHOWN];
    } axes[MAPPING_AXES_MAX];
};

/* Parses formulae for a report, in several texts that follow each other: "row = tid / 4". If one
 * defines an axis of the target, they are about the layout, else about its inverse. The dialect is
 * one of expr.h. MAPPING_INVALID if they cannot be parsed or define no axis. */
enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                unsigned dialect, struct check *check, struct mapping_error *error);

/* Compares the formulae with every entry of their layout, and counts wrong entries. Adds the
 * changes that would make them right, such as "elements 1 and 2 are exchanged"; `changes` may be
 * NULL. MAPPING_INVALID, with the entry, if C leaves an expression undefined there. */
enum mapping_status check_compare(struct check *check, struct strings *changes,
                                  struct mapping_error *error);

bool check_is_wrong(const struct check *check);

/* True if the formulae are right for a layout that they fit; if `is_exchanged`, with the axes of
 * the target exchanged. */
bool check_holds(const struct check *check, const struct mapping_layout *layout, bool is_exchanged);

/* True if formulae with these inputs and outputs could be about a layout with these axes. */
bool check_fits(const struct check *check, const struct mapping_space *from,
                const struct mapping_space *to);

#endif
