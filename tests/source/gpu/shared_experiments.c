/* shared_experiments.c - two experiments and their comparison: the addresses in shared memory at
 * which TMA writes a canonical layout, and from which wgmma reads it; see shared_experiments.h. */
#include "shared_experiments.h"

#include "shared_kernels.h"
#include "source/gpu/experiment.h"
#include "source/gpu/gpu.h"
#include "system/system.h"
#include "values.h"

#include <assert.h>
#include <cudaTypedefs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of an atom. */
#define ATOM_LINES 8

/* The contiguous bytes of a line, and how many elements these are. */
static uint32_t canonical_line_bytes(const struct canonical *which) {
    return which->swizzle_bytes ? which->swizzle_bytes : 16;
}

static uint32_t canonical_line(const struct canonical *which) {
    return canonical_line_bytes(which) * 8 / which->bits;
}

/* The tile consists of boxes of TMA side by side: K-major boxes have all 64 rows and are side by
 * side along K; MN-major boxes have the 16 columns that one wgmma reads, and are side by side along
 * M. */
enum { LINES_K = WGMMA_ROWS, LINES_MN = 16 };

static uint32_t lines_of(const struct canonical *which) {
    return which->is_k_major ? LINES_K : LINES_MN;
}

/* Makes the device the current one. MAPPING_UNAVAILABLE if the experiments cannot be done there. */
static enum mapping_status shared_prepare(int device, unsigned *arch, struct mapping_error *error) {
    enum mapping_status status = gpu_arch(device, arch, error);
    if (status != MAPPING_OK)
        return status;
    if (*arch != 90)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "device %d is sm_%u, but shared memory of wgmma and TMA can be observed only on sm_90",
            device, *arch);
    return cuda_check(cudaSetDevice(device), error, "use device %d", device);
}

bool is_read_by_wgmma(const struct canonical *which) {
    return which->is_k_major || which->bits == 16;
}

/* ---- Its memory ---- */

/* Device memory for one experiment: the inputs of its kernels, and their output. */
struct device_memory {
    uint8_t *contents, *output; /* at multiples of 256 bytes; one allocation */
    size_t output_size;         /* in bytes */
};

/* Allocates it, copies the contents there, and fills the output with POISON. Free it in any case.
 */
static enum mapping_status device_memory_make(struct device_memory *memory, const void *contents,
                                              size_t size, size_t output_size,
                                              struct mapping_error *error) {
    const size_t start = (size + 255) / 256 * 256, total = start + output_size;
    *memory = (struct device_memory){.output_size = output_size};
    enum mapping_status status = cuda_check(cudaMalloc((void **)&memory->contents, total), error,
                                            "allocate %zu bytes of device memory", total);
    if (status != MAPPING_OK)
        return status;
    memory->output = memory->contents + start;
    status = cuda_check(cudaMemset(memory->output, POISON, output_size), error,
                        "fill %zu bytes of device memory", output_size);
    if (status != MAPPING_OK)
        return status;
    return cuda_check(cudaMemcpy(memory->contents, contents, size, cudaMemcpyHostToDevice), error,
                      "copy %zu bytes to the device", size);
}

/* Waits for the kernels of the named experiment, and copies back their output. */
static enum mapping_status device_memory_read(const struct device_memory *memory, void *output,
                                              const char *experiment, struct mapping_error *error) {
    enum mapping_status status =
        cuda_check(cudaDeviceSynchronize(), error, "run the experiment with %s", experiment);
    if (status != MAPPING_OK)
        return status;
    return cuda_check(
        cudaMemcpy(output, memory->output, memory->output_size, cudaMemcpyDeviceToHost), error,
        "copy %zu bytes from the device", memory->output_size);
}

static void device_memory_free(struct device_memory *memory) {
    cudaFree(memory->contents);
}

/* ---- Where TMA writes the elements of a tile ---- */

/* A matrix is brought in once for each digit of its elements' numbers. No digit looks like an
 * element of POISON. */
enum { TMA_PASSES = 2, STORED_WORDS = TMA_PASSES * TMA_STORED_WORDS };

