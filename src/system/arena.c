/* arena.c - arenas, and arrays and texts in them; see arena.h.
 *
 * An arena is a list of chunks. Blocks are allocated at the front of the newest chunk; texts, which
 * need no alignment, at its end. The words before each block are its size and its arena. Sizes up
 * to LARGE are rounded up by at most a quarter, to one of four sizes for each power of two, and
 * each size has a list of freed blocks. */
#include "system/arena.h"

#include "mapping.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The sanitizers see the end of each block, freed blocks, and uninitialized memory. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define UNSET(start, size) __msan_allocated_memory(start, size)
#endif
#endif
#if defined HAS_ASAN || defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define FORBID(start, size) __asan_poison_memory_region(start, size)
#define ALLOW(start, size) __asan_unpoison_memory_region(start, size)
enum { MARGIN = 16 }; /* forbidden bytes after each block */
#else
#define FORBID(start, size) ((void)(start), (void)(size))
#define ALLOW(start, size) ((void)(start), (void)(size))
enum { MARGIN = 0 };
#endif
#ifndef UNSET
#define UNSET(start, size) ((void)(start), (void)(size))
#endif

/* The size of chunks doubles from FIRST to LAST bytes. A block of more than LARGE bytes has its own
 * chunk, which can be moved, and is freed with the block. So any thread can reuse this memory, and
 * no memory of other chunks is wasted. No block is larger than LARGEST. */
enum { ALIGN = 16, FIRST = 1 << 13, LARGE = 1 << 15, LAST = 1 << 18, CLASSES = 160 };
static const size_t LARGEST = SIZE_MAX >> 20;

struct block {
    size_t size; /* the requested size */
    union {
        struct mapping_arena *arena;
        struct block *next; /* for a freed block, the next one */
    } of;
};
_Static_assert(sizeof(struct block) % ALIGN == 0, "blocks are aligned");

struct chunk {
    struct chunk *before, *after; /* neighbors in the list */
    size_t size;
    struct mapping_arena *arena; /* the arena that owns the chunk */
};
_Static_assert(sizeof(struct chunk) % ALIGN == 0, "the first block is aligned");

/* An arena is stored in its own first chunk. */
struct mapping_arena {
    struct mapping_arena *outer;
    struct mapping_arena *joined; /* the arena that has taken over its blocks, or NULL */
    const void *thread;           /* an address that is unique to its thread */
    jmp_buf *entry;               /* NULL: use that of the outer arena */
    struct chunk *chunks;         /* the newest chunk first */
    char *next, *end;             /* the free part of the newest */
    size_t chunk_size;            /* size of the next chunk */
    struct block *freed[CLASSES];
};

static _Thread_local struct mapping_arena *current;

