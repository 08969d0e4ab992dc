/* f2_test.c - linear algebra over bits, compared with counting; layouts over bits, at every entry.
 *
 * Expected values: counting; the definition at every entry; the PTX ISA. */
#include "layout/f2.h"
#include "pairs.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- By counting ---- */

enum { IN = 6, OUT = 6 };

/* A map of up to IN bits to up to OUT bits; with few of these it has a kernel. */
static struct f2 random_map(void) {
    struct f2 map = {.in = 1 + random_number() % IN};
    const uint32_t mask = (2U << random_number() % OUT) - 1;
    for (uint32_t b = 0; b < map.in; b++)
        map.column[b] = random_number() & mask;
    return map;
}

/* The exclusive or of the columns that x names. */
static uint32_t image_of(const struct f2 *map, uint32_t x) {
    uint32_t y = 0;
    for (uint32_t b = 0; b < map->in; b++)
        if ((x & 1U << b) != 0)
            y ^= map->column[b];
    return y;
}

static void rank_counts_the_image(void **state) {
    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        const struct f2 map = random_map();
        const struct f2_span graph = mapping_f2_graph(&map);
        bool is_met[1 << OUT] = {false};
        uint32_t images = 0;
        for (uint32_t x = 0; x < 1U << map.in; x++) {
            const uint32_t y = image_of(&map, x);
            assert_int_equal(mapping_f2_apply(&map, x), y);
            images += !is_met[y];
            is_met[y] = true;
        }
        assert_int_equal(1U << mapping_f2_rank(&graph), images);
    }
}

static void the_nearest_solution_is_found(void **state) {
    (void)state;
    unsigned without = 0, several = 0;
    for (unsigned round = 0; round < 300; round++) {
        const struct f2 map = random_map();
        const struct f2_span graph = mapping_f2_graph(&map);
        const uint32_t near = random_number() % (1U << IN);
        for (uint32_t y = 0; y < 1U << OUT; y++) {
            uint32_t best = UINT32_MAX, solutions = 0, found;
            for (uint32_t x = 0; x < 1U << map.in; x++)
                if (image_of(&map, x) == y) {
                    best = (x ^ near) < best ? x ^ near : best;
                    solutions++;
                }
            assert_int_equal(mapping_f2_solve(&graph, y, near, &found), solutions > 0);
            if (solutions > 0)
                assert_int_equal(found ^ near, best);
            without += solutions == 0;
            several += solutions > 1;
        }
    }
    assert_true(without > 0 && several > 0);
}

static void spans_have_all_exclusive_ors(void **state) {
    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        struct f2_span span = {.pivots = 0};
        bool is_member[1 << OUT] = {true};
        for (unsigned n = 0; n < 4; n++) {
            const uint32_t vector = random_number() % (1U << OUT);
            bool is_new = !is_member[vector], before[1 << OUT];
            memcpy(before, is_member, sizeof before);
            for (uint32_t x = 0; x < 1U << OUT; x++)
                is_member[x] = before[x] || before[x ^ vector];
            assert_int_equal(mapping_f2_extend(&span, vector), is_new);
        }
        for (uint32_t x = 0; x < 1U << OUT; x++) {
            uint32_t lowest = x;
            for (uint32_t y = 0; y < 1U << OUT; y++)
                if (is_member[y] && (x ^ y) < lowest)
                    lowest = x ^ y;
            assert_int_equal(mapping_f2_reduce(&span, x), lowest);
        }
    }
}

/* Vectors have 64 bits. */
static void the_highest_bits_count(void **state) {
    (void)state;
    struct f2_span span = {.pivots = 0};
    assert_true(mapping_f2_extend(&span, UINT64_C(1) << 63 | 1));
    assert_true(mapping_f2_extend(&span, UINT64_C(1) << 63 | 2));
    assert_false(mapping_f2_extend(&span, 3));
    assert_true(mapping_f2_reduce(&span, UINT64_C(1) << 63) == 1);
}

/* ---- Layouts ---- */

