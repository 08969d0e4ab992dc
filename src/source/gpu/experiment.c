/* experiment.c - observes the layout of an operand; see experiment.h. It chooses an instruction
 * that has the operand, fills registers and memory, plans the runs of an experiment, and makes the
 * layout from the words that the runs store. It does not use CUDA. */
#include "source/gpu/experiment.h"

#include "catalogue/catalogue.h"
#include "source/gpu/kernels.h"
#include "source/source.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- The instruction that observes an operand ---- */

/* A fragment by name; the index in the catalogue of the opcode that observes it, or for wmma of the
 * fragment itself; and the architecture and the PTX version that the opcode needs. The fragment may
 * be older: sm_75 has mma.m8n8k128 of b1, but only with exclusive or. */
struct choice {
    const char *name;
    uint32_t number, since, ptx;
};

/* Printed by generate.c, sorted by name: {"ldmatrix.m8n8.x1.p.b16", 354, 75, 65}, */
static const struct choice choices[] = {
#include "fragments.inc"
};

static int compare_choice(const void *name, const void *choice) {
    return strcmp(name, ((const struct choice *)choice)->name);
}

/* NULL if there is no opcode, or if nvcc does not know it. */
static const struct choice *find_choice(const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    const struct choice *choice =
        bsearch(name, choices, sizeof choices / sizeof *choices, sizeof *choices, compare_choice);
    return choice && choice->ptx <= nvcc_ptx ? choice : NULL;
}

bool experiment_find(const struct mapping_fragment *fragment, struct operands *operands) {
    const struct choice *choice = find_choice(fragment);
    if (!choice)
        return false;
    return mapping_instruction_form(fragment->instruction) == WMMA_FORM
               ? operands_of_wmma(choice->number, operands)
               : operands_of_opcode(choice->number, operands);
}

bool gpu_covers(unsigned arch, const struct mapping_fragment *fragment) {
    const struct choice *choice = find_choice(fragment);
    return choice && choice->since <= arch;
}

/* ---- Numbers ---- */

/* The types that kernels read and store. f16 can represent all integers up to 2048, which is enough
 * for every layout. s4 and u4 have the same limit here, and so do s8 and u8, because an operand of
 * one type may be multiplied by one of the other. */
static const struct {
    uint16_t largest;
    uint8_t mantissa_bits, bias_bits; /* floating point: the exponent's bias is 2^bias_bits - 1 */
} types[MAPPING_TYPES] = {
    [MAPPING_F64] = {2048, 52, 10}, [MAPPING_F32] = {2048, 23, 7}, [MAPPING_TF32] = {2048, 23, 7},
    [MAPPING_F16] = {2048, 10, 4},  [MAPPING_BF16] = {256, 7, 7},  [MAPPING_E4M3] = {16, 3, 3},
    [MAPPING_E5M2] = {8, 2, 4},     [MAPPING_S32] = {2048, 0, 0},  [MAPPING_B16] = {2048, 0, 0},
    [MAPPING_S8] = {127, 0, 0},     [MAPPING_U8] = {127, 0, 0},    [MAPPING_S4] = {7, 0, 0},
    [MAPPING_U4] = {7, 0, 0},       [MAPPING_B1] = {1, 0, 0},
};

uint32_t number_largest(enum mapping_type type) {
    return types[type].largest;
}

uint32_t number_digits(uint32_t number, uint32_t largest) {
    uint32_t digits = 1;
    while ((number /= largest + 1) > 0)
        digits++;
    return digits;
}

uint32_t number_digit(uint32_t number, uint32_t n, uint32_t largest) {
    while (n-- > 0)
        number /= largest + 1;
    return number % (largest + 1);
}

/* Encodes the number 1.xxx (binary) times 2^exponent as the biased exponent and the bits xxx. */
uint64_t number_encode(enum mapping_type type, uint32_t number) {
    unsigned mantissa_bits = types[type].mantissa_bits;
    if (mantissa_bits == 0 || number == 0)
        return number;
    unsigned exponent = 31 - (unsigned)__builtin_clz(number);
    uint64_t fraction = number - (UINT64_C(1) << exponent);
    return (uint64_t)(exponent + (1U << types[type].bias_bits) - 1) << mantissa_bits |
           (fraction << mantissa_bits) >> exponent;
}

/* Marks invalid numbers. It is larger than any valid one, and small enough that the sum over all
 * digits of a number does not overflow. */
enum { NOT_A_NUMBER = 1 << 24 };

