/* cuda_convert_test.c - compiles the printed functions of plans with a C++ compiler, and calls them
 * lane by lane (on_host.cuh), for many pairs of layouts.
 *
 * Expected values: the compiler, lane by lane; the places of elements. */
#include "compiled.h"
#include "pairs.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include): choices are tested, too. */
#include "output/cuda_convert.c"

enum { WORDS_MAX = 4096 };

static struct known_all all;
static char folder[FOLDER_PATH];

/* The text before the functions. */
static const char start[] =
    "#include \"on_host.cuh\"\n"
    "template <typename T> static void call(void (*function)(unsigned, const T *, T *),\n"
    "                                       unsigned threads, unsigned in, unsigned out,\n"
    "                                       bool is_same) {\n"
    "    static T from[128][4096], to[128][4096];\n"
    "    memset(shared, 0, sizeof shared);\n"
    "    for (unsigned t = 0; t < threads; t++)\n"
    "        if (fread(from[t], sizeof(T), in, stdin) != in) return;\n"
    "    run_threads(threads, [&](unsigned tid) {\n"
    "        if (is_same) memcpy(to[tid], from[tid], in * sizeof(T));\n"
    "        function(tid, is_same ? to[tid] : from[tid], to[tid]);\n"
    "    });\n"
    "    for (unsigned t = 0; t < threads; t++)\n"
    "        fwrite(to[t], sizeof(T), out, stdout);\n"
    "}\n"
    "typedef unsigned long long wide;\n";

/* ---- Programs ---- */

/* A function in the program: its plan, and its name. */
struct called {
    size_t from, to; /* in `all` */
    uint32_t bits;
    bool through_memory, is_same; /* in[] and out[] are the same array */
};

struct program {
    struct cpp_program cpp;
    struct called called[4096];
    size_t count;
};

