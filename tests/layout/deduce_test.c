/* deduce_test.c - deduction of formulae, tested with seeds, brute force, and random formulae.
 *
 * A small parser of C expressions evaluates the formulae as they are printed, without using the
 * code under test.
 *
 * Expected values: ahennequ's tool (report/seed/), random formulae, the evaluator. */
#include "catalogue/fragment.h"
#include "expression.h"
#include "random.h"
#include "sample.h"
#include "source/recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Helpers ---- */

static const struct mapping_space accumulator = {2, {{"tid", 32}, {"i", 8}}};

/* Deduces, and compares the printed formula with `expected`; NULL if there must be none. */
static void expect_formula(const struct mapping_space *space, const uint32_t *values,
                           const char *expected) {
    struct mapping_formula formula;
    char text[1024];
    bool found = mapping_deduce(space, values, &formula);
    assert_int_equal(found, expected != NULL);
    if (found) {
        mapping_formula_print(&formula, space, text, sizeof text);
        assert_string_equal(text, expected);
    }
}

/* Computes the values of the expression. */
static void tabulate(const char *text, uint32_t values[256]) {
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = evaluate(text, &accumulator, (uint32_t[]){entry / 8, entry % 8});
}

/* ---- Tests ---- */

/* The values of each formula of the seed give this formula again. */
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
        expect_formula(&accumulator, values, formulae[f]);
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
        {"5 + 0", "5"},
        {"tid + 16 + i", "16 + (i & 7) + (tid & 31)"},
        {"(tid ^ 16) ^ (i << 2)", "16 ^ ((i & 7) << 2) ^ (tid & 31)"},
        {"31 ^ tid", "31 ^ (tid & 31)"},
        {"(3 << 8) + ((i & 3) << 2)", "768 + ((i & 3) << 2)"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t values[256];
        tabulate(cases[c].given, values);
        expect_formula(&accumulator, values, cases[c].canonical);
    }
}

static void what_has_no_formula_gets_none(void **state) {
    (void)state;
    uint32_t values[256];
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = entry % 8 == 7; /* a product of bits */
    expect_formula(&accumulator, values, NULL);
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = (entry + 1) % 256;
    expect_formula(&accumulator, values, NULL);
    for (uint32_t entry = 0; entry < 256; entry++)
        values[entry] = random_number() % 16;
    values[0] = 0;
    expect_formula(&accumulator, values, NULL);
    /* The last of a number of entries that is no power of two. */
    const struct mapping_space seven = {1, {{"i", 7}}};
    expect_formula(&seven, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6}, "(i & 7)");
    expect_formula(&seven, (const uint32_t[]){0, 1, 2, 3, 4, 5, 7}, NULL);
}

/* More terms than a formula has room for: none, and nothing written beside. */
static void too_many_terms_are_no_formula(void **state) {
    (void)state;
    const struct mapping_space space = {4, {{"a", 32}, {"b", 32}, {"c", 32}, {"d", 32}}};
    uint32_t *values = malloc((1 << 20) * sizeof *values);
    assert_non_null(values);
    for (uint32_t entry = 0; entry < 1 << 20; entry++)
        values[entry] = entry ? UINT32_MAX : 0;
    expect_formula(&space, values, NULL);
    free(values);
}

/* Any constant and any contribution of each bit, summed or exclusive-ored: found, and right at
 * every entry. */
static void random_formulae_are_found(void **state) {
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const struct mapping_space space = {3,
                                            {{"copy", 1 + random_number() % 3},
                                             {"tid", 1 + random_number() % 40},
                                             {"i", 1 + random_number() % 20}}};
        uint32_t contributions[3][6], values[20 * 40 * 3], point[3];
        uint32_t constant = round % 4 < 2 ? 0 : random_number() & 0xfff;
        for (int a = 0; a < 3; a++)
            for (int bit = 0; bit < 6; bit++)
                contributions[a][bit] = random_number() & (round % 3 ? 255 : 0xfffff);
        bool exclusive = round & 1;
        for (size_t n = 0; n < mapping_space_size(&space); n++) {
            uint32_t sum = constant;
            mapping_space_point(&space, n, point);
            for (int a = 0; a < 3; a++)
                for (int bit = 0; bit < 6; bit++)
                    if (point[a] >> bit & 1)
                        sum = exclusive ? sum ^ contributions[a][bit] : sum + contributions[a][bit];
            values[n] = sum;
        }
        struct mapping_formula formula;
        char text[4096];
        assert_true(mapping_deduce(&space, values, &formula));
        size_t length = mapping_formula_print(&formula, &space, text, sizeof text);
        assert_int_equal(length, strlen(text));
        for (size_t n = 0; n < mapping_space_size(&space); n++) {
            mapping_space_point(&space, n, point);
            assert_int_equal(mapping_formula_evaluate(&formula, 3, point), values[n]);
            if (round < 100)
                assert_int_equal(evaluate(text, &space, point), values[n]);
        }
    }
}

/* Layouts that have been tested already; most architectures repeat layouts of others. */
static struct mapping_layout tested[256];
static size_t tested_count;

