/* images.c - what the operands hold while one of them is observed; see images.h. */
#include "images.h"

#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

enum { WGMMA_WIDEST = 256 };

/* What makes an image the same as another. */
struct image_key {
    enum mapping_instruction instruction;
    char operand;
    enum mapping_type type;
    enum mapping_layout layout;
    uint16_t m, n, k;
    enum pattern pattern;
    uint32_t parameter;
    bool shared;
};

struct image {
    struct image_key key;
    uint32_t offset;
    uint32_t next; /* in its bucket, as there */
};

uint32_t largest(enum mapping_type type) {
    switch (type) {
    case MAPPING_BF16:
        return 256;
    case MAPPING_E4M3:
        return 16;
    case MAPPING_E5M2:
        return 8;
    case MAPPING_S8:
    case MAPPING_U8:
        return 127;
    case MAPPING_S4:
    case MAPPING_U4:
        return 7;
    case MAPPING_B1:
        return 1;
    default:
        return 2048;
    }
}

/* The part of `sum` that element n of several takes, which are at most `most` each. */
static uint32_t share(uint32_t sum, uint32_t n, uint32_t most) {
    uint32_t before = n * most;
    return sum <= before ? 0 : sum - before < most ? sum - before : most;
}

/* What digit n of a number in that base counts. */
static uint32_t weight_of(uint32_t n, uint32_t base) {
    uint32_t weight = 1;
    while (n-- > 0)
        weight *= base;
    return weight;
}

/* Of an index, counted by column of the metadata, the row of B that is multiplied if the bit of its
 * entry is 1. Of two indices the first says 0 or 1, the second 2 or 3; one of 4 bits 0 or 1. */
static uint32_t probed_row(const struct scene *scene, uint32_t column) {
    uint32_t which = column % 2 ? 3 : 1;
    switch (mapping_type_bits(scene->opcode.a)) {
    case 32:
        return 2 * column + 1;
    case 4:
        return column / 2 * 8 + 2 * which;
    default:
        return column / 2 * 4 + which;
    }
}

static uint32_t value_of_a(const struct scene *scene, const struct image_key *key, uint32_t block,
                           uint32_t row, uint32_t column) {
    uint32_t most = largest(scene->opcode.a);
    switch (key->pattern) {
    case ONES:
        return 1;
    case ROWS:
        return share(row + 1, column, most);
    case BLOCKS:
        return share(block + 1, column, most);
    case PICK:
        return column == row + key->parameter;
    default:
        return 0;
    }
}

static uint32_t value_of_b(const struct scene *scene, const struct image_key *key, uint32_t row,
                           uint32_t column) {
    uint32_t place;
    bool second_half;
    scene_compress(scene, row, &place, &second_half);
    switch (key->pattern) {
    case ONES:
        return 1;
    case COLUMNS:
        return share(column + 1, place, largest(scene->opcode.b));
    case PICK:
        return place == column + key->parameter && !second_half;
    case PROBE:
        return row == probed_row(scene, column + key->parameter);
    default:
        return 0;
    }
}

/* The field of metadata whose entry is `number`. */
static uint32_t metadata_field(const struct mapping_fragment *e, uint32_t number, uint32_t bit) {
    uint32_t said = number >> bit & 1;
    if (e->bits == 4)
        return said ? 0xe : 0x4;
    return (number - 1) % 2 ? 2 + said : said;
}

uint32_t slot_of(uint32_t tid) {
    return (11 * tid + 7) % 32;
}

/* Fills the image of registers. False if out of memory. */
static bool fill_registers(const struct scene *scene, const struct image_key *key,
                           uint32_t *image) {
    const struct mapping_fragment *fragment = scene_find(scene, key->operand);
    struct mapping_map map;
    uint32_t base = largest(key->type) + 1;
    uint32_t weight =
        key->pattern == ENTRIES && key->operand != 'e' ? weight_of(key->parameter, base) : 1;
    if (!mapping_map_state(&map, fragment))
        return false;
    for (uint32_t entry = 0; entry < mapping_map_entries(&map); entry++) {
        uint32_t value = 0, row = map.plane[MAPPING_ROW][entry],
                 column = map.plane[MAPPING_COL][entry];
        if (key->operand == 'e')
            value = metadata_field(fragment, entry + 1, key->parameter);
        else if (key->pattern == ENTRIES)
            value = (entry + 1) / weight % base;
        else if (key->operand == 'a')
            value = value_of_a(scene, key, map.blocks > 1 ? map.plane[MAPPING_BLOCK][entry] : 0,
                               row, column);
        else if (key->operand == 'b')
            value = value_of_b(scene, key, row, column);
        bool as_bits = key->operand == 'e' || key->type == MAPPING_B16;
        image_put(image, entry, fragment->bits, as_bits ? value : encode(key->type, value));
    }
    mapping_map_free(&map);
    return true;
}

/* Puts a number that is not 0 into shared memory. */
static void put_shared(const struct scene *scene, const struct image_key *key, uint32_t line,
                       uint32_t k, uint32_t value, uint32_t *image) {
    image_put(image, image_shared_place(scene, key->operand, line, k), mapping_type_bits(key->type),
              encode(key->type, value));
}

