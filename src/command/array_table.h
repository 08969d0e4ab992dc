/* array_table.h - reads arrays of NumPy (.npy), C and Python as tables. */
#ifndef ARRAY_TABLE_H
#define ARRAY_TABLE_H

#include "system/system.h"

/* True if the content begins with the magic bytes of a .npy file. */
bool array_is_meant(const struct printer *content);

/* Writes an array of integers as a table in CSV. The array has one of these shapes:
 *     array[n], array[row, col], array[block, row, col]    the number of the source
 *     array[tid, i, 2], array[tid, i, 3]                   (row, col), (block, row, col)
 * If the elements are numbers, sets *outputs to "source". If a shape has two meanings, such as
 * array[4, 2], sets *reading to a sentence that says which one was taken; otherwise to NULL. Fails
 * with MAPPING_INVALID and a message that contains `name` if *outputs is set, or the array has none
 * of these shapes. */
enum mapping_status array_read(struct printer *content, const char *name, const char **outputs,
                               char **reading, struct mapping_error *error);

/* True if the text is an array of C or Python: "{{0, 1}, {8, 9}}", "int table[2][2] = {...};",
 * "[[0 1] [8 9]]" as NumPy prints it, or "np.array([(0, 1), (8, 9)])". */
bool array_text_is_meant(const char *text);

/* Like array_read, for an array as text. Fails if the elements do not fill a declared size, or if
 * more than the array would have to be evaluated, as in "[0, 1] * 2". */
enum mapping_status array_read_text(struct printer *content, const char *name, const char **outputs,
                                    char **reading, struct mapping_error *error);

#endif
