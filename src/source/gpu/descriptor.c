/* descriptor.c - from where in shared memory wgmma reads A; see shared.h. */
#include "source/gpu/canonical.h"
#include "source/gpu/device.h"
#include "source/gpu/kernels.h"
#include "source/gpu/numbers.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* Each pass has another digit of the numbers in shared memory, 0 to 255: the lower byte, the upper
 * byte, and one by which it is told if what was read is no number at all. */
enum { PASSES = 3, DIGITS = 256, SELECTIONS_MAX = 4 };

/* One experiment. */
struct reading_trial {
    uint32_t bits, columns; /* of A: of an element, and how many columns it has */
    enum mapping_type type;
    enum reading kernel;
    uint32_t selections; /* A is seen READING_WIDTH columns at a time */
    uint32_t *contents;  /* for the passes, and behind them B for the selections; owned */
    uint32_t *products;  /* READING_WORDS_D for each pass of each selection; owned */
};

/* ---- What is asked ---- */

/* The fields of a descriptor, but for the start address (PTX ISA 9.0, "Matrix Descriptor Format"):
 * offsets in units of 16 bytes from bits 16 and 32 on, the swizzle from bit 62 on. */
static uint64_t fields_of(const struct mapping_descriptor *descriptor) {
    const uint32_t bytes = descriptor->swizzle_bytes;
    const uint64_t mode = bytes == 128 ? 1 : bytes == 64 ? 2 : bytes == 32 ? 3 : 0;
    return (uint64_t)(descriptor->leading_bytes >> 4) << 16 |
           (uint64_t)(descriptor->stride_bytes >> 4) << 32 | mode << 62;
}

/* Whatever the mode, A has no more than 8 groups of rows and columns each, one offset apart, and no
 * group has more than 1024 bytes. */
static enum mapping_status check_offsets(uint32_t start, const struct mapping_descriptor *asked,
                                         struct mapping_error *error) {
    const uint64_t end =
        (uint64_t)start + 7ULL * asked->leading_bytes + 7ULL * asked->stride_bytes + PATTERN_BYTES;
    if (start % 16 || asked->leading_bytes % 16 || asked->stride_bytes % 16)
        return mapping_fail(
            error, MAPPING_INVALID,
            "start, leading and stride offset must be multiples of 16 bytes, not %u, %u and %u",
            start, asked->leading_bytes, asked->stride_bytes);
    if (end > READING_BYTES)
        return mapping_fail(error, MAPPING_INVALID,
                            "a start of %u, a leading offset of %u and a stride offset of %u bytes "
                            "let wgmma read beyond %d bytes",
                            start, asked->leading_bytes, asked->stride_bytes, READING_BYTES);
    return MAPPING_OK;
}

static enum mapping_status plan(uint32_t bits, bool is_k_major, struct reading_trial *trial,
                                struct mapping_error *error) {
    if (!is_k_major && bits != 16)
        return mapping_fail(error, MAPPING_INVALID,
                            "wgmma cannot read MN-major elements of %u bits", bits);
    *trial = (struct reading_trial){
        .bits = bits,
        .columns = LINE_BYTES * 8 / bits,
        .type = bits == 8    ? MAPPING_U8
                : bits == 16 ? MAPPING_F16
                             : MAPPING_TF32,
        .kernel = bits == 8    ? READING_8
                  : bits == 32 ? READING_32
                  : is_k_major ? READING_16
                               : READING_16_MN,
    };
    trial->selections = trial->columns / READING_WIDTH;
    return MAPPING_OK;
}

/* ---- What shared memory holds ---- */

static uint32_t digit_of(uint32_t number, uint32_t pass) {
    switch (pass) {
    case 0:
        return number % DIGITS;
    case 1:
        return number / DIGITS;
    default:
        return (number + 1) * 40503U / DIGITS % DIGITS; /* Knuth, 6.4 */
    }
}

