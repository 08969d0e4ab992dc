/* observe_test.c - what the gpu source makes of what instructions do, without a GPU.
 *
 * A model of each instruction stands in for the device: it takes registers and shared memory apart
 * with maps of its own, multiplies the matrices, and writes D. What is observed has to be the
 * model's maps: those that the PTX ISA states, and others, where two entries of one operand have
 * changed places. */
#include "gpu/observe.h"
#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 64, N = 256, K = 256, MATRICES = 4 };

/* The model's maps, by letter, and the matrices of one step. */
static struct mapping_map maps[128];
static double a[MATRICES][M][K], b[MATRICES][K][N], c[MATRICES][M][N];
static uint32_t fields[M][K];

static uint32_t block_at(const struct mapping_map *map, uint32_t entry) {
    return map->plane[MAPPING_BLOCK] ? map->plane[MAPPING_BLOCK][entry] : 0;
}

/* Reads the registers of an operand. */
static void read_registers(const struct scene *scene, char operand, enum mapping_type type,
                           const uint32_t *image) {
    const struct mapping_map *map = &maps[(int)operand];
    const struct mapping_fragment *fragment = scene_find(scene, operand);
    for (uint32_t entry = 0; entry < mapping_map_entries(map); entry++) {
        uint32_t row = map->plane[MAPPING_ROW][entry], col = map->plane[MAPPING_COL][entry];
        double value = decode_value(type, image_get(image, entry, fragment->bits));
        if (operand == 'a')
            a[block_at(map, entry)][row][col] = value;
        else if (operand == 'b')
            b[block_at(map, entry)][row][col] = value;
        else
            c[block_at(map, entry)][row][col] = value;
    }
}

static void read_shared(const struct scene *scene, char operand, const uint32_t *image) {
    bool is_a = operand == 'a';
    enum mapping_type type = is_a ? scene->opcode.a : scene->opcode.b;
    uint32_t lines = is_a ? scene->opcode.shape.m : scene->opcode.shape.n;
    uint32_t depth = is_a ? scene_depth(scene) : scene->opcode.shape.k;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            double value =
                decode_value(type, image_get(image, image_shared_place(scene, operand, line, k),
                                             mapping_type_bits(type)));
            *(is_a ? &a[0][line][k] : &b[0][k][line]) = value;
        }
}

/* Reads the metadata that a selector chooses: the copies of each index come in ascending order. */
static void read_metadata(const struct scene *scene, uint32_t selector, const uint32_t *image) {
    const struct mapping_map *map = &maps['e'];
    uint32_t *holders = malloc(mapping_map_entries(map) * sizeof *holders);
    struct mapping_error error;
    assert_int_equal(mapping_map_invert(map, holders, &error), MAPPING_OK);
    for (uint32_t cell = 0; cell < mapping_map_cells(map); cell++)
        fields[cell / map->cols][cell % map->cols] = (uint32_t)image_get(
            image, holders[selector * mapping_map_cells(map) + cell], scene_find(scene, 'e')->bits);
    free(holders);
}

/* The row of B that an element of A is multiplied with (PTX ISA, "Sparse matrix storage"). */
static uint32_t partner(const struct scene *scene, uint32_t row, uint32_t k) {
    if (!scene_is_sparse(scene))
        return k;
    switch (mapping_type_bits(scene->opcode.a)) {
    case 32:
        return 2 * k + (fields[row][k] == 0xe);
    case 4:
        return k / 4 * 8 + 2 * fields[row][k / 2] + k % 2;
    default:
        return k / 2 * 4 + fields[row][k];
    }
}

