/* period_test.c - the periods of small grids; any changed cell is noticed.
 *
 * Expected values: the PTX ISA; by hand. */
#include "layout/period.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROWS = 64, COLS = 48, LEAST = 8, MOST = 16 };

/* A matrix of ROWS x COLS whose cells have two coordinates, tid and i. */
static struct mapping_layout make_layout(uint32_t (*tid)(uint32_t row, uint32_t col),
                                         uint32_t (*i)(uint32_t row, uint32_t col)) {
    const struct mapping_space from = {.count = 2, .axis = {{"row", ROWS}, {"col", COLS}}};
    const struct mapping_space to = {.count = 2, .axis = {{"tid", 1 << 16}, {"i", 1 << 16}}};
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < ROWS * COLS; n++) {
        layout.coordinate[0][n] = tid(n / COLS, n % COLS);
        layout.coordinate[1][n] = i(n / COLS, n % COLS);
    }
    return layout;
}

static struct mapping_period find(const struct mapping_layout *layout, uint32_t direction,
                                  uint32_t wraps) {
    const struct mapping_grid grid = {
        .layout = layout, .count = 2, .size = {ROWS, COLS}, .stride = {COLS, 1}, .wraps = wraps};
    return mapping_period_find(&grid, direction, LEAST, MOST);
}

static void check_level(const struct mapping_period *period, uint32_t level, uint32_t size,
                        uint32_t end, int tid, int i) {
    assert_int_equal(period->level[level].period, size);
    assert_int_equal(period->level[level].end, end);
    assert_int_equal(period->level[level].growth[0], tid);
    assert_int_equal(period->level[level].growth[1], i);
}

/* D of wgmma.m64nNk16 (PTX ISA 9.0, 9.7.15.5.1.1): a warp has 16 rows, and i grows by 4 in 8
 * columns. */
static uint32_t wgmma_tid(uint32_t row, uint32_t col) {
    return row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
}
static uint32_t wgmma_i(uint32_t row, uint32_t col) {
    return col / 8 * 4 + row / 8 % 2 * 2 + col % 2;
}

static void rows_and_columns_grow(void **state) {
    (void)state;
    struct mapping_layout layout = make_layout(wgmma_tid, wgmma_i);
    const struct mapping_period rows = find(&layout, 0, 0), cols = find(&layout, 1, 0);
    assert_int_equal(rows.size, 16);
    assert_int_equal(rows.levels, 1);
    check_level(&rows, 0, 16, ROWS, 32, 0);
    assert_int_equal(cols.size, 8);
    assert_int_equal(cols.levels, 1);
    check_level(&cols, 0, 8, COLS, 0, 4);
    for (int round = 0; round < 100; round++) { /* every cell counts */
        uint32_t *cell = &layout.coordinate[random_number() % 2][random_number() % (ROWS * COLS)];
        ++*cell;
        assert_int_equal(find(&layout, 1, 0).levels * find(&layout, 0, 0).levels, 0);
        --*cell;
    }
    mapping_layout_free(&layout);
}

/* 16 rows form a block, of which the lower half has tid + 100; two blocks and then four repeat. */
static uint32_t nested_tid(uint32_t row, uint32_t col) {
    return row % 16 / 8 * 100 + row % 8 * (row % 8) % 5 + col;
}
static uint32_t nested_i(uint32_t row, uint32_t col) {
    return row / 16 % 2 * 7 + row / 32 * 1000 + 0 * col;
}

static void several_levels_are_found(void **state) {
    (void)state;
    struct mapping_layout layout = make_layout(nested_tid, nested_i);
    const struct mapping_period rows = find(&layout, 0, 0);
    assert_int_equal(rows.size, 8);
    assert_int_equal(rows.levels, 3);
    check_level(&rows, 0, 8, 16, 100, 0);
    check_level(&rows, 1, 16, 32, 0, 7);
    check_level(&rows, 2, 32, ROWS, 0, 1000);
    mapping_layout_free(&layout);
}

/* The chunks of a row are permuted by the row, as by Sw<3,3,3>. */
static uint32_t swizzled(uint32_t row, uint32_t col) {
    return row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8);
}
static uint32_t nothing(uint32_t row, uint32_t col) {
    return 0 * (row + col);
}

static void a_swizzle_returns_after_eight_rows(void **state) {
    (void)state;
    struct mapping_layout layout = make_layout(swizzled, nothing);
    const struct mapping_period rows = find(&layout, 0, 0);
    assert_int_equal(rows.size, 8);
    check_level(&rows, 0, 8, ROWS, 512, 0);
    assert_int_equal(find(&layout, 1, 0).levels, 0);
    mapping_layout_free(&layout);
}

/* A bank of 32 wraps, and a gap follows a gap. */
static uint32_t with_gaps(uint32_t row, uint32_t col) {
    return row % 8 == 3 ? UINT32_MAX : (row * 13 + col) % (1 << 16);
}

static void gaps_and_wraps(void **state) {
    (void)state;
    struct mapping_layout layout = make_layout(with_gaps, nothing);
    const struct mapping_period rows = find(&layout, 0, 0);
    assert_int_equal(rows.size, 8);
    check_level(&rows, 0, 8, ROWS, 104, 0);
    layout.to.axis[0].size = 32;
    for (uint32_t n = 0; n < ROWS * COLS; n++)
        layout.coordinate[0][n] = (n / COLS * 13 + n % COLS) % 32;
    assert_int_not_equal(find(&layout, 0, 0).size, 8);
    const struct mapping_period banks = find(&layout, 0, 1);
    assert_int_equal(banks.size, 8);
    check_level(&banks, 0, 8, ROWS, 104 % 32, 0);
    layout.coordinate[0][(size_t)COLS * 9] = UINT32_MAX; /* now a gap follows a cell */
    assert_int_equal(find(&layout, 0, 1).levels, 0);
    mapping_layout_free(&layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_columns_grow),
        cmocka_unit_test(several_levels_are_found),
        cmocka_unit_test(a_swizzle_returns_after_eight_rows),
        cmocka_unit_test(gaps_and_wraps),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