/* Numbers all elements of shared memory, in one pass. */
static void fill_memory(const struct reading_trial *trial, uint32_t pass, uint32_t *words) {
    for (uint32_t n = 0; n < READING_BYTES * 8 / trial->bits; n++)
        element_put(words, n, trial->bits, number_encode(trial->type, digit_of(n, pass)));
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

enum { ALL_PASSES = PASSES * READING_BYTES / 4, PRODUCTS = PASSES * READING_WORDS_D };

static size_t products_size(const struct reading_trial *trial) {
    return PRODUCTS * sizeof *trial->products * trial->selections;
}

static void fill(struct reading_trial *trial) {
    trial->contents =
        memory_get(ALL_PASSES + SELECTIONS_MAX * READING_WORDS_B, sizeof *trial->contents);
    trial->products = memory_get(1, products_size(trial) + 1);
    for (uint32_t pass = 0; pass < PASSES; pass++)
        fill_memory(trial, pass, trial->contents + (size_t)pass * READING_BYTES / 4);
    for (uint32_t selection = 0; selection < trial->selections; selection++)
        fill_b(trial, selection * READING_WIDTH,
               trial->contents + ALL_PASSES + (size_t)selection * READING_WORDS_B);
}

/* ---- Executing ---- */

static enum mapping_status launch(const struct reading_trial *trial, uint32_t start,
                                  uint64_t descriptor, const struct device_memory *memory,
                                  struct mapping_error *error) {
    const uint32_t *contents = (const uint32_t *)(const void *)memory->contents;
    struct reading_job job = {contents, contents + ALL_PASSES, (uint32_t *)(void *)memory->output,
                              descriptor, start};
    void *parameters[] = {&job};
    return cuda_check(cudaLaunchKernel(reading_kernels[trial->kernel],
                                       (dim3){PASSES, trial->selections, 1},
                                       (dim3){WARPGROUP, 1, 1}, parameters, 0, NULL),
                      error, "launch the experiment with wgmma");
}

static enum mapping_status execute(const struct reading_trial *trial, uint32_t start,
                                   uint64_t descriptor, struct mapping_error *error) {
    struct device_memory memory;
    enum mapping_status status = device_memory_make(
        &memory, trial->contents,
        (ALL_PASSES + (size_t)trial->selections * READING_WORDS_B) * sizeof *trial->contents,
        products_size(trial), error);
    if (status == MAPPING_OK)
        status = launch(trial, start, descriptor, &memory, error);
    if (status == MAPPING_OK)
        status = device_memory_read(&memory, trial->products, "wgmma", error);
    device_memory_free(&memory);
    return status;
}

/* ---- Reading ---- */

/* What a word of D is as a number; UINT32_MAX if it is none of the digits. */
static uint32_t digit_in(const struct reading_trial *trial, uint32_t word) {
    float value;
    if (trial->type == MAPPING_U8)
        return word < DIGITS ? word : UINT32_MAX;
    memcpy(&value, &word, sizeof value);
    if (!(value >= 0 && value < DIGITS) || value != (float)(uint32_t)value)
        return UINT32_MAX;
    return (uint32_t)value;
}

/* Finds which element of shared memory was read as one element of A. */
static enum mapping_status read_element(const struct reading_trial *trial, uint32_t row,
                                        uint32_t col, uint32_t *number,
                                        struct mapping_error *error) {
    uint32_t word[PASSES], digit[PASSES];
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const uint32_t block = col / READING_WIDTH * PASSES + pass;
        word[pass] =
            trial->products[block * READING_WORDS_D + row * READING_WIDTH + col % READING_WIDTH];
        digit[pass] = digit_in(trial, word[pass]);
    }
    *number = digit[1] * DIGITS + digit[0];
    if (digit[0] < DIGITS && digit[1] < DIGITS && digit[2] == digit_of(*number, 2) &&
        *number < READING_BYTES * 8 / trial->bits)
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

/* ---- All of it ---- */

enum mapping_status gpu_observe_descriptor(int device, uint32_t bits, uint32_t start_bytes,
                                           const struct mapping_descriptor *descriptor,
                                           struct mapping_layout *layout,
                                           struct mapping_error *error) {
    unsigned arch;
    struct reading_trial trial = {.contents = NULL};
    *layout = (struct mapping_layout){.from = {.count = 0}};
    enum mapping_status status = canonical_check(bits, descriptor->swizzle_bytes, error);
    if (status == MAPPING_OK)
        status = check_offsets(start_bytes, descriptor, error);
    if (status == MAPPING_OK)
        status = plan(bits, descriptor->is_k_major, &trial, error);
    if (status == MAPPING_OK)
        status = shared_prepare(device, &arch, error);
    if (status == MAPPING_OK) {
        fill(&trial);
        status = execute(&trial, start_bytes, fields_of(descriptor), error);
    }
    if (status == MAPPING_OK)
        status = read_layout(&trial, layout, error);
    memory_free(trial.contents);
    memory_free(trial.products);
    return status;
}
