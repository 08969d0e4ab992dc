/* formulae.h - prints formulae as lines of text. The records in results/ have the same lines. */
#ifndef FORMULAE_H
#define FORMULAE_H

#include "report/report.h"

/* Prints the formulae below their titles:
 *
 *     Formulae:
 *     Row: return (tid & 3) + ((tid & 16) >> 2);
 *     Col: return (i & 7);
 *
 *     Inverse:
 *     Tid: return ... */
void print_formulae(struct printer *to, const struct report *report);

/* Prints the formulae of the layout and, if `has_inverse`, of its inverse, without titles and blank
 * lines. */
void print_short_formulae(struct printer *to, const struct report *report, bool has_inverse);

#endif
