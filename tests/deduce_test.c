/* deduce_test.c - deduction against seeds, brute force, and random formulae.
 *
 * Formulae are evaluated here by a small parser of C expressions, so that what is printed is what
 * is tested, and nothing of the code under test evaluates it. */
#include "expression.h"
#include "mapping.h"
#include "recorded.h"
#include "results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Helpers ---- */

static const struct mapping_variable accumulator[] = {{"i", 8}, {"tid", 32}};

/* Deduces, and compares the printed formula with `expected`; NULL if there has to be none. */
static void expect_formula(const struct mapping_variable *variables, size_t count,
                           const uint32_t *values, const char *expected) {
    struct mapping_formula formula;
    char text[1024];
    bool found = mapping_deduce(variables, count, values, &formula);
    assert_int_equal(found, expected != NULL);
    if (found) {
        mapping_formula_print(&formula, variables, count, text, sizeof text);
        assert_string_equal(text, expected);
    }
}

static uint32_t random_number(void) {
    static uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Makes the values of what the expression says. */
static void tabulate(const char *text, uint32_t values[256]) {
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = evaluate(text, accumulator, 2, (uint32_t[]){entry % 8, entry / 8});
}

/* ---- Tests ---- */

/* The formulae of the seed come out as they stand there, of the values that they give. */
static void seed_formulae_are_found(void **state) {
    (void)state;
    static const char *const formulae[] = {
        "((i & 2) << 2) + ((tid & 28) >> 2)",
        "(i & 1) + ((i & 4) << 1) + ((tid & 3) << 1)",
        "(i & 2) + (tid & 1) + ((tid & 4) << 1) + ((tid & 16) >> 2)",
        "(i & 5) + (tid & 10)",
        "(tid & 3) + ((tid & 4) << 1) + ((tid & 16) >> 2)",
        "(i & 7) + (tid & 8)",
    };
    for (size_t f = 0; f < sizeof formulae / sizeof *formulae; f++) {
        uint32_t values[256];
        tabulate(formulae[f], values);
        expect_formula(accumulator, 2, values, formulae[f]);
    }
}

/* DESIGN: i before tid, ascending lowest mask bit, one term for one variable and shift. */
static void form_is_canonical(void **state) {
    (void)state;
    static const struct {
        const char *given, *canonical;
    } cases[] = {
        {"(tid & 10) + (i & 5)", "(i & 5) + (tid & 10)"},
        {"(i & 4) + (i & 1)", "(i & 5)"},
        {"((tid & 16) >> 2) + (tid & 1)", "(tid & 1) + ((tid & 16) >> 2)"},
        {"((tid & 4) << 1) + ((tid & 1) << 1)", "((tid & 5) << 1)"},
        {"((i & 1) << 4) + (i & 1)", "(i & 1) + ((i & 1) << 4)"},
        {"(i & 1) + (tid & 1)", "(i & 1) + (tid & 1)"}, /* with a carry, so no exclusive or */
        {"(i & 1) ^ (tid & 1)", "(i & 1) ^ (tid & 1)"},
        {"(i & 0)", "0"},
        {"i + 0", "(i & 7)"},
        {"i ^ tid", "(i & 7) ^ (tid & 31)"},
        {"(i + i) + i", "(i & 7) + ((i & 7) << 1)"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t values[256];
        tabulate(cases[c].given, values);
        expect_formula(accumulator, 2, values, cases[c].canonical);
    }
}

static void what_has_no_formula_gets_none(void **state) {
    (void)state;
    uint32_t values[256];
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = entry % 8 == 7; /* a product of bits */
    expect_formula(accumulator, 2, values, NULL);
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = 5; /* a constant */
    expect_formula(accumulator, 2, values, NULL);
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = (entry + 1) % 256;
    expect_formula(accumulator, 2, values, NULL);
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = random_number() % 16;
    values[0] = 0;
    expect_formula(accumulator, 2, values, NULL);
    /* The last of a number of entries that is no power of two. */
    const struct mapping_variable seven[] = {{"i", 7}};
    expect_formula(seven, 1, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6}, "(i & 7)");
    expect_formula(seven, 1, (const uint32_t[]){0, 1, 2, 3, 4, 5, 7}, NULL);
}

/* More terms than a formula has room for: none, and nothing written beside. */
static void too_many_terms_are_no_formula(void **state) {
    (void)state;
    const struct mapping_variable variables[] = {{"a", 32}, {"b", 32}, {"c", 32}, {"d", 32}};
    uint32_t *values = malloc((1 << 20) * sizeof *values);
    assert_non_null(values);
    for (uint32_t entry = 0; entry < 1 << 20; entry++)
        values[entry] = entry ? UINT32_MAX : 0;
    expect_formula(variables, 4, values, NULL);
    free(values);
}

/* Maps that are none are refused; two copies are told apart in ascending order. */
static void maps_are_checked(void **state) {
    (void)state;
    struct mapping_fragment fragment = {
        .blocks = 1, .rows = 16, .cols = 16, .threads = 32, .elements = 16};
    struct mapping_map map;
    struct mapping_error error;
    uint32_t holders[512];
    assert_true(mapping_map_init(&map, &fragment));
    assert_int_equal(mapping_map_check(&map, &error), MAPPING_INVALID);
    for (uint32_t entry = 0; entry < 512; entry++) {
        map.plane[MAPPING_ROW][entry] = entry % 256 / 16;
        map.plane[MAPPING_COL][entry] = entry % 16;
    }
    assert_int_equal(mapping_map_copies(&map), 2);
    assert_int_equal(mapping_map_check(&map, &error), MAPPING_OK);
    assert_int_equal(mapping_map_invert(&map, holders, &error), MAPPING_OK);
    for (uint32_t entry = 0; entry < 512; entry++)
        assert_int_equal(holders[entry], entry);
    map.plane[MAPPING_ROW][300] = 16;
    assert_int_equal(mapping_map_check(&map, &error), MAPPING_INVALID);
    map.plane[MAPPING_ROW][300] = 300 % 256 / 16;
    map.plane[MAPPING_COL][300] = 16;
    assert_int_equal(mapping_map_check(&map, &error), MAPPING_INVALID);
    map.plane[MAPPING_COL][300] = 300 % 16 ^ 1;
    assert_int_equal(mapping_map_check(&map, &error), MAPPING_INVALID);
    assert_string_equal(error.message,
                        "row 2, column 13 is held too often, last by thread 18 as element 13");
    mapping_map_free(&map);
}

/* Any contribution of each bit, summed or exclusive-ored: found, and right at every entry. */
static void random_formulae_are_found(void **state) {
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const struct mapping_variable variables[] = {{"i", 1 + random_number() % 20},
                                                     {"tid", 1 + random_number() % 40},
                                                     {"copy", 1 + random_number() % 3}};
        uint32_t contributions[3][6], values[20 * 40 * 3], *value = values;
        for (int v = 0; v < 3; v++)
            for (int bit = 0; bit < 6; bit++)
                contributions[v][bit] = random_number() & (round % 3 ? 255 : 0xfffff);
        bool exclusive = round & 1;
        for (uint32_t copy = 0; copy < variables[2].count; copy++)
            for (uint32_t tid = 0; tid < variables[1].count; tid++)
                for (uint32_t i = 0; i < variables[0].count; i++) {
                    uint32_t x[] = {i, tid, copy}, sum = 0;
                    for (int v = 0; v < 3; v++)
                        for (int bit = 0; bit < 6; bit++)
                            if (x[v] >> bit & 1)
                                sum = exclusive ? sum ^ contributions[v][bit]
                                                : sum + contributions[v][bit];
                    *value++ = sum;
                }
        struct mapping_formula formula;
        char text[4096];
        assert_true(mapping_deduce(variables, 3, values, &formula));
        size_t length = mapping_formula_print(&formula, variables, 3, text, sizeof text);
        assert_int_equal(length, strlen(text));
        value = values;
        for (uint32_t copy = 0; copy < variables[2].count; copy++)
            for (uint32_t tid = 0; tid < variables[1].count; tid++)
                for (uint32_t i = 0; i < variables[0].count; i++, value++) {
                    const uint32_t x[] = {i, tid, copy};
                    assert_int_equal(mapping_formula_evaluate(&formula, 3, x), *value);
                    if (round < 100)
                        assert_int_equal(evaluate(text, variables, 3, x), *value);
                }
    }
}