/* The content of an element: `bits` bits that depend on its number. */
static uint64_t contents(uint32_t point, uint32_t bits) {
    uint64_t value = (point + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 29;
    return bits == 64 ? value : (value >> 7) & ((UINT64_C(1) << bits) - 1);
}

/* Word w of a thread. *mask has the bits of it that are used. */
static uint64_t word_of(const struct mapping_layout *layout, const uint32_t whole[3], uint32_t bits,
                        uint32_t tid, uint32_t w, uint64_t *mask) {
    uint32_t per = bits < 32 ? 32 / bits : 1, total = elements_of(layout, whole);
    uint64_t word = 0;
    *mask = 0;
    for (uint32_t e = w * per; e < total && e < (w + 1) * per; e++) {
        word |= contents(point_of(layout, whole, tid, e), bits) << e % per * bits;
        *mask |= (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << e % per * bits;
    }
    return word;
}

static void add_word(struct printer *to, uint64_t word, uint32_t bits) {
    const uint32_t narrow = (uint32_t)word;
    if (bits == 64)
        add_bytes(to, &word, sizeof word);
    else
        add_bytes(to, &narrow, sizeof narrow);
}

static void add_input(struct program *program, const struct called *called,
                      const uint32_t whole[3]) {
    const struct mapping_layout *layout = &all.known[called->from].layout;
    uint32_t per = called->bits < 32 ? 32 / called->bits : 1;
    uint64_t mask;
    for (uint32_t t = 0; t < layout->from.axis[0].size; t++)
        for (uint32_t w = 0; w < (elements_of(layout, whole) + per - 1) / per; w++)
            add_word(&program->cpp.input, word_of(layout, whole, called->bits, t, w, &mask),
                     called->bits);
}

/* Adds a function to the program, and its call. */
static void add(struct program *program, const struct called *called) {
    const struct known *from = &all.known[called->from], *to = &all.known[called->to];
    struct shuffle_plan plan;
    struct mapping_error error;
    char name[32];
    uint32_t whole[3];
    assert_true(whole_of(&from->layout, &to->layout, whole));
    assert_true(program->count < sizeof program->called / sizeof *program->called);
    assert_int_equal(
        mapping_convert_plan(&from->layout, &to->layout, called->bits, NULL, &plan, &error),
        MAPPING_OK);
    snprintf(name, sizeof name, "convert_%zu", program->count);
    bool printed = called->through_memory
                       ? convert_print_memory(&program->cpp.text, &plan, name, "a comment*/\n*/")
                       : convert_print(&program->cpp.text, &plan, name, "a comment*/\n*/");
    const char *type = called->bits == 64 ? "wide" : "unsigned";
    assert_true(printed);
    print(&program->cpp.calls,
          "    call<%s>([](unsigned tid, const %s *in, %s *out) { %s(tid, in, out", type, type,
          type, name);
    print(&program->cpp.calls, "%s); }, %u, %u, %u, %d);\n",
          called->through_memory ? ", shared" : "", plan.threads, plan.source.words,
          plan.target.words, called->is_same);
    assert_true(plan.source.words <= WORDS_MAX && plan.target.words <= WORDS_MAX);
    add_input(program, called, whole);
    program->called[program->count++] = *called;
    mapping_convert_free(&plan);
}

/* ---- Running ---- */

/* Compares the results of the functions, in a file, with the expected ones. */
static void compare(const struct program *program, FILE *file) {
    for (size_t n = 0; n < program->count; n++) {
        const struct called *called = &program->called[n];
        const struct known *from = &all.known[called->from], *to = &all.known[called->to];
        uint32_t whole[3], per = called->bits < 32 ? 32 / called->bits : 1;
        assert_true(whole_of(&from->layout, &to->layout, whole));
        uint32_t words = (elements_of(&to->layout, whole) + per - 1) / per;
        for (uint32_t t = 0; t < to->layout.from.axis[0].size; t++)
            for (uint32_t w = 0; w < words; w++) {
                uint64_t mask, word = word_of(&to->layout, whole, called->bits, t, w, &mask);
                uint64_t made = 0;
                assert_int_equal(fread(&made, called->bits == 64 ? 8 : 4, 1, file), 1);
                if ((made & mask) != word)
                    fail_msg("%s to %s: thread %u, register %u is %llx, not %llx", from->name,
                             to->name, t, w, (unsigned long long)(made & mask),
                             (unsigned long long)word);
            }
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

/* Compiles the program, runs it and compares. */
static void try(struct program *program) {
    compare(program, output_of(folder, start, &program->cpp));
    program->count = 0;
}

static bool has_compiler(void) {
    return run(folder, "${CXX:-c++} --version > /dev/null 2>&1");
}

/* ---- Tests ---- */

static struct program program;

/* Adds one in N of the pairs that are small enough. */
static void add_pairs(size_t step, bool through_memory) {
    size_t number = 0;
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = 0; j < all.count; j++) {
            const struct known *from = &all.known[i], *to = &all.known[j];
            uint32_t whole[3], bits = to->fragment.bits;
            if (!whole_of(&from->layout, &to->layout, whole) || !is_in_sample(number++, step) ||
                elements_of(&to->layout, whole) > 64 || elements_of(&from->layout, whole) > 64 ||
                (through_memory && bits < 8))
                continue;
            add(&program, &(struct called){i, j, bits, through_memory, number % 3 == 0});
        }
}

static void functions_do_what_plans_say(void **state) {
    (void)state;
    assert_true(has_compiler());
    add_pairs(121 * one_in(6, 6), false);
    assert_true(program.count > 10);
    try(&program);
}

static void so_do_those_through_memory(void **state) {
    (void)state;
    assert_true(has_compiler());
    add_pairs(307 * one_in(4, 5), true);
    assert_true(program.count > 5);
    try(&program);
}

/* Each pair in all widths, in registers that are the same and others. */
static void elements_of_all_widths(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"mma.m16n8k16.d.f32", "mma.m16n8k16.b.f16"},
        {"mma.m16n8k16.d.f32", "mma.m16n8k32.a.s8"},
        {"mma.m8n8k16.a.s8", "mma.m16n8k32.a.s8"},
        {"wgmma.m64n24k16.d.f32", "wgmma.m64n8k8.a.tf32"},
        {"mma.m8n8k4.d.f32", "mma.m8n8k4.d.f16"},
    };
    static const uint32_t widths[] = {1, 4, 8, 16, 32, 64};
    assert_true(has_compiler());
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int way = 0; way < 4; way++) {
                struct called called = {find_known(&all, pairs[p][0]),
                                        find_known(&all, pairs[p][1]), widths[w], way >= 2,
                                        way % 2 == 1};
                if (!called.through_memory || called.bits >= 8)
                    add(&program, &called);
            }
    try(&program);
}

