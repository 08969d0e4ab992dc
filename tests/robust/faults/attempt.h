/* attempt.h - runs the program once, perhaps with a failing call, and returns the result. */
#pragma once

#include "robust/faults/fault.h"
#include "robust/faults/lines.h"

#include <stdbool.h>
#include <stddef.h>

/* A way to fail: the errno, 0 for one byte at a time, and what a sentence about it has to say; NULL
 * if it has to be survived. */
struct failure {
    const char *name;
    enum fault_kind kind;
    int cause;
    const char *how, *reason;
};

/* The content of a stream. */
struct text {
    char *bytes;
    size_t size, capacity;
};

struct outcome {
    int status; /* of waitpid */
    bool timed_out, reported, left_files;
    struct text out, err;
    struct fault_report report;
    struct fault_stacks stacks; /* of a run without a failure */
};

/* The environment of runs: files for their output, and a temporary folder. */
struct place {
    const char *program, *library;
    int out, err, report;
    char folder[256];
};

void place_init(struct place *place, const char *program, const char *library);
void place_free(struct place *place);

/* Runs the program with a failure in its `n`th such call, or with none. What is in `outcome` is
 * used again. Whatever is no fault of the program ends this one. */
void attempt(const struct place *place, const struct line *line, const struct failure *failure,
             unsigned n, struct outcome *outcome);

/* Ends this program with a reason. */
_Noreturn void stop(const char *what);
