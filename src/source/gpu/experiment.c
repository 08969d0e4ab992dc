/* experiment.c - finding out where an operand's elements are; see experiment.h. What registers and
 * memory hold; the runs of an experiment; and the layout that what they store makes. No CUDA. */
#include "source/gpu/experiment.h"

#include "catalogue/catalogue.h"
#include "source/gpu/numbers.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- What registers and memory hold ---- */

/* What an operand is filled with: small integers, exact in every type. What is found out is counted
 * from 1, so that 0 is never right. If A were 2x4 and B 4x2, they would be filled so:
 *
 *     FILL_ROWS   FILL_COLUMNS   FILL_PICK of A   the same, parameter 2   FILL_PICK of B
 *     1 0 0 0     1 2            1 0 0 0          0 0 1 0                 1 0
 *     2 0 0 0     0 0            0 1 0 0          0 0 0 1                 0 1
 *                 0 0                                                     0 0
 *                 0 0                                                     0 0 */
enum filling {
    FILL_ZEROS,
    FILL_ONES,

    /* A: the numbers of a row add up to 1 + the row, which D = A x B shows where B is of ones.
     * Where a type holds only numbers up to 8, row 10 has 8 3 0 0. */
    FILL_ROWS,

    /* A: the same with 1 + the block. */
    FILL_BLOCKS,

    /* B: the numbers of a column add up to 1 + the column. */
    FILL_COLUMNS,

    /* A and B: ones on a diagonal, which starts `parameter` further along K. A x B then shows the
     * rows of B, or the columns of A, from there on: as many as D has. Where A is sparse, along K
     * of what is held of it. */
    FILL_PICK,

    /* B: a 1 in the row that is multiplied where metadata number `parameter` + column says 1, and
     * zeros else. */
    FILL_TELL,

    /* Registers, and the memory of wmma: each element its number, counted from 1 by thread and
     * element, or by place in memory; of that, digit `parameter`, as a small type takes several.
     * If numbers up to 9 were held, digit 1 of elements 0 to 11 would be 0 0 0 0 0 0 0 0 0 1 1 1.
     * Metadata: each index says bit `parameter` of its number. */
    FILL_NUMBERS,

    FILL_HALF,      /* metadata: of each group the first half, or with `parameter` 1 the second */
    FILL_ADDRESSES, /* ldmatrix, stmatrix: where each lane's slot is, in bytes */
    FILL_SLOTS,     /* the memory of ldmatrix: SLOTS of 8 elements, 1 2 3 4 ... 256 */
    FILL_EMPTY      /* the memory of stmatrix: as many zeros */
};

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

/* Fills A or B at the places that the PTX ISA states. */
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

/* For wgmma, the contents for one N are the beginning of those for the largest N, so all N share
 * one key. */
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

/* Where an operand so filled starts, in words; it is made if it is not there. `in_shared` if it is
 * for shared memory, as A and B of wgmma are there. */
