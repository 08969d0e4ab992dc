/* fault.c - a library for LD_PRELOAD that makes one call of the program fail, and counts calls.
 *
 * $FAULT is "KIND N ERRNO HOW": the N-th call of that kind (a number of enum fault_kind) fails with
 * that errno. HOW is `once`, or `on` if all later calls fail too. A read or write whose ERRNO is 0
 * does not fail, but moves only one byte. With $FAULT_TRACE, the stack of the call is printed on
 * standard error. $FAULT_CORES is the number of cores that the program sees; with 1, it starts no
 * threads, and makes the same calls in each run. */
#include "robust/faults/fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64, DESCRIPTORS_MAX = 1024, FRAMES_MAX = 32 };

/* ---- The functions of these names in the next library ---- */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*setenv)(const char *, const char *, int);
    FILE *(*fopen)(const char *, const char *);
    DIR *(*opendir)(const char *);
    int (*open)(const char *, int, ...);
    int (*openat)(int, const char *, int, ...);
    ssize_t (*read)(int, void *, size_t);
    ssize_t (*write)(int, const void *, size_t);
    int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const *, char *const *);
    pid_t (*fork)(void);
    int (*pipe)(int *);
    int (*pipe2)(int *, int);
    int (*fcntl)(int, int, ...);
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    char *(*mkdtemp)(char *);
    long (*sysconf)(int);
} next;

static void find_one(void *function, const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

#define FIND(name) find_one(&next.name, #name)

static void find_all(void) {
    FIND(malloc), FIND(calloc), FIND(realloc), FIND(free), FIND(setenv);
    FIND(fopen), FIND(opendir), FIND(open), FIND(openat), FIND(read), FIND(write);
    FIND(posix_spawn), FIND(fork), FIND(pipe), FIND(pipe2), FIND(fcntl);
    FIND(pthread_create), FIND(mkdtemp), FIND(sysconf);
}

/* ---- The fault ---- */

static struct {
    unsigned kind, number;
    int cause;
    bool stays, traced;
} fault = {.kind = FAULT_KINDS};

static atomic_bool counts; /* while the program runs */
static atomic_uint calls[FAULT_KINDS], failed;
static atomic_llong blocks;

/* Prints who called, without allocating. */
static void trace(void) {
    void *frames[FRAMES_MAX];
    atomic_store(&counts, false);
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), STDERR_FILENO);
    atomic_store(&counts, true);
}

/* The stacks that calls of a kind were seen with: hashes of their return addresses, 0 for none. */
#define SLOTS ((size_t)4 * STACKS_MAX)
static uint64_t seen[FAULT_KINDS][SLOTS];
static struct fault_stacks stacks;

/* Notes the call if its stack is new. One thread at a time; without memory. */
static void note_stack(enum fault_kind kind, unsigned number) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX);
    uint64_t hash = 1;
    for (int f = 0; f < count; f++)
        hash = (hash ^ (uintptr_t)frames[f]) * 0x100000001b3 + (hash >> 32);
    pthread_mutex_lock(&mutex);
    size_t slot = hash % SLOTS;
    while (seen[kind][slot] && seen[kind][slot] != hash)
        slot = (slot + 1) % SLOTS;
    if (!seen[kind][slot] && stacks.count[kind] < STACKS_MAX) {
        seen[kind][slot] = hash;
        stacks.first[kind][stacks.count[kind]++] = number;
    }
    pthread_mutex_unlock(&mutex);
}

static void stop_counting(void) {
    atomic_store(&counts, false);
}

/* Counts a call. True if it is to fail; then errno says why. What the compiler has put at the end
 * of the program, to write what `make coverage` counts, comes behind what the first call asks for.
 */
static bool fails(enum fault_kind kind) {
    static atomic_flag asked = ATOMIC_FLAG_INIT;
    if (!atomic_load(&counts))
        return false;
    if (!atomic_flag_test_and_set(&asked))
        atexit(stop_counting);
    unsigned number = atomic_fetch_add(&calls[kind], 1) + 1;
    if (fault.kind == FAULT_KINDS)
        note_stack(kind, number);
    if (kind != fault.kind || number < fault.number || (number > fault.number && !fault.stays))
        return false;
    atomic_fetch_add(&failed, 1);
    if (fault.traced)
        trace();
    errno = fault.cause;
    return true;
}

/* ---- Memory ---- */

/* Before the next library's functions are known. Never freed. */
static _Alignas(16) char early[1 << 14];
static size_t early_size;

static void *take_early(size_t size) {
    size_t place = early_size;
    early_size += (size + 15) / 16 * 16;
    return early_size <= sizeof early ? early + place : NULL;
}

