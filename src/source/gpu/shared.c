/* shared.c - a canonical layout as both experiments show it; see shared.h. */
#include "source/gpu/shared.h"

#include "source/gpu/canonical.h"
#include "source/gpu/device.h"
#include "source/gpu/kernels.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tile is one box of TMA beside the other: K-major boxes have all 64 rows and lie side by side
 * along K; MN-major ones have the 16 columns that one wgmma reads, and lie side by side along M. */
enum { LINES_K = WGMMA_ROWS, LINES_MN = 16, NAME_SIZE = 64 };

static uint32_t lines_of(const struct canonical *which) {
    return which->is_k_major ? LINES_K : LINES_MN;
}

static void print_name(const struct canonical *which, char name[NAME_SIZE]) {
    const char *major = which->is_k_major ? "K" : "MN";
    if (which->swizzle_bytes)
        snprintf(name, NAME_SIZE, "Layout_%s_SW%u_Atom of %u bits", major, which->swizzle_bytes,
                 which->bits);
    else
        snprintf(name, NAME_SIZE, "Layout_%s_INTER_Atom of %u bits", major, which->bits);
}

/* ---- Whether it can be done ---- */

enum mapping_status canonical_check(uint32_t bits, uint32_t swizzle_bytes,
                                    struct mapping_error *error) {
    if (bits != 8 && bits != 16 && bits != 32)
        return mapping_fail(error, MAPPING_INVALID,
                            "elements of a canonical layout must have 8, 16 or 32 bits, not %u",
                            bits);
    if (swizzle_bytes != 0 && swizzle_bytes != 32 && swizzle_bytes != 64 && swizzle_bytes != 128)
        return mapping_fail(error, MAPPING_INVALID,
                            "a swizzle must have 32, 64 or 128 bytes, not %u", swizzle_bytes);
    return MAPPING_OK;
}

enum mapping_status shared_prepare(int device, unsigned *arch, struct mapping_error *error) {
    enum mapping_status status = gpu_arch(device, arch, error);
    if (status != MAPPING_OK)
        return status;
    if (*arch != 90)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "device %d is sm_%u, but shared memory of wgmma and TMA can be observed only on sm_90",
            device, *arch);
    if (!shared_is_compiled)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "this program was built without code for sm_90a");
    return cuda_check(cudaSetDevice(device), error, "use device %d", device);
}

/* wgmma reads it: MN-major elements have to have 16 bits (PTX ISA 9.0, "wgmma.mma_async":
 * imm-trans-a is of f16 and bf16). */
static bool has_wgmma(const struct canonical *which) {
    return which->is_k_major || which->bits == 16;
}

/* ---- What TMA shows ---- */

/* Checks that the first 8 lines are the atom: it has all their elements, and the next 8 lines lie
 * likewise behind it. */
static enum mapping_status check_atom(const struct canonical *which, const uint32_t *offsets,
                                      struct mapping_error *error) {
    const uint32_t line = canonical_line(which), size = ATOM_LINES * line;
    for (uint32_t n = 0; n < lines_of(which) * line; n++) {
        const uint32_t expected = n < size ? offsets[n] : offsets[n - size] + size;
        if (n < size && offsets[n] >= size)
            return mapping_fail(
                error, MAPPING_FAILED,
                "TMA writes element %u of line %u at offset %u, outside of an atom of %u elements",
                n % line, n / line, offsets[n], size);
        if (offsets[n] != expected)
            return mapping_fail(error, MAPPING_FAILED,
                                "TMA writes element %u of line %u at offset %u, but the pattern of "
                                "the first 8 lines gives %u",
                                n % line, n / line, offsets[n], expected);
    }
    return MAPPING_OK;
}

/* ---- What wgmma shows ---- */

/* How wgmma is told where the tile lies. CuTe has the same rules (mma_traits_sm90_gmma.hpp,
 * make_gmma_desc), as has the PTX ISA 9.0, "Strides". */
static struct mapping_descriptor descriptor_of(const struct canonical *which) {
    const uint32_t atom = ATOM_LINES * canonical_line_bytes(which),
                   box = lines_of(which) * canonical_line_bytes(which);
    const bool is_swizzled = which->swizzle_bytes > 0;
    struct mapping_descriptor descriptor = {.is_k_major = which->is_k_major,
                                            .swizzle_bytes = which->swizzle_bytes,
                                            .leading_bytes = box,
                                            .stride_bytes = atom};
    if (which->is_k_major && is_swizzled)
        descriptor.leading_bytes = 0; /* not used */
    if (!which->is_k_major && !is_swizzled) {
        descriptor.leading_bytes = atom;
        descriptor.stride_bytes = box;
    }
    return descriptor;
}

