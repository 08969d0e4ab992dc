/* attempt.h - runs the program once, perhaps with a failing call, and returns the result. */
#pragma once

#include "robust/faults/fault.h"
#include "robust/faults/lines.h"

#include <stdbool.h>
#include <stddef.h>

/* A failure: its errno, or 0 for one byte at a time, and a text that the message about it must
 * have; NULL if the program must succeed nevertheless. */
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

/* Runs the program with a failure in its `n`th call of this kind, or with none. Buffers in
 * `outcome` are reused. Errors that are not those of the program end this process. */
void attempt(const struct place *place, const struct line *line, const struct failure *failure,
             unsigned n, struct outcome *outcome);

/* Ends this program with a reason. */
_Noreturn void stop(const char *what);
