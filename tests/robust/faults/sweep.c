/* sweep.c - runs command lines repeatedly, each time with another failing call, and checks each
 * run.
 *
 * sweep PROGRAM LIBRARY LINES MOST [TEXT]: PROGRAM is the program under test, LIBRARY is fault.c as
 * a shared library, LINES is a file of command lines. For each kind of failure, MOST calls fail in
 * each line, evenly spread; all if MOST is `all`; one for each call stack if MOST is `stacks`. With
 * TEXT, only lines that contain it run. Prints TAP.
 *
 * Expected values: the run without a fault; strerror. */
#include "robust/faults/attempt.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 2, SHOWN_MAX = 3, FAILED = 5 };

static const struct failure failures[] = {
    {"an allocation", FAULT_MEMORY, ENOMEM, "once", "out of memory"},
    {"all allocations from", FAULT_MEMORY, ENOMEM, "on", "out of memory"},
    {"an open", FAULT_OPEN, EMFILE, "once", "Too many open files"},
    {"all opens from", FAULT_OPEN, EIO, "on", "Input/output error"},
    {"an open for lack of memory", FAULT_OPEN, ENOMEM, "once", "out of memory"},
    {"a read", FAULT_READ, EIO, "once", "Input/output error"},
    {"an interrupted read", FAULT_READ, EINTR, "once", NULL},
    {"all reads short from", FAULT_READ, 0, "on", NULL},
    {"a write", FAULT_WRITE, ENOSPC, "once", "No space left on device"},
    {"an interrupted write", FAULT_WRITE, EINTR, "once", NULL},
    {"a short write", FAULT_WRITE, 0, "once", NULL},
    {"a fork", FAULT_SPAWN, EAGAIN, "once", "Resource temporarily unavailable"},
    {"a fork for lack of memory", FAULT_SPAWN, ENOMEM, "once", "out of memory"},
    {"an exec", FAULT_SPAWN, EACCES, "once", "Permission denied"},
    {"a pipe", FAULT_PIPE, EMFILE, "once", "Too many open files"},
    {"a thread", FAULT_THREAD, EAGAIN, "once", NULL},
    {"all threads from", FAULT_THREAD, EAGAIN, "on", NULL},
    {"a temporary folder", FAULT_FOLDER, ENOSPC, "once", "No space left on device"},
};
enum { FAILURES = sizeof failures / sizeof *failures };

/* ---- Judging it ---- */

static bool same(const struct text *one, const struct text *other) {
    return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}

static bool begins(const struct text *whole, const struct text *part) {
    return part->size <= whole->size && memcmp(whole->bytes, part->bytes, part->size) == 0;
}

static bool is_sentence(const struct text *text) {
    const char *end = strchr(text->bytes, '\n');
    return strncmp(text->bytes, "mapping: ", 9) == 0 && end && end[1] == '\0';
}

/* The error in the last part of a failed run; NULL if there is none. */
static const char *judge_failed(const struct failure *failure, const struct outcome *whole,
                                const struct outcome *got) {
    if (!failure->reason)
        return "it gives up";
    if (WEXITSTATUS(got->status) != FAILED)
        return "the status is wrong";
    if (failure->kind == FAULT_WRITE ? !begins(&whole->out, &got->out) : got->out.size > 0)
        return "something is printed";
    if (!is_sentence(&got->err))
        return "the sentence is none";
    bool is_memory = failure->cause == ENOMEM && strstr(got->err.bytes, strerror(ENOMEM));
    return is_memory || strstr(got->err.bytes, failure->reason) ? NULL : "the reason is wrong";
}

/* The error of a run; NULL if there is none. */
static const char *judge(const struct failure *failure, const struct outcome *whole,
                         const struct outcome *got) {
    if (got->timed_out)
        return "it hangs";
    if (!WIFEXITED(got->status))
        return "it crashes";
    if (got->left_files)
        return "a temporary folder is left";
    if (!got->reported)
        return "it does not end as programs do";
    /* If memory runs out, the program exits at once, and the system frees its memory. */
    const bool is_exhausted = failure->cause == ENOMEM && WEXITSTATUS(got->status) == FAILED &&
                              strstr(got->err.bytes, "out of memory");
    if (got->report.blocks > whole->report.blocks && !is_exhausted)
        return "memory leaks";
    if (got->report.files > whole->report.files && !is_exhausted)
        return "a file stays open";
    if (got->status != whole->status)
        return judge_failed(failure, whole, got);
    /* What was given up in the same way all the same, as where a tool fails. */
    if (!same(&got->out, &whole->out))
        return "what is printed differs";
    if (!same(&got->err, &whole->err) && WEXITSTATUS(got->status) != FAILED)
        return "what is said differs";
    return NULL;
}

/* ---- All of them ---- */

/* The results for a line. */
struct tally {
    atomic_uint runs, wrong;
};

struct sweep {
    struct lines lines;
    struct outcome wholes[LINES_MAX];
    struct tally *tallies; /* shared between processes */
    unsigned most;         /* 0: all */
    bool by_stack;
    unsigned worker, turn;
};

