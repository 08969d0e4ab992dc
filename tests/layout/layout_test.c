/* layout_test.c - makes, checks, inverts, composes, states and reads spaces and layouts.
 *
 * Expected values: by hand, or from the definition: a layout and its inverse give the identity, and
 * a composition is one function after the other. */
#include "catalogue/fragment.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct mapping_space threads = {2, {{"tid", 4}, {"i", 2}}};
static const struct mapping_space matrix = {2, {{"row", 2}, {"col", 4}}};
static const struct mapping_space places = {1, {{"offset", 8}}};

static void spaces_number_their_points(void **state) {
    (void)state;
    const struct mapping_space space = {3, {{"block", 2}, {"row", 3}, {"col", 5}}};
    uint32_t point[3];
    assert_int_equal(mapping_space_size(&space), 30);
    assert_int_equal(mapping_space_size(&(struct mapping_space){.count = 0}), 1);
    for (size_t n = 0; n < 30; n++) {
        mapping_space_point(&space, n, point);
        assert_int_equal(point[0], n / 15);
        assert_int_equal(point[1], n / 5 % 3);
        assert_int_equal(point[2], n % 5);
        assert_int_equal(mapping_space_number(&space, point), n);
    }
    assert_int_equal(mapping_space_find(&space, "row"), 1);
    assert_int_equal(mapping_space_find(&space, "lane"), -1);
    assert_true(mapping_space_equal(&space, &space));
    assert_false(mapping_space_equal(&space, &matrix));
    const struct mapping_space renamed = {2, {{"row", 2}, {"i", 4}}};
    assert_false(mapping_space_equal(&renamed, &matrix));
}

/* The example of mapping.h: bases, table, inverse. */
static void bases_state_a_layout(void **state) {
    (void)state;
    struct mapping_layout layout, inverse;
    struct mapping_error error;
    static const uint32_t rows[] = {0, 0, 0, 0, 1, 1, 1, 1}, cols[] = {0, 1, 2, 3, 0, 1, 2, 3};
    assert_int_equal(mapping_layout_state(&layout, &threads, &matrix, "t1| i0 t0", &error),
                     MAPPING_OK);
    assert_memory_equal(layout.coordinate[0], rows, sizeof rows);
    assert_memory_equal(layout.coordinate[1], cols, sizeof cols);
    assert_int_equal(mapping_layout_copies(&layout), 1);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_OK);
    assert_int_equal(inverse.from.count, 3);
    assert_string_equal(inverse.from.axis[2].name, "copy");
    assert_int_equal(inverse.coordinate[0][1 * 4 + 2], 3); /* row 1, column 2: thread 3 ... */
    assert_int_equal(inverse.coordinate[1][1 * 4 + 2], 0); /* ... as its element 0 */
    mapping_layout_free(&layout);
    mapping_layout_free(&inverse);
}

static void what_are_no_bases_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "x1 | i0 t0", /* no such letter */
        "t1 | i0 t2", /* no such bit */
        "t1 | i0 t32",
        "t1 | i0 t99999999999",
        "t1 i0 t0",     /* a bar too few */
        "t1 | i0 | t0", /* one too many */
        "t1 | i0.. t0", /* no bit can follow "and all above" */
        "t1 | i t0",
        "t1 | i0t0",
        "t1 | i0. t0",
        "2 | i0 t0",
        "10 | i0 t0",
        "t1 | i0 t0 |",
        "",
        "t1 | i0 t0-0",
        "t1 | i0 t1-0",
        "t1 | i0 t0-32",
        "t1 | i0 t-1",
        "t1 | i0 t0-", /* ranges */
        "t1 | i0 t/0",
        "t1 | i0 t/3",
        "t1 | i0 t%0",
        "t1 | i0 t%3",
        "t1 | i0 t/", /* parts */
        "t1 | i0 t%",
        "t1 | t%2 i0",
        "t1 | i0 t%2:",
        "t1 | i0 t%2:x",
        "t1 | i0 t/2:0",
        "t1 | i0 t%2:1-1",
        "t1 | i0 t%2:40",
        "t1 | i0 t*0",
        "* | i0 t0",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 | i0", /* 33 bits */
    };
    struct mapping_layout layout;
    struct mapping_error error;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        if (mapping_layout_state(&layout, &threads, &matrix, wrong[w], &error) != MAPPING_INVALID)
            fail_msg("'%s' is taken", wrong[w]);
    /* "i2.." of an i without such bits is nothing. */
    assert_int_equal(mapping_layout_state(&layout, &threads, &matrix, "t1 | i0 t0 i1..", &error),
                     MAPPING_OK);
    mapping_layout_free(&layout);
    /* A point has no axes. */
    const struct mapping_space point = {.count = 0};
    assert_int_equal(mapping_layout_state(&layout, &point, &places, "0", &error), MAPPING_INVALID);
}