/* One experiment. */
struct arrival {
    const struct canonical *which;
    uint32_t lines, count; /* of the tile: its lines, and its elements */
    uint32_t *offsets;     /* the result */
    uint32_t *contents;    /* the matrices; owned */
    uint32_t *stored;      /* TMA_STORED_WORDS for each pass; owned */
};

static uint32_t tile_bytes(const struct arrival *arrival) {
    return arrival->lines * canonical_line_bytes(arrival->which);
}

static uint32_t tma_digit_bits(uint32_t bits) {
    return bits == 8 ? 7 : 15;
}

static uint32_t tma_digit(uint32_t number, uint32_t bits, uint32_t pass) {
    return number >> pass * tma_digit_bits(bits) & ((1U << tma_digit_bits(bits)) - 1);
}

/* Makes the matrices of all passes. */
static void fill_matrices(struct arrival *arrival) {
    const uint32_t bits = arrival->which->bits, words = tile_bytes(arrival) / 4;
    arrival->contents = memory_get((size_t)TMA_PASSES * words, sizeof *arrival->contents);
    arrival->stored = memory_get(STORED_WORDS, sizeof *arrival->stored);
    for (uint32_t pass = 0; pass < TMA_PASSES; pass++)
        for (uint32_t n = 0; n < arrival->count; n++)
            element_put(arrival->contents + (size_t)pass * words, n, bits,
                        tma_digit(n, bits, pass));
}

static enum mapping_status find_encoder(PFN_cuTensorMapEncodeTiled_v12000 *encode,
                                        struct mapping_error *error) {
    static const char name[] = "cuTensorMapEncodeTiled";
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t code =
        cudaGetDriverEntryPointByVersion(name, (void **)encode, 12000, cudaEnableDefault, &result);
#else
    cudaError_t code = cudaGetDriverEntryPoint(name, (void **)encode, cudaEnableDefault, &result);
#endif
    if (code == cudaSuccess && result == cudaDriverEntryPointSuccess && *encode)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "the NVIDIA driver has no %s, which TMA needs: %s, %d", name,
                        cudaGetErrorName(code), (int)result);
}

