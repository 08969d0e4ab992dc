/* section.h - prints a layout as text for people.
 *
 *     # mma.m8n8k4.d.f16 on sm_70          fragment and architecture
 *     # source: isa (PTX ISA 9.0 ...)      evidence
 *     # copy 0 of 2                        before each copy if there are several
 *     # block 0 of 4                       before each matrix if there are several
 *     Element / ThreadIdx:                 two grids: the element and thread at row r, column c
 *      0  1  2  3          0  0  1  1
 *
 *     Formulae:
 *     Row: return (tid & 3) + ((tid & 16) >> 2);
 *     Col: return (i & 7);
 *
 *     Inverse:
 *     Tid: return ...;
 *     I: return ...;
 *
 * With --brief, there are no grids. If the target of a layout is not two-dimensional, the grids
 * show, for each point of the source, its coordinates in the target. */
#ifndef SECTION_H
#define SECTION_H

#include "report/view.h"
#include "system/system.h"

/* Prints the lines on top, the grids, the formulae. */
void section_name(struct printer *to, const struct report *report);
void section_header(struct printer *to, const struct report *report);

/* Says that a layout from threads has all copies, though a line of PTX or SASS selects one. */
void section_unused(struct printer *to, const struct report *report);
void section_grids(struct printer *to, const struct view *view);
void section_formulae(struct printer *to, const struct report *report);

/* Prints the formulae of the layout and of its inverse, without titles and blank lines. */
void section_short(struct printer *to, const struct report *report, bool has_inverse);

#endif
