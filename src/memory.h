/* memory.h - what the allocator is told, and what it could not give. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Tells that about so many bytes will be needed. Much is then taken in huge pages, and kept until
 * the end: it is page faults that maps of a whole catalogue cost most of their time. */
void memory_expect(size_t bytes);

/* Closes a stream of open_memstream, whose size is `*size`. False if it ran out of memory, which
 * fclose does not say. */
bool memory_close(FILE *stream, size_t *size);

#endif