/* The inverse of number_encode. In floating-point types, fractions, negative numbers and numbers
 * from 4096 on become NOT_A_NUMBER. The sign counts as the highest bit of the exponent, which makes
 * the exponent of a negative number too large. */
static uint32_t number_decode(enum mapping_type type, uint64_t bits) {
    unsigned mantissa_bits = types[type].mantissa_bits;
    if (mantissa_bits == 0 || bits == 0)
        return (uint32_t)bits;
    const uint64_t one = UINT64_C(1) << mantissa_bits;
    uint64_t exponent = (bits >> mantissa_bits) - (UINT64_C(1) << types[type].bias_bits) + 1;
    if (exponent >= 12)
        return NOT_A_NUMBER;
    uint64_t shifted = (one | (bits & (one - 1))) << exponent;
    return shifted & (one - 1) ? NOT_A_NUMBER : (uint32_t)(shifted >> mantissa_bits);
}

void element_put(uint32_t *words, size_t place, unsigned bits, uint64_t value) {
    if (bits == 64) {
        words[2 * place] = (uint32_t)value;
        words[2 * place + 1] = (uint32_t)(value >> 32);
        return;
    }
    size_t at = place * bits;
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    words[at / 32] = (words[at / 32] & ~(mask << at % 32)) | (uint32_t)value << at % 32;
}

/* The inverse of element_put. */
static uint64_t element_get(const uint32_t *words, size_t place, unsigned bits) {
    if (bits == 64)
        return words[2 * place] | (uint64_t)words[2 * place + 1] << 32;
    size_t at = place * bits;
    return words[at / 32] >> at % 32 & (uint32_t)((UINT64_C(1) << bits) - 1);
}

static uint32_t entries_of(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements;
}

/* ---- Sparsity ---- */

/* A sparse A stores half of the columns of each group, and the metadata selects them (PTX ISA 9.0,
 * "Sparse matrix storage"): 1 of 2 elements of 32 bits, 2 of 4 elements of 16 or 8 bits, 2 of 4
 * pairs of 4 bits. A group has 4 bits of metadata, such as 0100 for the first half of its columns
 * and 1110 for the second. In an experiment, all groups store the same half. */
static const uint32_t metadata_of_half[] = {0x44444444, 0xeeeeeeee};

/* The number of columns of a group that A stores, half of the group's columns. */
static uint32_t held_of_group(const struct operands *operands) {
    unsigned bits = mapping_type_bits(operands->opcode.a);
    return bits == 32 ? 1 : bits == 4 ? 4 : 2;
}

/* The stored column of A that row k of B is multiplied by, and the half of its group that contains
 * k. If A is not sparse, this is column k in the first half. */
static uint32_t sparse_compress(const struct operands *operands, uint32_t k, bool *second_half) {
    uint32_t held = held_of_group(operands);
    bool is_sparse = operands_are_sparse(operands);
    *second_half = is_sparse && k / held % 2;
    return is_sparse ? k / (2 * held) * held + k % held : k;
}

/* The inverse of sparse_compress: the row of B that a stored column of A is multiplied by. */
static uint32_t sparse_expand(const struct operands *operands, uint32_t column, bool second_half) {
    uint32_t held = held_of_group(operands);
    if (!operands_are_sparse(operands))
        return column;
    return column / held * 2 * held + column % held + (second_half ? held : 0);
}

/* ---- The contents of registers and memory ---- */

/* The content of an operand: small integers, exact in every type. Results are counted from 1, so
 * that 0 is never right. If A were 2x4 and B 4x2, they would be filled so:
 *
 *     FILL_ROWS   FILL_COLUMNS   FILL_PICK of A   the same, parameter 2   FILL_PICK of B
 *     1 0 0 0     1 2            1 0 0 0          0 0 1 0                 1 0
 *     2 0 0 0     0 0            0 1 0 0          0 0 0 1                 0 1
 *                 0 0                                                     0 0
 *                 0 0                                                     0 0 */
enum filling {
    FILL_ZEROS,
    FILL_ONES,

    /* A: the sum of a row is 1 + the number of the row. If B has only ones, each element of D = A x
       B equals this sum. If a type only represents numbers up to 8, row 10 has 8 3 0 0. */
    FILL_ROWS,

    /* A: the sum of a row is 1 + the number of the block. */
    FILL_BLOCKS,

    /* B: the sum of a column is 1 + the number of the column. */
    FILL_COLUMNS,

