/* account.c - how a check went; see account.h. */
#include "command/account.h"

#include <stdio.h>
#include <string.h>

void account_add_reason(struct account *account, const char *reason) {
    size_t length = strlen(account->reasons);
    if (!strstr(account->reasons, reason))
        snprintf(account->reasons + length, sizeof account->reasons - length, "; %.240s", reason);
}
