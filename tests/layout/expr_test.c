/* expr_test.c - expressions have the same values as in C: each is also compiled here, and both must
 * agree at all values of tid and i. Undefined expressions and invalid ones are errors.
 *
 * Expected values: the compiler, for the same text. */
#include "layout/expr.h"
#include "system/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 32, ELEMENTS = 8 };

static const struct mapping_space space = {2, {{"tid", THREADS}, {"i", ELEMENTS}}};

/* ---- The compiler's word ---- */

#ifdef __clang__
#pragma clang diagnostic ignored "-Weverything"
#else
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wlogical-op"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#endif
// NOLINTBEGIN

/* Every expression that both read; X(name, expression). */
#define EXPRESSIONS(X)                                                                             \
    X(number, 42)                                                                                  \
    X(hexadecimal, 0x1F + 0Xaa)                                                                    \
    X(octal, 017 + 0)                                                                              \
    X(suffixes, 1u + 2U + 3l + 4L + 5ul + 6LL + 7ull + 8uLL)                                       \
    X(thread, tid)                                                                                 \
    X(element, i)                                                                                  \
    X(precedence, tid + i * 2 - tid / 3 % 2)                                                       \
    X(left_to_right, tid - i - 1)                                                                  \
    X(shifts, tid << 2 >> 1)                                                                       \
    X(shift_and_sum, 1 << i + 1)                                                                   \
    X(shift_unsigned, 1u << i * 4)                                                                 \
    X(shift_by_unsigned, tid >> 1u)                                                                \
    X(bitwise, tid & 3 | i ^ 5)                                                                    \
    X(bitwise_and_equal, tid & 3 == 2)                                                             \
    X(comparisons, (tid < i) + (tid > i) * 2 + (tid <= i) * 4 + (tid >= i) * 8)                    \
    X(comparisons_of_shifts,                                                                       \
      (8 < i << 1) + (8 > i << 1) * 2 + (8 <= i << 1) * 4 + (8 >= i << 1) * 8)                     \
    X(equality, (tid == i) + 2 * (tid != i))                                                       \
    X(logical, tid &&i || !tid)                                                                    \
    X(logical_precedence, tid || i && !tid)                                                        \
    X(short_circuit, i != 0 && 8 / i > 1)                                                          \
    X(short_circuit_or, i == 0 || 8 / i > 1)                                                       \
    X(condition, i < 2 ? tid : tid + 8)                                                            \
    X(condition_nested, i < 2 ? 0 : i < 4 ? 1 : i < 6 ? 2 : 3)                                     \
    X(condition_inside, (i & 1 ? 4 : 2) + (tid ? i ? 1 : 2 : 3))                                   \
    X(condition_guards, i ? 8 / i : -1)                                                            \
    X(condition_guards_product, i ? tid *(8 / i) : 0)                                              \
    X(condition_guards_other, i == 0 ? -1 : 8 / i)                                                 \
    X(condition_converts, (i ? -1 : 1u) + 0L)                                                      \
    X(condition_type, (i ? -1 : 1u) > 0)                                                           \
    X(negative, -tid / 4)                                                                          \
    X(negative_rest, (i - 4) % 3)                                                                  \
    X(negative_shift_right, (i - 4) >> 1)                                                          \
    X(unary, -tid + +i - ~tid + !i)                                                                \
    X(unary_twice, - -tid + !!i + ~~tid)                                                           \
    X(unsigned_wraps, tid - 40u)                                                                   \
    X(unsigned_division, (tid - 40u) / 3)                                                          \
    X(unsigned_comparison, -1 < 1u)                                                                \
    X(unsigned_hexadecimal, 0xffffffff + 1)                                                        \
    X(unsigned_quotient_of_negative, (tid - 40) / 3u)                                              \
    X(unsigned_rest_of_negative, (tid - 40) % 7u)                                                  \
    X(unsigned_equality_of_negative, (tid - 40 == 4294967256u) + (i - 1ul > 5))                    \
    X(unsigned_equality_to_negative, 4294967288u == i - 8)                                         \
    X(quotient_by_minus_one, tid / -1 - 2 * (i / -1L))                                             \
    X(rest_by_minus_one, tid % -1 + i % -1L)                                                       \
    X(largest_hexadecimal_int, 0x7fffffff - 0x7fffffff - 1 < 0)                                    \
    X(smallest_hexadecimal_unsigned, 0x80000000 - 0x80000000 - 1 > 0)                              \
    X(long_decimal, 4294967295 + 1)                                                                \
    X(long_comparison, -1 < 4294967295)                                                            \
    X(long_hexadecimal, 0xffffffffffffffff > 0)                                                    \
    X(long_product, 2147483647L * 2)                                                               \
    X(cast_unsigned, (unsigned)(tid - 40))                                                         \
    X(cast_int, (int)(tid - 40u))                                                                  \
    X(cast_binds, (int)tid * 2 + (unsigned int)i)                                                  \
    X(cast_small, (uint8_t)(tid * 20) + (int8_t)(tid * 10) + (uint16_t)(tid - 1))                  \
    X(cast_bool, (bool)tid + (bool)(i - 1))                                                        \
    X(cast_char, (unsigned char)(tid * 17) - (signed char)(i * 40))                                \
    X(cast_long, (long)tid * 3000000000)                                                           \
    X(cast_unsigned_long, (unsigned long long)tid - 1 > 5)                                         \
    X(long_shift, ((unsigned long)tid - 40) >> 60)                                                 \
    X(cast_size, (size_t)i * 3 - 1)                                                                \
    X(cast_unary, (unsigned)-1 / (unsigned)(i + 1))                                                \
    X(cast_type_words, (long unsigned int)i + (short)tid)                                          \
    X(promotion, (uint8_t)255 + (uint8_t)1)                                                        \
    X(promotion_shift, (uint8_t)200 << 4)                                                          \
    X(complement_small, ~(uint8_t)0)                                                               \
    X(parentheses, ((((tid)))) * (((i) + 1)))                                                      \
    X(largest, 2147483647 - tid)                                                                   \
    X(smallest, -2147483647 - 1 + tid)                                                             \
    X(comment, tid /* the thread */ + i)                                                           \
    X(group_and_lane, (tid >> 2) + 8 * (i >> 1) + (i & 1))                                         \
    X(volta, (tid & 1) + (tid & 4) * 2 + (tid & 16) / 4 + (i & 2))                                 \
    X(many,                                                                                        \
      tid % 4 * 2 + i % 2 + i / 2 % 2 * 8 + (tid / 4 << 1) - (tid & ~3) + (tid | i) - (tid ^ i))

