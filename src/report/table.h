/* table.h - a layout of the user as CSV: a line of names, then a line of numbers for each entry, in
 * any order.
 *
 *     c,s,bank
 *     0,0,0
 *     1,0,1 */
#ifndef TABLE_H
#define TABLE_H

#include "catalogue/fragment.h"

/* The most entries of a table. */
enum { TABLE_MAX = 1 << 20 };

struct table {
    struct mapping_layout layout; /* outputs that some inputs share are allowed */
    char *names;                  /* of the axes */
};

/* Reads a table. Outputs are the columns named in `outputs`, with commas between; where it is NULL
 * those of block, row, col and offset that there are. All other columns of numbers are inputs. What
 * --format=csv prints can be read: columns that only say where a layout comes from are passed over,
 * and so is the number of the copy, unless the thread or the element is an output. MAPPING_INVALID,
 * with line and column, where it is no table. */
enum mapping_status table_read(const char *text, const char *outputs, struct table *table,
                               struct mapping_error *error);

#endif
