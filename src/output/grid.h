/* grid.h - draws the grids of a view, as text: in files, on a terminal, or in colors.
 *
 *     Element / ThreadIdx:          |   0   1              Element     Thread
 *      0  1          0  0        ---+--------               0  1        0  1
 *      0  1          1  1         0 | 0:0 0:1            0  0  1     0  0  0
 *                                 1 | 1:0 1:1            1  0  1     1  1  1
 *
 *     plain                      framed, cells           framed, in a terminal, tinted */
#ifndef GRID_H
#define GRID_H

#include "output/colors.h"
#include "report/view.h"

/* If all members are false, grids are plain, as in the files of results/. */
struct grid_style {
    bool is_framed;         /* number rows and columns around grids */
    bool is_tinted;         /* color the cells */
    bool has_true_color;    /* the terminal has more than 256 colors */
    bool cells;             /* one framed grid, whose cells show "tid:i" */
    enum color_by color_by; /* the meaning of colors */
};

/* Prints the parts of a view with their titles. `bits` is the size of an element, which determines
 * the elements that share a register. `width` is the number of columns of the terminal; 0 if there
 * is none. */
void grids_print(struct printer *to, const struct view *view, uint32_t bits,
                 const struct grid_style *style, unsigned width);

#endif
