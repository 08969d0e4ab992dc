/* loading_copy.c - a whole matrix copied with 16 bytes a lane, as cp.async does; see loading.h.
 *
 * Piece 0 is the first 16 bytes of the first row, or of the first column where these are adjacent
 * in memory, piece 1 the next, and so on to the end of the matrix. Lane l of step s writes piece
 * 32 s + l.
 *
 * If 16 bytes do not hold a whole number of elements, the smallest group of pieces that does is
 * copied as one: 64 elements of 6 bits are 48 bytes, 3 pieces. */
#include "layout/loading.h"

#include "layout/cute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BITS = 128, PIECE_BYTES = 16 };

/* How pieces lie in a matrix. A group of them holds a whole number of elements, along an axis. */
struct pieces {
    uint32_t bits;      /* of an element */
    uint32_t axis;      /* 0 if pieces run along columns, 1 if along rows */
    uint32_t elements;  /* of a group */
    uint32_t in_group;  /* pieces of a group */
    uint32_t in_a_line; /* groups of a row or column */
    uint32_t count;     /* pieces in all */
};

/* The entry of the first element of a group. */
static size_t entry_of(const struct mapping_layout *matrix, const struct pieces *pieces,
                       uint32_t group) {
    uint32_t point[2];
    point[pieces->axis] = group % pieces->in_a_line * pieces->elements;
    point[!pieces->axis] = group / pieces->in_a_line;
    return mapping_space_number(&matrix->from, point);
}

/* The byte at which a piece begins. */
static uint32_t address_of(const struct mapping_layout *matrix, const struct pieces *pieces,
                           uint32_t piece) {
    uint64_t offset = matrix->coordinate[0][entry_of(matrix, pieces, piece / pieces->in_group)];
    return (uint32_t)(offset * pieces->bits / 8) + piece % pieces->in_group * PIECE_BYTES;
}

/* Whether the elements of every group are adjacent and begin at a multiple of 16 bytes. */
static bool are_adjacent(const struct mapping_layout *matrix, const struct pieces *pieces) {
    size_t stride = pieces->axis == 0 ? matrix->from.axis[1].size : 1;
    for (uint32_t group = 0; group < pieces->count / pieces->in_group; group++) {
        const uint32_t *offset = matrix->coordinate[0] + entry_of(matrix, pieces, group);
        if ((uint64_t)offset[0] * pieces->bits % PIECE_BITS != 0)
            return false;
        for (uint32_t e = 1; e < pieces->elements; e++)
            if (offset[e * stride] != offset[0] + e)
                return false;
    }
    return true;
}

/* The least number of pieces that hold a whole number of elements. */
static uint32_t find_group(uint32_t bits) {
    uint32_t pieces = bits;
    while (pieces % 2 == 0 && pieces * (PIECE_BITS / 2) % bits == 0)
        pieces /= 2;
    return pieces;
}

/* Addresses are numbers of 32 bits. */
static enum mapping_status check_size(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_error *error) {
    uint64_t bytes = ((uint64_t)matrix->to.axis[0].size * bits + 7) / 8;
    if (bytes <= UINT32_MAX)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "the matrix takes %llu bytes, but addresses in shared memory have 32 bits",
                        (unsigned long long)bytes);
}

/* Finds the axis along which 16 bytes are adjacent. */
static enum mapping_status find_pieces(const struct mapping_layout *matrix, uint32_t bits,
                                       struct pieces *pieces, struct mapping_error *error) {
    enum mapping_status status = check_size(matrix, bits, error);
    if (status != MAPPING_OK)
        return status;
    *pieces = (struct pieces){.bits = bits, .in_group = find_group(bits)};
    pieces->elements = PIECE_BITS * pieces->in_group / bits;
    for (uint32_t turn = 0; turn < 2; turn++) {
        pieces->axis = !turn;
        pieces->in_a_line = matrix->from.axis[pieces->axis].size / pieces->elements;
        pieces->count =
            (uint32_t)(mapping_layout_entries(matrix) / pieces->elements) * pieces->in_group;
        if (matrix->from.axis[pieces->axis].size % pieces->elements == 0 &&
            are_adjacent(matrix, pieces))
            return MAPPING_OK;
    }
    char whole[48] = "";
    if (pieces->in_group > 1)
        snprintf(whole, sizeof whole, " of %u bits (%u bytes)", bits,
                 pieces->in_group * PIECE_BYTES);
    return mapping_fail(error, MAPPING_INVALID,
                        "cp.async copies %u elements%s at a time, but in this %ux%u matrix neither "
                        "rows nor columns consist of groups of %u adjacent elements that start at "
                        "multiples of 16 bytes; choose sizes and strides that are multiples of %u",
                        pieces->elements, *whole ? whole : " (16 bytes)", matrix->from.axis[0].size,
                        matrix->from.axis[1].size, pieces->elements, pieces->elements);
}