#define COMPILE(name, expression)                                                                  \
    static int64_t compiled_##name(int tid, int i) {                                               \
        return (int64_t)(expression);                                                              \
    }
EXPRESSIONS(COMPILE)
// NOLINTEND

#define ROW(name, expression) {#name, #expression, compiled_##name},
static const struct {
    const char *name, *text;
    int64_t (*compiled)(int tid, int i);
} expressions[] = {EXPRESSIONS(ROW)};

/* Evaluates one variable at one point. */
static enum mapping_status evaluate(const struct mapping_program *program, uint32_t tid, uint32_t i,
                                    int name, int64_t *value, struct mapping_error *error) {
    struct mapping_points points = {.mask = UINT64_C(1) << 63};
    int64_t values[1][MAPPING_POINTS];
    unsigned undefined = MAPPING_POINTS;
    points.coordinate[0][63] = tid;
    points.coordinate[1][63] = i;
    enum mapping_status status =
        mapping_program_evaluate(program, &points, &name, 1, values, &undefined, error);
    assert_true(status == MAPPING_OK || undefined == 63);
    *value = values[0][63];
    return status;
}

/* The value of the variable `name`; fails the test if it cannot be read or has no value. */
static int64_t value_at(const char *text, const char *name, uint32_t tid, uint32_t i) {
    struct mapping_program *program = mapping_program_make(&space, 0);
    struct mapping_error error = {""};
    int64_t value = 0;
    if (mapping_program_parse(program, text, &error) != MAPPING_OK)
        fail_msg("'%s': %s", text, error.message);
    int number = mapping_program_find(program, name);
    assert_true(number >= 0);
    if (evaluate(program, tid, i, number, &value, &error) != MAPPING_OK)
        fail_msg("'%s': %s", text, error.message);
    mapping_free(program);
    return value;
}

static void expressions_are_those_of_the_compiler(void **state) {
    (void)state;
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++)
        for (uint32_t tid = 0; tid < THREADS; tid++)
            for (uint32_t i = 0; i < ELEMENTS; i++) {
                int64_t expected = expressions[e].compiled((int)tid, (int)i);
                int64_t value = value_at(expressions[e].text, MAPPING_RESULT, tid, i);
                if (value != expected)
                    fail_msg("%s at tid %u, i %u: %lld is not %lld", expressions[e].text, tid, i,
                             (long long)value, (long long)expected);
            }
}

/* The same at all points at once. Undefined results, and results that are no coordinates, differ.
 */
static void tables_are_compared(void **state) {
    (void)state;
    enum { ENTRIES = THREADS * ELEMENTS };
    static uint32_t values[ENTRIES];
    size_t wrong = 0;
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
        size_t first = ENTRIES; /* that is below 0 or above 32 bits */
        for (uint32_t n = ENTRIES; n-- > 0;) {
            int64_t value = expressions[e].compiled((int)(n / ELEMENTS), (int)(n % ELEMENTS));
            values[n] = (uint32_t)value;
            first = value < 0 || value > UINT32_MAX ? n : first;
        }
        const bool fits = first == ENTRIES;
        if (mapping_expression_gives(expressions[e].text, &space, false, values, &wrong) !=
                (fits ? MAPPING_OK : MAPPING_DIFFERS) ||
            (!fits && wrong != first))
            fail_msg("%s: %zu", expressions[e].text, wrong);
        const size_t changed = THREADS * ELEMENTS - 1 - e;
        values[changed] ^= 1;
        if (mapping_expression_gives(expressions[e].text, &space, false, values, &wrong) !=
                MAPPING_DIFFERS ||
            wrong != (first < changed ? first : changed))
            fail_msg("%s is another", expressions[e].text);
    }
    static const char *const no_expressions[] = {"tid +", "x = 1; y = 2", "", "x = tid"};
    for (size_t e = 0; e < sizeof no_expressions / sizeof *no_expressions; e++)
        assert_int_equal(mapping_expression_gives(no_expressions[e], &space, false, values, &wrong),
                         MAPPING_INVALID);
    assert_int_equal(mapping_expression_gives("tid / i", &space, false, values, &wrong),
                     MAPPING_DIFFERS);
    assert_int_equal(wrong, 0);
    /* An expression that is undefined at i = 0 has no value there, whatever the table has. */
    for (uint32_t n = 0; n < THREADS * ELEMENTS; n++)
        values[n] = n / ELEMENTS + (n % ELEMENTS != 1);
    assert_int_equal(mapping_expression_gives("tid + 1 % i", &space, false, values, &wrong),
                     MAPPING_DIFFERS);
    assert_int_equal(wrong, 0);
    assert_int_equal(mapping_expression_gives("tid + (i != 1)", &space, false, values, &wrong),
                     MAPPING_OK);
    /* Inputs may be unsigned. */
    for (uint32_t n = 0; n < THREADS * ELEMENTS; n++)
        values[n] = n < ELEMENTS ? 1 : 0;
    assert_int_equal(mapping_expression_gives("-tid > -1", &space, false, values, &wrong),
                     MAPPING_OK);
    assert_int_equal(mapping_expression_gives("-tid > -1", &space, true, values, &wrong),
                     MAPPING_DIFFERS);
    assert_int_equal(wrong, 0);
}

