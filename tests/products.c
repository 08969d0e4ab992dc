/* products.c - full products of random matrices, for every opcode of mma, mma.sp, wgmma and
 * wgmma.sp.
 *
 * products FILE SM: FILE is what `mapping --all --brief --source=gpu` printed on this device. Every
 * element of A, B, C, D and of the metadata is placed by the formulae that stand there. What comes
 * out has to be A x B + C as the host computes it in double precision, exactly: all numbers are
 * multiples of 1/8 or 1/64 from -1 to 1, integers of the whole range of their type, or bits, and no
 * sum needs more digits than the type of D has. None of them is 0 but bits. Metadata of selectors
 * that are not chosen is random too. Prints TAP. */
#include "gpu/executor.h"
#include "gpu/scene.h"
#include "numbers.h"
#include "results.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct executor executors_0[], executors_1[], executors_2[], executors_3[],
    executors_4[];

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        printf("Bail out! %s\n", cudaGetErrorString(code));
        exit(5);
    }
}

/* ---- Where elements are ---- */

/* The maps that the formulae of the file give. */
static struct {
    struct mapping_fragment fragment;
    struct mapping_map map;
} known[2048];
static size_t known_count;

static void read_maps(const char *path) {
    static char text[4 << 20];
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    struct results_reader reader = results_read(text);
    struct mapping_error error = {"no sections"};
    struct section section;
    bool more = size > 0;
    text[size] = '\0';
    while (more && results_next(&reader, &section, &more, &error) == MAPPING_OK && more) {
        known[known_count].fragment = section.fragment;
        if (section_map(&section, &known[known_count++].map, &error) != MAPPING_OK)
            break;
        section_free(&section);
    }
    if (known_count == 0 || *reader.next) {
        printf("Bail out! %s: %s\n", path, error.message);
        exit(5);
    }
    fclose(file);
}

/* The map of an operand; NULL if it is not in the file, or not in registers. */
static const struct mapping_map *map_of(const struct scene *scene, char operand) {
    const struct mapping_fragment *fragment = scene_find(scene, operand);
    for (size_t k = 0; fragment && k < known_count; k++)
        if (mapping_fragment_equal(&known[k].fragment, fragment))
            return &known[k].map;
    return NULL;
}

static bool are_known(const struct scene *scene) {
    for (size_t f = 0; f < scene->count; f++)
        if (!map_of(scene, scene->fragments[f].operand))
            return false;
    return true;
}

/* ---- Numbers ---- */

static unsigned random_number(unsigned limit) {
    return (unsigned)(rand() >> 5) % limit;
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

/* Matrices as they are: A as it is held, B whole; which row of B each element of A is multiplied
 * with; and what each index of the metadata says. */
static double a[BLOCKS][M][K], b[BLOCKS][K][N], c[BLOCKS][M][N];
static unsigned partner[M][K], field[M][K];

static uint32_t images[5][WORDS]; /* A, B, C, D, E */

/* Chooses which elements of each group of columns are held, in one row. The fields say it as they
 * are encoded: indices in ascending order. */
static void choose_partners(const struct scene *scene, uint32_t row) {
    uint32_t depth = scene_depth(scene);
    unsigned bits = mapping_type_bits(scene->opcode.a);
    for (uint32_t k = 0; k < depth && !scene_is_sparse(scene); k++)
        partner[row][k] = k;
    if (!scene_is_sparse(scene))
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
        field[row][2 * group] = first;
        field[row][2 * group + 1] = second;
        for (uint32_t n = 0; n < each; n++) {
            partner[row][2 * each * group + n] = each * (4 * group + first) + n;
            partner[row][2 * each * group + each + n] = each * (4 * group + second) + n;
        }
    }
}