/* Layouts that have been tested already; most architectures repeat those of others. */
static struct mapping_map tested[256];
static size_t tested_count;

static bool is_new(const struct mapping_map *map) {
    for (size_t t = 0; t < tested_count; t++)
        if (mapping_map_equal(&tested[t], map))
            return false;
    assert_true(tested_count < sizeof tested / sizeof *tested);
    tested[tested_count++] = *map;
    return true;
}

/* How many places apart changes are: of small maps each is made, of large ones, and under valgrind,
 * some. */
static uint32_t step_of(size_t places) {
    bool valgrind = getenv("VALGRIND") != NULL;
    return places <= 512 && !valgrind ? 1 : (uint32_t)(places / (valgrind ? 4 : 32)) | 1;
}

/* Entries of the map changed to other places of the matrix. */
static void change_entries(struct mapping_map *map) {
    const struct mapping_variable variables[] = {{"i", map->elements}, {"tid", map->threads}};
    struct mapping_formula formula;
    struct mapping_error error;
    uint32_t cells = map->rows * map->cols;
    assert_true(mapping_deduce(variables, 2, map->plane[MAPPING_ROW], &formula));
    assert_true(mapping_deduce(variables, 2, map->plane[MAPPING_COL], &formula));
    for (size_t entry = 0; entry < mapping_map_entries(map);
         entry += step_of(mapping_map_entries(map))) {
        uint32_t right_row = map->plane[MAPPING_ROW][entry];
        uint32_t right_col = map->plane[MAPPING_COL][entry];
        for (uint32_t place = (uint32_t)entry % step_of(cells); place < cells;
             place += step_of(cells)) {
            uint32_t row = place / map->cols, col = place % map->cols;
            if (row == right_row && col == right_col)
                continue;
            map->plane[MAPPING_ROW][entry] = row;
            map->plane[MAPPING_COL][entry] = col;
            assert_false(mapping_deduce(variables, 2, map->plane[MAPPING_ROW], &formula) &&
                         mapping_deduce(variables, 2, map->plane[MAPPING_COL], &formula));
            if (place % 16 == entry % 16)
                assert_int_equal(mapping_map_check(map, &error), MAPPING_INVALID);
        }
        map->plane[MAPPING_ROW][entry] = right_row;
        map->plane[MAPPING_COL][entry] = right_col;
    }
}