static void a_coordinate_may_be_more_than_another(void **state) {
    (void)state;
    static const char *const wrong[] = {"t+ | i0 t0",
                                        "t+x | i0 t0",
                                        "t+1 t0 | i0",
                                        "t0+1 | i0 t0",
                                        "t+2147483648 | i0",
                                        "t+99999999999999 | i0",
                                        "t+99999999999999999999999 | i0"};
    const struct mapping_space wide = {2, {{"row", 8}, {"col", 4}}};
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_layout_state(&layout, &threads, &wide, "t+3 | i0", &error),
                     MAPPING_OK);
    for (uint32_t n = 0; n < mapping_layout_entries(&layout); n++)
        assert_int_equal(layout.coordinate[0][n], n / threads.axis[1].size + 3);
    mapping_layout_free(&layout);
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        if (mapping_layout_state(&layout, &threads, &matrix, wrong[w], &error) != MAPPING_INVALID)
            fail_msg("'%s' is taken", wrong[w]);
}

/* The contribution of each base of one coordinate, for an axis of 12, and for one of 8 where 8 is
 * required. */
static void bases_of_one_coordinate(void **state) {
    (void)state;
    static const struct mapping_space goal = {1, {{"column", 4096}}};
    static const struct {
        const char *bases;
        uint32_t size, values[12];
    } cases[] = {
        {"x0-1", 12, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
        {"x1-3", 12, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}},
        {"x1..", 12, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}},
        {"x4..", 12, {0}},
        {"x32..", 12, {0}},
        {"x/2", 12, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}},
        {"x/3", 12, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}},
        {"x%2", 12, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}},
        {"x/1", 12, {0}},
        {"x%1", 12, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {"0 1 x/2 x0", 12, {2, 10, 2, 10, 2, 10, 6, 14, 6, 14, 6, 14}},
        {"1 x/3 1 x0", 12, {9, 25, 9, 25, 11, 27, 11, 27, 13, 29, 13, 29}},
        {"x%2:0-1", 12, {0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 0, 1}},
        {"x%2:0 x/2", 12, {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}},
        {"x%2:1..", 12, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}},
        {"x0 x%2", 12, {0, 3, 4, 7, 8, 11, 0, 3, 4, 7, 8, 11}},
        {"x*", 8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {"x* 1 x0", 8, {8, 25, 10, 27, 12, 29, 14, 31}},
        {"x1-2 x0", 8, {0, 4, 1, 5, 2, 6, 3, 7}},
        {"x*", 1, {0}},
        {"x* 1", 1, {1}},
        {"", 2, {0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct mapping_space from = {1, {{"x", cases[c].size}}};
        struct mapping_layout layout;
        struct mapping_error error;
        if (mapping_layout_state(&layout, &from, &goal, cases[c].bases, &error) != MAPPING_OK)
            fail_msg("%s", error.message);
        for (uint32_t x = 0; x < cases[c].size; x++)
            if (layout.coordinate[0][x] != cases[c].values[x])
                fail_msg("'%s' makes %u of %u", cases[c].bases, layout.coordinate[0][x], x);
        mapping_layout_free(&layout);
    }
    /* Not all numbers of 4 bits are below 12, so no bit can follow all of them. */
    struct mapping_layout layout;
    struct mapping_error error;
    const struct mapping_space twelve = {1, {{"x", 12}}};
    assert_int_equal(mapping_layout_state(&layout, &twelve, &goal, "x*", &error), MAPPING_INVALID);
    assert_string_equal(error.message, "'x*' are not bases of this layout: error at 'x*'");
}

/* The letter of an axis is the first one that is not the letter of an axis before it: o for copy
 * after col. */
static void axes_have_letters_of_their_own(void **state) {
    (void)state;
    static const struct mapping_space from = {4, {{"row", 2}, {"col", 2}, {"copy", 2}, {"cc", 2}}},
                                      goal = {1, {{"column", 8}}};
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_layout_state(&layout, &from, &goal, "o0 c0 r0", &error), MAPPING_OK);
    for (uint32_t n = 0; n < 16; n++) /* n is 8 row + 4 col + 2 copy + cc */
        assert_int_equal(layout.coordinate[0][n], n / 2 % 2 + n / 4 % 2 * 2 + n / 8 * 4);
    mapping_layout_free(&layout);
    assert_int_equal(mapping_layout_state(&layout, &from, &goal, "p0 c0 r0", &error),
                     MAPPING_INVALID);
}

