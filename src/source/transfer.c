/* transfer.c - from what a load or store moved to the layout of a fragment; see transfer.h.
 *
 * A load is observed as (tid, i) -> place, a store as place -> (tid, i), which is inverted. The
 * matrix in memory is place -> (row, col). One behind the other they are the fragment. */
#include "source/transfer.h"

#include <string.h>

static uint32_t entries_of(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements;
}

static uint32_t cells_of(const struct mapping_fragment *fragment) {
    return fragment->rows * fragment->cols;
}

uint32_t transfer_targets(const struct transfer *transfer) {
    return transfer->is_store ? cells_of(transfer->fragment) : entries_of(transfer->fragment);
}

uint32_t transfer_sources(const struct transfer *transfer) {
    return transfer->is_store ? entries_of(transfer->fragment) : cells_of(transfer->fragment);
}

/* place -> (row, col) */
static enum mapping_status make_memory(const struct transfer *transfer,
                                       const struct mapping_space *places,
                                       const struct mapping_space *elements,
                                       struct mapping_layout *memory, struct mapping_error *error) {
    const struct mapping_fragment *fragment = transfer->fragment;
    bool by_row = transfer->order == MAPPING_ROW_MAJOR;
    enum mapping_status status = mapping_layout_init(memory, places, elements, error);
    for (uint32_t place = 0; place < cells_of(fragment) && status == MAPPING_OK; place++) {
        memory->coordinate[0][place] = by_row ? place / fragment->cols : place % fragment->rows;
        memory->coordinate[1][place] = by_row ? place % fragment->cols : place / fragment->rows;
    }
    return status;
}

/* (tid, i) -> place, out of the origins of a load. */
static enum mapping_status read_load(const struct transfer *transfer,
                                     const struct mapping_space *holders,
                                     const struct mapping_space *places,
                                     struct mapping_layout *held, struct mapping_error *error) {
    enum mapping_status status = mapping_layout_init(held, holders, places, error);
    if (status == MAPPING_OK)
        memcpy(held->coordinate[0], transfer->origins,
               transfer_targets(transfer) * sizeof *transfer->origins);
    return status;
}

/* The same out of the origins of a store. */
static enum mapping_status read_store(const struct transfer *transfer,
                                      const struct mapping_space *holders,
                                      const struct mapping_space *places,
                                      struct mapping_layout *held, struct mapping_error *error) {
    struct mapping_layout stored;
    enum mapping_status status = mapping_layout_init(&stored, places, holders, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t place = 0; place < transfer_targets(transfer); place++) {
        stored.coordinate[0][place] = transfer->origins[place] / transfer->fragment->elements;
        stored.coordinate[1][place] = transfer->origins[place] % transfer->fragment->elements;
    }
    status = mapping_layout_invert(&stored, MAPPING_AXIS_COPY, held, error);
    if (status == MAPPING_OK)
        held->from = *holders; /* without the axis of the only copy */
    mapping_layout_free(&stored);
    return status;
}

enum mapping_status transfer_layout(const struct transfer *transfer, struct mapping_layout *layout,
                                    struct mapping_error *error) {
    struct mapping_space holders, elements, places = {1, {{"place", cells_of(transfer->fragment)}}};
    struct mapping_layout memory = {.from.count = 0}, held = {.from.count = 0};
    mapping_fragment_spaces(transfer->fragment, &holders, &elements);
    enum mapping_status status = make_memory(transfer, &places, &elements, &memory, error);
    if (status == MAPPING_OK)
        status = transfer->is_store ? read_store(transfer, &holders, &places, &held, error)
                                    : read_load(transfer, &holders, &places, &held, error);
    if (status == MAPPING_OK)
        status = mapping_layout_compose(&held, &memory, layout, error);
    mapping_layout_free(&held);
    mapping_layout_free(&memory);
    return status == MAPPING_OK ? mapping_layout_check(layout, error) : status;
}
