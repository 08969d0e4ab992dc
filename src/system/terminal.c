/* terminal.c - the size of the terminal, and the pager. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct winsize terminal_size(int fd) {
    struct winsize size = {0};
    if (!isatty(fd))
        return size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size.ws_col = 80; /* the default width */
    return size;
}

bool file_is_waiting(void) {
    struct stat input;
    return fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && input.st_size > 0 &&
           lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

bool input_is_waiting(void) {
    struct stat input;
    int bytes = 0;
    return file_is_waiting() || (fstat(STDIN_FILENO, &input) == 0 && S_ISFIFO(input.st_mode) &&
                                 ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0);
}

size_t terminal_rows(const char *text, size_t size, unsigned columns) {
    size_t rows = 0, column = 0;
    bool is_escape = false;
    for (size_t n = 0; n < size; n++) {
        is_escape = text[n] == '\033' || (is_escape && text[n - 1] != 'm');
        if (text[n] == '\n') {
            rows += 1 + (column > 0 ? (column - 1) / columns : 0);
            column = 0;
        } else if (!is_escape && ((unsigned char)text[n] & 0xc0) != 0x80) /* a character starts */
            column++;
    }
    return rows + (column > 0);
}

/* ---- The pager ----
 *
 * A pager is a program that shows long output page by page: $PAGER, else less if it is installed,
 * as in git. Between pager_start and pager_end, Ctrl-C and a closed pipe do not end this program,
 * and SIGTERM and SIGHUP wait until the pager has ended, because the pager has the terminal. */

/* Signals that this program does not receive while the pager runs. They are ignored, except
 * SIGCHLD, which gets its default action: if a parent left it ignored, waitpid would not return the
 * pager's status. */
static const int held[] = {SIGINT, SIGQUIT, SIGPIPE, SIGCHLD};
enum { HELD = sizeof held / sizeof *held };

/* The pager; there is one at a time. */
static struct pager {
    int fd; /* the write end of the pipe */
    pid_t pid;
    bool has_settings;
    struct termios terminal;       /* the settings before the pager started */
    struct sigaction before[HELD]; /* earlier actions of the held signals */
    sigset_t mask;
} pager;

/* Exit statuses of a shell: the program is not executable, was not found, was ended by Ctrl-C. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, INTERRUPTED = 128 + SIGINT };

/* The shell traps Ctrl-C, because the pager may continue after it; the pager itself receives it. A
 * $PAGER that the shell cannot parse, such as one with an unmatched quote, counts as not found. */
#define SCRIPT "trap : INT QUIT; /bin/sh -nc \"$1\" || exit 127; eval \"$1\""

/* The command for the shell; NULL if there is none. */
static const char *pager_command(void) {
    const char *command = getenv("PAGER");
    if (!command)
        return "command -v less > /dev/null || exit 127; exec less";
    command += strspn(command, " \t\n");
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void hold_signals(void) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigset_t waiting;
    for (size_t s = 0; s < HELD; s++)
        sigaction(held[s], held[s] == SIGCHLD ? &usual : &ignored, &pager.before[s]);
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGTERM);
    sigaddset(&waiting, SIGHUP);
    sigaddset(&waiting, SIGTTOU); /* sent if we restore the terminal from the background */
    sigprocmask(SIG_BLOCK, &waiting, &pager.mask);
}

static void release_signals(void) {
    for (size_t s = 0; s < HELD; s++)
        sigaction(held[s], &pager.before[s], NULL);
    sigprocmask(SIG_SETMASK, &pager.mask, NULL);
}

/* Starts the shell with `input` as standard input. Returns 0 or an errno. */
static int start_shell(const char *command, int input) {
    const char *const argv[] = {"sh", "-c", SCRIPT, "sh", command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    for (size_t s = 0; s < HELD; s++) /* signals that were already ignored stay ignored */
        if (held[s] != SIGCHLD && pager.before[s].sa_handler != SIG_IGN)
            sigaddset(&usual, held[s]);
    posix_spawn_file_actions_init(&files);
    int failure = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &pager.mask);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    /* Quit if the output fits, show colors, do not clear the screen. */
    if (setenv("LESS", "FRX", false) != 0 || setenv("LV", "-c", false) != 0)
        failure = errno;
    /* posix_spawn does not change the arguments, although its prototype lacks const. */
    if (failure == 0)
        failure =
            posix_spawn(&pager.pid, "/bin/sh", &files, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

int pager_start(void) {
    const char *command = pager_command();
    int ends[2];
    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pager.fd = ends[1];
    pager.has_settings = tcgetattr(STDOUT_FILENO, &pager.terminal) == 0;
    hold_signals();
    int failure = start_shell(command, ends[0]);
    close(ends[0]);
    if (failure == 0)
        return pager.fd;
    close(ends[1]);
    release_signals();
    return -1;
}

bool pager_end(void) {
    int status = 0;
    close(pager.fd);
    while (waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0 && pager.has_settings)
        tcsetattr(STDOUT_FILENO, TCSADRAIN, &pager.terminal);
    release_signals();
    int said = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (said == INTERRUPTED)
        raise(SIGINT);
    return said != NOT_FOUND && said != NOT_EXECUTABLE;
}