/* The first undefined point is reported, and of that what C evaluates first. */
static void the_first_undefined_point_is_reported(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
        unsigned point;
    } cases[] = {
        {"x = 8 / (i - 3) + 1 % (i - 2)", "x = 8 / (i - 3) + 1 % (i - 2)\n                      ^",
         2},
        {"y = 1 << i * 8; x = 1 / (i - 4)", "^", 4},
        {"x = 1 / (i - 4); y = 1 << 8 + i * 8", "many bits", 3},
        {"if (i < 5) x = i", "'x' has no value", 5},
        {"int y; if (i != 6) y = 1; x = i == 7 ? 1 / (i - 7) : y", "before it has a value", 6},
        {"y = 5; if (i > 1) { if (i > 2) y = 1 / (i - 2); else y = 1 / (i - 3) / (i - 2); } x = y",
         "divides by zero", 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_program *program = mapping_program_make(&space, 0);
        struct mapping_points points;
        struct mapping_error error = {""};
        int64_t values[1][MAPPING_POINTS];
        unsigned undefined = MAPPING_POINTS;
        mapping_points_from(&space, 8, &points);
        assert_int_equal(mapping_program_parse(program, cases[c].text, &error), MAPPING_OK);
        int name = mapping_program_find(program, "x");
        enum mapping_status status =
            mapping_program_evaluate(program, &points, &name, 1, values, &undefined, &error);
        if (status != MAPPING_INVALID || undefined != cases[c].point ||
            !strstr(error.message, cases[c].sentence))
            fail_msg("%s: %u, %s", cases[c].text, undefined, error.message);
        points.mask &= ~(UINT64_C(0x0101010101010101) << undefined);
        if (mapping_program_evaluate(program, &points, &name, 1, values, &undefined, &error) ==
            MAPPING_OK)
            assert_int_not_equal(c, 0); /* the first is undefined at another element, too */
        else
            assert_true(undefined > cases[c].point);
        mapping_free(program);
    }
}

/* The variable that has no value at the first such point is named. */
static void the_variable_without_a_value_is_named(void **state) {
    (void)state;
    static const char *const texts[] = {"if (i < 5) x = 1; if (i < 2) y = 1",
                                        "if (i < 2) x = 1; if (i < 5) y = 1"};
    for (int t = 0; t < 2; t++) {
        struct mapping_program *program = mapping_program_make(&space, 0);
        struct mapping_points points;
        struct mapping_error error = {""};
        int64_t values[2][MAPPING_POINTS];
        unsigned undefined;
        mapping_points_from(&space, 0, &points);
        assert_int_equal(mapping_program_parse(program, texts[t], &error), MAPPING_OK);
        const int names[] = {mapping_program_find(program, "x"),
                             mapping_program_find(program, "y")};
        assert_int_equal(
            mapping_program_evaluate(program, &points, names, 2, values, &undefined, &error),
            MAPPING_INVALID);
        assert_int_equal(undefined, 2);
        assert_string_equal(error.message, t == 0 ? "'y' has no value" : "'x' has no value");
        mapping_free(program);
    }
}

/* The points of a space, block by block; those after the last one are not in the mask. */
static void points_are_those_of_the_space(void **state) {
    (void)state;
    static const struct mapping_space odd = {3, {{"a", 5}, {"b", 7}, {"c", 3}}};
    for (size_t first = 0; first < 105; first++) {
        struct mapping_points points;
        mapping_points_from(&odd, first, &points);
        for (unsigned n = 0; n < MAPPING_POINTS; n++) {
            size_t number = first + n;
            assert_int_equal(points.mask >> n & 1, number < 105);
            if (number >= 105)
                continue;
            assert_int_equal(points.coordinate[0][n], number / 21);
            assert_int_equal(points.coordinate[1][n], number / 3 % 7);
            assert_int_equal(points.coordinate[2][n], number % 3);
        }
    }
}

/* The name of an axis means this axis, even if it has another meaning elsewhere. */
static void names_of_axes_come_first(void **state) {
    (void)state;
    static const struct mapping_space odd = {4, {{"tid", 64}, {"warp", 2}, {"uint", 2}, {"t", 4}}};
    struct mapping_program *program = mapping_program_make(&odd, 0);
    struct mapping_error error = {""};
    struct mapping_points points = {.mask = 1};
    int64_t values[1][MAPPING_POINTS];
    unsigned undefined;
    for (uint32_t a = 0; a < 4; a++)
        points.coordinate[a][0] = 10 + a;
    assert_int_equal(
        mapping_program_parse(
            program, "x = ((tid * 100 + warp) * 100 + (uint)) * 100 + t; x += warpId", &error),
        MAPPING_OK);
    int name = mapping_program_find(program, "x");
    assert_int_equal(
        mapping_program_evaluate(program, &points, &name, 1, values, &undefined, &error),
        MAPPING_OK);
    assert_int_equal(values[0][0], 10111213);
    mapping_free(program);
}

/* ---- Statements ---- */

