/* account.c - how a check went; see account.h. */
#include "command/account.h"

#include "layout/printable.h"

#include <stdio.h>
#include <string.h>

void account_add_reason(struct account *account, const char *reason) {
    enum { MOST = 240 };
    char shown[MOST + 1];
    size_t length = strlen(account->reasons);
    mapping_printable(reason, strlen(reason), shown, MOST);
    if (!strstr(account->reasons, shown) && length + strlen(shown) + 3 < sizeof account->reasons)
        snprintf(account->reasons + length, sizeof account->reasons - length, "; %s", shown);
}