static uint32_t contents_get(struct contents *contents, const struct operands *operands,
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

/* ---- Planning ---- */

static uint32_t entries_of(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements;
}

static uint32_t divide_up(uint32_t number, uint32_t by) {
    return (number + by - 1) / by;
}

/* ---- What the runs go through ---- */

/* What the runs of an experiment go through, the last fastest. Where there are 2 chunks and 3
 * passes, run 4 is pass 1 of chunk 1. */
struct loops {
    uint32_t halves;    /* B of a sparse multiplication: of each group, which A picks from */
    uint32_t selectors; /* of metadata */
    uint32_t chunks;    /* of rows of B, or columns of A or metadata, that D has room for */
    uint32_t orders;    /* of C and D of wmma in memory */
    uint32_t passes;    /* digits of the numbers, bits of metadata; of D its coordinates */
};

/* The largest number that is a digit where an operand is observed. */
static uint32_t largest_digit(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    if (operand == MAPPING_E)
        return 1;
    if (operand == MAPPING_D && operands_are_multiplied(operands))
        return fragment->rows > fragment->cols ? fragment->rows : fragment->cols;
    return number_largest(fragment->type);
}

static struct loops loops_of_wmma(const struct mapping_fragment *fragment) {
    bool is_store = fragment->operand == MAPPING_D;
    uint32_t moved = is_store ? entries_of(fragment) : fragment->rows * fragment->cols;
    return (struct loops){.halves = 1,
                          .selectors = 1,
                          .chunks = 1,
                          .orders = fragment->order == MAPPING_NO_ORDER ? 2 : 1,
                          .passes = number_digits(moved, number_largest(fragment->type))};
}

static struct loops loops_of(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    const struct mapping_shape shape = operands->opcode.shape;
    struct loops loops = {1, 1, 1, 1, 1};
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
        return loops_of_wmma(fragment);
    if (!operands_are_multiplied(operands))
        return loops;
    if (operand == MAPPING_D)
        loops.passes = fragment->blocks > 1 ? 3 : 2;
    else
        loops.passes = number_digits(entries_of(fragment), largest_digit(operands, operand));
    if (operand == MAPPING_A || operand == MAPPING_E)
        loops.chunks = divide_up(fragment->cols, shape.n);
    if (operand == MAPPING_E)
        loops.selectors = operands_selectors(operands);
    if (operand == MAPPING_B) {
        loops.halves = operands_are_sparse(operands) ? 2 : 1;
        loops.chunks = divide_up(operands_depth(operands), shape.m);
    }
    return loops;
}

/* ---- One run ---- */

/* Where one run is in the loops. */
struct turn {
    uint32_t half, selector, chunk, order, pass;
};

/* How the operands are filled. */
struct fillings {
    enum filling a, b, c, e;
    uint32_t a_parameter, b_parameter, c_parameter, e_parameter;
};

/* D: the pass says which coordinate is written into it. */
static struct fillings fillings_for_d(uint32_t pass, uint32_t half) {
    enum { ROW, COLUMN };
    return (struct fillings){.a = pass == ROW      ? FILL_ROWS
                                  : pass == COLUMN ? FILL_ONES
                                                   : FILL_BLOCKS,
                             .b = pass == COLUMN ? FILL_COLUMNS : FILL_ONES,
                             .e = FILL_HALF,
                             .e_parameter = half};
}

static struct fillings fillings_for(const struct operands *operands, enum mapping_operand operand,
                                    struct turn turn) {
    const struct mapping_shape shape = operands->opcode.shape;
    switch (operand) {
    case MAPPING_A:
        return (struct fillings){.a = FILL_NUMBERS,
                                 .a_parameter = turn.pass,
                                 .b = FILL_PICK,
                                 .b_parameter = turn.chunk * shape.n,
                                 .e = FILL_HALF,
                                 .e_parameter = turn.half};
    case MAPPING_B:
        return (struct fillings){.a = FILL_PICK,
                                 .a_parameter = turn.chunk * shape.m,
                                 .b = FILL_NUMBERS,
                                 .b_parameter = turn.pass,
                                 .e = FILL_HALF,
                                 .e_parameter = turn.half};
    case MAPPING_C:
        return (struct fillings){
            .c = FILL_NUMBERS, .c_parameter = turn.pass, .e = FILL_HALF, .e_parameter = turn.half};
    case MAPPING_E:
        return (struct fillings){.a = FILL_ONES,
                                 .b = FILL_TELL,
                                 .b_parameter = turn.chunk * shape.n,
                                 .e = FILL_NUMBERS,
                                 .e_parameter = turn.pass};
    default:
        return fillings_for_d(turn.pass, turn.half);
    }
}

static struct run plan_multiplication(const struct operands *operands, enum mapping_operand operand,
                                      struct contents *contents, struct turn turn) {
    const struct variant variant = operands_variant(operands, operand, turn.selector);
    const struct fillings fill = fillings_for(operands, operand, turn);
    bool is_wgmma = operands_read_shared(operands);
    struct run run = {.row = row_number(operands->number, variant)};
    run.a =
        contents_get(contents, operands, MAPPING_A, fill.a, fill.a_parameter, variant.a_in_shared);
    run.b = contents_get(contents, operands, MAPPING_B, fill.b, fill.b_parameter, is_wgmma);
    if (!is_wgmma)
        run.c = contents_get(contents, operands, MAPPING_C, fill.c, fill.c_parameter, false);
    if (operands_are_sparse(operands))
        run.e = contents_get(contents, operands, MAPPING_E, fill.e, fill.e_parameter, false);
    if (variant.a_in_shared)
        run.words_a = operands->opcode.shape.m * operands_line_bytes(operands, MAPPING_A) / 4;
    if (is_wgmma)
        run.words_b = operands->opcode.shape.n * operands_line_bytes(operands, MAPPING_B) / 4;
    return run;
}

/* The run of ldmatrix, stmatrix or movmatrix. */
static struct run plan_move(const struct operands *operands, struct contents *contents) {
    const struct variant variant = {.selector = 0};
    struct run run = {.row = row_number(operands->number, variant)};
    const uint32_t slots = SLOTS * SLOT_BYTES / 4;
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_MOVMATRIX) {
        run.a = contents_get(contents, operands, MAPPING_A, FILL_NUMBERS, 0, false);
        return run;
    }
    bool stores = mapping_instruction_probe(operands->opcode.instruction) == PROBE_STMATRIX;
    run.a = contents_get(contents, operands, MAPPING_P, FILL_ADDRESSES, 0, false);
    run.b = contents_get(contents, operands, MAPPING_P, stores ? FILL_EMPTY : FILL_SLOTS, 0, false);
    run.words_b = slots;
    if (stores) {
        run.c = contents_get(contents, operands, MAPPING_R, FILL_NUMBERS, 0, false);
        run.words_d = slots;
    }
    return run;
}

