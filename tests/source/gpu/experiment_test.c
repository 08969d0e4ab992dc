/* experiment_test.c - the layouts that the gpu source derives, without a GPU.
 *
 * A model of each instruction replaces the device: it reads registers and memory by its own
 * layouts, multiplies or moves the matrices, and stores numbers. The observed layouts must be those
 * of the model: the layouts of the PTX ISA, and others, in which two entries of one operand are
 * exchanged. wmma has no stated layouts, so its model has invented ones. */
#include "sample.h"
#include "source/gpu/experiment.h"
#include "source/source.h"
#include "values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 64, N = 256, K = 256, MATRICES = 4 };

/* The model's layouts, and the matrices of one run. */
static struct mapping_layout layouts[MAPPING_OPERANDS];
static double a[MATRICES][M][K], b[MATRICES][K][N], c[MATRICES][M][N];
static uint32_t fields[M][K];

static uint32_t row_at(const struct mapping_layout *layout, size_t entry) {
    return layout->coordinate[layout->to.count - 2][entry];
}

static uint32_t col_at(const struct mapping_layout *layout, size_t entry) {
    return layout->coordinate[layout->to.count - 1][entry];
}

static uint32_t block_at(const struct mapping_layout *layout, size_t entry) {
    return layout->to.count > 2 ? layout->coordinate[0][entry] : 0;
}

static uint32_t cells_of(const struct mapping_layout *layout) {
    return (uint32_t)mapping_space_size(&layout->to);
}

/* ---- The model ---- */

/* Reads the registers of an operand. */
static void read_registers(const struct operands *operands, enum mapping_operand operand,
                           enum mapping_type type, const uint32_t *words) {
    const struct mapping_layout *layout = &layouts[operand];
    unsigned bits = operands_find(operands, operand)->bits;
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        uint32_t block = block_at(layout, entry), row = row_at(layout, entry),
                 col = col_at(layout, entry);
        double value = decode_value(type, element_get(words, entry, bits));
        *(operand == MAPPING_A   ? &a[block][row][col]
          : operand == MAPPING_B ? &b[block][row][col]
                                 : &c[block][row][col]) = value;
    }
}

static void read_shared(const struct operands *operands, enum mapping_operand operand,
                        const uint32_t *words) {
    bool is_a = operand == MAPPING_A;
    enum mapping_type type = is_a ? operands->opcode.a : operands->opcode.b;
    uint32_t lines = is_a ? operands->opcode.shape.m : operands->opcode.shape.n;
    uint32_t depth = is_a ? operands_depth(operands) : operands->opcode.shape.k;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            size_t place = operands_place_in_shared(operands, operand, line, k);
            *(is_a ? &a[0][line][k] : &b[0][k][line]) =
                decode_value(type, element_get(words, place, mapping_type_bits(type)));
        }
}

/* Reads the metadata that a selector chooses: the copies of each index come in ascending order. */
static void read_metadata(const struct operands *operands, uint32_t selector,
                          const uint32_t *words) {
    const struct mapping_layout *layout = &layouts[MAPPING_E];
    uint32_t *met = calloc(cells_of(layout), sizeof *met);
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++)
        if (met[mapping_layout_target(layout, entry)]++ == selector)
            fields[row_at(layout, entry)][col_at(layout, entry)] =
                (uint32_t)element_get(words, entry, operands_find(operands, MAPPING_E)->bits);
    free(met);
}

/* The row of B that an element of A is multiplied with (PTX ISA, "Sparse matrix storage"). */
static uint32_t partner(const struct operands *operands, uint32_t row, uint32_t k) {
    if (!operands_are_sparse(operands))
        return k;
    switch (mapping_type_bits(operands->opcode.a)) {
    case 32:
        return 2 * k + (fields[row][k] == 0xe);
    case 4:
        return k / 4 * 8 + 2 * fields[row][k / 2] + k % 2;
    default:
        return k / 2 * 4 + fields[row][k];
    }
}

/* Writes number `n` of a run. */
static void write_number(const struct experiment *experiment, uint32_t *stored, size_t n,
                         double value) {
    element_put(stored, n, mapping_type_bits(experiment->type),
                encode_value(experiment->type, value));
}

