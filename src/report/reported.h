/* reported.h - reports about hardware that we do not have, without a table of the layout: for
 * example, products that were right for this layout. Tables that somebody printed are in results/.
 */
#ifndef REPORTED_H
#define REPORTED_H

#include <stddef.h>

/* The n-th report on a fragment of an architecture: device, source, and what it shows. NULL from
 * the end on. */
const char *reported_at(const char *fragment, unsigned arch, size_t n);

#endif
