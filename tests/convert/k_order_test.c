/* k_order_test.c - the order of K in which a thread's elements of a row are adjacent.
 *
 * Expected values: orders written by hand. */
#include "convert/shuffles.h"
#include "system/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Finds the order of a layout of 2 rows whose thread t holds held[t] of each, `each` of them. */
static bool find(const uint32_t *held, uint32_t threads, uint32_t each, uint32_t depth,
                 struct mapping_k_order *order) {
    const struct mapping_space from = {2, {{"tid", threads}, {"i", 2 * each}}},
                               to = {2, {{"row", 2}, {"col", depth}}};
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < threads * 2 * each; n++) {
        layout.coordinate[0][n] = n % 2;
        layout.coordinate[1][n] = held[n / (2 * each) * each + n % (2 * each) / 2];
    }
    const bool is_found = mapping_k_order_find(&layout, true, order);
    mapping_layout_free(&layout);
    return is_found;
}

/* Two threads, as mma.m16n8k16 has them among four. */
static void halves_are_put_together(void **state) {
    (void)state;
    static const uint32_t held[] = {0, 1, 4, 5, 2, 3, 6, 7};
    struct mapping_k_order order, other;
    assert_true(find(held, 2, 4, 8, &order));
    assert_int_equal(order.run, 4);
    assert_false(order.is_identity);
    assert_true(order.k.has_formula);
    assert_memory_equal(order.k.table, held, sizeof held);
    static const uint32_t plain[] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_true(find(plain, 2, 4, 8, &other));
    assert_true(other.is_identity);
    assert_true(mapping_k_order_equal(&order, &order));
    assert_false(mapping_k_order_equal(&order, &other));
    mapping_free(other.k.table);
    assert_true(find(plain, 2, 2, 4, &other)); /* fewer of the same */
    assert_false(mapping_k_order_equal(&other, &order));
    mapping_free(order.k.table);
    mapping_free(other.k.table);
}

/* K of B are its rows. */
static void rows_may_be_k(void **state) {
    (void)state;
    static const struct mapping_space from = {2, {{"tid", 2}, {"i", 8}}},
                                      to = {2, {{"row", 8}, {"col", 2}}};
    static const uint32_t held[] = {0, 1, 4, 5, 2, 3, 6, 7};
    struct mapping_layout layout;
    struct mapping_error error;
    struct mapping_k_order order;
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < 16; n++) {
        layout.coordinate[0][n] = held[n / 8 * 4 + n % 8 / 2];
        layout.coordinate[1][n] = n % 2;
    }
    assert_true(mapping_k_order_find(&layout, false, &order));
    assert_int_equal(order.run, 4);
    assert_int_equal(order.k.count, 8);
    assert_memory_equal(order.k.table, held, sizeof held);
    mapping_free(order.k.table);
    mapping_layout_free(&layout);
}

/* Orders are compared up to their last place. */
static void orders_differ_anywhere(void **state) {
    (void)state;
    uint32_t one[] = {0, 1, 2, 3, 4, 5, 6, 7}, last[] = {0, 1, 2, 3, 4, 5, 6, 0};
    const struct mapping_k_order a = {.k = {.count = 8, .table = one}},
                                 b = {.k = {.count = 8, .table = last}},
                                 c = {.k = {.count = 7, .table = last}};
    assert_true(mapping_k_order_equal(&a, &a));
    assert_false(mapping_k_order_equal(&a, &b));
    assert_false(mapping_k_order_equal(&a, &c));
}

/* All threads hold all of K. */
static void copies_are_one(void **state) {
    (void)state;
    static const uint32_t held[] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct mapping_k_order order;
    assert_true(find(held, 2, 4, 4, &order));
    assert_int_equal(order.run, 4);
    mapping_free(order.k.table);
}

static void what_threads_divide_differently_has_none(void **state) {
    (void)state;
    struct mapping_k_order order;
    static const uint32_t overlapping[] = {0, 1, 1, 2, 2, 3, 3, 0};
    assert_false(find(overlapping, 4, 2, 4, &order));
    mapping_free(order.k.table);
    static const uint32_t parts[] = {0, 1, 2, 3, 0, 1, 0, 1}; /* the second has half of the first */
    assert_false(find(parts, 2, 4, 4, &order));
    mapping_free(order.k.table);
    static const uint32_t gap[] = {0, 1, 2, 3}; /* no thread holds 4 and 5 */
    assert_false(find(gap, 2, 2, 6, &order));
    mapping_free(order.k.table);
}

/* One thread holds three columns of a row, the other one. */
static void runs_have_one_length(void **state) {
    (void)state;
    static const uint32_t held[] = {0, 1, 2, 3, 3, 3};
    struct mapping_k_order order;
    assert_false(find(held, 2, 3, 4, &order));
    mapping_free(order.k.table);
}

/* A layout with one axis more is not asked, whatever its first two have. */
static void other_spaces_have_none(void **state) {
    (void)state;
    static const struct mapping_space held = {2, {{"tid", 2}, {"i", 8}}},
                                      copies = {3, {{"tid", 2}, {"i", 8}, {"copy", 1}}},
                                      matrix = {2, {{"row", 2}, {"col", 8}}},
                                      blocks = {3, {{"block", 2}, {"row", 8}, {"col", 1}}};
    const struct mapping_space *const spaces[][2] = {
        {&held, &matrix}, {&copies, &matrix}, {&held, &blocks}};
    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
        struct mapping_k_order order;
        struct mapping_layout layout;
        struct mapping_error error;
        assert_int_equal(mapping_layout_init(&layout, spaces[s][0], spaces[s][1], &error),
                         MAPPING_OK);
        for (uint32_t n = 0; n < 16; n++) {
            layout.coordinate[0][n] = n % 2;
            layout.coordinate[1][n] = n / 2;
        }
        assert_int_equal(mapping_k_order_find(&layout, true, &order), s == 0);
        mapping_free(order.k.table);
        mapping_layout_free(&layout);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_put_together),
        cmocka_unit_test(rows_may_be_k),
        cmocka_unit_test(orders_differ_anywhere),
        cmocka_unit_test(copies_are_one),
        cmocka_unit_test(what_threads_divide_differently_has_none),
        cmocka_unit_test(runs_have_one_length),
        cmocka_unit_test(other_spaces_have_none),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
