/* main.c - the command: parses the command line, runs the action, prints the result, and returns
 * the exit status. Long output on a terminal goes through a pager. */
#include "cli/options.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* ---- The terminal ---- */

enum { COLUMNS_USUAL = 80 };

/* The size of the terminal that standard output goes to; all 0 if it is not a terminal. If the
 * number of rows is unknown, it is also 0. */
static struct winsize terminal_of_output(void) {
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO))
        return size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size.ws_col = COLUMNS_USUAL;
    return size;
}

/* How many rows a text takes on a terminal that wraps lines at `columns`. Escape sequences that
 * change colors, "ESC [ 0 m", have no width. */
static size_t rows_of(const char *text, size_t size, unsigned columns) {
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
 * as in git. Between start_pager and end_pager, Ctrl-C and a closed pipe do not end this program,
 * and SIGTERM and SIGHUP wait until the pager has ended, because the pager has the terminal. */

/* Signals that this program does not take while the pager runs. They are ignored, except SIGCHLD,
 * which gets its default action: if it stayed ignored, as a parent may have left it, waitpid would
 * not return the pager's status. */
static const int held[] = {SIGINT, SIGQUIT, SIGPIPE, SIGCHLD};
enum { HELD = sizeof held / sizeof *held };

/* The pager; there is one at a time. */
static struct pager {
    int fd; /* the write end of the pipe */
    pid_t pid;
    struct termios terminal;       /* its settings before */
    struct sigaction before[HELD]; /* earlier actions of the held signals */
    sigset_t mask;
} pager;

/* Exit statuses of a shell: the program is not executable, was not found, was ended by Ctrl-C. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, INTERRUPTED = 128 + SIGINT };

/* The shell outlives Ctrl-C, as this program does, since the pager may go on; the pager gets it as
 * usual. A $PAGER that the shell cannot parse, such as one with an unmatched quote, counts as not
 * found. */
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
    for (size_t s = 0; s < HELD; s++) /* signals ignored from the start stay so */
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

/* Starts the pager on standard output, a terminal; it shows what is written to pager.fd. False if
 * it could not be started, or is not wanted: $PAGER is empty or "cat". */
static bool start_pager(void) {
    const char *command = pager_command();
    int ends[2];
    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pager.fd = ends[1];
    tcgetattr(STDOUT_FILENO, &pager.terminal);
    hold_signals();
    int failure = start_shell(command, ends[0]);
    close(ends[0]);
    if (failure) {
        close(ends[1]);
        release_signals();
    }
    return failure == 0;
}

/* Waits until the pager ends, and restores the terminal if it failed. False if the pager could not
 * be started, so that nothing was shown. If Ctrl-C has ended the pager, it ends this program too.
 */
static bool end_pager(void) {
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

/* ---- Writing ---- */

/* Writes everything to a file descriptor. Returns 0 or an errno. */
static int write_pages(const struct pages *pages, int fd) {
    int cause = 0;
    for (size_t p = 0; p < pages->count && cause == 0; p++)
        cause = write_all(fd, pages->page[p].text, pages->page[p].size);
    return cause;
}

/* True if the output, with a line for the prompt, does not fit on the terminal. */
static bool is_long(const struct pages *pages, const struct winsize *terminal) {
    enum { ROWS_MIN = 3 }; /* a pager needs this many */
    size_t rows = 1;
    if (terminal->ws_row < ROWS_MIN)
        return false;
    for (size_t p = 0; p < pages->count && rows <= terminal->ws_row; p++)
        rows += rows_of(pages->page[p].text, pages->page[p].size, terminal->ws_col);
    return rows > terminal->ws_row;
}

/* Writes everything to standard output, or to the pager if it is long. */
static enum mapping_status write_out(const struct pages *pages, const struct winsize *terminal,
                                     struct mapping_error *error) {
    if (is_long(pages, terminal) && start_pager()) {
        write_pages(pages, pager.fd); /* as much as the user wants to see */
        if (end_pager())
            return MAPPING_OK;
    }
    int cause = write_pages(pages, STDOUT_FILENO);
    return cause == 0 ? MAPPING_OK
                      : mapping_fail(error, MAPPING_FAILED,
                                     "could not write to standard output: %s", strerror(cause));
}

/* ---- The command ---- */

/* The value of an environment variable; "" if it is not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* Sets the style of text. A terminal gets numbers around grids and, with --color=auto, colors
 * unless $NO_COLOR is set, or $TERM is dumb or not set. --color=always gives both to any output. */
static void set_style(struct request *request, const struct winsize *terminal) {
    const char *term = variable("TERM"), *colors = variable("COLORTERM");
    const bool always = request->color == COLOR_ALWAYS, is_there = terminal->ws_col > 0;
    request->style.width = terminal->ws_col;
    request->style.is_framed = always || is_there;
    request->style.is_tinted = always || (request->color == COLOR_AUTO && is_there && *term &&
                                          strcmp(term, "dumb") != 0 && !*variable("NO_COLOR"));
    request->style.has_true_color =
        strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0;
}

/* Parses the command line, and runs its action, or prints help or the version. */
static enum mapping_status run(int argc, char **argv, const struct winsize *terminal,
                               struct pages *pages, struct mapping_error *error) {
#define COMMAND(name, function, can_print) command_##function,
    static command_function *const commands[ACTIONS] = {REQUEST_ACTIONS(COMMAND)};
    struct request request;
    enum mode mode;
    enum mapping_status status = options_parse(argc, argv, &request, &mode, error);
    set_style(&request, terminal);
    if (status != MAPPING_OK)
        return status;
    if (mode == MODE_REQUEST)
        return commands[request.action](&request, pages, error);
    pages_init(pages, 1);
    if (mode == MODE_HELP)
        options_help(pages->page, request.help_topic);
    else
        print_text(pages->page, "mapping " MAPPING_VERSION "\n");
    return MAPPING_OK;
}

int main(int argc, char **argv) {
    struct pages pages = {.page = NULL};
    struct mapping_error error = {""}, write_error;
    const struct winsize terminal = terminal_of_output();
    /* Ask the CUDA driver for one work queue and one copy queue instead of 8 or more: on an H200, a
     * context is then created in 45 ms instead of 90, and destroyed in 55 ms instead of 85.
     * Variables that the user has set stay. setenv() is not safe once there are threads. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
    enum mapping_status status = run(argc, argv, &terminal, &pages, &error);
    /* Nothing is printed before it is known that all went well. */
    if ((status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA) &&
        write_out(&pages, &terminal, &write_error) != MAPPING_OK) {
        status = MAPPING_FAILED;
        error = write_error;
    }
    if (*error.message && status != MAPPING_OK)
        fprintf(stderr, "mapping: %s\n", error.message);
    else if (*pages.note)
        fprintf(stderr, "mapping: %s\n", pages.note);
    memory_release();
    return (int)status;
}
