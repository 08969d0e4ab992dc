/* parallel.c - a parallel loop over all cores. */
#include "system/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* The caller executes up to FEW calls. Beyond that, there is a thread for every EACH calls. */
enum { FEW = 16, EACH = 48, THREADS_MAX = 15 };

struct loop {
    void (*work)(void *context, size_t index);
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool is_exhausted; /* memory ran out in one of the threads */
};

static void run(struct loop *loop) {
    for (size_t index; (index = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->work(loop->context, index);
}

/* Runs the loop until it ends or memory runs out, in this thread or another. */
static void run_to_end(struct loop *loop) {
    jmp_buf exhausted, *before = mapping_arena_catch(&exhausted);
    if (setjmp(exhausted) == 0) {
        run(loop);
    } else {
        atomic_store(&loop->next, loop->count);
        atomic_store(&loop->is_exhausted, true);
    }
    mapping_arena_catch(before);
}

/* Returns the arena of the thread; NULL if there was no memory for it, so that other threads do all
 * of the work. */
static void *run_beside(void *argument) {
    if (!mapping_arena_begin(NULL))
        return NULL;
    run_to_end(argument);
    return mapping_arena_leave();
}

void parallel_for(size_t count, void (*work)(void *context, size_t index), void *context) {
    struct loop loop = {.work = work, .context = context, .count = count};
    pthread_t threads[THREADS_MAX];
    const size_t most = count > FEW ? (count + EACH - 1) / EACH : 0; /* beside the caller */
    const long cores = most > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    size_t thread_count = 0;
    if (!mapping_arena_is_open())
        arena_begin();
    while (thread_count < THREADS_MAX && thread_count < most && (long)thread_count + 1 < cores &&
           pthread_create(&threads[thread_count], NULL, run_beside, &loop) == 0)
        thread_count++;
    run_to_end(&loop);
    for (size_t t = 0; t < thread_count; t++) {
        void *arena = NULL;
        pthread_join(threads[t], &arena);
        if (arena)
            mapping_arena_join(arena);
    }
    if (atomic_load(&loop.is_exhausted))
        memory_exhausted();
}
