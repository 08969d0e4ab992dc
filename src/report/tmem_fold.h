/* tmem_fold.h - a series of loads from Tensor Memory, or of stores, of which only the first are
 * shown.
 */
#ifndef TMEM_FOLD_H
#define TMEM_FOLD_H

#include "report/report.h"

/* Finds how the parts of each series follow from the first ones: "loads 1 to 3: col + 16, address
 * column + 16 for each load". Marks those that follow as left out, and gives the last that is left
 * these lines. Compares every entry. */
void fold_tmem_loads(struct report *reports, size_t count);

#endif
