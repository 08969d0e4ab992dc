/* threads.c - runs the same command lines in one context, and in eight contexts of eight threads at
 * once, and compares status, text and message.
 *
 *     threads FILE    FILE has, for each command line, the number of its words and the words, each
 *                     followed by '\0': "2\0--list\0--arch=sm_90\0"
 *
 * `make tsan` builds it with ThreadSanitizer, which reports unguarded accesses to shared memory. */
#include "mapping.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8 };

struct line {
    size_t count;
    const char **words;
    enum mapping_status status; /* in one context */
    char *text, *message;
    size_t size;
};

static struct line *lines;
static size_t line_count;

struct thread {
    size_t number, wrong, first; /* how many lines differ, and which is the first */
};

static void *checked(void *pointer) {
    if (pointer)
        return pointer;
    perror("threads");
    exit(2);
}

static void read_lines(const char *path) {
    FILE *file = checked(fopen(path, "rb"));
    char *text = NULL;
    size_t capacity = 0;
    const ssize_t size = getdelim(&text, &capacity, EOF, file);
    fclose(file);
    for (char *next = text; size > 0 && next < text + size;) {
        struct line line = {.count = strtoul(next, NULL, 10)};
        line.words = checked(calloc(line.count + 1, sizeof *line.words));
        for (size_t n = 0; n < line.count; n++)
            line.words[n] = next = next + strlen(next) + 1;
        next += strlen(next) + 1;
        lines = checked(realloc(lines, (line_count + 1) * sizeof *lines));
        lines[line_count++] = line;
    }
}

static void ask_first(struct line *line, mapping *context) {
    const char *text;
    line->status = mapping_run(context, line->count, line->words, &text, &line->size);
    line->text = checked(malloc(line->size + 1));
    memcpy(line->text, text, line->size + 1);
    line->message = checked(strdup(mapping_message(context)));
}

static bool is_same(const struct line *line, mapping *context) {
    const char *text;
    size_t size;
    const enum mapping_status status = mapping_run(context, line->count, line->words, &text, &size);
    return status == line->status && size == line->size && memcmp(text, line->text, size) == 0 &&
           strcmp(mapping_message(context), line->message) == 0;
}

/* Each thread begins at another line, so that they ask different things at the same time. */
static void *work(void *argument) {
    struct thread *thread = argument;
    mapping *context = checked(mapping_open(NULL));
    for (size_t n = 0; n < line_count; n++) {
        const size_t number = (n + thread->number * line_count / THREADS) % line_count;
        if (!is_same(&lines[number], context) && thread->wrong++ == 0)
            thread->first = number;
    }
    mapping_close(context);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t ids[THREADS];
    struct thread threads[THREADS] = {{0}};
    size_t wrong = 0;
    if (count != 2) {
        fputs("usage: threads FILE\n", stderr);
        return 2;
    }
    read_lines(arguments[1]);
    mapping *context = checked(mapping_open(NULL));
    for (size_t n = 0; n < line_count; n++)
        ask_first(&lines[n], context);
    mapping_close(context);
    for (size_t n = 0; n < THREADS; n++) {
        threads[n].number = n;
        if (pthread_create(&ids[n], NULL, work, &threads[n]) != 0)
            return 2;
    }
    for (size_t n = 0; n < THREADS; n++) {
        pthread_join(ids[n], NULL);
        wrong += threads[n].wrong;
        if (threads[n].wrong > 0)
            printf("thread %zu: %zu lines differ, the first is number %zu\n", n, threads[n].wrong,
                   threads[n].first);
    }
    printf("%zu command lines, %d threads: %zu answers differ\n", line_count, THREADS, wrong);
    return wrong > 0 || line_count == 0;
}