/* A run of wmma: loads a matrix, or for D stores registers. */
static struct run plan_wmma(const struct operands *operands, struct contents *contents,
                            struct turn turn) {
    enum mapping_operand operand = operands->fragments[0].operand;
    return (struct run){.row = wmma_row_number(operands->number, turn.order),
                        .a = contents_get(contents, operands, operand, FILL_NUMBERS, turn.pass,
                                          operand != MAPPING_D)};
}

static struct run plan_run(const struct operands *operands, enum mapping_operand operand,
                           struct contents *contents, struct turn turn) {
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
        return plan_wmma(operands, contents, turn);
    if (operands_are_multiplied(operands))
        return plan_multiplication(operands, operand, contents, turn);
    return plan_move(operands, contents);
}

/* ---- All of them ---- */

/* What a run stores: a matrix of wmma, the shared memory of stmatrix, or registers. */
static void plan_output(const struct operands *operands, enum mapping_operand operand,
                        struct experiment *experiment) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    enum probe probe = mapping_instruction_probe(operands->opcode.instruction);
    unsigned bits = 16;
    if (probe == PROBE_WMMA && operand == MAPPING_D) {
        bits = fragment->bits;
        experiment->type = fragment->type;
        experiment->words = fragment->rows * fragment->cols * bits / 32;
    } else if (probe == PROBE_STMATRIX) {
        experiment->type = MAPPING_B16;
        experiment->words = SLOTS * SLOT_BYTES / 4;
    } else {
        const struct mapping_fragment stored = probe == PROBE_WMMA ? *fragment
                                               : probe == PROBE_LDMATRIX
                                                   ? *operands_find(operands, MAPPING_R)
                                                   : operands_stored(operands, operand);
        bits = stored.bits;
        experiment->type = stored.type;
        experiment->words = stored.threads * stored.registers;
    }
    experiment->numbers = experiment->words * 32 / bits;
    experiment->bytes = largest_digit(operands, operand) < UINT8_MAX ? 1 : 2;
}

/* The place of run number `n` in the loops. */
static struct turn turn_of(const struct loops *loops, uint32_t n) {
    struct turn turn;
    turn.pass = n % loops->passes, n /= loops->passes;
    turn.order = n % loops->orders, n /= loops->orders;
    turn.chunk = n % loops->chunks, n /= loops->chunks;
    turn.selector = n % loops->selectors;
    turn.half = n / loops->selectors;
    return turn;
}

void experiment_plan(const struct operands *operands, enum mapping_operand operand,
                     struct contents *contents, struct experiment *experiment) {
    const struct loops loops = loops_of(operands, operand);
    uint32_t count = loops.halves * loops.selectors * loops.chunks * loops.orders * loops.passes;
    experiment->runs = memory_get(count, sizeof *experiment->runs);
    experiment->count = count;
    plan_output(operands, operand, experiment);
    for (uint32_t n = 0; n < count; n++) {
        struct run *run = &experiment->runs[n];
        *run = plan_run(operands, operand, contents, turn_of(&loops, n));
        run->d = n * experiment->words;
    }
}

void experiment_free(struct experiment *experiment) {
    memory_free(experiment->runs);
    *experiment = (struct experiment){0};
}

/* ---- From numbers to a layout ---- */

/* ---- Layouts of fragments ---- */

/* A layout's table by axis: where entry n, which is tid * elements + i, is. */
struct places {
    uint32_t *block; /* NULL where there is one block */
    uint32_t *row, *col;
    size_t entries;
    uint32_t elements; /* of a thread */
};

