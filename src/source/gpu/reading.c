/* reading.c - making a layout from what the runs of an experiment have stored; see experiment.h. */
#include "source/gpu/experiment.h"
#include "source/gpu/numbers.h"

#include "catalogue/catalogue.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

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

/* What was stored, and what is to be found out of it. */
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

/* Adds to what is found one digit of each, times its weight. */
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

/* `other` is the operand beside that which is observed, as stated. */
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

/* The operand beside the one that is observed whose layout is taken as the PTX ISA states it: of a
 * multiplication D, of what it stores; of a move the other end of it. */
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
