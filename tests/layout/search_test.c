/* search_test.c - the search of expressions with constants of up to 7 alone, which is quick enough
 * to be tried to its end, three operators: random expressions are found again, what is found is
 * right, and the search fails where memory ends. With constants of a byte shorten_test.c tries it.
 */
#define SEARCH_CONSTANT_MAX 7

#include "layout/found_again.h"
#include "sample.h"

/* ---- Memory that ends ---- */

/* How often memory is still given; SIZE_MAX for ever. */
static size_t grants = SIZE_MAX;

static bool is_granted(void) {
    if (grants == 0)
        return false;
    grants -= grants < SIZE_MAX;
    return true;
}

static void *granted_calloc(size_t count, size_t size) {
    return is_granted() ? calloc(count, size) : NULL;
}

static void *granted_realloc(void *memory, size_t size) {
    return is_granted() ? realloc(memory, size) : NULL;
}

#define calloc granted_calloc
#define realloc granted_realloc

/* NOLINTNEXTLINE(bugprone-suspicious-include): it is to have that limit. */
#include "layout/search.c"

#undef calloc
#undef realloc

/* ---- What is found ---- */

static void expressions_are_found_again(void **state) {
    (void)state;
    search_finds(1, 1, 1000 / (unsigned)one_in(5, 50));
    search_finds(2, 2, 1000 / (unsigned)one_in(5, 50));
    search_finds(3, 3, 200 / (unsigned)one_in(10, 100));
}

/* ---- Chosen tables ---- */

/* Makes the search of a table: values[] are those of the variables, then the target. */
static void search_values(int64_t values[][SEARCH_LANES], unsigned variables,
                          struct search *search) {
    const int64_t *target = values[variables];
    int greatest = 0;
    *search = (struct search){.variables = variables, .all = INT32_MAX, .found = count_finding};
    for (int k = 0; k < SEARCH_LANES; k++)
        greatest = target[k] > target[greatest] ? k : greatest;
    for (int k = 0; k < SEARCH_LANES; k++) {
        int entry = k == 0 ? greatest : k == greatest ? 0 : k;
        for (unsigned v = 0; v < variables; v++)
            search->variable[v][k] = (int32_t)values[v][entry];
        search->target[k] = (int32_t)target[entry];
        search->any |= search->target[k];
        search->all &= search->target[k];
    }
}

enum variable_kind { FEW, THOUSANDS, NEGATIVE, UNLIKE, KINDS };

/* An operator, with a constant beside a variable, and how many operators it takes at least: 1 for
 * a small constant, or where a unary operator gives the same, else 2. */
static const struct constant_case {
    const char *operation;
    bool constant_first;
    int64_t constant;
    enum variable_kind kind;
    unsigned operators;
} constant_cases[] = {
    {"+", false, 1000, FEW, 2},        {"-", false, -5000, FEW, 2},
    {"-", true, 1000, NEGATIVE, 2},    {"*", false, 1000, FEW, 2},
    {"*", false, 4096, FEW, 2},        {"*", false, -3, NEGATIVE, 2},
    {"*", false, -1, NEGATIVE, 1},     {"^", false, -1, NEGATIVE, 1},
    {"/", false, 1000, THOUSANDS, 2},  {"/", false, -100, NEGATIVE, 2},
    {"/", true, 100000, FEW, 2},       {"%", false, 1000, THOUSANDS, 2},
    {"%", true, 100003, FEW, 2},       {"%", true, 5, UNLIKE, 1},
    {"&", false, 1000, THOUSANDS, 2},  {"|", false, 1024, FEW, 2},
    {"^", false, 4097, THOUSANDS, 2},  {"<<", true, 1000, FEW, 2},
    {">>", true, 123456, FEW, 2},      {"<", false, 5000, THOUSANDS, 2},
    {"<=", false, 5000, THOUSANDS, 2}, {">", false, 5000, THOUSANDS, 2},
    {">=", false, -777, NEGATIVE, 2},  {"<", false, -777, NEGATIVE, 2},
    {"==", false, 1235, THOUSANDS, 2}, {"!=", false, 1235, THOUSANDS, 2},
    {"<", false, 3, FEW, 1},           {"<", false, 2, THOUSANDS, 1},
};

