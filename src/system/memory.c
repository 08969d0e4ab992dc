/* memory.c - arrays that grow, and what the allocator is told; see memory.h. */
#include "system/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *array_grow(void *array, size_t count, size_t more, size_t *room, size_t each) {
    if (array && more <= *room - count)
        return array;
    if (more > SIZE_MAX / 4 / each - count)
        return NULL;
    size_t wanted = count + more < 2 * count ? 2 * count : count + more;
    if (wanted < 16)
        wanted = 16;
    void *bigger = realloc(array, wanted * each);
    if (bigger)
        *room = wanted;
    return bigger;
}

bool strings_add(struct strings *strings, const char *text) {
    char **grown =
        array_grow(strings->text, strings->count, 1, &strings->room, sizeof *strings->text);
    if (!grown)
        return false;
    strings->text = grown;
    strings->text[strings->count] = strdup(text);
    if (!strings->text[strings->count])
        return false;
    strings->count++;
    return true;
}

void strings_free(struct strings *strings) {
    for (size_t n = 0; n < strings->count; n++)
        free(strings->text[n]);
    free(strings->text);
    *strings = (struct strings){NULL, 0, 0};
}

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>

enum { MUCH = 32 << 20, HUGE_PAGE = 2 << 20 };

void memory_keep(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
}

void memory_expect(size_t bytes) {
    if (bytes < MUCH)
        return;
    memory_keep();
    char *block = malloc(bytes);
    if (!block)
        return;
    size_t skip = HUGE_PAGE - (uintptr_t)block % HUGE_PAGE;
    madvise(block + skip, bytes - skip, MADV_HUGEPAGE);
    free(block);
}

#else

void memory_keep(void) {}

void memory_expect(size_t bytes) {
    (void)bytes;
}

#endif
