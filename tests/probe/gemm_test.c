/* gemm_test.c - simulates correct and incorrect matrix products: each finding names the mistake of
 * the kernel, which is stated beside it. */
#include "probe/gemm.h"
#include "probe/plan.h"
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One term of an element of D: the elements that a kernel multiplies, and how often it adds the
 * product. It begins as the right term. Offsets are in memory, if they are not -1. */
struct term {
    uint32_t row, col, k;    /* of D, and the step in K */
    uint32_t am, ak, bk, bn; /* the elements that are multiplied */
    long a_offset, b_offset; /* instead of these */
    double times;
    bool skips_store; /* of this element of D */
    const struct problem *problem;
};
typedef void change(struct term *term);

static void right(struct term *term) {
    (void)term;
}
static void rows_of_d(struct term *term) {
    term->am = term->row ^ 8;
}
static void columns_of_d(struct term *term) {
    term->bn = term->col ^ 1;
}
static void d_transposed(struct term *term) {
    term->am = term->col;
    term->bn = term->row;
}
static void k_of_a(struct term *term) {
    term->ak = term->k ^ 8;
}
static void registers_of_a(struct term *term) { /* 1 and 2: row bit 3 and k bit 3 change places */
    term->am = (term->row & ~8U) | (term->k & 8);
    term->ak = (term->k & ~8U) | (term->row & 8);
}
static void half_of_b(struct term *term) {
    if (term->col >= 32)
        term->bk = term->k ^ 4;
}
static void a_transposed(struct term *term) {
    term->am = term->k;
    term->ak = term->row;
}
static void b_without_trans(struct term *term) { /* 8 x 8 blocks of B */
    term->bk = (term->k & ~7U) | (term->col & 7);
    term->bn = (term->col & ~7U) | (term->k & 7);
}
static void other_lda(struct term *term) {
    term->a_offset = (long)term->row * (term->problem->k - 8) + term->k;
}
static void swizzle_of_a(struct term *term) {
    term->ak = term->k ^ ((term->row & 3) << 3);
}
static void k_tail(struct term *term) {
    term->times = term->k >= term->problem->k - 16 ? 0 : 1;
}
static void stage_twice(struct term *term) { /* the second stage is the first */
    if (term->k / 16 == 1)
        term->ak = term->bk = term->k - 16;
}
static void rotated_rows(struct term *term) {
    term->am = (term->row + 1) % term->problem->m;
}
static void unwritten(struct term *term) {
    term->skips_store = term->row >= 48;
}
static void negated(struct term *term) {
    term->times = -1;
}
static void doubled(struct term *term) {
    term->times = 2;
}
static void single(struct term *term) { /* one term of one element is lost */
    term->times = term->row == 5 && term->col == 7 && term->k == 3 ? 0 : 1;
}

/* The change of the sum. */
enum after { STORED, ADDED_TO_OLD, CLAMPED, AS_BF16, ONE_ELEMENT_PLUS_1 };

/* Runs a kernel in a run, as a program does that reads A and B and overwrites D. */
static void simulate(const struct plan *plan, size_t run, change *changes, enum after after,
                     void *arrays[PROBE_ROLES]) {
    const struct problem *problem = &plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A], *b = &problem->operand[PROBE_B];
    const struct operand_memory *d = &problem->operand[PROBE_D];
    for (enum probe_role r = 0; r <= PROBE_D; r++)
        plan_fill(plan, run, r, arrays[r]);
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t at = memory_index(d, row, col);
            const double old =
                number_value(d->type, number_get(arrays[PROBE_D], number_bits(d->type), at));
            double sum = 0;
            bool is_stored = true;
            for (uint32_t k = 0; k < problem->k; k++) {
                struct term term = {row, col, k, row, k, k, col, -1, -1, 1, false, problem};
                changes(&term);
                const size_t from[2] = {
                    term.a_offset >= 0 ? (size_t)term.a_offset : memory_index(a, term.am, term.ak),
                    term.b_offset >= 0 ? (size_t)term.b_offset : memory_index(b, term.bk, term.bn)};
                is_stored &= !term.skips_store;
                sum += term.times *
                       number_value(a->type,
                                    number_get(arrays[PROBE_A], number_bits(a->type), from[0])) *
                       number_value(b->type,
                                    number_get(arrays[PROBE_B], number_bits(b->type), from[1]));
            }
            uint64_t bits;
            sum += after == ADDED_TO_OLD ? old : 0;
            if (after == CLAMPED && sum < 0)
                sum = 0;
            sum += after == ONE_ELEMENT_PLUS_1 && row == 5 && col == 7;
            if (after == AS_BF16)
                sum = number_rounded(MAPPING_BF16, sum);
            if (number_is_float(d->type) && isfinite(sum))
                sum = number_rounded(d->type, sum);
            if (!number_find(d->type, sum, &bits))
                bits = number_is_float(d->type) ? number_poison(d->type, 0) ^ 1 : 0;
            if (is_stored)
                number_put(arrays[PROBE_D], number_bits(d->type), at, bits);
        }
}