/* D of one step, as numbers. */
static void multiply(const struct scene *scene, const struct plan *plan, uint8_t *numbers) {
    const struct mapping_map *d = &maps['d'];
    uint32_t elements = plan->numbers / d->threads;
    for (uint32_t tid = 0; tid < d->threads; tid++)
        for (uint32_t i = 0; i < elements; i++) {
            uint32_t entry = tid * d->elements + i, block = block_at(d, entry);
            uint32_t row = d->plane[MAPPING_ROW][entry], col = d->plane[MAPPING_COL][entry];
            double sum = scene_is_wgmma(scene) ? 0 : c[block][row][col];
            for (uint32_t k = 0; k < scene_depth(scene); k++)
                sum += a[block][row][k] * b[block][partner(scene, row, k)][col];
            if (plan->bytes == 1)
                numbers[tid * elements + i] = (uint8_t)sum;
            else
                ((uint16_t *)numbers)[tid * elements + i] = (uint16_t)sum;
        }
}

/* ldmatrix, stmatrix and movmatrix. */
static void move(const struct scene *scene, const uint32_t *words, const struct executor_step *step,
                 uint16_t *numbers) {
    const struct mapping_map *r = &maps['r'], *p = &maps['p'];
    if (scene->opcode.instruction == MAPPING_MOVMATRIX) {
        for (uint32_t to = 0; to < 64; to++)
            for (uint32_t from = 0; from < 64; from++)
                if (mapping_map_cell(&maps['a'], from) == mapping_map_cell(&maps['d'], to))
                    numbers[to] = (uint16_t)image_get(words + step->a, from, 16);
        return;
    }
    bool stores = scene->opcode.instruction == MAPPING_STMATRIX;
    for (uint32_t n = 0; n < 256 && stores; n++)
        numbers[n] = (uint16_t)image_get(words + step->b, n, 16);
    for (uint32_t entry = 0; entry < mapping_map_entries(r); entry++)
        for (uint32_t tid = 0; tid < p->threads; tid++) {
            uint32_t place = words[step->a + tid] / 2 + r->plane[MAPPING_COL][entry];
            if (block_at(p, tid) != block_at(r, entry) ||
                p->plane[MAPPING_ROW][tid] != r->plane[MAPPING_ROW][entry])
                continue;
            if (stores)
                numbers[place] = (uint16_t)image_get(words + step->c, entry, 16);
            else
                numbers[entry] = (uint16_t)image_get(words + step->b, place, 16);
        }
}

/* One step on the model. */
static void execute(const struct scene *scene, const struct plan *plan, const uint32_t *words,
                    size_t step_number, uint8_t *numbers) {
    const struct executor_step *step = &plan->steps[step_number];
    numbers += step_number * plan->numbers * plan->bytes;
    if (!scene_multiplies(scene)) {
        move(scene, words, step, (uint16_t *)numbers);
        return;
    }
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    if (step->from_shared)
        read_shared(scene, 'a', words + step->a);
    else
        read_registers(scene, 'a', scene->opcode.a, words + step->a);
    if (scene_is_wgmma(scene))
        read_shared(scene, 'b', words + step->b);
    else
        read_registers(scene, 'b', scene->opcode.b, words + step->b);
    if (!scene_is_wgmma(scene))
        read_registers(scene, 'c', scene->opcode.c, words + step->c);
    if (scene_is_sparse(scene))
        read_metadata(scene, step->selector, words + step->e);
    multiply(scene, plan, numbers);
}

/* Observes an operand of the model. */
static void observe(const struct scene *scene, char operand) {
    struct images images = {.words = NULL};
    struct plan plan = {.steps = NULL};
    struct mapping_map map;
    struct mapping_error error = {""};
    assert_int_equal(observe_plan(scene, operand, &images, &plan, &error), MAPPING_OK);
    uint8_t *numbers = calloc(plan.count * plan.numbers, plan.bytes);
    for (size_t step = 0; step < plan.count; step++)
        execute(scene, &plan, images.words, step, numbers);
    if (observe_read(scene, operand, &plan, numbers, &map, &error) != MAPPING_OK)
        fail_msg("%s, %c: %s", scene->opcode.text, operand, error.message);
    if (!mapping_map_equal(&map, &maps[(int)operand]))
        fail_msg("%s, %c: the map is another", scene->opcode.text, operand);
    mapping_map_free(&map);
    free(numbers);
    plan_free(&plan);
    images_free(&images);
}

