/* shuffles_test.c - executes the plans of all pairs of known layouts on a simulator of a warp,
 * which is written only from shuffles.h. It also compares holds(), the static function in
 * shuffles.c that checks each plan, with the simulator.
 *
 * Each slot of each register of each thread holds the number of an element. A plan is right if the
 * registers of the target end up with the numbers that its layout states.
 *
 * Expected values: a simulator of a warp; public kernels; counts of the elements that threads must
 * receive; all permutations; the PTX ISA. */
#include "pairs.h"
#include "random.h"
#include "sample.h"
#include "system/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include): the check of plans is tested, too. */
#include "convert/shuffles.c"

#define NOTHING UINT32_MAX

static struct known_all all;

/* ---- The simulator ---- */

/* values[value][tid][slot]. */
struct warp {
    uint32_t threads, per, *slots;
};

static uint32_t *at(const struct warp *warp, uint32_t value, uint32_t tid) {
    return warp->slots + ((size_t)value * warp->threads + tid) * warp->per;
}

static void step(const struct warp *warp, const struct shuffle_plan *plan, uint32_t number,
                 uint32_t value, uint32_t tid) {
    const struct shuffle_step *now = &plan->steps[number];
    uint32_t *to = at(warp, value, tid), from = tid;
    if (now->is_shuffle) {
        const struct source_lanes *lanes = &plan->lanes[now->lanes];
        from = lanes->is_xor ? tid ^ lanes->mask
                             : tid / 32 * 32 + mapping_formula_evaluate(&lanes->formula, 1, &tid);
    }
    const size_t row = (size_t)number * warp->threads + (tid & now->by);
    const uint32_t *picks = plan->picks + row * warp->per;
    for (uint32_t s = 0; s < warp->per; s++) {
        const uint32_t pick = picks[s];
        to[s] =
            pick == MAPPING_NO_VALUE ? NOTHING : at(warp, pick / warp->per, from)[pick % warp->per];
    }
}

/* True if the words of the target have the required contents. */
static bool simulate(const struct mapping_layout *source, const struct mapping_layout *target,
                     const struct shuffle_plan *plan) {
    uint32_t whole[3];
    assert_true(whole_of(source, target, whole));
    uint32_t sources = elements_of(source, whole), targets = elements_of(target, whole);
    struct warp warp = {source->from.axis[0].size, plan->bits < 32 ? 32 / plan->bits : 1, NULL};
    uint32_t words = (sources + warp.per - 1) / warp.per;
    warp.slots =
        malloc((size_t)(words + plan->step_count) * warp.threads * warp.per * sizeof *warp.slots);
    assert_non_null(warp.slots);
    for (uint32_t t = 0; t < warp.threads; t++)
        for (uint32_t e = 0; e < words * warp.per; e++)
            at(&warp, e / warp.per, t)[e % warp.per] =
                e < sources ? point_of(source, whole, t, e) : NOTHING;
    for (uint32_t n = 0; n < plan->step_count; n++)
        for (uint32_t t = 0; t < warp.threads; t++)
            step(&warp, plan, n, words + n, t);
    bool right = true;
    for (uint32_t t = 0; t < warp.threads; t++)
        for (uint32_t e = 0; e < targets; e++)
            right = right && at(&warp, plan->outputs[e / warp.per], t)[e % warp.per] ==
                                 point_of(target, whole, t, e);
    free(warp.slots);
    return right;
}

/* A lower bound: the largest number of registers that a thread must receive. */
static uint32_t received(const struct mapping_layout *source, const struct mapping_layout *target,
                         uint32_t per) {
    uint32_t whole[3], most = 0;
    assert_true(whole_of(source, target, whole));
    uint32_t sources = elements_of(source, whole), targets = elements_of(target, whole);
    bool *has = malloc((size_t)whole[0] * whole[1] * whole[2] * sizeof *has);
    assert_non_null(has);
    for (uint32_t t = 0; t < source->from.axis[0].size; t++) {
        uint32_t missing = 0;
        memset(has, 0, (size_t)whole[0] * whole[1] * whole[2] * sizeof *has);
        for (uint32_t e = 0; e < sources; e++)
            has[point_of(source, whole, t, e)] = true;
        for (uint32_t e = 0; e < targets; e++) {
            uint32_t point = point_of(target, whole, t, e);
            missing += !has[point];
            has[point] = true;
        }
        most = missing > most ? missing : most;
    }
    free(has);
    return (most + per - 1) / per;
}

/* ---- All pairs ---- */

static void check_plan(const struct known *from, const struct known *to,
                       const struct shuffle_plan *plan) {
    uint32_t words = 0;
    for (uint32_t w = 0; w < plan->target.words; w++)
        words += plan->outputs[w] == w;
    assert_true(simulate(&from->layout, &to->layout, plan));
    uint32_t shuffles = 0;
    for (uint32_t n = 0; n < plan->step_count; n++)
        shuffles += plan->steps[n].is_shuffle;
    assert_int_equal(plan->shuffles, shuffles);
    enum convert_kind kind = shuffles > 0                  ? CONVERT_SHUFFLES
                             : plan->step_count > 0        ? CONVERT_SLOTS
                             : words == plan->target.words ? CONVERT_SAME
                                                           : CONVERT_WORDS;
    assert_int_equal(plan->kind, kind);
    uint32_t bound = received(&from->layout, &to->layout, plan->per);
    assert_true(shuffles >= bound && (bound > 0 || shuffles == 0));
}