    /* A and B: ones on a diagonal that starts at `parameter` along K. A x B then contains the rows
       of B, or the columns of A, from there on, as many as fit into D. If A is sparse, K counts its
       stored columns. */
    FILL_PICK,

    /* B: column c has a 1 in the row that is multiplied if metadata number `parameter` + c is 1,
       and zeros elsewhere. */
    FILL_TELL,

    /* Registers, and the memory of wmma: each element has digit `parameter` of its number, which
       counts from 1 by thread and element, or by position in memory. Small types need several
       digits. If the largest digit were 9, digit 1 of elements 0 to 11 would be 0 0 0 0 0 0 0 0 0 1
       1 1. Metadata: each index encodes bit `parameter` of its number. */
    FILL_NUMBERS,

    FILL_HALF,      /* metadata: the first half of each group; the second for parameter 1 */
    FILL_ADDRESSES, /* ldmatrix, stmatrix: the offset of each lane's slot, in bytes */
    FILL_SLOTS      /* the memory of ldmatrix: SLOTS of 8 elements, 1 2 3 4 ... 256 */
};

enum { SLOT_ELEMENTS = SLOT_BYTES / 2, SLOT_WORDS = SLOTS * SLOT_BYTES / 4 };

/* The key of a content: values of the enumerations with these names, the shape, and the parameter.
 * It has no padding, so keys can be compared with memcmp. */
struct content_key {
    uint32_t instruction, operand, type, order, m, n, k, filling, parameter, in_shared;
};

struct content {
    struct content_key key;
    uint32_t offset;
};

/* The operands of an instruction, and the key of the one to fill. */
struct fill {
    const struct operands *operands;
    const struct content_key *key;
    uint32_t *words;
};

/* ---- The numbers of one element ---- */

/* The value of element `n` if a sum is distributed so that the first elements have the maximum,
 * `most`: a sum of 20 with the maximum 16 is 16, 4, 0, 0, ... */
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

/* The row of B that is multiplied if the observed bit of the number of the metadata in this column
 * of A is 1. Two of each 4 elements are stored; the first index is 0 or 1, the second 2 or 3. For
 * elements of 4 bits, indices count pairs; for elements of 32 bits, an index is 0 or 1. */
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
    bool second_half;
    uint32_t place = sparse_compress(fill->operands, row, &second_half);
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

/* An index of the metadata that encodes a bit of its own number. */
static uint32_t metadata_of(const struct mapping_fragment *e, uint32_t number, uint32_t bit) {
    uint32_t said = number >> bit & 1;
    if (e->bits == 4)
        return said ? 0xe : 0x4;
    return (number - 1) % 2 ? 2 + said : said;
}

/* ---- Registers and matrices ---- */

static void put(const struct fill *fill, size_t place, unsigned bits, uint32_t value) {
    element_put(fill->words, place, bits, number_encode(fill->key->type, value));
}

/* Sets each element to its number: by thread in registers, by position in wmma's matrix. */
static void number_elements(const struct fill *fill, const struct mapping_fragment *fragment) {
    const struct content_key *key = fill->key;
    uint32_t count = key->in_shared ? fragment->rows * fragment->cols : entries_of(fragment);
    uint32_t largest = number_largest(key->type);
    for (uint32_t n = 0; n < count; n++)
        if (key->operand == MAPPING_E)
            element_put(fill->words, n, fragment->bits,
                        metadata_of(fragment, n + 1, key->parameter));
        else
            put(fill, n, fragment->bits, number_digit(n + 1, key->parameter, largest));
}

/* Fills A or B according to the layout in the PTX ISA. */
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
        put(fill, entry, fragment->bits, value);
    }
    mapping_layout_free(&layout);
}

/* Fills A or B of wgmma in shared memory. */
static void place_in_shared(const struct fill *fill) {
    const struct operands *operands = fill->operands;
    const struct content_key *key = fill->key;
    bool is_a = key->operand == MAPPING_A;
    uint32_t lines = is_a ? key->m : key->n, depth = is_a ? operands_depth(operands) : key->k;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t value = is_a ? value_of_a(fill, 0, line, k) : value_of_b(fill, k, line);
            if (value != 0)
                put(fill, operands_place_in_shared(operands, key->operand, line, k),
                    mapping_type_bits(key->type), value);
        }
}

