/* section.h - a layout as text, as people read it.
 *
 *     # mma.m8n8k4.d.f16 on sm_70          what it is
 *     # source: isa (PTX ISA 9.0 ...)      what it rests on
 *     # copy 0 of 2                        before each copy, where there are several
 *     # block 0 of 4                       before each matrix, where there are several
 *     Element / ThreadIdx:                 two grids side by side: who holds row r, column c
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
 * A brief section has no grids. A layout whose target is no plane has grids of its source, which
 * show its targets. */
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

#endif
