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
#include <string.h>

enum { PIECE_BITS = 128, PIECE_BYTES = 16 };

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

/* Entries of a matrix from one element of a line to the next, and from one line to the next; lines
 * run along an axis: along columns if it is 0. */
struct strides {
    size_t inner, line;
};

static struct strides strides_of(const struct mapping_layout *matrix, uint32_t axis) {
    const size_t cols = matrix->from.axis[1].size;
    return axis == 0 ? (struct strides){cols, 1} : (struct strides){1, cols};
}

/* Writes where each piece begins, if pieces run along an axis. False if the elements of a group are
 * not adjacent somewhere, or do not begin at a multiple of 16 bytes. */
static bool write_addresses(const struct mapping_layout *matrix, uint32_t bits, uint32_t axis,
                            uint32_t *address) {
    const struct strides stride = strides_of(matrix, axis);
    const uint32_t pieces = find_group(bits), elements = PIECE_BITS * pieces / bits;
    const uint32_t size = matrix->from.axis[axis].size, lines = matrix->from.axis[!axis].size;
    for (uint32_t line = 0; line < lines && size % elements == 0; line++)
        for (uint32_t x = 0; x < size; x += elements) {
            const uint32_t *offset = matrix->coordinate[0] + line * stride.line + x * stride.inner;
            if ((uint64_t)*offset * bits % PIECE_BITS != 0)
                return false;
            for (uint32_t e = 1; e < elements; e++)
                if (offset[e * stride.inner] != *offset + e)
                    return false;
            for (uint32_t p = 0; p < pieces; p++)
                *address++ = (uint32_t)((uint64_t)*offset * bits / 8) + p * PIECE_BYTES;
        }
    return size % elements == 0;
}

enum mapping_status mapping_copy_plan(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_loading *plan, struct mapping_error *error) {
    const uint32_t group = find_group(bits), elements = PIECE_BITS * group / bits;
    const size_t pieces = mapping_layout_entries(matrix) / elements * group;
    *plan = (struct mapping_loading){.steps = NULL};
    enum mapping_status status = check_size(matrix, bits, error);
    if (status == MAPPING_OK)
        status = mapping_loading_begin(plan, mapping_access_find("st.b128"), LANES,
                                       (uint32_t)((pieces + LANES - 1) / LANES), error);
    if (status != MAPPING_OK)
        return status;
    if (write_addresses(matrix, bits, 1, plan->steps[0].address) ||
        write_addresses(matrix, bits, 0, plan->steps[0].address)) {
        for (size_t n = pieces; n < (size_t)plan->step_count * LANES; n++)
            plan->steps[0].address[n] = MAPPING_INACTIVE;
        mapping_loading_count(plan);
        return MAPPING_OK;
    }
    char whole[48] = " (16 bytes)";
    if (group > 1)
        snprintf(whole, sizeof whole, " of %u bits (%u bytes)", bits, group * PIECE_BYTES);
    return mapping_fail(
        error, MAPPING_INVALID,
        "cp.async copies %u adjacent elements%s that start at a multiple of 16 "
        "bytes, but the rows or columns of this %ux%u matrix do not divide into such "
        "groups; choose one stride of 1, and make the size along it and the other "
        "stride multiples of %u",
        elements, whole, matrix->from.axis[0].size, matrix->from.axis[1].size, elements);
}

/* ---- TMA ---- */

/* What TMA does with the address of a byte. Of CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B pieces of 32
 * bytes stay together. */
static const struct mode {
    struct mapping_swizzle swizzle;
    uint32_t line; /* bytes from one line of a box to the next; 0: as many as a line has */
} modes[] = {
    {{.bits = 0}, 0}, {{3, 4, 3}, 128}, {{2, 4, 3}, 64}, {{1, 4, 3}, 32}, {{2, 5, 2}, 128},
};

/* A matrix that may be written in this mode. */
struct boxes {
    const struct mapping_layout *matrix;
    uint32_t bits;
    const struct mode *mode;
    struct strides stride;
};

/* The bit at which an element would lie without the swizzle, which undoes itself. */
static uint64_t bit_at(const struct boxes *boxes, uint32_t line, uint32_t x) {
    const size_t entry = line * boxes->stride.line + x * boxes->stride.inner;
    const uint64_t bit = (uint64_t)boxes->matrix->coordinate[0][entry] * boxes->bits;
    return (uint64_t)mapping_swizzled(&boxes->mode->swizzle, (uint32_t)(bit / 8)) * 8 + bit % 8;
}

/* Whether lines along `axis` are lines of boxes, which have 8 lines or more if they are several.
 * The first box shows how large all are. */
static bool are_boxes(const struct boxes *boxes, uint32_t axis) {
    const uint32_t inner = boxes->matrix->from.axis[axis].size, bits = boxes->bits;
    const uint32_t lines = boxes->matrix->from.axis[!axis].size;
    const uint32_t line_bits = boxes->mode->line * 8, most = line_bits ? line_bits / bits : inner;
    const uint64_t start = bit_at(boxes, 0, 0);
    uint32_t width = 1, height = 1;
    while (width < inner && width < most &&
           bit_at(boxes, 0, width) == start + (uint64_t)width * bits)
        width++;
    const uint64_t pitch = line_bits ? line_bits : (uint64_t)width * bits;
    while (height < lines && bit_at(boxes, height, 0) == start + height * pitch)
        height++;
    if (inner % width != 0 || lines % height != 0 || (height < lines && height % 8 != 0) ||
        (uint64_t)width * bits % PIECE_BITS != 0)
        return false;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t x = 0; x < inner; x++) {
            const uint64_t first = bit_at(boxes, line - line % height, x - x % width);
            if (first % (UINT64_C(8) * BANKS * BANK_BYTES) != 0 ||
                bit_at(boxes, line, x) !=
                    first + line % height * pitch + (uint64_t)(x % width) * bits)
                return false;
        }
    return true;
}

enum mapping_status mapping_tma_check(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_error *error) {
    enum mapping_status status = check_size(matrix, bits, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (uint32_t axis = 0; axis < 2; axis++)
            if (are_boxes(&(struct boxes){matrix, bits, &modes[m], strides_of(matrix, axis)}, axis))
                return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID,
        "TMA cannot write this %ux%u matrix: the rows of a TMA box must follow each other without "
        "padding, and their length must be a multiple of 16 bytes; with a 32-, 64- or 128-byte "
        "swizzle (Sw<1,4,3>, Sw<2,4,3>, Sw<3,4,3> on byte addresses), each row must be exactly 32, "
        "64 or 128 bytes long",
        matrix->from.axis[0].size, matrix->from.axis[1].size);
}
