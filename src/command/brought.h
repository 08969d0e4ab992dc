/* brought.h - layouts that the user brings: tables in CSV or .npy, and layouts that Triton prints.
 * They can be shown, converted, and loaded or stored. They are not fragments, but have the same
 * axes: rows and columns, threads and elements. */
#ifndef BROUGHT_H
#define BROUGHT_H

#include "command/request.h"

/* A prefix that marks a file name as that of a table, whatever its suffix. */
#define BROUGHT_TABLE "--map="

/* True if a name is such a layout: the table of --map, a file in CSV or .npy, or a Triton layout of
 * registers or Tensor Memory. */
bool is_brought(const char *name);

/* True if a subject is such a layout. */
bool is_about_brought(const struct request *request);

/* Makes the report of one such layout, for no particular architecture. observed.fragment has its
 * sizes and the number of bits and type of its elements; the type is MAPPING_TYPES if it is
 * unknown. Returns the status of derive_table, or MAPPING_INVALID. */
enum mapping_status make_brought(const struct request *request, const char *name,
                                 struct report *report, struct mapping_error *error);

/* Makes the reports of all subjects, which must all be such layouts. */
enum mapping_status make_brought_reports(const struct request *request, struct report **reports,
                                         size_t *count, struct mapping_error *error);

/* Returns the element type for its name in Triton or the CuTe DSL: "bf16", "f8E4M3FN". Types that
 * the catalogue lacks are untyped if they have 8, 16 or 32 bits, and f64 if they have 64 bits.
 * MAPPING_TYPES if the number of bits is unknown or another one. */
enum mapping_type brought_type_named(const char *name);

/* Makes the report of a table in CSV or a NumPy array (array_table.h), with any axes. */
enum mapping_status brought_table(const char *path, const char *outputs, struct report *report,
                                  struct mapping_error *error);

/* Replaces tables from (row, col) to an offset by their notation in CuTe, such as "(64,64):(72,1)".
 * A table that has no such notation is not changed. */
enum mapping_status brought_as_memory(struct request *request, struct mapping_error *error);

/* Gives a layout without an element type the type of the other report; if that has none either,
 * f16. */
void brought_type(struct report *report, const struct report *other);

#endif
