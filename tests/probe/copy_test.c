/* copy_test.c - simulates correct and incorrect copy kernels: each finding names the mistake of the
 * kernel, which is stated beside it. */
#include "probe/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The element of A that a kernel puts at a row and column of D, by its offset; or an element that
 * it leaves unchanged. */
enum { LEFT_ALONE = -1, GARBAGE = -2, ANY = 0 };
typedef long kernel(long row, long col);

static long right(long row, long col) {
    return row * 64 + col;
}
static long xor_columns(long row, long col) {
    return row * 64 + (col ^ 4);
}
static long swizzled(long row, long col) {
    return row * 64 + (col ^ (row & 7) << 3);
}
static long transposed(long row, long col) {
    return col * 64 + row;
}
static long rotated(long row, long col) {
    return (row + 5) % 48 * 64 + col;
}
static long off_by_a_tile(long row, long col) {
    return row < 32 ? right(row, col) : right(row - 32, col);
}
static long half_swizzled(long row, long col) {
    return col < 32 ? right(row, col) : right(row ^ 8, col);
}
static long other_ld(long row, long col) {
    return row * 56 + col;
}
static long short_of_rows(long row, long col) {
    return row < 40 ? right(row, col) : LEFT_ALONE;
}
static long spoiled(long row, long col) {
    return row == 3 && col == 5 ? GARBAGE : right(row, col);
}
static long one_wrong(long row, long col) {
    return row == 1 && col == 13 ? 76 : right(row, col);
}
static long shuffled(long row, long col) {
    return (long)(number_hash(9, (uint64_t)right(row, col)) % (UINT64_C(48) * 64));
}

/* Runs a kernel on 48 x 64 (64 x 64 if it is square), rows of A and D as long as they are. */
static void probe(kernel *computes, enum mapping_type type, uint32_t rows,
                  struct findings *findings) {
    static struct plan plan;
    struct mapping_error error;
    struct problem problem = {.op = PROBE_COPY, .m = rows, .n = 64};
    problem.operand[PROBE_A].type = problem.operand[PROBE_D].type = type;
    assert_int_equal(problem_complete(&problem, &error), MAPPING_OK);
    plan = plan_make(&problem, false);
    const unsigned bits = number_bits(type);
    const size_t size = number_bytes(type, (size_t)rows * 64);
    unsigned char *a = memory_get(size, 1), *d = memory_get(size, 1);
    struct reading *reading = reading_begin(&plan);
    for (size_t run = 0; run < plan.runs; run++) {
        plan_fill(&plan, run, PROBE_A, a);
        plan_fill(&plan, run, PROBE_D, d);
        for (long row = 0; row < rows; row++)
            for (long col = 0; col < 64; col++) {
                const long from = computes(row, col);
                if (from == GARBAGE)
                    number_put(d, bits, (size_t)(row * 64 + col), number_hash(7, run));
                else if (from != LEFT_ALONE)
                    number_put(d, bits, (size_t)(row * 64 + col),
                               number_get(a, bits, (size_t)from));
            }
        assert_true(reading_take(reading, run, d));
    }
    *findings = (struct findings){.plan = &plan};
    reading_end(reading, findings);
}

/* True if a finding has the name, and its text has the words. */
static bool has(const struct findings *findings, const char *name, const char *words,
                uint64_t count) {
    for (size_t f = 0; f < findings->count; f++)
        if (strcmp(findings->item[f].name, name) == 0 && strstr(findings->item[f].text, words) &&
            (count == ANY || findings->item[f].count == count))
            return true;
    return false;
}

static void wrong_copies_are_named(void **state) {
    static const struct {
        kernel *computes;
        uint32_t rows;
        const char *name, *words;
        uint64_t count;
    } zoo[] = {
        {xor_columns, 48, "columns moved", "A(row, col ^ 4)", 3072},
        {swizzled, 48, "columns moved", "A(row, ((row & 7) << 3) ^ col)", 2688},
        {transposed, 64, "transposed", "A(col, row)", 4032},
        {rotated, 48, "rows moved", "A((row + 5) % 48, col)", 3072},
        {off_by_a_tile, 64, "rows moved", "A(row & 31, col)", 2048},
        {half_swizzled, 48, "rows moved", "A(row ^ ((col & 32) >> 2), col)", 1536},
        {other_ld, 48, "leading dimension", "56 instead of 64", 3008},
        {short_of_rows, 48, "never written", "never written", 512},
        {spoiled, 48, "no element of A", "", 1},
        {one_wrong, 48, "moved", "D(1, 13) holds A(1, 12)", 1},
        {shuffled, 48, "moved", "no formula", ANY},
    };
    static const enum mapping_type types[] = {MAPPING_F64, MAPPING_F32, MAPPING_F16, MAPPING_E4M3,
                                              MAPPING_S8,  MAPPING_U4,  MAPPING_E2M1};
    (void)state;
    for (size_t n = 0; n < COUNT(zoo); n++)
        for (size_t t = 0; t < COUNT(types); t++) {
            struct findings findings;
            arena_begin();
            probe(zoo[n].computes, types[t], zoo[n].rows, &findings);
            if (!has(&findings, zoo[n].name, zoo[n].words, zoo[n].count)) {
                print_error("kernel %zu, type %s:", n, mapping_type_name(types[t]));
                for (size_t f = 0; f < findings.count; f++)
                    print_error(" %s: %s (%lu);", findings.item[f].name, findings.item[f].text,
                                (unsigned long)findings.item[f].count);
                fail();
            }
            assert_true(findings.wrong >= zoo[n].count);
            mapping_arena_end();
        }
}

static void right_copies_have_no_findings(void **state) {
    static const enum mapping_type types[] = {MAPPING_F64,  MAPPING_TF32, MAPPING_BF16,
                                              MAPPING_E5M2, MAPPING_S32,  MAPPING_S4};
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        struct findings findings;
        arena_begin();
        probe(right, types[t], 48, &findings);
        assert_int_equal(findings.count, 0);
        assert_int_equal(findings.wrong, 0);
        mapping_arena_end();
    }
}

/* One digit of base C for each factor of C, and a check digit. */
static void as_many_runs_as_digits(void **state) {
    static const struct {
        enum mapping_type type;
        uint32_t elements;
        size_t runs;
    } known[] = {{MAPPING_F16, 4096, 2}, {MAPPING_F16, 1 << 20, 3}, {MAPPING_S8, 1 << 20, 4},
                 {MAPPING_S4, 8192, 5},  {MAPPING_F32, 1 << 24, 2}, {MAPPING_E4M3, 8192, 3}};
    (void)state;
    for (size_t n = 0; n < COUNT(known); n++) {
        struct problem problem = {.op = PROBE_COPY, .m = 1, .n = known[n].elements};
        struct mapping_error error;
        problem.operand[PROBE_A].type = problem.operand[PROBE_D].type = known[n].type;
        assert_int_equal(problem_complete(&problem, &error), MAPPING_OK);
        assert_int_equal(plan_make(&problem, false).runs, known[n].runs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_copies_are_named),
        cmocka_unit_test(right_copies_have_no_findings),
        cmocka_unit_test(as_many_runs_as_digits),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
