/* terminal.c - the terminal, and the pager that shows long output on it. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* ---- The terminal ---- */

enum { COLUMNS_USUAL = 80 };

/* The variable of the environment; "" if it is not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

struct terminal terminal_of_output(void) {
    const char *term = variable("TERM"), *colors = variable("COLORTERM");
    struct terminal terminal = {
        .is_there = isatty(STDOUT_FILENO),
        .has_colors = *term && strcmp(term, "dumb") != 0 && !*variable("NO_COLOR"),
        .has_true_color = strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0};
    struct winsize size;
    if (!terminal.is_there)
        return terminal;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){.ws_col = 0};
    terminal.columns = size.ws_col > 0 ? size.ws_col : COLUMNS_USUAL;
    terminal.rows = size.ws_row;
    return terminal;
}

/* The bytes of an escape sequence that changes colors, "ESC [ 0 m"; 0 if there is none. */
static size_t escape_length(const char *text, size_t size) {
    size_t length = 2;
    if (size < 2 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (length < size && text[length] != 'm')
        length++;
    return length < size ? length + 1 : size;
}

size_t terminal_rows_of(const char *text, size_t size, unsigned columns) {
    size_t rows = 0, column = 0;
    for (size_t n = 0, escape; n<size; n += escape> 0 ? escape : 1) {
        escape = escape_length(text + n, size - n);
        if (text[n] == '\n') {
            rows += 1 + (column > 0 ? (column - 1) / columns : 0);
            column = 0;
        } else if (escape == 0 && ((unsigned char)text[n] & 0xc0) != 0x80) /* UTF-8 goes on */
            column++;
    }
    return rows + (column > 0);
}

/* ---- The pager ---- */

/* Signals that this program does not take while the pager runs. They are ignored, but for SIGCHLD:
 * a parent that ignored it would have made the end of the pager unknowable. */
static const int held[] = {SIGINT, SIGQUIT, SIGPIPE, SIGCHLD};
enum { HELD = sizeof held / sizeof *held };

/* The pager; there is one at a time. */
static struct pager {
    int fd; /* the end of the pipe that is written */
    pid_t pid;
    struct termios terminal;       /* as it was */
    struct sigaction before[HELD]; /* what the held signals did */
    sigset_t mask;
} pager;

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

static void hold_signals(void) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigset_t waiting;
    for (size_t s = 0; s < HELD; s++)
        sigaction(held[s], held[s] == SIGCHLD ? &usual : &ignored, &pager.before[s]);
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGTERM);
    sigaddset(&waiting, SIGHUP);
    sigaddset(&waiting, SIGTTOU); /* of putting the terminal back from the background */
    sigprocmask(SIG_BLOCK, &waiting, &pager.mask);
}

static void release_signals(void) {
    for (size_t s = 0; s < HELD; s++)
        sigaction(held[s], &pager.before[s], NULL);
    sigprocmask(SIG_SETMASK, &pager.mask, NULL);
}

/* Starts the shell with `input` as standard input. Returns 0 or an errno. */
static int start(const char *command, int input) {
    const char *const argv[] = {"sh", "-c", SCRIPT, "sh", command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    for (size_t s = 0; s < HELD; s++) /* what was ignored from the start stays ignored */
        if (held[s] != SIGCHLD && pager.before[s].sa_handler != SIG_IGN)
            sigaddset(&usual, held[s]);
    posix_spawn_file_actions_init(&files);
    int failure = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &pager.mask);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    /* Leave if it fits, show colors, leave the screen as it is. */
    if (setenv("LESS", "FRX", false) != 0 || setenv("LV", "-c", false) != 0)
        failure = errno;
    /* posix_spawn does not change the arguments; its prototype is older than const. */
    if (failure == 0)
        failure =
            posix_spawn(&pager.pid, "/bin/sh", &files, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

bool pager_start(int *fd) {
    const char *command = pager_command();
    int ends[2];
    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pager.fd = *fd = ends[1];
    tcgetattr(STDOUT_FILENO, &pager.terminal);
    hold_signals();
    int failure = start(command, ends[0]);
    close(ends[0]);
    if (failure) {
        close(ends[1]);
        release_signals();
    }
    return failure == 0;
}

bool pager_end(void) {
    int status = 0;
    close(pager.fd);
    while (waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        tcsetattr(STDOUT_FILENO, TCSADRAIN, &pager.terminal);
    release_signals();
    int said = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (said == INTERRUPTED)
        raise(SIGINT);
    return said != NOT_FOUND && said != NOT_EXECUTABLE;
}
