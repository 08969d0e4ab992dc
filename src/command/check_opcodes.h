/* check_opcodes.h - checking a file of what opcodes become, as results/sass.txt. */
#ifndef CHECK_OPCODES_H
#define CHECK_OPCODES_H

#include "command/account.h"
#include "command/request.h"

/* Reads such a file, called `name`, assembles all opcodes again on each architecture that is asked
 * for, if `is_wanted` and if there is the ptxas, in exactly the version, that the file names for
 * it, and compares. Each architecture counts as one section of the account. MAPPING_INVALID if the
 * file is malformed; differences are in the account. */
enum mapping_status check_opcodes(const struct request *request, const char *text, const char *name,
                                  bool is_wanted, struct account *account,
                                  struct mapping_error *error);

#endif
