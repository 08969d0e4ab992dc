/* reported.h - what others saw of a layout on hardware that we do not have, without a table of it:
 * products that came out as the layout says. A table that somebody printed is in results/. */
#ifndef REPORTED_H
#define REPORTED_H

#include <stddef.h>

/* The n-th report on a fragment of an architecture: device, source, and what it shows. NULL from
 * the end on. */
const char *reported_at(const char *fragment, unsigned arch, size_t n);

#endif
