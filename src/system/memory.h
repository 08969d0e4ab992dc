/* memory.h - memory that is there or ends the program: nobody who asks for it here tests for NULL.
 *
 * When memory runs out, one sentence goes to standard error, nothing to standard output, the
 * temporary folder is removed, and the program ends with MAPPING_FAILED. The library, which must
 * not end its caller's program, does not use this. Free what is returned. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* An array of `count` elements of `size` bytes, all zero. */
void *memory_get(size_t count, size_t size);

/* The array with room for `count` elements; it may have moved. The new ones are not set. */
void *memory_resize(void *array, size_t count, size_t size);

/* A copy of a text. */
char *memory_text(const char *text);

/* Ends the program as described above. */
_Noreturn void memory_exhausted(void);

/* Makes room for `more` elements of `size` bytes behind the first `count`, in an array that has
 * room for *room; the array may be NULL. Returns the array, which may have moved. */
void *array_grow(void *array, size_t count, size_t more, size_t *room, size_t size);

/* Texts as they are collected. A zeroed one is empty. */
struct strings {
    char **text; /* owned, and so is each */
    size_t count, room;
};

/* Adds a copy of a text. */
void strings_add(struct strings *strings, const char *text);

void strings_free(struct strings *strings);

/* Takes all memory from one heap and never gives any of it back: for many large arrays, one after
 * the other. */
void memory_keep(void);

/* Tells that about so many bytes will be needed. From 32 MiB on they are taken in huge pages and
 * kept until the end: page faults take most of the time of a whole catalogue's layouts. */
void memory_expect(size_t bytes);

#endif