/* The part of D that a run stores. */
static void multiply(const struct operands *operands, const struct experiment *experiment,
                     uint32_t *stored) {
    const struct mapping_layout *d = &layouts[MAPPING_D];
    const struct mapping_fragment *fragment = operands_find(operands, MAPPING_D);
    uint32_t elements = experiment->numbers / fragment->threads;
    for (uint32_t n = 0; n < experiment->numbers; n++) {
        uint32_t entry = n / elements * fragment->elements + n % elements;
        uint32_t block = block_at(d, entry), row = row_at(d, entry), col = col_at(d, entry);
        double sum = operands_read_shared(operands) ? 0 : c[block][row][col];
        for (uint32_t k = 0; k < operands_depth(operands); k++)
            sum += a[block][row][k] * b[block][partner(operands, row, k)][col];
        write_number(experiment, stored, n, sum);
    }
}

static void execute_multiplication(const struct operands *operands,
                                   const struct experiment *experiment, const struct run *run,
                                   const uint32_t *words, uint32_t *stored) {
    bool is_wgmma = operands_read_shared(operands);
    uint32_t selector = (run->row - row_number(operands->number, (struct variant){0})) / 4;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    if (run->words_a > 0)
        read_shared(operands, MAPPING_A, words + run->a);
    else
        read_registers(operands, MAPPING_A, operands->opcode.a, words + run->a);
    if (is_wgmma)
        read_shared(operands, MAPPING_B, words + run->b);
    else
        read_registers(operands, MAPPING_B, operands->opcode.b, words + run->b);
    if (!is_wgmma)
        read_registers(operands, MAPPING_C, operands->opcode.c, words + run->c);
    if (operands_are_sparse(operands))
        read_metadata(operands, selector, words + run->e);
    multiply(operands, experiment, stored);
}

/* ldmatrix, stmatrix and movmatrix. */
static void execute_move(const struct operands *operands, const struct run *run,
                         const uint32_t *words, uint32_t *stored) {
    const struct mapping_layout *r = &layouts[MAPPING_R], *p = &layouts[MAPPING_P];
    if (operands->opcode.instruction == MAPPING_MOVMATRIX) {
        for (uint32_t to = 0; to < 64; to++)
            for (uint32_t from = 0; from < 64; from++)
                if (mapping_layout_target(&layouts[MAPPING_A], from) ==
                    mapping_layout_target(&layouts[MAPPING_D], to))
                    element_put(stored, to, 16, element_get(words + run->c, from, 16));
        return;
    }
    bool stores = operands->opcode.instruction == MAPPING_STMATRIX;
    for (uint32_t n = 0; n < 256 && stores; n++)
        element_put(stored, n, 16, element_get(words + run->b, n, 16));
    for (size_t entry = 0; entry < mapping_layout_entries(r); entry++)
        for (size_t tid = 0; tid < mapping_layout_entries(p); tid++) {
            uint32_t place = words[run->a + tid] / 2 + col_at(r, entry);
            if (block_at(p, tid) != block_at(r, entry) || row_at(p, tid) != row_at(r, entry))
                continue;
            if (stores)
                element_put(stored, place, 16, element_get(words + run->c, entry, 16));
            else
                element_put(stored, entry, 16, element_get(words + run->b, place, 16));
        }
}

/* load_matrix_sync, or for D store_matrix_sync. */
static void execute_wmma(const struct operands *operands, const struct experiment *experiment,
                         const struct run *run, const uint32_t *words, uint32_t *stored) {
    const struct mapping_fragment *fragment = &operands->fragments[0];
    const struct mapping_layout *layout = &layouts[fragment->operand];
    bool is_store = fragment->operand == MAPPING_D;
    bool by_col =
        fragment->order == MAPPING_COL_MAJOR || run->row == wmma_row_number(operands->number, 1);
    unsigned bits = mapping_type_bits(fragment->type);
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        uint32_t row = row_at(layout, entry), col = col_at(layout, entry);
        size_t place = by_col ? row + col * fragment->rows : row * fragment->cols + col;
        double value = decode_value(fragment->type,
                                    element_get(words + run->a, is_store ? entry : place, bits));
        write_number(experiment, stored, is_store ? place : entry, value);
    }
}