static void every_pair_has_a_plan_that_is_right(void **state) {
    (void)state;
    size_t pairs = 0, planned = 0, number = 0, step = one_in(7, 997);
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = 0; j < all.count; j++) {
            const struct known *from = &all.known[i], *to = &all.known[j];
            struct shuffle_plan plan;
            struct mapping_error error;
            uint32_t whole[3];
            if (!is_in_sample(number++, step))
                continue;
            enum mapping_status status = mapping_convert_plan(
                &from->layout, &to->layout, to->fragment.bits, NULL, &plan, &error);
            assert_int_equal(status, whole_of(&from->layout, &to->layout, whole) ? MAPPING_OK
                                                                                 : MAPPING_INVALID);
            if (status == MAPPING_OK && plan.kind != CONVERT_MEMORY) {
                check_plan(from, to, &plan);
                planned++;
            }
            pairs += status == MAPPING_OK;
            mapping_convert_free(&plan);
        }
    assert_int_equal(planned, pairs); /* all layouts of fragments keep to their warps */
    assert_true(pairs > 10000 / step);
}

static void everything_is_the_same_as_itself(void **state) {
    (void)state;
    for (size_t k = 0; k < all.count; k++) {
        struct shuffle_plan plan;
        struct mapping_error error;
        const struct mapping_layout *layout = &all.known[k].layout;
        if (layout->from.axis[0].size < 32)
            continue;
        assert_int_equal(
            mapping_convert_plan(layout, layout, all.known[k].fragment.bits, NULL, &plan, &error),
            MAPPING_OK);
        assert_int_equal(plan.kind, CONVERT_SAME);
        mapping_convert_free(&plan);
    }
}

/* ---- Known ones ---- */

static struct known *find(const char *name) {
    size_t number = find_known(&all, name);
    return &all.known[number];
}

/* Finds two, whose pointers hold until the next call. */
static void find_pair(const char *source, const char *target, const struct known **from,
                      const struct known **to) {
    find(source);
    find(target);
    *from = find(source);
    *to = find(target);
}

static struct shuffle_plan plan_of(const char *source, const char *target) {
    struct shuffle_plan plan;
    struct mapping_error error;
    const struct known *from, *to;
    find_pair(source, target, &from, &to);
    assert_int_equal(
        mapping_convert_plan(&from->layout, &to->layout, to->fragment.bits, NULL, &plan, &error),
        MAPPING_OK);
    return plan;
}

/* Conversions of public kernels. */
static void kinds_are_those_of_public_kernels(void **state) {
    (void)state;
    static const struct {
        const char *source, *target;
        enum convert_kind kind;
        uint32_t shuffles;
        const char *outputs; /* the word of the source that each word equals, if there are no
                                steps */
    } cases[] = {
        /* FlashAttention-2, convert_layout_acc_Aregs: two accumulators are an A */
        {"mma.m16n8k16.d.f32", "mma.m16n8k16.a.f16", CONVERT_SAME, 0, "0 1 2 3 "},
        {"mma.m16n8k16.d.f32", "mma.m16n8k16.a.bf16", CONVERT_SAME, 0, "0 1 2 3 "},
        {"mma.m16n8k8.d.f32", "mma.m16n8k8.a.f16", CONVERT_SAME, 0, "0 1 "},
        /* FlashAttention-3: the accumulator of wgmma is A of the next in registers */
        {"wgmma.m64n16k16.d.f32", "wgmma.m64n8k16.a.f16", CONVERT_SAME, 0, "0 1 2 3 "},
        /* the registers of 8x16 are two quadrants apart in 16x32: columns run first there */
        {"mma.m8n8k16.a.s8", "mma.m16n8k32.a.s8", CONVERT_WORDS, 0, "0 2 1 3 "},
        /* ldmatrix.x4 and x1 */
        {"ldmatrix.m8n8.x1.r.b16", "ldmatrix.m8n8.x4.r.b16", CONVERT_SAME, 0, "0 1 2 3 "},
        {"ldmatrix.m8n8.x1.r.b16", "mma.m16n8k16.a.f16", CONVERT_WORDS, 0, "0 2 1 3 "},
        /* FlashAttention-3 exchanges one register for each of A if it does not permute K */
        {"mma.m16n8k32.d.f32", "mma.m16n8k32.a.e4m3", CONVERT_SHUFFLES, 4, NULL},
        {"wgmma.m64n128k32.d.f32", "wgmma.m64n8k32.a.e4m3", CONVERT_SHUFFLES, 16, NULL},
        {"mma.m16n8k16.d.f32", "mma.m16n8k8.a.tf32", CONVERT_SHUFFLES, 4, NULL},
        {"mma.m16n8k16.d.f32", "mma.m16n8k16.b.f16", CONVERT_SHUFFLES, 2, NULL},
        /* two rows of four bytes, each from another lane, need one more than the two registers */
        {"mma.m16n8k32.d.f32", "mma.m16n8k32.b.e4m3", CONVERT_SHUFFLES, 3, NULL},
        /* a transposition of 2x2 within pairs of lanes, in one register */
        {"mma.m8n8k4.a.row.f16", "mma.m8n8k4.a.col.f16", CONVERT_SHUFFLES, 2, NULL},
        /* one part of four stays in place */
        {"mma.m16n8k32.d.s32", "mma.m16n8k64.a.s4", CONVERT_SHUFFLES, 3, NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct shuffle_plan plan = plan_of(cases[c].source, cases[c].target);
        char outputs[256] = "";
        assert_int_equal(plan.kind, cases[c].kind);
        assert_int_equal(plan.shuffles, cases[c].shuffles);
        for (uint32_t w = 0; w < plan.target.words && cases[c].outputs; w++)
            snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), "%u ",
                     plan.outputs[w]);
        if (cases[c].outputs)
            assert_string_equal(outputs, cases[c].outputs);
        mapping_convert_free(&plan);
    }
}

/* A plan is optimal if a thread needs only registers of others, and each shuffle brings one of them
 * to each thread. */