/* Fills A or B in shared memory. Of PICK and PROBE each column of B has one element. */
static void fill_shared(const struct scene *scene, const struct image_key *key, uint32_t *image) {
    bool is_a = key->operand == 'a', picks = key->pattern == PICK || key->pattern == PROBE;
    uint32_t lines = is_a ? scene->opcode.shape.m : scene->opcode.shape.n;
    uint32_t depth = is_a ? scene_depth(scene) : scene->opcode.shape.k;
    for (uint32_t line = 0; line < lines && picks; line++) {
        uint32_t place = line + key->parameter;
        uint32_t k =
            key->pattern == PROBE ? probed_row(scene, place) : scene_expand(scene, place, false);
        if (k < depth)
            put_shared(scene, key, line, k, 1, image);
    }
    for (uint32_t line = 0; line < lines && !picks; line++)
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t value =
                is_a ? value_of_a(scene, key, 0, line, k) : value_of_b(scene, key, k, line);
            if (value != 0)
                put_shared(scene, key, line, k, value, image);
        }
}

/* Fills the memory and addresses of ldmatrix and stmatrix: 32 rows of 8 elements, counted from 1.
 */
static void fill_memory(const struct image_key *key, uint32_t *image) {
    for (uint32_t n = 0; n < 32 && key->pattern == ADDRESSES; n++)
        image[n] = 16 * slot_of(n);
    for (uint32_t n = 0; n < 256 && key->pattern == SLOTS && key->parameter == 0; n++)
        image_put(image, n, 16, n + 1);
}

/* ---- Images ---- */

static bool same_key(const struct image_key *a, const struct image_key *b) {
    return a->instruction == b->instruction && a->operand == b->operand && a->type == b->type &&
           a->layout == b->layout && a->m == b->m && a->n == b->n && a->k == b->k &&
           a->pattern == b->pattern && a->parameter == b->parameter && a->shared == b->shared;
}

void *make_room(void *array, size_t count, size_t size, size_t *room, size_t each) {
    if (count + size <= *room)
        return array;
    size_t wanted = 2 * (count + size);
    void *bigger = realloc(array, wanted * each);
    if (bigger)
        *room = wanted;
    return bigger;
}

/* The bucket of images like this. */
static uint32_t *bucket_of(struct images *images, const struct image_key *key) {
    const uint32_t parts[] = {
        key->instruction, (uint32_t)key->operand, key->type,      key->layout, key->m, key->n,
        key->k,           key->pattern,           key->parameter, key->shared};
    uint32_t hash = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        hash = (hash ^ parts[p]) * 0x9e3779b1;
    return &images->buckets[hash >> 22];
}

/* Adds an image of zeros; UINT32_MAX if out of memory. */
static uint32_t add_image(struct images *images, const struct image_key *key, size_t size) {
    size = (size + 31) / 32 * 32; /* all start at multiples of 128 bytes */
    void *words = make_room(images->words, images->count, size, &images->room, sizeof(uint32_t));
    if (words)
        images->words = words;
    void *index =
        make_room(images->index, images->index_count, 1, &images->index_room, sizeof(struct image));
    if (index)
        images->index = index;
    if (!words || !index)
        return UINT32_MAX;
    uint32_t offset = (uint32_t)images->count;
    memset(images->words + offset, 0, size * sizeof *images->words);
    images->count += size;
    uint32_t *bucket = bucket_of(images, key);
    images->index[images->index_count++] = (struct image){*key, offset, *bucket};
    *bucket = (uint32_t)images->index_count;
    return offset;
}

/* The size of an image in words. */
static size_t image_size(const struct scene *scene, const struct image_key *key) {
    if (key->pattern == SLOTS)
        return 128;
    if (key->pattern == ADDRESSES)
        return 32;
    return key->shared ? image_shared(scene, key->operand)
                       : image_registers(scene_find(scene, key->operand));
}

/* Fills an image of zeros. False if out of memory. */
static bool fill(const struct scene *scene, const struct image_key *key, uint32_t *image) {
    if (key->pattern == SELECT)
        for (size_t n = 0; n < image_size(scene, key); n++)
            image[n] = scene_metadata(key->parameter);
    else if (key->pattern == SLOTS || key->pattern == ADDRESSES)
        fill_memory(key, image);
    else if (key->shared)
        fill_shared(scene, key, image);
    else if (key->pattern != ZERO)
        return fill_registers(scene, key, image);
    return true;
}

uint32_t images_get(const struct scene *scene, struct images *images, char operand,
                    enum pattern pattern, uint32_t parameter, bool shared) {
    const struct mapping_opcode *opcode = &scene->opcode;
    const struct image_key key = {.instruction = opcode->instruction,
                                  .operand = operand,
                                  .type = operand == 'b'   ? opcode->b
                                          : operand == 'c' ? opcode->c
                                          : operand == 'd' ? opcode->d
                                                           : opcode->a,
                                  .layout = operand == 'b' ? opcode->b_layout : opcode->a_layout,
                                  .m = opcode->shape.m,
                                  .n = scene_is_wgmma(scene) ? WGMMA_WIDEST : opcode->shape.n,
                                  .k = opcode->shape.k,
                                  .pattern = pattern,
                                  .parameter = parameter,
                                  .shared = shared};
    for (uint32_t i = *bucket_of(images, &key); i > 0; i = images->index[i - 1].next)
        if (same_key(&images->index[i - 1].key, &key))
            return images->index[i - 1].offset;
    /* Of wgmma the image for a width is how that for the widest begins. */
    struct scene widest = *scene;
    widest.opcode.shape.n = key.n;
    uint32_t offset = add_image(images, &key, image_size(&widest, &key));
    if (offset != UINT32_MAX && !fill(&widest, &key, images->words + offset))
        return UINT32_MAX;
    return offset;
}

void images_free(struct images *images) {
    free(images->words);
    free(images->index);
    *images = (struct images){0};
}
