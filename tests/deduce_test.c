/* deduce_test.c - deduction against seeds, brute force, and random formulae.
 *
 * Formulae are evaluated here by a small parser of C expressions, so that what is printed is what
 * is tested, and nothing of the code under test evaluates it. */
#include "mapping.h"
#include "recorded.h"
#include "results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- C expressions of numbers, names, & << >> + ^ and parentheses ---- */

struct expression {
    const char *next;
    const struct mapping_variable *variables;
    const uint32_t *x;
    size_t count;
};

static uint32_t parse_level(struct expression *e, int level);

static void skip_blanks(struct expression *e) {
    e->next += strspn(e->next, " ");
}

static uint32_t parse_atom(struct expression *e) {
    skip_blanks(e);
    if (*e->next == '(') {
        e->next++;
        uint32_t value = parse_level(e, 0);
        skip_blanks(e);
        assert_int_equal(*e->next, ')');
        e->next++;
        return value;
    }
    if (*e->next >= '0' && *e->next <= '9') {
        char *end;
        uint32_t value = (uint32_t)strtoul(e->next, &end, 10);
        e->next = end;
        return value;
    }
    for (size_t v = 0; v < e->count; v++) {
        size_t length = strlen(e->variables[v].name);
        if (strncmp(e->next, e->variables[v].name, length) == 0) {
            e->next += length;
            return e->x[v];
        }
    }
    fail_msg("cannot parse: %s", e->next);
    return 0;
}

/* Levels of precedence as in C, the loosest first. */
static uint32_t parse_level(struct expression *e, int level) {
    static const char *const operators[][2] = {{"^", "^"}, {"&", "&"}, {"<<", ">>"}, {"+", "+"}};
    if (level == 4)
        return parse_atom(e);
    uint32_t value = parse_level(e, level + 1);
    for (;;) {
        skip_blanks(e);
        const char *operator= NULL;
        for (int o = 0; o < 2; o++)
            if (strncmp(e->next, operators[level][o], strlen(operators[level][o])) == 0)
                operator= operators[level][o];
        if (!operator)
            return value;
        e->next += strlen(operator);
        uint32_t right = parse_level(e, level + 1);
        value = *operator== '^'    ? value ^ right
                : * operator== '&' ? value & right
                : * operator== '+' ? value + right
                : * operator== '<' ? value << right
                                   : value>> right;
    }
}

static uint32_t evaluate(const char *text, const struct mapping_variable *variables, size_t count,
                         const uint32_t *x) {
    struct expression e = {text, variables, x, count};
    uint32_t value = parse_level(&e, 0);
    assert_string_equal(e.next, "");
    return value;
}

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

/* In every layout that is recorded, every entry changed to every other place of the matrix. */
static void every_changed_entry_is_noticed(void **state) {
    (void)state;
    struct results_reader reader = results_read(recorded_text);
    struct section section;
    struct mapping_error error;
    bool more;
    unsigned layouts = 0;
    while (results_next(&reader, &section, &more, &error) == MAPPING_OK && more) {
        struct mapping_map map;
        assert_int_equal(section_map(&section, &map, &error), MAPPING_OK);
        section_free(&section);
        const struct mapping_variable variables[] = {{"i", map.elements}, {"tid", map.threads}};
        struct mapping_formula row, col;
        assert_true(mapping_deduce(variables, 2, map.plane[MAPPING_ROW], &row));
        assert_true(mapping_deduce(variables, 2, map.plane[MAPPING_COL], &col));
        /* sm_72 and later repeat the layouts of the two below. */
        bool repeated = section.arch != 70 && section.arch != 75;
        for (size_t entry = 0; entry < mapping_map_entries(&map) && !repeated; entry++) {
            uint32_t right_row = map.plane[MAPPING_ROW][entry];
            uint32_t right_col = map.plane[MAPPING_COL][entry];
            for (uint32_t place = 0; place < map.rows * map.cols; place++) {
                uint32_t wrong_row = place / map.cols, wrong_col = place % map.cols;
                if (wrong_row == right_row && wrong_col == right_col)
                    continue;
                map.plane[MAPPING_ROW][entry] = wrong_row;
                map.plane[MAPPING_COL][entry] = wrong_col;
                assert_false(mapping_deduce(variables, 2, map.plane[MAPPING_ROW], &row) &&
                             mapping_deduce(variables, 2, map.plane[MAPPING_COL], &col));
                assert_int_equal(mapping_map_check(&map, &error), MAPPING_INVALID);
            }
            map.plane[MAPPING_ROW][entry] = right_row;
            map.plane[MAPPING_COL][entry] = right_col;
        }
        mapping_map_free(&map);
        layouts++;
    }
    assert_true(layouts >= 84);
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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_formulae_are_found),
        cmocka_unit_test(form_is_canonical),
        cmocka_unit_test(what_has_no_formula_gets_none),
        cmocka_unit_test(random_formulae_are_found),
        cmocka_unit_test(every_changed_entry_is_noticed),
        cmocka_unit_test(large_maps_work),
        cmocka_unit_test(short_buffers_are_respected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
