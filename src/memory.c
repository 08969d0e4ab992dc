/* memory.c - what the allocator is told, and what it could not give; see memory.h. */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>

enum { MUCH = 32 << 20, HUGE_PAGE = 2 << 20 };

void memory_expect(size_t bytes) {
    if (bytes < MUCH)
        return;
    /* All from one heap, which is never given back piece by piece. */
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    char *block = malloc(bytes);
    if (!block)
        return;
    size_t skip = HUGE_PAGE - (uintptr_t)block % HUGE_PAGE;
    madvise(block + skip, bytes - skip, MADV_HUGEPAGE);
    free(block);
}

#else

void memory_expect(size_t bytes) {
    (void)bytes;
}

#endif

bool memory_close(FILE *stream, size_t *size) {
    /* A buffer that could not grow is full, and takes no further character. */
    bool complete = fputc('\0', stream) != EOF && !ferror(stream);
    if (fclose(stream) != 0 || !complete)
        return false;
    --*size;
    return true;
}