static struct places places_of(const struct mapping_layout *layout) {
    uint32_t axes = layout->to.count;
    return (struct places){.block = axes > 2 ? layout->coordinate[0] : NULL,
                           .row = layout->coordinate[axes - 2],
                           .col = layout->coordinate[axes - 1],
                           .entries = mapping_layout_entries(layout),
                           .elements = layout->from.axis[layout->from.count - 1].size};
}

static uint32_t block_at(const struct places *places, size_t entry) {
    return places->block ? places->block[entry] : 0;
}

/* Notes where an entry is. False if there is no such entry. */
static bool note(const struct places *places, uint32_t entry, uint32_t block, uint32_t row,
                 uint32_t col) {
    if (entry >= places->entries)
        return false;
    places->row[entry] = row;
    places->col[entry] = col;
    if (places->block)
        places->block[entry] = block;
    return true;
}

/* ---- Numbers ---- */

/* The numbers that a kernel stored, and the layout that is derived from them. */
struct reading {
    const struct operands *operands;
    enum mapping_operand operand;
    const struct experiment *experiment;
    const void *numbers;
    struct loops loops;
    uint32_t *found;  /* one for each number of a run: what the digits come to, from 0; owned */
    struct places to; /* what is found out */
};

/* No number is so large, and so many digits that are none do not wrap around. */
enum { TOO_LARGE = 1 << 24 };

/* Adds one digit, times its weight, to each number that is found. */
static void add_digits(const struct reading *reading, size_t run, uint32_t weight, uint32_t base) {
    size_t count = reading->experiment->numbers;
    const uint8_t *small = (const uint8_t *)reading->numbers + run * count;
    const uint16_t *large = (const uint16_t *)reading->numbers + run * count;
    uint32_t *found = reading->found;
    if (reading->experiment->bytes == 1)
        for (size_t n = 0; n < count; n++)
            found[n] += small[n] < base ? small[n] * weight : TOO_LARGE;
    else
        for (size_t n = 0; n < count; n++)
            found[n] += large[n] < base ? large[n] * weight : TOO_LARGE;
}

/* Finds the numbers, counted from 0, whose digits were stored from run `first` on. What is none
 * becomes larger than any. */
static void find_numbers(const struct reading *reading, size_t first, uint32_t passes) {
    uint32_t weight = 1, base = largest_digit(reading->operands, reading->operand) + 1;
    memset(reading->found, 0, reading->experiment->numbers * sizeof *reading->found);
    for (uint32_t pass = 0; pass < passes; pass++, weight *= base)
        add_digits(reading, first + pass, weight, base);
    for (size_t n = 0; n < reading->experiment->numbers; n++)
        reading->found[n]--;
}

/* What was stored as number `n` of a run, by threads that store so many each, makes no sense. */
static enum mapping_status makes_no_sense(size_t n, size_t elements, struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED, "invalid result in thread %zu, element %zu",
                        n / elements, n % elements);
}

/* ---- Multiplications ---- */

/* D: each run has stored a coordinate. What is none is far outside of the matrix. */
static enum mapping_status read_result(const struct reading *reading) {
    uint32_t *const coordinates[] = {reading->to.row, reading->to.col, reading->to.block};
    for (uint32_t pass = 0; pass < 3 && coordinates[pass]; pass++) {
        find_numbers(reading, pass, 1);
        memcpy(coordinates[pass], reading->found, reading->to.entries * sizeof *reading->found);
    }
    return MAPPING_OK;
}

/* A, B, C or metadata: what is found in row and column of D says which entry got there. `chunk` and
 * `half` are those of the runs. */
static enum mapping_status read_product(const struct reading *reading, const struct places *d,
                                        uint32_t chunk, bool half, struct mapping_error *error) {
    const struct operands *operands = reading->operands;
    const struct mapping_fragment *fragment = operands_find(operands, reading->operand);
    uint32_t rows = operands_depth(operands), cols = fragment->cols;
    uint32_t first_row = reading->operand == MAPPING_B ? chunk * operands->opcode.shape.m : 0;
    uint32_t first_col = reading->operand == MAPPING_A || reading->operand == MAPPING_E
                             ? chunk * operands->opcode.shape.n
                             : 0;
    for (size_t n = 0; n < d->entries; n++) {
        uint32_t row = d->row[n] + first_row, col = d->col[n] + first_col;
        if (col >= cols || (reading->operand == MAPPING_B && row >= rows))
            continue;
        if (reading->operand == MAPPING_B)
            row = sparse_expand(operands, row, half);
        if (!note(&reading->to, reading->found[n], block_at(d, n), row, col))
            return makes_no_sense(n, d->elements, error);
    }
    return MAPPING_OK;
}