/* The size of the contents in words. */
static size_t size_of(const struct fill *fill) {
    const struct operands *operands = fill->operands;
    const struct content_key *key = fill->key;
    if (key->operand == MAPPING_P)
        return key->in_shared ? SLOT_WORDS : WARP;
    if (key->in_shared && operands_read_shared(operands))
        return (size_t)(key->operand == MAPPING_A ? key->m : key->n) *
               operands_line_bytes(operands, key->operand) / 4;
    const struct mapping_fragment *fragment = operands_find(operands, key->operand);
    if (key->in_shared)
        return (size_t)fragment->rows * fragment->cols * mapping_type_bits(key->type) / 32;
    return (size_t)fragment->threads * fragment->registers;
}

/* Fills words that are 0. */
static void fill_words(const struct fill *fill) {
    const struct content_key *key = fill->key;
    const struct mapping_fragment *fragment = operands_find(fill->operands, key->operand);
    switch (key->filling) {
    case FILL_ZEROS:
        return;
    case FILL_HALF:
        for (size_t n = 0; n < size_of(fill); n++)
            fill->words[n] = metadata_of_half[key->parameter];
        return;
    case FILL_ADDRESSES:
        for (uint32_t lane = 0; lane < WARP; lane++)
            fill->words[lane] = SLOT_BYTES * slot_of(lane);
        return;
    case FILL_SLOTS:
        for (uint32_t n = 0; n < SLOTS * SLOT_ELEMENTS; n++)
            element_put(fill->words, n, 16, n + 1);
        return;
    case FILL_NUMBERS:
        number_elements(fill, fragment);
        return;
    default:
        if (key->in_shared)
            place_in_shared(fill);
        else
            place_registers(fill, fragment);
    }
}

/* ---- Contents ---- */

/* The key of an operand's contents. For wgmma, the contents for one N are the beginning of those
 * for the largest N, so all N share one key. */
static struct content_key key_of(const struct operands *operands, enum mapping_operand operand,
                                 enum filling filling, uint32_t parameter, bool in_shared) {
    const struct mapping_opcode *opcode = &operands->opcode;
    return (struct content_key){
        .instruction = opcode->instruction,
        .operand = operand,
        .type = operand == MAPPING_B   ? opcode->b
                : operand == MAPPING_C ? opcode->c
                : operand == MAPPING_D ? opcode->d
                                       : opcode->a,
        .order = operand == MAPPING_B ? opcode->b_order : opcode->a_order,
        .m = opcode->shape.m,
        .n = operands_read_shared(operands) ? WGMMA_WIDEST : opcode->shape.n,
        .k = opcode->shape.k,
        .filling = filling,
        .parameter = parameter,
        .in_shared = in_shared,
    };
}

/* Finds the contents of an operand with this filling, or makes them. Returns the index of their
 * first word. `in_shared` means that they are for memory: A and B of wgmma, the matrix that wmma
 * loads, or slots. */
static uint32_t contents_get(struct contents *contents, const struct operands *operands,
                             enum mapping_operand operand, enum filling filling, uint32_t parameter,
                             bool in_shared) {
    const struct content_key key = key_of(operands, operand, filling, parameter, in_shared);
    /* Fragments of a type follow each other, so the last contents are the most likely match. */
    for (size_t i = contents->index_count; i > 0; i--)
        if (memcmp(&contents->index[i - 1].key, &key, sizeof key) == 0)
            return contents->index[i - 1].offset;
    struct operands widest = *operands;
    widest.opcode.shape.n = (uint16_t)key.n;
    struct fill fill = {.operands = &widest, .key = &key};
    const size_t offset = contents->count;
    const size_t size = (size_of(&fill) + 31) / 32 * 32; /* all start at multiples of 128 bytes */
    contents->words =
        array_grow(contents->words, offset, size, &contents->capacity, sizeof *contents->words);
    contents->index = array_grow(contents->index, contents->index_count, 1,
                                 &contents->index_capacity, sizeof *contents->index);
    contents->index[contents->index_count++] = (struct content){key, (uint32_t)offset};
    contents->count += size;
    fill.words = memset(contents->words + offset, 0, size * sizeof *contents->words);
    fill_words(&fill);
    return (uint32_t)offset;
}

void contents_free(struct contents *contents) {
    mapping_free(contents->words);
    mapping_free(contents->index);
    *contents = (struct contents){0};
}

/* ---- The loops over runs ---- */

static uint32_t divide_up(uint32_t number, uint32_t by) {
    return (number + by - 1) / by;
}

/* The sizes of the nested loops over the runs of an experiment, the innermost last. With 2 chunks
 * and 3 passes, run 4 is pass 1 of chunk 1. */