static void shuffles_are_as_few_as_can_be(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"mma.m16n8k32.d.f32", "mma.m16n8k32.a.e4m3"},
        {"mma.m16n8k16.d.f32", "mma.m16n8k8.a.tf32"},
        {"mma.m16n8k16.d.f32", "mma.m16n8k16.b.f16"},
        {"mma.m16n8k32.d.s32", "mma.m16n8k64.a.s4"},
        {"wgmma.m64n256k32.d.f32", "wgmma.m64n8k32.a.e4m3"},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        struct shuffle_plan plan = plan_of(pairs[p][0], pairs[p][1]);
        const struct known *from, *to;
        find_pair(pairs[p][0], pairs[p][1], &from, &to);
        assert_int_equal(plan.shuffles, received(&from->layout, &to->layout, plan.per));
        mapping_convert_free(&plan);
    }
}

/* ---- Wrong plans ---- */

/* Changes a number in the plan. holds() and the simulator must agree whether the plan is still
 * right. Returns true if it is not. */
static bool notices(const struct known *from, const struct known *to,
                    const struct shuffle_plan *plan, uint32_t *number, uint32_t value) {
    uint32_t before = *number;
    *number = value;
    bool right = simulate(&from->layout, &to->layout, plan);
    assert_int_equal(holds(plan), right);
    *number = before;
    return !right;
}

/* Each changed number that a thread needs is noticed. */
static void a_changed_number_is_noticed(void **state) {
    (void)state;
    static const char *const targets[] = {"mma.m16n8k16.b.f16", "mma.m16n8k16.a.f16",
                                          "mma.m16n8k8.a.tf32"};
    for (size_t p = 0; p < sizeof targets / sizeof *targets; p++) {
        const struct known *from, *to;
        find_pair("mma.m16n8k16.d.f32", targets[p], &from, &to);
        struct shuffle_plan plan;
        struct mapping_error error;
        assert_int_equal(mapping_convert_plan(&from->layout, &to->layout, to->fragment.bits, NULL,
                                              &plan, &error),
                         MAPPING_OK);
        for (uint32_t w = 0; w < plan.target.words; w++)
            for (uint32_t v = 0; v < plan.source.words + plan.step_count; v++)
                if (v != plan.outputs[w])
                    assert_true(notices(from, to, &plan, &plan.outputs[w], v));
        for (uint32_t n = 0; n < plan.step_count; n++) {
            struct shuffle_step *now = &plan.steps[n];
            if (!now->is_shuffle)
                assert_true(notices(from, to, &plan, &now->by, now->by << 1));
            uint32_t *picks = plan.picks + (size_t)n * plan.threads * plan.per;
            for (uint32_t c = 0; c < (now->by ? 2 * plan.per : plan.per); c++) {
                const uint32_t row = c < plan.per ? 0 : now->by & -now->by;
                uint32_t *pick = &picks[row * plan.per + c % plan.per];
                uint32_t other = *pick < plan.per ? plan.per : 0;
                assert_true(notices(from, to, &plan, pick, other + *pick % plan.per));
                assert_true(notices(from, to, &plan, pick, MAPPING_NO_VALUE));
                if (plan.per > 1)
                    assert_true(notices(from, to, &plan, pick, *pick ^ 1));
            }
        }
        mapping_convert_free(&plan);
    }
}

/* Values and places that do not exist are refused, not read. */
static void numbers_of_nothing_are_refused(void **state) {
    (void)state;
    struct shuffle_plan plan = plan_of("mma.m16n8k16.d.f32", "mma.m16n8k16.b.f16");
    uint32_t *numbers[] = {&plan.outputs[0], &plan.picks[0]};
    assert_true(holds(&plan));
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        uint32_t before = *numbers[n];
        *numbers[n] = 1000;
        assert_false(holds(&plan));
        *numbers[n] = before;
    }
    plan.outputs[0] = plan.source.words + plan.step_count; /* one more than there are */
    assert_false(holds(&plan));
    mapping_convert_free(&plan);
}

/* ---- Made-up layouts ---- */

static void expect_kind(struct mapping_layout *source, struct mapping_layout *target, uint32_t bits,
                        enum convert_kind kind, bool crosses_warps) {
    struct shuffle_plan plan;
    struct mapping_error error;
    assert_int_equal(mapping_convert_plan(source, target, bits, NULL, &plan, &error), MAPPING_OK);
    assert_int_equal(plan.kind, kind);
    assert_int_equal(plan.crosses_warps, crosses_warps);
    assert_true(kind == CONVERT_MEMORY || simulate(source, target, &plan));
    mapping_convert_free(&plan);
    mapping_layout_free(source);
    mapping_layout_free(target);
}

static void warps_exchange_through_memory(void **state) {
    (void)state;
    struct mapping_layout source = state_layout(128, 2, 64, 4, "t2 t3 t4 t5 t6 i0 | t0 t1");
    struct mapping_layout target = state_layout(128, 2, 64, 4, "t2 t3 t4 i0 t6 t5 | t0 t1");
    expect_kind(&source, &target, 32, CONVERT_MEMORY, true);
    /* two warps trade places */
    source = state_layout(128, 2, 64, 4, "t2 t3 t4 t5 t6 i0 | t0 t1");
    target = state_layout(128, 2, 64, 4, "t2 t3 t4 t6 t5 i0 | t0 t1");
    expect_kind(&source, &target, 32, CONVERT_MEMORY, true);
}

/* Rows and columns of a random order: through memory, as no lane is a formula. */
static void what_has_no_rule_goes_through_memory(void **state) {
    (void)state;
    struct mapping_layout source = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    struct mapping_layout target = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    for (uint32_t t = 0; t < 32; t++)
        target.coordinate[0][t] = (t / 4 + 3 * (t % 4)) % 8;
    expect_kind(&source, &target, 32, CONVERT_MEMORY, false);
}

