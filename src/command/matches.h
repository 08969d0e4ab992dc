/* matches.h - which known layouts match formulae (--verify) or a table (--map) of the user. */
#ifndef MATCHES_H
#define MATCHES_H

#include "report/compare.h"

/* The known layouts, and for which of them formulae are right. */
struct formula_matches;

/* Adds the names of all fragments for which wrong formulae are right, those nearest to the report's
 * fragment first. The report is one of an array: the next call may be about the next one. *all is
 * NULL at first. */
void formula_matches_add(struct formula_matches **all, const struct check *check,
                         const struct report *report, struct strings *names);

/* Records in the report of a table what has the same layout: fragments in both directions, tiles of
 * fragments, layouts of CuTe. If no fragment has it, records the one that differs at the fewest
 * entries, at most 1 of 8. */
void find_matches(struct report *report);

#endif
