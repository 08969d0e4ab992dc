/* loading_units.c - where the pieces of a fragment's registers lie in memory; see loading_state.h.
 *
 * Pieces of the narrowest width come from the elements, those of each further width are two of the
 * one before that lie behind each other. */
#include "layout/loading_state.h"

#include <stdlib.h>

/* ---- Requests ---- */

static enum mapping_status check_spaces(const struct mapping_loading_request *request,
                                        struct mapping_error *error) {
    const struct mapping_space *memory = &request->memory->from, *from = &request->fragment->from;
    uint32_t bits = request->bits;
    if (memory->count != 2 || request->memory->to.count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a matrix in memory must map row and column to an offset");
    if (from->count != 2 || request->fragment->to.count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "a loaded or stored fragment must map thread and element to row and "
                            "column of one matrix");
    if (from->axis[1].size == 0)
        return mapping_fail(error, MAPPING_INVALID, "the fragment has no elements");
    if (from->axis[0].size == 0 || from->axis[0].size % LANES != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "the fragment has %u threads, which is not a multiple of 32 (a warp)",
                            (unsigned)from->axis[0].size);
    if (bits == 0 || bits > 64 || (bits & (bits - 1)) != 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "elements of %u bits cannot be addressed; use 1, 2, 4, 8, 16, 32 or 64 bits",
            (unsigned)bits);
    return MAPPING_OK;
}

static uint32_t largest(const uint32_t *values, size_t count) {
    uint32_t most = 0;
    for (size_t n = 0; n < count; n++)
        most = values[n] > most ? values[n] : most;
    return most;
}

/* The fragment has to lie in the matrix, and its elements in the fragment. */
static enum mapping_status check_place(const struct mapping_loading_request *request,
                                       struct mapping_error *error) {
    const struct mapping_layout *fragment = request->fragment;
    const struct mapping_axis *matrix = request->memory->from.axis, *size = fragment->to.axis;
    for (int c = 0; c < 2; c++)
        if ((uint64_t)request->origin[c] + size[c].size > matrix[c].size)
            return mapping_fail(
                error, MAPPING_INVALID,
                "the %ux%u fragment at row %u, column %u does not fit in the %ux%u matrix",
                (unsigned)size[0].size, (unsigned)size[1].size, (unsigned)request->origin[0],
                (unsigned)request->origin[1], (unsigned)matrix[0].size, (unsigned)matrix[1].size);
    size_t entries = mapping_layout_entries(fragment);
    for (int c = 0; c < 2; c++)
        if (largest(fragment->coordinate[c], entries) >= size[c].size)
            return mapping_fail(error, MAPPING_INVALID,
                                "the fragment has elements outside its %u rows and %u columns",
                                (unsigned)size[0].size, (unsigned)size[1].size);
    return MAPPING_OK;
}

/* ---- Elements ---- */

/* The offset of an element, in elements. */
static uint32_t offset_of(const struct mapping_loading_request *request, size_t entry) {
    const struct mapping_layout *fragment = request->fragment, *memory = request->memory;
    size_t row = request->origin[0] + fragment->coordinate[0][entry];
    size_t col = request->origin[1] + fragment->coordinate[1][entry];
    return memory->coordinate[0][row * memory->from.axis[1].size + col];
}

uint32_t mapping_loading_element(const struct loading_table *table, uint32_t tid,
                                 uint32_t element) {
    uint32_t bits = table->request->bits;
    uint32_t offset = offset_of(table->request, (size_t)tid * table->elements + element);
    return bits < 8 ? offset * bits : offset * (bits / 8);
}

/* All elements have to lie in shared memory; then their places are numbers of 32 bits, too. */
static enum mapping_status check_offsets(const struct loading_table *table,
                                         struct mapping_error *error) {
    uint64_t bits = table->request->bits;
    size_t entries = (size_t)table->threads * table->elements;
    for (size_t n = 0; n < entries; n++) {
        uint64_t offset = offset_of(table->request, n);
        if ((offset + 1) * bits > (uint64_t)SHARED_BYTES_MAX * 8)
            return mapping_fail(
                error, MAPPING_INVALID,
                "element %zu of thread %zu is at byte %llu, but shared memory has at most %d bytes",
                n % table->elements, n / table->elements, (unsigned long long)(offset * bits / 8),
                SHARED_BYTES_MAX);
    }
    return MAPPING_OK;
}

/* ---- Pieces ---- */

/* Bytes out of elements of less than 8 bits. */
static void join_elements(const struct loading_table *table, struct loading_units *bytes) {
    uint32_t bits = table->request->bits, per = 8 / bits;
    for (uint32_t b = 0; b < bytes->count; b++)
        for (uint32_t t = 0; t < table->threads; t++) {
            uint32_t first = mapping_loading_element(table, t, b * per);
            bool is_whole = first % 8 == 0;
            for (uint32_t e = 1; e < per; e++)
                is_whole &= mapping_loading_element(table, t, b * per + e) == first + e * bits;
            bytes->address[b * table->threads + t] = is_whole ? first / 8 : LOADING_BROKEN;
            bytes->is_whole &= is_whole;
        }
}

/* Elements that are a piece each, or of 64 bits two. */
static void take_elements(const struct loading_table *table, const struct loading_units *units) {
    uint32_t bytes = table->request->bits / 8, per = bytes / 4 ? bytes / 4 : 1;
    for (size_t t = 0, n = 0; t < table->threads; t++)
        for (uint32_t e = 0; e < table->elements; e++, n++) {
            uint32_t address = offset_of(table->request, n) * bytes;
            for (uint32_t part = 0; part < per; part++)
                units->address[(size_t)(e * per + part) * table->threads + t] = address + 4 * part;
        }
}

/* Pieces of two narrower ones, of `bytes` bytes, each. */
static void join_pieces(uint32_t threads, uint32_t bytes, const struct loading_units *narrow,
                        struct loading_units *wide) {
    uint32_t broken = 0;
    for (uint32_t p = 0; p < wide->count; p++) {
        const uint32_t *low = narrow->address + (size_t)2 * p * threads, *high = low + threads;
        uint32_t *address = wide->address + (size_t)p * threads;
        for (uint32_t t = 0; t < threads; t++) {
            bool is_whole = low[t] != LOADING_BROKEN && high[t] == low[t] + bytes;
            address[t] = is_whole ? low[t] : LOADING_BROKEN;
            broken |= !is_whole;
        }
    }
    wide->is_whole = !broken;
}

static void fill_units(struct loading_table *table) {
    uint32_t bits = table->request->bits;
    unsigned first = bits <= 8 ? 0 : bits == 16 ? 1 : 2;
    if (bits < 8)
        join_elements(table, &table->units[0]);
    else
        take_elements(table, &table->units[first]);
    for (unsigned u = first; u + 1 < LOADING_WIDTHS; u++)
        join_pieces(table->threads, 1U << u, &table->units[u], &table->units[u + 1]);
}

/* Counts the pieces of each width, and gets room for them and for the list of pieces. */
static bool allocate(struct loading_table *table) {
    uint64_t bits = (uint64_t)table->elements * table->request->bits, total = 0, most = 0;
    for (unsigned u = 0; u < LOADING_WIDTHS; u++) {
        unsigned width = 8U << u;
        bool is_there = table->request->bits <= width || width == 32;
        uint64_t count = is_there && bits % width == 0 ? bits / width : 0;
        table->units[u] = (struct loading_units){.count = (uint32_t)count, .is_whole = true};
        total += count * table->threads;
        most = count > most ? count : most;
    }
    table->memory = malloc((size_t)(total + 2 * most + 1) * sizeof *table->memory);
    uint32_t *room = table->memory;
    for (unsigned u = 0; u < LOADING_WIDTHS && room; u++) {
        bool is_there = table->request->bits <= 8U << u || u == 2;
        table->units[u].address = is_there ? room : NULL;
        room += (size_t)table->units[u].count * table->threads;
    }
    table->pieces = room;
    return room != NULL;
}

enum mapping_status mapping_loading_build(const struct mapping_loading_request *request,
                                          struct loading_table *table,
                                          struct mapping_error *error) {
    *table = (struct loading_table){.request = request};
    enum mapping_status status = check_spaces(request, error);
    if (status == MAPPING_OK)
        status = check_place(request, error);
    if (status != MAPPING_OK)
        return status;
    table->threads = request->fragment->from.axis[0].size;
    table->elements = request->fragment->from.axis[1].size;
    status = check_offsets(table, error);
    if (status != MAPPING_OK)
        return status;
    if (!allocate(table))
        return mapping_out_of_memory(error);
    fill_units(table);
    return MAPPING_OK;
}

void mapping_loading_table_free(struct loading_table *table) {
    free(table->memory);
    *table = (struct loading_table){.request = NULL};
}