static bool is_early(const void *block) {
    return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void *counted(void *block) {
    if (block && atomic_load(&counts))
        atomic_fetch_add(&blocks, 1);
    return block;
}

void *malloc(size_t size) {
    if (!next.malloc)
        return take_early(size);
    return fails(FAULT_MEMORY) ? NULL : counted(next.malloc(size));
}

void *calloc(size_t count, size_t size) {
    if (!next.calloc)
        return take_early(count * size);
    return fails(FAULT_MEMORY) ? NULL : counted(next.calloc(count, size));
}

void *realloc(void *block, size_t size) {
    if (!block)
        return malloc(size);
    return fails(FAULT_MEMORY) ? NULL : next.realloc(block, size);
}

void free(void *block) {
    if (!block || is_early(block))
        return;
    if (atomic_load(&counts))
        atomic_fetch_sub(&blocks, 1);
    next.free(block);
}

/* libc frees the values that it stores, so the program must not. */
int setenv(const char *name, const char *value, int replaces) {
    const long long before = atomic_load(&blocks);
    const int result = next.setenv(name, value, replaces);
    atomic_store(&blocks, before);
    return result;
}

/* ---- Files ---- */

/* The rest of a read or write that is made short. */
static bool is_short(size_t *size) {
    bool is = fault.cause == 0;
    if (is && *size > 1)
        *size = 1;
    return is;
}

ssize_t read(int fd, void *place, size_t size) {
    return fails(FAULT_READ) && !is_short(&size) ? -1 : next.read(fd, place, size);
}

ssize_t write(int fd, const void *place, size_t size) {
    if (fd != STDERR_FILENO && fails(FAULT_WRITE) && !is_short(&size))
        return -1;
    return next.write(fd, place, size);
}

/* A FILE whose reads and writes are those above. */

static ssize_t read_cookie(void *fd, char *place, size_t size) {
    return read(*(int *)fd, place, size);
}

/* Short writes continue, as in libc. Here 0 is an error. */
static ssize_t write_cookie(void *fd, const char *place, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(*(int *)fd, place + done, size - done);
        if (written < 0)
            return 0;
        done += (size_t)written;
    }
    return (ssize_t)size;
}

static int close_cookie(void *fd) {
    return close(*(int *)fd);
}

static FILE *open_cookie(int fd, const char *mode) {
    static int numbers[DESCRIPTORS_MAX]; /* of which a cookie is one */
    numbers[fd] = fd;
    cookie_io_functions_t functions = {
        .read = read_cookie, .write = write_cookie, .close = close_cookie};
    return fopencookie(&numbers[fd], mode, functions);
}

FILE *fopen(const char *path, const char *mode) {
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    int fd = open(path, flags | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 && fd < DESCRIPTORS_MAX ? open_cookie(fd, mode) : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

DIR *opendir(const char *path) {
    return fails(FAULT_OPEN) ? NULL : next.opendir(path);
}

static mode_t mode_of(int flags, va_list *arguments) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(*arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return fails(FAULT_OPEN) ? -1 : next.open(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return fails(FAULT_OPEN) ? -1 : next.openat(folder, path, flags, mode);
}

char *mkdtemp(char *path) {
    return fails(FAULT_FOLDER) ? NULL : next.mkdtemp(path);
}

/* ---- Processes ---- */

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *attributes, char *const argv[],
                char *const environment[]) {
    return fails(FAULT_SPAWN) ? fault.cause
                              : next.posix_spawn(pid, path, files, attributes, argv, environment);
}

pid_t fork(void) {
    return fails(FAULT_SPAWN) ? -1 : next.fork();
}

int pipe(int ends[2]) {
    return fails(FAULT_PIPE) ? -1 : next.pipe(ends);
}

int pipe2(int ends[2], int flags) {
    return fails(FAULT_PIPE) ? -1 : next.pipe2(ends, flags);
}

int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails(FAULT_PIPE))
        return -1;
    return next.fcntl(fd, command, argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    return fails(FAULT_THREAD) ? fault.cause
                               : next.pthread_create(thread, attributes, run, argument);
}

long sysconf(int name) {
    const char *cores = name == _SC_NPROCESSORS_ONLN ? getenv("FAULT_CORES") : NULL;
    return cores ? atol(cores) : next.sysconf(name);
}

/* ---- Beginning and end ---- */

static char report_path[256];
static int files_before;

static int count_files(void) {
    int count = 0;
    for (int fd = 0; fd < FILES_MAX; fd++)
        count += next.fcntl(fd, F_GETFD) >= 0;
    return count;
}

__attribute__((constructor)) static void begin(void) {
    find_all();
    const char *text = getenv("FAULT"), *report = getenv("FAULT_REPORT");
    char how[8] = "";
    if (text && sscanf(text, "%u %u %d %7s", &fault.kind, &fault.number, &fault.cause, how) == 4)
        fault.stays = strcmp(how, "on") == 0;
    fault.traced = getenv("FAULT_TRACE") != NULL;
    snprintf(report_path, sizeof report_path, "%s", report ? report : "");
    unsetenv("FAULT"), unsetenv("FAULT_REPORT"), unsetenv("FAULT_TRACE"), unsetenv("LD_PRELOAD");
    stdin = open_cookie(STDIN_FILENO, "r");
    if (fault.kind == FAULT_KINDS)
        backtrace(&(void *){NULL}, 1); /* which the first time allocates */
    files_before = count_files();
    atomic_store(&counts, true);
}

__attribute__((destructor)) static void end(void) {
    stop_counting();
    struct fault_report told = {
        .failed = failed, .blocks = blocks, .files = count_files() - files_before};
    for (int k = 0; k < FAULT_KINDS; k++)
        told.calls[k] = calls[k];
    int fd = *report_path ? next.open(report_path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd >= 0 &&
        (next.write(fd, &told, sizeof told) != sizeof told ||
         (fault.kind == FAULT_KINDS && next.write(fd, &stacks, sizeof stacks) != sizeof stacks)))
        _exit(99);
}
