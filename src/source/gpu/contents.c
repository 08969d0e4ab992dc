/* contents.c - what registers and memory hold in the runs of experiments; see contents.h. */
#include "source/gpu/contents.h"

#include "source/gpu/numbers.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* What makes one content the same as another. */
struct content_key {
    enum mapping_instruction instruction;
    enum mapping_operand operand;
    enum mapping_type type;
    enum mapping_order order;
    struct mapping_shape shape;
    enum filling filling;
    uint32_t parameter;
    bool in_shared;
};

struct content {
    struct content_key key;
    uint32_t offset;
    uint32_t next; /* in its bucket, as there */
};

/* What is filled: the instruction's operands and the key, with the row, column and block of each
 * element. */
struct fill {
    const struct operands *operands;
    const struct content_key *key;
    uint32_t *words;
};

/* ---- The numbers of one element ---- */

/* What element `n` of several takes of a sum if the first take all they can, at most `most` each:
 * of 20 with at most 16, element 0 takes 16, element 1 takes 4, all others 0. */
static uint32_t part_of_sum(uint32_t sum, uint32_t n, uint32_t most) {
    uint32_t before = n * most;
    return sum <= before ? 0 : sum - before < most ? sum - before : most;
}

static uint32_t value_of_a(const struct fill *fill, uint32_t block, uint32_t row, uint32_t column) {
    uint32_t most = number_largest(fill->operands->opcode.a);
    switch (fill->key->filling) {
    case FILL_ONES:
        return 1;
    case FILL_ROWS:
        return part_of_sum(row + 1, column, most);
    case FILL_BLOCKS:
        return part_of_sum(block + 1, column, most);
    case FILL_PICK:
        return column == row + fill->key->parameter;
    default:
        return 0;
    }
}

/* The row of B that says what metadata in this column of A says: the one that is multiplied if the
 * bit of its number is 1. Two of a group of 4 elements are held: the first index says 0 or 1, the
 * second 2 or 3. For elements of 4 bits they count pairs; for those of 32 bits an index says 0 or
 * 1. */
static uint32_t telling_row(const struct operands *operands, uint32_t column) {
    uint32_t said = column % 2 ? 3 : 1;
    switch (mapping_type_bits(operands->opcode.a)) {
    case 32:
        return 2 * column + 1;
    case 4:
        return column / 2 * 8 + 2 * said;
    default:
        return column / 2 * 4 + said;
    }
}

static uint32_t value_of_b(const struct fill *fill, uint32_t row, uint32_t column) {
    uint32_t place;
    bool second_half;
    sparse_compress(fill->operands, row, &place, &second_half);
    switch (fill->key->filling) {
    case FILL_ONES:
        return 1;
    case FILL_COLUMNS:
        return part_of_sum(column + 1, place, number_largest(fill->operands->opcode.b));
    case FILL_PICK:
        return place == column + fill->key->parameter && !second_half;
    case FILL_TELL:
        return row == telling_row(fill->operands, column + fill->key->parameter);
    default:
        return 0;
    }
}

/* An index of the metadata that says a bit of its number. */
static uint32_t metadata_of(const struct mapping_fragment *e, uint32_t number, uint32_t bit) {
    uint32_t said = number >> bit & 1;
    if (e->bits == 4)
        return said ? 0xe : 0x4;
    return (number - 1) % 2 ? 2 + said : said;
}

/* ---- Registers ---- */

/* Each element its number. */
static void number_registers(const struct fill *fill, const struct mapping_fragment *fragment) {
    const struct content_key *key = fill->key;
    uint32_t entries = fragment->threads * fragment->elements, largest = number_largest(key->type);
    uint32_t weight = number_weight(key->parameter, largest);
    for (uint32_t entry = 0; entry < entries && key->operand == MAPPING_E; entry++)
        element_put(fill->words, entry, fragment->bits,
                    metadata_of(fragment, entry + 1, key->parameter));
    for (uint32_t entry = 0; entry < entries && key->operand != MAPPING_E; entry++) {
        uint32_t digit = (entry + 1) / weight % (largest + 1);
        element_put(fill->words, entry, fragment->bits,
                    key->type == MAPPING_B16 ? digit : number_encode(key->type, digit));
    }
}