static enum mapping_status read_operand(const struct reading *reading, const struct places *d,
                                        struct mapping_error *error) {
    const struct loops loops = reading->loops;
    enum mapping_status status = MAPPING_OK;
    for (size_t first = 0; first < reading->experiment->count && status == MAPPING_OK;
         first += loops.passes) {
        size_t turn = first / loops.passes;
        find_numbers(reading, first, loops.passes);
        status = read_product(reading, d, (uint32_t)(turn % loops.chunks),
                              turn / loops.chunks / loops.selectors > 0, error);
    }
    return status;
}

/* ---- Instructions that move ---- */

/* ldmatrix: registers that say which slot they come from, and so which lane pointed there. `r` is
 * where the registers and `p` where the addresses are, of which the other one is stated. */
static enum mapping_status read_ldmatrix(const struct reading *reading, const struct places *r,
                                         const struct places *p, struct mapping_error *error) {
    const uint32_t columns = SLOT_BYTES / 2;
    for (uint32_t entry = 0; entry < r->entries; entry++) {
        uint32_t lane = 0, number = reading->found[entry];
        while (lane < p->entries && slot_of(lane) != number / columns)
            lane++;
        if (lane == p->entries)
            return makes_no_sense(entry, r->elements, error);
        if (reading->operand == MAPPING_R)
            note(r, entry, block_at(p, lane), p->row[lane], number % columns);
        else
            note(p, lane, block_at(r, entry), r->row[entry], 0);
    }
    return MAPPING_OK;
}

/* stmatrix: slots that say which registers they come from. Those that lanes point at beyond the
 * ones that bring addresses stay empty. */
static enum mapping_status read_stmatrix(const struct reading *reading, const struct places *r,
                                         const struct places *p, struct mapping_error *error) {
    const uint32_t columns = SLOT_BYTES / 2;
    for (uint32_t n = 0; n < WARP * columns; n++) {
        uint32_t lane = n / columns, col = n % columns;
        uint32_t entry = reading->found[slot_of(lane) * columns + col];
        bool is_empty = entry == UINT32_MAX, brings_address = lane < p->entries;
        if (brings_address ? entry >= r->entries : !is_empty)
            return mapping_fail(error, MAPPING_FAILED, "invalid data at the address of thread %u",
                                lane);
        if (!brings_address)
            continue;
        if (reading->operand == MAPPING_R)
            note(r, entry, block_at(p, lane), p->row[lane], col);
        else
            note(p, lane, block_at(r, entry), r->row[entry], 0);
    }
    return MAPPING_OK;
}

/* movmatrix: elements of D that say which elements of A they are. */
static enum mapping_status read_movmatrix(const struct reading *reading, const struct places *d,
                                          const struct places *a, struct mapping_error *error) {
    for (uint32_t entry = 0; entry < d->entries; entry++) {
        uint32_t source = reading->found[entry];
        if (source >= a->entries)
            return makes_no_sense(entry, d->elements, error);
        if (reading->operand == MAPPING_D)
            note(d, entry, 0, a->row[source], a->col[source]);
        else
            note(a, source, 0, d->row[entry], d->col[entry]);
    }
    return MAPPING_OK;
}

/* `other` is the stated layout of the other end of the move. */
static enum mapping_status read_move(const struct reading *reading, const struct places *other,
                                     struct mapping_error *error) {
    const struct places *to = &reading->to;
    bool is_first = reading->operand == MAPPING_R || reading->operand == MAPPING_D;
    const struct places *first = is_first ? to : other, *second = is_first ? other : to;
    find_numbers(reading, 0, 1);
    switch (mapping_instruction_probe(reading->operands->opcode.instruction)) {
    case PROBE_LDMATRIX:
        return read_ldmatrix(reading, first, second, error);
    case PROBE_STMATRIX:
        return read_stmatrix(reading, first, second, error);
    case PROBE_MOVMATRIX:
        return read_movmatrix(reading, first, second, error);
    default:
        return mapping_fail(error, MAPPING_FAILED, "%s does not move matrices",
                            reading->operands->opcode.text);
    }
}