struct loops {
    uint32_t halves;    /* for B of a sparse product: the halves of a group that A stores */
    uint32_t selectors; /* sparsity selectors of the metadata */
    uint32_t chunks;    /* groups of rows of B, or columns of A or metadata, that fit into D */
    uint32_t orders;    /* memory orders of C and D of wmma */
    uint32_t passes;    /* digits of the numbers, or bits of metadata; for D, its coordinates */
};

/* The largest digit of a number while an operand is observed. */
static uint32_t largest_digit(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    if (operand == MAPPING_E)
        return 1;
    if (operand == MAPPING_D && operands_are_multiplied(operands))
        return fragment->rows > fragment->cols ? fragment->rows : fragment->cols;
    return number_largest(fragment->type);
}

static struct loops loops_of(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    const struct mapping_shape shape = operands->opcode.shape;
    const uint32_t largest = largest_digit(operands, operand);
    struct loops loops = {1, 1, 1, 1, 1};
    if (mapping_instruction_form(operands->opcode.instruction) == WMMA_FORM) {
        loops.orders = fragment->order == MAPPING_NO_ORDER ? 2 : 1;
        loops.passes = number_digits(
            operand == MAPPING_D ? entries_of(fragment) : fragment->rows * fragment->cols, largest);
        return loops;
    }
    if (!operands_are_multiplied(operands))
        return loops;
    if (operand == MAPPING_D)
        loops.passes = fragment->blocks > 1 ? 3 : 2;
    else
        loops.passes = number_digits(entries_of(fragment), largest);
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

/* The position of a run in the loops. */
struct turn {
    uint32_t half, selector, chunk, order, pass;
};

/* The fillings of the operands of a multiplication: to observe A, B, C or E, and in the passes that
 * write the row, the column and the block of each element into D. */
struct fillings {
    enum filling a, b, c, e;
};
static const struct fillings fillings[MAPPING_OPERANDS] = {
    [MAPPING_A] = {FILL_NUMBERS, FILL_PICK, FILL_ZEROS, FILL_HALF},
    [MAPPING_B] = {FILL_PICK, FILL_NUMBERS, FILL_ZEROS, FILL_HALF},
    [MAPPING_C] = {FILL_ZEROS, FILL_ZEROS, FILL_NUMBERS, FILL_HALF},
    [MAPPING_E] = {FILL_ONES, FILL_TELL, FILL_ZEROS, FILL_NUMBERS},
};
static const struct fillings fillings_of_d[] = {
    {FILL_ROWS, FILL_ONES, FILL_ZEROS, FILL_HALF},
    {FILL_ONES, FILL_COLUMNS, FILL_ZEROS, FILL_HALF},
    {FILL_BLOCKS, FILL_ONES, FILL_ZEROS, FILL_HALF},
};

/* The parameter of a filling: the digit or bit, the start of the diagonal, or the half. */
static uint32_t parameter_of(enum filling filling, struct turn turn, uint32_t chunk_size) {
    switch (filling) {
    case FILL_NUMBERS:
        return turn.pass;
    case FILL_PICK:
    case FILL_TELL:
        return turn.chunk * chunk_size;
    case FILL_HALF:
        return turn.half;
    default:
        return 0;
    }
}

static struct run plan_multiplication(const struct operands *operands, enum mapping_operand operand,
                                      struct contents *contents, struct turn turn) {
    const struct variant variant = operands_variant(operands, operand, turn.selector);
    const struct fillings fill =
        operand == MAPPING_D ? fillings_of_d[turn.pass] : fillings[operand];
    const struct mapping_shape shape = operands->opcode.shape;
    bool is_wgmma = operands_read_shared(operands);
    struct run run = {.row = row_number(operands->number, variant)};
    run.a = contents_get(contents, operands, MAPPING_A, fill.a, parameter_of(fill.a, turn, shape.m),
                         variant.a_in_shared);
    run.b = contents_get(contents, operands, MAPPING_B, fill.b, parameter_of(fill.b, turn, shape.n),
                         is_wgmma);
    if (!is_wgmma)
        run.c = contents_get(contents, operands, MAPPING_C, fill.c, parameter_of(fill.c, turn, 0),
                             false);
    if (operands_are_sparse(operands))
        run.e = contents_get(contents, operands, MAPPING_E, fill.e, parameter_of(fill.e, turn, 0),
                             false);
    if (variant.a_in_shared)
        run.words_a = shape.m * operands_line_bytes(operands, MAPPING_A) / 4;
    if (is_wgmma)
        run.words_b = shape.n * operands_line_bytes(operands, MAPPING_B) / 4;
    return run;
}

/* The run of ldmatrix, stmatrix or movmatrix. */
static struct run plan_move(const struct operands *operands, struct contents *contents) {
    const struct variant variant = {.selector = 0};
    struct run run = {.row = row_number(operands->number, variant)};
    if (mapping_instruction_form(operands->opcode.instruction) == MOVMATRIX_FORM) {
        run.c = contents_get(contents, operands, MAPPING_A, FILL_NUMBERS, 0, false);
        return run;
    }
    bool stores = mapping_instruction_form(operands->opcode.instruction) == STMATRIX_FORM;
    run.a = contents_get(contents, operands, MAPPING_P, FILL_ADDRESSES, 0, false);
    run.b = contents_get(contents, operands, MAPPING_P, stores ? FILL_ZEROS : FILL_SLOTS, 0, true);
    run.words_b = SLOT_WORDS;
    if (stores) {
        run.c = contents_get(contents, operands, MAPPING_R, FILL_NUMBERS, 0, false);
        run.words_d = SLOT_WORDS;
    }
    return run;
}

static struct run plan_run(const struct operands *operands, enum mapping_operand operand,
                           struct contents *contents, struct turn turn) {
    if (operands_are_multiplied(operands))
        return plan_multiplication(operands, operand, contents, turn);
    if (mapping_instruction_form(operands->opcode.instruction) != WMMA_FORM)
        return plan_move(operands, contents);
    /* wmma loads a matrix, or stores the registers of D. */
    return (struct run){.row = wmma_row_number(operands->number, turn.order),
                        .a = contents_get(contents, operands, operand, FILL_NUMBERS, turn.pass,
                                          operand != MAPPING_D)};
}

/* ---- All of them ---- */

/* Sets what a run stores: a matrix of wmma, the shared memory of stmatrix, or registers. */
static void plan_output(struct experiment *experiment) {
    const struct operands *operands = &experiment->operands;
    const enum mapping_operand operand = experiment->operand;
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    const enum instruction_form form = mapping_instruction_form(operands->opcode.instruction);
    const struct mapping_fragment stored = form == WMMA_FORM ? *fragment
                                           : form == LDMATRIX_FORM
                                               ? *operands_find(operands, MAPPING_R)
                                               : operands_stored(operands, operand);
    unsigned bits = stored.bits;
    experiment->type = stored.type;
    experiment->words = stored.threads * stored.registers;
    if (form == WMMA_FORM && operand == MAPPING_D)
        experiment->words = fragment->rows * fragment->cols * bits / 32;
    if (form == STMATRIX_FORM) {
        bits = 16;
        experiment->type = MAPPING_B16;
        experiment->words = SLOT_WORDS;
    }
    experiment->numbers = experiment->words * 32 / bits;
}

/* The position of run number `n` in the loops. */
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
    size_t count =
        (size_t)loops.halves * loops.selectors * loops.chunks * loops.orders * loops.passes;
    *experiment = (struct experiment){.operands = *operands,
                                      .operand = operand,
                                      .runs = memory_get(count, sizeof *experiment->runs),
                                      .count = count};
    plan_output(experiment);
    for (uint32_t n = 0; n < count; n++) {
        experiment->runs[n] = plan_run(operands, operand, contents, turn_of(&loops, n));
        experiment->runs[n].d = n * experiment->words;
    }
}

