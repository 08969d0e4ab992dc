/* load_test.c - the printed functions of plans of loads and stores.
 *
 * They are compiled for the host, where a call replaces each asm statement, and run in all threads
 * (on_host.cuh). The result is compared with the elements that belong there. Only the text of the
 * instructions determines which instruction runs. */
#include "output/cuda_convert.h"

#include "compiled.h"
#include "warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[FOLDER_PATH];

/* ---- The program ---- */

/* The text before the functions. A thread has its registers before each of its runs. */
static const char start[] =
    "#include \"on_host.cuh\"\n"
    "static unsigned registers[128][256], results[128][256];\n"
    "template <typename function> static void call(function f, unsigned threads) {\n"
    "    if (fread(shared + SHARED_BEGIN, 1, SHARED_SIZE, stdin) != SHARED_SIZE ||\n"
    "        fread(registers, 1024, threads, stdin) != threads)\n"
    "        abort();\n"
    "    run_threads(threads, [&](unsigned tid) {\n"
    "        memcpy(results[tid], registers[tid], sizeof results[tid]);\n"
    "        f(results[tid], SHARED_BEGIN, tid);\n"
    "    });\n"
    "    fwrite(shared + SHARED_BEGIN, 1, SHARED_SIZE, stdout);\n"
    "    fwrite(results, 1024, threads, stdout);\n"
    "}\n";

/* Turns asm volatile("..." : "=r"(a) : "r"(b) : "memory") into execute("...", {&(a)}, {(b)}). */
static void translate(struct printer *to, const char *text) {
    static const struct {
        const char *from, *into;
    } words[] = {
        {"asm volatile(", "execute("},
        {"\n                 : \"memory\")", "})"},
        {"\n                 :", NULL},
        {"\"=r\"", "&"},
        {"\"r\"", ""},
    };
    uint32_t colons = 0;
    while (*text) {
        size_t w = 0;
        while (w < 5 && strncmp(text, words[w].from, strlen(words[w].from)) != 0)
            w++;
        if (w == 5) {
            print_char(to, *text++);
            continue;
        }
        text += strlen(words[w].from);
        print_text(to, words[w].into ? words[w].into : colons++ % 2 == 0 ? ", {" : "}, {");
    }
}

/* ---- Running ---- */

/* The input for which a function is printed. */
struct called {
    struct mapping_layout memory, fragment;
    uint32_t bits, memory_bits;
    const struct mapping_access *access;
};

enum { CALLED = 64 };

struct program {
    struct cpp_program cpp;
    struct called called[CALLED];
    size_t count;
};

static struct warp warp;

static struct mapping_copy_request request_of(const struct called *called) {
    return (struct mapping_copy_request){.memory = &called->memory,
                                         .fragment = &called->fragment,
                                         .bits = called->bits,
                                         .memory_bits = called->memory_bits,
                                         .is_store = called->access->is_store};
}

/* Adds a function, its call and its arguments. */
static void add(struct program *program, const struct called *called) {
    struct mapping_copy_request request = request_of(called);
    struct mapping_copy_plan plan;
    struct mapping_error error;
    struct printer function = {0};
    char name[32];
    assert_true(program->count < CALLED);
    snprintf(name, sizeof name, "it.%zu", program->count);
    if (mapping_copy_plan_make(&request, called->access, &plan, &error) != MAPPING_OK)
        fail_msg("%s: %s", called->access->name, error.message);
    mapping_copy_plan_deduce(&plan);
    load_cuda(&function, NULL, NULL, &plan, 128, name, "a comment*/\n*/");
    translate(&program->cpp.text, printer_string(&function));
    printer_free(&function);
    print(&program->cpp.calls, "    call(mapping_%s_it_%zu, %u);\n",
          called->access->is_store ? "store" : "load", program->count, (unsigned)plan.threads);
    prepare(&warp, &request);
    add_bytes(&program->cpp.input, warp.memory, sizeof warp.memory);
    add_bytes(&program->cpp.input, warp.string, plan.threads * sizeof warp.string[0]);
    program->called[program->count++] = *called;
    mapping_copy_plan_free(&plan);
}

