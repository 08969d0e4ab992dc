/* scale_copy.c - the copy of scale factors to Tensor Memory; see scale_copy.h. */
#include "report/scale_copy.h"

#include "report/smem_report.h"
#include "system/system.h"

/* Fields of the descriptor of shared memory (PTX ISA 9.1, 9.7.16.4.1): bits 32 to 45 are the stride
 * byte offset / 16, for 8 rows of 16 bytes; bits 46 to 48 are 1. */
enum { STRIDE_BIT = 32, STRIDE_BYTES = 128, FIXED_BIT = 46, LANE_GROUPS = 4, ROW_LANES = 32 };

bool is_scale_operand(const struct mapping_fragment *fragment) {
    return fragment->place == MAPPING_IN_TENSOR_MEMORY &&
           (fragment->operand == MAPPING_SFA || fragment->operand == MAPPING_SFB);
}

/* The place from which tcgen05.mma reads the factors of a row of a CTA. */
struct row_place {
    uint32_t lane, column; /* lane in the first group of 32 lanes */
    uint32_t lanes;        /* a bit for each group of 32 lanes that has the factors */
};

/* Finds the places of the rows of CTA 0, which are the first rows, and counts them. CTA 1 has the
 * same places. */
static struct row_place *find_places(struct scale_copy *copy) {
    const struct mapping_layout *layout = &copy->fragment->forward.layout;
    const int row = mapping_space_find(&layout->from,
                                       copy->is_b ? MAPPING_AXIS_COL : MAPPING_AXIS_ROW),
              lane = mapping_space_find(&layout->to, MAPPING_AXIS_LANE),
              column = mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN),
              cta = mapping_space_find(&layout->to, MAPPING_AXIS_CTA);
    struct row_place *places = memory_get(layout->from.axis[row].size, sizeof *places);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(&layout->from, n, point);
        if (cta >= 0 && layout->coordinate[cta][n] > 0)
            continue;
        struct row_place *place = &places[point[row]];
        place->lane = layout->coordinate[lane][n] % ROW_LANES;
        place->column = layout->coordinate[column][n];
        place->lanes |= 1U << layout->coordinate[lane][n] / ROW_LANES;
        copy->rows = point[row] < copy->rows ? copy->rows : point[row] + 1;
    }
    return places;
}

/* The matrix in the shared memory of one CTA. */
struct source {
    const struct mapping_layout *layout;
    struct mapping_scales scales; /* its kind is NULL if only the table is known */
    uint32_t rows, cols;          /* number of allocated rows and columns */
    uint32_t origin[2];           /* the row and column from which the copy begins */
};

static uint32_t byte_at(const struct source *source, uint32_t row, uint32_t col) {
    row += source->origin[0];
    col += source->origin[1];
    return source->scales.kind ? mapping_scales_offset(&source->scales, row, col)
                               : source->layout->coordinate[0][(size_t)row * source->cols + col];
}

static enum mapping_status find_source(const struct scale_copy *copy, struct source *source,
                                       struct mapping_error *error) {
    const struct report *matrix = copy->matrix;
    const struct mapping_space *from = &matrix->forward.layout.from;
    *source = (struct source){.layout = &matrix->forward.layout,
                              .scales = matrix->smem->scales,
                              .rows = from->axis[0].size,
                              .cols = from->axis[1].size,
                              .origin = {copy->origin[0], copy->origin[1]}};
    if (from->count != 2)
        return mapping_fail(error, MAPPING_INVALID, "%.100s has stages; name one of them",
                            matrix->name);
    if (source->scales.kind) {
        const bool is_of_pair = copy->ctas > 1 && copy->origin[0] == 0;
        const uint32_t extent[2] = {is_of_pair ? copy->rows : source->rows, source->cols};
        const enum mapping_status status = mapping_scales_resize(&source->scales, extent, 0, error);
        if (status != MAPPING_OK)
            return status;
        source->rows = source->scales.padded[0];
        source->cols = source->scales.padded[1];
    }
    if (copy->origin[0] % SCALE_TILE_ROWS != 0 || copy->origin[1] % SCALE_TILE_COLS != 0 ||
        copy->origin[0] >= source->rows || copy->origin[1] >= source->cols)
        return mapping_fail(
            error, MAPPING_INVALID,
            "tcgen05.cp copies tiles of 128 x 4 factors, so --origin takes a row that "
            "is a multiple of 128 and a column that is a multiple of 4, in %u x %u "
            "factors, not %u,%u",
            source->rows, source->cols, copy->origin[0], copy->origin[1]);
    if (source->rows - copy->origin[0] < copy->rows || source->cols % SCALE_TILE_COLS != 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s has %u x %u factors%s, but %.100s needs %u rows, and a multiple "
            "of 4 columns",
            matrix->name, source->rows - copy->origin[0], source->cols,
            source->scales.kind ? " with padding" : "", copy->fragment->name, copy->rows);
    return MAPPING_OK;
}

/* Records where the words of a tile have to move. words[] has SCALE_TILE_WORDS for words that are
 * not recorded yet. False if the tile does not have 512 consecutive bytes, if they do not move as
 * words, or if other tiles differ. */