/* Executes all runs on the model, and returns the words that they store. */
static uint32_t *execute(const struct experiment *experiment, const uint32_t *words) {
    const struct operands *operands = &experiment->operands;
    uint32_t *stored = calloc(experiment->count * experiment->words, sizeof *stored);
    for (size_t r = 0; r < experiment->count; r++) {
        const struct run *run = &experiment->runs[r];
        uint32_t *to = stored + r * experiment->words;
        if (operands->opcode.instruction == MAPPING_WMMA)
            execute_wmma(operands, experiment, run, words, to);
        else if (operands_are_multiplied(operands))
            execute_multiplication(operands, experiment, run, words, to);
        else
            execute_move(operands, run, words, to);
    }
    return stored;
}

/* ---- Tests ---- */

/* Observes an operand of the model. */
static void observe(const struct operands *operands, enum mapping_operand operand) {
    struct contents contents = {.words = NULL};
    struct experiment experiment = {.runs = NULL};
    struct mapping_layout layout = {.from = {0}};
    struct mapping_error error = {""};
    const char *text = operands->opcode.text, *name = mapping_operand_name(operand);
    experiment_plan(operands, operand, &contents, &experiment);
    uint32_t *stored = execute(&experiment, contents.words);
    if (experiment_read(&experiment, stored, &layout, &error) != MAPPING_OK)
        fail_msg("%s, %s: %s", text, name, error.message);
    if (!layout_equal(&layout, &layouts[operand]))
        fail_msg("%s, %s: the layout is another", text, name);
    mapping_layout_free(&layout);
    free(stored);
    experiment_free(&experiment);
    contents_free(&contents);
}

/* Exchanges two entries of a layout; for metadata, those of indices of one kind in all copies. */
static void swap(struct mapping_layout *layout, enum mapping_operand operand) {
    size_t last = mapping_layout_entries(layout) - (operand == MAPPING_E ? 2 : 1);
    size_t cells[] = {mapping_layout_target(layout, 0), mapping_layout_target(layout, last)};
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        uint32_t point[MAPPING_AXES_MAX];
        size_t cell = mapping_layout_target(layout, entry);
        if (cell != cells[0] && cell != cells[1])
            continue;
        mapping_space_point(&layout->to, cell == cells[0] ? cells[1] : cells[0], point);
        for (uint32_t axis = 0; axis < layout->to.count; axis++)
            layout->coordinate[axis][entry] = point[axis];
    }
}