static bool is_new(const struct mapping_layout *layout) {
    for (size_t t = 0; t < tested_count; t++)
        if (layout_equal(&tested[t], layout))
            return false;
    assert_true(tested_count < sizeof tested / sizeof *tested);
    tested[tested_count++] = *layout;
    return true;
}

/* How many places apart changes are: each is made of small maps that are thoroughly tested, of
 * others some. */
static uint32_t step_of(size_t places) {
    size_t some = one_in(16, 4);
    return some == 1 && places <= 512 ? 1 : (uint32_t)(places / (some == 1 ? 32 : some)) | 1;
}

/* True if every axis of the target has a formula. */
static bool has_formulae(const struct mapping_layout *layout) {
    struct mapping_formula formula;
    bool found = true;
    for (uint32_t c = 0; c < layout->to.count; c++)
        found = found && mapping_deduce(&layout->from, layout->coordinate[c], &formula);
    return found;
}

/* Entries of the layout changed to other places of the target. */
static void change_entries(struct mapping_layout *layout) {
    struct mapping_error error;
    uint32_t places = (uint32_t)mapping_space_size(&layout->to), step = step_of(places);
    assert_true(has_formulae(layout));
    for (size_t entry = 0; entry < mapping_layout_entries(layout);
         entry += step_of(mapping_layout_entries(layout))) {
        uint32_t right[MAPPING_AXES_MAX] = {0}, wrong[MAPPING_AXES_MAX];
        for (uint32_t c = 0; c < layout->to.count; c++)
            right[c] = layout->coordinate[c][entry];
        for (uint32_t place = (uint32_t)entry % step; place < places; place += step) {
            if (place == mapping_space_number(&layout->to, right))
                continue;
            mapping_space_point(&layout->to, place, wrong);
            for (uint32_t c = 0; c < layout->to.count; c++)
                layout->coordinate[c][entry] = wrong[c];
            assert_false(has_formulae(layout));
            if (place % 16 == entry % 16)
                assert_int_equal(mapping_layout_check(layout, &error), MAPPING_INVALID);
        }
        for (uint32_t c = 0; c < layout->to.count; c++)
            layout->coordinate[c][entry] = right[c];
    }
}

/* In every layout that is recorded, a changed entry is noticed. */
static void changed_entries_are_noticed(void **state) {
    (void)state;
    for (uint32_t n = 0; n < recorded_count; n++) {
        const struct recorded_entry *entry = &recorded_entries[n];
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        struct mapping_space from, to;
        struct mapping_error error;
        struct mapping_layout layout;
        if (mapping_catalogue_find(recorded_strings + entry->name, found) != 1)
            continue; /* an atom of shared memory */
        mapping_fragment_spaces(&found[0], &from, &to);
        assert_int_equal(recorded_layout(entry, &from, &to, &layout, &error), MAPPING_OK);
        if (is_new(&layout))
            change_entries(&tested[tested_count - 1]);
        else
            mapping_layout_free(&layout);
    }
    assert_true(tested_count > 20);
    while (tested_count > 0)
        mapping_layout_free(&tested[--tested_count]);
}

/* 2^20 entries, the most that are promised. */
static void large_maps_work(void **state) {
    (void)state;
    const struct mapping_space space = {2, {{"tid", 1 << 7}, {"i", 1 << 13}}};
    uint32_t *values = malloc((1 << 20) * sizeof *values);
    assert_non_null(values);
    for (uint32_t entry = 0; entry < 1 << 20; entry++)
        values[entry] = entry;
    expect_formula(&space, values, "(i & 8191) + ((tid & 127) << 13)");
    values[(1 << 20) - 1]--;
    expect_formula(&space, values, NULL);
    free(values);
}

/* Printing works as snprintf does. */
static void short_buffers_are_respected(void **state) {
    (void)state;
    uint32_t values[256];
    struct mapping_formula formula;
    char text[] = "xxxxxxxxx";
    tabulate("(i & 5) + (tid & 10)", values);
    assert_true(mapping_deduce(&accumulator, values, &formula));
    assert_int_equal(mapping_formula_print(&formula, &accumulator, text, 5), 20);
    assert_string_equal(text, "(i &");
    assert_int_equal(text[5], 'x');
    assert_int_equal(mapping_formula_print(&formula, &accumulator, NULL, 0), 20);
    assert_int_equal(mapping_formula_print(&formula, &accumulator, text, 1), 20);
    assert_string_equal(text, "");
    char exact[] = "yyyyyyyyyyyyyyyyyyyyyyy";
    assert_int_equal(mapping_formula_print(&formula, &accumulator, exact, 20), 20);
    assert_int_equal(exact[19], '\0');
    assert_int_equal(exact[20], 'y');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_formulae_are_found),
        cmocka_unit_test(form_is_canonical),
        cmocka_unit_test(what_has_no_formula_gets_none),
        cmocka_unit_test(too_many_terms_are_no_formula),
        cmocka_unit_test(random_formulae_are_found),
        cmocka_unit_test(changed_entries_are_noticed),
        cmocka_unit_test(large_maps_work),
        cmocka_unit_test(short_buffers_are_respected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