void experiment_free(struct experiment *experiment) {
    mapping_free(experiment->runs);
    *experiment = (struct experiment){0};
}

/* ---- Layouts of fragments ---- */

/* A layout's table, one array for each axis. Entry n is tid * elements + i. */
struct places {
    uint32_t *block; /* NULL if there is only one block */
    uint32_t *row, *col;
    size_t entries;
    uint32_t elements; /* elements of a thread */
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

/* Records the coordinates of an entry. False if there is no such entry. */
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

/* The words that a kernel stored, and the layout that is derived from them. */
struct reading {
    const struct operands *operands;
    enum mapping_operand operand;
    const struct experiment *experiment;
    const uint32_t *words;
    struct loops loops;
    uint32_t *found;  /* the numbers of a run, decoded from their digits, counted from 0; owned */
    struct places to; /* the result */
};

/* Decodes the numbers whose digits were stored from run `first` on, counted from 0. A number with
 * an invalid digit becomes larger than any valid one. */
static void find_numbers(const struct reading *reading, size_t first, uint32_t passes) {
    const struct experiment *experiment = reading->experiment;
    const unsigned bits = mapping_type_bits(experiment->type);
    uint32_t weight = 1, base = largest_digit(reading->operands, reading->operand) + 1;
    memset(reading->found, 0xff, experiment->numbers * sizeof *reading->found); /* -1 */
    for (size_t run = first; run < first + passes; run++, weight *= base)
        for (size_t n = 0; n < experiment->numbers; n++) {
            const uint32_t *words = reading->words + run * experiment->words;
            uint32_t digit = number_decode(experiment->type, element_get(words, n, bits));
            reading->found[n] += digit < base ? digit * weight : NOT_A_NUMBER;
        }
}

/* Fails because number `n` of a run is impossible. Each thread stores `elements` numbers. */
static enum mapping_status makes_no_sense(size_t n, size_t elements, struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED, "invalid result in thread %zu, element %zu",
                        n / elements, n % elements);
}

