/* tma.c - where TMA writes the elements of a tile in shared memory; see canonical.h. */
#include "source/gpu/canonical.h"
#include "source/gpu/device.h"
#include "source/gpu/kernels.h"
#include "source/gpu/numbers.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#if CUDART_VERSION < 12000

enum mapping_status tma_observe(const struct canonical *which, uint32_t lines, uint32_t *offsets,
                                struct mapping_error *error) {
    (void)which, (void)lines, (void)offsets;
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "this program was built with CUDA %d.%d, which does not support TMA",
                        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

#else

#include <cudaTypedefs.h>

/* A matrix is brought in once for each digit of its elements' numbers. No digit looks like an
 * element of POISON. */
enum { PASSES = 2, STORED_WORDS = PASSES * TMA_STORED_WORDS };

/* One experiment. */
struct arrival {
    const struct canonical *which;
    uint32_t lines, count; /* of the tile: its lines, and its elements */
    uint32_t *offsets;     /* what is found */
    uint32_t *contents;    /* the matrices; owned */
    uint32_t *stored;      /* TMA_STORED_WORDS for each pass; owned */
};

static uint32_t tile_bytes(const struct arrival *arrival) {
    return arrival->lines * canonical_line_bytes(arrival->which);
}

/* ---- Numbers ---- */

static uint32_t digit_bits(uint32_t bits) {
    return bits == 8 ? 7 : 15;
}

static uint32_t digit_of(uint32_t number, uint32_t bits, uint32_t pass) {
    return number >> pass * digit_bits(bits) & ((1U << digit_bits(bits)) - 1);
}

/* Makes the matrices of all passes. */
static void fill(struct arrival *arrival) {
    const uint32_t bits = arrival->which->bits, words = tile_bytes(arrival) / 4;
    arrival->contents = memory_get((size_t)PASSES * words, sizeof *arrival->contents);
    arrival->stored = memory_get(STORED_WORDS, sizeof *arrival->stored);
    for (uint32_t pass = 0; pass < PASSES; pass++)
        for (uint32_t n = 0; n < arrival->count; n++)
            element_put(arrival->contents + (size_t)pass * words, n, bits, digit_of(n, bits, pass));
}

/* ---- Executing ---- */

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

/* How cuda.h calls the swizzle of so many bytes, and elements of so many bits. */
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
static enum mapping_status describe(const struct arrival *arrival, void *matrix, CUtensorMap *map,
                                    struct mapping_error *error) {
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

static enum mapping_status launch(const struct arrival *arrival, uint32_t pass,
                                  const struct device_memory *memory, struct mapping_error *error) {
    CUtensorMap map;
    uint32_t bytes = tile_bytes(arrival);
    uint32_t *stored = (uint32_t *)(void *)memory->output + (size_t)pass * TMA_STORED_WORDS;
    uint8_t *matrix = memory->contents + (size_t)pass * tile_bytes(arrival);
    void *parameters[] = {&map, &stored, &bytes};
    memset(&map, 0, sizeof map);
    enum mapping_status status = describe(arrival, matrix, &map, error);
    if (status != MAPPING_OK)
        return status;
    return cuda_check(
        cudaLaunchKernel(tma_kernel, (dim3){1, 1, 1}, (dim3){WARPGROUP, 1, 1}, parameters, 0, NULL),
        error, "launch the experiment with TMA");
}

static enum mapping_status execute(const struct arrival *arrival, struct mapping_error *error) {
    struct device_memory memory;
    enum mapping_status status =
        device_memory_make(&memory, arrival->contents, (size_t)PASSES * tile_bytes(arrival),
                           STORED_WORDS * sizeof *arrival->stored, error);
    for (uint32_t pass = 0; pass < PASSES && status == MAPPING_OK; pass++)
        status = launch(arrival, pass, &memory, error);
    if (status == MAPPING_OK)
        status = device_memory_read(&memory, arrival->stored, "TMA", error);
    device_memory_free(&memory);
    return status;
}

/* ---- Reading ---- */

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

/* Finds the number that stands in one element of shared memory; UINT32_MAX for POISON. */
static enum mapping_status read_number(const struct arrival *arrival, uint32_t slot,
                                       uint32_t *number, struct mapping_error *error) {
    const uint32_t bits = arrival->which->bits, poison = UINT32_C(0xa5a5a5a5) >> (32 - bits);
    uint32_t poisoned = 0;
    *number = 0;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const uint32_t *stored = arrival->stored + (size_t)pass * TMA_STORED_WORDS;
        const uint32_t digit = (uint32_t)element_get(stored, slot, bits);
        poisoned += digit == poison;
        *number |= digit << pass * digit_bits(bits);
    }
    if (poisoned == PASSES)
        *number = UINT32_MAX;
    if (poisoned == PASSES || (poisoned == 0 && *number < arrival->count))
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_FAILED,
        "byte %d of TMA's tile has an invalid value: 0x%x, poisoned in %u of %d passes",
        (int)(slot * bits / 8) - TMA_TILE, *number, poisoned, PASSES);
}

/* Enters what one element of shared memory says. */
static enum mapping_status enter(const struct arrival *arrival, uint32_t slot,
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
    for (uint32_t pass = 0; pass < PASSES && status == MAPPING_OK; pass++)
        status = check_arrived(arrival->stored + (size_t)pass * TMA_STORED_WORDS, pass, error);
    for (uint32_t n = 0; n < arrival->count; n++)
        arrival->offsets[n] = UINT32_MAX;
    for (uint32_t slot = 0; slot < TMA_BYTES * 8 / arrival->which->bits && status == MAPPING_OK;
         slot++)
        status = enter(arrival, slot, error);
    for (uint32_t n = 0; n < arrival->count && status == MAPPING_OK; n++)
        if (arrival->offsets[n] == UINT32_MAX)
            status = mapping_fail(error, MAPPING_FAILED,
                                  "TMA did not write element %u of the tile, which has %u", n,
                                  arrival->count);
    return status;
}

/* ---- All of it ---- */

enum mapping_status tma_observe(const struct canonical *which, uint32_t lines, uint32_t *offsets,
                                struct mapping_error *error) {
    struct arrival arrival = {
        .which = which, .lines = lines, .count = lines * canonical_line(which), .offsets = offsets};
    fill(&arrival);
    enum mapping_status status = execute(&arrival, error);
    if (status == MAPPING_OK)
        status = read_offsets(&arrival, error);
    memory_free(arrival.contents);
    memory_free(arrival.stored);
    return status;
}

#endif
