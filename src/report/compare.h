/* compare.h - compares layouts with what the user brings: formulae in C (--verify), or a table
 * (--map).
 *
 *     formulae --check_parse--> struct check --check_compare--> wrong entries
 *     table, read by report/table.h --match_axes--> struct axis_match --count_differing--> number
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "layout/expr.h"
#include "report/report.h"

/* ---- Tables ---- */

/* Which axes of two layouts, one of the program and one of the user, belong together. */
struct axis_match {
    uint8_t from[MAPPING_AXES_MAX]; /* for each input of the first: the input of the second */
    uint8_t to[MAPPING_AXES_MAX];   /* for each output of the second: the output of the first */
};

/* Matches axes by their names and aliases, and the rest by their order. The second may have fewer
 * outputs, if their names are known. False if that is impossible, or if sizes of inputs differ. */
bool match_axes(const struct mapping_layout *layout, const struct mapping_layout *brought,
                struct axis_match *match);

/* Counts the entries of a layout at which a second one differs, up to limit + 1. *first is the
 * first such entry, numbered as in the second one. */
size_t count_differing(const struct mapping_layout *layout, const struct mapping_layout *brought,
                       const struct axis_match *match, size_t limit, size_t *first);

/* The axis of a space that has this name, or is called so in formulae; -1 if there is none. */
int find_axis_called(const struct mapping_space *space, const char *name);

/* ---- Formulae ---- */

/* The number of wrong entries that are kept for each axis. */
enum { WRONG_SHOWN = 3 };

/* Formulae of the user: of a layout, for example row = f(tid, i), or of its inverse. */
struct check {
    struct mapping_program *program;
    bool is_inverse;
    char part[48];  /* constants of a part: "load = 3; cta = 0" */
    char tv[1024];  /* statements that a TV layout of CuTe is translated to; "" if there is none */
    uint32_t per;   /* elements in a register of the report's fragment; 1 if it has larger ones */
    size_t entries; /* compared: all except gaps */
    uint32_t count;
    int variables[MAPPING_AXES_MAX]; /* of the program, for each axis */
    struct axis_check {
        const char *axis;
        size_t wrong;
        struct wrong_entry {
            size_t entry;
            int64_t says;
            uint32_t is;
        } first[WRONG_SHOWN];
    } axes[MAPPING_AXES_MAX];
};

/* Parses formulae for a report, in several texts that follow each other: "row = tid / 4". If one
 * defines an axis of the target, they are about the layout, else about its inverse.
 * MAPPING_INVALID if they cannot be parsed or define no axis. */
enum mapping_status check_parse(const char *const *texts, size_t count, const struct report *report,
                                struct check *check, struct mapping_error *error);

/* The layout of a report that the formulae are about: forward or inverse. */
const struct mapping_layout *check_layout(const struct check *check, const struct report *report);

/* Compares the formulae with every entry of the layout, and counts wrong entries. MAPPING_INVALID,
 * with the entry, if C leaves an expression undefined there. */
enum mapping_status check_compare(struct check *check, const struct mapping_layout *layout,
                                  struct mapping_error *error);

bool check_is_wrong(const struct check *check);

/* True if the formulae are right for a layout that they fit. */
bool check_holds(const struct check *check, const struct mapping_layout *layout);

/* True if formulae with these inputs and outputs could be about a layout with these axes. */
bool check_fits(const struct check *check, const struct mapping_space *from,
                const struct mapping_space *to);

/* Adds the changes that would make wrong formulae right for the layout: "elements 1 and 2 are
 * exchanged". */
void check_right_if(const struct check *check, const struct mapping_layout *layout,
                    struct strings *changes);

#endif
