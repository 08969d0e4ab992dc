/* arena.h - memory that is freed together, for the library and the program.
 *
 * An arena hands out blocks from large chunks. Each thread has its own current arena, so threads
 * never wait for each other. A freed block is reused for the next block of its size. When the arena
 * ends, all its memory is freed. Arenas nest:
 *
 *     arena_begin();
 *     uint32_t *table = memory_get(1000, sizeof *table);
 *     mapping_arena_end();                          // frees the table
 *
 * Functions that allocate never return NULL. If memory runs out, control goes to the entry of the
 * arena. Without an entry, one sentence goes to standard error, and the program ends with
 * MAPPING_FAILED. They begin an arena if this thread has none. */
#ifndef SYSTEM_ARENA_H
#define SYSTEM_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Arenas ---- */

/* Begins an arena inside the current one of this thread. If memory runs out in it, control returns
 * to `entry`, a setjmp of a function that is still running; NULL: to the entry of the arena around
 * it. False if there is no memory for the arena itself. */
bool mapping_arena_begin(jmp_buf *entry);

/* Begins an arena without an entry of its own. */
void arena_begin(void);

/* Ends the current arena, and frees its blocks. An array that was allocated in an arena around it
 * stays, even if it was resized since. */
void mapping_arena_end(void);

/* True if this thread has an arena. */
bool mapping_arena_is_open(void);

/* Ends all arenas of this thread. */
void memory_release(void);

/* Replaces the entry of the current arena, and returns the one before. Arenas that were begun
 * inside are ended before control goes to an entry. */
jmp_buf *mapping_arena_catch(jmp_buf *entry);

/* Detaches the current arena from this thread. A thread that has an arena may join it: the blocks
 * then belong to that arena. */
struct mapping_arena *mapping_arena_leave(void);
void mapping_arena_join(struct mapping_arena *left);

/* Makes an arena that was left the current one of this thread. */
void mapping_arena_enter(struct mapping_arena *left);

/* ---- Arrays ---- */

/* An array of `count` elements of `size` bytes, all zero. */
void *memory_get(size_t count, size_t size);

/* The array with room for `count` elements; it may have moved. `array` may be NULL. The new
 * elements are not set. */
void *memory_resize(void *array, size_t count, size_t size);

/* The same, but the result is NULL if memory runs out; then the array stays as it is. */
void *mapping_reallocate_or_null(void *array, size_t count, size_t size);

/* Makes room for `more` elements of `size` bytes behind the first `count`, in an array that has
 * room for *room; the array may be NULL. Returns the array, which may have moved. */
void *array_grow(void *array, size_t count, size_t more, size_t *capacity, size_t size);

/* Lets the next allocation of this size use the block again. NULL is allowed. */
void mapping_free(void *array);

/* Says that memory ran out, as described above. */
_Noreturn void memory_exhausted(void);

/* ---- Texts ---- */

/* Room for a text of `size` bytes, and a copy of a text. The end of the arena frees them;
 * mapping_free and memory_resize do not take them. */
char *memory_text_room(size_t size);
char *memory_text(const char *text);

/* Texts as they are collected. A zeroed one is empty. */
struct strings {
    char **text;
    size_t count, capacity;
};

/* Adds a copy of a text. */
void strings_add(struct strings *strings, const char *text);

#endif