/* A layout whose entries are numbered as `numbers` says. */
static void make(struct mapping_layout *layout, const struct mapping_space *from,
                 const struct mapping_space *to, const uint32_t *numbers) {
    struct mapping_error error;
    uint32_t point[MAPPING_AXES_MAX];
    assert_int_equal(mapping_layout_init(layout, from, to, &error), MAPPING_OK);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        mapping_space_point(to, numbers[n], point);
        for (uint32_t c = 0; c < to->count; c++)
            layout->coordinate[c][n] = point[c];
    }
}

/* Invalid layouts are refused; two copies are numbered in ascending order. */
static void layouts_are_checked(void **state) {
    (void)state;
    const struct mapping_space from = {2, {{"tid", 32}, {"i", 16}}};
    const struct mapping_space to = {2, {{"row", 16}, {"col", 16}}};
    struct mapping_layout layout, inverse;
    struct mapping_error error;
    uint32_t numbers[512];
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID); /* empty */
    mapping_layout_free(&layout);
    for (uint32_t entry = 0; entry < 512; entry++)
        numbers[entry] = entry % 256;
    make(&layout, &from, &to, numbers);
    assert_int_equal(mapping_layout_copies(&layout), 2);
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_OK);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_OK);
    for (uint32_t place = 0; place < 256; place++)
        for (uint32_t copy = 0; copy < 2; copy++)
            assert_int_equal(mapping_layout_target(&inverse, place * 2 + copy), copy * 256 + place);
    mapping_layout_free(&inverse);
    layout.coordinate[0][300] = 16;
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID);
    assert_string_equal(error.message,
                        "thread 18, element 12 has row 16, but it must be less than 16");
    layout.coordinate[0][300] = 300 % 256 / 16;
    layout.coordinate[1][300] = 16;
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID);
    layout.coordinate[1][300] = 300 % 16 ^ 1;
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID);
    assert_string_equal(
        error.message,
        "row 2, column 13 occurs too often; its last occurrence is in thread 18, element 13");
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_INVALID);
    mapping_layout_free(&layout);
    /* An inverse has an axis more. */
    struct mapping_space full = {.count = MAPPING_AXES_MAX};
    for (uint32_t a = 0; a < full.count; a++)
        full.axis[a] = (struct mapping_axis){"x", 1};
    const struct mapping_space one = {1, {{"tid", 1}}};
    make(&layout, &one, &full, (const uint32_t[]){0});
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_INVALID);
    assert_string_equal(error.message, "too many axes: no room for axis 'copy'");
    mapping_layout_free(&layout);
    /* 8 entries cannot cover 3 places equally often. */
    const struct mapping_space three = {1, {{"offset", 3}}};
    make(&layout, &threads, &three, (const uint32_t[]){0, 1, 2, 0, 1, 2, 0, 1});
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_INVALID);
    mapping_layout_free(&layout);
}