/* A or B, whose elements are where the PTX ISA states that they are. */
static void place_registers(const struct fill *fill, const struct mapping_fragment *fragment) {
    struct mapping_layout layout = {.from = {0}};
    struct mapping_error error;
    if (mapping_fragment_state(fragment, &layout, &error) != MAPPING_OK)
        memory_exhausted();
    int axes = (int)layout.to.count;
    const uint32_t *rows = layout.coordinate[axes - 2], *cols = layout.coordinate[axes - 1];
    size_t entries = mapping_layout_entries(&layout);
    for (size_t entry = 0; entry < entries; entry++) {
        uint32_t block = axes > 2 ? layout.coordinate[0][entry] : 0;
        uint32_t value = fill->key->operand == MAPPING_A
                             ? value_of_a(fill, block, rows[entry], cols[entry])
                             : value_of_b(fill, rows[entry], cols[entry]);
        element_put(fill->words, entry, fragment->bits, number_encode(fill->key->type, value));
    }
    mapping_layout_free(&layout);
}

/* ---- Memory ---- */

/* A number that is not 0, in shared memory. */
static void put_in_shared(const struct fill *fill, uint32_t line, uint32_t k, uint32_t value) {
    size_t place = operands_place_in_shared(fill->operands, fill->key->operand, line, k);
    element_put(fill->words, place, mapping_type_bits(fill->key->type),
                number_encode(fill->key->type, value));
}

/* The one element of each line that FILL_PICK and FILL_TELL have. */
static void place_one_for_line(const struct fill *fill, uint32_t lines, uint32_t depth) {
    for (uint32_t line = 0; line < lines; line++) {
        uint32_t column = line + fill->key->parameter;
        uint32_t k = fill->key->filling == FILL_TELL ? telling_row(fill->operands, column)
                                                     : sparse_expand(fill->operands, column, false);
        if (k < depth)
            put_in_shared(fill, line, k, 1);
    }
}

/* A or B of wgmma. */
static void place_in_shared(const struct fill *fill) {
    const struct mapping_shape shape = fill->operands->opcode.shape;
    bool is_a = fill->key->operand == MAPPING_A;
    uint32_t lines = is_a ? shape.m : shape.n;
    uint32_t depth = is_a ? operands_depth(fill->operands) : shape.k;
    if (fill->key->filling == FILL_PICK || fill->key->filling == FILL_TELL) {
        place_one_for_line(fill, lines, depth);
        return;
    }
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t value = is_a ? value_of_a(fill, 0, line, k) : value_of_b(fill, k, line);
            if (value != 0)
                put_in_shared(fill, line, k, value);
        }
}

/* The matrix that wmma loads: each place its number. */
static void number_matrix(const struct fill *fill, const struct mapping_fragment *fragment) {
    uint32_t largest = number_largest(fragment->type);
    uint32_t weight = number_weight(fill->key->parameter, largest);
    for (uint32_t place = 0; place < fragment->rows * fragment->cols; place++)
        element_put(fill->words, place, mapping_type_bits(fragment->type),
                    number_encode(fragment->type, (place + 1) / weight % (largest + 1)));
}

/* ---- One content ---- */

/* Its size in words. */
static size_t size_of(const struct fill *fill) {
    const struct operands *operands = fill->operands;
    const struct content_key *key = fill->key;
    if (key->filling == FILL_SLOTS || key->filling == FILL_EMPTY)
        return SLOTS * SLOT_BYTES / 4;
    if (key->filling == FILL_ADDRESSES)
        return WARP;
    if (key->in_shared && operands_read_shared(operands))
        return (key->operand == MAPPING_A ? key->shape.m : key->shape.n) *
               operands_line_bytes(operands, key->operand) / 4;
    const struct mapping_fragment *fragment = operands_find(operands, key->operand);
    if (key->in_shared)
        return fragment->rows * fragment->cols * mapping_type_bits(key->type) / 32;
    return (size_t)fragment->threads * fragment->registers;
}

