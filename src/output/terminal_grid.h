/* terminal_grid.h - grids with the numbers of rows and columns around them, as a terminal gets
 * them. Results files have those of report/section.h. */
#ifndef TERMINAL_GRID_H
#define TERMINAL_GRID_H

#include "output/output.h"
#include "report/view.h"

/* Prints the parts of a view with their titles. Cells are tinted if the style says so; `bits` is
 * the width of an element, which decides what shares a register. */
void print_framed_grids(struct printer *to, const struct view *view, uint32_t bits,
                        const struct style *style);

#endif