/* Each defines row; worked out by hand for thread 13, element 6. */
static const struct {
    const char *text;
    int64_t row;
} programs[] = {
    {"row = tid", 13},
    {"row = /*/ 1 + */ 3 /**/ + 1 // + 1", 4},
    {"row = lane + lane_id - laneid + laneId - threadIdx.x + t - thread", 13},
    {"row = i - e + idx - reg + element", 6},
    {"g = tid / 4; row = g + 8", 11},
    {"int g = tid / 4; int row = g;", 3},
    {"const int g = tid / 4, h = g * 2; auto row = h + 1", 7},
    {"unsigned row = tid - 14", 4294967295},
    {"row = threadIdx.x - 14 > 0", 1},
    {"row = 20 < tid < 1", 1},
    {"uint8_t row = tid * 20", 4},
    {"row = tid / 4; row += 8 * (i / 2);", 27},
    {"row = tid; row -= 3; row *= 2; row /= 3; row %= 4", 2},
    {"row = tid; row <<= 2; row >>= 1; row &= 24; row |= 3; row ^= 1", 26},
    {"tid = tid % 4; row = tid", 1},
    {"int lane = threadIdx.x & 31; row = lane >> 2", 3},
    {"Row: return ((i & 2) << 2) + ((tid & 28) >> 2);", 11},
    {"row: tid + 1", 14},
    {"// the row\nrow = tid /* and\n more */ + 1;", 14},
    {";;row=tid;;", 13},
    {"row = 2; row = 3", 3},
    {"row = unsigned(tid - 14) > 5", 1},
    {"row = static_cast<int>(tid) / 2", 6},
    {"row = int(tid / 2) + int(1)", 7},
    {"row = true + false + tid", 14},
    {"row = 0b101 + 1'000", 1005},
    {"static constexpr unsigned long long row = 7", 7},
    {"uint8_t x = tid; x *= 20; row = x", 4},
    {"uint8_t x = tid; x = x << 5; row = x >> 5", 5},
    {"bool high = false; high = i & 4; row = 8 * high", 8},
    {"unsigned x = 0; x = tid - 14; row = x > 5", 1},
    {"row = tid / 4; if (i >= 2) row += 8;", 11},
    {"row = tid / 4; if (i < 2) row += 8; else row += 16", 19},
    {"row = 1; if (tid == 13) { row = 2; if (i == 6) row += 3; } else row = 9;", 5},
    {"row = 1; if (tid != 13) { row = 2; if (i == 6) row += 3; } else { row = 9; }", 9},
    {"int x = i; row = 0; if (x == 6) { x = 1; row = x + 1; }", 2},
    {"row = 0; if (i == 0) row = 8 / i; else if (i == 6) row = 4", 4},
    {"row = lane + 100 * warp", 13},
    {"int row, x = 3; row = x", 3},
    {"int row; row = tid", 13},
    {"row = tid; int x", 13},
    {"signed row = tid - 14u", -1},
    {"uint8_t const row = tid * 20", 4},
    {"row = 0B101", 5},
    {"short row = tid * 5000", 65000 - 65536},
    {"row = (int(tid / 2))", 6},
    /* Blocks have names of their own. */
    {"int r = 1; { int r = 2; } row = r", 1},
    {"int r = 1; { int r = 2; row = r; }", 2},
    {"int r = 1; { r = 2; } row = r", 2},
    {"int r = 1; { int r = 2; { r = 3; } row = r; } row += 10 * r", 13},
    {"int r = 1; if (i) { int r = 2; row = r; } else { row = r; }", 2},
    {"row = 1; if (i == 6) { int step = 8; row += step; }", 9},
    {"{ int a = 1; row = a; } { int a = 2; row += a; }", 3},
    {"if (i) int a = 3; row = 4", 4},
    {"if (i == 6) row = 8; else row = 0", 8},
    {"int a; if (i > 1) a = 8; else a = 0; row = a", 8},
    {"int a; if (i > 1) a = 8; if (i > 2) row = a", 8},
    {"int a = 3, b = a + 1; row = b", 4},
    {"if (i == 0) { int a = 8 / i; row = a; } else row = 5", 5},
    /* auto is the type of the value as in C++, here bool, and does not change later. */
    {"auto x = i < 2; x = 5; row = x", 1},
    {"auto x = !i; x = 5; row = x", 1},
    {"auto x = true; x += 5; row = x", 1},
    {"auto x = i && tid; x = 5; row = x", 1},
    {"auto x = i ? true : false; x = 5; row = x", 1},
    {"if (i < 99) { auto x = i < 2; x = 5; row = x; }", 1},
    {"if (i < 99) { auto x = (unsigned char)255; x += 9; row = x; }", 8},
    {"long x = (long)1 << 32; row = 1; if (x) row = 2", 2},
    {"int a; row = 1; if (i > 99) { a = 8; if (a > 4) row = 2; }", 1},
    {"row = 1; if (i > 99) { int a = 8; if (a > 4) row = 2; else row = 3; }", 1},
    {"int a = 0; row = 1; if (a != 0) { if (12 / a < 7) row = 2; }", 1},
    {"int a = 0; row = 1; if (a == 0) row = 3; else if (12 / a < 7) row = 2", 3},
    {"auto x = i; x = 5; row = x", 5},
    {"auto x = uint8_t(1); x = 258; row = x", 2},
    /* Without a declaration a name has the type of its value, or of both that it may have. */
    {"a = 5u; a = -1; row = a / 2", 0},
    {"a = 5u; if (i) a = -1; row = a > 0", 1},
    {"a = 5; if (i) a = 1u; row = a - 2 > 0", 1},
    {"if (i) a = -1; row = a / 2", 0},
    {"constexpr int g = 300; static const volatile int h = 1; row = g - h", 299},
    {"static constexpr uint16_t const g = 65535 + 7; row = g", 6},
    {"row = (i < 8) + (i < 9) + ~(i < 9)", 0},
    /* Statements end at the end of a line, if no operator follows. */
    {"g = tid / 4\nrow = g\n\n", 3},
    {"row = tid\nrow += 1\n", 14},
    {"row = tid /\n 4\n + 1", 4},
    {"row = tid\nif (i == 6)\n row = 3", 3},
    /* "//" begins a comment if no expression follows, or if the next line continues the expression.
     */
    {"row = tid / 4 // two words", 3},
    {"row = tid / 4 // group\n + 1", 4},
    {"row = tid / 4 // 3 groups, col = 2\nx = row", 3},
    {"if (i) // i\n row = 2; // tid / 4\nelse // 8\n row = 3; // 4", 2},
    {"row = tid / 4 // 8x8\n", 3},
    {"row = tid / 4 // tid / 4 = group", 3},
    {"row = tid + # of T0\n 1 # and more", 14},
    {"#pragma unroll\nrow = 1", 1},
    /* Loops are executed as C does if they read i or change what had a value. */
    {"row = 0; for (int j = 0; j < 5; j++) row += j", 10},
    {"row = 0; for (int j = 5; j > 0; j -= 2) { int k = j; row += k; }", 9},
    {"row = 1; for (int j = 1; j < 20; j <<= 1) for (int k = 0; k < j; k += 4) row++", 10},
    {"row = 7; for (int j = 3; j < 3; j++) row = 1 / 0", 7},
    {"row = 0; if (tid == 13) for (int j = 0; j < 3; ++j) { row++; --row; row += 2; }", 6},
    {"row = 0; for (int j = 0; j < 8; j++) if (j == i) row = j * 10", 60},
    {"int j; row = 1; for (j = 0; j != 3; j++) row *= 2; row += j", 11},
    /* Else each pass is an element: i = 6 is j = 1, k = 2 of 2 x 4, and j = 3, k = 0 of 4 x 2. */
    {"for (int j = 0; j < 2; j++) for (int k = 0; k < 4; k++) row = 10 * j + k", 12},
    {"for (int j = 0; j < 4; j++) { for (int k = 0; k < 2; k++) { row = 10 * j + k; } }", 30},
    {"for (int e = 0; e < 8; e++) { int g = e * 2; row = g + 1; }", 13},
    {"for (int j = 8; j > 0; j--) row = j", 2},
    {"int row; for (int t = 0; t < 32; t++) for (int j = 1; j <= 8; j++) row = t * 10 + j", 137},
    /* Cases of the PTX ISA. */
    {"row = 1 for ai where 0 <= i < 2 || 4 <= i < 6, 2 otherwise", 2},
    {"row = 1 for a0 and a1\n 2 for a2,..,a7", 2},
    {"row = 1 if tid < 13; 2 if i > 6; 3 if i == 6 && tid == 13; 1 / 0 otherwise", 3},
    {"row = 1 for bi where i = {0,..,3}; 2 for bi where i = {4, 5, ..., 7}\nx = row", 2},
    /* Python, evaluated by CPython 3 with tid = 13, i = 6. */
    {"row = tid; row //= 4", 3},
    {"int g = tid // 4, h = g // 2; row = h", 1},
    {"g = tid // 4\nrow = g # col = 5", 3},
    {"g = (tid) // 4; row = g", 3},
    {"row = (tid // 4\n + i // 2)", 6},
    {"row = tid / 4 // 2 // of two", 1},
    {"row = tid // 4", 3},
    {"row = -tid // 4", -4},
    {"row = tid // -4", -4},
    {"row = -tid % 4 + 0 // 1", 3},
    {"row = tid % -4 + 0 // 1", -3},
    {"row = (i - 9) // 2 * 2 + (i - 9) % 2", -3},
    {"row = tid // 4 + i // 2 % 2 * 8", 11},
    {"row = (tid // 4) // 2", 1},
    {"row = tid // 4 // 2", 1},
    {"row = 2 ** 3 ** 2", 512},
    {"row = -2 ** 2", -4},
    {"row = 2 ** 5 // 3", 10},
    {"row = (-3) ** 3", -27},
    {"row = (-1) ** 2000000001", -1},
    {"row = tid ** 0", 1},
    {"row = tid & 4 == 4 + 0 // 1", 1},
    {"row = tid & 3 | i ^ 5 + 0 // 1", 3},
    {"row = i & 2 == 2 and tid & 1 == 1", 1},
    {"row = not i == 6", 0},
    {"row = not i == 5 or tid // 0", 1},
    {"row = i == 5 and tid // 0", 0},
    {"row = i and 8", 8},
    {"row = i - 6 and tid // (i - 6)", 0},
    {"row = i - 6 or 7", 7},
    {"row = i or 7", 6},
    {"row = not i - 6 and 3", 3},
    {"row = 0 <= i < 2 + 0 // 1", 0},
    {"row = 4 <= i < 7 < tid <= 13 != 12 + 0 // 1", 1},
    {"row = 1 if 0 <= i < 2 or 4 <= i < 7 else 0", 1},
    {"row = tid // 4 + 8 if i < 2 else tid // 8", 1},
    {"row = tid if i < 2 else 5 if i < 6 else 9", 9},
    {"row = (tid if i < 2 else 5) if i > 3 else 1 // (i - 6)", 5},
    {"row = (8 // (i - 6) if i != 6 else 3) + tid", 16},
    {"row = (1 if tid // 2 > 6 else 0) if i else 2", 0},
    {"row = 3 + (7 if i & 4 else 1) * (2 if (tid > 3 and not i) else 5)", 38},
    {"row = 1 < (2 if i else 5) < 3 < tid", 1},
    {"row = 1 < i < (9 if tid else 0) < 20", 1},
    {"row = 1 < (tid if tid > 3 and i else 1 // 0) < (i if 2 < i < 7 < tid else 0) or 4", 4},
    {"row = True + True + False", 2},
    {"row = int(tid / 2) + int(True)", 7},
};