/* The names in cuda.h for a swizzle of that many bytes, and for elements of that many bits. */
static CUtensorMapSwizzle swizzle_of(uint32_t bytes) {
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                         : CU_TENSOR_MAP_SWIZZLE_NONE;
}
static CUtensorMapDataType type_of(uint32_t bits) {
    return bits == 8    ? CU_TENSOR_MAP_DATA_TYPE_UINT8
           : bits == 16 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                        : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

/* Describes a matrix on the device, which is one tile. */
static enum mapping_status describe_matrix(const struct arrival *arrival, void *matrix,
                                           CUtensorMap *map, struct mapping_error *error) {
    const struct canonical *which = arrival->which;
    const uint32_t line = canonical_line(which);
    const cuuint64_t extents[2] = {line, arrival->lines}, stride = canonical_line_bytes(which);
    const cuuint32_t box[2] = {line, arrival->lines}, steps[2] = {1, 1};
    PFN_cuTensorMapEncodeTiled_v12000 encode = NULL;
    enum mapping_status status = find_encoder(&encode, error);
    if (status != MAPPING_OK)
        return status;
    CUresult result = encode(map, type_of(which->bits), 2, matrix, extents, &stride, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(which->swizzle_bytes),
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_FAILED,
                        "could not create a TMA descriptor for %u lines of %u elements of %u bits "
                        "with a swizzle of %u bytes: CUresult %d",
                        arrival->lines, line, which->bits, which->swizzle_bytes, (int)result);
}

static enum mapping_status launch_tma(const struct arrival *arrival, uint32_t pass,
                                      const struct device_memory *memory,
                                      struct mapping_error *error) {
    CUtensorMap map;
    uint32_t bytes = tile_bytes(arrival);
    uint32_t *stored = (uint32_t *)(void *)memory->output + (size_t)pass * TMA_STORED_WORDS;
    uint8_t *matrix = memory->contents + (size_t)pass * tile_bytes(arrival);
    void *parameters[] = {&map, &stored, &bytes};
    memset(&map, 0, sizeof map);
    enum mapping_status status = describe_matrix(arrival, matrix, &map, error);
    if (status != MAPPING_OK)
        return status;
    return cuda_check(
        cudaLaunchKernel(tma_kernel, (dim3){1, 1, 1}, (dim3){WARPGROUP, 1, 1}, parameters, 0, NULL),
        error, "launch the experiment with TMA");
}

static enum mapping_status execute_tma(const struct arrival *arrival, struct mapping_error *error) {
    struct device_memory memory;
    enum mapping_status status =
        device_memory_make(&memory, arrival->contents, (size_t)TMA_PASSES * tile_bytes(arrival),
                           STORED_WORDS * sizeof *arrival->stored, error);
    for (uint32_t pass = 0; pass < TMA_PASSES && status == MAPPING_OK; pass++)
        status = launch_tma(arrival, pass, &memory, error);
    if (status == MAPPING_OK)
        status = device_memory_read(&memory, arrival->stored, "TMA", error);
    device_memory_free(&memory);
    return status;
}

/* Checks that the tile has come, in one pass. */
static enum mapping_status check_arrived(const uint32_t *stored, uint32_t pass,
                                         struct mapping_error *error) {
    switch (stored[TMA_BYTES / 4]) {
    case 1:
        return MAPPING_OK;
    case 0:
        return mapping_fail(error, MAPPING_FAILED,
                            "pass %u: TMA did not copy the tile within a second", pass);
    default:
        return mapping_fail(error, MAPPING_FAILED,
                            "pass %u: nothing was stored, so the TMA kernel is empty", pass);
    }
}

/* Finds the number in one element of shared memory; UINT32_MAX for POISON. */
static enum mapping_status read_number(const struct arrival *arrival, uint32_t slot,
                                       uint32_t *number, struct mapping_error *error) {
    const uint32_t bits = arrival->which->bits, poison = UINT32_C(0xa5a5a5a5) >> (32 - bits);
    uint32_t poisoned = 0;
    *number = 0;
    for (uint32_t pass = 0; pass < TMA_PASSES; pass++) {
        const uint32_t *stored = arrival->stored + (size_t)pass * TMA_STORED_WORDS;
        const uint32_t digit = (uint32_t)element_get(stored, slot, bits);
        poisoned += digit == poison;
        *number |= digit << pass * tma_digit_bits(bits);
    }
    if (poisoned == TMA_PASSES)
        *number = UINT32_MAX;
    if (poisoned == TMA_PASSES || (poisoned == 0 && *number < arrival->count))
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_FAILED,
        "byte %d of TMA's tile has an invalid value: 0x%x, poisoned in %u of %d passes",
        (int)(slot * bits / 8) - TMA_TILE, *number, poisoned, TMA_PASSES);
}

/* Records the number in one element of shared memory. */
static enum mapping_status enter_element(const struct arrival *arrival, uint32_t slot,
                                         struct mapping_error *error) {
    uint32_t number;
    const uint32_t bits = arrival->which->bits, start = TMA_TILE * 8 / bits;
    enum mapping_status status = read_number(arrival, slot, &number, error);
    if (status != MAPPING_OK || number == UINT32_MAX)
        return status;
    const int byte = (int)(slot * bits / 8) - TMA_TILE;
    if (byte < 0 || byte >= (int)tile_bytes(arrival))
        return mapping_fail(error, MAPPING_FAILED,
                            "TMA wrote element %u of the tile at byte %d, outside of its %u bytes",
                            number, byte, tile_bytes(arrival));
    if (arrival->offsets[number] != UINT32_MAX)
        return mapping_fail(error, MAPPING_FAILED,
                            "TMA wrote element %u of the tile twice, at bytes %u and %d", number,
                            arrival->offsets[number] * bits / 8, byte);
    arrival->offsets[number] = slot - start;
    return MAPPING_OK;
}

