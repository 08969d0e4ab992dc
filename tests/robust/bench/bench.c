/* bench.c - measures; bench.sh prints the table.
 *
 *   bench deduce    prints "NAME NANOSECONDS" for layouts of several sizes, the best of many runs
 *   bench loop      prints the milliseconds of a fixed loop, the best of many runs
 *   bench nothing   exits at once: the minimum time of a process
 *   bench run N COMMAND...
 *                   runs the commands N times each, in turns, without their output, and prints
 *                   "MILLISECONDS KIBIBYTES" for each: the median of the wall-clock time of the
 *                   process, and its largest resident set. A command is words with blanks between.
 *                   The last line has the milliseconds of `bench nothing` and of the loop, which
 *                   run in the same turns and show how fast the machine was. */
#include "catalogue/fragment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Times both coordinates of a layout of `threads` x `elements` entries in the pattern of an
 * accumulator. */
static void measure(const char *name, uint32_t threads, uint32_t elements, int repeats) {
    const struct mapping_space space = {2, {{"tid", threads}, {"i", elements}}};
    size_t entries = (size_t)threads * elements;
    uint32_t *row = malloc(2 * entries * sizeof *row);
    if (!row)
        exit(5);
    uint32_t *col = row + entries;
    for (uint32_t tid = 0; tid < threads; tid++)
        for (uint32_t i = 0; i < elements; i++) {
            row[tid * elements + i] = ((i & 2) << 2) + (tid / 4 % 8) + tid / 32 * 16;
            col[tid * elements + i] = (i & 1) + i / 4 * 8 + (tid & 3) * 2;
        }
    double best = 1e18;
    for (int run = 0; run < 15; run++) {
        struct mapping_formula formulae[2];
        bool found = true;
        double start = now();
        for (int r = 0; r < repeats; r++)
            found &= mapping_deduce(&space, row, &formulae[0]) &&
                     mapping_deduce(&space, col, &formulae[1]);
        double time = (now() - start) / repeats;
        if (!found)
            exit(4);
        if (time < best)
            best = time;
    }
    printf("%s %.0f\n", name, best);
    free(row);
}

/* The milliseconds of a fixed loop: 2^20 rounds of a generator of numbers, each of which changes a
 * table of 16 KiB. That is arithmetic and the first cache, as in deduction. */
static double time_loop(void) {
    static volatile uint32_t table[4096];
    uint32_t x = 1;
    double start = now();
    for (uint32_t n = 0; n < 1 << 20; n++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        table[x % 4096] += x;
    }
    return (now() - start) / 1e6;
}

/* The best of many, as measure() has it. */
static void measure_loop(void) {
    double best = time_loop();
    for (int run = 1; run < 50; run++) {
        double time = time_loop();
        best = time < best ? time : best;
    }
    printf("%.2f\n", best);
}

struct sample {
    double *milliseconds;
    long kibibytes;
};

/* Runs a command once. */
static void run(const char *command, double *milliseconds, long *kibibytes) {
    enum { WORDS = 1024 };
    char *words[WORDS], *copy = strdup(command);
    size_t count = 0;
    if (!copy)
        exit(5);
    for (char *word = strtok(copy, " "); word && count < WORDS - 1; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    if (!words[0])
        exit(5);
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    wait4(pid, &status, 0, &usage);
    *milliseconds = (now() - start) / 1e6;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench: '%s' failed\n", command);
        exit(5);
    }
    if (usage.ru_maxrss > *kibibytes)
        *kibibytes = usage.ru_maxrss;
    free(copy);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts; the one in the middle. */
static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static void run_all(size_t runs, char **commands, size_t count, const char *nothing) {
    struct sample *samples = calloc(count, sizeof *samples);
    double *milliseconds = calloc((count + 2) * runs, sizeof *milliseconds);
    if (!samples || !milliseconds)
        exit(5);
    for (size_t c = 0; c < count; c++)
        samples[c].milliseconds = milliseconds + c * runs;
    double *starts = milliseconds + count * runs, *loops = starts + runs;
    long size = 0;
    for (size_t r = 0; r < runs; r++) {
        for (size_t c = 0; c < count; c++)
            run(commands[c], &samples[c].milliseconds[r], &samples[c].kibibytes);
        run(nothing, &starts[r], &size);
        loops[r] = time_loop();
    }
    for (size_t c = 0; c < count; c++)
        printf("%.2f %ld\n", median(samples[c].milliseconds, runs), samples[c].kibibytes);
    printf("%.2f %.2f\n", median(starts, runs), median(loops, runs));
    free(milliseconds);
    free(samples);
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "run") == 0 && atoi(argv[2]) > 0) {
        char nothing[4096];
        snprintf(nothing, sizeof nothing, "%s nothing", argv[0]);
        run_all((size_t)atoi(argv[2]), argv + 3, (size_t)argc - 3, nothing);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "nothing") == 0)
        return 0;
    if (argc == 2 && strcmp(argv[1], "loop") == 0) {
        measure_loop();
        return 0;
    }
    measure("16x16", 32, 8, 20000);
    measure("64x256", 128, 128, 500);
    measure("2^16", 128, 512, 100);
    measure("2^20", 128, 8192, 5);
    return 0;
}
