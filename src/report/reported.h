/* reported.h - reports by others about hardware that we do not have. They do not include a table of
 * the layout, but, for example, a product that was right with this layout. Printed tables are in
 * results/. */
#ifndef REPORTED_H
#define REPORTED_H

#include <stddef.h>

/* The n-th report on a fragment of an architecture: device, source, and what it shows. NULL from
 * the end on. */
const char *reported_at(const char *fragment, unsigned arch, size_t n);

#endif