/* ---- Multiplications ---- */

/* D: each run has stored one coordinate. Invalid numbers become coordinates far outside. */
static void read_result(const struct reading *reading) {
    uint32_t *const coordinates[] = {reading->to.row, reading->to.col, reading->to.block};
    for (uint32_t pass = 0; pass < 3 && coordinates[pass]; pass++) {
        find_numbers(reading, pass, 1);
        memcpy(coordinates[pass], reading->found, reading->to.entries * sizeof *reading->found);
    }
}

/* A, B, C or metadata: the number at a row and column of D is the entry that was multiplied there.
 * `chunk` and `half` are those of the runs. */
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
        const struct turn turn = turn_of(&loops, (uint32_t)first);
        find_numbers(reading, first, loops.passes);
        status = read_product(reading, d, turn.chunk, turn.half > 0, error);
    }
    return status;
}

/* ---- Instructions that move ---- */

/* Records that entry `entry` of the registers is column `col` of the row whose address the lane
 * gives. `r` has the coordinates of the registers, `p` those of the addresses. One of them is
 * observed; the other is taken from the PTX ISA. */
static void note_move(const struct reading *reading, const struct places *r, uint32_t entry,
                      const struct places *p, uint32_t lane, uint32_t col) {
    if (reading->operand == MAPPING_R)
        note(r, entry, block_at(p, lane), p->row[lane], col);
    else
        note(p, lane, block_at(r, entry), r->row[entry], 0);
}

/* ldmatrix: the number in a register tells the slot that it comes from, and so the lane that gave
 * the slot's address. */
static enum mapping_status read_ldmatrix(const struct reading *reading, const struct places *r,
                                         const struct places *p, struct mapping_error *error) {
    for (uint32_t entry = 0; entry < r->entries; entry++) {
        uint32_t lane = 0, number = reading->found[entry];
        while (lane < p->entries && slot_of(lane) != number / SLOT_ELEMENTS)
            lane++;
        if (lane == p->entries)
            return makes_no_sense(entry, r->elements, error);
        note_move(reading, r, entry, p, lane, number % SLOT_ELEMENTS);
    }
    return MAPPING_OK;
}

/* stmatrix: the numbers in a slot tell the registers that they come from. Slots of lanes whose
 * addresses are not used stay empty. */
static enum mapping_status read_stmatrix(const struct reading *reading, const struct places *r,
                                         const struct places *p, struct mapping_error *error) {
    for (uint32_t n = 0; n < WARP * SLOT_ELEMENTS; n++) {
        uint32_t lane = n / SLOT_ELEMENTS, col = n % SLOT_ELEMENTS;
        uint32_t entry = reading->found[slot_of(lane) * SLOT_ELEMENTS + col];
        bool is_empty = entry == UINT32_MAX, brings_address = lane < p->entries;
        if (brings_address ? entry >= r->entries : !is_empty)
            return mapping_fail(error, MAPPING_FAILED, "invalid data at the address of thread %u",
                                lane);
        if (brings_address)
            note_move(reading, r, entry, p, lane, col);
    }
    return MAPPING_OK;
}

/* movmatrix: the numbers in D tell the elements of A that they come from. */
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

/* `other` is the layout of the other operand in the PTX ISA. */
static enum mapping_status read_move(const struct reading *reading, const struct places *other,
                                     struct mapping_error *error) {
    const struct places *to = &reading->to;
    bool is_first = reading->operand == MAPPING_R || reading->operand == MAPPING_D;
    const struct places *first = is_first ? to : other, *second = is_first ? other : to;
    find_numbers(reading, 0, 1);
    switch (mapping_instruction_form(reading->operands->opcode.instruction)) {
    case LDMATRIX_FORM:
        return read_ldmatrix(reading, first, second, error);
    case STMATRIX_FORM:
        return read_stmatrix(reading, first, second, error);
    default:
        return read_movmatrix(reading, first, second, error);
    }
}