/* ---- wmma ---- */

/* One memory order, in which the place of row r, column c is r * cols + c, or r + rows * c. A load
 * says for each entry the place that it comes from, a store for each place the entry. */
static enum mapping_status read_memory(const struct reading *reading, size_t first,
                                       enum mapping_order order, const struct places *to,
                                       struct mapping_error *error) {
    const struct mapping_fragment *fragment = &reading->operands->fragments[0];
    uint32_t rows = fragment->rows, cols = fragment->cols;
    bool is_store = reading->operand == MAPPING_D, by_row = order == MAPPING_ROW_MAJOR;
    find_numbers(reading, first, reading->loops.passes);
    for (uint32_t n = 0; n < reading->experiment->numbers; n++) {
        uint32_t entry = is_store ? reading->found[n] : n;
        uint32_t place = is_store ? n : reading->found[n];
        if (place >= rows * cols)
            return makes_no_sense(n, fragment->elements, error);
        if (!note(to, entry, 0, by_row ? place / cols : place % rows,
                  by_row ? place % cols : place / rows))
            return mapping_fail(error, MAPPING_FAILED, "invalid data in element %u of memory", n);
    }
    return MAPPING_OK;
}

/* C and D are moved in both orders, which have to agree. */
static enum mapping_status read_wmma(const struct reading *reading,
                                     const struct mapping_layout *layout,
                                     struct mapping_error *error) {
    const struct mapping_fragment *fragment = &reading->operands->fragments[0];
    if (reading->loops.orders == 1)
        return read_memory(reading, 0, fragment->order, &reading->to, error);
    struct mapping_layout second;
    enum mapping_status status = mapping_layout_init(&second, &layout->from, &layout->to, error);
    if (status != MAPPING_OK)
        return status;
    const struct places to_second = places_of(&second);
    status = read_memory(reading, 0, MAPPING_ROW_MAJOR, &reading->to, error);
    if (status == MAPPING_OK)
        status = read_memory(reading, reading->loops.passes, MAPPING_COL_MAJOR, &to_second, error);
    if (status == MAPPING_OK && !mapping_layout_equal(layout, &second))
        status = mapping_fail(error, MAPPING_FAILED,
                              "row-major and column-major memory give different layouts");
    mapping_layout_free(&second);
    return status;
}

/* ---- All of them ---- */

/* The operand whose layout is taken from the PTX ISA while another one is observed: D of a
 * multiplication, the other end of a move. */
static struct mapping_fragment stated_beside(const struct reading *reading) {
    const struct operands *operands = reading->operands;
    if (operands_are_multiplied(operands))
        return operands_stored(operands, reading->operand);
    enum mapping_operand other = reading->operand == MAPPING_R   ? MAPPING_P
                                 : reading->operand == MAPPING_P ? MAPPING_R
                                 : reading->operand == MAPPING_A ? MAPPING_D
                                                                 : MAPPING_A;
    return *operands_find(operands, other);
}

static enum mapping_status read_beside(const struct reading *reading, struct mapping_error *error) {
    struct mapping_layout stated = {.from = {0}};
    const struct mapping_fragment fragment = stated_beside(reading);
    enum mapping_status status = mapping_fragment_state(&fragment, &stated, error);
    if (status == MAPPING_OK) {
        const struct places beside = places_of(&stated);
        status = operands_are_multiplied(reading->operands) ? read_operand(reading, &beside, error)
                                                            : read_move(reading, &beside, error);
    }
    mapping_layout_free(&stated);
    return status;
}

enum mapping_status experiment_read(const struct operands *operands, enum mapping_operand operand,
                                    const struct experiment *experiment, const void *numbers,
                                    struct mapping_layout *layout, struct mapping_error *error) {
    struct mapping_space from, to;
    mapping_fragment_spaces(operands_find(operands, operand), &from, &to);
    enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    struct reading reading = {.operands = operands,
                              .operand = operand,
                              .experiment = experiment,
                              .numbers = numbers,
                              .loops = loops_of(operands, operand),
                              .found = memory_get(experiment->numbers, sizeof *reading.found),
                              .to = places_of(layout)};
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
        status = read_wmma(&reading, layout, error);
    else if (operands_are_multiplied(operands) && operand == MAPPING_D)
        status = read_result(&reading);
    else
        status = read_beside(&reading, error);
    memory_free(reading.found);
    return status;
}