/* Sizes whose product is no size_t, or no number of entries. */
static void spaces_may_have_any_size(void **state) {
    (void)state;
    const struct mapping_space eight = {1, {{"tid", 8}}}, none = {.count = 0};
    const struct mapping_space power_64 = {2, {{"row", 65536}, {"a", 65536}}};
    const struct mapping_space power_62 = {2, {{"tid", 1U << 31}, {"i", 1U << 31}}};
    struct mapping_space huge = power_64;
    huge.axis[2] = huge.axis[3] = huge.axis[0];
    huge.count = 4;
    const struct mapping_space empty = {2, {{"row", 4}, {"col", 0}}};
    struct mapping_layout layout, inverse;
    struct mapping_error error;
    assert_true(mapping_space_size(&huge) == SIZE_MAX); /* 2^64 */
    assert_true(mapping_space_size(&power_62) == (size_t)1 << 62);
    assert_int_equal(mapping_space_size(&empty), 0);

    assert_int_equal(mapping_layout_init(&layout, &eight, &huge, &error), MAPPING_OK);
    memset(layout.coordinate[0], 0, (size_t)8 * 4 * sizeof(uint32_t));
    assert_int_equal(mapping_layout_copies(&layout), 0);
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_INVALID);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_INVALID);
    assert_int_equal(mapping_layout_check(&layout, NULL), MAPPING_INVALID);
    mapping_layout_free(&layout);

    assert_int_equal(mapping_layout_init(&layout, &power_62, &eight, &error), MAPPING_INVALID);
    assert_string_equal(error.message, "layout too large: the limit is 2^32 - 1 entries");
    assert_int_equal(mapping_layout_init(&layout, &power_64, &eight, NULL), MAPPING_INVALID);
    assert_int_equal(mapping_layout_state(&layout, &power_62, &eight, "t0", &error),
                     MAPPING_INVALID);
    assert_int_equal(mapping_layout_init(&layout, &empty, &eight, &error), MAPPING_INVALID);
    assert_int_equal(mapping_layout_init(&layout, &eight, &empty, &error), MAPPING_INVALID);
    const struct mapping_space many = {.count = MAPPING_AXES_MAX + 1};
    assert_int_equal(mapping_layout_init(&layout, &eight, &many, &error), MAPPING_INVALID);
    struct mapping_formula formula = {.constant = 0};
    assert_false(mapping_deduce(&empty, &(uint32_t){7}, &formula));

    /* All eight threads hold the one point of a space without axes. */
    assert_int_equal(mapping_layout_init(&layout, &eight, &none, &error), MAPPING_OK);
    assert_int_equal(mapping_layout_copies(&layout), 8);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_OK);
    for (uint32_t copy = 0; copy < 8; copy++)
        assert_int_equal(inverse.coordinate[0][copy], copy);
    mapping_layout_free(&inverse);
    mapping_layout_free(&layout);
    assert_int_equal(mapping_layout_init(&layout, &none, &none, &error), MAPPING_OK);
    assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_OK);
    mapping_layout_free(&inverse);
    mapping_layout_free(&layout);
}

static void errors_have_percent_signs_and_may_be_left_out(void **state) {
    (void)state;
    struct mapping_error error;
    assert_int_equal(mapping_fail(&error, MAPPING_INVALID, "%u%% of %s", 40U, "100%"),
                     MAPPING_INVALID);
    assert_string_equal(error.message, "40% of 100%");
    assert_int_equal(mapping_fail(NULL, MAPPING_FAILED, "%s", "unheard"), MAPPING_FAILED);
    assert_int_equal(mapping_out_of_memory(NULL), MAPPING_FAILED);
}

/* Random permutations: the inverse of the inverse is the layout, and one after the other is the
 * identity. */