static void copies_save_shuffles(void **state) {
    (void)state;
    /* all threads have all */
    struct mapping_layout source = state_layout(32, 32, 8, 4, "i0 i1 i2 | i3 i4");
    struct mapping_layout target = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    expect_kind(&source, &target, 32, CONVERT_SLOTS, false);
    /* pairs of threads hold the same elements; each thread uses its own copy */
    source = state_layout(32, 2, 8, 4, "t2 t3 t4 | i0 t1");
    target = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    expect_kind(&source, &target, 16, CONVERT_SLOTS, false);
    /* the same, but the copies are useful only for some */
    source = state_layout(32, 2, 8, 4, "t2 t3 t4 | i0 t1");
    target = state_layout(32, 1, 8, 4, "t0 t3 t4 | t2 t1");
    expect_kind(&source, &target, 16, CONVERT_SHUFFLES, false);
    /* all get all */
    source = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    target = state_layout(32, 32, 8, 4, "i0 i1 i2 | i3 i4");
    expect_kind(&source, &target, 8, CONVERT_SHUFFLES, false);
}

/* Both registers of a thread are the same, as i1 is in no row and no column. Three lanes send a
 * thread one register each, and two steps combine them to the target: each copy is read from the
 * slot that it goes to. */
static void copies_are_read_from_their_slots(void **state) {
    (void)state;
    struct mapping_layout source = state_layout(32, 4, 8, 4, "t4 t2 t1 | i0 t0");
    struct mapping_layout target = state_layout(32, 4, 8, 4, "t1 i1 t2 | t0 i0");
    struct shuffle_plan plan;
    struct mapping_error error;
    assert_int_equal(mapping_convert_plan(&source, &target, 16, NULL, &plan, &error), MAPPING_OK);
    assert_true(simulate(&source, &target, &plan));
    assert_int_equal(plan.shuffles, 3);
    assert_int_equal(plan.step_count, 5);
    mapping_convert_free(&plan);
    mapping_layout_free(&source);
    mapping_layout_free(&target);
}

/* A thread takes slot 0 of one of two registers. As the other slot may have anything, the plan
 * picks the whole register. */
static void registers_are_chosen_whole(void **state) {
    (void)state;
    static const uint32_t picks[] = {0, 1, 2, 3};
    struct mapping_layout source = state_layout(32, 4, 8, 4, "t2 t3 t4 | i1 t1");
    struct mapping_layout target = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    struct shuffle_plan plan;
    struct mapping_error error;
    assert_int_equal(mapping_convert_plan(&source, &target, 16, NULL, &plan, &error), MAPPING_OK);
    assert_int_equal(plan.step_count, 1);
    assert_int_equal(plan.steps[0].by, 1);
    assert_memory_equal(plan.picks, picks, sizeof picks);
    mapping_convert_free(&plan);
    mapping_layout_free(&source);
    mapping_layout_free(&target);
}

/* An element that no thread has cannot come from another thread. */
static void what_is_missing_goes_through_memory(void **state) {
    (void)state;
    struct mapping_layout source = state_layout(32, 2, 16, 4, "t2 t3 t4 i0 | t0 t1");
    struct mapping_layout target = state_layout(32, 2, 16, 4, "t2 t3 t4 i0 | t0 t1");
    source.coordinate[0][9] = 0;
    expect_kind(&source, &target, 32, CONVERT_MEMORY, false);
}

/* Each bit of a row or column is another one of a thread or element, so that all is there, some of
 * it more than once. */
static struct mapping_layout random_layout(void) {
    const char *bases[] = {"t0", "t1", "t2", "t3", "t4", "i0", "i1"};
    char text[32];
    for (size_t b = 0; b < 5; b++) {
        size_t other = b + random_number() % (sizeof bases / sizeof *bases - b);
        const char *base = bases[b];
        bases[b] = bases[other];
        bases[other] = base;
    }
    snprintf(text, sizeof text, "%s %s %s | %s %s", bases[0], bases[1], bases[2], bases[3],
             bases[4]);
    return state_layout(32, 4, 8, 4, text);
}

static void random_copies_are_exchanged(void **state) {
    (void)state;
    unsigned shuffled = 0;
    for (size_t round = 0; round < 1000 / one_in(5, 100); round++) {
        struct mapping_layout source = random_layout(), target = random_layout();
        struct shuffle_plan plan;
        struct mapping_error error;
        uint32_t bits = 8U << random_number() % 3;
        assert_int_equal(mapping_convert_plan(&source, &target, bits, NULL, &plan, &error),
                         MAPPING_OK);
        assert_int_not_equal(plan.kind, CONVERT_MEMORY);
        assert_true(simulate(&source, &target, &plan));
        shuffled += plan.kind == CONVERT_SHUFFLES;
        mapping_convert_free(&plan);
        mapping_layout_free(&source);
        mapping_layout_free(&target);
    }
    assert_int_not_equal(shuffled, 0);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    struct shuffle_plan plan;
    struct mapping_error error;
    struct mapping_layout layout = state_layout(32, 2, 16, 4, "t2 t3 t4 i0 | t0 t1");
    const struct known *wide, *narrow;
    find_pair("wgmma.m64n24k16.d.f32", "wgmma.m64n8k16.a.f16", &wide, &narrow);
    const struct mapping_layout *d = &wide->layout, *a = &narrow->layout;
    assert_int_equal(mapping_convert_plan(d, a, 16, NULL, &plan, &error), MAPPING_INVALID);
    assert_string_equal(error.message, "sizes do not match: 24 columns in the first layout, 16 in "
                                       "the second; one must be a multiple of the other");
    mapping_convert_free(&plan);
    assert_int_equal(mapping_convert_plan(&layout, d, 16, NULL, &plan, &error), MAPPING_INVALID);
    assert_string_equal(error.message,
                        "thread counts differ: 32 in the first layout, 128 in the second");
    mapping_convert_free(&plan);
    assert_int_equal(mapping_convert_plan(d, d, 12, NULL, &plan, &error), MAPPING_INVALID);
    assert_string_equal(error.message, "12-bit elements cannot be packed into 32-bit registers");
    mapping_convert_free(&plan);
    static const uint32_t odd_bits[] = {0, 65, 128};
    for (size_t n = 0; n < sizeof odd_bits / sizeof *odd_bits; n++)
        assert_int_equal(mapping_convert_plan(d, d, odd_bits[n], NULL, &plan, &error),
                         MAPPING_INVALID);
    mapping_layout_free(&layout);
}