static void compare(struct program *program, FILE *file) {
    for (size_t n = 0; n < program->count; n++) {
        struct called *called = &program->called[n];
        struct mapping_copy_request request = request_of(called);
        uint32_t threads = called->fragment.from.axis[0].size;
        memset(&warp, 0, sizeof warp);
        assert_int_equal(fread(warp.memory, sizeof warp.memory, 1, file), 1);
        assert_int_equal(fread(warp.string, sizeof warp.string[0], threads, file), threads);
        if (!has_moved(&warp, &request))
            fail_msg("function %zu, with %s, moves something else", n, called->access->name);
        mapping_layout_free(&called->memory);
        mapping_layout_free(&called->fragment);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

/* Compiles the program, runs it and compares. */
static void try(struct program *program) {
    compare(program, output_of(folder, start, &program->cpp));
    program->count = 0;
}

/* ---- Cases ---- */

enum order { ROWS, COLS, SWIZZLED, COLS_SWIZZLED, SHUFFLED, VECTORS, SPACED, COLS_SPACED };

/* 64 rows of 128 bytes, or what comes of it. VECTORS: the elements of each thread one behind the
 * other, the second half of them first, which make() does. SPACED: 16 packed elements, and padding
 * up to a multiple of 16 bytes. */
static uint32_t offset_of(enum order order, uint32_t row, uint32_t col, uint32_t bits) {
    uint32_t cols = 1024 / bits, piece = 128 / bits;
    switch (order) {
    case ROWS:
        return row * cols + col;
    case COLS:
        return col * 64 + row;
    case SWIZZLED:
        return (row * cols + col) ^ (row % 8 * piece);
    case COLS_SWIZZLED:
        return (col * 64 + row) ^ (col % 8 * piece % 64);
    case SHUFFLED:
        return (row * 5 + 3) % 64 * cols + col;
    case SPACED:
        return row * cols * 4 + col / 16 * 64 + col % 16;
    case COLS_SPACED:
        return col * 256 + row / 16 * 64 + row % 16;
    case VECTORS:
        break;
    }
    return 0;
}

static struct called make(const char *fragment, uint32_t bits, enum order order,
                          const char *access) {
    struct called called = {.bits = bits, .access = mapping_access_find(access)};
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_error error;
    uint32_t cols = 1024 / bits;
    const struct mapping_space from = {2, {{"row", 64}, {"col", cols}}};
    const struct mapping_space to = {1, {{"offset", UINT32_MAX}}};
    assert_non_null(called.access);
    assert_int_equal(mapping_catalogue_find(fragment, found), 1);
    assert_int_equal(mapping_fragment_state(&found[0], &called.fragment, &error), MAPPING_OK);
    assert_int_equal(mapping_layout_init(&called.memory, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < 64 * cols; n++)
        called.memory.coordinate[0][n] = offset_of(order, n / cols, n % cols, bits);
    if (order != VECTORS)
        return called;
    uint32_t elements = called.fragment.from.axis[1].size;
    for (uint32_t n = 0; n < mapping_layout_entries(&called.fragment); n++)
        called.memory.coordinate[0][called.fragment.coordinate[0][n] * cols +
                                    called.fragment.coordinate[1][n]] = n ^ elements / 2;
    return called;
}

static const struct {
    const char *fragment;
    uint32_t bits;
    enum order order;
    const char *access;
    uint32_t memory_bits; /* if elements are packed */
} cases[] = {
    {"mma.m16n8k16.a.f16", 16, ROWS, "ldmatrix.x4", 0},
    {"mma.m16n8k16.a.f16", 16, SWIZZLED, "ldmatrix.x4", 0},
    {"mma.m16n8k16.a.f16", 16, SWIZZLED, "ldmatrix.x2", 0},
    {"mma.m16n8k16.a.f16", 16, SWIZZLED, "ldmatrix.x1", 0},
    {"mma.m16n8k16.a.f16", 16, SHUFFLED, "ldmatrix.x2", 0},
    {"mma.m16n8k16.a.f16", 16, COLS, "ldmatrix.x4.trans", 0},
    {"mma.m16n8k16.b.f16", 16, ROWS, "ldmatrix.x2.trans", 0},
    {"mma.m16n8k16.b.f16", 16, COLS, "ldmatrix.x2", 0},
    {"mma.m16n8k16.b.f16", 16, ROWS, "ldmatrix.x1.trans", 0},
    {"mma.m16n8k16.b.f16", 16, ROWS, "ld.u16", 0},
    {"mma.m16n8k32.a.s8", 8, ROWS, "ldmatrix.x4", 0},
    {"mma.m16n8k32.b.s8", 8, ROWS, "ld.u8", 0},
    {"mma.m16n8k32.b.s8", 8, COLS_SWIZZLED, "ld.u16", 0},
    {"mma.m16n8k64.a.s4", 4, ROWS, "ld.u8", 0},
    {"mma.m16n8k64.a.s4", 4, SWIZZLED, "ldmatrix.x4", 0},
    {"mma.m16n8k8.a.tf32", 32, ROWS, "ldmatrix.x4", 0},
    {"mma.m16n8k8.a.tf32", 32, SWIZZLED, "ld.b32", 0},
    {"mma.m16n8k16.d.f32", 32, ROWS, "ld.b64", 0},
    {"mma.m16n8k16.d.f32", 32, VECTORS, "ld.b128", 0},
    {"mma.m16n8k16.a.f16", 16, VECTORS, "ld.b128", 0},
    {"mma.m16n8k16.a.f16", 16, VECTORS, "ld.b64", 0},
    {"mma.m8n8k4.a.f64", 64, ROWS, "ld.b64", 0},
    {"mma.m8n8k4.a.f64", 16, ROWS, "ld.u16", 0}, /* half a register */
    {"mma.m8n8k4.a.f64", 8, ROWS, "ld.u8", 0},
    {"mma.m8n8k4.a.f64", 8, COLS, "st.u8", 0},
    {"mma.m8n8k4.a.f64", 64, ROWS, "ld.b32", 0},
    {"wgmma.m64n8k16.a.f16", 16, SWIZZLED, "ldmatrix.x4", 0},
    {"wgmma.m64n16k16.d.f32", 32, SWIZZLED, "st.b64", 0},
    {"wgmma.m64n16k16.d.f32", 32, SHUFFLED, "st.b32", 0},
    {"wgmma.m64n16k16.d.f16", 16, SWIZZLED, "stmatrix.x4", 0},
    {"mma.m16n8k16.d.f16", 16, ROWS, "stmatrix.x2", 0},
    {"mma.m16n8k16.d.f16", 16, COLS, "stmatrix.x2.trans", 0},
    {"mma.m16n8k16.d.f16", 16, COLS_SWIZZLED, "stmatrix.x1.trans", 0},
    {"mma.m16n8k16.d.f16", 16, COLS, "st.u16", 0},
    {"mma.m16n8k32.a.s8", 8, COLS, "st.u8", 0},
    {"mma.m16n8k16.d.f32", 32, VECTORS, "st.b128", 0},
    {"mma.m16n8k32.a.e4m3", 8, COLS, "ldmatrix.m16n16.x2.trans.b8", 0},
    {"mma.m16n8k32.a.e4m3", 8, COLS_SWIZZLED, "ldmatrix.m16n16.x1.trans.b8", 0},
    {"stmatrix.m16n8.x1.r.trans.b8", 8, ROWS, "stmatrix.m16n8.x1.trans.b8", 0},
    {"mma.m16n8k32.a.e2m1", 8, SPACED, "ldmatrix.m8n16.x4.b4x16_p64", 4},
    {"mma.m16n8k32.b.e3m2", 8, COLS_SPACED, "ldmatrix.m8n16.x2.b6x16_p32", 6},
    {"mma.m16n8k32.a.e2m1", 8, COLS_SPACED, "ldmatrix.m16n16.x2.trans.b4x16_p64", 4},
    {"mma.m16n8k32.a.e3m2", 8, COLS_SPACED, "ldmatrix.m16n16.x1.trans.b6x16_p32", 6},
};

static void functions_do_what_plans_say(void **state) {
    (void)state;
    static struct program program;
    if (!run(folder, "${CXX:-c++} --version > /dev/null 2>&1"))
        return; /* nothing to compile them with */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct called called =
            make(cases[c].fragment, cases[c].bits, cases[c].order, cases[c].access);
        called.memory_bits = cases[c].memory_bits;
        add(&program, &called);
    }
    try(&program);
}

/* Adds the functions of the cases that need a target with a letter, or of the others. */
static void print_kernels(struct printer *text, bool needs_letter) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct called called =
            make(cases[c].fragment, cases[c].bits, cases[c].order, cases[c].access);
        called.memory_bits = cases[c].memory_bits;
        struct mapping_copy_request request = request_of(&called);
        struct mapping_copy_plan plan = {0};
        struct mapping_error error;
        char name[32];
        snprintf(name, sizeof name, "it_%zu", c);
        if (mapping_access_needs_letter(called.access) == needs_letter) {
            assert_int_equal(mapping_copy_plan_make(&request, called.access, &plan, &error),
                             MAPPING_OK);
            mapping_copy_plan_deduce(&plan);
            load_cuda(text, NULL, NULL, &plan, 128, name, "");
            print(text,
                  "__global__ void kernel_%zu(unsigned *registers, unsigned address) {\n"
                  "    mapping_%s_%s(registers + threadIdx.x * 64, address, threadIdx.x);\n}\n",
                  c, called.access->is_store ? "store" : "load", name);
        }
        mapping_copy_plan_free(&plan);
        mapping_layout_free(&called.memory);
        mapping_layout_free(&called.fragment);
    }
}

