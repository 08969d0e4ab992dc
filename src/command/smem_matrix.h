/* smem_matrix.h - requests about matrices in memory. */
#ifndef COMMAND_SMEM_MATRIX_H
#define COMMAND_SMEM_MATRIX_H

#include "command/request.h"

/* True if a subject is the layout of a matrix in memory. */
bool is_about_memory(const struct request *request);

/* Makes the reports of all subjects, which must all be matrices in memory, and sets *count and
 * *reports. If the request has no type, elements have the type of `fragment`, if that is not NULL.
 * MAPPING_INVALID if a subject cannot be parsed, or if a question does not apply to matrices. */
enum mapping_status make_memory_reports(const struct request *request,
                                        const struct mapping_fragment *fragment,
                                        struct report **reports, size_t *count,
                                        struct mapping_error *error);

/* Translates a question to matrices in memory, where rows and columns are the input. */
struct question memory_question(const struct question *question);

/* Names the atom in which the other axis is contiguous: Layout_MN_SW128_Atom for
 * Layout_K_SW128_Atom. Writes "" if there is none. */
enum { MEMORY_ADVICE = 192 };
void memory_other_atom(const char *name, char text[MEMORY_ADVICE]);

#endif