/* ---- TMA ---- */

/* What TMA does with the address of a byte. Of CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B pieces of 32
 * bytes stay together. */
static const struct {
    struct mapping_swizzle swizzle;
    uint32_t line; /* bytes from one line of a box to the next; 0: as many as a line has */
} tma_modes[] = {
    {{.bits = 0}, 0}, {{3, 4, 3}, 128}, {{2, 4, 3}, 64}, {{1, 4, 3}, 32}, {{2, 5, 2}, 128},
};

/* The bit at which an element would lie without the swizzle, which undoes itself. */
static uint64_t unswizzled(const struct mapping_swizzle *swizzle, uint64_t bit) {
    return (uint64_t)mapping_swizzled(swizzle, (uint32_t)(bit / 8)) * 8 + bit % 8;
}

/* A matrix whose rows, or columns, are lines of boxes. */
struct boxes {
    const struct mapping_layout *matrix;
    uint32_t bits;
    size_t mode;
    size_t step, line_step;     /* entries from one element of a line to the next, and of lines */
    uint32_t extent, box_lines; /* elements of a line of a box, and how many lines it has */
    uint64_t pitch;             /* bits from one line of a box to the next */
};

/* The bit at which an element of the matrix would lie without the swizzle. */
static uint64_t bit_at(const struct boxes *boxes, uint32_t line, uint32_t along) {
    uint64_t offset = boxes->matrix->coordinate[0][line * boxes->line_step + along * boxes->step];
    return unswizzled(&tma_modes[boxes->mode].swizzle, offset * boxes->bits);
}

/* Finds how large the first box is. */
static void measure_box(struct boxes *boxes, uint32_t inner, uint32_t lines) {
    uint32_t line = tma_modes[boxes->mode].line * 8, most = line ? line / boxes->bits : inner;
    uint64_t start = bit_at(boxes, 0, 0);
    boxes->extent = boxes->box_lines = 1;
    while (boxes->extent < inner && boxes->extent < most &&
           bit_at(boxes, 0, boxes->extent) == start + (uint64_t)boxes->extent * boxes->bits)
        boxes->extent++;
    boxes->pitch = line ? line : (uint64_t)boxes->extent * boxes->bits;
    while (boxes->box_lines < lines &&
           bit_at(boxes, boxes->box_lines, 0) == start + boxes->box_lines * boxes->pitch)
        boxes->box_lines++;
}

/* Whether lines along `axis` are boxes in this mode, of 8 lines or more if they are several. */
static bool are_boxes(const struct mapping_layout *matrix, uint32_t bits, uint32_t axis,
                      size_t mode) {
    uint32_t inner = matrix->from.axis[axis].size, lines = matrix->from.axis[!axis].size;
    size_t cols = matrix->from.axis[1].size;
    struct boxes boxes = {.matrix = matrix,
                          .bits = bits,
                          .mode = mode,
                          .step = axis == 0 ? cols : 1,
                          .line_step = axis == 0 ? 1 : cols};
    measure_box(&boxes, inner, lines);
    uint32_t extent = boxes.extent, high = boxes.box_lines;
    if (inner % extent != 0 || lines % high != 0 || (high < lines && high % 8 != 0) ||
        (uint64_t)extent * bits % PIECE_BITS != 0)
        return false;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t i = 0; i < inner; i++) {
            uint64_t start = bit_at(&boxes, line - line % high, i - i % extent);
            if (start % (UINT64_C(8) * BANKS * BANK_BYTES) != 0 ||
                bit_at(&boxes, line, i) !=
                    start + line % high * boxes.pitch + (uint64_t)(i % extent) * bits)
                return false;
        }
    return true;
}

