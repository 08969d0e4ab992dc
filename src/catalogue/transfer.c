/* transfer.c - loads from Tensor Memory and stores to it, and what threads hold then of operands;
 * see transfer.h. */
#include "catalogue/transfer.h"

#include "catalogue/family.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BITS = 16, HALF_LANES = 16, REPEATS_MAX = 128, WARPS = MAPPING_LANES / WARP_LANES };

/* ---- Names ---- */

/* Finds what moves so often; false if there is none. */
static bool find_move(const struct mapping_fragment *like, uint32_t repeats,
                      struct mapping_fragment *move) {
    struct mapping_fragment wanted = *like;
    wanted.shape.k = (uint16_t)repeats;
    return mapping_fragment_find(&wanted, 0, move);
}

bool mapping_transfer_read(const char *name, struct mapping_transfer *transfer) {
    char text[MAPPING_TEXT_SIZE], opcode[MAPPING_OPCODE_SIZE];
    static const char halves[] = "pack::16b";
    bool is_a_shared;
    struct mapping_partial said;
    if (!mapping_name_lower(mapping_atom_read(name, opcode, &is_a_shared) ? opcode : name, text))
        return false;
    text[strcspn(text, " \t\n")] = '\0'; /* without operands */
    char *pack = strstr(text, halves);
    if (pack) /* which names leave out: "pack" is "pack::16b" */
        memmove(pack + strlen("pack"), pack + strlen(halves), strlen(pack + strlen(halves)) + 1);
    if (!mapping_partial_read(text, &said) ||
        mapping_family(said.instruction)->place != MAPPING_ACROSS ||
        (said.has_operand && said.operand != MAPPING_R) ||
        (said.types && said.types != B32 && (said.types != B16 || !said.variant)))
        return false;
    const struct mapping_fragment wanted = {
        .instruction = said.instruction,
        .shape = said.shape,
        .operand = MAPPING_R,
        .type = said.variant ? MAPPING_B16 : MAPPING_B32,
        .form = said.variant,
    };
    bool is_found = find_move(&wanted, said.count ? said.count : 1, &transfer->move);
    transfer->move.shape.k = said.count;
    return is_found;
}

bool mapping_transfer_is_meant(const char *name) {
    static const char *const starts[] = {"tcgen05", "32x32b",  "16x32bx2", "16x64b",
                                         "16x128b", "16x256b", "ldtm",     "sttm"};
    char text[MAPPING_TEXT_SIZE] = "";
    bool is_meant = mapping_name_lower(name, text) && strstr(text, "sm100_tmem_");
    for (size_t s = 0; s < COUNT(starts) && *text; s++)
        is_meant |= strncmp(text, starts[s], strlen(starts[s])) == 0;
    return is_meant;
}

void mapping_transfer_name(const struct mapping_transfer *transfer, char name[TRANSFER_NAME_SIZE]) {
    const struct mapping_fragment *move = &transfer->move;
    char shape[LANES_TEXT], repeats[8] = "";
    mapping_lanes_text(move->shape, shape);
    if (move->shape.k)
        snprintf(repeats, sizeof repeats, ".x%u", move->shape.k);
    snprintf(name, TRANSFER_NAME_SIZE, "%s.%s%s%s%s%s", mapping_instruction_name(move->instruction),
             shape, repeats, move->form ? "." : "", move->form ? move->form : "",
             move->form ? "::16b" : "");
}

/* ---- What fits ---- */

bool mapping_transfer_is_split(const struct mapping_fragment *move) {
    return move->place == MAPPING_ACROSS && mapping_lanes_are_twice(move->shape);
}

bool mapping_transfer_takes(const struct mapping_fragment *operand) {
    return operand->place == MAPPING_IN_TENSOR_MEMORY &&
           (operand->operand == MAPPING_D || operand->operand == MAPPING_A);
}

/* Elements of the operand that lie in lanes first and on of all warps, and in all columns. */
static size_t count_in(const struct mapping_series *series, uint32_t first, uint32_t lanes) {
    size_t each = (size_t)series->columns * series->packed, count = 0;
    for (uint32_t lane = 0; lane < series->ctas * MAPPING_LANES; lane++)
        if (lane % WARP_LANES >= first && lane % WARP_LANES < first + lanes)
            for (size_t n = 0; n < each; n++)
                count += series->held[lane * each + n] != UINT32_MAX;
    return count;
}

/* Finds which halves of the lanes are loaded. False if some lanes that would be hold nothing. */
static bool find_halves(struct mapping_series *series, const struct mapping_fragment *move) {
    uint32_t lanes = move->shape.m;
    size_t all = (size_t)series->ctas * WARPS * lanes * series->columns * series->packed;
    series->halves = 0;
    for (uint32_t h = 0; h < WARP_LANES / lanes; h++) {
        size_t count = count_in(series, h * HALF_LANES, lanes);
        if (count == all)
            series->half[series->halves++] = h;
        else if (count > 0)
            return false;
    }
    return series->halves > 0;
}

