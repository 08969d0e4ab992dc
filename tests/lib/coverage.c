/* coverage.c - part of the programs that `make coverage` builds: saves the counters if a signal
 * ends the program, and prevents threads from counting at once. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* With --wrap=CALL the linker puts __wrap_CALL in its place. */
int real_raise(int number) __asm__("__real_raise");
int counted_raise(int number) __asm__("__wrap_raise");
typedef int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument);
create real_create __asm__("__real_pthread_create"), counted_create
    __asm__("__wrap_pthread_create");

/* Declared in gcc's gcov.h, which clang-tidy does not have. */
void write_counts(void) __asm__("__gcov_dump");
void begin_counts(void) __asm__("__gcov_reset");

int counted_raise(int number) {
    write_counts();
    begin_counts();
    return real_raise(number);
}

/* The thread finds nothing left to do: see system/parallel.c. */
int counted_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    run(argument);
    return real_create(thread, attributes, run, argument);
}

/* Runs before what was counted is written. Where files may not grow, it would be half-written: it
 * goes nowhere, and nothing is said of that. */
__attribute__((destructor)) static void end(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    setenv("GCOV_PREFIX", "/dev/null", 1);
    if (!freopen("/dev/null", "w", stderr))
        fclose(stderr);
}
