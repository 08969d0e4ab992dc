/* process.h - running a tool: without a shell, in a process group of its own, with a time limit. */
#ifndef PROCESS_H
#define PROCESS_H

#include "mapping.h"

/* What a tool printed; both texts end with '\0' and are owned. */
struct tool_output {
    int exit_status; /* 0 .. 255 */
    int ended_by;    /* the signal that ended it, or 0 */
    char *out, *err;
    size_t out_size, err_size;
};

/* Runs argv[0], a path, with an empty standard input and no other open file, with no variables but
 * PATH, TMPDIR and LC_ALL=C, and waits for it. `argv` ends with NULL. The tool and its children are
 * killed if it takes longer than `seconds`, prints more than 64 MiB, or
 * if a signal arrives. MAPPING_OK whatever its exit status; MAPPING_FAILED if it could not be
 * started or was killed. Free the output with tool_output_free in any case. */
enum mapping_status tool_run(const char *const argv[], double seconds, struct tool_output *output,
                             struct mapping_error *error);

void tool_output_free(struct tool_output *output);

#endif
