/* array_table.h - reads a NumPy array (.npy) as a table. */
#ifndef ARRAY_TABLE_H
#define ARRAY_TABLE_H

#include "system/system.h"

/* True if the content begins with the magic bytes of a .npy file. */
bool array_is_meant(const struct printer *content);

/* Writes an array of integers as a table in CSV. The array has one of these shapes:
 *     array[n], array[row, col], array[block, row, col]    the number of the source
 *     array[tid, i, 2], array[tid, i, 3]                   (row, col), (block, row, col)
 * If the elements are numbers, sets *outputs to "source". Fails with MAPPING_INVALID and a message
 * that contains `name` if *outputs is set, or the array has none of these shapes. */
enum mapping_status array_read(struct printer *content, const char *name, const char **outputs,
                               struct mapping_error *error);

#endif