struct setting {
    uint32_t m, n, k;
    enum mapping_type a, b, accumulator, d;
    uint32_t padding;
    const char *layout; /* of A, B and D */
};

/* Probes a kernel as the command does: proof runs, then, if they are wrong, locating runs. */
static void probe(const struct setting *setting, change *changes, enum after after,
                  struct plan *plan, struct findings *findings) {
    struct mapping_error error;
    struct problem problem = {.op = PROBE_GEMM, .m = setting->m, .n = setting->n, .k = setting->k};
    const enum mapping_type types[PROBE_ROLES] = {setting->a, setting->b, setting->d};
    void *arrays[PROBE_ROLES];
    problem.accumulator = setting->accumulator;
    for (enum probe_role r = 0; r <= PROBE_D; r++) {
        problem.operand[r].type = types[r];
        problem.operand[r].is_column_major = setting->layout[r] == 'n';
    }
    assert_int_equal(problem_complete(&problem, &error), MAPPING_OK);
    for (enum probe_role r = 0; r <= PROBE_D; r++) {
        problem.operand[r].ld += setting->padding;
        arrays[r] = memory_get(memory_elements(&problem.operand[r]), 8);
    }
    for (unsigned round = 0; round < 2; round++) {
        *plan = plan_make(&problem, round == 1);
        struct reading *reading = reading_begin(plan);
        for (size_t run = 0; run < plan->runs; run++) {
            simulate(plan, run, changes, after, arrays);
            reading_take(reading, run, arrays[PROBE_D]);
        }
        *findings = (struct findings){.plan = plan};
        reading_end(reading, findings);
        if (!findings->needs_locating)
            break;
    }
}

static void report(const struct findings *findings) {
    for (size_t f = 0; f < findings->count; f++)
        print_error("%s: %s (%lu); ", findings->item[f].name, findings->item[f].text,
                    (unsigned long)findings->item[f].count);
    print_error("%lu wrong\n", (unsigned long)findings->wrong);
}

/* ---- Wrong kernels ---- */

