/* process.c - time limits, and tools that run under a time limit. */
#include "system/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Time limits ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct limit limit_begin(double seconds) {
    return (struct limit){seconds, now() + seconds};
}

/* The remaining seconds; 0 or less if the time is over. */
static double limit_left(const struct limit *limit) {
    return limit->end - now();
}

enum mapping_status limit_check(const struct limit *limit, struct mapping_error *error) {
    if (interrupted())
        return mapping_fail(error, MAPPING_FAILED, "interrupted");
    if (limit_left(limit) <= 0)
        return mapping_fail(
            error, MAPPING_FAILED,
            "reading the SASS took longer than %g s; raise the limit with --timeout=SECS",
            limit->seconds);
    return MAPPING_OK;
}

/* ---- Reading what a tool prints ---- */

enum { OUTPUT_LIMIT = 64 << 20, STREAMS = 2 };

/* One end of a pipe, and the bytes that were read from it. */
struct stream {
    int fd;    /* -1 once it is closed */
    int cause; /* the errno of a read that failed */
    char *text;
    size_t size, capacity;
};

/* The result of one wait: something or nothing was read, or the reason to stop. */
enum outcome { READ, QUIET, TIMED_OUT, TOO_MUCH, NO_MEMORY, UNREADABLE, STOPPED };

/* Reads the output that is available, up to OUTPUT_LIMIT for each stream. */
static enum outcome read_some(struct stream *stream) {
    if (stream->capacity - stream->size < 4096) {
        const size_t capacity = stream->capacity ? 2 * stream->capacity : 1 << 16;
        char *text =
            capacity <= OUTPUT_LIMIT ? mapping_reallocate_or_null(stream->text, capacity, 1) : NULL;
        if (!text)
            return capacity <= OUTPUT_LIMIT ? NO_MEMORY : TOO_MUCH;
        stream->text = text;
        stream->capacity = capacity;
    }
    ssize_t got =
        read(stream->fd, stream->text + stream->size, stream->capacity - stream->size - 1);
    if (got > 0)
        stream->size += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        stream->cause = got < 0 ? errno : 0;
        close(stream->fd);
        stream->fd = -1;
    }
    return stream->cause == 0 ? READ : UNREADABLE;
}

/* Waits until a pipe has something to read or is closed, at most `seconds`; then reads. */
static enum outcome wait_and_read(struct stream streams[STREAMS], double seconds) {
    struct pollfd polled[STREAMS];
    for (int s = 0; s < STREAMS; s++)
        polled[s] = (struct pollfd){streams[s].fd, POLLIN, 0}; /* poll ignores -1 */
    struct timespec limit = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int ready = interrupt_poll(polled, STREAMS, &limit);
    if (interrupted()) /* also if another thread received the signal */
        return STOPPED;
    enum outcome outcome = ready > 0 ? READ : QUIET;
    for (int s = 0; s < STREAMS && outcome == READ; s++)
        if (polled[s].revents)
            outcome = read_some(&streams[s]);
    return outcome;
}

/* Reads both pipes until the tool has ended. Then kills the remaining processes in its process
 * group. Returns QUIET on success. */
static enum outcome follow(pid_t pid, struct stream streams[STREAMS], const struct limit *limit,
                           int *status) {
    enum outcome outcome = READ;
    bool running = true;
    while (running && (outcome == READ || outcome == QUIET)) {
        bool open = streams[0].fd >= 0 || streams[1].fd >= 0;
        double left = limit_left(limit), slice = open ? 0.02 : 0.0002;
        outcome = left <= 0 ? TIMED_OUT : wait_and_read(streams, left < slice ? left : slice);
        running = waitpid(pid, status, WNOHANG) != pid;
    }
    kill(-pid, SIGKILL);
    if (running) { /* also if it has left its process group */
        kill(pid, SIGKILL);
        waitpid(pid, status, 0);
    }
    if (outcome == READ || outcome == QUIET)
        do
            outcome = wait_and_read(streams, 0);
        while (outcome == READ);
    return outcome;
}

/* ---- Starting ---- */

/* The number of variables that a tool gets, plus the end of the list. */
enum { ENVIRONMENT_SIZE = 4 };