/* Lets two entries of a map change places; of metadata, in all copies, those of indices of one
 * kind. */
static void swap(struct mapping_map *map, char operand) {
    uint32_t first = 0, second = (uint32_t)mapping_map_entries(map) - (operand == 'e' ? 2 : 1);
    uint32_t cells[] = {mapping_map_cell(map, first), mapping_map_cell(map, second)};
    for (uint32_t entry = 0; entry < mapping_map_entries(map); entry++) {
        uint32_t cell = mapping_map_cell(map, entry);
        if (cell != cells[0] && cell != cells[1])
            continue;
        cell = cell == cells[0] ? cells[1] : cells[0];
        map->plane[MAPPING_ROW][entry] = cell / map->cols % map->rows;
        map->plane[MAPPING_COL][entry] = cell % map->cols;
        if (map->plane[MAPPING_BLOCK])
            map->plane[MAPPING_BLOCK][entry] = cell / map->cols / map->rows;
    }
}

/* Calls `test` for each operand of opcodes: of wgmma with widths 8 and 40, and not all types; not
 * of what there are no kernels for. */
static void for_each_operand(void (*test)(const struct scene *scene, char operand)) {
    struct mapping_opcode opcode;
    unsigned count = 0, candidates = 0, stride = getenv("VALGRIND") ? 29 : 1;
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        bool wgmma = opcode.until != 0;
        if (opcode.since >= 120 || (wgmma && opcode.shape.n != 8 && opcode.shape.n != 40) ||
            opcode.a != opcode.b || strstr(opcode.text, ".xor."))
            continue;
        if (candidates++ % stride != 0)
            continue;
        const struct scene scene = scene_of(&opcode);
        for (size_t f = 0; f < scene.count; f++)
            assert_true(
                mapping_map_state(&maps[(int)scene.fragments[f].operand], &scene.fragments[f]));
        for (size_t f = 0; f < scene.count; f++, count++)
            test(&scene, scene.fragments[f].operand);
        for (size_t f = 0; f < scene.count; f++)
            mapping_map_free(&maps[(int)scene.fragments[f].operand]);
    }
    assert_true(count > 10);
}

static void what_is_stated_is_observed(void **state) {
    (void)state;
    for_each_operand(observe);
}

static void observe_swapped(const struct scene *scene, char operand) {
    swap(&maps[(int)operand], operand);
    observe(scene, operand);
    swap(&maps[(int)operand], operand);
}

static void what_is_different_is_observed_too(void **state) {
    (void)state;
    for_each_operand(observe_swapped);
}

/* Numbers that make no sense are refused, wherever they are. */
static void nonsense_is_refused(const struct scene *scene, char operand) {
    struct images images = {.words = NULL};
    struct plan plan = {.steps = NULL};
    struct mapping_error error;
    assert_int_equal(observe_plan(scene, operand, &images, &plan, &error), MAPPING_OK);
    size_t size = plan.count * plan.numbers * plan.bytes;
    uint8_t *numbers = malloc(size);
    for (int byte = 0; byte < 3; byte++) {
        struct mapping_map map = {.threads = 0};
        memset(numbers, (const int[]){0, 1, 0xff}[byte], size);
        assert_true(observe_read(scene, operand, &plan, numbers, &map, &error) != MAPPING_OK ||
                    mapping_map_check(&map, &error) != MAPPING_OK);
        mapping_map_free(&map);
    }
    free(numbers);
    plan_free(&plan);
    images_free(&images);
}

static void nonsense_is_no_map(void **state) {
    (void)state;
    for_each_operand(nonsense_is_refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stated_is_observed),
        cmocka_unit_test(what_is_different_is_observed_too),
        cmocka_unit_test(nonsense_is_no_map),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