static enum mapping_status read_offsets(const struct arrival *arrival,
                                        struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (uint32_t pass = 0; pass < TMA_PASSES && status == MAPPING_OK; pass++)
        status = check_arrived(arrival->stored + (size_t)pass * TMA_STORED_WORDS, pass, error);
    for (uint32_t n = 0; n < arrival->count; n++)
        arrival->offsets[n] = UINT32_MAX;
    for (uint32_t slot = 0; slot < TMA_BYTES * 8 / arrival->which->bits && status == MAPPING_OK;
         slot++)
        status = enter_element(arrival, slot, error);
    for (uint32_t n = 0; n < arrival->count && status == MAPPING_OK; n++)
        if (arrival->offsets[n] == UINT32_MAX)
            status = mapping_fail(error, MAPPING_FAILED,
                                  "TMA did not write element %u of the tile, which has %u", n,
                                  arrival->count);
    return status;
}

/* Observes the addresses to which TMA writes the elements of a tile with that many lines, 8 to 64:
 * offsets[line * canonical_line + place in the line], in elements from the start of the tile. */
static enum mapping_status tma_observe(const struct canonical *which, uint32_t lines,
                                       uint32_t *offsets, struct mapping_error *error) {
    struct arrival arrival = {
        .which = which, .lines = lines, .count = lines * canonical_line(which), .offsets = offsets};
    fill_matrices(&arrival);
    enum mapping_status status = execute_tma(&arrival, error);
    if (status == MAPPING_OK)
        status = read_offsets(&arrival, error);
    mapping_free(arrival.contents);
    mapping_free(arrival.stored);
    return status;
}

/* ---- From where wgmma reads A ---- */

/* Each pass has another digit of the numbers in shared memory, 0 to 255: the lower byte, the upper
 * byte, and one by which it is told if what was read is no number at all. */
enum { READING_PASSES = 3, READING_DIGITS = 256, SELECTIONS_MAX = 4 };

/* One experiment. */
struct reading_trial {
    uint32_t bits, columns; /* of A: of an element, and how many columns it has */
    enum mapping_type type;
    enum reading kernel;
    uint32_t selections; /* A is seen READING_WIDTH columns at a time */
    uint32_t *contents;  /* for the passes, followed by B for the selections; owned */
    uint32_t *products;  /* READING_WORDS_D for each pass of each selection; owned */
};

/* The fields of a descriptor, but for the start address (PTX ISA 9.0, "Matrix Descriptor Format"):
 * offsets in units of 16 bytes from bits 16 and 32 on, the swizzle from bit 62 on. */
static uint64_t fields_of(const struct mapping_descriptor *descriptor) {
    const uint32_t bytes = descriptor->swizzle_bytes;
    const uint64_t mode = bytes == 128 ? 1 : bytes == 64 ? 2 : bytes == 32 ? 3 : 0;
    return (uint64_t)(descriptor->leading_bytes >> 4) << 16 |
           (uint64_t)(descriptor->stride_bytes >> 4) << 32 | mode << 62;
}

/* The kernel for A with such elements. */
static struct reading_trial plan_reading(uint32_t bits, bool is_k_major) {
    const uint32_t columns = LINE_BYTES * 8 / bits;
    return (struct reading_trial){
        .bits = bits,
        .columns = columns,
        .selections = columns / READING_WIDTH,
        .type = bits == 8    ? MAPPING_U8
                : bits == 16 ? MAPPING_F16
                             : MAPPING_TF32,
        .kernel = bits == 8    ? READING_8
                  : bits == 32 ? READING_32
                  : is_k_major ? READING_16
                               : READING_16_MN,
    };
}

static uint32_t reading_digit(uint32_t number, uint32_t pass) {
    switch (pass) {
    case 0:
        return number % READING_DIGITS;
    case 1:
        return number / READING_DIGITS;
    default:
        return (number + 1) * 40503U / READING_DIGITS % READING_DIGITS; /* Knuth, 6.4 */
    }
}

/* Numbers all elements of shared memory, in one pass. */
static void fill_memory(const struct reading_trial *trial, uint32_t pass, uint32_t *words) {
    for (uint32_t n = 0; n < READING_BYTES * 8 / trial->bits; n++)
        element_put(words, n, trial->bits, number_encode(trial->type, reading_digit(n, pass)));
}

