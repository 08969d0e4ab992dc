/* products.c - full products of random matrices, for every opcode of mma, mma.sp, wgmma and
 * wgmma.sp.
 *
 * products FILE SM: FILE is the output of `mapping --confirm=/dev/null --source=gpu` on this
 * device. The formulae in FILE place every element of A, B, C, D and of the metadata. The result
 * must be A x B + C as the host computes it in double precision, exactly: all numbers are multiples
 * of 1/8 or 1/64 from -1 to 1, integers of the whole range of their type, or bits, and no sum needs
 * more digits than the type of D has. Only bits may be 0. Metadata of selectors that are not chosen
 * is random too. Prints TAP. */
#include "report/records.h"
#include "source/gpu/experiment.h"
#include "source/gpu/kernels.h"
#include "source/gpu/operands.h"
#include "system/system.h"
#include "values.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        printf("Bail out! %s\n", cudaGetErrorString(code));
        exit(5);
    }
}

/* ---- Where elements are ---- */

/* The layouts that the formulae of the file give. */
static struct {
    struct mapping_fragment fragment;
    struct mapping_layout layout;
} known[2048];
static size_t known_count;

static void read_layouts(const char *path) {
    struct printer text = {.text = NULL};
    struct records records = {.count = 0};
    struct mapping_error error = {"there are no records"};
    enum mapping_status status = file_read(path, "results file", &text, &error);
    if (status == MAPPING_OK)
        status = records_read(text.text, &records, &error);
    for (size_t r = 0; r < records.count && status == MAPPING_OK; r++)
        for (size_t n = 0; n < records.record[r].count && status == MAPPING_OK; n++) {
            const struct record *record = &records.record[r];
            known[known_count].fragment = record->entries[n].fragment;
            status =
                record_layout(record, &record->entries[n], &known[known_count++].layout, &error);
        }
    if (known_count == 0 || status != MAPPING_OK) {
        printf("Bail out! %s: %s\n", path, error.message);
        exit(5);
    }
    printer_free(&text);
}

/* The layout of an operand; NULL if it is not in the file, or not in registers. */
static const struct mapping_layout *layout_of(const struct operands *operands,
                                              enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    for (size_t k = 0; fragment && k < known_count; k++)
        if (mapping_fragment_equal(&known[k].fragment, fragment))
            return &known[k].layout;
    return NULL;
}

static bool are_known(const struct operands *operands) {
    for (size_t f = 0; f < operands->count; f++)
        if (!layout_of(operands, operands->fragments[f].operand))
            return false;
    return true;
}

static uint32_t block_at(const struct mapping_layout *layout, size_t entry) {
    return layout->to.count > 2 ? layout->coordinate[0][entry] : 0;
}

static uint32_t row_at(const struct mapping_layout *layout, size_t entry) {
    return layout->coordinate[layout->to.count - 2][entry];
}

static uint32_t col_at(const struct mapping_layout *layout, size_t entry) {
    return layout->coordinate[layout->to.count - 1][entry];
}

/* ---- Numbers ---- */

/* A random number below the limit; the same numbers each time. */
static unsigned random_number(unsigned limit) {
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407; /* Knuth, MMIX */
    return (unsigned)(state >> 33) % limit;
}

/* A random number of the type that is not 0. */
static double random_value(enum mapping_type type, bool coarse) {
    unsigned bits = mapping_type_bits(type);
    double value;
    do
        switch (type) {
        case MAPPING_B1:
            return random_number(2);
        case MAPPING_U8:
        case MAPPING_U4:
            value = random_number(1U << bits);
            break;
        case MAPPING_S8:
        case MAPPING_S4:
            value = (double)random_number(1U << bits) - (double)(1U << (bits - 1));
            break;
        case MAPPING_S32:
            value = (double)random_number(2001) - 1000;
            break;
        default:
            value = coarse ? ((double)random_number(17) - 8) / 8
                           : ((double)random_number(129) - 64) / 64;
        }
    while (value == 0);
    return value;
}

/* ---- One product ---- */

enum { M = 64, N = 256, K = 256, BLOCKS = 4, WORDS = 128 * 128 };

/* Matrices: A as it is held, B whole; the row of B by which each element of A is multiplied; and
 * the value of each index of the metadata. */
static double a[BLOCKS][M][K], b[BLOCKS][K][N], c[BLOCKS][M][N];
static unsigned partner[M][K], field[M][K];

static uint32_t contents[5][WORDS]; /* A, B, C, D, E */

/* Chooses which elements of each group of columns are held, in one row. The fields say it as they
 * are encoded: indices in ascending order. */