/* The example of f2.c. */
static void the_example_is_right(void **state) {
    (void)state;
    struct mapping_layout source = state_layout(4, 2, 4, 2, "t0 t1 | i0");
    struct mapping_layout target = state_layout(4, 2, 4, 2, "i0 t1 | t0");
    /* points are r1 r0 c0 and t1 t0 i0; columns are those of i0, t0 and t1 */
    static const uint32_t s[] = {1, 2, 4}, t[] = {2, 1, 4}, c[] = {2, 1, 4};
    struct bit_layout from = {.base = 0}, to = {.base = 0};
    assert_true(mapping_bits_of_layout(&source, &from) && mapping_bits_of_layout(&target, &to));
    assert_memory_equal(from.bits.column, s, sizeof s);
    assert_memory_equal(to.bits.column, t, sizeof t);
    const struct f2_span graph = mapping_f2_graph(&from.bits);
    for (uint32_t b = 0; b < 3; b++) {
        uint32_t x = 0;
        assert_true(mapping_f2_solve(&graph, to.bits.column[b], 0, &x));
        assert_int_equal(x, c[b]);
    }
    /* in[i] of thread t is row t and column i, as 2 t + i */
    for (uint32_t tid = 0; tid < 4; tid++) {
        const uint32_t in[] = {2 * tid, 2 * tid + 1}, other = tid ^ 1;
        const uint32_t received = other & 1 ? 2 * other : 2 * other + 1;
        const uint32_t out[] = {tid & 1 ? received : in[0], tid & 1 ? in[1] : received};
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(out[i], 2 * target.coordinate[0][2 * tid + i] +
                                         target.coordinate[1][2 * tid + i]);
    }
    mapping_layout_free(&source);
    mapping_layout_free(&target);
}

/* Expects what f2.h says, at each entry: axes of the source from the last, coordinates as well. */
static void expect_bits(const struct mapping_layout *layout, const struct bit_layout *bits) {
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        uint32_t x = 0, q = 0, point[MAPPING_AXES_MAX], out = 0;
        mapping_space_point(&layout->from, (uint32_t)n, point);
        for (uint32_t a = 0; a < layout->from.count; a++) {
            uint32_t power = 1;
            while (layout->from.axis[a].size % (2 * power) == 0)
                power *= 2;
            x |= point[a] % power << bits->first_in[a];
            q += point[a] / power;
        }
        const uint32_t to = (bits->base ^ image_of(&bits->bits, x)) + q * bits->step;
        for (uint32_t c = layout->to.count; c-- > 0;) {
            uint32_t width = 0;
            while (1U << width < layout->to.axis[c].size)
                width++;
            assert_int_equal(layout->coordinate[c][n], to >> out & ((1U << width) - 1));
            out += width;
        }
    }
}

static void all_fragments_are_layouts_over_bits(void **state) {
    (void)state;
    struct known_all all = load_known();
    const size_t wide = find_known(&all, "wgmma.m64n24k16.d.f32");
    struct bit_layout bits;
    for (size_t k = 0; k < all.count; k++) {
        assert_true(mapping_bits_of_layout(&all.known[k].layout, &bits));
        expect_bits(&all.known[k].layout, &bits);
    }
    /* D of N = 24 is three times that of N = 8, 8 columns apart (PTX ISA) */
    assert_true(mapping_bits_of_layout(&all.known[wide].layout, &bits));
    assert_int_equal(bits.outer, 3);
    assert_int_equal(bits.step, 8);
    free_known(&all);
}

/* The odd part may be of any axis, and the first point anywhere. */
static void offsets_and_odd_axes_are_found(void **state) {
    (void)state;
    const struct mapping_space from = {3, {{"tid", 4}, {"n", 6}, {"i", 2}}};
    const struct mapping_space to = {2, {{"row", 24}, {"col", 4}}};
    struct mapping_layout layout;
    struct mapping_error error;
    struct bit_layout bits;
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < 48; n++) {
        const uint32_t tid = n / 12, outer = n / 2 % 6, i = n % 2;
        layout.coordinate[0][n] = (3 ^ tid) + outer / 2 * 8 + outer % 2 * 4;
        layout.coordinate[1][n] = 2 - 2 * i + (tid & 1);
    }
    assert_true(mapping_bits_of_layout(&layout, &bits));
    assert_int_equal(bits.outer, 3);
    expect_bits(&layout, &bits);
    mapping_layout_free(&layout);
}