/* A whole function, as it is written. */
static void a_function_reads_like_this(void **state) {
    (void)state;
    static const char expected[] =
        "/* the accumulator as B\n"
        " * in[]: 4 elements of 16 bits, packed, the lowest index in the lowest bits\n"
        " * out[]: 4 elements of 16 bits, packed, the lowest index in the lowest bits\n"
        " * tid: the thread of the warp, 0 to 31; all threads of its warp must call this "
        "function together\n"
        " */\n"
        "static __device__ __forceinline__ void convert(\n"
        "    unsigned tid, const unsigned in[2], unsigned out[2]) {\n"
        "    (void)tid;\n"
        "    const int lane0 = (int)(((tid & 3) << 3) + (tid & 4) + ((tid & 24) >> 3));\n"
        "    const int lane1 = (int)(4 ^ ((tid & 3) << 3) ^ (tid & 4) ^ ((tid & 24) >> 3));\n"
        "    const unsigned v2 = __byte_perm(in[0], in[1], (tid & 4 ? 0x7632 : 0x5410));\n"
        "    const unsigned v3 = __shfl_sync(0xffffffff, v2, lane0);\n"
        "    const unsigned v4 = __byte_perm(in[0], in[1], (tid & 4 ? 0x5410 : 0x7632));\n"
        "    const unsigned v5 = __shfl_sync(0xffffffff, v4, lane1);\n"
        "    const unsigned v6 = __byte_perm(v3, v5, (tid & 4 ? 0x1054 : 0x5410));\n"
        "    const unsigned v7 = __byte_perm(v3, v5, (tid & 4 ? 0x3276 : 0x7632));\n"
        "    out[0] = v6;\n"
        "    out[1] = v7;\n"
        "}\n";
    struct shuffle_plan plan;
    struct mapping_error error;
    struct printer to = {0};
    size_t d = find_known(&all, "mma.m16n8k16.d.f32"), b = find_known(&all, "mma.m16n8k16.b.f16");
    assert_int_equal(
        mapping_convert_plan(&all.known[d].layout, &all.known[b].layout, 16, NULL, &plan, &error),
        MAPPING_OK);
    assert_true(convert_print(&to, &plan, "convert", "the accumulator as B"));
    assert_string_equal(printer_string(&to), expected);
    printer_free(&to);
    plan.bits = 4;
    assert_false(convert_print_memory(&to, &plan, "convert", ""));
    assert_int_equal(to.size, 0);
    mapping_convert_free(&plan);
}

/* Choices ask for what they depend on, and for nothing else; anything will do where nothing is
 * said. */
static void choices_ask_for_what_matters(void **state) {
    (void)state;
    static const uint32_t none = MAPPING_NO_VALUE;
    static const struct shuffle_plan plan = {.bits = 32}; /* without inputs: item 5 is v5 */
    const struct combined step = {.plan = &plan};
    const struct {
        struct choice choice;
        const char *text;
    } cases[] = {
        {{ITEM_VALUE, 0, {5}}, "v5"},
        {{ITEM_VALUE, 0, {none}}, "0"},
        {{ITEM_VALUE, 4, {[0] = 1, [4] = 2}}, "(tid & 4 ? v2 : v1)"},
        {{ITEM_VALUE, 4, {[0] = 3, [4] = 3}}, "v3"},
        {{ITEM_VALUE, 4, {[0] = none, [4] = 3}}, "v3"},
        {{ITEM_VALUE, 5, {[0] = 1, [1] = 2, [4] = 1, [5] = 2}}, "(tid & 1 ? v2 : v1)"},
        {{ITEM_VALUE, 5, {[0] = 1, [1] = 1, [4] = 2, [5] = 2}}, "(tid & 4 ? v2 : v1)"},
        {{ITEM_VALUE, 5, {[0] = 1, [1] = 2, [4] = none, [5] = 2}}, "(tid & 1 ? v2 : v1)"},
        {{ITEM_VALUE, 5, {[0] = 1, [1] = 2, [4] = 2, [5] = 1}},
         "(tid & 4 ? (tid & 1 ? v1 : v2) : (tid & 1 ? v2 : v1))"},
        {{ITEM_VALUE, 5, {[0] = 1, [1] = 2, [4] = 3, [5] = 3}},
         "(tid & 4 ? v3 : (tid & 1 ? v2 : v1))"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct printer to = {0};
        choice_print(&to, &cases[c].choice, &step);
        assert_string_equal(printer_string(&to), cases[c].text);
        printer_free(&to);
    }
    /* as many as there may be: the parity of tid */
    struct choice parity = {.by = THREADS_MAX - 1};
    struct printer to = {0};
    unsigned questions = 0;
    for (uint32_t c = 0; c < THREADS_MAX; c++)
        parity.item[c] = (uint32_t)__builtin_popcount(c) % 2;
    choice_print(&to, &parity, &step);
    for (const char *at = printer_string(&to); (at = strchr(at, '?')); at++)
        questions++;
    assert_int_equal(questions, THREADS_MAX - 1);
    printer_free(&to);
}

static int load(void **state) {
    (void)state;
    all = load_known();
    return make_folder(folder) ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    free_known(&all);
    run(folder, "rm -f test test.cc input output");
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_do_what_plans_say),
        cmocka_unit_test(so_do_those_through_memory),
        cmocka_unit_test(elements_of_all_widths),
        cmocka_unit_test(a_function_reads_like_this),
        cmocka_unit_test(choices_ask_for_what_matters),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, load, unload);
}
