/* results.h - the records of results/ as text. report/records.h describes the format, and reads it.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include "report/records.h"

/* MAPPING_DIFFERS, with the first line that differs, if the record is not what its layout is
 * written as. */
enum mapping_status record_check(const struct record *record, struct mapping_error *error);

/* Prints all records as a file has them: records of one layout are one. */
enum mapping_status records_write(struct printer *to, struct records *records,
                                  struct mapping_error *error);

#endif