/* B, K-major without swizzle, with a 1 in column n for column `first` + n of A. */
static void fill_b(const struct reading_trial *trial, uint32_t first, uint32_t *words) {
    for (uint32_t n = 0; n < READING_WIDTH; n++) {
        const uint32_t byte = (first + n) * trial->bits / 8;
        const uint32_t place =
            byte / CORE_LINE_BYTES * CORE_BYTES + n * CORE_LINE_BYTES + byte % CORE_LINE_BYTES;
        element_put(words, place * 8 / trial->bits, trial->bits, number_encode(trial->type, 1));
    }
}

enum {
    ALL_PASSES = READING_PASSES * READING_BYTES / 4,
    PRODUCTS = READING_PASSES * READING_WORDS_D
};

static size_t products_size(const struct reading_trial *trial) {
    return PRODUCTS * sizeof *trial->products * trial->selections;
}

static void fill_trial(struct reading_trial *trial) {
    trial->contents =
        memory_get(ALL_PASSES + SELECTIONS_MAX * READING_WORDS_B, sizeof *trial->contents);
    trial->products = memory_get(1, products_size(trial) + 1);
    for (uint32_t pass = 0; pass < READING_PASSES; pass++)
        fill_memory(trial, pass, trial->contents + (size_t)pass * READING_BYTES / 4);
    for (uint32_t selection = 0; selection < trial->selections; selection++)
        fill_b(trial, selection * READING_WIDTH,
               trial->contents + ALL_PASSES + (size_t)selection * READING_WORDS_B);
}

static enum mapping_status launch_reading(const struct reading_trial *trial, uint32_t start,
                                          uint64_t descriptor, const struct device_memory *memory,
                                          struct mapping_error *error) {
    const uint32_t *contents = (const uint32_t *)(const void *)memory->contents;
    struct reading_job job = {contents, contents + ALL_PASSES, (uint32_t *)(void *)memory->output,
                              descriptor, start};
    void *parameters[] = {&job};
    return cuda_check(cudaLaunchKernel(reading_kernels[trial->kernel],
                                       (dim3){READING_PASSES, trial->selections, 1},
                                       (dim3){WARPGROUP, 1, 1}, parameters, 0, NULL),
                      error, "launch the experiment with wgmma");
}

static enum mapping_status execute_reading(const struct reading_trial *trial, uint32_t start,
                                           uint64_t descriptor, struct mapping_error *error) {
    struct device_memory memory;
    enum mapping_status status = device_memory_make(
        &memory, trial->contents,
        (ALL_PASSES + (size_t)trial->selections * READING_WORDS_B) * sizeof *trial->contents,
        products_size(trial), error);
    if (status == MAPPING_OK)
        status = launch_reading(trial, start, descriptor, &memory, error);
    if (status == MAPPING_OK)
        status = device_memory_read(&memory, trial->products, "wgmma", error);
    device_memory_free(&memory);
    return status;
}

/* A word of D as a number; UINT32_MAX if it is not one of the digits. */
static uint32_t digit_in(const struct reading_trial *trial, uint32_t word) {
    float value;
    if (trial->type == MAPPING_U8)
        return word < READING_DIGITS ? word : UINT32_MAX;
    memcpy(&value, &word, sizeof value);
    if (!(value >= 0 && value < READING_DIGITS) || value != (float)(uint32_t)value)
        return UINT32_MAX;
    return (uint32_t)value;
}

/* Finds which element of shared memory was read as one element of A. */
static enum mapping_status read_element(const struct reading_trial *trial, uint32_t row,
                                        uint32_t col, uint32_t *number,
                                        struct mapping_error *error) {
    uint32_t word[READING_PASSES], digit[READING_PASSES];
    for (uint32_t pass = 0; pass < READING_PASSES; pass++) {
        const uint32_t block = col / READING_WIDTH * READING_PASSES + pass;
        word[pass] =
            trial->products[block * READING_WORDS_D + row * READING_WIDTH + col % READING_WIDTH];
        digit[pass] = digit_in(trial, word[pass]);
    }
    *number = digit[1] * READING_DIGITS + digit[0];
    if (digit[0] < READING_DIGITS && digit[1] < READING_DIGITS &&
        digit[2] == reading_digit(*number, 2) && *number < READING_BYTES * 8 / trial->bits)
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_FAILED,
        "wgmma read an invalid value at row %u, column %u of A: the products are 0x%08x, 0x%08x "
        "and 0x%08x%s",
        row, col, word[0], word[1], word[2],
        word[0] == UINT32_C(0xa5a5a5a5)
            ? "; the kernel stored nothing: it was not compiled for sm_90a"
            : "");
}

