/* descriptor.c - which of wgmma's canonical layouts a matrix in memory has; see memory.h.
 *
 * The canonical layouts are those of the PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply:
 * Strides, Matrix Descriptor", which CuTe has as a table above make_gmma_desc
 * (include/cute/atom/mma_traits_sm90_gmma.hpp). With chunks of 16 bytes, T elements each, lines of
 * W = 1, 2, 4 or 8 of them, and offsets in elements before swizzling, one instruction reads
 *
 *     K-major    (8, m) x (T, 2)          mn: W T, SBO        k: 1, LBO; where W > 1, T for LBO
 *     MN-major   (T, m) x (8, k)          mn: 1, SBO          k: T, LBO                   W = 1
 *                (T W, m) x (8, k)        mn: 1, LBO          k: W T, SBO                 W > 1
 *
 * and what it reads along K is 32 bytes, or 16 elements of 16 bits. The next instruction starts
 * where its first element lies. */
#include "layout/memory.h"

/* A canonical layout: what one instruction reads. Offsets are in elements. */
struct canonical {
    bool is_k_major;
    uint32_t width, chunk; /* W and T */
    uint32_t leading, stride;
};

/* The matrix that is to be one. */
struct matrix {
    const uint32_t *offset;
    uint32_t rows, cols;
};

/* How many elements along K one instruction reads. */
static uint32_t slice_of(const struct canonical *canonical) {
    return 2 * (canonical->is_k_major ? canonical->chunk : 8);
}

/* The offset of an element before it is swizzled, which undoes swizzling. */
static uint32_t unswizzled(const struct canonical *canonical, const struct matrix *matrix,
                           uint32_t mn, uint32_t k) {
    uint32_t offset = matrix->offset[(size_t)mn * matrix->cols + k];
    uint32_t chunk = canonical->chunk;
    return offset ^ (offset / (8 * chunk) & (canonical->width - 1)) * chunk;
}

/* Where the canonical layout has an element of the first instruction's slice. */
static uint32_t place_of(const struct canonical *canonical, uint32_t mn, uint32_t k) {
    uint32_t width = canonical->width, chunk = canonical->chunk, line = width * chunk;
    if (canonical->is_k_major)
        return mn % 8 * line + mn / 8 * canonical->stride + k % chunk +
               k / chunk * (width > 1 ? chunk : canonical->leading);
    if (width == 1)
        return mn % chunk + mn / chunk * canonical->stride + k % 8 * chunk +
               k / 8 * canonical->leading;
    return mn % line + mn / line * canonical->leading + k % 8 * line + k / 8 * canonical->stride;
}

/* How far apart two places are that the matrix may not have; 0 then. */
static uint32_t distance(const struct canonical *canonical, const struct matrix *matrix,
                         uint32_t mn, uint32_t k) {
    if (mn >= matrix->rows || k >= matrix->cols)
        return 0;
    return unswizzled(canonical, matrix, mn, k) - unswizzled(canonical, matrix, 0, 0);
}

/* Reads the strides off the matrix where it is to be canonical. */
static void read_strides(struct canonical *canonical, const struct matrix *matrix) {
    uint32_t line = canonical->width * canonical->chunk;
    if (canonical->is_k_major) {
        canonical->stride = distance(canonical, matrix, 8, 0);
        canonical->leading = distance(canonical, matrix, 0, canonical->chunk);
        return;
    }
    uint32_t along_mn = distance(canonical, matrix, line, 0);
    uint32_t along_k = distance(canonical, matrix, 0, 8);
    canonical->leading = canonical->width > 1 ? along_mn : along_k;
    canonical->stride = canonical->width > 1 ? along_k : along_mn;
}

/* True if each slice along K lies as the canonical layout does, from its first element on. */
static bool holds(const struct canonical *canonical, const struct matrix *matrix) {
    uint32_t slice = slice_of(canonical);
    for (uint32_t mn = 0; mn < matrix->rows; mn++)
        for (uint32_t k = 0; k < matrix->cols; k++) {
            uint32_t first = unswizzled(canonical, matrix, 0, k / slice * slice);
            if (first % canonical->chunk != 0 ||
                unswizzled(canonical, matrix, mn, k) != first + place_of(canonical, mn, k % slice))
                return false;
        }
    return true;
}

/* True if a descriptor has room for an offset: 14 bits of units of 16 bytes. */
static bool fits(const struct canonical *canonical, uint32_t distance_in_elements) {
    return distance_in_elements % canonical->chunk == 0 &&
           distance_in_elements / canonical->chunk < 1U << 14;
}

static bool find_strides(struct canonical *canonical, const struct matrix *matrix) {
    uint32_t across = canonical->is_k_major ? 8 : canonical->width * canonical->chunk;
    if (matrix->rows % across != 0 || matrix->cols % slice_of(canonical) != 0)
        return false;
    read_strides(canonical, matrix);
    return fits(canonical, canonical->leading) && fits(canonical, canonical->stride) &&
           holds(canonical, matrix);
}

/* The field of bits 62 and 63 of the descriptor. */
static uint32_t mode_of(uint32_t width) {
    return width == 8 ? 1 : width == 4 ? 2 : width == 2 ? 3 : 0;
}

static struct mapping_descriptor describe(const struct canonical *canonical) {
    uint32_t chunk = canonical->chunk, width = canonical->width;
    bool has_leading = !canonical->is_k_major || width == 1;
    return (struct mapping_descriptor){
        .is_k_major = canonical->is_k_major,
        .swizzle_bytes = width > 1 ? 16 * width : 0,
        .mode = mode_of(width),
        .leading_bytes = has_leading ? canonical->leading / chunk * 16 : 0,
        .stride_bytes = canonical->stride / chunk * 16,
        .has_leading = has_leading,
    };
}

/* Only 16-bit types may be MN-major (PTX ISA, imm-trans-a and imm-trans-b of wgmma.mma_async). */
bool mapping_memory_descriptor(const struct mapping_memory *memory,
                               struct mapping_descriptor *descriptor) {
    const struct mapping_space *from = &memory->layout.from;
    uint32_t bits = memory->bits;
    if (from->count != 2 || (bits != 1 && bits != 8 && bits != 16 && bits != 32))
        return false;
    const struct matrix matrix = {memory->layout.coordinate[0], from->axis[0].size,
                                  from->axis[1].size};
    for (int major = 0; major < (bits == 16 ? 2 : 1); major++)
        for (uint32_t width = 1; width <= 8; width *= 2) {
            struct canonical canonical = {
                .is_k_major = major == 0, .width = width, .chunk = 128 / bits};
            if (find_strides(&canonical, &matrix)) {
                *descriptor = describe(&canonical);
                return true;
            }
        }
    return false;
}