/* Elements outside of the matrix have no rule. */
static void what_is_outside_goes_through_memory(void **state) {
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        struct mapping_layout source = state_layout(32, 2, 16, 4, "t2 t3 t4 i0 | t0 t1");
        struct mapping_layout target = state_layout(32, 2, 16, 4, "t2 t3 t4 i0 | t0 t1");
        source.coordinate[axis][5] = axis ? 4 : 16;
        expect_kind(&source, &target, 32, CONVERT_MEMORY, false);
    }
}

/* From (tid, i) to (row, col), or with blocks before them: with other axes, others in their place
 * or fewer of them, a layout is none of a fragment. */
static void other_spaces_are_refused(void **state) {
    (void)state;
    static const struct mapping_space sources[] = {{2, {{"tid", 2}, {"i", 2}}},
                                                   {2, {{"tid", 2}, {"n", 2}}},
                                                   {2, {{"i", 2}, {"tid", 2}}},
                                                   {1, {{"tid", 4}}}};
    static const struct mapping_space targets[] = {
        {2, {{"row", 2}, {"col", 2}}},
        {3, {{"block", 1}, {"row", 2}, {"col", 2}}},
        {2, {{"row", 2}, {"n", 2}}},
        {2, {{"col", 2}, {"row", 2}}},
        {3, {{"stage", 1}, {"row", 2}, {"col", 2}}},
        {1, {{"offset", 4}}},
        {4, {{"block", 1}, {"cta", 1}, {"row", 2}, {"col", 2}}}};
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            const struct mapping_layout layout = {.from = sources[s], .to = targets[t]};
            struct mapping_layout fragment = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
            struct shuffle_plan plan;
            struct mapping_error error;
            bool is_taken = s == 0 && t < 2;
            assert_int_equal(mapping_convert_takes(&layout), is_taken);
            if (!is_taken) {
                assert_int_equal(mapping_convert_plan(&layout, &fragment, 16, NULL, &plan, &error),
                                 MAPPING_INVALID);
                assert_int_equal(mapping_convert_plan(&fragment, &layout, 16, NULL, &plan, &error),
                                 MAPPING_INVALID);
                assert_string_equal(
                    error.message,
                    "only layouts from (tid, i) to rows and columns can be converted");
            }
            mapping_layout_free(&fragment);
        }
}

/* ---- One permutation ---- */

/* True if with line c of the target being line table[c] of the source each thread has what it
 * needs, for those c below `count`. */
static bool suits(const struct mapping_layout *source, const struct mapping_layout *target,
                  bool is_rows, const uint32_t *table, uint32_t count) {
    uint32_t whole[3];
    assert_true(whole_of(source, target, whole));
    uint32_t sources = elements_of(source, whole), targets = elements_of(target, whole);
    for (uint32_t t = 0; t < source->from.axis[0].size; t++)
        for (uint32_t e = 0; e < targets; e++) {
            uint32_t point = point_of(target, whole, t, e), f = 0;
            uint32_t col = point % whole[2], row = point / whole[2] % whole[1];
            if ((is_rows ? row : col) >= count)
                continue;
            point += is_rows ? (table[row] - row) * whole[2] : table[col] - col;
            while (f < sources && point_of(source, whole, t, f) != point)
                f++;
            if (f == sources)
                return false;
        }
    return true;
}

/* True if there is any permutation, by trying; from the first `done` lines on. */
static bool exists(const struct mapping_layout *source, const struct mapping_layout *target,
                   bool is_rows, uint32_t *table, uint32_t done, uint32_t lines) {
    if (done == lines)
        return true;
    for (uint32_t p = 0; p < lines; p++) {
        bool is_taken = false;
        for (uint32_t c = 0; c < done; c++)
            is_taken = is_taken || table[c] == p;
        table[done] = p;
        if (!is_taken && suits(source, target, is_rows, table, done + 1) &&
            exists(source, target, is_rows, table, done + 1, lines))
            return true;
    }
    return false;
}

/* Finds a permutation. */
static bool find_permutation(const struct mapping_layout *source,
                             const struct mapping_layout *target, bool is_rows,
                             struct mapping_permutation *permutation) {
    struct shuffle_plan plan;
    struct mapping_error error;
    assert_int_equal(mapping_convert_plan(source, target, 32, NULL, &plan, &error), MAPPING_OK);
    const bool found = mapping_permutation_find(&plan, is_rows, permutation);
    mapping_convert_free(&plan);
    return found;
}

