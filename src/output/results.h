/* results.h - checks and writes the text of the records in results/. report/records.h describes the
 * format, and reads it. */
#ifndef RESULTS_H
#define RESULTS_H

#include "report/records.h"

/* Derives the grids and formulae of a record from its layout, and compares them with its text.
 * MAPPING_DIFFERS, with a message about the first line that differs. Other errors if the layout
 * cannot be derived. */
enum mapping_status record_check(const struct record *record, struct mapping_error *error);

/* Prints all records in the format of a file. Sorts them, and merges records with the same grids
 * and formulae into one. MAPPING_NO_FORMULA, with a message, if a layout has no formula. */
enum mapping_status records_write(struct printer *to, struct records *records,
                                  struct mapping_error *error);

#endif
