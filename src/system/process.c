/* process.c - running a tool; see process.h. */
#include "system/process.h"

#include "system/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 64 << 20, STREAMS = 2 };

/* One end of a pipe, and what came through it. */
struct stream {
    int fd; /* -1 once it is closed */
    char *text;
    size_t size, room;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Reads what is there. False if it is too much, or memory is out. */
static bool read_some(struct stream *stream) {
    if (stream->room - stream->size < 4096) {
        size_t room = stream->room ? 2 * stream->room : 1 << 16;
        char *text = room <= OUTPUT_LIMIT ? realloc(stream->text, room) : NULL;
        if (!text)
            return false;
        stream->text = text;
        stream->room = room;
    }
    ssize_t got = read(stream->fd, stream->text + stream->size, stream->room - stream->size - 1);
    if (got > 0)
        stream->size += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        close(stream->fd);
        stream->fd = -1;
    }
    return true;
}

/* How it goes with a tool: something was read or nothing, or why it is not waited for any longer.
 */
enum outcome { READ, QUIET, TIMED_OUT, TOO_MUCH, STOPPED };

/* Waits until a pipe has something to read or is closed, at most `seconds`; then reads. */
static enum outcome wait_and_read(struct stream streams[STREAMS], double seconds) {
    struct pollfd polled[STREAMS];
    for (int s = 0; s < STREAMS; s++)
        polled[s] = (struct pollfd){streams[s].fd, POLLIN, 0}; /* -1 is passed over */
    struct timespec limit = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int ready = ppoll(polled, STREAMS, &limit, interrupt_wait_mask());
    if (interrupted()) /* also where another thread took the signal */
        return STOPPED;
    for (int s = 0; s < STREAMS && ready > 0; s++)
        if (polled[s].revents && !read_some(&streams[s]))
            return TOO_MUCH;
    return ready > 0 ? READ : QUIET;
}

/* Reads both pipes until the tool has ended. What it has started and left behind is ended too.
 * Returns QUIET if all went well. */
static enum outcome follow(pid_t pid, struct stream streams[STREAMS], double deadline,
                           int *status) {
    enum outcome outcome = READ;
    bool running = true;
    while (running && (outcome == READ || outcome == QUIET)) {
        bool open = streams[0].fd >= 0 || streams[1].fd >= 0;
        double left = deadline - now(), slice = open ? 0.02 : 0.0002;
        outcome = left <= 0 ? TIMED_OUT : wait_and_read(streams, left < slice ? left : slice);
        running = waitpid(pid, status, WNOHANG) != pid;
    }
    kill(-pid, SIGKILL);
    if (running)
        waitpid(pid, status, 0);
    if (outcome == READ || outcome == QUIET)
        do
            outcome = wait_and_read(streams, 0);
        while (outcome == READ);
    return outcome;
}

/* Starts the tool with standard output and error in the pipes. Returns 0 or an errno. */
static int start(const char *const argv[], const int out[2], const int err[2], pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGCHLD);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    posix_spawn_file_actions_adddup2(&files, err[1], 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* posix_spawn does not change the arguments; its prototype is older than const. */
    int failure = posix_spawn(pid, argv[0], &files, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

/* Makes a pipe that no tool inherits, with both ends above the standard streams. */
static int make_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return errno;
    for (int e = 0; e < 2; e++) {
        ends[e] = fcntl(low[e], F_DUPFD_CLOEXEC, 3);
        close(low[e]);
    }
    return ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
}

enum mapping_status tool_run(const char *const argv[], double seconds, struct tool_output *output,
                             struct mapping_error *error) {
    *output = (struct tool_output){0};
    double deadline = now() + seconds;
    int out[2] = {-1, -1}, err[2] = {-1, -1}, status = 0;
    pid_t pid = 0;
    /* A parent that ignored SIGCHLD would have made the end of the tool unknowable. */
    struct sigaction inherited, defaults = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &defaults, &inherited);
    int failure = make_pipe(out);
    if (failure == 0)
        failure = make_pipe(err);
    if (failure == 0)
        failure = start(argv, out, err, &pid);
    close(out[1]);
    close(err[1]);
    struct stream streams[STREAMS] = {{.fd = out[0]}, {.fd = err[0]}};
    enum outcome outcome = failure ? QUIET : follow(pid, streams, deadline, &status);
    sigaction(SIGCHLD, &inherited, NULL);
    for (int s = 0; s < STREAMS; s++) {
        if (streams[s].fd >= 0)
            close(streams[s].fd);
        if (streams[s].text)
            streams[s].text[streams[s].size] = '\0';
        else if (!(streams[s].text = calloc(1, 1)))
            failure = ENOMEM;
    }
    *output = (struct tool_output){
        .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .out = streams[0].text,
        .err = streams[1].text,
        .out_size = streams[0].size,
        .err_size = streams[1].size,
    };
    if (failure)
        return mapping_fail(error, MAPPING_FAILED, "could not run %s: %s", argv[0],
                            strerror(failure));
    switch (outcome) {
    case TIMED_OUT:
        return mapping_fail(error, MAPPING_FAILED, "%s did not end within %g s (--timeout=SECS)",
                            argv[0], seconds);
    case TOO_MUCH:
        return mapping_fail(error, MAPPING_FAILED, "%s printed more than %d MiB", argv[0],
                            OUTPUT_LIMIT >> 20);
    case STOPPED:
        return mapping_fail(error, MAPPING_FAILED, "interrupted while %s ran", argv[0]);
    case READ:
    case QUIET:
        break;
    }
    return MAPPING_OK;
}

void tool_output_free(struct tool_output *output) {
    free(output->out);
    free(output->err);
    *output = (struct tool_output){0};
}

enum mapping_status temporary_folder_make(char *path, size_t size, struct mapping_error *error) {
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    int length = snprintf(path, size, "%s/mapping-XXXXXX", parent);
    if (length < 0 || (size_t)length >= size)
        return mapping_fail(error, MAPPING_FAILED, "the path in $TMPDIR is too long");
    char made[PATH_MAX];
    if (!mkdtemp(path)) {
        int failure = errno;
        return mapping_fail(error, MAPPING_FAILED,
                            "could not make a temporary folder in %s: %s ($TMPDIR chooses another)",
                            parent, strerror(failure));
    }
    /* Tools take a path that starts with a dash for an option. */
    if (realpath(path, made) && strlen(made) < size)
        memcpy(path, made, strlen(made) + 1);
    return MAPPING_OK;
}

static int remove_one(const char *path, const struct stat *information, int kind,
                      struct FTW *place) {
    (void)information, (void)kind, (void)place;
    remove(path);
    return 0;
}

void temporary_folder_remove(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