static void permutation_is_what_it_says(const struct known *from, const struct known *to,
                                        bool is_rows) {
    struct mapping_permutation permutation;
    struct shuffle_plan plan;
    struct mapping_error error;
    uint32_t whole[3], table[8];
    assert_true(whole_of(&from->layout, &to->layout, whole));
    const bool found = find_permutation(&from->layout, &to->layout, is_rows, &permutation);
    assert_int_equal(permutation.count, whole[is_rows ? 1 : 2]);
    if (permutation.count <= 8)
        assert_int_equal(found,
                         exists(&from->layout, &to->layout, is_rows, table, 0, permutation.count));
    if (found) {
        assert_true(
            suits(&from->layout, &to->layout, is_rows, permutation.table, permutation.count));
        for (uint32_t c = 0; c < permutation.count && permutation.has_formula; c++)
            assert_int_equal(mapping_formula_evaluate(&permutation.formula, 1, &c),
                             permutation.table[c]);
        assert_int_equal(mapping_convert_plan(&from->layout, &to->layout, to->fragment.bits,
                                              &permutation, &plan, &error),
                         MAPPING_OK);
        assert_true(plan.kind <= CONVERT_SLOTS);
        mapping_convert_free(&plan);
    }
    mapping_free(permutation.table);
}

static void permutations_are_found_where_there_are_any(void **state) {
    (void)state;
    size_t number = 0, step = one_in(101, 29000);
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = 0; j < all.count; j++) {
            uint32_t whole[3];
            const struct known *from = &all.known[i], *to = &all.known[j];
            if (!whole_of(&from->layout, &to->layout, whole) || !is_in_sample(number++, step) ||
                whole[0] * whole[1] * whole[2] > 512)
                continue;
            permutation_is_what_it_says(from, to, false);
            permutation_is_what_it_says(from, to, true);
        }
}

/* Each bit of a row is a bit of the number of a group of 8 threads, a bit of i, or both, so that
 * some rows have copies. */
static struct mapping_layout layout_of_groups(uint32_t elements) {
    struct mapping_layout layout = state_layout(32, elements, 4, 1, "0 0 |");
    uint32_t column[4];
    for (int b = 0; b < 4; b++)
        column[b] = random_number() % 4;
    for (uint32_t n = 0; n < 32 * elements; n++) {
        const uint32_t x = n / elements / 8 << 2 | n % elements;
        layout.coordinate[0][n] = 0;
        for (int b = 0; b < 4; b++)
            layout.coordinate[0][n] ^= x >> b & 1 ? column[b] : 0;
    }
    return layout;
}

/* True if somebody has each row. */
static bool covers_rows(const struct mapping_layout *layout) {
    uint32_t rows = 0;
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        rows |= 1U << layout->coordinate[0][n];
    return rows == 15;
}

static void copies_of_rows_are_permuted(void **state) {
    (void)state;
    unsigned with = 0, rounds = 300;
    for (unsigned round = 0; round < rounds; round++) {
        struct mapping_layout source = layout_of_groups(4), target = layout_of_groups(2);
        struct mapping_permutation permutation = {.table = NULL};
        uint32_t table[4];
        if (covers_rows(&source) && covers_rows(&target)) {
            const bool found = find_permutation(&source, &target, true, &permutation);
            assert_int_equal(found, exists(&source, &target, true, table, 0, 4));
            if (found)
                assert_true(suits(&source, &target, true, permutation.table, 4));
            with += found;
        }
        mapping_free(permutation.table);
        mapping_layout_free(&source);
        mapping_layout_free(&target);
    }
    assert_true(with > rounds / 20 && with < rounds / 2);
}

/* Element i of thread t of A has column 4 (t % 4) + i % 4, and 16 more from i = 8 on (PTX ISA, A of
 * m16n8k32); of four D next to each other its first elements are those of columns 2 (t % 4) and
 * 2 (t % 4) + 1, and then 8 more with each. */
static void k_is_permuted_for_8_bits(void **state) {
    (void)state;
    struct mapping_permutation permutation;
    struct shuffle_plan plan;
    struct mapping_error error;
    char text[128];
    const struct known *accumulator, *operand;
    find_pair("mma.m16n8k16.d.f32", "mma.m16n8k32.a.s8", &accumulator, &operand);
    const struct mapping_layout *d = &accumulator->layout, *a = &operand->layout;
    assert_true(find_permutation(d, a, false, &permutation));
    assert_true(permutation.has_formula);
    assert_string_equal(permutation.axis, MAPPING_AXIS_COL);
    for (uint32_t t = 0; t < 4; t++)
        for (uint32_t k = 0; k < 8; k++)
            assert_int_equal(permutation.table[4 * t + k % 4 + k / 4 * 16],
                             2 * t + k % 2 + k / 2 * 8);
    struct mapping_space space = {1, {{permutation.axis, permutation.count}}};
    mapping_formula_print(&permutation.formula, &space, text, sizeof text);
    assert_string_equal(text, "(col & 17) + ((col & 2) << 2) + ((col & 12) >> 1)");
    assert_int_equal(mapping_convert_plan(d, a, 8, &permutation, &plan, &error), MAPPING_OK);
    assert_int_equal(plan.kind, CONVERT_SLOTS);
    mapping_convert_free(&plan);
    mapping_free(permutation.table);
    /* But no permutation of rows makes up for it. */
    assert_false(find_permutation(d, a, true, &permutation));
    mapping_free(permutation.table);
}

/* ---- Sharing ---- */

