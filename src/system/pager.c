/* pager.c - a program that shows long output; see pager.h. */
#include "system/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a shell that has not found the program, may not execute it, or saw it end by
 * Ctrl-C. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, INTERRUPTED = 128 + SIGINT };

/* The shell has to outlive Ctrl-C as we do, for the pager may go on; that gets it as usual. What is
 * no command at all, as it has a quote too many, is as if it was not there. */
#define SCRIPT "trap : INT QUIT; /bin/sh -nc \"$1\" || exit 127; eval \"$1\""

/* What the shell is to run; NULL if nothing. */
static const char *pager_command(void) {
    const char *command = getenv("PAGER");
    if (!command)
        return "command -v less > /dev/null || exit 127; exec less";
    command += strspn(command, " \t\n");
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* ---- Signals ---- */

/* Adds a signal that the pager is to take as usual, unless it was ignored from the start. */
static void add_usual(sigset_t *usual, int number, const struct sigaction *before) {
    if (before->sa_handler != SIG_IGN)
        sigaddset(usual, number);
}

static void hold_signals(struct pager *pager) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigset_t waiting;
    sigaction(SIGINT, &ignored, &pager->interrupt);
    sigaction(SIGQUIT, &ignored, &pager->quit);
    sigaction(SIGPIPE, &ignored, &pager->pipe);
    /* A parent that ignored it would have made the end of the pager unknowable. */
    sigaction(SIGCHLD, &usual, &pager->child);
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGTERM);
    sigaddset(&waiting, SIGHUP);
    sigaddset(&waiting, SIGTTOU); /* of putting the terminal back from the background */
    sigprocmask(SIG_BLOCK, &waiting, &pager->mask);
}

static void release_signals(const struct pager *pager) {
    sigaction(SIGINT, &pager->interrupt, NULL);
    sigaction(SIGQUIT, &pager->quit, NULL);
    sigaction(SIGPIPE, &pager->pipe, NULL);
    sigaction(SIGCHLD, &pager->child, NULL);
    sigprocmask(SIG_SETMASK, &pager->mask, NULL);
}

/* ---- The program ---- */

/* Starts the shell with `input` as standard input. Returns 0 or an errno. */
static int start(struct pager *pager, const char *command, int input) {
    const char *const argv[] = {"sh", "-c", SCRIPT, "sh", command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    add_usual(&usual, SIGINT, &pager->interrupt);
    add_usual(&usual, SIGQUIT, &pager->quit);
    add_usual(&usual, SIGPIPE, &pager->pipe);
    posix_spawn_file_actions_init(&files);
    int failure = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &pager->mask);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    /* Leave if it fits, show colors, leave the screen as it is. */
    if (setenv("LESS", "FRX", false) != 0 || setenv("LV", "-c", false) != 0)
        failure = errno;
    /* posix_spawn does not change the arguments; its prototype is older than const. */
    if (failure == 0)
        failure =
            posix_spawn(&pager->pid, "/bin/sh", &files, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

bool pager_start(struct pager *pager) {
    const char *command = pager_command();
    int ends[2];
    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *pager = (struct pager){.fd = ends[1]};
    tcgetattr(STDOUT_FILENO, &pager->terminal);
    hold_signals(pager);
    int failure = start(pager, command, ends[0]);
    close(ends[0]);
    if (failure) {
        close(ends[1]);
        release_signals(pager);
    }
    return failure == 0;
}

bool pager_end(struct pager *pager) {
    int status = 0;
    close(pager->fd);
    while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        tcsetattr(STDOUT_FILENO, TCSADRAIN, &pager->terminal);
    release_signals(pager);
    int said = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (said == INTERRUPTED)
        raise(SIGINT);
    return said != NOT_FOUND && said != NOT_EXECUTABLE;
}
