/* terminal_grid.h - grids with the numbers of rows and columns around them, as a terminal gets
 * them. */
#ifndef TERMINAL_GRID_H
#define TERMINAL_GRID_H

#include "output/output.h"
#include "report/view.h"

/* Prints the parts of a view with their titles, as the style says: as results files have them, or
 * with numbers around them. Cells are tinted if the style says so; `bits` is
 * the width of an element, which decides what shares a register. */
void print_grids(struct printer *to, const struct view *view, uint32_t bits,
                 const struct style *style);

#endif
