/* arena.h - memory that is freed together, for the library and the program.
 *
 * An arena hands out blocks from large chunks. Each thread has its own current arena, so threads
 * never wait for each other. A freed block is reused for the next block of its size. When the arena
 * ends, all its memory is freed. Arenas nest:
 *
 *     mapping_arena_begin(NULL);
 *     uint32_t *table = mapping_allocate(1000, sizeof *table);
 *     mapping_arena_end();                          // frees the table
 *
 * A thread without an arena gets blocks from malloc, one by one. mapping_free accepts both kinds of
 * blocks. */
#ifndef SYSTEM_ARENA_H
#define SYSTEM_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Begins an arena inside the current one of this thread. If memory runs out in it, control returns
 * to `entry`, a setjmp of a function that is still running; NULL: to the entry of the arena around
 * it. False if there is no memory for the arena itself. */
bool mapping_arena_begin(jmp_buf *entry);

/* Ends the current arena, and frees its blocks. An array that was allocated in an arena around it
 * stays, even if it was resized since. */
void mapping_arena_end(void);

/* True if this thread has an arena. */
bool mapping_arena_is_open(void);

/* Replaces the entry of the current arena, and returns the one before. Arenas that were begun
 * inside are ended before control goes to an entry. */
jmp_buf *mapping_arena_catch(jmp_buf *entry);

/* Detaches the current arena from this thread. A thread that has an arena may join it: the blocks
 * then belong to that arena. */
struct mapping_arena *mapping_arena_leave(void);
void mapping_arena_join(struct mapping_arena *left);

/* Makes an arena that was left the current one of this thread. */
void mapping_arena_enter(struct mapping_arena *left);

/* An array of `count` elements of `size` bytes, all zero. If memory runs out, control goes to the
 * entry; in a thread without an arena, or if no arena has an entry, the result is NULL. */
void *mapping_allocate(size_t count, size_t size);

/* The array with room for `count` elements; it may have moved. `array` may be NULL. The new
 * elements are not set. If memory runs out, as above; then the array stays as it is. */
void *mapping_reallocate(void *array, size_t count, size_t size);

/* The same, but the result is NULL if memory runs out, in any thread. */
void *mapping_reallocate_or_null(void *array, size_t count, size_t size);

/* Room for `size` bytes of text, which the end of the arena frees, not mapping_free. There must be
 * an arena. If memory runs out, as mapping_allocate. */
char *mapping_allocate_text(size_t size);

/* Says that memory ran out: control goes to the entry, as above; without one, returns NULL. */
void *mapping_exhausted(void);

/* Lets the next allocation of this size use the block again. NULL is allowed. */
void mapping_free(void *array);

#endif
