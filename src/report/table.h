/* table.h - a layout of the user as CSV: a line of names, then a line of numbers for each entry, in
 * any order.
 *
 *     c,s,bank
 *     0,0,0
 *     1,0,1 */
#ifndef TABLE_H
#define TABLE_H

#include "catalogue/fragment.h"

/* The maximum number of entries. */
enum { TABLE_MAX = 1 << 20 };

struct table {
    struct mapping_layout layout; /* several inputs may have the same outputs */
    char *names;                  /* the names of the axes */
};

/* Parses a table. Outputs are the columns named in `outputs`, separated by commas; if it is NULL,
 * block, row, col and offset, as far as they exist. All other columns of numbers are inputs. The
 * output of --format=csv is accepted: columns that only describe the origin of a layout are
 * ignored, and so is the number of the copy, unless the thread or the element is an output.
 * MAPPING_INVALID, with line and column, if the text is not a table. */
enum mapping_status table_read(const char *text, const char *outputs, struct table *table,
                               struct mapping_error *error);

#endif