/* Fills words that are 0. */
static void fill_words(const struct fill *fill) {
    const struct content_key *key = fill->key;
    const struct mapping_fragment *fragment = operands_find(fill->operands, key->operand);
    switch (key->filling) {
    case FILL_ZEROS:
    case FILL_EMPTY:
        return;
    case FILL_HALF:
        for (size_t n = 0; n < size_of(fill); n++)
            fill->words[n] = sparse_metadata(key->parameter);
        return;
    case FILL_ADDRESSES:
        for (uint32_t lane = 0; lane < WARP; lane++)
            fill->words[lane] = SLOT_BYTES * slot_of(lane);
        return;
    case FILL_SLOTS:
        for (uint32_t n = 0; n < SLOTS * SLOT_BYTES / 2; n++)
            element_put(fill->words, n, 16, n + 1);
        return;
    case FILL_NUMBERS:
        if (key->in_shared)
            number_matrix(fill, fragment);
        else
            number_registers(fill, fragment);
        return;
    default:
        if (key->in_shared)
            place_in_shared(fill);
        else
            place_registers(fill, fragment);
    }
}

/* ---- All contents ---- */

static bool same_key(const struct content_key *a, const struct content_key *b) {
    const uint32_t says[][10] = {{a->instruction, a->operand, a->type, a->order, a->shape.m,
                                  a->shape.n, a->shape.k, a->filling, a->parameter, a->in_shared},
                                 {b->instruction, b->operand, b->type, b->order, b->shape.m,
                                  b->shape.n, b->shape.k, b->filling, b->parameter, b->in_shared}};
    return memcmp(says[0], says[1], sizeof *says) == 0;
}

/* Of wgmma, what is filled for one N is how that for the widest begins: one will do for all. */
static struct content_key key_of(const struct operands *operands, enum mapping_operand operand,
                                 enum filling filling, uint32_t parameter, bool in_shared) {
    const struct mapping_opcode *opcode = &operands->opcode;
    struct content_key key = {.instruction = opcode->instruction,
                              .operand = operand,
                              .type = operand == MAPPING_B   ? opcode->b
                                      : operand == MAPPING_C ? opcode->c
                                      : operand == MAPPING_D ? opcode->d
                                                             : opcode->a,
                              .order = operand == MAPPING_B ? opcode->b_order : opcode->a_order,
                              .shape = opcode->shape,
                              .filling = filling,
                              .parameter = parameter,
                              .in_shared = in_shared};
    if (operands_read_shared(operands))
        key.shape.n = WGMMA_WIDEST;
    return key;
}

/* The bucket of contents with such a key. */
static uint32_t *bucket_of(struct contents *contents, const struct content_key *key) {
    const uint32_t parts[] = {key->instruction, key->operand,  key->type,    key->order,
                              key->shape.m,     key->shape.n,  key->shape.k, key->filling,
                              key->parameter,   key->in_shared};
    uint32_t hash = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        hash = (hash ^ parts[p]) * 0x9e3779b1;
    return &contents->buckets[hash >> 22];
}

/* Adds `size` words of 0. */
static uint32_t add_content(struct contents *contents, const struct content_key *key, size_t size) {
    size = (size + 31) / 32 * 32; /* all start at multiples of 128 bytes */
    contents->words = array_grow(contents->words, contents->count, size, &contents->room,
                                 sizeof *contents->words);
    contents->index = array_grow(contents->index, contents->index_count, 1, &contents->index_room,
                                 sizeof *contents->index);
    uint32_t offset = (uint32_t)contents->count, *bucket = bucket_of(contents, key);
    memset(contents->words + offset, 0, size * sizeof *contents->words);
    contents->count += size;
    contents->index[contents->index_count++] = (struct content){*key, offset, *bucket};
    *bucket = (uint32_t)contents->index_count;
    return offset;
}

uint32_t contents_get(struct contents *contents, const struct operands *operands,
                      enum mapping_operand operand, enum filling filling, uint32_t parameter,
                      bool in_shared) {
    const struct content_key key = key_of(operands, operand, filling, parameter, in_shared);
    for (uint32_t i = *bucket_of(contents, &key); i > 0; i = contents->index[i - 1].next)
        if (same_key(&contents->index[i - 1].key, &key))
            return contents->index[i - 1].offset;
    struct operands widest = *operands;
    widest.opcode.shape.n = key.shape.n;
    struct fill fill = {.operands = &widest, .key = &key};
    uint32_t offset = add_content(contents, &key, size_of(&fill));
    fill.words = contents->words + offset;
    fill_words(&fill);
    return offset;
}

void contents_free(struct contents *contents) {
    memory_free(contents->words);
    memory_free(contents->index);
    *contents = (struct contents){0};
}