static enum mapping_status read_layout(const struct reading_trial *trial,
                                       struct mapping_layout *layout, struct mapping_error *error) {
    const struct mapping_space from = {
        2, {{MAPPING_AXIS_ROW, WGMMA_ROWS}, {MAPPING_AXIS_COL, trial->columns}}};
    const struct mapping_space to = {1, {{MAPPING_AXIS_OFFSET, READING_BYTES * 8 / trial->bits}}};
    enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
    for (uint32_t n = 0; n < WGMMA_ROWS * trial->columns && status == MAPPING_OK; n++)
        status = read_element(trial, n / trial->columns, n % trial->columns,
                              &layout->coordinate[0][n], error);
    return status;
}

enum mapping_status observe_descriptor(int device, uint32_t bits, uint32_t start_bytes,
                                       const struct mapping_descriptor *descriptor,
                                       struct mapping_layout *layout, struct mapping_error *error) {
    unsigned arch;
    struct reading_trial trial = plan_reading(bits, descriptor->is_k_major);
    *layout = (struct mapping_layout){.from = {.count = 0}};
    /* Whatever the mode, A has no more than 8 groups of rows and columns each, one offset apart,
     * and no group has more than PATTERN_BYTES. */
    assert(start_bytes % 16 == 0 && descriptor->leading_bytes % 16 == 0 &&
           descriptor->stride_bytes % 16 == 0);
    assert(start_bytes + 7 * descriptor->leading_bytes + 7 * descriptor->stride_bytes +
               PATTERN_BYTES <=
           READING_BYTES);
    enum mapping_status status = shared_prepare(device, &arch, error);
    if (status == MAPPING_OK) {
        fill_trial(&trial);
        status = execute_reading(&trial, start_bytes, fields_of(descriptor), error);
    }
    if (status == MAPPING_OK)
        status = read_layout(&trial, layout, error);
    mapping_free(trial.contents);
    mapping_free(trial.products);
    return status;
}

/* ---- A canonical layout as both show it ---- */

/* Checks that the first 8 lines are the atom: it has all their elements, and the next 8 lines
 * follow it in the same layout. */
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

/* The descriptor of the tile for wgmma. CuTe (mma_traits_sm90_gmma.hpp, make_gmma_desc) and the PTX
 * ISA 9.0, "Strides", have the same rules. */
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

/* The address at which TMA writes an element of the tile, by boxes. */
static uint32_t place_in_tile(const struct canonical *which, const uint32_t *offsets, uint32_t row,
                              uint32_t col) {
    const uint32_t line = canonical_line(which), along = which->is_k_major ? col : row,
                   across = which->is_k_major ? row : col;
    return offsets[across * line + along % line] + along / line * lines_of(which) * line;
}

/* Compares the elements that one wgmma reads from the tile, beginning at a column, with those that
 * TMA writes. */
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
        status = observe_descriptor(device, which->bits, start, &descriptor, &read, error);
        if (status == MAPPING_OK)
            status = compare(which, offsets, start * 8 / which->bits, &read, error);
        mapping_layout_free(&read);
    }
    return status;
}

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
    if (status == MAPPING_OK && is_read_by_wgmma(which))
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
             is_read_by_wgmma(which) ? " and wgmma" : "");
    return MAPPING_OK;
}

enum mapping_status observe_atom(int device, const struct canonical *which,
                                 struct mapping_layout *layout, char with[DEVICE_TEXT_SIZE],
                                 struct mapping_error *error) {
    uint32_t offsets[LINES_K * 128]; /* 128 elements of 8 bits */
    unsigned arch;
    *layout = (struct mapping_layout){.from = {.count = 0}};
    enum mapping_status status = shared_prepare(device, &arch, error);
    if (status == MAPPING_OK)
        status = observe(device, which, offsets, error);
    if (status == MAPPING_OK)
        status = make_layout(which, offsets, layout, error);
    return status == MAPPING_OK ? describe(device, arch, which, with, error) : status;
}
