/* attempt.c - runs the program once; see attempt.h. */
#include "robust/faults/attempt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 30 };

_Noreturn void stop(const char *what) {
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(1);
}

void place_init(struct place *place, const char *program, const char *library) {
    *place = (struct place){program,
                            library,
                            memfd_create("out", MFD_CLOEXEC),
                            memfd_create("err", MFD_CLOEXEC),
                            memfd_create("report", MFD_CLOEXEC),
                            ""};
    const char *parent = getenv("TMPDIR");
    int length = snprintf(place->folder, sizeof place->folder, "%s/mapping-faults-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length >= (int)sizeof place->folder)
        errno = ENAMETOOLONG;
    if (place->out < 0 || place->err < 0 || place->report < 0 ||
        length >= (int)sizeof place->folder || !mkdtemp(place->folder))
        stop("could not make room for output");
}

void place_free(struct place *place) {
    close(place->out), close(place->err), close(place->report);
    rmdir(place->folder);
}

static void empty(int fd) {
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        stop("could not empty a file");
}

static void load(int fd, struct text *text) {
    text->size = (size_t)lseek(fd, 0, SEEK_END);
    if (text->size + 1 > text->capacity &&
        !(text->bytes = realloc(text->bytes, text->capacity = text->size + 1)))
        stop("could not keep what was printed");
    if (pread(fd, text->bytes, text->size, 0) != (ssize_t)text->size)
        stop("could not read what was printed");
    text->bytes[text->size] = '\0';
}

/* True if there was something in the folder; it is removed. */
static bool clean(const char *path) {
    bool found = false;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            char inner[512];
            snprintf(inner, sizeof inner, "%s/%.250s", path, entry->d_name);
            if (remove(inner) != 0) {
                clean(inner);
                remove(inner);
            }
            found = true;
        }
    if (folder)
        closedir(folder);
    return found;
}

static volatile pid_t running;
static volatile sig_atomic_t late;

static void end_late(int number) {
    (void)number;
    late = 1;
    kill(running, SIGKILL);
}

/* Starts the program with a failure in its `n`th such call, or with none. */
static pid_t start(const struct place *place, const struct line *line,
                   const struct failure *failure, unsigned n) {
    char preload[512], temporary[300], fault[64] = "FAULT=";
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", place->library);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", place->folder);
    if (failure)
        snprintf(fault, sizeof fault, "FAULT=%d %u %d %s", failure->kind, n, failure->cause,
                 failure->how);
    char *environment[LINE_WORDS + 12] = {preload,
                                          temporary,
                                          fault,
                                          "FAULT_REPORT=/dev/fd/3",
                                          "PATH=/usr/bin:/bin",
                                          "LC_ALL=C",
                                          "CUDA_VISIBLE_DEVICES=",
                                          "FAULT_CORES=1"};
    size_t count = line->variable_count ? 7 : 8;
    for (size_t v = 0; v < line->variable_count; v++)
        environment[count++] = line->variables[v];
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, line->input ? line->input : "/dev/null", O_RDONLY,
                                     0);
    posix_spawn_file_actions_adddup2(&files, place->out, 1);
    posix_spawn_file_actions_adddup2(&files, place->err, 2);
    posix_spawn_file_actions_adddup2(&files, place->report, 3);
    pid_t pid;
    errno = posix_spawn(&pid, place->program, &files, NULL, line->arguments, environment);
    if (errno)
        stop("could not start the program");
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

void attempt(const struct place *place, const struct line *line, const struct failure *failure,
             unsigned n, struct outcome *outcome) {
    empty(place->out), empty(place->err), empty(place->report);
    late = 0;
    signal(SIGALRM, end_late);
    running = start(place, line, failure, n);
    alarm(SECONDS_MAX);
    while (waitpid(running, &outcome->status, 0) < 0 && errno == EINTR)
        ;
    alarm(0);
    outcome->timed_out = late;
    outcome->left_files = clean(place->folder);
    load(place->out, &outcome->out);
    load(place->err, &outcome->err);
    struct fault_report *report = &outcome->report;
    outcome->reported = pread(place->report, report, sizeof *report, 0) == sizeof *report;
    if (!failure)
        outcome->reported &= pread(place->report, &outcome->stacks, sizeof outcome->stacks,
                                   sizeof *report) == sizeof outcome->stacks;
}
