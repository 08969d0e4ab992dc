/* gemm_test.c - the numbers of A and B that test a matrix product: every sum of products is exact,
 * and few runs suffice. zoo.t runs correct and incorrect kernels.
 *
 * Expected values: the largest integers that the types represent; by hand. */
#include "probe/gemm.h"
#include "probe/plan.h"
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct setting {
    uint32_t m, n, k;
    enum mapping_type a, b, accumulator, d;
};

static const struct setting settings[] = {
    {64, 32, 64, MAPPING_F16, MAPPING_F16, MAPPING_F32, MAPPING_F32},
    {16, 8, 16, MAPPING_BF16, MAPPING_BF16, MAPPING_F32, MAPPING_F32},
    {48, 40, 96, MAPPING_TF32, MAPPING_TF32, MAPPING_F32, MAPPING_F32},
    {33, 17, 129, MAPPING_E4M3, MAPPING_E5M2, MAPPING_F32, MAPPING_F32},
    {32, 32, 64, MAPPING_F16, MAPPING_F16, MAPPING_F16, MAPPING_F16},
    {32, 32, 256, MAPPING_BF16, MAPPING_BF16, MAPPING_F32, MAPPING_BF16},
    {32, 16, 128, MAPPING_E4M3, MAPPING_E4M3, MAPPING_F32, MAPPING_E4M3},
    {32, 16, 64, MAPPING_S8, MAPPING_S8, MAPPING_S32, MAPPING_S32},
    {32, 16, 64, MAPPING_U8, MAPPING_S8, MAPPING_S32, MAPPING_F16},
    {32, 16, 64, MAPPING_S8, MAPPING_S8, MAPPING_S32, MAPPING_S8},
    {32, 16, 64, MAPPING_S4, MAPPING_U4, MAPPING_S32, MAPPING_S32},
    {32, 16, 64, MAPPING_E2M1, MAPPING_E2M1, MAPPING_F32, MAPPING_F16},
    {24, 24, 24, MAPPING_F64, MAPPING_F64, MAPPING_F64, MAPPING_F64},
    {20, 12, 7, MAPPING_F32, MAPPING_F32, MAPPING_F32, MAPPING_F32},
    {8, 8, 1024, MAPPING_F16, MAPPING_F16, MAPPING_F32, MAPPING_F16},
};

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
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(few_runs_locate),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
