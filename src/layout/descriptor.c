/* descriptor.c - which canonical layout of wgmma or tcgen05.mma a matrix in memory has; see
 * memory.h.
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
 * where its first element lies.
 *
 * tcgen05.mma has the same ones (PTX ISA 9.1, 9.7.16.3.3, 9.7.16.10.3; CuTe's table above
 * make_umma_desc, mma_traits_sm100.hpp), of more types. MN-major matrices of 32-bit types have one
 * alone, in which the swizzle of 128 bytes moves 32 of them at a time, and 4 lines follow one
 * another where the others have 8: its strides are those of CuTe. */
#include "layout/memory.h"

/* A canonical layout: what one instruction reads. Offsets are in elements. */
struct canonical {
    bool is_k_major;
    uint32_t width, chunk; /* W and T */
    uint32_t piece;        /* chunks that the swizzle moves as they are */
    uint32_t lines;        /* that follow one another */
    uint32_t leading, stride;
};

/* The modes: which canonical layout each is, and of which types. */
struct way {
    bool is_k_major;
    uint8_t width, piece, lines;
    uint8_t mode[2];  /* of wgmma and tcgen05.mma */
    uint8_t types[2]; /* that they take: the sum of their bits */
};
enum reader { WGMMA, TCGEN05 };

/* Only 16-bit types may be MN-major (PTX ISA, imm-trans-a and imm-trans-b of wgmma.mma_async), of
 * tcgen05.mma those of 8 and 32 bits, too (9.7.16.10.3). */
#define K_TYPES                                                                                    \
    { 1 + 8 + 16 + 32, 4 + 8 + 16 + 32 }
#define MN_TYPES                                                                                   \
    { 16, 8 + 16 }
static const struct way ways[] = {
    {true, 1, 1, 8, {0, 0}, K_TYPES},   {true, 2, 1, 8, {3, 6}, K_TYPES},
    {true, 4, 1, 8, {2, 4}, K_TYPES},   {true, 8, 1, 8, {1, 2}, K_TYPES},
    {false, 1, 1, 8, {0, 0}, MN_TYPES}, {false, 2, 1, 8, {3, 6}, MN_TYPES},
    {false, 4, 1, 8, {2, 4}, MN_TYPES}, {false, 8, 1, 8, {1, 2}, MN_TYPES},
    {false, 8, 2, 4, {0, 1}, {0, 32}},
};

/* The matrix that is to be one. */
struct matrix {
    const uint32_t *offset;
    uint32_t rows, cols;
};

/* How many elements along K one instruction reads. */
static uint32_t slice_of(const struct canonical *canonical) {
    return 2 * canonical->chunk;
}

/* The offset of an element before it is swizzled, which undoes swizzling. */
static uint32_t unswizzled(const struct canonical *canonical, const struct matrix *matrix,
                           uint32_t mn, uint32_t k) {
    uint32_t offset = matrix->offset[(size_t)mn * matrix->cols + k];
    uint32_t chunk = canonical->chunk, piece = canonical->piece;
    return offset ^ (offset / (8 * chunk) & (canonical->width / piece - 1)) * chunk * piece;
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
    return mn % line + mn / line * canonical->leading + k % canonical->lines * line +
           k / canonical->lines * canonical->stride;
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
    uint32_t along_k = distance(canonical, matrix, 0, canonical->lines);
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

static struct mapping_descriptor describe(const struct canonical *canonical, uint32_t mode) {
    uint32_t chunk = canonical->chunk, width = canonical->width;
    bool has_leading = !canonical->is_k_major || width == 1;
    return (struct mapping_descriptor){
        .is_k_major = canonical->is_k_major,
        .swizzle_bytes = width > 1 ? 16 * width : 0,
        .mode = mode,
        .leading_bytes = has_leading ? canonical->leading / chunk * 16 : 0,
        .stride_bytes = canonical->stride / chunk * 16,
        .has_leading = has_leading,
        .piece_bytes = width > 1 ? 16 * canonical->piece : 0,
    };
}

static bool is_type_of(uint32_t bits, const struct way *way, enum reader reader) {
    return (bits & (bits - 1)) == 0 && (way->types[reader] & bits) != 0;
}

static bool find(const struct mapping_memory *memory, enum reader reader,
                 struct mapping_descriptor *descriptor) {
    const struct mapping_space *from = &memory->layout.from;
    if (from->count != 2)
        return false;
    const struct matrix matrix = {memory->layout.coordinate[0], from->axis[0].size,
                                  from->axis[1].size};
    for (const struct way *way = ways; way < ways + sizeof ways / sizeof *ways; way++) {
        struct canonical canonical = {.is_k_major = way->is_k_major,
                                      .width = way->width,
                                      .piece = way->piece,
                                      .lines = way->lines};
        if (!is_type_of(memory->bits, way, reader))
            continue;
        canonical.chunk = 128 / memory->bits;
        if (find_strides(&canonical, &matrix)) {
            *descriptor = describe(&canonical, way->mode[reader]);
            return true;
        }
    }
    return false;
}

bool mapping_memory_descriptor(const struct mapping_memory *memory,
                               struct mapping_descriptor *descriptor) {
    return find(memory, WGMMA, descriptor);
}

bool mapping_memory_tcgen05_descriptor(const struct mapping_memory *memory,
                                       struct mapping_descriptor *descriptor) {
    return find(memory, TCGEN05, descriptor);
}

/* The two offsets, which stand at the same bits of both descriptors. A leading offset that is not
 * used is 1, of 16 bytes. */
static uint64_t offset_bits(const struct mapping_descriptor *descriptor) {
    const uint64_t leading = descriptor->has_leading ? descriptor->leading_bytes / 16 : 1;
    return leading << 16 | (uint64_t)(descriptor->stride_bytes / 16) << 32;
}

/* PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply: Matrix Descriptor Format". */
uint64_t mapping_descriptor_value(const struct mapping_descriptor *descriptor) {
    return offset_bits(descriptor) | (uint64_t)descriptor->mode << 62;
}

uint64_t mapping_tcgen05_descriptor_value(const struct mapping_descriptor *descriptor) {
    return offset_bits(descriptor) | UINT64_C(1) << 46 | (uint64_t)descriptor->mode << 61;
}
