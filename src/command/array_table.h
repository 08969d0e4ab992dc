/* array_table.h - reads an array of NumPy's, a .npy file, as a table. */
#ifndef ARRAY_TABLE_H
#define ARRAY_TABLE_H

#include "system/system.h"

/* True if a file with this content is meant to be an array. */
bool array_is_meant(const struct printer *content);

/* Makes the table in CSV of an array of integers. Each element is one of these:
 *     array[n], array[row, col], array[block, row, col]    the number of the source
 *     array[tid, i, 2], array[tid, i, 3]                   (row, col), (block, row, col)
 * *outputs, which is NULL, becomes "source" for numbers of sources. MAPPING_INVALID, with a
 * sentence that has `name`, if *outputs is set or the content is no such array. */
enum mapping_status array_read(struct printer *content, const char *name, const char **outputs,
                               struct mapping_error *error);

#endif
