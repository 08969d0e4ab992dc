/* grid.h - draws the grids of a layout (report/view.h) as text: in files, on a terminal, or in
 * colors.
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

/* If all members are 0, grids are plain, as in the files of results/. */
struct grid_style {
    bool is_framed;         /* rows and columns are numbered */
    bool is_tinted;         /* the cells are colored */
    bool has_true_color;    /* the terminal has more than 256 colors */
    bool cells;             /* one framed grid, whose cells show "tid:i" */
    enum color_by color_by; /* the axis that colors show */
};

/* Prints the grids of all parts of a view, with titles. `bits` is the size of an element, which
 * determines the elements that share a register. `width` is the number of columns of the terminal;
 * 0 if there is none. */
void grids_print(struct printer *to, const struct view *view, uint32_t bits,
                 const struct grid_style *style, unsigned width);

#endif