/* ---- wmma ---- */

/* Reads the runs for one memory order, in which row r, column c is at r * cols + c, or r + rows *
 * c. A load stores for each entry its position in memory, a store for each position its entry. With
 * `again`, the layout is already known from the other order, and must be the same. */
static enum mapping_status read_memory(const struct reading *reading, size_t first,
                                       enum mapping_order order, bool again,
                                       struct mapping_error *error) {
    const struct mapping_fragment *fragment = &reading->operands->fragments[0];
    const struct places *to = &reading->to;
    uint32_t rows = fragment->rows, cols = fragment->cols;
    bool is_store = reading->operand == MAPPING_D, by_row = order == MAPPING_ROW_MAJOR;
    bool differs = false;
    find_numbers(reading, first, reading->loops.passes);
    for (uint32_t n = 0; n < reading->experiment->numbers; n++) {
        uint32_t entry = is_store ? reading->found[n] : n;
        uint32_t place = is_store ? n : reading->found[n];
        uint32_t row = by_row ? place / cols : place % rows;
        uint32_t col = by_row ? place % cols : place / rows;
        if (place >= rows * cols)
            return makes_no_sense(n, fragment->elements, error);
        differs |= again && entry < to->entries && (to->row[entry] != row || to->col[entry] != col);
        if (!note(to, entry, 0, row, col))
            return mapping_fail(error, MAPPING_FAILED, "invalid data in element %u of memory", n);
    }
    return differs ? mapping_fail(error, MAPPING_FAILED,
                                  "row-major and column-major memory give different layouts")
                   : MAPPING_OK;
}

/* C and D are moved in both memory orders, which must give the same layout. */
static enum mapping_status read_wmma(const struct reading *reading, struct mapping_error *error) {
    if (reading->loops.orders == 1)
        return read_memory(reading, 0, reading->operands->fragments[0].order, false, error);
    enum mapping_status status = read_memory(reading, 0, MAPPING_ROW_MAJOR, false, error);
    return status == MAPPING_OK
               ? read_memory(reading, reading->loops.passes, MAPPING_COL_MAJOR, true, error)
               : status;
}

/* ---- All of them ---- */

/* Reads the runs, given the layout that the PTX ISA states for another operand: D if the
 * instruction multiplies, otherwise the other operand of the move. */
static enum mapping_status read_beside(const struct reading *reading, struct mapping_error *error) {
    const struct operands *operands = reading->operands;
    bool is_multiplied = operands_are_multiplied(operands);
    enum mapping_operand other = reading->operand == MAPPING_R   ? MAPPING_P
                                 : reading->operand == MAPPING_P ? MAPPING_R
                                 : reading->operand == MAPPING_A ? MAPPING_D
                                                                 : MAPPING_A;
    const struct mapping_fragment fragment = is_multiplied
                                                 ? operands_stored(operands, reading->operand)
                                                 : *operands_find(operands, other);
    struct mapping_layout stated = {.from = {0}};
    enum mapping_status status = mapping_fragment_state(&fragment, &stated, error);
    if (status == MAPPING_OK) {
        const struct places beside = places_of(&stated);
        status = is_multiplied ? read_operand(reading, &beside, error)
                               : read_move(reading, &beside, error);
    }
    mapping_layout_free(&stated);
    return status;
}

enum mapping_status experiment_read(const struct experiment *experiment, const uint32_t *words,
                                    struct mapping_layout *layout, struct mapping_error *error) {
    const struct operands *operands = &experiment->operands;
    const enum mapping_operand operand = experiment->operand;
    struct mapping_space from, to;
    mapping_fragment_spaces(operands_find(operands, operand), &from, &to);
    enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    struct reading reading = {.operands = operands,
                              .operand = operand,
                              .experiment = experiment,
                              .words = words,
                              .loops = loops_of(operands, operand),
                              .found = memory_get(experiment->numbers, sizeof *reading.found),
                              .to = places_of(layout)};
    if (mapping_instruction_form(operands->opcode.instruction) == WMMA_FORM)
        status = read_wmma(&reading, error);
    else if (operands_are_multiplied(operands) && operand == MAPPING_D)
        read_result(&reading);
    else
        status = read_beside(&reading, error);
    mapping_free(reading.found);
    return status;
}
