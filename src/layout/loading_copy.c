/* loading_copy.c - a whole matrix copied with 16 bytes a lane, as cp.async does; see loading.h.
 *
 * Piece 0 is the first 16 bytes of the first row, or of the first column where these are adjacent
 * in memory, piece 1 the next, and so on to the end of the matrix. Lane l of step s writes piece
 * 32 s + l. */
#include "layout/loading.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BITS = 128, PIECE_BYTES = 16 };

/* How pieces lie in a matrix: along which axis, how many there are in a line, and in all. */
struct pieces {
    uint32_t axis, elements, in_a_line, count;
};

/* The entry of the first element of a piece. */
static size_t entry_of(const struct mapping_layout *matrix, const struct pieces *pieces,
                       uint32_t piece) {
    uint32_t point[2];
    point[pieces->axis] = piece % pieces->in_a_line * pieces->elements;
    point[!pieces->axis] = piece / pieces->in_a_line;
    return mapping_space_number(&matrix->from, point);
}

/* Whether every piece along an axis is adjacent and a multiple of 16 bytes away from the start; if
 * not, the first that is not. */
static bool are_adjacent(const struct mapping_layout *matrix, const struct pieces *pieces,
                         uint32_t *wrong) {
    size_t stride = pieces->axis == 0 ? matrix->from.axis[1].size : 1;
    for (*wrong = 0; *wrong < pieces->count; ++*wrong) {
        const uint32_t *offset = matrix->coordinate[0] + entry_of(matrix, pieces, *wrong);
        if (offset[0] % pieces->elements != 0)
            return false;
        for (uint32_t e = 1; e < pieces->elements; e++)
            if (offset[e * stride] != offset[0] + e)
                return false;
    }
    return true;
}

/* Finds the axis along which 16 bytes are adjacent. */
static enum mapping_status find_pieces(const struct mapping_layout *matrix, uint32_t bits,
                                       struct pieces *pieces, struct mapping_error *error) {
    uint32_t wrong = 0;
    *pieces = (struct pieces){.elements = PIECE_BITS / bits};
    for (uint32_t turn = 0; turn < 2; turn++) {
        pieces->axis = !turn;
        pieces->in_a_line = matrix->from.axis[pieces->axis].size / pieces->elements;
        pieces->count = (uint32_t)(mapping_layout_entries(matrix) / pieces->elements);
        if (matrix->from.axis[pieces->axis].size % pieces->elements == 0 &&
            are_adjacent(matrix, pieces, &wrong))
            return MAPPING_OK;
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "16 bytes a lane need %u elements of a row, or of a column, that are "
                        "adjacent and start at a multiple of 16 bytes everywhere in the matrix "
                        "of %ux%u",
                        pieces->elements, matrix->from.axis[0].size, matrix->from.axis[1].size);
}

/* Writes the addresses of one step. Returns how many lanes have one. */
static uint32_t write_addresses(const struct mapping_layout *matrix, const struct pieces *pieces,
                                uint32_t step, uint32_t address[LANES]) {
    uint32_t lane = 0;
    for (; lane < LANES && step * LANES + lane < pieces->count; lane++) {
        size_t entry = entry_of(matrix, pieces, step * LANES + lane);
        address[lane] = matrix->coordinate[0][entry] / pieces->elements * PIECE_BYTES;
    }
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
