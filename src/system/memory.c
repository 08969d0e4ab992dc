/* memory.c - allocation for the program, which ends if memory runs out; arrays and texts that grow.
 */
#include "system/system.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void memory_exhausted(void) {
    static const char sentence[] = "mapping: out of memory\n";
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    mapping_exhausted();
    while (atomic_flag_test_and_set(&is_ending))
        pause(); /* another thread ends the program */
    ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)ignored;
    exit(MAPPING_FAILED);
}

void arena_begin(void) {
    if (!mapping_arena_begin(NULL))
        memory_exhausted();
}

void memory_release(void) {
    while (mapping_arena_is_open())
        mapping_arena_end();
}

/* Returns what an allocation returned, unless memory ran out. */
static void *checked(void *allocated) {
    if (!allocated)
        memory_exhausted();
    return allocated;
}

static void need_arena(void) {
    if (!mapping_arena_is_open())
        arena_begin();
}

void *memory_get(size_t count, size_t size) {
    need_arena();
    return checked(mapping_allocate(count, size));
}

void *memory_resize(void *array, size_t count, size_t size) {
    need_arena();
    return checked(mapping_reallocate(array, count, size));
}

char *memory_text_room(size_t size) {
    need_arena();
    return checked(mapping_allocate_text(size));
}

char *memory_text(const char *text) {
    const size_t size = strlen(text) + 1;
    return memcpy(memory_text_room(size), text, size);
}

void *array_grow(void *array, size_t count, size_t more, size_t *room, size_t size) {
    enum { LEAST = 256 }; /* bytes */
    if (array && more <= *room - count)
        return array;
    if (more > SIZE_MAX / 4 / size - count)
        memory_exhausted();
    *room = count + (more > count / 2 ? more : count / 2);
    *room = *room < LEAST / size ? LEAST / size : *room;
    return memory_resize(array, *room, size);
}

void strings_add(struct strings *strings, const char *text) {
    strings->text =
        array_grow(strings->text, strings->count, 1, &strings->room, sizeof *strings->text);
    strings->text[strings->count++] = memory_text(text);
}
