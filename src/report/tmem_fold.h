/* tmem_fold.h - folds a series of loads from Tensor Memory, or of stores, to the first ones. */
#ifndef TMEM_FOLD_H
#define TMEM_FOLD_H

#include "report/report.h"

/* Finds how the parts of each series are computed from the first ones: "loads 1 to 3: col + 16,
 * address column + 16 for each load". Marks the other parts as left out, and adds these lines to
 * the last part that is shown. Compares every entry. */
void fold_tmem_loads(struct report *reports, size_t count);

#endif