/* In every layout that is recorded, a changed entry is noticed. */
static void changed_entries_are_noticed(void **state) {
    (void)state;
    for (size_t f = 0; recorded_files[f].name; f++) {
        struct results_reader reader = results_read(recorded_files[f].text);
        struct section section;
        struct mapping_error error;
        bool more = true;
        while (results_next(&reader, &section, &more, &error) == MAPPING_OK && more) {
            struct mapping_map map;
            assert_int_equal(section_map(&section, &map, &error), MAPPING_OK);
            section_free(&section);
            if (is_new(&map))
                change_entries(&tested[tested_count - 1]);
            else
                mapping_map_free(&map);
        }
    }
    assert_true(tested_count > 20);
    while (tested_count > 0)
        mapping_map_free(&tested[--tested_count]);
}

/* 2^20 entries, the most that are promised. */
static void large_maps_work(void **state) {
    (void)state;
    const struct mapping_variable variables[] = {{"i", 1 << 13}, {"tid", 1 << 7}};
    uint32_t *values = malloc((1 << 20) * sizeof *values);
    assert_non_null(values);
    for (uint32_t entry = 0; entry < 1 << 20; entry++)
        values[entry] = entry;
    expect_formula(variables, 2, values, "(i & 8191) + ((tid & 127) << 13)");
    values[(1 << 20) - 1]--;
    expect_formula(variables, 2, values, NULL);
    free(values);
}

/* Printing works as snprintf does. */
static void short_buffers_are_respected(void **state) {
    (void)state;
    uint32_t values[256];
    struct mapping_formula formula;
    char text[] = "xxxxxxxxx";
    tabulate("(i & 5) + (tid & 10)", values);
    assert_true(mapping_deduce(accumulator, 2, values, &formula));
    assert_int_equal(mapping_formula_print(&formula, accumulator, 2, text, 5), 20);
    assert_string_equal(text, "(i &");
    assert_int_equal(text[5], 'x');
    assert_int_equal(mapping_formula_print(&formula, accumulator, 2, NULL, 0), 20);
    char exact[] = "yyyyyyyyyyyyyyyyyyyyyyy";
    assert_int_equal(mapping_formula_print(&formula, accumulator, 2, exact, 20), 20);
    assert_int_equal(exact[19], '\0');
    assert_int_equal(exact[20], 'y');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_formulae_are_found),
        cmocka_unit_test(form_is_canonical),
        cmocka_unit_test(what_has_no_formula_gets_none),
        cmocka_unit_test(too_many_terms_are_no_formula),
        cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(random_formulae_are_found),
        cmocka_unit_test(changed_entries_are_noticed),
        cmocka_unit_test(large_maps_work),
        cmocka_unit_test(short_buffers_are_respected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