/* The results of the rules of the PTX ISA. */
static void rows_are_shared_as_the_isa_says(void **state) {
    (void)state;
    static const struct {
        const char *name, *masks;
        uint32_t threads, elements, lines;
        bool is_columns, crosses_warps;
    } cases[] = {
        {"mma.m16n8k16.d.f32", "1 2 ", 4, 2, 2, false, false},
        {"mma.m16n8k16.d.f32", "4 8 16 ", 8, 2, 2, true, false},
        {"mma.m16n8k16.a.f16", "1 2 ", 4, 4, 2, false, false},
        {"mma.m16n8k16.b.f16", "4 8 16 ", 8, 1, 4, false, false},
        {"mma.m8n8k4.b.col.f16", "", 1, 4, 1, true, false},
        {"wgmma.m64n256k16.d.f32", "1 2 ", 4, 64, 2, false, false},
        {"wgmma.m64n256k16.d.f32", "4 8 16 32 64 ", 32, 2, 64, true, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_sharing sharing;
        char masks[64] = "";
        assert_int_equal(
            mapping_sharing_find(&find(cases[c].name)->layout, cases[c].is_columns, &sharing),
            MAPPING_OK);
        for (uint32_t g = 0; g < sharing.generator_count; g++)
            snprintf(masks + strlen(masks), sizeof masks - strlen(masks), "%u ",
                     sharing.generators[g]);
        assert_string_equal(masks, cases[c].masks);
        assert_int_equal(sharing.threads, cases[c].threads);
        assert_int_equal(sharing.elements, cases[c].elements);
        assert_int_equal(sharing.lines, cases[c].lines);
        assert_int_equal(sharing.crosses_warps, cases[c].crosses_warps);
    }
}

/* A row is shared across warps if a mask is at least the threads of one. */
static void rows_may_be_shared_across_warps(void **state) {
    (void)state;
    static const char *const bases[] = {"t0 t1 t2 t3 t5 t6 | t4", "t0 t1 t2 t3 t4 t6 | t5"};
    for (uint32_t c = 0; c < 2; c++) {
        struct mapping_layout layout = state_layout(128, 1, 64, 2, bases[c]);
        struct mapping_sharing sharing;
        assert_int_equal(mapping_sharing_find(&layout, false, &sharing), MAPPING_OK);
        assert_int_equal(sharing.generator_count, 1);
        assert_int_equal(sharing.generators[0], 16U << c);
        assert_int_equal(sharing.crosses_warps, c == 1);
        mapping_layout_free(&layout);
    }
}

/* Each thread counts on its own who else has its rows. */
static void sharing_is_what_it_says(void **state) {
    (void)state;
    size_t step = one_in(3, 97);
    for (size_t k = 0; k < all.count; k++) {
        const struct mapping_layout *layout = &all.known[k].layout;
        uint32_t whole[3], made[128] = {0}, elements = layout->from.axis[1].size, count = 1;
        struct mapping_sharing sharing;
        if (layout->from.axis[0].size < 32 || !whole_of(layout, layout, whole) ||
            !is_in_sample(k, step))
            continue;
        assert_int_equal(mapping_sharing_find(layout, false, &sharing), MAPPING_OK);
        for (uint32_t g = 0; g < sharing.generator_count; g++, count *= 2)
            for (uint32_t m = 0; m < count; m++)
                made[count + m] = made[m] ^ sharing.generators[g];
        assert_int_equal(count, sharing.threads);
        for (uint32_t t = 0; t < layout->from.axis[0].size; t += 5)
            for (uint32_t other = 0; other < layout->from.axis[0].size; other++) {
                bool is_mask = false, shares = false;
                for (uint32_t m = 0; m < count; m++)
                    is_mask = is_mask || made[m] == (t ^ other);
                uint32_t line = point_of(layout, whole, t, 0) / whole[2];
                for (uint32_t e = 0; e < elements; e++)
                    shares = shares || point_of(layout, whole, other, e) / whole[2] == line;
                assert_int_equal(is_mask, shares);
            }
    }
}

static void layouts_that_are_not_over_bits_have_no_rule(void **state) {
    (void)state;
    struct mapping_sharing sharing;
    struct mapping_layout layout = state_layout(32, 1, 8, 4, "t2 t3 t4 | t0 t1");
    for (uint32_t t = 0; t < 32; t++)
        layout.coordinate[0][t] = (t / 4 + t % 4) % 8;
    assert_int_equal(mapping_sharing_find(&layout, false, &sharing), MAPPING_NO_FORMULA);
    assert_int_equal(mapping_sharing_find(&layout, true, &sharing), MAPPING_NO_FORMULA);
    mapping_layout_free(&layout);
}

/* How many different columns of a row a thread has. */
static uint32_t count_held(const struct mapping_layout *layout, uint32_t row, uint32_t tid) {
    uint32_t elements = layout->from.axis[1].size, count = 0;
    for (uint32_t col = 0; col < layout->to.axis[1].size; col++) {
        bool is_held = false;
        for (uint32_t n = tid * elements; n < (tid + 1) * elements; n++)
            is_held =
                is_held || (layout->coordinate[0][n] == row && layout->coordinate[1][n] == col);
        count += is_held;
    }
    return count;
}

/* Fills a layout of 8 threads with coordinates that are linear over the bits of the source, but for
 * an odd part of i, which steps along rows or columns. */
static void fill_at_random(struct mapping_layout *layout, uint32_t outer, uint32_t row_step,
                           uint32_t col_step) {
    uint32_t column[2][6], elements = layout->from.axis[1].size;
    for (int b = 0; b < 6; b++)
        for (int c = 0; c < 2; c++)
            column[c][b] = random_number() % 4;
    for (uint32_t n = 0; n < 8 * elements; n++) {
        uint32_t i = n % elements, q = i / (elements / outer), x = i % (elements / outer);
        uint32_t bits = n / elements << 3 | x, place[2] = {0, 0};
        for (int b = 0; b < 6; b++)
            for (int c = 0; c < 2; c++)
                place[c] ^= bits >> b & 1 ? column[c][b] : 0;
        layout->coordinate[0][n] = place[0] + row_step * q;
        layout->coordinate[1][n] = place[1] + col_step * q;
    }
}

/* Compares with the counts of each thread. */
static void check_sharing(const struct mapping_layout *layout,
                          const struct mapping_sharing *sharing) {
    const uint32_t first = layout->coordinate[0][0];
    uint32_t made[8] = {0}, count = 1, lines = 0;
    for (uint32_t g = 0; g < sharing->generator_count; g++, count *= 2)
        for (uint32_t m = 0; m < count; m++)
            made[count + m] = made[m] ^ sharing->generators[g];
    assert_int_equal(sharing->threads, count);
    for (uint32_t g = 1; g < sharing->generator_count; g++)
        assert_true(sharing->generators[g - 1] < sharing->generators[g]);
    assert_int_equal(sharing->elements, count_held(layout, first, 0));
    for (uint32_t row = 0; row < layout->to.axis[0].size; row++)
        lines += count_held(layout, row, 0) > 0;
    assert_int_equal(sharing->lines, lines);
    for (uint32_t t = 0; t < 8; t++) {
        bool is_made = false;
        for (uint32_t m = 0; m < count; m++)
            is_made = is_made || made[m] == t;
        assert_int_equal(is_made, count_held(layout, first, t) > 0);
    }
}

/* Random layouts over bits have the rule that brute force finds. With one element elsewhere, or
 * outside, they are no layouts over bits. */
static void random_rows_are_shared_by_rule(void **state) {
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        const uint32_t outer = round % 4 == 0 ? 3 : 1, size = 1U << random_number() % 4;
        const bool steps_rows = random_number() % 2;
        const struct mapping_space from = {2, {{"tid", 8}, {"i", outer * size}}},
                                   to = {2, {{"row", 12}, {"col", 12}}};
        struct mapping_layout layout;
        struct mapping_error error;
        struct mapping_sharing sharing;
        assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
        fill_at_random(&layout, outer, steps_rows ? 4 : 0, steps_rows ? 0 : 4);
        assert_int_equal(mapping_sharing_find(&layout, false, &sharing), MAPPING_OK);
        check_sharing(&layout, &sharing);
        layout.coordinate[round % 2][(size_t)7 * outer * size] += round % 3 ? 1 : 12;
        assert_int_equal(mapping_sharing_find(&layout, false, &sharing), MAPPING_NO_FORMULA);
        mapping_layout_free(&layout);
    }
}