static bool note_words(const struct source *source, const struct row_place *places, uint32_t rows,
                       struct scale_tile *tile, uint32_t words[SCALE_TILE_WORDS]) {
    const uint32_t base = places[tile->row].column;
    uint32_t least = UINT32_MAX;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t k = 0; k < SCALE_TILE_COLS; k++)
            if (byte_at(source, tile->row + row, tile->col + k) < least)
                least = byte_at(source, tile->row + row, tile->col + k);
    tile->byte = least;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t k = 0; k < SCALE_TILE_COLS; k++) {
            const uint32_t byte = byte_at(source, tile->row + row, tile->col + k) - least;
            const struct row_place *place = &places[tile->row + row];
            const uint32_t wanted = place->lane * 16 + (place->column - base) * 4 + k; /* byte */
            if (byte >= SCALE_TILE_BYTES || byte % 4 != wanted % 4)
                return false;
            uint32_t *word = &words[byte / 4];
            if (*word != SCALE_TILE_WORDS && *word != wanted / 4)
                return false;
            *word = wanted / 4;
        }
    return least % 16 == 0;
}

/* Writes the formula of words[], if some word moves. False if there is none. */
static bool find_move(struct scale_copy *copy) {
    const struct mapping_space from = {1, {{"word", SCALE_TILE_WORDS}}};
    bool moves = false;
    for (uint32_t w = 0; w < SCALE_TILE_WORDS; w++) {
        if (copy->words[w] == SCALE_TILE_WORDS)
            copy->words[w] = w; /* words of rows that the operand does not have */
        moves = moves || copy->words[w] != w;
    }
    copy->move = moves ? factored_formula(&from, copy->words) : NULL;
    return !moves || copy->move;
}

static enum mapping_status refuse(const struct scale_copy *copy, const struct source *source,
                                  struct mapping_error *error) {
    return mapping_fail(
        error, MAPPING_INVALID,
        "tcgen05.cp cannot copy %.100s to %.100s: the 128 x 4 factors of a tile must "
        "be 512 consecutive bytes, in words of 4 columns, but row 0 is at byte %u, "
        "row 1 at byte %u, column 1 at byte %u; use 128x4",
        copy->matrix->name, copy->fragment->name, byte_at(source, 0, 0), byte_at(source, 1, 0),
        byte_at(source, 0, 1));
}

enum mapping_status scale_copy_find(const struct report *matrix, const struct report *fragment,
                                    const uint32_t origin[2], struct scale_copy *copy,
                                    struct mapping_error *error) {
    const struct mapping_fragment *held = &fragment->observed.fragment;
    const bool is_b = held->operand == MAPPING_SFB;
    struct source source;
    *copy = (struct scale_copy){.matrix = matrix,
                                .fragment = fragment,
                                .is_b = is_b,
                                .origin = {origin[0], origin[1]},
                                .ctas = held->ctas,
                                .vector = is_b ? held->rows : held->cols};
    copy->mmas = SCALE_TILE_COLS / copy->vector;
    const struct row_place *places = find_places(copy);
    copy->descriptor = (uint64_t)(STRIDE_BYTES / 16) << STRIDE_BIT | (uint64_t)1 << FIXED_BIT;
    if (matrix->smem->bits != 8)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s has 8-bit elements, but %.100s has %u-bit elements", fragment->name,
                            matrix->name, matrix->smem->bits);
    enum mapping_status status = find_source(copy, &source, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t row = 0; row < copy->rows; row++)
        if (places[row].lanes != (1U << LANE_GROUPS) - 1)
            return mapping_fail(
                error, MAPPING_INVALID,
                "tcgen05.cp.32x128b.warpx4 copies each factor to all four groups of "
                "32 lanes, but %s has those of n + %u in lanes 64 and up; "
                "tcgen05.cp.64x128b.warpx2::01_23 copies them from 64 rows of 16 bytes: row r "
                "has n = r %% 32 + r / 32 * %u%s",
                fragment->name, copy->rows / 2, copy->rows / 2,
                copy->rows > 2 * ROW_LANES ? ", and 4 bytes further n + 32" : "");
    const uint32_t across = (copy->rows + SCALE_TILE_ROWS - 1) / SCALE_TILE_ROWS;
    copy->columns =
        across * SCALE_TILE_ROWS / ROW_LANES; /* the instruction writes 4 columns for each tile */
    copy->count = (size_t)across * ((source.cols - origin[1]) / SCALE_TILE_COLS);
    copy->tiles = memory_get(copy->count, sizeof *copy->tiles);
    for (uint32_t w = 0; w < SCALE_TILE_WORDS; w++)
        copy->words[w] = SCALE_TILE_WORDS;
    for (size_t t = 0; t < copy->count; t++) {
        struct scale_tile *tile = &copy->tiles[t];
        const uint32_t step = (uint32_t)t / across;
        tile->row = (uint32_t)t % across * SCALE_TILE_ROWS;
        tile->col = step * SCALE_TILE_COLS;
        tile->column = step * copy->columns + places[tile->row].column;
        const uint32_t left = copy->rows - tile->row;
        if (!note_words(&source, places, left < SCALE_TILE_ROWS ? left : SCALE_TILE_ROWS, tile,
                        copy->words))
            return refuse(copy, &source, error);
    }
    return find_move(copy) ? MAPPING_OK : refuse(copy, &source, error);
}
