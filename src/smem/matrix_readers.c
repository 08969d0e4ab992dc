/* matrix_readers.c - chooses the parser of a matrix, and checks its result; see matrix.h. */
#include "smem/matrix.h"

#include "layout/tv_layout.h"
#include "smem/matrix_table.h"
#include "system/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Block scale factors ---- */

static enum mapping_status make_scales(const struct mapping_smem_matrix_request *request,
                                       struct mapping_smem_matrix *memory,
                                       struct mapping_error *error) {
    struct mapping_scales *scales = &memory->scales;
    enum mapping_status status = mapping_scales_read(request->text, scales, error);
    scales->is_turned = request->is_k_by_mn;
    if (status == MAPPING_OK)
        status = mapping_scales_resize(scales, request->extent, request->block, error);
    if (status == MAPPING_OK)
        status = mapping_smem_matrix_begin(memory, 0, scales->extent[0], scales->extent[1], error);
    if (status != MAPPING_OK)
        return status;
    const uint32_t own = strcmp(mapping_scales_type(scales), "f32") == 0 ? 32 : 8;
    memory->bits = scales->kind->bits    ? scales->kind->bits
                   : request->bits       ? request->bits
                   : request->usual_bits ? request->usual_bits
                                         : own;
    memory->is_mn_by_k = !scales->is_turned; /* the same for B, which is N x K here */
    memory->layout.to.axis[0].size = mapping_scales_size(scales);
    uint32_t *offset = memory->layout.coordinate[0];
    for (uint32_t row = 0; row < scales->extent[0]; row++)
        for (uint32_t col = 0; col < scales->extent[1]; col++)
            *offset++ = mapping_scales_offset(scales, row, col);
    return MAPPING_OK;
}

/* "128x4" and other names of block scale factors. */
static const struct mapping_smem_matrix_reader scales_reader = {mapping_scales_is_meant,
                                                                make_scales};

/* ---- Readers ---- */

static const struct mapping_smem_matrix_reader *find_reader(const char *text) {
    static const struct mapping_smem_matrix_reader *const readers[] = {
        &mapping_notation_reader, &mapping_canonical_reader, &mapping_cutlass_reader,
        &scales_reader, &mapping_triton_reader};
    for (size_t r = 0; text && r < sizeof readers / sizeof *readers; r++)
        if (readers[r]->is_meant(text))
            return readers[r];
    return NULL;
}

bool mapping_smem_matrix_is_meant(const char *text) {
    return find_reader(text) && !mapping_tv_is_meant(text);
}

/* ---- Checking ---- */

static enum mapping_status refuse_overlap(const struct mapping_layout *layout, size_t a, size_t b,
                                          struct mapping_error *error) {
    char text[2][48];
    const size_t entries[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        uint32_t point[MAPPING_AXES_MAX];
        size_t length = 0;
        mapping_space_point(&layout->from, entries[e], point);
        for (uint32_t axis = 0; axis < layout->from.count; axis++)
            length += (size_t)snprintf(text[e] + length, sizeof text[e] - length, "%s%u",
                                       axis > 0 ? ", " : "(", point[axis]);
        snprintf(text[e] + length, sizeof text[e] - length, ")");
    }
    return mapping_fail(error, MAPPING_INVALID, "elements %s and %s%s have the same offset %u",
                        text[0], text[1], layout->from.count > 2 ? " (stage, row, column)" : "",
                        layout->coordinate[0][a]);
}

/* Inserts the offsets one by one into a hash table of entries, counted from 1. */
static enum mapping_status check_overlap(const struct mapping_smem_matrix *memory,
                                         struct mapping_error *error) {
    const struct mapping_layout *layout = &memory->layout;
    size_t shared = 0; /* entries with an offset that an earlier entry has */
    const uint32_t *offset = layout->coordinate[0];
    const size_t entries = mapping_layout_entries(layout);
    enum mapping_status status = MAPPING_OK;
    unsigned log2_size = 1;
    while ((size_t)1 << log2_size < 2 * entries)
        log2_size++;
    uint32_t *table = memory_get((size_t)1 << log2_size, sizeof *table);
    for (size_t n = 0; n < entries && status == MAPPING_OK; n++) {
        size_t place = (offset[n] * UINT32_C(2654435769)) >> (32 - log2_size);
        while (table[place] && offset[table[place] - 1] != offset[n])
            place = (place + 1) % ((size_t)1 << log2_size);
        if (table[place] && memory->repeats == 0)
            status = refuse_overlap(layout, table[place] - 1, n, error);
        shared += table[place] != 0;
        table[place] = (uint32_t)n + 1;
    }
    if (memory->repeats > 0 && shared != entries - entries / memory->repeats)
        status = mapping_fail(error, MAPPING_INVALID,
                              "elements that differ in more than modes of stride 0 have the same "
                              "offset");
    mapping_free(table);
    return status;
}

enum mapping_status mapping_smem_matrix_make(const struct mapping_smem_matrix_request *request,
                                             struct mapping_smem_matrix *memory,
                                             struct mapping_error *error) {
    *memory = (struct mapping_smem_matrix){.bits = 0};
    const struct mapping_smem_matrix_reader *reader = find_reader(request->text);
    if (!reader)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is not a valid layout of a matrix in memory; examples: (64,64):(64,1), "
            "TensorOpMultiplicand<16,64>, Layout_K_SW128_Atom",
            request->text ? request->text : "");
    if (!request->extent[0] != !request->extent[1])
        return mapping_fail(error, MAPPING_INVALID, "an extent of %u x %u has no elements",
                            request->extent[0], request->extent[1]);
    if (request->block && reader != &scales_reader)
        return mapping_fail(error, MAPPING_INVALID,
                            "--block needs scale factors by name, such as 128x4, not '%.80s'",
                            request->text);
    if (request->bits > MEMORY_BITS_MAX)
        return mapping_fail(error, MAPPING_INVALID, "an element must have 1 to 128 bits, not %u",
                            request->bits);
    memory->bits = request->bits         ? request->bits
                   : request->usual_bits ? request->usual_bits
                                         : MEMORY_BITS_DEFAULT;
    enum mapping_status status = reader->make(request, memory, error);
    if (status == MAPPING_OK && request->bits && memory->bits != request->bits)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' has elements of %u bits, not %u",
                            request->text, memory->bits, request->bits);
    return status == MAPPING_OK ? check_overlap(memory, error) : status;
}

void mapping_smem_matrix_free(struct mapping_smem_matrix *memory) {
    mapping_layout_free(&memory->layout);
    *memory = (struct mapping_smem_matrix){.bits = 0};
}