/* An odd part that steps along rows and columns, or onto other elements, has no rule, unless what
 * brute force finds is right. */
static void odd_parts_have_to_lie_apart(void **state) {
    (void)state;
    static const uint32_t steps[][2] = {{4, 4}, {2, 0}, {0, 2}, {1, 0}};
    unsigned refused[4] = {0};
    for (unsigned round = 0; round < 2000; round++) {
        const uint32_t *step = steps[round % 4];
        const struct mapping_space from = {2, {{"tid", 8}, {"i", 12}}},
                                   to = {2, {{"row", 12}, {"col", 12}}};
        struct mapping_layout layout;
        struct mapping_error error;
        struct mapping_sharing sharing;
        assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
        fill_at_random(&layout, 3, step[0], step[1]);
        if (mapping_sharing_find(&layout, false, &sharing) == MAPPING_OK)
            check_sharing(&layout, &sharing);
        else
            refused[round % 4]++;
        mapping_layout_free(&layout);
    }
    assert_int_equal(refused[0], 500);
    for (int s = 1; s < 4; s++)
        assert_in_range(refused[s], 1, s < 3 ? 499 : 500);
}

/* Masks have up to 7 bits, and all of them must be present. */
static void threads_that_share_are_a_power_of_two(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 256; threads++) {
        const struct mapping_space from = {2, {{"tid", threads}, {"i", 1}}},
                                   to = {2, {{"row", 1}, {"col", threads}}};
        struct mapping_layout layout;
        struct mapping_error error;
        struct mapping_sharing sharing;
        bool is_power = __builtin_popcount(threads) == 1 && threads <= 128;
        assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
        for (uint32_t t = 0; t < threads; t++) {
            layout.coordinate[0][t] = 0;
            layout.coordinate[1][t] = t;
        }
        assert_int_equal(mapping_sharing_find(&layout, false, &sharing),
                         is_power ? MAPPING_OK : MAPPING_NO_FORMULA);
        mapping_layout_free(&layout);
    }
}

static int load(void **state) {
    (void)state;
    all = load_known();
    return 0;
}

static int unload(void **state) {
    (void)state;
    free_known(&all);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_a_plan_that_is_right),
        cmocka_unit_test(everything_is_the_same_as_itself),
        cmocka_unit_test(kinds_are_those_of_public_kernels),
        cmocka_unit_test(shuffles_are_as_few_as_can_be),
        cmocka_unit_test(a_changed_number_is_noticed),
        cmocka_unit_test(numbers_of_nothing_are_refused),
        cmocka_unit_test(warps_exchange_through_memory),
        cmocka_unit_test(what_has_no_rule_goes_through_memory),
        cmocka_unit_test(copies_save_shuffles),
        cmocka_unit_test(copies_are_read_from_their_slots),
        cmocka_unit_test(registers_are_chosen_whole),
        cmocka_unit_test(what_is_missing_goes_through_memory),
        cmocka_unit_test(random_copies_are_exchanged),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_is_outside_goes_through_memory),
        cmocka_unit_test(other_spaces_are_refused),
        cmocka_unit_test(permutations_are_found_where_there_are_any),
        cmocka_unit_test(copies_of_rows_are_permuted),
        cmocka_unit_test(k_is_permuted_for_8_bits),
        cmocka_unit_test(rows_are_shared_as_the_isa_says),
        cmocka_unit_test(rows_may_be_shared_across_warps),
        cmocka_unit_test(sharing_is_what_it_says),
        cmocka_unit_test(layouts_that_are_not_over_bits_have_no_rule),
        cmocka_unit_test(random_rows_are_shared_by_rule),
        cmocka_unit_test(odd_parts_have_to_lie_apart),
        cmocka_unit_test(threads_that_share_are_a_power_of_two),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, load, unload);
}
