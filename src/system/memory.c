/* memory.c - allocation that ends the program if memory runs out. */
#include "system/system.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void memory_exhausted(void) {
    static const char sentence[] = "mapping: out of memory\n";
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&is_ending))
        pause(); /* another thread ends the program */
    ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)ignored;
    exit(MAPPING_FAILED);
}

void *memory_get(size_t count, size_t size) {
    void *array = calloc(count > 0 ? count : 1, size);
    if (!array)
        memory_exhausted();
    return array;
}

void *memory_resize(void *array, size_t count, size_t size) {
    void *moved =
        count <= SIZE_MAX / 2 / size ? realloc(array, (count > 0 ? count : 1) * size) : NULL;
    if (!moved)
        memory_exhausted();
    return moved;
}

char *memory_text(const char *text) {
    const size_t size = strlen(text) + 1;
    return memcpy(memory_get(size, 1), text, size);
}

void *array_grow(void *array, size_t count, size_t more, size_t *room, size_t size) {
    enum { LEAST = 16 };
    if (array && more <= *room - count)
        return array;
    if (more > SIZE_MAX / 4 / size - count)
        memory_exhausted();
    *room = count + more < 2 * count ? 2 * count : count + more;
    *room = *room < LEAST ? LEAST : *room;
    return memory_resize(array, *room, size);
}

void strings_add(struct strings *strings, const char *text) {
    strings->text =
        array_grow(strings->text, strings->count, 1, &strings->room, sizeof *strings->text);
    strings->text[strings->count++] = memory_text(text);
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
