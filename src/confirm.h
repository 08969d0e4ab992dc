/* confirm.h - what observation confirms a statement of the PTX ISA. */
#ifndef CONFIRM_H
#define CONFIRM_H

#include "report.h"

/* Finds among the recorded results one of the same fragment that was observed on a device, of
 * whatever architecture, and is the same in every entry; notes it in the report. *place is NULL at
 * first, then where the last one was found. */
void confirm_statement(struct report *report, const char **place);

#endif