static void statements_define_names(void **state) {
    (void)state;
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        int64_t row = value_at(programs[p].text, "row", 13, 6);
        if (row != programs[p].row)
            fail_msg("'%s': %lld is not %lld", programs[p].text, (long long)row,
                     (long long)programs[p].row);
        if (!mapping_text_defines(programs[p].text, "row") ||
            mapping_text_defines(programs[p].text, "col"))
            fail_msg("'%s' defines row alone", programs[p].text);
    }
    assert_int_equal(value_at("x = tid; return x + 1;", MAPPING_RESULT, 13, 6), 14);
    /* A statement that begins with a cast is not a definition. */
    assert_int_equal(value_at("uint8_t(tid * 100) + 1000", MAPPING_RESULT, 13, 6),
                     1300 % 256 + 1000);
    assert_int_equal(value_at("unsigned (tid) / 2", MAPPING_RESULT, 13, 6), 6);
    assert_true(mapping_text_defines("lane = row * 4", "tid"));
    assert_true(mapping_text_defines("x = 1, y; int a = 2, col = 3", "col"));
    assert_false(mapping_text_defines("x = row == 3", "row"));
}

static void texts_follow_each_other(void **state) {
    (void)state;
    struct mapping_program *program = mapping_program_make(&space, 0);
    struct mapping_error error;
    int64_t value;
    assert_int_equal(mapping_program_parse(program, "g = tid / 4", &error), MAPPING_OK);
    assert_int_equal(mapping_program_parse(program, "row = g * 2", &error), MAPPING_OK);
    int row = mapping_program_find(program, "row");
    assert_int_equal(evaluate(program, 13, 6, row, &value, &error), MAPPING_OK);
    assert_int_equal(value, 6);
    assert_int_equal(mapping_program_find(program, "col"), -1);
    mapping_free(program);
}