static void wrong_products_are_named(void **state) {
    static const struct {
        change *changes;
        enum after after;
        const char *name, *words;
    } zoo[] = {
        {rows_of_d, STORED, "rows moved", "(row ^ 8, col)"},
        {columns_of_d, STORED, "columns moved", "(row, col ^ 1)"},
        {d_transposed, STORED, "D transposed", "(col, row)"},
        {k_of_a, STORED, "k moved", "k of B meets k ^ 8 of A"},
        {registers_of_a, STORED, "A moved",
         "A((row & 55) ^ (k & 8), (row & 8) ^ (k & 55)) meets B(k, col)"},
        {half_of_b, STORED, "B moved", "A(row, k) meets B(((col & 32) >> 3) ^ k, col)"},
        {a_transposed, STORED, "A transposed", "A(k, row)"},
        {b_without_trans, STORED, "B moved", "meets B("},
        {other_lda, STORED, "leading dimension", "with leading dimension 56 instead of 64"},
        {swizzle_of_a, STORED, "A moved", "A(row, ((row & 3) << 3) ^ k)"},
        {k_tail, STORED, "missing terms", "k >= 48"},
        {stage_twice, STORED, "missing terms", "16 <= k < 32"},
        {rotated_rows, STORED, "rows moved", "((row + 1) % 64, col)"},
        {unwritten, STORED, "never written", "D is never written"},
        {negated, STORED, "sign", "negative"},
        {doubled, STORED, "scaled", "twice"},
        {right, ADDED_TO_OLD, "old D added", "does not start at 0"},
        {right, CLAMPED, "negative values", "are 0"},
        {right, AS_BF16, "precision", "bf16"},
        {right, ONE_ELEMENT_PLUS_1, "no formula", "1 element of D has no or several terms"},
        {single, STORED, "wrong", "in rows 5 to 5, columns 7 to 7"},
    };
    static const struct setting setting = {64,          64,          64, MAPPING_F16, MAPPING_F16,
                                           MAPPING_F32, MAPPING_F32, 0,  "tnt"};
    (void)state;
    for (size_t n = 0; n < COUNT(zoo); n++) {
        struct findings findings;
        struct plan plan;
        bool is_named = false;
        if (!is_in_sample(n, one_in(3, 5)))
            continue;
        arena_begin();
        probe(&setting, zoo[n].changes, zoo[n].after, &plan, &findings);
        for (size_t f = 0; f < findings.count; f++)
            is_named |= strcmp(findings.item[f].name, zoo[n].name) == 0 &&
                        findings.item[f].count > 0 && strstr(findings.item[f].text, zoo[n].words);
        if (!is_named || findings.wrong == 0) {
            print_error("kernel %zu is not named: ", n);
            report(&findings);
            fail();
        }
        mapping_arena_end();
    }
}

/* ---- Right kernels ---- */

static const struct setting settings[] = {
    {64, 32, 64, MAPPING_F16, MAPPING_F16, MAPPING_F32, MAPPING_F32, 0, "tnt"},
    {16, 8, 16, MAPPING_BF16, MAPPING_BF16, MAPPING_F32, MAPPING_F32, 0, "tnn"},
    {48, 40, 96, MAPPING_TF32, MAPPING_TF32, MAPPING_F32, MAPPING_F32, 3, "ntt"},
    {33, 17, 129, MAPPING_E4M3, MAPPING_E5M2, MAPPING_F32, MAPPING_F32, 8, "nnt"},
    {32, 32, 64, MAPPING_F16, MAPPING_F16, MAPPING_F16, MAPPING_F16, 0, "tnt"},
    {32, 32, 256, MAPPING_BF16, MAPPING_BF16, MAPPING_F32, MAPPING_BF16, 0, "ttt"},
    {32, 16, 128, MAPPING_E4M3, MAPPING_E4M3, MAPPING_F32, MAPPING_E4M3, 0, "tnt"},
    {32, 16, 64, MAPPING_S8, MAPPING_S8, MAPPING_S32, MAPPING_S32, 4, "tnt"},
    {32, 16, 64, MAPPING_U8, MAPPING_S8, MAPPING_S32, MAPPING_F16, 0, "tnt"},
    {32, 16, 64, MAPPING_S8, MAPPING_S8, MAPPING_S32, MAPPING_S8, 0, "tnt"},
    {32, 16, 64, MAPPING_S4, MAPPING_U4, MAPPING_S32, MAPPING_S32, 2, "tnt"},
    {32, 16, 64, MAPPING_E2M1, MAPPING_E2M1, MAPPING_F32, MAPPING_F16, 0, "tnt"},
    {24, 24, 24, MAPPING_F64, MAPPING_F64, MAPPING_F64, MAPPING_F64, 1, "nnn"},
    {20, 12, 7, MAPPING_F32, MAPPING_F32, MAPPING_F32, MAPPING_F32, 1, "ntn"},
    {8, 8, 1024, MAPPING_F16, MAPPING_F16, MAPPING_F32, MAPPING_F16, 0, "tnt"},
};