static void choose_partners(const struct operands *operands, uint32_t row) {
    uint32_t depth = operands_depth(operands);
    unsigned bits = mapping_type_bits(operands->opcode.a);
    for (uint32_t k = 0; k < depth && !operands_are_sparse(operands); k++)
        partner[row][k] = k;
    if (!operands_are_sparse(operands))
        return;
    if (bits == 32) {
        for (uint32_t k = 0; k < depth; k++) {
            unsigned second = random_number(2);
            field[row][k] = second ? 0xe : 0x4;
            partner[row][k] = 2 * k + second;
        }
        return;
    }
    uint32_t each = bits == 4 ? 2 : 1; /* columns for an index */
    for (uint32_t group = 0; group < depth / each / 2; group++) {
        unsigned first = random_number(3), second = first + 1 + random_number(3 - first);
        unsigned *pair = &field[row][(size_t)2 * group];
        pair[0] = first, pair[1] = second;
        for (uint32_t n = 0; n < each; n++) {
            partner[row][2 * each * group + n] = each * (4 * group + first) + n;
            partner[row][2 * each * group + each + n] = each * (4 * group + second) + n;
        }
    }
}

/* Writes the registers of an operand. */
static void place(const struct operands *operands, enum mapping_operand operand,
                  enum mapping_type type, uint32_t *words) {
    const struct mapping_layout *layout = layout_of(operands, operand);
    unsigned width = operands_find(operands, operand)->bits;
    for (uint32_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        uint32_t block = block_at(layout, entry), row = row_at(layout, entry),
                 col = col_at(layout, entry);
        double value = operand == MAPPING_A   ? a[block][row][col]
                       : operand == MAPPING_B ? b[block][row][col]
                                              : c[block][row][col];
        element_put(words, entry, width, encode_value(type, value));
    }
}

/* Writes A or B in its layout in shared memory. */
static void place_shared(const struct operands *operands, enum mapping_operand operand,
                         uint32_t *words) {
    bool is_a = operand == MAPPING_A;
    enum mapping_type type = is_a ? operands->opcode.a : operands->opcode.b;
    uint32_t lines = is_a ? operands->opcode.shape.m : operands->opcode.shape.n;
    uint32_t depth = is_a ? operands_depth(operands) : operands->opcode.shape.k;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++)
            element_put(words, operands_place_in_shared(operands, operand, line, k),
                        mapping_type_bits(type),
                        encode_value(type, is_a ? a[0][line][k] : b[0][k][line]));
}

/* Which two of four elements are held, the first before the second. */
static void random_pair(uint32_t pair[2]) {
    pair[0] = random_number(3);
    pair[1] = pair[0] + 1 + random_number(3 - pair[0]);
}

/* Writes the metadata; for selectors that are not chosen, other indices. */
static void place_metadata(const struct operands *operands, uint32_t selector, uint32_t *words) {
    const struct mapping_layout *layout = layout_of(operands, MAPPING_E);
    const struct mapping_fragment *fragment = operands_find(operands, MAPPING_E);
    uint32_t copies = mapping_layout_copies(layout);
    struct mapping_layout holders; /* (row, col, selector) -> (tid, i) */
    struct mapping_error error;
    if (layout_invert(layout, MAPPING_AXIS_SELECTOR, &holders, &error) != MAPPING_OK)
        exit(5);
    for (uint32_t cell = 0; cell < fragment->rows * fragment->cols; cell += 2)
        for (uint32_t copy = 0; copy < copies; copy++) {
            uint32_t row = cell / fragment->cols, col = cell % fragment->cols;
            uint32_t pair[2] = {field[row][col], field[row][col + 1]};
            if (copy != selector && fragment->bits == 4)
                pair[0] = random_number(2) ? 0xe : 0x4;
            else if (copy != selector)
                random_pair(pair);
            for (uint32_t n = 0; n < 2; n++)
                element_put(words, mapping_layout_target(&holders, (cell + n) * copies + copy),
                            fragment->bits, pair[n]);
        }
    mapping_layout_free(&holders);
}

static void fill(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    bool coarse = opcode->d == MAPPING_F16 || mapping_type_bits(opcode->a) == 8;
    uint32_t m = opcode->shape.m, n = opcode->shape.n, k = opcode->shape.k;
    for (uint32_t block = 0; block < operands_find(operands, MAPPING_D)->blocks; block++) {
        for (uint32_t row = 0; row < m; row++)
            for (uint32_t col = 0; col < operands_depth(operands); col++)
                a[block][row][col] = random_value(opcode->a, coarse);
        for (uint32_t row = 0; row < k; row++)
            for (uint32_t col = 0; col < n; col++)
                b[block][row][col] = random_value(opcode->b, coarse);
        for (uint32_t row = 0; row < m; row++)
            for (uint32_t col = 0; col < n; col++)
                c[block][row][col] = random_value(opcode->c, coarse);
    }
    for (uint32_t row = 0; row < m; row++)
        choose_partners(operands, row);
}

static double expected(const struct operands *operands, uint32_t block, uint32_t row,
                       uint32_t col) {
    bool is_xor = strstr(operands->opcode.text, ".xor.") != NULL;
    double sum = c[block][row][col];
    for (uint32_t k = 0; k < operands_depth(operands); k++) {
        double x = a[block][row][k], y = b[block][partner[row][k]][col];
        sum += is_xor ? x != y : x * y;
    }
    return sum;
}