/* Chooses the variables that a tool gets. ptxas and nvdisasm need none; PATH and TMPDIR are for
 * scripts that replace them. Others, such as LD_PRELOAD and LANG, could change the output. */
static void choose_environment(char *chosen[ENVIRONMENT_SIZE]) {
    static const char *const passed[] = {"PATH=", "TMPDIR="};
    static char language[] = "LC_ALL=C";
    size_t count = 0;
    for (size_t p = 0; p < sizeof passed / sizeof *passed; p++) {
        char **entry = environ;
        while (*entry && strncmp(*entry, passed[p], strlen(passed[p])) != 0)
            entry++;
        if (*entry)
            chosen[count++] = *entry;
    }
    chosen[count++] = language;
    chosen[count] = NULL;
}

/* Makes the tool close the descriptors that this program inherited; the program's own descriptors
 * are close-on-exec. Returns 0 or an errno. */
static int close_inherited(posix_spawn_file_actions_t *files) {
    DIR *list = opendir("/dev/fd");
    if (!list)
        return errno == ENOENT ? 0 : errno; /* without /proc, descriptors cannot be listed */
    const struct dirent *entry;
    int failure = 0;
    while (failure == 0 && (entry = readdir(list))) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > STDERR_FILENO && fcntl(fd, F_GETFD) == 0)
            failure = posix_spawn_file_actions_addclose(files, fd);
    }
    closedir(list);
    return failure;
}

/* Starts the tool with /dev/null as standard input, the pipes as standard output and error, and no
 * other files. Returns 0 or an errno. */
static int start(const char *const argv[], const int out[2], const int err[2], pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char *environment[ENVIRONMENT_SIZE];
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGCHLD);
    posix_spawn_file_actions_init(&files);
    int failure = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&files, out[1], 1);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&files, err[1], 2);
    if (failure == 0)
        failure = close_inherited(&files);
    choose_environment(environment);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* posix_spawn does not change the arguments; its prototype is older than const. */
    if (failure == 0)
        failure = posix_spawn(pid, argv[0], &files, &attributes, (char *const *)argv, environment);
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
    struct limit limit = limit_begin(seconds);
    int out[2] = {-1, -1}, err[2] = {-1, -1}, status = 0;
    pid_t pid = 0;
    /* If a parent left SIGCHLD ignored, waitpid() would not return the status of the tool. */
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
    enum outcome outcome = failure ? QUIET : follow(pid, streams, &limit, &status);
    sigaction(SIGCHLD, &inherited, NULL);
    for (int s = 0; s < STREAMS; s++) {
        if (streams[s].fd >= 0)
            close(streams[s].fd);
        if (streams[s].text)
            streams[s].text[streams[s].size] = '\0';
    }
    *output = (struct tool_output){
        .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .out = streams[0].text ? streams[0].text : memory_get(1, 1),
        .err = streams[1].text ? streams[1].text : memory_get(1, 1),
        .out_size = streams[0].size,
        .err_size = streams[1].size,
    };
    if (failure == ENOMEM || outcome == NO_MEMORY)
        memory_exhausted();
    if (failure)
        return mapping_fail(error, MAPPING_FAILED, "could not run %s: %s", argv[0],
                            strerror(failure));
    switch (outcome) {
    case TIMED_OUT:
        return mapping_fail(error, MAPPING_FAILED,
                            "%s did not finish within %g s; raise the limit with --timeout=SECS",
                            argv[0], seconds);
    case TOO_MUCH:
        return mapping_fail(error, MAPPING_FAILED, "%s printed more than %d MiB", argv[0],
                            OUTPUT_LIMIT >> 20);
    case UNREADABLE:
        return mapping_fail(error, MAPPING_FAILED, "could not read the output of %s: %s", argv[0],
                            strerror(streams[streams[0].cause ? 0 : 1].cause));
    case STOPPED:
        return mapping_fail(error, MAPPING_FAILED, "interrupted while running %s", argv[0]);
    case NO_MEMORY:
    case READ:
    case QUIET:
        break;
    }
    return MAPPING_OK;
}
