/* pager.h - a program that shows long output page by page, as git has it: $PAGER, else less, if it
 * is there.
 *
 * Between pager_start and pager_end, Ctrl-C and a pipe that is closed do not end this program, and
 * other signals that would wait until the pager has ended: it has the terminal. */
#ifndef PAGER_H
#define PAGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct pager {
    int fd; /* what is written there is shown */
    pid_t pid;
    struct termios terminal; /* as it was */
    struct sigaction interrupt, quit, pipe, child;
    sigset_t mask;
};

/* Starts the pager on standard output, which is a terminal. False if there is none, or none is
 * wanted: $PAGER is empty or "cat". */
bool pager_start(struct pager *pager);

/* Waits until the user has left it, and puts the terminal back if it ended badly. False if the
 * program was none that could be started: nothing was shown. If Ctrl-C has ended it, this program
 * ends of that too. */
bool pager_end(struct pager *pager);

#endif
