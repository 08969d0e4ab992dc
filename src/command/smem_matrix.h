/* smem_matrix.h - requests about matrices in memory. */
#ifndef COMMAND_SMEM_MATRIX_H
#define COMMAND_SMEM_MATRIX_H

#include "command/request.h"

/* True if a subject is the layout of a matrix in memory. */
bool is_about_memory(const struct request *request);

/* Makes the reports of all subjects, which have to be matrices in memory. *count and *reports as
 * make_reports has them. Without a type in the request, elements have the type of the fragment, if
 * it is not NULL. MAPPING_INVALID if a subject cannot be read, or if the request asks a question
 * that does not apply to matrices. */
enum mapping_status make_memory_reports(const struct request *request,
                                        const struct mapping_fragment *fragment,
                                        struct report **reports, size_t *count,
                                        struct mapping_error *error);

/* The question as it is about a matrix in memory, whose rows and columns are the source. */
struct question memory_question(const struct question *question);

/* Names the atom in which the other axis is contiguous: Layout_MN_SW128_Atom for
 * Layout_K_SW128_Atom. Writes "" if there is none. */
enum { MEMORY_ADVICE = 192 };
void memory_other_atom(const char *name, char text[MEMORY_ADVICE]);

#endif