enum mapping_status mapping_tma_check(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_error *error) {
    enum mapping_status status = check_size(matrix, bits, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t mode = 0; mode < sizeof tma_modes / sizeof *tma_modes; mode++)
        for (uint32_t axis = 0; axis < 2; axis++)
            if (are_boxes(matrix, bits, axis, mode))
                return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID,
        "TMA cannot write this %ux%u matrix: the rows of a TMA box must follow each other without "
        "padding, and their length must be a multiple of 16 bytes; with a 32-, 64- or 128-byte "
        "swizzle (Sw<1,4,3>, Sw<2,4,3>, Sw<3,4,3> on byte addresses), each row must be exactly 32, "
        "64 or 128 bytes long",
        matrix->from.axis[0].size, matrix->from.axis[1].size);
}

/* ---- Plans ---- */

/* Writes the addresses of one step. Returns how many lanes have one. */
static uint32_t write_addresses(const struct mapping_layout *matrix, const struct pieces *pieces,
                                uint32_t step, uint32_t address[LANES]) {
    uint32_t lane = 0;
    for (; lane < LANES && step * LANES + lane < pieces->count; lane++)
        address[lane] = address_of(matrix, pieces, step * LANES + lane);
    for (uint32_t rest = lane; rest < LANES; rest++)
        address[rest] = MAPPING_INACTIVE;
    return lane;
}

enum mapping_status mapping_copy_count(const struct mapping_layout *matrix, uint32_t bits,
                                       uint32_t *wavefronts, uint32_t *minimum) {
    const struct mapping_access *access = mapping_access_find("st.b128");
    struct mapping_error ignored;
    struct pieces pieces;
    *wavefronts = *minimum = 0;
    if (find_pieces(matrix, bits, &pieces, &ignored) != MAPPING_OK)
        return MAPPING_INVALID;
    for (uint32_t step = 0; step * LANES < pieces.count; step++) {
        uint32_t address[LANES];
        struct mapping_wavefronts counted;
        write_addresses(matrix, &pieces, step, address);
        mapping_access_count(access, address, &counted);
        *wavefronts += counted.wavefronts;
        *minimum += counted.minimum;
    }
    return MAPPING_OK;
}

/* Makes the combined formula, where all steps are whole. */
static void deduce_steps(struct mapping_loading *plan, const struct pieces *pieces) {
    const struct mapping_space space = {2, {{"step", plan->step_count}, {"tid", LANES}}};
    if (plan->step_count > 1 && pieces->count % LANES == 0)
        plan->has_formula = mapping_deduce(&space, plan->steps[0].address, &plan->formula);
}

enum mapping_status mapping_copy_plan(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_loading *plan, struct mapping_error *error) {
    struct pieces pieces;
    *plan = (struct mapping_loading){.access = mapping_access_find("st.b128"), .threads = LANES};
    enum mapping_status status = find_pieces(matrix, bits, &pieces, error);
    if (status != MAPPING_OK)
        return status;
    uint32_t steps = (pieces.count + LANES - 1) / LANES;
    plan->steps = calloc((size_t)steps + 1, sizeof *plan->steps + LANES * sizeof(uint32_t));
    if (!plan->steps)
        return mapping_out_of_memory(error);
    plan->step_count = steps;
    uint32_t *address = (uint32_t *)(plan->steps + steps);
    for (uint32_t s = 0; s < steps; s++, address += LANES) {
        struct mapping_loading_step *step = &plan->steps[s];
        struct mapping_wavefronts counted;
        step->address = address;
        uint32_t lanes = write_addresses(matrix, &pieces, s, address);
        const struct mapping_space space = {1, {{"tid", lanes}}};
        step->has_formula = mapping_deduce(&space, address, &step->formula);
        mapping_access_count(plan->access, address, &counted);
        plan->wavefronts += step->wavefronts = counted.wavefronts;
        plan->minimum += step->minimum = counted.minimum;
    }
    deduce_steps(plan, &pieces);
    return MAPPING_OK;
}
