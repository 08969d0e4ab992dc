/* origins.h - finds the instructions that define the registers of an operand, and checks that their
 * results have the layout of the operand. */
#ifndef ORIGINS_H
#define ORIGINS_H

#include "command/writes.h"

/* A cache of verdicts. Must be zeroed at first. */
struct origins {
    struct verdict *verdicts;
    /* Makes the reports of the operands of a form, if they do not exist yet. */
    void (*make_reports)(void *context, struct form *form);
    void *context;
};

/* Finds the origin of an operand that writes_note recorded, after flow_solve. */
void origins_find(struct origins *origins, const struct writes *writes, const struct asked *asked,
                  struct origin *origin);

#endif
