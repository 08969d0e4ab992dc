/* same.h - what else has a layout that somebody brings. */
#ifndef SAME_H
#define SAME_H

#include "report/report.h"

/* Fills in what is the same as the layout of a report: fragments of the catalogue, in both
 * directions, tiles of them, layouts of CuTe; and where there is no fragment, the one that is the
 * same but at the fewest entries, if these are not many. Axes are matched by what people call them,
 * or where they have other names, by their order. */
void find_same(struct report *report);

#endif
