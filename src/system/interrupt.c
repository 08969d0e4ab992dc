/* interrupt.c - signals become a flag for a while; see interrupt.h. */
#include "system/interrupt.h"

#include <stddef.h>

/* All that end a program unless it says otherwise, but for those of its own mistakes. */
static const int caught[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,   SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
enum { CAUGHT = sizeof caught / sizeof *caught };

static volatile sig_atomic_t arrived;
static struct sigaction old_actions[CAUGHT];
static sigset_t old_mask;

static void note(int number) {
    arrived = number;
}

void interrupt_begin(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    arrived = 0;
    for (int s = 0; s < CAUGHT; s++) {
        struct sigaction action = {.sa_handler = note};
        sigaction(caught[s], NULL, &old_actions[s]);
        if (old_actions[s].sa_handler == SIG_IGN) /* as under nohup: stays ignored */
            continue;
        sigaction(caught[s], &action, NULL);
        sigaddset(&blocked, caught[s]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &old_mask);
}

bool interrupted(void) {
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, &old_mask, &blocked); /* a waiting signal is delivered here */
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    return arrived != 0;
}

const sigset_t *interrupt_wait_mask(void) {
    return &old_mask;
}

void interrupt_end(void) {
    bool deliver = interrupted();
    for (int s = 0; s < CAUGHT; s++)
        sigaction(caught[s], &old_actions[s], NULL);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    if (deliver)
        raise(arrived);
}
