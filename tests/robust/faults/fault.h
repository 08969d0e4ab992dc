/* fault.h - the report of fault.c about a run. */
#pragma once

#include <stdint.h>

/* Kinds of calls. A child of the program has no faults. */
enum fault_kind {
    FAULT_MEMORY, /* malloc, calloc, realloc, also within libc */
    FAULT_OPEN,   /* fopen, open, openat, opendir */
    FAULT_READ,   /* read, also of a FILE */
    FAULT_WRITE,  /* write, also of a FILE, but not of standard error */
    FAULT_SPAWN,  /* posix_spawn, fork */
    FAULT_PIPE,   /* pipe, pipe2, fcntl(F_DUPFD) */
    FAULT_THREAD, /* pthread_create */
    FAULT_FOLDER, /* mkdtemp */
    FAULT_KINDS
};

/* Written to the file that $FAULT_REPORT names when the program has ended. */
struct fault_report {
    uint32_t calls[FAULT_KINDS];
    uint32_t failed; /* calls that were made to fail */
    int64_t blocks;  /* that were allocated and not freed */
    int32_t files;   /* descriptors that were opened and not closed */
};

/* Follows upon it where no call was to fail: the numbers of the calls, in order, that were the
 * first with their stack, that is with these calls of functions at these places. */
enum { STACKS_MAX = 2048 };
struct fault_stacks {
    uint32_t count[FAULT_KINDS];
    uint32_t first[FAULT_KINDS][STACKS_MAX];
};
