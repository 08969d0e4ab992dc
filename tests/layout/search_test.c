/* search_test.c - the search for expressions with constants of up to 7. With this limit, an
 * exhaustive search with up to three operators is fast enough. The test searches for random
 * expressions: each must be found, and each result must be right. shorten_test.c tests constants of
 * a byte. */
#define SEARCH_CONSTANT_MAX 7

#include "layout/found_again.h"
#include "sample.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): it is to have that limit. */
#include "layout/search.c"

/* ---- Found expressions ---- */

static void expressions_are_found_again(void **state) {
    (void)state;
    search_finds(1, 1, 1000 / (unsigned)one_in(5, 50));
    search_finds(2, 2, 1000 / (unsigned)one_in(5, 50));
    search_finds(3, 3, 200 / (unsigned)one_in(10, 100));
}

/* ---- Chosen tables ---- */

/* True if an expression was found whose last operator is this one. */
static bool is_found(const struct findings *findings, const char *name) {
    for (unsigned o = C_MULTIPLY; o < C_OPERATORS; o++)
        if (strcmp(operator_names[o], name) == 0)
            return (findings->operators >> o & 1) != 0;
    return false;
}

enum { POINTS = 20000 };

static const struct mapping_space line = {1, {{"x", POINTS}}};

/* Which points are compared: the first ones, some in the thousands, or only two. */
enum lane_kind { FIRST, THOUSANDS, TWO };

static size_t lane_of(enum lane_kind kind, size_t k) {
    return kind == FIRST ? 1 + k : kind == THOUSANDS ? 1234 * k + 1 : k < 8 ? 3 : 7;
}

/* An operator, with a constant beside x, and how many operators it takes at least: 1 for a small
 * constant, else 2. */
static const struct constant_case {
    const char *operation;
    bool constant_first;
    int64_t constant;
    enum lane_kind kind;
    unsigned operators;
} constant_cases[] = {
    {"+", false, 1000, FIRST, 2},
    {"-", true, 20000, THOUSANDS, 2},
    {"*", false, 1000, FIRST, 2},
    {"*", false, 4096, FIRST, 2},
    {"/", false, 1000, THOUSANDS, 2},
    {"/", true, 100000, FIRST, 2},
    {"%", false, 1000, THOUSANDS, 2},
    {"%", true, 100003, FIRST, 2},
    {"%", true, 5, TWO, 1},
    {"%", true, 3, TWO, 1},
    {"&", false, 1000, THOUSANDS, 2},
    {"|", false, 1024, FIRST, 2},
    {"|", false, 1024, THOUSANDS, 2},
    {"^", false, 4097, THOUSANDS, 2},
    {"<<", true, 1000, FIRST, 2},
    {">>", true, 123456, FIRST, 2},
    {">>", false, 3, FIRST, 1},
    {">>", false, 7, THOUSANDS, 1},
    {"<", false, 5000, THOUSANDS, 2},
    {"<=", false, 5000, THOUSANDS, 2},
    {">", false, 5000, THOUSANDS, 2},
    {">=", false, 5000, THOUSANDS, 2},
    {"==", false, 1235, THOUSANDS, 2},
    {"!=", false, 1235, THOUSANDS, 2},
    {"<", false, 3, FIRST, 1},
    {"<", false, 2, THOUSANDS, 1},
};

static void constants_of_any_size_are_looked_up(void **state) {
    (void)state;
    static uint32_t values[POINTS];
    for (size_t n = 0; n < sizeof constant_cases / sizeof *constant_cases; n++) {
        const struct constant_case *c = &constant_cases[n];
        struct search search = {
            .from = &line, .values = values, .lanes = SEARCH_LANES, .found = count_finding};
        for (size_t point = 0; point < POINTS; point++) {
            struct number x = {(int64_t)point, false, true}, y = {c->constant, false, true};
            struct number z =
                applied(c->operation, c->constant_first ? y : x, c->constant_first ? x : y);
            values[point] = z.is_good && z.value > 0 ? (uint32_t)z.value : 0;
        }
        size_t greatest = 0;
        for (size_t k = 0; k < SEARCH_LANES; k++) {
            search.lane[k] = lane_of(c->kind, k);
            greatest = values[search.lane[k]] > values[search.lane[greatest]] ? k : greatest;
        }
        size_t first = search.lane[0];
        search.lane[0] = search.lane[greatest];
        search.lane[greatest] = first;
        for (unsigned level = c->operators; level <= 2; level++) {
            struct findings findings = {&search, 0, true, 0};
            search.context = &findings;
            search_run(&search, level);
            const bool is_complete = level > c->operators || is_found(&findings, c->operation);
            if (!findings.is_right || !is_complete)
                fail_msg("%s %lld: %u found (operators %x) with %u operators", c->operation,
                         (long long)c->constant, findings.count, findings.operators, level);
        }
    }
}

