/* parallel.c - a loop on all cores. */
#include "system/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Fewer than this are not worth a second thread, and each further one has as many to do. */
enum { FEW = 16, EACH = 48, THREADS_MAX = 15 };

struct loop {
    void (*work)(void *context, size_t index);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *run(void *argument) {
    struct loop *loop = argument;
    for (size_t index; (index = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->work(loop->context, index);
    return NULL;
}

/* Goes through the loop with at most so many threads beside the caller's. */
static void run_with(struct loop *loop, size_t most) {
    pthread_t threads[THREADS_MAX];
    size_t thread_count = 0;
    long cores = most > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    while (thread_count < THREADS_MAX && thread_count < most && (long)thread_count + 1 < cores &&
           pthread_create(&threads[thread_count], NULL, run, loop) == 0)
        thread_count++;
    run(loop);
    for (size_t t = 0; t < thread_count; t++)
        pthread_join(threads[t], NULL);
}

void parallel_for(size_t count, void (*work)(void *context, size_t index), void *context) {
    struct loop loop = {.work = work, .context = context, .count = count};
    run_with(&loop, count > FEW ? (count + EACH - 1) / EACH : 0);
}

void parallel_for_long(size_t count, void (*work)(void *context, size_t index), void *context) {
    struct loop loop = {.work = work, .context = context, .count = count};
    run_with(&loop, count > 1 ? count - 1 : 0);
}
