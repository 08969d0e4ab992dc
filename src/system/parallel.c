/* parallel.c - a loop on all cores. */
#include "system/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* The caller does up to FEW calls alone. Beyond, there is one more thread for every EACH calls. */
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

void parallel_for(size_t count, void (*work)(void *context, size_t index), void *context) {
    struct loop loop = {.work = work, .context = context, .count = count};
    pthread_t threads[THREADS_MAX];
    const size_t most = count > FEW ? (count + EACH - 1) / EACH : 0; /* beside the caller's */
    const long cores = most > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    size_t thread_count = 0;
    while (thread_count < THREADS_MAX && thread_count < most && (long)thread_count + 1 < cores &&
           pthread_create(&threads[thread_count], NULL, run, &loop) == 0)
        thread_count++;
    run(&loop);
    for (size_t t = 0; t < thread_count; t++)
        pthread_join(threads[t], NULL);
}
