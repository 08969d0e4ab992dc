/* memory.h - arrays and lists of texts that grow, and what the allocator is told beforehand. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `more` elements of `each` bytes behind the first `count`, in an array that has
 * room for *room; the array may be NULL. Returns the array, which may have moved; NULL if out of
 * memory, and then the old one is as it was. */
void *array_grow(void *array, size_t count, size_t more, size_t *room, size_t each);

/* Texts as they are collected. A zeroed one is empty. */
struct strings {
    char **text; /* owned, and so is each */
    size_t count, room;
};

/* Adds a copy of a text. False if out of memory. */
bool strings_add(struct strings *strings, const char *text);

void strings_free(struct strings *strings);

/* Has everything taken from one heap, which is never given back piece by piece: for many large
 * arrays, one after the other. */
void memory_keep(void);

/* Tells that about so many bytes will be needed. Much is then taken in huge pages, and kept until
 * the end: it is page faults that layouts of a whole catalogue cost most of their time. */
void memory_expect(size_t bytes);

#endif