/* Whether so many repeats divide the columns, and what moves then. */
static bool divides(const struct mapping_series *series, const struct mapping_fragment *like,
                    uint32_t repeats, struct mapping_fragment *move) {
    return find_move(like, repeats, move) && series->columns % move->columns == 0;
}

#define LIST_SIZE 128

/* Replaces the last comma of a list, "64, 128, 256", with "or". The text grows by two bytes. */
static void end_list(char *text) {
    char *comma = strrchr(text, ',');
    if (!comma)
        return;
    memmove(comma + 3, comma + 1, strlen(comma));
    memcpy(comma, " or", 3);
}

/* Writes the numbers of repeats that divide the columns; "" if none does. */
static void list_repeats(const struct mapping_series *series, const struct mapping_fragment *like,
                         char text[LIST_SIZE]) {
    struct mapping_fragment move;
    *text = '\0';
    for (uint32_t repeats = 1; repeats <= REPEATS_MAX; repeats *= 2)
        if (divides(series, like, repeats, &move))
            mapping_append(text, LIST_SIZE, "%s.x%u", *text ? ", " : "", repeats);
    end_list(text);
}

/* Writes the shapes that fit, in some number of repeats; "" if none does. */
static void list_shapes(const struct mapping_series *series, const struct mapping_fragment *like,
                        char text[LIST_SIZE]) {
    static const struct mapping_shape shapes[] = {
        {32, 32, 0}, {16, 64, 0}, {16, 128, 0}, {16, 256, 0}, {16, 32, 0}};
    *text = '\0';
    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct mapping_series tried = *series;
        struct mapping_fragment wanted = *like, move;
        char lanes[LANES_TEXT];
        wanted.shape = shapes[s];
        mapping_lanes_text(shapes[s], lanes);
        if (find_halves(&tried, &wanted) && divides(series, &wanted, 1, &move))
            mapping_append(text, LIST_SIZE, "%s.%s", *text ? ", " : "", lanes);
    }
    end_list(text);
}

/* Says that the columns are not divided, and what does. */
static enum mapping_status fail_columns(const struct mapping_series *series, const char *name,
                                        const char *operand, struct mapping_error *error) {
    const struct mapping_fragment *move = &series->transfer.move;
    char fitting[LIST_SIZE];
    list_repeats(series, move, fitting);
    if (*fitting)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s moves %u columns at a time, which does not divide the %u columns of %s; use %s",
            name, move->columns, series->columns, operand, fitting);
    list_shapes(series, move, fitting);
    return mapping_fail(error, MAPPING_INVALID,
                        "%s needs more than the %u columns of %s, even with the fewest repeats; "
                        "shapes that fit: %s",
                        name, series->columns, operand, *fitting ? fitting : "none");
}

/* Sets how often the instruction repeats if nobody said, and how many loads there are. */
static enum mapping_status choose(struct mapping_series *series, const char *operand,
                                  struct mapping_error *error) {
    struct mapping_fragment *move = &series->transfer.move;
    char name[TRANSFER_NAME_SIZE], fitting[LIST_SIZE];
    mapping_transfer_name(&series->transfer, name);
    if (!find_halves(series, move)) {
        list_shapes(series, move, fitting);
        return mapping_fail(error, MAPPING_INVALID,
                            "%s accesses all 32 Tensor Memory lanes of a warp, but %s uses only 16 "
                            "of these lanes; use %s",
                            name, operand, fitting);
    }
    bool is_found = false;
    uint32_t said = move->shape.k;
    for (uint32_t repeats = said ? said : REPEATS_MAX; repeats > 0 && !is_found; repeats /= 2) {
        is_found = divides(series, move, repeats, move);
        if (said)
            break;
    }
    if (!is_found)
        return fail_columns(series, name, operand, error);
    series->count = series->columns / move->columns * series->halves;
    series->elements = move->elements * series->packed;
    return MAPPING_OK;
}

/* ---- Where what lies ---- */

/* Finds the element at each place. */
static enum mapping_status find_elements(struct mapping_series *series, uint32_t bits,
                                         struct mapping_error *error) {
    const struct mapping_layout *placed = &series->placed;
    int bit = mapping_space_find(&placed->to, MAPPING_AXIS_BIT);
    uint32_t lane = (uint32_t)mapping_space_find(&placed->to, MAPPING_AXIS_LANE);
    series->ctas = lane > 0 ? placed->to.axis[0].size : 1;
    series->columns = placed->to.axis[lane + 1].size;
    series->packed = bit >= 0 ? MAPPING_COLUMN_BITS / bits : 1;
    size_t places = (size_t)series->ctas * MAPPING_LANES * series->columns * series->packed;
    series->held = malloc(places * sizeof *series->held);
    if (!series->held)
        return mapping_out_of_memory(error);
    memset(series->held, 0xff, places * sizeof *series->held);
    uint32_t point[MAPPING_AXES_MAX] = {0};
    size_t entries = mapping_layout_entries(placed);
    for (size_t n = 0; n < entries; n++, mapping_space_step(&placed->from, point)) {
        size_t at = lane > 0 ? placed->coordinate[0][n] : 0;
        at = at * MAPPING_LANES + placed->coordinate[lane][n];
        at = at * series->columns + placed->coordinate[lane + 1][n];
        at = at * series->packed + (bit >= 0 ? placed->coordinate[bit][n] / bits : 0);
        series->held[at] = point[0] << ROW_BITS | point[1];
    }
    return MAPPING_OK;
}