static void inverses_lead_back(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct mapping_layout layout, inverse, round_trip, again;
        struct mapping_error error;
        uint32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (uint32_t n = 8; n > 1; n--) {
            uint32_t other = random_number() % n, kept = numbers[n - 1];
            numbers[n - 1] = numbers[other];
            numbers[other] = kept;
        }
        make(&layout, &threads, &matrix, numbers);
        assert_int_equal(layout_invert(&layout, "copy", &inverse, &error), MAPPING_OK);
        inverse.from.count--; /* without the axis of the only copy */
        assert_int_equal(layout_compose(&layout, &inverse, &round_trip, &error), MAPPING_OK);
        for (size_t n = 0; n < 8; n++)
            assert_int_equal(mapping_layout_target(&round_trip, n), n);
        assert_int_equal(layout_invert(&inverse, "copy", &again, &error), MAPPING_OK);
        again.from.count--;
        assert_true(layout_equal(&layout, &again));
        mapping_layout_free(&layout);
        mapping_layout_free(&inverse);
        mapping_layout_free(&round_trip);
        mapping_layout_free(&again);
    }
}

/* A fragment in a matrix that is stored by columns: the address of each register in memory. */
static void layouts_are_composed(void **state) {
    (void)state;
    struct mapping_layout fragment, memory, composed;
    struct mapping_error error;
    assert_int_equal(mapping_layout_state(&fragment, &threads, &matrix, "t1 | i0 t0", &error),
                     MAPPING_OK);
    assert_int_equal(mapping_layout_state(&memory, &matrix, &places, "r0 c0 c1", &error),
                     MAPPING_OK);
    assert_int_equal(layout_compose(&fragment, &memory, &composed, &error), MAPPING_OK);
    assert_true(mapping_space_equal(&composed.from, &threads));
    assert_true(mapping_space_equal(&composed.to, &places));
    static const uint32_t expected[] = {0, 2, 4, 6, 1, 3, 5, 7}; /* row + 2 * col */
    assert_memory_equal(composed.coordinate[0], expected, sizeof expected);
    mapping_layout_free(&composed);
    assert_int_equal(layout_compose(&memory, &fragment, &composed, &error), MAPPING_INVALID);
    fragment.coordinate[0][3] = 2;
    assert_int_equal(layout_compose(&fragment, &memory, &composed, &error), MAPPING_INVALID);
    mapping_layout_free(&fragment);
    mapping_layout_free(&memory);
}

static void formulae_give_a_layout(void **state) {
    (void)state;
    struct mapping_formula formulae[1];
    struct mapping_layout layout;
    struct mapping_error error;
    const struct mapping_space wide = {1, {{"offset", 64}}};
    assert_true(mapping_formula_parse("16 + (row & 1) + ((col & 3) << 3)", &matrix, formulae));
    assert_int_equal(mapping_layout_evaluate(&layout, &matrix, &wide, formulae, &error),
                     MAPPING_OK);
    for (uint32_t n = 0; n < 8; n++)
        assert_int_equal(layout.coordinate[0][n], 16 + n / 4 + n % 4 * 8);
    mapping_layout_free(&layout);
    assert_true(mapping_formula_parse("5 ^ ((row & 1) << 2) ^ (col & 3)", &matrix, formulae));
    assert_int_equal(mapping_layout_evaluate(&layout, &matrix, &wide, formulae, &error),
                     MAPPING_OK);
    for (uint32_t n = 0; n < 8; n++)
        assert_int_equal(layout.coordinate[0][n], 5 ^ (n / 4 << 2) ^ n % 4);
    mapping_layout_free(&layout);
}

static const struct mapping_space registers = {2, {{"tid", 128}, {"i", 64}}};

static void formulae_are_read_as_they_are_printed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "7",
        "(i & 1)",
        "((tid & 28) >> 2)",
        "16 + (i & 1)",
        "16 ^ (i & 1)",
        "((i & 2) << 2) + ((tid & 28) >> 2) + ((tid & 96) >> 1)",
        "(i & 5) ^ ((i & 2) << 3) ^ (tid & 127)",
        "4294967295",
    };
    struct mapping_formula formula;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        char text[256];
        assert_true(mapping_formula_parse(texts[t], &registers, &formula));
        mapping_formula_print(&formula, &registers, text, sizeof text);
        assert_string_equal(text, texts[t]);
    }
    const uint32_t point[] = {0x55, 0x2b};
    assert_true(mapping_formula_parse(texts[6], &registers, &formula));
    assert_int_equal(mapping_formula_evaluate(&formula, 2, point),
                     ((0x2b & 2) << 2) + ((0x55 & 28) >> 2) + ((0x55 & 96) >> 1));
    assert_true(mapping_formula_parse(texts[7], &registers, &formula));
    assert_int_equal(mapping_formula_evaluate(&formula, 2, point),
                     (0x2b & 5) ^ ((0x2b & 2) << 3) ^ (0x55 & 127));
}