/* Writes the registers of an operand. */
static void place(const struct scene *scene, char operand, enum mapping_type type,
                  uint32_t *image) {
    const struct mapping_map *map = map_of(scene, operand);
    unsigned width = scene_find(scene, operand)->bits;
    for (uint32_t entry = 0; entry < mapping_map_entries(map); entry++) {
        uint32_t row = map->plane[MAPPING_ROW][entry], col = map->plane[MAPPING_COL][entry];
        uint32_t block = map->plane[MAPPING_BLOCK] ? map->plane[MAPPING_BLOCK][entry] : 0;
        double value = operand == 'a'   ? a[block][row][col]
                       : operand == 'b' ? b[block][row][col]
                                        : c[block][row][col];
        image_put(image, entry, width, encode_value(type, value));
    }
}

/* Writes A or B as it lies in shared memory. */
static void place_shared(const struct scene *scene, char operand, uint32_t *image) {
    bool is_a = operand == 'a';
    enum mapping_type type = is_a ? scene->opcode.a : scene->opcode.b;
    uint32_t lines = is_a ? scene->opcode.shape.m : scene->opcode.shape.n;
    uint32_t depth = is_a ? scene_depth(scene) : scene->opcode.shape.k;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++)
            image_put(image, image_shared_place(scene, operand, line, k), mapping_type_bits(type),
                      encode_value(type, is_a ? a[0][line][k] : b[0][k][line]));
}

/* Writes the metadata; for selectors that are not chosen, other indices. */
static void place_metadata(const struct scene *scene, uint32_t selector, uint32_t *image) {
    const struct mapping_map *map = map_of(scene, 'e');
    unsigned width = scene_find(scene, 'e')->bits;
    uint32_t cells = mapping_map_cells(map);
    uint32_t *holders = malloc(mapping_map_entries(map) * sizeof *holders);
    if (!holders)
        exit(5);
    struct mapping_error error;
    if (mapping_map_invert(map, holders, &error) != MAPPING_OK)
        exit(5);
    for (uint32_t n = 0; n < mapping_map_entries(map); n += 2) {
        uint32_t row = n % cells / map->cols, col = n % map->cols;
        uint32_t fields[2] = {field[row][col], field[row][col + 1]};
        if (n / cells != selector && width == 4) {
            fields[0] = random_number(2) ? 0xe : 0x4;
        } else if (n / cells != selector) {
            fields[0] = random_number(3);
            fields[1] = fields[0] + 1 + random_number(3 - fields[0]);
        }
        for (unsigned o = 0; o < 2; o++)
            image_put(image, holders[n + o], width, fields[o]);
    }
    free(holders);
}

static void fill(const struct scene *scene) {
    const struct mapping_opcode *opcode = &scene->opcode;
    bool coarse = opcode->d == MAPPING_F16 || mapping_type_bits(opcode->a) == 8;
    uint32_t m = opcode->shape.m, n = opcode->shape.n, k = opcode->shape.k;
    for (uint32_t block = 0; block < scene_find(scene, 'd')->blocks; block++) {
        for (uint32_t row = 0; row < m; row++)
            for (uint32_t col = 0; col < scene_depth(scene); col++)
                a[block][row][col] = random_value(opcode->a, coarse);
        for (uint32_t row = 0; row < k; row++)
            for (uint32_t col = 0; col < n; col++)
                b[block][row][col] = random_value(opcode->b, coarse);
        for (uint32_t row = 0; row < m; row++)
            for (uint32_t col = 0; col < n; col++)
                c[block][row][col] = random_value(opcode->c, coarse);
    }
    for (uint32_t row = 0; row < m; row++)
        choose_partners(scene, row);
}

static double expected(const struct scene *scene, uint32_t block, uint32_t row, uint32_t col) {
    bool is_xor = strstr(scene->opcode.text, ".xor.") != NULL;
    double sum = c[block][row][col];
    for (uint32_t k = 0; k < scene_depth(scene); k++) {
        double x = a[block][row][k], y = b[block][partner[row][k]][col];
        sum += is_xor ? x != y : x * y;
    }
    return sum;
}

