/* arena.c - allocation in arenas, which ends the program if memory runs out. */
#include "system/system.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
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

enum mapping_status memory_enough(enum mapping_status status) {
    if (status == MAPPING_FAILED)
        memory_exhausted();
    return status;
}

/* ---- What is freed at the end ---- */

/* The number of depths; the arena of the whole action has depth 0. Addresses of blocks are
 * multiples of it, so that their lowest bits can hold a depth. */
enum { DEPTHS = 8 };
_Static_assert(_Alignof(max_align_t) % DEPTHS == 0, "a depth fits into an address");

/* The set of all blocks, a hash table with linear probing by address. A slot is the address of a
 * block plus the depth of its arena. */
static struct {
    pthread_mutex_t lock;
    char **slots;
    size_t count, room; /* a power of two, of which three quarters are used at most */
    unsigned depth;     /* of new blocks */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The rest of the newest block that texts share. */
static struct {
    pthread_mutex_t lock;
    char *next;
    size_t left;
} texts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned depth_of(const char *slot) {
    return (uintptr_t)slot % DEPTHS;
}

static void *block_of(char *slot) {
    return slot - depth_of(slot);
}

/* The slot of a block, or the free one where it would stand. */
static size_t slot_of(const void *block) {
    uint64_t hash = (uintptr_t)block * UINT64_C(0x9E3779B97F4A7C15);
    size_t slot = (size_t)(hash >> 32) & (all.room - 1);
    while (all.slots[slot] && block_of(all.slots[slot]) != block)
        slot = (slot + 1) & (all.room - 1);
    return slot;
}

/* Puts the blocks in twice as many slots. False if there is no memory for that. */
static bool add_room(void) {
    enum { LEAST = 256 };
    char **before = all.slots;
    const size_t room = all.room, more = room ? 2 * room : LEAST;
    char **slots = calloc(more, sizeof *slots);
    if (!slots)
        return false;
    all.slots = slots;
    all.room = more;
    for (size_t s = 0; s < room; s++)
        if (before[s])
            all.slots[slot_of(block_of(before[s]))] = before[s];
    free(before);
    return true;
}

/* Adds a block to the set, unless it is there. */
static void add(void *block, unsigned depth) {
    pthread_mutex_lock(&all.lock);
    bool has_room = 4 * (all.count + 1) <= 3 * all.room || add_room();
    char **slot = has_room ? &all.slots[slot_of(block)] : NULL;
    if (slot && !*slot) {
        *slot = (char *)block + depth;
        all.count++;
    }
    pthread_mutex_unlock(&all.lock);
    if (!has_room)
        memory_exhausted();
}

void memory_own(void *block) {
    if (block)
        add(block, all.depth);
}

/* Removes a block from the set, and reinserts the blocks in the slots behind it. Returns the depth
 * of its arena, or the depth of new blocks if it is not in the set. */
static unsigned take(const void *block) {
    unsigned depth = all.depth;
    pthread_mutex_lock(&all.lock);
    size_t slot = all.room ? slot_of(block) : 0;
    for (; all.room && all.slots[slot]; slot = (slot + 1) & (all.room - 1)) {
        char *moved = all.slots[slot];
        all.slots[slot] = NULL;
        if (block_of(moved) == block) {
            depth = depth_of(moved);
            all.count--;
        } else {
            all.slots[slot_of(block_of(moved))] = moved;
        }
    }
    pthread_mutex_unlock(&all.lock);
    return depth;
}

void memory_free(void *block) {
    if (block)
        take(block);
    free(block);
}

void arena_begin(void) {
    assert(all.depth + 1 < DEPTHS);
    all.depth++;
}

void arena_end(void) {
    for (size_t s = 0; s < all.room; s++)
        while (all.slots[s] && depth_of(all.slots[s]) == all.depth)
            memory_free(block_of(all.slots[s])); /* another block may move to this slot */
    texts.left = 0;
    all.depth--;
}

void memory_release(void) {
    for (size_t s = 0; s < all.room; s++)
        if (all.slots[s])
            free(block_of(all.slots[s]));
    free(all.slots);
    all.slots = NULL;
    all.count = all.room = texts.left = 0;
}

/* ---- Allocation ---- */

void *memory_get(size_t count, size_t size) {
    void *array = calloc(count > 0 ? count : 1, size);
    if (!array)
        memory_exhausted();
    add(array, all.depth);
    return array;
}

void *memory_resize(void *array, size_t count, size_t size) {
    /* The block leaves the set first: after realloc, another thread may get its address. */
    const unsigned depth = array ? take(array) : all.depth;
    void *moved =
        count <= SIZE_MAX / 2 / size ? realloc(array, (count > 0 ? count : 1) * size) : NULL;
    if (!moved)
        memory_exhausted();
    add(moved, depth);
    return moved;
}

/* Small texts share blocks, except where the sanitizer of gcc should see the end of each. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARED = 0 };
#else
enum { SHARED = 1024 };
#endif

char *memory_text_room(size_t size) {
    if (size > SHARED / 16)
        return memory_get(size, 1);
    pthread_mutex_lock(&texts.lock);
    if (size > texts.left) {
        texts.next = memory_get(SHARED, 1);
        texts.left = SHARED;
    }
    char *room = texts.next;
    texts.next += size;
    texts.left -= size;
    pthread_mutex_unlock(&texts.lock);
    return room;
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