static size_t round_up(size_t size) {
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Rounds the size of a block up, and returns its class: 16, 32, ... 128, 160, 192, 224, 256, 320.
 * Only for sizes up to LARGE, which is the largest class. */
static unsigned class_of(size_t *size) {
    size_t units = *size > 0 ? (*size - 1) / ALIGN : 0;
    unsigned octave = 0;
    for (; units >= 8; units /= 2)
        octave++;
    *size = (units + 1) * ALIGN << octave;
    return 4 * octave + (unsigned)units;
}

/* The size of a block with its header, in bytes. */
static size_t whole_size(size_t size) {
    if (size > LARGE)
        size = round_up(size);
    else
        class_of(&size);
    return sizeof(struct block) + size + MARGIN;
}

/* ---- Chunks ---- */

static struct chunk *make_chunk(size_t size, bool is_zero) {
    struct chunk *chunk = is_zero ? calloc(1, sizeof *chunk + size) : malloc(sizeof *chunk + size);
    if (chunk)
        chunk->size = size;
    return chunk;
}

/* Inserts a chunk into the list after a newer one. */
static void link_behind(struct chunk *newer, struct chunk *chunk) {
    chunk->arena = newer->arena;
    chunk->after = newer;
    chunk->before = newer->before;
    newer->before = chunk;
    if (chunk->before)
        chunk->before->after = chunk;
}

/* The chunk must not be the newest. */
static void unlink_chunk(const struct chunk *chunk) {
    chunk->after->before = chunk->before;
    if (chunk->before)
        chunk->before->after = chunk->after;
}

/* Allocates bytes at the front or the end of the free part, which are zero if `is_zero`. NULL if
 * there is no memory. */
static char *cut(struct mapping_arena *arena, size_t size, bool at_end, bool is_zero) {
    const bool is_alone = size > whole_size(LARGE);
    if (is_alone || (size_t)(arena->end - arena->next) < size) {
        const size_t capacity = is_alone || size > arena->chunk_size ? size : arena->chunk_size;
        struct chunk *chunk = make_chunk(capacity, is_zero || !is_alone);
        if (!chunk)
            return NULL;
        FORBID(chunk + 1, capacity);
        if (is_alone) {
            link_behind(arena->chunks, chunk);
            return (char *)(chunk + 1);
        }
        chunk->arena = arena;
        chunk->before = arena->chunks;
        arena->chunks->after = chunk;
        arena->chunks = chunk;
        arena->next = (char *)(chunk + 1);
        arena->end = arena->next + capacity;
        arena->chunk_size *= arena->chunk_size < LAST ? 2 : 1;
    }
    if (at_end)
        return arena->end -= size;
    arena->next += size;
    return arena->next - size;
}

/* ---- Arenas ---- */

bool mapping_arena_begin(jmp_buf *entry) {
    struct chunk *chunk = make_chunk(FIRST, true);
    if (!chunk)
        return false;
    struct mapping_arena *arena = (struct mapping_arena *)(chunk + 1);
    *arena = (struct mapping_arena){.outer = current,
                                    .thread = &current,
                                    .entry = entry,
                                    .chunks = chunk,
                                    .next = (char *)arena + round_up(sizeof *arena),
                                    .end = (char *)arena + FIRST,
                                    .chunk_size = 2 * (size_t)FIRST};
    FORBID(arena->next, (size_t)(arena->end - arena->next));
    chunk->arena = arena;
    current = arena;
    return true;
}

void mapping_arena_end(void) {
    struct chunk *chunk = current->chunks;
    current = current->outer;
    while (chunk) {
        struct chunk *before = chunk->before;
        ALLOW(chunk + 1, chunk->size);
        free(chunk);
        chunk = before;
    }
}

void arena_begin(void) {
    if (!mapping_arena_begin(NULL))
        memory_exhausted();
}

bool mapping_arena_is_open(void) {
    return current != NULL;
}

void memory_release(void) {
    while (current)
        mapping_arena_end();
}

jmp_buf *mapping_arena_catch(jmp_buf *entry) {
    jmp_buf *before = current->entry;
    current->entry = entry;
    return before;
}

struct mapping_arena *mapping_arena_leave(void) {
    struct mapping_arena *left = current;
    if (left)
        current = left->outer;
    return left;
}

void mapping_arena_enter(struct mapping_arena *left) {
    left->outer = current;
    left->thread = &current;
    current = left;
}

void mapping_arena_join(struct mapping_arena *left) {
    struct chunk *oldest = left->chunks;
    while (oldest->before)
        oldest = oldest->before;
    oldest->before = current->chunks->before;
    if (oldest->before)
        oldest->before->after = oldest;
    current->chunks->before = left->chunks;
    left->chunks->after = current->chunks;
    for (unsigned c = 0; c < CLASSES; c++) {
        struct block **last = &left->freed[c];
        while (*last)
            last = &(*last)->of.next;
        *last = current->freed[c];
        current->freed[c] = left->freed[c];
    }
    left->joined = current;
}

/* The arena that owns the blocks of this one. */
static struct mapping_arena *owner_of(struct mapping_arena *arena) {
    while (arena->joined)
        arena = arena->joined;
    return arena;
}

/* The arena that owns the block, if it is of this thread; else the current arena, or NULL. */
static struct mapping_arena *home_of(const struct block *block) {
    struct mapping_arena *owner = owner_of(block->of.arena);
    return owner->thread == &current ? owner : current;
}

/* ---- Blocks ---- */

/* The new bytes are zero if `is_zero`. NULL if there is no memory. */
static void *take(struct mapping_arena *arena, size_t size, bool is_zero) {
    if (size > LARGEST)
        return NULL;
    struct block **freed = size <= LARGE ? &arena->freed[class_of(&(size_t){size})] : NULL;
    struct block *block = freed ? *freed : NULL;
    const bool is_used = block != NULL;
    if (is_used)
        *freed = block->of.next;
    else
        block = (struct block *)cut(arena, whole_size(size), false, is_zero);
    if (!block)
        return NULL;
    ALLOW(block, sizeof *block + size);
    *block = (struct block){.size = size, .of.arena = arena};
    if (is_zero && is_used)
        memset(block + 1, 0, size);
    else if (!is_zero)
        UNSET(block + 1, size);
    return block + 1;
}

static void *allocate(size_t size, bool is_zero) {
    return current || mapping_arena_begin(NULL) ? take(current, size, is_zero) : NULL;
}

/* The chunk of a block that has its own chunk; NULL if it has none, or another thread owns it. */
static struct chunk *own_chunk(struct block *block) {
    struct chunk *chunk = (struct chunk *)block - 1;
    return block->size > LARGE && owner_of(chunk->arena)->thread == &current ? chunk : NULL;
}

/* Sets the new size of a block that was resized in place. */
static void *resized(struct block *block, size_t size) {
    ALLOW(block + 1, size);
    if (size > block->size)
        UNSET((char *)(block + 1) + block->size, size - block->size);
    block->size = size;
    return block + 1;
}

/* Moves a large block with its chunk. NULL if there is no memory. */
static void *move_chunk(struct chunk *chunk, size_t size) {
    const size_t whole = whole_size(size);
    struct chunk *moved = realloc(chunk, sizeof *chunk + whole);
    if (!moved)
        return NULL;
    moved->size = whole;
    moved->after->before = moved;
    if (moved->before)
        moved->before->after = moved;
    struct block *block = (struct block *)(moved + 1);
    FORBID((char *)(block + 1) + size, whole - sizeof *block - size);
    return resized(block, size);
}

/* True if the block can grow in place: its rounded size suffices, or it is the newest one. */
static bool extend(struct block *block, size_t size) {
    const size_t before = whole_size(block->size), after = whole_size(size);
    struct mapping_arena *arena = home_of(block);
    if (!arena || after == before)
        return arena != NULL;
    if (after < before || size > LARGE || (char *)block + before != arena->next ||
        (size_t)(arena->end - arena->next) < after - before)
        return false;
    arena->next += after - before;
    return true;
}

void *mapping_reallocate_or_null(void *array, size_t count, size_t size) {
    if (count > LARGEST / size)
        return NULL;
    size *= count;
    if (!array)
        return allocate(size, false);
    struct block *block = (struct block *)array - 1;
    if (extend(block, size))
        return resized(block, size);
    struct chunk *chunk = own_chunk(block);
    if (chunk && size > LARGE)
        return move_chunk(chunk, size);
    struct mapping_arena *home = home_of(block);
    void *moved = home ? take(home, size, false) : allocate(size, false);
    if (moved) {
        memcpy(moved, array, size < block->size ? size : block->size);
        mapping_free(array);
    }
    return moved;
}

_Noreturn void memory_exhausted(void) {
    static const char sentence[] = "mapping: out of memory\n";
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    const struct mapping_arena *catching = current;
    while (catching && !catching->entry)
        catching = catching->outer;
    if (catching) {
        while (current != catching)
            mapping_arena_end();
        longjmp(*current->entry, 1);
    }
    while (atomic_flag_test_and_set(&is_ending))
        pause(); /* another thread ends the program */
    ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)ignored;
    exit(MAPPING_FAILED);
}