/* ---- Errors ---- */

enum { NO_CARET = 9999 };

/* The sentence on what cannot be read, or evaluated for thread 0, element 0, and the column of its
 * caret, from 0. */
static void expect_refusal(const char *text, const char *sentence, size_t column) {
    struct mapping_program *program = mapping_program_make(&space, 0);
    struct mapping_error error = {""};
    int64_t value;
    enum mapping_status status = mapping_program_parse(program, text, &error);
    int last = status == MAPPING_OK ? mapping_program_find(program, "x") : 0;
    if (status == MAPPING_OK)
        status = evaluate(program, 0, 0, last, &value, &error);
    mapping_free(program);
    if (status != MAPPING_INVALID || !strstr(error.message, sentence))
        fail_msg("'%s': status %d, %s", text, (int)status, error.message);
    if (column == NO_CARET)
        return;
    const char *caret = strrchr(error.message, '\n');
    assert_non_null(caret);
    if (strlen(caret) != column + 4) /* newline, two blanks, caret */
        fail_msg("'%s': %s", text, error.message);
}

static void what_is_no_expression_is_refused(void **state) {
    (void)state;
    expect_refusal("", "expected an expression", 0);
    expect_refusal("  // nothing", "expected an expression", 0);
    expect_refusal("x = ", "expected a number, a name or '('", 4);
    expect_refusal("x = tid +", "expected a number, a name or '('", 9);
    expect_refusal("x = (tid", "expected ')'", 8);
    expect_refusal("x = -", "expected a number, a name or '('", 5);
    expect_refusal("x = -(tid", "expected ')'", 9);
    expect_refusal("x = 1; x &&= 2", "expected a number, a name or '('", 11);
    expect_refusal("x = 1; x <= 2 3", "expected an operator", 14);
    expect_refusal("x = tid)", "expected an operator, ';' or the end", 7);
    expect_refusal("x = tid i", "expected an operator", 8);
    expect_refusal("x = tid ? 1", "expected ':'", 11);
    expect_refusal("x = 08", "not a C integer", 4);
    expect_refusal("x = 0x", "not a C integer", 4);
    expect_refusal("x = 1.5", "not a C integer", 4);
    expect_refusal("x = 1e3", "not a C integer", 4);
    expect_refusal("x = 3f", "not a C integer", 4);
    expect_refusal("x = 99999999999999999999", "larger than 64 bits", 4);
    expect_refusal("x = 18446744073709551616", "larger than 64 bits", 4);
    expect_refusal("x = 0x'1", "not a C integer", 4);
    expect_refusal("x = tid++", "expected an operator", 7);
    expect_refusal("x = foo + 1", "unknown name 'foo'; known names are tid", 4);
    expect_refusal("x = x + 1", "unknown name 'x'", 4);
    expect_refusal("x += 1", "unknown name 'x'", 0);
    expect_refusal("x = threadIdx.y", "unknown name 'threadIdx.y'", 4);
    expect_refusal("x = sin(tid)", "the function 'sin' is not known", 4);
    expect_refusal("x = a[1]", "'a' is an array", 4);
    expect_refusal("x = tid[1]", "expected an operator", 7);
    expect_refusal("x = (float)tid", "unknown name 'float'", 5);
    expect_refusal("x = static_cast<float>(i)", "expected a type, such as '<int>'", 16);
    expect_refusal("x = static_cast<int(i)", "expected a type, such as '<int>'", 19);
    expect_refusal("bool 6", "expected '('", 5);
    expect_refusal("int tid + 1", "expected a name and '='", 4);
    expect_refusal("int x = 1, 5", "expected a name and '='", 11);
    expect_refusal("x = auto(tid)", "a cast to auto is not possible", 4);
    expect_refusal("x = (auto)tid", "a cast to auto is not possible", 4);
    expect_refusal("x = static_cast<const auto>(i)", "a cast to auto is not possible", 4);
    expect_refusal("x = \"1\"", "expected a number", 4);
    expect_refusal("x = 1; y == 2 3", "unknown name 'y'", 7);
    expect_refusal("int x = 1; int x = 2", "declared twice", 15);
    expect_refusal("int x = 1, x = 2", "declared twice", 11);
    expect_refusal("x = 1; { int y = 1; } x = y", "unknown name 'y'; known names are tid", 26);
    expect_refusal("auto x", "auto needs a value", 5);
    expect_refusal("int x += 1", "expected a name and '='", 4);
    expect_refusal("if tid x = 1", "expected '(x)'", 3);
    expect_refusal("x = 1; if (tid", "expected ')'", 14);
    expect_refusal("x = 1; { x = 2;", "expected '}'", 15);
    expect_refusal("x = 1; }", "expected a number", 7);
    expect_refusal("x = 1; { x = ; }", "expected a number", 13);
    expect_refusal("x = 1; else x = 2", "unknown name 'else'", 7);
    expect_refusal("for (;;) x = 1", "a loop needs a condition", 6);
    expect_refusal("for (int j = 0; j < i; j++) x = j", "must be constants", 16);
    expect_refusal("for (int j = 0; j < 2; k++) x = j", "unknown name 'k'", 23);
    expect_refusal("for (int j = 0; j < 2; j + 1) x = j", "expected a step", 23);
    expect_refusal("x = 1 @ 2", "expected an operator", 6);
    /* Python. */
    expect_refusal("x = tid // foo", "unknown name 'foo'", 11);
    expect_refusal("x = tid // foo; y = 2", "unknown name 'foo'", 11);
    expect_refusal("x = (tid if i)", "expected 'else'", 13);
    expect_refusal("x = tid if i", "'x' has no value", NO_CARET);
    expect_refusal("x = tid if else 3", "unknown name 'else'", 11);
    expect_refusal("x = tid and", "expected a number, a name or '('", 11);
    expect_refusal("x = tid **", "expected a number, a name or '('", 10);
    expect_refusal("if i < 2: x = 1", "an 'if' of Python", 3);
    expect_refusal("if (i < 2): x = 1", "an 'if' of Python", 10);
    expect_refusal("#define G(a) a + 2\nx = G(tid)", "only macros without parameters", 0);
    expect_refusal("x = 1 /* a *//* b", "expected a number", 14);
}