/* A layout that no wmma has: element n of the matrix in the entries n * 5 + 3, modulo its size. */
static void make_up(const struct mapping_fragment *fragment, struct mapping_layout *layout) {
    struct mapping_space from, to;
    struct mapping_error error;
    mapping_fragment_spaces(fragment, &from, &to);
    assert_int_equal(mapping_layout_init(layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(&to, (5 * entry + 3) % cells_of(layout), point);
        for (uint32_t axis = 0; axis < to.count; axis++)
            layout->coordinate[axis][entry] = point[axis];
    }
}

typedef void test_function(const struct operands *operands, enum mapping_operand operand);

/* Calls `test` for each operand of an instruction. */
static void test_operands(const struct operands *operands, test_function *test) {
    for (size_t f = 0; f < operands->count; f++) {
        struct mapping_layout *layout = &layouts[operands->fragments[f].operand];
        struct mapping_error error;
        if (operands->opcode.instruction == MAPPING_WMMA)
            make_up(&operands->fragments[f], layout);
        else
            assert_int_equal(mapping_fragment_state(&operands->fragments[f], layout, &error),
                             MAPPING_OK);
    }
    for (size_t f = 0; f < operands->count; f++)
        test(operands, operands->fragments[f].operand);
    for (size_t f = 0; f < operands->count; f++)
        mapping_layout_free(&layouts[operands->fragments[f].operand]);
}

/* True of opcodes that are tried: of wgmma widths 8 and 40, not all types, and nothing that there
 * are no kernels for. */
static bool is_tried(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    if (operands_read_shared(operands) && opcode->shape.n != 8 && opcode->shape.n != 40)
        return false;
    return operands_have_kernels(operands) && opcode->a == opcode->b &&
           !strstr(opcode->text, ".xor.");
}

/* Every operand of the opcodes that are tried: of each instruction one with elements of each size,
 * and of all others a sample. */
static void for_each_operand(test_function *test) {
    struct operands operands;
    struct mapping_fragment fragment;
    uint64_t seen[MAPPING_INSTRUCTIONS] = {0}; /* sizes in bits, up to 64 */
    size_t candidates = 0, count = 0, step = one_in(29, 29);
    for (size_t number = 0; operands_of_opcode(number, &operands); number++) {
        if (!is_tried(&operands))
            continue;
        uint64_t *sizes = &seen[operands.opcode.instruction],
                 size = UINT64_C(1) << (mapping_type_bits(operands.opcode.a) - 1);
        if (!(*sizes & size) || is_in_sample(candidates++, step))
            test_operands(&operands, test), count++;
        *sizes |= size;
    }
    for (size_t number = 0; mapping_catalogue_at(number, &fragment); number++)
        if (operands_of_wmma(number, &operands) && is_in_sample(candidates++, step))
            test_operands(&operands, test), count++;
    assert_true(count > 4);
}

static void what_is_stated_is_observed(void **state) {
    (void)state;
    for_each_operand(observe);
}

static void observe_swapped(const struct operands *operands, enum mapping_operand operand) {
    swap(&layouts[operand], operand);
    observe(operands, operand);
    swap(&layouts[operand], operand);
}

static void what_is_different_is_observed_too(void **state) {
    (void)state;
    for_each_operand(observe_swapped);
}

/* True if no layout can be made from the words that the runs stored. */
static bool is_refused(const struct experiment *experiment, const uint32_t *stored) {
    struct mapping_layout layout = {.from = {0}};
    struct mapping_error error;
    bool is_refused = experiment_read(experiment, stored, &layout, &error) != MAPPING_OK ||
                      mapping_layout_check(&layout, &error) != MAPPING_OK;
    mapping_layout_free(&layout);
    return is_refused;
}

/* Wrong numbers are refused in every place: the same number everywhere, POISON, fractions, negative
 * numbers, and integers that no experiment uses. */
static void refuse_nonsense(const struct operands *operands, enum mapping_operand operand) {
    struct contents contents = {.words = NULL};
    struct experiment experiment = {.runs = NULL};
    unsigned exponent_bits, mantissa_bits;
    experiment_plan(operands, operand, &contents, &experiment);
    const enum mapping_type type = experiment.type;
    const size_t size = experiment.count * experiment.words * sizeof(uint32_t);
    const bool is_floating = floating(type, &exponent_bits, &mantissa_bits) ||
                             type == MAPPING_F32 || type == MAPPING_TF32 || type == MAPPING_F64;
    uint32_t *stored = execute(&experiment, contents.words);
    for (int kind = 0; kind < 2 && type != MAPPING_B1; kind++) {
        uint32_t *spoiled = malloc(size);
        uint32_t *last = memcpy(spoiled, stored, size);
        last += (experiment.count - 1) * experiment.words;
        for (size_t n = 0; n < experiment.numbers; n++) {
            double value = decode_value(type, element_get(last, n, mapping_type_bits(type)));
            write_number(&experiment, last, n,
                         !is_floating ? value + number_largest(type) + 1
                         : kind == 0  ? value + 0.5
                                      : -value);
        }
        assert_true(is_refused(&experiment, spoiled));
        free(spoiled);
    }
    for (int byte = 0; byte < 3; byte++) {
        memset(stored, (const int[]){0, POISON, 0xff}[byte], size);
        assert_true(is_refused(&experiment, stored));
    }
    for (size_t n = 0; n < experiment.count * experiment.numbers; n++)
        write_number(&experiment, stored, n, 1);
    assert_true(is_refused(&experiment, stored));
    free(stored);
    experiment_free(&experiment);
    contents_free(&contents);
}

static void nonsense_is_no_layout(void **state) {
    (void)state;
    for_each_operand(refuse_nonsense);
}

/* The numbers of two elements in column-major memory are exchanged. */
static void refuse_disagreement(const struct operands *operands, enum mapping_operand operand) {
    struct contents contents = {.words = NULL};
    struct experiment experiment = {.runs = NULL};
    struct mapping_layout layout = {.from = {0}};
    struct mapping_error error = {""};
    if (operands->opcode.instruction != MAPPING_WMMA ||
        operands->fragments[0].order != MAPPING_NO_ORDER)
        return;
    experiment_plan(operands, operand, &contents, &experiment);
    uint32_t *stored = execute(&experiment, contents.words);
    uint32_t *second = stored + (experiment.count - 1) * experiment.words;
    const unsigned bits = mapping_type_bits(experiment.type);
    uint64_t first = element_get(second, 0, bits);
    element_put(second, 0, bits, element_get(second, 1, bits));
    element_put(second, 1, bits, first);
    assert_int_equal(experiment_read(&experiment, stored, &layout, &error), MAPPING_FAILED);
    assert_string_equal(error.message, "row-major and column-major memory give different layouts");
    mapping_layout_free(&layout);
    free(stored);
    experiment_free(&experiment);
    contents_free(&contents);
}

static void both_memory_orders_of_wmma_have_to_agree(void **state) {
    (void)state;
    for_each_operand(refuse_disagreement);
}

/* ---- Numbers on which host and device agree ---- */

static void numbers_are_encoded_as_their_types_hold_them(void **state) {
    (void)state;
    assert_int_equal(number_encode(MAPPING_F16, 3), 0x4200);
    for (int type = 0; type < MAPPING_TYPES; type++) {
        if ((type >= MAPPING_E3M2 && type <= MAPPING_UE4M3) || type == MAPPING_B16)
            continue; /* there are no kernels for these; 16 bits are no number */
        for (uint32_t number = 0; number <= number_largest((enum mapping_type)type); number++)
            assert_int_equal(number_encode((enum mapping_type)type, number),
                             encode_value((enum mapping_type)type, number));
    }
}

static void digits_are_as_many_as_it_takes(void **state) {
    (void)state;
    assert_int_equal(number_digits(1, 1), 1);
    assert_int_equal(number_digits(2, 1), 2);
    assert_int_equal(number_digits(16, 16), 1);
    assert_int_equal(number_digits(17, 16), 2);
    assert_int_equal(number_digits(288, 16), 2);
    assert_int_equal(number_digits(512, 16), 3);
    assert_int_equal(number_digit(289 * 5 + 17 * 4 + 3, 1, 16), 4);
    assert_int_equal(number_digit(289 * 5 + 17 * 4 + 3, 2, 16), 5);
}

static void every_lane_points_at_a_slot_of_its_own(void **state) {
    bool is_taken[SLOTS] = {false};
    (void)state;
    for (uint32_t lane = 0; lane < WARP; lane++) {
        assert_false(is_taken[slot_of(lane)]);
        is_taken[slot_of(lane)] = true;
    }
}

/* ---- Coverage ---- */

/* But for ldmatrix.m8n16 of s4, which is younger than the nvcc that was at hand. */
static void there_are_kernels_for_all_before_sm_100(void **state) {
    struct mapping_fragment fragment;
    (void)state;
    for (size_t n = 0; mapping_catalogue_at(n, &fragment); n++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragment, name);
        if (gpu_covers(90, &fragment) != (fragment.since < 100 && fragment.ptx < 94))
            fail_msg("%s has a kernel, or has none", name);
    }
}