/* With nvcc, for architectures that have the instructions: NVCC in the environment. */
static void nvcc_takes_them(void **state) {
    (void)state;
    const char *nvcc = getenv("NVCC");
    struct printer text = {0}, shapes = {0};
    if (!nvcc || !*nvcc)
        return;
    print_kernels(&text, false);
    write_file(folder, "test.cu", text.text, text.size);
    printer_free(&text);
    assert_true(run(folder, "$NVCC -arch=sm_90 -Werror all-warnings -cubin -o test.cubin test.cu"));
    if (!run(folder, "$NVCC --list-gpu-arch | grep -q compute_120"))
        return;
    print_kernels(&shapes, true);
    write_file(folder, "test.cu", shapes.text, shapes.size);
    printer_free(&shapes);
    assert_true(
        run(folder, "$NVCC -arch=sm_120a -Werror all-warnings -cubin -o test.cubin test.cu"));
}

/* A whole function, from the line after the start of its guard. */
static void check_text(const char *fragment, uint32_t bits, enum order order, const char *access,
                       const char *expected) {
    struct called called = make(fragment, bits, order, access);
    struct mapping_copy_request request = request_of(&called);
    struct mapping_copy_plan plan;
    struct mapping_error error;
    struct printer to = {0};
    assert_int_equal(mapping_copy_plan_make(&request, called.access, &plan, &error), MAPPING_OK);
    mapping_copy_plan_deduce(&plan);
    load_cuda(&to, NULL, NULL, &plan, 128, "a.b", "A matrix");
    /* In a guard, whose number says what the function does. */
    const char *function = strstr(printer_string(&to), "/* A matrix");
    assert_non_null(function);
    assert_string_equal(function, expected);
    printer_free(&to);
    mapping_copy_plan_free(&plan);
    mapping_layout_free(&called.memory);
    mapping_layout_free(&called.fragment);
}

