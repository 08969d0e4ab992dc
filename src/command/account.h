/* account.h - how a check went. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "system/printer.h"

/* Lines for people to read, how many sections came out how, and for an error what the sources
 * lacked that could not check. */
struct account {
    struct printer *lines;
    size_t confirmed, different, unchecked;
    char reasons[480]; /* "; REASON; REASON" */
};

/* Adds a reason, if it is not there. */
void account_add_reason(struct account *account, const char *reason);

#endif
