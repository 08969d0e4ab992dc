/* arena.h - memory that is freed together, for the library and the program.
 *
 * An arena allocates blocks from large chunks. Each thread has its own current arena, so threads
 * never wait for each other. A freed block is reused for the next block of its size. When the arena
 * ends, all its memory is freed. Arenas nest:
 *
 *     arena_begin();
 *     uint32_t *table = memory_get(1000, sizeof *table);
 *     mapping_arena_end();                          // frees the table
 *
 * Functions that allocate never return NULL, and begin an arena if this thread has none. If memory
 * runs out, longjmp goes to the setjmp of the arena, its entry. Without an entry, an error message
 * goes to standard error, and the program ends with MAPPING_FAILED. */
#ifndef SYSTEM_ARENA_H
#define SYSTEM_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Arenas ---- */

/* Begins an arena inside the current one of this thread. If memory runs out in it, control returns
 * to `entry`, a setjmp of a function that is still running. NULL means the entry of the outer
 * arena. False if there is no memory for the arena itself. */
bool mapping_arena_begin(jmp_buf *entry);

/* Begins an arena that uses the entry of the outer arena. */
void arena_begin(void);

/* Ends the current arena, and frees its blocks. An array that was allocated in an outer arena
 * stays, even if it was resized since. */
void mapping_arena_end(void);

/* True if this thread has an arena. */
bool mapping_arena_is_open(void);

/* Ends all arenas of this thread. */
void memory_release(void);

/* Replaces the entry of the current arena, and returns the previous one. Inner arenas are ended
 * before control goes to an entry. */
jmp_buf *mapping_arena_catch(jmp_buf *entry);

/* Detaches the current arena from this thread. A thread with an arena may join it; then that arena
 * owns its blocks. */
struct mapping_arena *mapping_arena_leave(void);
void mapping_arena_join(struct mapping_arena *left);

/* Makes a detached arena the current one of this thread. */
void mapping_arena_enter(struct mapping_arena *left);

/* ---- Arrays ---- */

/* An array of `count` elements of `size` bytes, all zero. */
void *memory_get(size_t count, size_t size);

/* Resizes an array to `count` elements, and returns it; it may have moved. `array` may be NULL. The
 * new elements are not initialized. */
void *memory_resize(void *array, size_t count, size_t size);

/* The same, but returns NULL if memory runs out; then the array is not changed. */
void *mapping_reallocate_or_null(void *array, size_t count, size_t size);

/* Ensures room for `more` elements of `size` bytes after the first `count`, in an array that has
 * room for *room; the array may be NULL. Returns the array, which may have moved. */
void *array_grow(void *array, size_t count, size_t more, size_t *capacity, size_t size);

/* Frees a block, so that the next allocation of this size reuses it. `array` may be NULL. */
void mapping_free(void *array);

/* Handles the end of memory, as described above. */
_Noreturn void memory_exhausted(void);

/* ---- Texts ---- */

/* A buffer for a text of `size` bytes, and a copy of a text. They are freed when the arena ends;
 * mapping_free and memory_resize do not accept them. */
char *memory_text_room(size_t size);
char *memory_text(const char *text);

/* A text that is formatted as printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
char *
memory_format(const char *format, ...);

/* memory_format with its arguments as a va_list. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 0)))
#endif
char *
memory_format_with(const char *format, va_list arguments);

/* A growing list of texts. An empty list is zeroed. */
struct strings {
    char **text;
    size_t count, capacity;
};

/* Adds a copy of a text. */
void strings_add(struct strings *strings, const char *text);

#endif