static void functions_read_like_this(void **state) {
    (void)state;
    check_text("mma.m16n8k16.a.f16", 16, SWIZZLED, "ldmatrix.x2",
               "/* A matrix\n"
               " * 2 x ldmatrix.x2 in each warp; 4 wavefronts in total (minimum: 4)\n"
               " * out[]: the elements in order, packed, the lowest index in the lowest bits\n"
               " * address: where the matrix begins, __cvta_generic_to_shared(matrix),\n"
               " *     aligned to 128 bytes\n"
               " * tid: the thread of the warp, 0 to 31; all threads of a warp must call this\n"
               " *     function together, on sm_75 or later\n"
               " */\n"
               "static __device__ __forceinline__ void mapping_load_a_b(\n"
               "    unsigned out[4], unsigned address, unsigned tid) {\n"
               "    const unsigned offset0 = tid % 16 * 128 + tid % 8 * 16;\n"
               "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\"\n"
               "                 : \"=r\"(out[0]), \"=r\"(out[1])\n"
               "                 : \"r\"(address + offset0)\n"
               "                 : \"memory\");\n"
               "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\"\n"
               "                 : \"=r\"(out[2]), \"=r\"(out[3])\n"
               "                 : \"r\"(address + (offset0 ^ 16))\n"
               "                 : \"memory\");\n"
               "}\n"
               "#endif\n");
    check_text("mma.m8n8k16.a.s8", 8, ROWS, "st.u16",
               "/* A matrix\n"
               " * 2 x st.u16 in each warp; 16 wavefronts in total (minimum: 2)\n"
               " * in[]: the elements in order, packed, the lowest index in the lowest bits\n"
               " * address: where the matrix begins, __cvta_generic_to_shared(matrix),\n"
               " *     aligned to 128 bytes\n"
               " * tid: the thread of the warp, 0 to 31\n"
               " */\n"
               "static __device__ __forceinline__ void mapping_store_a_b(\n"
               "    const unsigned in[1], unsigned address, unsigned tid) {\n"
               "    const unsigned offset0 = tid / 4 * 128 + tid % 4 * 4;\n"
               "    asm volatile(\"st.shared.u16 [%0], %1;\"\n"
               "                 :\n"
               "                 : \"r\"(address + offset0), \"r\"(in[0])\n"
               "                 : \"memory\");\n"
               "    asm volatile(\"st.shared.u16 [%0 + 2], %1;\"\n"
               "                 :\n"
               "                 : \"r\"(address + offset0), \"r\"(in[0] >> 16)\n"
               "                 : \"memory\");\n"
               "}\n"
               "#endif\n");
}

