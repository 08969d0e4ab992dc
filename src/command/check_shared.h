/* check_shared.h - checking a file of where elements of canonical layouts lie in shared memory. */
#ifndef CHECK_SHARED_H
#define CHECK_SHARED_H

#include "command/account.h"
#include "command/request.h"

/* True if a text is such a file: its first section is of an atom. */
bool is_shared_file(const char *text);

/* Compares each section with what is stated, and with what the device shows if there is one and it
 * may be asked. A section that differs is printed with what there should be. MAPPING_INVALID if the
 * text has not that form. */
enum mapping_status check_shared(const struct request *request, const char *text, const char *name,
                                 struct account *account, struct mapping_error *error);

#endif