/* (7 * 6 - x) ^ x has three operators, the first of two constants, and cannot be had for two. */
static void two_constants_are_combined(void **state) {
    (void)state;
    static uint32_t values[POINTS];
    struct search search = {
        .from = &line, .values = values, .lanes = SEARCH_LANES, .found = count_finding};
    for (size_t k = 0; k < SEARCH_LANES; k++)
        search.lane[k] = SEARCH_LANES - k;
    for (uint32_t point = 0; point < 42; point++)
        values[point] = (42 - point) ^ point;
    for (unsigned level = 1; level <= 3; level++) {
        struct findings findings = {&search, 0, true, 0};
        search.context = &findings;
        search_run(&search, level);
        assert_true(findings.is_right);
        assert_int_equal(findings.count > 0, level == 3);
    }
}

/* Each of 1,500 tables of values is kept once, though some share a slot of the hash table. */
static void equal_expressions_are_kept_once(void **state) {
    (void)state;
    enum { TABLES = 1500 };
    static struct vector vectors[TABLES], zero;
    struct run *run = memory_get(1, sizeof *run);
    run->one = memory_get(ROOM, sizeof *run->one);
    run->slot = memory_get(SLOTS, sizeof *run->slot);
    for (int n = 0; n < 2 * TABLES; n++) {
        struct vector *vector = &vectors[n % TABLES];
        for (int k = 0; k < SEARCH_LANES; k++)
            vector->lane[k] = n % TABLES * (k + 1);
        keep(run, C_ADD, vector, &zero);
        assert_int_equal(run->count, n < TABLES ? n + 1 : TABLES);
    }
    memory_release();
}

/* ---- Single operators ---- */

/* By hand; what C leaves undefined has no result, and the search shifts no negative number. */
static void operators_are_those_of_c(void **state) {
    (void)state;
    static const struct {
        enum c_operator operation;
        int32_t a, b, result;
        bool is_defined;
    } cases[] = {
        {C_DIVIDE, 7, 0, 0, false},
        {C_REMAINDER, 7, 0, 0, false},
        {C_DIVIDE, INT32_MIN, -1, 0, false},
        {C_REMAINDER, INT32_MIN, -1, 0, false},
        {C_DIVIDE, INT32_MIN, 2, INT32_MIN / 2, true},
        {C_MULTIPLY, 65536, 32768, 0, false},
        {C_NEGATE, INT32_MIN, 0, 0, false},
        {C_SHIFT_LEFT, 1, 31, 0, false},
        {C_SHIFT_LEFT, -1, 1, 0, false},
        {C_SHIFT_RIGHT, 1, 32, 0, false},
        {C_SHIFT_RIGHT, -8, 1, 0, false},
        {C_SUBTRACT, INT32_MIN, 1, 0, false},
        {C_LESS, -1, 1, 1, true},
        {C_COMPLEMENT, 5, 0, -6, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int32_t result = 0;
        assert_int_equal(operate(cases[c].operation, cases[c].a, cases[c].b, &result),
                         cases[c].is_defined);
        if (cases[c].is_defined)
            assert_int_equal(result, cases[c].result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_found_again),
        cmocka_unit_test(constants_of_any_size_are_looked_up),
        cmocka_unit_test(two_constants_are_combined),
        cmocka_unit_test(equal_expressions_are_kept_once),
        cmocka_unit_test(operators_are_those_of_c),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