/* Where TMA writes an element of the tile, by boxes. */
static uint32_t place_in_tile(const struct canonical *which, const uint32_t *offsets, uint32_t row,
                              uint32_t col) {
    const uint32_t line = canonical_line(which), along = which->is_k_major ? col : row,
                   across = which->is_k_major ? row : col;
    return offsets[across * line + along % line] + along / line * lines_of(which) * line;
}

/* Compares what one wgmma reads, of the tile from a column on, with what TMA writes. */
static enum mapping_status compare(const struct canonical *which, const uint32_t *offsets,
                                   uint32_t first_col, const struct mapping_layout *read,
                                   struct mapping_error *error) {
    const uint32_t columns = read->from.axis[1].size, bytes = which->bits / 8;
    for (uint32_t n = 0; n < WGMMA_ROWS * columns; n++) {
        const uint32_t row = n / columns, col = first_col + n % columns;
        const uint32_t written = place_in_tile(which, offsets, row, col);
        if (read->coordinate[0][n] != written)
            return mapping_fail(error, MAPPING_FAILED,
                                "TMA and wgmma disagree on row %u, column %u: TMA writes it at "
                                "byte %u of shared memory, wgmma reads it at byte %u",
                                row, col, written * bytes, read->coordinate[0][n] * bytes);
    }
    return MAPPING_OK;
}

/* Reads the whole tile by wgmma, 32 bytes of each row at a time, as a loop over K does it: the
 * start address is moved. */
static enum mapping_status check_with_wgmma(int device, const struct canonical *which,
                                            const uint32_t *offsets, struct mapping_error *error) {
    const struct mapping_descriptor descriptor = descriptor_of(which);
    const uint32_t end = which->is_k_major ? canonical_line_bytes(which) : LINE_BYTES;
    enum mapping_status status = MAPPING_OK;
    for (uint32_t start = 0; start < end && status == MAPPING_OK; start += LINE_BYTES) {
        struct mapping_layout read;
        status = gpu_observe_descriptor(device, which->bits, start, &descriptor, &read, error);
        if (status == MAPPING_OK)
            status = compare(which, offsets, start * 8 / which->bits, &read, error);
        mapping_layout_free(&read);
    }
    return status;
}

/* ---- Both ---- */

static enum mapping_status make_layout(const struct canonical *which, const uint32_t *offsets,
                                       struct mapping_layout *layout, struct mapping_error *error) {
    const uint32_t line = canonical_line(which);
    const uint32_t rows = which->is_k_major ? ATOM_LINES : line;
    const uint32_t cols = which->is_k_major ? line : ATOM_LINES;
    const struct mapping_space from = {2, {{MAPPING_AXIS_ROW, rows}, {MAPPING_AXIS_COL, cols}}};
    const struct mapping_space to = {1, {{MAPPING_AXIS_OFFSET, ATOM_LINES * line}}};
    enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
    for (uint32_t n = 0; n < rows * cols && status == MAPPING_OK; n++)
        layout->coordinate[0][n] = place_in_tile(which, offsets, n / cols, n % cols);
    return status;
}

/* Does the experiments; the offsets are those that TMA shows. */
static enum mapping_status observe(int device, const struct canonical *which, uint32_t *offsets,
                                   struct mapping_error *error) {
    enum mapping_status status = tma_observe(which, lines_of(which), offsets, error);
    if (status == MAPPING_OK)
        status = check_atom(which, offsets, error);
    if (status == MAPPING_OK && has_wgmma(which))
        status = check_with_wgmma(device, which, offsets, error);
    return status;
}

/* Describes the device and what was done there. */
static enum mapping_status describe(int device, unsigned arch, const struct canonical *which,
                                    char with[DEVICE_TEXT_SIZE], struct mapping_error *error) {
    enum mapping_status status = device_describe(device, arch, tma_kernel, with, error);
    if (status != MAPPING_OK)
        return status;
    const size_t length = strlen(with);
    snprintf(with + length, DEVICE_TEXT_SIZE - length, ", TMA%s",
             has_wgmma(which) ? " and wgmma" : "");
    return MAPPING_OK;
}

enum mapping_status gpu_observe_shared(int device, const struct canonical *which,
                                       struct mapping_layout *layout, char with[DEVICE_TEXT_SIZE],
                                       struct mapping_error *error) {
    uint32_t offsets[LINES_K * 128]; /* 128 elements of 8 bits */
    unsigned arch;
    char name[NAME_SIZE];
    struct mapping_error cause;
    *layout = (struct mapping_layout){.from = {.count = 0}};
    enum mapping_status status = canonical_check(which->bits, which->swizzle_bytes, error);
    if (status == MAPPING_OK)
        status = shared_prepare(device, &arch, error);
    if (status != MAPPING_OK)
        return status;
    status = observe(device, which, offsets, &cause);
    print_name(which, name);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "%s: %-s", name, cause.message);
    status = make_layout(which, offsets, layout, error);
    return status == MAPPING_OK ? describe(device, arch, which, with, error) : status;
}