static void what_c_leaves_undefined_is_refused(void **state) {
    (void)state;
    expect_refusal("x = 1 / i", "divides by zero", 6);
    expect_refusal("x = 1 % i", "divides by zero", 6);
    expect_refusal("x = 1u / i", "divides by zero", 7);
    expect_refusal("x = 2147483647 + 1", "overflows", 15);
    expect_refusal("x = -2147483647 - 2", "overflows", 16);
    expect_refusal("x = 65536 * 65536", "overflows", 10);
    expect_refusal("x = 9223372036854775807 + 1", "overflows", 24);
    expect_refusal("x = (long)9223372036854775807 + 1", "overflows", 30);
    expect_refusal("x = -(-2147483647 - 1)", "overflows", 4);
    expect_refusal("x = (-2147483647 - 1) / -1", "overflows", 22);
    expect_refusal("x = (-2147483647 - 1) % -1", "overflows", 22);
    expect_refusal("x = 1 << 32", "this shifts by a negative number or by too many bits", 6);
    expect_refusal("x = 1 << i - 1", "this shifts by a negative number or by too many bits", 6);
    expect_refusal("x = 1 >> 40", "this shifts by a negative number or by too many bits", 6);
    expect_refusal("x = 1 << 31", "overflows", 6);
    expect_refusal("x = 1L << 63", "overflows", 7);
    expect_refusal("x = 1 >> 32", "too many bits", 6);
    expect_refusal("x = 1u << 32", "too many bits", 7);
    expect_refusal("x = 1u << 4294967296", "too many bits", 7);
    expect_refusal("x = 1ul >> 64", "too many bits", 8);
    expect_refusal("x = -1 << 1", "a negative number to the left", 7);
    expect_refusal("x = 3; y = 5 / (x - 3)", "divides by zero", 13);
    expect_refusal("x = 1 / i + 2 % i", "divides by zero", 6);
    expect_refusal("x = 1 // i", "divides by zero", 6);
    expect_refusal("x = 1 // 1 + 2 % i", "divides by zero", 15);
    expect_refusal("x = 2 ** 31", "overflows", 6);
    expect_refusal("x = 2 ** (i - 1)", "this has a negative exponent", 6);
    expect_refusal("x = 3 if i else 1 // i", "divides by zero", 18);
    expect_refusal("int a; x = a", "read before it has a value", 11);
    expect_refusal("int a; x = 1 + (i ? 2 : a)", "read before it has a value", 24);
    expect_refusal("int a; if (i) a = 8; x = a", "read before it has a value", 25);
    expect_refusal("int a; a += 1; x = 2", "read before it has a value", 7);
    expect_refusal("int x = x + 1", "read before it has a value", 8);
    expect_refusal("if (tid) x = 1", "'x' has no value", NO_CARET);
    expect_refusal("int x; if (i) x = 1", "'x' has no value", NO_CARET);
    expect_refusal("int a; int b = a; x = 2", "read before it has a value", 15);
}