static void a_fragment_is_observed_with_an_opcode_that_has_it(void **state) {
    struct mapping_fragment fragment;
    struct operands operands;
    (void)state;
    for (size_t n = 0; mapping_catalogue_at(n, &fragment); n++) {
        if (!experiment_find(&fragment, &operands))
            continue;
        assert_true(mapping_fragment_equal(operands_find(&operands, fragment.operand), &fragment));
        assert_true(number_largest(fragment.type) > 0);
        if (fragment.type != MAPPING_B1 && fragment.shape.k != 128)
            assert_int_equal(operands.opcode.since, fragment.since);
    }
}

/* It has only mma of b1 with an exclusive or, which shows no layout. */
static void sm_75_cannot_observe_b1_of_mma(void **state) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    (void)state;
    assert_int_equal(mapping_catalogue_find("mma.m8n8k128.a.b1", found), 1);
    assert_int_equal(found[0].since, 75);
    assert_false(gpu_covers(75, &found[0]));
    assert_true(gpu_covers(80, &found[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stated_is_observed),
        cmocka_unit_test(what_is_different_is_observed_too),
        cmocka_unit_test(nonsense_is_no_layout),
        cmocka_unit_test(both_memory_orders_of_wmma_have_to_agree),
        cmocka_unit_test(numbers_are_encoded_as_their_types_hold_them),
        cmocka_unit_test(digits_are_as_many_as_it_takes),
        cmocka_unit_test(every_lane_points_at_a_slot_of_its_own),
        cmocka_unit_test(there_are_kernels_for_all_before_sm_100),
        cmocka_unit_test(a_fragment_is_observed_with_an_opcode_that_has_it),
        cmocka_unit_test(sm_75_cannot_observe_b1_of_mma),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
