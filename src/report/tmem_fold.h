/* tmem_fold.h - shortens the reports of a series of tmem loads, or of stores, to the first ones. */
#ifndef TMEM_FOLD_H
#define TMEM_FOLD_H

#include "report/report.h"

/* Finds a rule that gives the layouts of later loads from those of the first ones: "loads 1 to 3:
 * col + 16, address column + 16 for each load". Adds the lines of the rule to the last load that is
 * shown, and marks the later loads as left out. The rule holds at every entry. */
void fold_tmem_loads(struct report *reports, size_t count);

#endif