/* Returns the result of an allocation, unless memory ran out. */
static void *checked(void *allocated) {
    if (!allocated)
        memory_exhausted();
    return allocated;
}

void *memory_get(size_t count, size_t size) {
    return checked(count <= LARGEST / size ? allocate(count * size, true) : NULL);
}

void *memory_resize(void *array, size_t count, size_t size) {
    return checked(mapping_reallocate_or_null(array, count, size));
}

void *array_grow(void *array, size_t count, size_t more, size_t *capacity, size_t size) {
    enum { LEAST = 256 }; /* size in bytes */
    if (array && more <= *capacity - count)
        return array;
    if (more > SIZE_MAX / 4 / size - count)
        memory_exhausted();
    *capacity = count + (more > count / 2 ? more : count / 2);
    *capacity = *capacity < LEAST / size ? LEAST / size : *capacity;
    return memory_resize(array, *capacity, size);
}

void mapping_free(void *array) {
    if (!array)
        return;
    struct block *block = (struct block *)array - 1;
    struct chunk *chunk = own_chunk(block);
    if (chunk) {
        unlink_chunk(chunk);
        free(chunk);
        return;
    }
    struct mapping_arena *arena = home_of(block);
    size_t rounded = block->size;
    if (!arena || rounded > LARGE) /* the thread that owns its chunk frees it with the arena */
        return;
    const unsigned class = class_of(&rounded);
    FORBID(array, rounded);
    block->of.next = arena->freed[class];
    arena->freed[class] = block;
}

/* ---- Texts ---- */

char *memory_text_room(size_t size) {
    if (MARGIN > 0)
        return memory_get(1, size);
    if (!current)
        arena_begin();
    return checked(size <= LARGEST ? cut(current, size, true, false) : NULL);
}

char *memory_text(const char *text) {
    const size_t size = strlen(text) + 1;
    return memcpy(memory_text_room(size), text, size);
}

char *memory_format_with(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = memory_text_room(size);
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

char *memory_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format_with(format, arguments);
    va_end(arguments);
    return text;
}

void strings_add(struct strings *strings, const char *text) {
    strings->text =
        array_grow(strings->text, strings->count, 1, &strings->capacity, sizeof *strings->text);
    strings->text[strings->count++] = memory_text(text);
}