/* Whichever entry is changed, the layout is refused. */
static void every_entry_is_compared(void **state) {
    (void)state;
    struct mapping_layout layout = state_layout(32, 12, 16, 24, "t2 t3 t4 i1 | i0 t0 t1 i2..");
    struct bit_layout bits;
    assert_true(mapping_bits_of_layout(&layout, &bits));
    assert_int_equal(bits.outer, 3);
    for (uint32_t c = 0; c < 2; c++)
        for (size_t n = 0; n < 384; n++) {
            uint32_t *changed = &layout.coordinate[c][n], before = *changed;
            *changed = (before + 1) % layout.to.axis[c].size;
            assert_false(mapping_bits_of_layout(&layout, &bits));
            *changed = layout.to.axis[c].size; /* outside */
            assert_false(mapping_bits_of_layout(&layout, &bits));
            *changed = before;
        }
    mapping_layout_free(&layout);
}

static void what_is_no_layout_over_bits_is_refused(void **state) {
    (void)state;
    struct mapping_layout layout = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    struct mapping_error error;
    struct bit_layout bits;
    for (uint32_t t = 0; t < 32; t++) /* sums that carry */
        layout.coordinate[0][t] = (t / 4 + 3 * (t % 4)) % 8;
    assert_false(mapping_bits_of_layout(&layout, &bits));
    mapping_layout_free(&layout);
    /* two odd axes */
    const struct mapping_space odd = {2, {{"tid", 3}, {"i", 5}}}, to = {1, {{"offset", 15}}};
    assert_int_equal(mapping_layout_init(&layout, &odd, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < 15; n++)
        layout.coordinate[0][n] = n;
    assert_false(mapping_bits_of_layout(&layout, &bits));
    mapping_layout_free(&layout);
    /* bits that lead outside */
    const struct mapping_space two = {1, {{"tid", 2}}}, four = {1, {{"row", 4}}};
    assert_int_equal(mapping_layout_init(&layout, &two, &four, &error), MAPPING_OK);
    layout.coordinate[0][0] = 0;
    layout.coordinate[0][1] = 4;
    assert_false(mapping_bits_of_layout(&layout, &bits));
    layout.coordinate[0][1] = 3;
    assert_true(mapping_bits_of_layout(&layout, &bits));
    mapping_layout_free(&layout);
    /* a first coordinate of 3 is outside on each axis, though it has no more bits */
    const struct mapping_space three = {2, {{"row", 3}, {"col", 3}}};
    for (uint32_t a = 0; a < 2; a++) {
        assert_int_equal(mapping_layout_init(&layout, &two, &three, &error), MAPPING_OK);
        memset(layout.coordinate[0], 0, 4 * sizeof(uint32_t));
        assert_true(mapping_bits_of_layout(&layout, &bits));
        layout.coordinate[a][0] = 3;
        assert_false(mapping_bits_of_layout(&layout, &bits));
        mapping_layout_free(&layout);
    }
    /* coordinates of 33 bits, and of 32 */
    for (uint32_t more = 0; more < 2; more++) {
        const struct mapping_space large = {
            3, {{"row", 1U << 16}, {"col", 1U << (16 + more)}, {"block", 1}}};
        assert_int_equal(mapping_layout_init(&layout, &two, &large, &error), MAPPING_OK);
        for (uint32_t n = 0; n < 6; n++)
            layout.coordinate[0][n] = 0;
        assert_int_equal(mapping_bits_of_layout(&layout, &bits), !more);
        mapping_layout_free(&layout);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_counts_the_image),
        cmocka_unit_test(the_nearest_solution_is_found),
        cmocka_unit_test(spans_have_all_exclusive_ors),
        cmocka_unit_test(the_highest_bits_count),
        cmocka_unit_test(the_example_is_right),
        cmocka_unit_test(all_fragments_are_layouts_over_bits),
        cmocka_unit_test(offsets_and_odd_axes_are_found),
        cmocka_unit_test(every_entry_is_compared),
        cmocka_unit_test(what_is_no_layout_over_bits_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