/* Offsets that follow no formula stand in a table, eight in a line. */
static void tables_have_eight_in_a_line(void **state) {
    (void)state;
    struct called called = make("mma.m16n8k16.a.f16", 16, SHUFFLED, "ldmatrix.x2");
    struct mapping_copy_request request = request_of(&called);
    struct mapping_copy_plan plan;
    struct mapping_error error;
    struct printer to = {0};
    unsigned lines = 0;
    assert_int_equal(mapping_copy_plan_make(&request, called.access, &plan, &error), MAPPING_OK);
    mapping_copy_plan_deduce(&plan);
    load_cuda(&to, NULL, NULL, &plan, 128, "a", "A");
    const char *line = strstr(printer_string(&to), "table0[32] = {\n");
    assert_non_null(line);
    for (line = strchr(line, '\n') + 1; strncmp(line, "    };", 6) != 0; lines++) {
        unsigned values = 0;
        for (; *line != '\n'; line++)
            values += *line == ',';
        assert_int_equal(values, 8);
        line++;
    }
    assert_int_equal(lines, 4);
    printer_free(&to);
    mapping_copy_plan_free(&plan);
    mapping_layout_free(&called.memory);
    mapping_layout_free(&called.fragment);
}

static int set_up(void **state) {
    (void)state;
    return make_folder(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    run(folder, "rm -f test test.cc test.cu test.cubin input output");
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_do_what_plans_say),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(functions_read_like_this),
        cmocka_unit_test(tables_have_eight_in_a_line),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