static const void *kernel_of(const struct operands *operands) {
    if (operands_read_shared(operands))
        return wgmma_kernel(operands->opcode.shape.n);
    return operands_are_sparse(operands) ? mma_sp_kernel : mma_kernel;
}

/* Runs the kernel once on the device. */
static void run_once(const struct operands *operands, uint32_t selector, bool from_shared) {
    uint32_t *memory;
    bool is_wgmma = operands_read_shared(operands);
    unsigned threads = is_wgmma ? WARPGROUP : WARP;
    const struct mapping_shape shape = operands->opcode.shape;
    const struct variant variant = {selector, from_shared, is_wgmma};
    struct run run = {.row = row_number(operands->number, variant),
                      .a = 0,
                      .b = WORDS,
                      .c = 2 * WORDS,
                      .d = 3 * WORDS,
                      .e = 4 * WORDS};
    if (from_shared)
        run.words_a = shape.m * operands_line_bytes(operands, MAPPING_A) / 4;
    if (is_wgmma)
        run.words_b = shape.n * operands_line_bytes(operands, MAPPING_B) / 4;
    check(cudaMalloc((void **)&memory, sizeof contents + sizeof run));
    struct run *runs = (struct run *)(memory + sizeof contents / sizeof *memory);
    check(cudaMemcpy(memory, contents, sizeof contents, cudaMemcpyHostToDevice));
    check(cudaMemcpy(runs, &run, sizeof run, cudaMemcpyHostToDevice));
    struct job job = {memory, memory, runs};
    void *parameters[] = {&job};
    check(cudaLaunchKernel(kernel_of(operands), (dim3){1, 1, 1}, (dim3){threads, 1, 1}, parameters,
                           0, NULL));
    check(cudaMemcpy(contents[3], memory + run.d, sizeof contents[3], cudaMemcpyDeviceToHost));
    check(cudaFree(memory));
}

/* How many elements of D are wrong. */
static unsigned count_wrong(const struct operands *operands) {
    const struct mapping_layout *layout = layout_of(operands, MAPPING_D);
    unsigned wrong = 0, bits = operands_find(operands, MAPPING_D)->bits;
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        double value = decode_value(operands->opcode.d, element_get(contents[3], entry, bits));
        wrong += !(value == expected(operands, block_at(layout, entry), row_at(layout, entry),
                                     col_at(layout, entry)));
    }
    return wrong;
}

/* One product, with one selector, and for wgmma with A in registers or in shared memory. */
static unsigned multiply_once(const struct operands *operands, uint32_t selector,
                              bool from_shared) {
    bool is_wgmma = operands_read_shared(operands);
    memset(contents, 0, sizeof contents);
    memset(contents[3], POISON, sizeof contents[3]);
    fill(operands);
    if (from_shared)
        place_shared(operands, MAPPING_A, contents[0]);
    else
        place(operands, MAPPING_A, operands->opcode.a, contents[0]);
    if (is_wgmma)
        place_shared(operands, MAPPING_B, contents[1]);
    else
        place(operands, MAPPING_B, operands->opcode.b, contents[1]);
    place(operands, is_wgmma ? MAPPING_D : MAPPING_C, operands->opcode.c, contents[2]);
    if (operands_are_sparse(operands))
        place_metadata(operands, selector, contents[4]);
    run_once(operands, selector, from_shared);
    return count_wrong(operands);
}

/* All products of one opcode. */
static unsigned multiply(const struct operands *operands) {
    unsigned wrong = 0;
    for (uint32_t selector = 0; selector < operands_selectors(operands); selector++)
        for (unsigned shared = 0; shared < (operands_read_shared(operands) ? 2U : 1U); shared++)
            wrong += multiply_once(operands, selector, shared);
    return wrong;
}

/* True of multiplications that the architecture has, and this program a kernel for. */
static bool is_here(const struct operands *operands, unsigned arch) {
    const struct mapping_opcode *opcode = &operands->opcode;
    return operands_are_multiplied(operands) && operands_have_kernels(operands) &&
           opcode->since <= arch && (!opcode->until || arch <= opcode->until);
}

int main(int argc, char **argv) {
    unsigned number = 0, failures = 0;
    struct operands operands;
    if (argc != 3)
        return 2;
    unsigned arch = (unsigned)strtoul(argv[2], NULL, 10);
    read_layouts(argv[1]);
    for (size_t index = 0; operands_of_opcode(index, &operands); index++) {
        if (!is_here(&operands, arch))
            continue;
        bool found = are_known(&operands);
        unsigned wrong = found ? multiply(&operands) : 0;
        bool good = found && wrong == 0;
        printf("%sok %u - %s\n", good ? "" : "not ", ++number, operands.opcode.text);
        if (!found)
            printf("# there are no formulae for one of its operands\n");
        else if (wrong > 0)
            printf("# %u elements of D are wrong\n", wrong);
        failures += !good;
    }
    printf("1..%u\n", number);
    return failures > 0;
}