static void right_products_have_no_findings(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        struct findings findings;
        struct plan plan;
        if (!is_in_sample(s, one_in(1, 3)))
            continue;
        arena_begin();
        probe(&settings[s], right, STORED, &plan, &findings);
        if (findings.count > 0) {
            print_error("setting %zu: ", s);
            report(&findings);
            fail();
        }
        mapping_arena_end();
    }
}

/* Partial sums in any order are exact in the accumulator, and D can be stored. */
static void sums_are_exact(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        struct problem problem = {.op = PROBE_GEMM,
                                  .m = settings[s].m,
                                  .n = settings[s].n,
                                  .k = settings[s].k,
                                  .accumulator = settings[s].accumulator};
        struct mapping_error error;
        arena_begin();
        problem.operand[PROBE_A].type = settings[s].a;
        problem.operand[PROBE_B].type = settings[s].b;
        problem.operand[PROBE_D].type = settings[s].d;
        assert_int_equal(problem_complete(&problem, &error), MAPPING_OK);
        const struct plan plan = plan_make(&problem, true);
        int16_t *a = memory_get((size_t)problem.m * problem.k, sizeof *a);
        int16_t *b = memory_get((size_t)problem.n * problem.k, sizeof *b);
        const bool is_fp8 = number_is_float(settings[s].a) && number_bits(settings[s].a) == 8;
        const double most = settings[s].accumulator == MAPPING_F16   ? 2048
                            : settings[s].accumulator != MAPPING_F32 ? 2147483648.0
                            : is_fp8                                 ? 8192
                                                                     : 16777216;
        const double unit = gemm_unit(settings[s].a) * gemm_unit(settings[s].b);
        for (size_t run = 0; run < plan.proof_runs; run++) {
            gemm_integers(&plan, run, PROBE_A, a);
            gemm_integers(&plan, run, PROBE_B, b);
            for (uint32_t row = 0; row < problem.m; row++)
                for (uint32_t col = 0; col < problem.n; col++) {
                    double up = 0, down = 0;
                    uint64_t bits;
                    for (uint32_t k = 0; k < problem.k; k++) {
                        const double product =
                            unit * a[row * problem.k + k] * b[col * problem.k + k];
                        up += product > 0 ? product : 0;
                        down += product < 0 ? product : 0;
                    }
                    /* The largest of all orders, of few k; sums of many are smaller than this. */
                    assert_true(problem.k > 32 || (up <= most && -down <= most));
                    assert_true(fabs(up + down) <= most);
                    assert_true(number_find(settings[s].d, up + down, &bits));
                }
        }
        mapping_arena_end();
    }
}

/* By hand: 2^40 takes 5 runs of f16 with 1025 values, and 12 of e4m3 with 23. 8192 addresses take a
 * digit of 30720, or two of 6528 or of 119; one run more counts. */
static void few_runs_locate(void **state) {
    static const struct {
        enum mapping_type type;
        size_t proof, locating;
    } known[] = {{MAPPING_F16, 5, 3}, {MAPPING_BF16, 5, 5}, {MAPPING_E4M3, 12, 5}};
    (void)state;
    for (size_t n = 0; n < COUNT(known); n++) {
        struct problem problem = {.op = PROBE_GEMM, .m = 128, .n = 128, .k = 64};
        struct mapping_error error;
        problem.accumulator = problem.operand[PROBE_D].type = MAPPING_F32;
        problem.operand[PROBE_A].type = problem.operand[PROBE_B].type = known[n].type;
        assert_int_equal(problem_complete(&problem, &error), MAPPING_OK);
        const struct plan proof = plan_make(&problem, false), all = plan_make(&problem, true);
        assert_int_equal(proof.proof_runs, known[n].proof);
        assert_int_equal(all.runs - proof.runs, known[n].locating);
        assert_true(proof.doubt_bits >= 40);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_products_are_named),
        cmocka_unit_test(right_products_have_no_findings),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(few_runs_locate),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
