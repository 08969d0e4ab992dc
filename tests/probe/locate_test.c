/* locate_test.c - maps of made-up samples: which of several maps is found, and what its findings
 * count. Expected values: the rules by which the samples are made. */
#include "probe/locate.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A matrix in which some elements come from another column. */
struct matrix {
    uint32_t rows, cols;
    uint32_t first, end; /* rows with wrong elements */
    uint32_t by;         /* column ^ by */
    uint32_t behind;     /* column ^ behind in all rows from `end` on */
    bool agrees, is_late;
    size_t asked;
};

static bool sample_of(const struct map *map, uint64_t element, struct sample *sample,
                      bool *is_wrong) {
    const struct matrix *matrix = map->context;
    const uint32_t row = (uint32_t)(element / matrix->cols),
                   col = (uint32_t)(element % matrix->cols);
    const uint32_t by = row < matrix->first ? 0 : row < matrix->end ? matrix->by : matrix->behind;
    *sample = (struct sample){.in = {row, col}};
    if (!is_wrong || row == 3) /* nothing is known of row 3 */
        return false;
    *is_wrong = by != 0;
    sample->out[0] = row;
    sample->out[1] = col ^ by;
    return true;
}

static bool agrees(struct map *map) {
    struct matrix *matrix = map->context;
    matrix->asked++;
    return matrix->agrees;
}

static bool is_late(const struct map *map) {
    return ((const struct matrix *)map->context)->is_late;
}

static void note(const struct map *map, uint64_t element, struct finding *finding) {
    struct sample sample;
    bool is_wrong;
    if (sample_of(map, element, &sample, &is_wrong) && is_wrong)
        finding_note(finding, sample.in[0], sample.in[1]);
}

static void name(const struct map *map, struct piece *piece, struct finding *finding) {
    struct printer text = {.text = NULL};
    finding->name = "moved";
    function_print(&text, &map->space, &piece->out[1]);
    piece_print(&text, &map->space, piece);
    finding->text = printer_string(&text);
}

static struct map map_of(struct matrix *matrix) {
    return (struct map){.context = matrix,
                        .space = {.in_size = {matrix->rows, matrix->cols, 1},
                                  .in_name = {"row", "col", "k"},
                                  .outs = 2,
                                  .out_size = {matrix->rows, matrix->cols},
                                  .right = {0, 1}},
                        .elements = (uint64_t)matrix->rows * matrix->cols,
                        .free_input = FIT_NO_INPUT,
                        .sample = sample_of,
                        .note = note,
                        .name = name};
}

static void a_finding_counts_the_elements_of_its_piece(void **state) {
    struct matrix matrix = {.rows = 64, .cols = 32, .first = 24, .end = 64, .by = 4};
    struct findings findings = {.count = 0};
    (void)state;
    arena_begin();
    struct map map = map_of(&matrix);
    assert_ptr_equal(maps_find(&map, 1), &map);
    assert_int_equal(map.count, 63 * 32); /* without row 3 */
    map_report(&map, &findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.item[0].count, 40 * 32);
    assert_true(findings.item[0].is_explained);
    assert_string_equal(findings.item[0].text, "col ^ 4 where row >= 24");
    uint32_t out[FIT_OUTPUTS];
    map_values(&map, (uint32_t[FIT_INPUTS]){40, 3}, out);
    assert_int_equal(out[0], 40);
    assert_int_equal(out[1], 7);
    mapping_arena_end();
}

static void each_element_is_of_one_finding(void **state) {
    struct matrix matrix = {.rows = 64, .cols = 32, .first = 24, .end = 40, .by = 4, .behind = 1};
    struct findings findings = {.count = 0};
    uint64_t of_by = 0, of_behind = 0;
    (void)state;
    arena_begin();
    struct map map = map_of(&matrix);
    assert_non_null(maps_find(&map, 1));
    map_report(&map, &findings);
    for (size_t f = 0; f < findings.count; f++)
        *(strstr(findings.item[f].text, "col ^ 4") ? &of_by : &of_behind) += findings.item[f].count;
    assert_int_equal(of_by, 16 * 32);
    assert_int_equal(of_behind, 24 * 32);
    mapping_arena_end();
}

/* 1 of 512 rows is wrong; a fair choice of 2^14 of 2^18 elements would have 32 of its elements. */
static void rare_wrong_elements_are_chosen(void **state) {
    struct matrix matrix = {.rows = 512, .cols = 512, .first = 77, .end = 78, .by = 8};
    struct findings findings = {.count = 0};
    size_t wrong = 0;
    (void)state;
    arena_begin();
    struct map map = map_of(&matrix);
    assert_non_null(maps_find(&map, 1));
    assert_in_range(map.count, 1 << 14, 1 << 15);
    for (size_t s = 0; s < map.count; s++)
        wrong += map.samples[s].in[0] == 77;
    assert_int_equal(wrong, 512);
    map_report(&map, &findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.item[0].count, 512);
    assert_string_equal(findings.item[0].text, "col ^ 8 where row == 77");
    mapping_arena_end();
}

static void only_maps_that_agree_are_found(void **state) {
    struct matrix simple = {.rows = 64, .cols = 32, .first = 0, .end = 64, .by = 1};
    struct matrix parts = {.rows = 64, .cols = 32, .first = 24, .end = 64, .by = 1, .agrees = true};
    (void)state;
    arena_begin();
    struct map maps[2] = {map_of(&simple), map_of(&parts)};
    maps[0].agrees = maps[1].agrees = agrees;
    assert_ptr_equal(maps_find(maps, 2), &maps[1]);
    assert_int_equal(simple.asked, 2); /* in the steps with 1 piece and with 2 */
    assert_int_equal(parts.asked, 1);
    parts.agrees = false;
    assert_null(maps_find(maps, 2));
    mapping_arena_end();
}

static void late_maps_come_second(void **state) {
    struct matrix late = {.rows = 64, .cols = 32, .first = 0, .end = 64, .by = 1, .is_late = true};
    struct matrix early = {.rows = 64, .cols = 32, .first = 0, .end = 64, .by = 2};
    (void)state;
    arena_begin();
    struct map maps[2] = {map_of(&late), map_of(&early)};
    maps[0].is_late = maps[1].is_late = is_late;
    assert_ptr_equal(maps_find(maps, 2), &maps[1]);
    early.is_late = true;
    assert_ptr_equal(maps_find(maps, 2), &maps[0]);
    mapping_arena_end();
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_counts_the_elements_of_its_piece),
        cmocka_unit_test(each_element_is_of_one_finding),
        cmocka_unit_test(rare_wrong_elements_are_chosen),
        cmocka_unit_test(only_maps_that_agree_are_found),
        cmocka_unit_test(late_maps_come_second),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
