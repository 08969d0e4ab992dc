/* memory.h - what the allocator is told. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Tells that about so many bytes will be needed. Much is then taken in huge pages, and kept until
 * the end: it is page faults that maps of a whole catalogue cost most of their time. */
void memory_expect(size_t bytes);

#endif