/* Prints the error in one write, with a command that reproduces it. */
static void tell(const struct line *line, const struct failure *failure, unsigned n,
                 const char *wrong, const struct outcome *got) {
    char said[1024];
    int code = WIFEXITED(got->status) ? WEXITSTATUS(got->status) : 128 + WTERMSIG(got->status);
    int length = snprintf(
        said, sizeof said, "# %s: %s %u, FAULT='%d %u %d %s': %s: status %d, %zu bytes, %.200s%s",
        line->text, failure->name, n, failure->kind, n, failure->cause, failure->how, wrong, code,
        got->out.size, got->err.bytes, strchr(got->err.bytes, '\n') ? "" : "\n");
    if (write(STDOUT_FILENO, said,
              (size_t)length < sizeof said ? (size_t)length : sizeof said - 1) < 0)
        exit(1);
}

/* Tries a failure in a line, in those places that are this worker's. */
static void try_failure(struct sweep *sweep, const struct place *place, size_t l,
                        const struct failure *failure, struct outcome *got) {
    const struct outcome *whole = &sweep->wholes[l];
    const struct fault_stacks *stacks = &whole->stacks;
    unsigned calls = whole->report.calls[failure->kind], shown = 0;
    unsigned tries = sweep->most && sweep->most < calls ? sweep->most : calls;
    if (sweep->by_stack)
        tries = stacks->count[failure->kind];
    for (unsigned t = 0; t < tries; t++) {
        unsigned n = 1 + (unsigned)((2 * (uint64_t)t + 1) * calls / (2 * (uint64_t)tries));
        if (sweep->by_stack)
            n = stacks->first[failure->kind][t];
        if (sweep->turn++ % WORKERS != sweep->worker)
            continue;
        attempt(place, &sweep->lines.line[l], failure, n, got);
        const char *wrong = judge(failure, whole, got);
        sweep->tallies[l].runs++;
        sweep->tallies[l].wrong += wrong != NULL;
        if (wrong && shown++ < SHOWN_MAX)
            tell(&sweep->lines.line[l], failure, n, wrong, got);
    }
}

static void work(struct sweep *sweep, const struct place *first) {
    struct place place;
    struct outcome got = {0};
    place_init(&place, first->program, first->library);
    for (size_t l = 0; l < sweep->lines.count; l++)
        for (size_t f = 0; f < FAILURES; f++)
            try_failure(sweep, &place, l, &failures[f], &got);
    place_free(&place);
}

static void work_in_parallel(struct sweep *sweep, const struct place *place) {
    fflush(stdout);
    for (sweep->worker = 0; sweep->worker < WORKERS; sweep->worker++)
        if (fork() == 0) {
            work(sweep, place);
            _exit(0);
        }
    int status, failed = 0;
    while (wait(&status) > 0)
        failed |= status;
    if (failed)
        stop("a worker failed");
}

/* Runs every line without a fault. Of threads, libc keeps some memory. False if the library is not
 * loaded. */
static bool run_wholes(struct sweep *sweep, const struct place *place) {
    for (size_t l = 0; l < sweep->lines.count; l++) {
        struct outcome *whole = &sweep->wholes[l];
        attempt(place, &sweep->lines.line[l], NULL, 0, whole);
        if (!whole->reported)
            return false;
        if (whole->report.calls[FAULT_THREAD] == 0 && whole->report.blocks > 0) {
            printf("# %s: memory leaks, %lld blocks\n", sweep->lines.line[l].text,
                   (long long)whole->report.blocks);
            sweep->tallies[l].wrong++;
        }
        if (whole->report.files > 0) {
            printf("# %s: a file stays open\n", sweep->lines.line[l].text);
            sweep->tallies[l].wrong++;
        }
    }
    return true;
}

static bool report(const struct sweep *sweep, double seconds) {
    unsigned runs = 0, wrong = 0;
    for (size_t l = 0; l < sweep->lines.count; l++) {
        const struct tally *tally = &sweep->tallies[l];
        printf("%s %zu - %u faults: %s\n", tally->wrong ? "not ok" : "ok", l + 1, tally->runs,
               sweep->lines.line[l].text);
        runs += tally->runs;
        wrong += tally->wrong;
    }
    printf("1..%zu\n# %u faults in %.1f s, %u found something wrong\n", sweep->lines.count, runs,
           seconds, wrong);
    if (runs == 0)
        puts("# no call was made to fail: is the library for LD_PRELOAD loaded?");
    return wrong == 0 && runs > 0;
}

int main(int argc, char **argv) {
    static struct sweep sweep;
    struct place place;
    if (argc < 5 || !lines_read(argv[3], argc > 5 ? argv[5] : "", &sweep.lines)) {
        fputs("usage: sweep PROGRAM LIBRARY LINES MOST [TEXT]\n", stderr);
        return 2;
    }
    sweep.most = (unsigned)strtoul(argv[4], NULL, 10);
    sweep.by_stack = strcmp(argv[4], "stacks") == 0;
    sweep.tallies = mmap(NULL, sizeof *sweep.tallies * LINES_MAX, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sweep.tallies == MAP_FAILED)
        stop("mmap");
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    place_init(&place, argv[1], argv[2]);
    if (!run_wholes(&sweep, &place)) {
        puts("not ok - no faults can be injected: was the program built with a sanitizer?");
        place_free(&place);
        return 1;
    }
    work_in_parallel(&sweep, &place);
    place_free(&place);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return report(&sweep, (double)(end.tv_sec - begin.tv_sec) +
                              1e-9 * (double)(end.tv_nsec - begin.tv_nsec))
               ? 0
               : 1;
}