/* Fails unless elements are as wide as what is moved, or may stay packed. */
static enum mapping_status check_width(const struct mapping_fragment *operand,
                                       const struct mapping_transfer *transfer, const char *name,
                                       struct mapping_error *error) {
    char with[TRANSFER_NAME_SIZE];
    struct mapping_transfer plain = *transfer;
    bool is_alone = operand->bits == 16 && !operand->has_bit;
    if (!transfer->move.form || is_alone)
        return MAPPING_OK;
    plain.move.form = NULL;
    mapping_transfer_name(&plain, with);
    return mapping_fail(
        error, MAPPING_INVALID,
        ".%s::16b needs one 16-bit element in each column, but elements of %s %s; use %s",
        transfer->move.form, name, operand->has_bit ? "share a column" : "take all 32 bits", with);
}

enum mapping_status mapping_series_make(const struct mapping_fragment *operand,
                                        const struct mapping_transfer *transfer,
                                        struct mapping_layout *placed,
                                        struct mapping_series *series,
                                        struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    *series = (struct mapping_series){.transfer = *transfer, .placed = *placed};
    *placed = (struct mapping_layout){.from.count = 0};
    mapping_fragment_name(operand, name);
    enum mapping_status status = check_width(operand, transfer, name, error);
    if (status == MAPPING_OK)
        status = find_elements(series, operand->bits, error);
    if (status == MAPPING_OK)
        status = choose(series, name, error);
    return status == MAPPING_OK
               ? mapping_fragment_state(&series->transfer.move, &series->moved, error)
               : status;
}

void mapping_series_free(struct mapping_series *series) {
    mapping_layout_free(&series->placed);
    mapping_layout_free(&series->moved);
    free(series->held);
    series->held = NULL;
}

/* ---- What threads hold ---- */

uint32_t mapping_series_lane(const struct mapping_series *series, uint32_t number) {
    return series->half[number % series->halves] * HALF_LANES;
}

uint32_t mapping_series_column(const struct mapping_series *series, uint32_t number) {
    return number / series->halves * series->transfer.move.columns;
}

static void add_axis(struct mapping_space *space, const char *name, uint32_t size) {
    space->axis[space->count++] = (struct mapping_axis){name, size};
}

/* Fills in what a thread holds of one load from entry `n` on, and returns the next. */
static size_t fill(const struct mapping_series *series, uint32_t cta, uint32_t number, uint32_t tid,
                   struct mapping_layout *layout, size_t n) {
    const struct mapping_layout *moved = &series->moved;
    uint32_t registers = moved->from.axis[1].size;
    size_t warp = tid / WARP_LANES, first = (size_t)(tid % WARP_LANES) * registers;
    size_t lane =
        (size_t)cta * MAPPING_LANES + warp * WARP_LANES + mapping_series_lane(series, number);
    uint32_t column = mapping_series_column(series, number);
    const uint32_t *lanes = moved->coordinate[0] + first;
    const uint32_t *columns = moved->coordinate[1] + first;
    for (uint32_t r = 0; r < registers; r++) {
        size_t place = (lane + lanes[r]) * series->columns + column + columns[r];
        const uint32_t *held = series->held + place * series->packed;
        for (uint32_t p = 0; p < series->packed; p++, n++) {
            layout->coordinate[0][n] = held[p] >> ROW_BITS;
            layout->coordinate[1][n] = held[p] & ((1U << ROW_BITS) - 1);
        }
    }
    return n;
}

/* Does so for all loads of all threads. */
static void fill_all(const struct mapping_series *series, bool is_joined,
                     struct mapping_layout *layout) {
    uint32_t outer = is_joined ? 1 : series->count, inner = is_joined ? series->count : 1;
    size_t n = 0;
    for (uint32_t cta = 0; cta < series->ctas; cta++)
        for (uint32_t first = 0; first < outer; first++)
            for (uint32_t tid = 0; tid < TRANSFER_THREADS; tid++)
                for (uint32_t number = first; number < first + inner; number++)
                    n = fill(series, cta, number, tid, layout, n);
}

enum mapping_status mapping_series_layout(const struct mapping_series *series, bool is_joined,
                                          const char *axis, struct mapping_layout *layout,
                                          struct mapping_error *error) {
    struct mapping_space from = {.count = 0}, to = series->placed.from;
    if (series->ctas > 1)
        add_axis(&from, MAPPING_AXIS_CTA, series->ctas);
    if (!is_joined && series->count > 1)
        add_axis(&from, axis, series->count);
    add_axis(&from, MAPPING_AXIS_TID, TRANSFER_THREADS);
    add_axis(&from, MAPPING_AXIS_I, series->elements * (is_joined ? series->count : 1));
    to.count = 2;
    enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
    if (status == MAPPING_OK)
        fill_all(series, is_joined, layout);
    return status;
}
