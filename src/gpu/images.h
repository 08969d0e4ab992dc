/* images.h - what the operands hold while one of them is observed. No CUDA. */
#ifndef IMAGES_H
#define IMAGES_H

#include "scene.h"

/* What an image holds. All numbers are small integers, and count from 1, so that 0 is never right.
 */
enum pattern {
    ZERO,
    ONES,
    ROWS,    /* A: numbers along K that sum up to the row */
    BLOCKS,  /* A: ... to the block */
    COLUMNS, /* B: ... to the column */
    PICK,    /* A or B: 1 where the line is the element along K, from `parameter` on */
    PROBE,   /* B: 1 where what is multiplied tells what an index says, from `parameter` on */
    ENTRIES, /* digit `parameter` of the entry; of metadata, bit `parameter` */
    SELECT,  /* metadata: first or second half */
    ADDRESSES,
    SLOTS /* memory of ldmatrix; of stmatrix, where `parameter` is 1, empty */
};

/* Images that are made once and used by all that need the same. */
struct images {
    uint32_t *words;
    size_t count, room;
    struct image *index;
    size_t index_count, index_room;
    uint32_t buckets[1024]; /* by what they hold: 1 + the last of them in the index, or 0 */
};

/* Where the image of an operand is, in words, which is made if it is new; `shared` if it is for
 * shared memory. UINT32_MAX if out of memory. Free the images in any case; zeroed ones are allowed.
 */
uint32_t images_get(const struct scene *scene, struct images *images, char operand,
                    enum pattern pattern, uint32_t parameter, bool shared);
void images_free(struct images *images);

/* The largest number up to which the type holds all integers; of 4 bits 7, that both have. The
 * numbers of entries are written in digits up to it. */
uint32_t largest(enum mapping_type type);

/* Where in memory a thread of ldmatrix or stmatrix points to, in rows: all over the place. */
uint32_t slot_of(uint32_t tid);

/* Makes room for `size` more than `count` elements of `each` bytes. NULL if out of memory, and the
 * array stays as it was. */
void *make_room(void *array, size_t count, size_t size, size_t *room, size_t each);

#endif