/* A sentence names what there is, as far as it has room. */
static void unknown_names_are_told_what_there_is(void **state) {
    (void)state;
    enum { LETTERS = 60, NAMES = 10 };
    static const struct mapping_space plain = {2, {{"x", 4}, {"y", 4}}};
    struct mapping_space wordy = {MAPPING_AXES_MAX, {{"", 1}}};
    struct mapping_program *program = mapping_program_make(&plain, 0);
    struct mapping_error error = {""};
    char name[LETTERS + 11], text[NAMES * (LETTERS + 3) + 2] = "";
    assert_int_equal(mapping_program_parse(program, "g = x; z", &error), MAPPING_INVALID);
    assert_non_null(strstr(error.message, "unknown name 'z'; known names are x, y, g:\n"));
    mapping_free(program);
    expect_refusal(
        "int y; { int x = 1; } if (i) g = 1; z",
        "known names are tid (or lane, lane_id, laneid, laneId, lane_idx, "
        "laneIdx, threadIdx.x, t, thread, thread_idx, tidx), warp, i (or e, idx, reg, element), g:",
        36);
    memset(name, 'a', LETTERS + 10);
    name[LETTERS + 10] = '\0';
    expect_refusal(name, "unknown name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; known names are",
                   0);
    name[LETTERS] = '\0';
    for (uint32_t a = 0; a < MAPPING_AXES_MAX; a++)
        wordy.axis[a].name = name;
    program = mapping_program_make(&wordy, 0);
    assert_int_equal(mapping_program_parse(program, "z", &error), MAPPING_INVALID);
    assert_non_null(strstr(error.message, "known names are aaa"));
    mapping_free(program);
    for (int n = 0; n < NAMES; n++) {
        name[0] = (char)('a' + n);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s=1;", name);
    }
    expect_refusal(strcat(text, "z"), "unknown name 'z'; known names are tid", 50);
}

/* Appends a piece that many times. */
static void repeat(char *text, const char *piece, int times) {
    for (; times > 0; times--)
        strcat(text, piece);
}

/* The value of x for thread 13, element 6, or -1 if the text is refused as too long. */
static int64_t value_or_too_long(const char *text) {
    struct mapping_program *program = mapping_program_make(&space, 0);
    struct mapping_error error = {""};
    int64_t value = -1;
    if (mapping_program_parse(program, text, &error) == MAPPING_OK) {
        int x = mapping_program_find(program, "x");
        assert_int_equal(evaluate(program, 13, 6, x, &value, &error), MAPPING_OK);
    } else if (!strstr(error.message, "too long") && !strstr(error.message, "too many")) {
        fail_msg("%s", error.message);
    }
    mapping_free(program);
    return value;
}

/* A text has a maximum length: shorter texts are parsed, longer texts are refused, also within a
 * condition. */
static void lengths_have_a_limit(void **state) {
    (void)state;
    enum { SIZE = 8192 };
    static const char *const ends[] = {";if(tid){x=7;x+=1;}else x=9;", ";x<<=1;x=8;"};
    static const struct {
        const char *first, *piece;
        int from, to;
    } texts[] = {
        {"x=1", "+1", 1000, 1030}, {"x=-1", "+1", 1000, 1030}, {"x=1", ";x=2", 1000, 1030}};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            bool was_read = true;
            for (int n = texts[t].from; n <= texts[t].to; n++) {
                char text[SIZE] = "";
                strcat(text, texts[t].first);
                repeat(text, texts[t].piece, n);
                int64_t value = value_or_too_long(strcat(text, ends[e]));
                assert_true(value == -1 || (value == 8 && was_read));
                was_read = value == 8;
                assert_true(was_read || n > texts[t].from);
            }
            assert_false(was_read);
        }
    char name[] =
        "int aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    expect_refusal(name + 4, "unknown name 'aaa", 0);
    expect_refusal(name, "too many names", 4);
    char names[SIZE] = "";
    for (int n = 0; n < 257; n++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "n%d=1;", n);
    expect_refusal(names, "too many names", 50);
}

/* However long or deep a text is, it is read or refused. */
static void long_texts_are_read_or_refused(void **state) {
    (void)state;
    enum { SIZE = 200000 };
    static char text[SIZE + 1];
    struct mapping_error error;
    static const char *const pieces[] = {
        "(", "-", "!", "1+", "1?", "x=", "a=1;", "(int)", "tid?1:", "-(", "{", "if(1)"};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        struct mapping_program *program = mapping_program_make(&space, 0);
        size_t length = strlen(pieces[p]);
        for (size_t n = 0; n + length <= SIZE; n += length)
            memcpy(text + n, pieces[p], length + 1);
        assert_int_equal(mapping_program_parse(program, text, &error), MAPPING_INVALID);
        assert_true(mapping_text_defines(text, "nothing") == false);
        mapping_free(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_those_of_the_compiler),
        cmocka_unit_test(tables_are_compared),
        cmocka_unit_test(the_first_undefined_point_is_reported),
        cmocka_unit_test(the_variable_without_a_value_is_named),
        cmocka_unit_test(points_are_those_of_the_space),
        cmocka_unit_test(names_of_axes_come_first),
        cmocka_unit_test(statements_define_names),
        cmocka_unit_test(texts_follow_each_other),
        cmocka_unit_test(what_is_no_expression_is_refused),
        cmocka_unit_test(what_c_leaves_undefined_is_refused),
        cmocka_unit_test(unknown_names_are_told_what_there_is),
        cmocka_unit_test(lengths_have_a_limit),
        cmocka_unit_test(long_texts_are_read_or_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
