/* styles.h - formulae as they are asked for. */
#ifndef STYLES_H
#define STYLES_H

#include "output/output.h"

/* Writes the formulae of all reports in a style. Each has been evaluated at every entry before. */
void restyle(struct report *reports, size_t count, enum formula_style style);

#endif
