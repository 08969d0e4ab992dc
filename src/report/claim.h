/* claim.h - what somebody says of a layout, in C, and whether it is so. */
#ifndef CLAIM_H
#define CLAIM_H

#include "layout/expr.h"
#include "report/report.h"

/* How many entries that are wrong are kept. */
enum { WRONG_SHOWN = 3 };

/* What is said of one axis, and at how many entries that is wrong. */
struct axis_claim {
    const char *axis;
    int name; /* of what is defined, in the program */
    size_t wrong;
    struct wrong_entry {
        size_t entry;
        int64_t says;
        uint32_t is;
    } first[WRONG_SHOWN];
};

/* Everything that is said, of a layout or of its inverse. */
struct claim {
    struct mapping_program *program; /* owned */
    bool is_inverse;
    size_t entries; /* that it was compared with: all but offsets where no element lies */
    uint32_t count;
    struct axis_claim axes[MAPPING_AXES_MAX];
    char given[48]; /* of a part, which one it is: "load = 3; cta = 0" */
};

/* Reads what is said of a report, in several texts that follow each other: "row = tid / 4". What
 * defines an axis of the target is about the layout, else about its inverse. MAPPING_INVALID if it
 * cannot be read, or nothing is said. Free the claim with claim_free in any case. */
enum mapping_status claim_parse(const char *const *texts, size_t count, const struct report *report,
                                struct claim *claim, struct mapping_error *error);

void claim_free(struct claim *claim);

/* The side of a report that a claim is about. */
const struct mapping_layout *claim_subject(const struct claim *claim, const struct report *report);

/* Compares with every entry of the layout, and fills in how many are wrong. MAPPING_INVALID where C
 * leaves the expression undefined, with the entry. */
enum mapping_status claim_judge(struct claim *claim, const struct mapping_layout *layout,
                                struct mapping_error *error);

/* True if anything is wrong. */
bool claim_is_wrong(const struct claim *claim);

/* True if the claim could be about a layout: it has the axes that are named. */
bool claim_fits(const struct claim *claim, const struct mapping_space *from,
                const struct mapping_space *to);

/* True if all of it holds at every entry of a layout that it fits. */
bool claim_holds(const struct claim *claim, const struct mapping_layout *layout);

/* Room for a sentence of claim_right_if. */
enum { RIGHT_IF_SIZE = 160 };

/* Finds what would make a wrong claim right: other elements of the thread, rows for columns, one
 * copy alone. Writes "elements 1 and 2 are exchanged" as the nth such; false from the end on. */
bool claim_right_if(const struct claim *claim, const struct mapping_layout *layout, unsigned n,
                    char text[RIGHT_IF_SIZE]);

#endif