/* Runs the kernel once on the device. */
static void run(const struct executor *executor, const struct scene *scene, uint32_t selector,
                bool from_shared) {
    uint32_t *memory;
    unsigned threads = scene_is_wgmma(scene) ? 128 : 32;
    const struct executor_step step = {.opcode = (uint32_t)executor->opcode,
                                       .a = 0,
                                       .b = WORDS,
                                       .c = 2 * WORDS,
                                       .d = 3 * WORDS,
                                       .e = 4 * WORDS,
                                       .outputs = scene_find(scene, 'd')->registers,
                                       .selector = (uint16_t)selector,
                                       .from_shared = from_shared};
    check(cudaMalloc((void **)&memory, sizeof images + sizeof step));
    struct executor_step *steps = (struct executor_step *)(memory + sizeof images / sizeof *memory);
    check(cudaMemcpy(memory, images, sizeof images, cudaMemcpyHostToDevice));
    check(cudaMemcpy(steps, &step, sizeof step, cudaMemcpyHostToDevice));
    struct executor_job job = {memory, memory, steps};
    void *parameters[] = {&job};
    check(cudaLaunchKernel(executor->kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, parameters, 0,
                           NULL));
    check(cudaMemcpy(images[3], memory + 3 * WORDS, sizeof images[3], cudaMemcpyDeviceToHost));
    check(cudaFree(memory));
}

/* How many elements of D are wrong. */
static unsigned count_wrong(const struct scene *scene) {
    const struct mapping_map *map = map_of(scene, 'd');
    unsigned wrong = 0;
    for (uint32_t entry = 0; entry < mapping_map_entries(map); entry++) {
        uint32_t block = map->plane[MAPPING_BLOCK] ? map->plane[MAPPING_BLOCK][entry] : 0;
        double value = decode_value(scene->opcode.d,
                                    image_get(images[3], entry, scene_find(scene, 'd')->bits));
        wrong += !(value == expected(scene, block, map->plane[MAPPING_ROW][entry],
                                     map->plane[MAPPING_COL][entry]));
    }
    return wrong;
}

/* All products of one opcode: with every selector, and for wgmma with A in registers and in shared
 * memory. */
static unsigned multiply(const struct executor *executor, const struct scene *scene) {
    const struct mapping_map *e = map_of(scene, 'e');
    uint32_t selectors = e ? mapping_map_copies(e) : 1;
    unsigned wrong = 0;
    for (uint32_t selector = 0; selector < selectors; selector++)
        for (int from_shared = 0; from_shared <= scene_is_wgmma(scene); from_shared++) {
            memset(images, 0, sizeof images);
            memset(images[3], 0xa5, sizeof images[3]);
            fill(scene);
            if (from_shared)
                place_shared(scene, 'a', images[0]);
            else
                place(scene, 'a', scene->opcode.a, images[0]);
            if (scene_is_wgmma(scene))
                place_shared(scene, 'b', images[1]);
            else
                place(scene, 'b', scene->opcode.b, images[1]);
            place(scene, scene_is_wgmma(scene) ? 'd' : 'c', scene->opcode.c, images[2]);
            if (e)
                place_metadata(scene, selector, images[4]);
            run(executor, scene, selector, from_shared);
            wrong += count_wrong(scene);
        }
    return wrong;
}

int main(int argc, char **argv) {
    const struct executor *const parts[] = {executors_0, executors_1, executors_2, executors_3,
                                            executors_4};
    unsigned number = 0, failures = 0;
    if (argc != 3)
        return 2;
    unsigned arch = (unsigned)strtoul(argv[2], NULL, 10);
    read_maps(argv[1]);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (const struct executor *executor = parts[p]; executor->name; executor++) {
            struct mapping_opcode opcode;
            mapping_opcode_at(executor->opcode, &opcode);
            bool on = opcode.since <= arch && (!opcode.until || arch <= opcode.until);
            const struct scene scene = scene_of(&opcode);
            if (!scene_multiplies(&scene) || !on)
                continue;
            bool found = are_known(&scene);
            unsigned wrong = found ? multiply(executor, &scene) : 0;
            bool good = found && wrong == 0;
            printf("%sok %u - %s\n", good ? "" : "not ", ++number, opcode.text);
            if (!found)
                printf("# there are no formulae for one of its operands\n");
            else if (wrong > 0)
                printf("# %u elements of D are wrong\n", wrong);
            failures += !good;
        }
    printf("1..%u\n", number);
    return failures > 0;
}