/* Whatever room there is, as much is written as fits, and the length is that of all. */
static void formulae_are_cut_where_there_is_no_room(void **state) {
    (void)state;
    static const char whole[] = "16 + tid / 4 + i % 2 * 8";
    struct mapping_formula formula;
    char text[sizeof whole + 1];
    assert_true(
        mapping_formula_parse("16 + ((i & 1) << 3) + ((tid & 124) >> 2)", &registers, &formula));
    for (size_t size = 0; size <= sizeof whole; size++) {
        memset(text, '?', sizeof text);
        assert_int_equal(mapping_formula_print_divided(&formula, &registers, text, size),
                         sizeof whole - 1);
        if (size > 0) {
            size_t length = size < sizeof whole ? size - 1 : sizeof whole - 1;
            assert_memory_equal(text, whole, length);
            assert_int_equal(text[length], '\0');
        }
        assert_int_equal(text[size], '?');
    }
}

static void what_is_no_formula_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "i",
        "(i)",
        "(i & )",
        "(i & 1",
        "(i & 1) ",
        "(i & 1)+(i & 2)",
        "(i & 1) + ",
        "(i & 1) - (i & 2)",
        "(j & 1)",
        "(ti & 1)",
        "((i & 1) << 32)",
        "((i & 1) << )",
        "((i & 1))",
        "((i & 1) <> 2)",
        "(i & 4294967296)",
        "(i & 99999999999)",
        "(tid & 1) + (i & 1)", /* i comes first */
        "(i & 1) + (i & 2) ^ (i & 4)",
        "0 ",
        "0 + 0",
        "0 + (i & 1)",
        "16 +",
        "16 (i & 1)",
        "(i & 1) + 16", /* the constant comes first */
        "0x",
        "0:",
        "(i | 1)",
        "((i & 1) << 33)",
        "((i & 1) << 1",
        "((tid & 64) >> 32)",
        "16 + (i & 1) ^ (i & 2)",
        "4294967296",
        "(i & -1)",
        "(i & 0)", /* no bit of it is left */
        "((i & 2) >> 2)",
        "((i & 3) >> 1)",
        "((tid & 64) << 31)",
        "((i & 1) << 0)",
        "(i & 010)", /* which is 8 in C */
        "016",
    };
    char many[8192] = "(i & 1)";
    struct mapping_formula formula;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        if (mapping_formula_parse(texts[t], &registers, &formula))
            fail_msg("'%s' is read", texts[t]);
    for (int n = 0; n < MAPPING_MAX_TERMS - 1; n++)
        strcat(many, " + (i & 1)");
    assert_true(mapping_formula_parse(many, &registers, &formula));
    strcat(many, " + (i & 1)");
    assert_false(mapping_formula_parse(many, &registers, &formula));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_number_their_points),
        cmocka_unit_test(bases_state_a_layout),
        cmocka_unit_test(what_are_no_bases_is_refused),
        cmocka_unit_test(a_coordinate_may_be_more_than_another),
        cmocka_unit_test(bases_of_one_coordinate),
        cmocka_unit_test(axes_have_letters_of_their_own),
        cmocka_unit_test(layouts_are_checked),
        cmocka_unit_test(spaces_may_have_any_size),
        cmocka_unit_test(errors_have_percent_signs_and_may_be_left_out),
        cmocka_unit_test(inverses_lead_back),
        cmocka_unit_test(layouts_are_composed),
        cmocka_unit_test(formulae_give_a_layout),
        cmocka_unit_test(formulae_are_read_as_they_are_printed),
        cmocka_unit_test(formulae_are_cut_where_there_is_no_room),
        cmocka_unit_test(what_is_no_formula_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
