/* interrupt.h - signals such as SIGINT, SIGTERM, SIGPIPE, SIGALRM and SIGXFSZ end the program as
 * always, but not before it has cleaned up.
 *
 * Between interrupt_begin and interrupt_end the signals are blocked, and let through only while
 * something waits with interrupt_wait_mask. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

void interrupt_begin(void);

/* True if one has arrived since interrupt_begin. */
bool interrupted(void);

/* The signal mask to wait with (ppoll), so that an arriving signal ends the wait. */
const sigset_t *interrupt_wait_mask(void);

/* Puts the signals back as they were. If one has arrived, the program ends of it here. */
void interrupt_end(void);

#endif