static void constants_of_any_size_are_solved_for(void **state) {
    (void)state;
    int64_t variable[KINDS][SEARCH_LANES];
    for (int k = 0; k < SEARCH_LANES; k++) {
        variable[FEW][k] = 1 + k;
        variable[THOUSANDS][k] = 1234 * k + 1;
        variable[NEGATIVE][k] = -777 * k - 1;
        variable[UNLIKE][k] = k < 8 ? 3 : 7;
    }
    for (size_t n = 0; n < sizeof constant_cases / sizeof *constant_cases; n++) {
        const struct constant_case *c = &constant_cases[n];
        int64_t values[2][SEARCH_LANES];
        for (int k = 0; k < SEARCH_LANES; k++) {
            struct number x = {variable[c->kind][k], false, true}, y = {c->constant, false, true};
            values[0][k] = x.value;
            values[1][k] =
                applied(c->operation, c->constant_first ? y : x, c->constant_first ? x : y).value;
        }
        struct search search;
        search_values(values, 1, &search);
        for (unsigned level = c->operators; level <= 2; level++) {
            struct findings findings = {&search, 0, true};
            search.context = &findings;
            assert_true(mapping_search_run(&search, level));
            if (!findings.is_right || (findings.count == 0 && level == c->operators))
                fail_msg("%s %lld: %u found with %u operators", c->operation,
                         (long long)c->constant, findings.count, level);
        }
    }
}

/* ---- The end of memory ---- */

static void count_one(void *context, const struct search_tree *tree) {
    (void)tree;
    ++*(unsigned *)context;
}

/* However much memory there is, a search fails, or finds as much as with more. */
static void search_fails_without_memory(void **state) {
    (void)state;
    struct search search;
    int64_t values[2][SEARCH_LANES];
    unsigned all = 0, some = 0;
    bool is_done = false;
    size_t least = 0;
    for (int k = 0; k < SEARCH_LANES; k++) {
        values[0][k] = k % 8;
        values[1][k] = (k % 8 * 5 + 1) % 7;
    }
    search_values(values, 1, &search);
    search.found = count_one;
    search.context = &all;
    assert_true(mapping_search_run(&search, SEARCH_DEPTH));
    assert_int_not_equal(all, 0);
    for (; !is_done; least++) {
        some = 0;
        search.context = &some;
        grants = least;
        is_done = mapping_search_run(&search, SEARCH_DEPTH);
        grants = SIZE_MAX;
    }
    assert_int_equal(some, all);
    assert_true(least > 4);
}

/* ---- Single operators ---- */

/* By hand; what C leaves undefined has no result. */
static void operators_are_those_of_c(void **state) {
    (void)state;
    static const struct {
        enum search_operator operation;
        int32_t a, b, result;
        bool is_unsigned, is_defined;
    } cases[] = {
        {SEARCH_DIVIDE, 7, 0, 0, false, false},
        {SEARCH_REMAINDER, 7, 0, 0, false, false},
        {SEARCH_DIVIDE, INT32_MIN, -1, 0, false, false},
        {SEARCH_REMAINDER, INT32_MIN, -1, 0, false, false},
        {SEARCH_DIVIDE, INT32_MIN, 2, INT32_MIN / 2, false, true},
        {SEARCH_DIVIDE, INT32_MIN, -1, 0, true, true},
        {SEARCH_MULTIPLY, 65536, 32768, 0, false, false},
        {SEARCH_MULTIPLY, 65536, 32768, INT32_MIN, true, true},
        {SEARCH_NEGATE, INT32_MIN, 0, 0, false, false},
        {SEARCH_SHIFT_LEFT, 1, 31, 0, false, false},
        {SEARCH_SHIFT_LEFT, 1, 31, INT32_MIN, true, true},
        {SEARCH_SHIFT_LEFT, 1, 32, 0, true, false},
        {SEARCH_SHIFT_RIGHT, -8, 1, 0, false, false},
        {SEARCH_SHIFT_RIGHT, -8, 28, 15, true, true},
        {SEARCH_SUBTRACT, INT32_MIN, 1, 0, false, false},
        {SEARCH_SUBTRACT, 0, 1, -1, true, true},
        {SEARCH_LESS, -1, 1, 1, false, true},
        {SEARCH_LESS, -1, 1, 0, true, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t result = 0;
        assert_int_equal(search_operate(cases[c].operation, cases[c].is_unsigned,
                                        (uint32_t)cases[c].a, (uint32_t)cases[c].b, &result),
                         cases[c].is_defined);
        if (cases[c].is_defined)
            assert_int_equal((int32_t)result, cases[c].result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_found_again),
        cmocka_unit_test(constants_of_any_size_are_solved_for),
        cmocka_unit_test(search_fails_without_memory),
        cmocka_unit_test(operators_are_those_of_c),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
